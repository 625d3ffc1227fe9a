//! Openings: random moves by seed, or a list from a file.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::engine::Engine;
use crate::params::Params;
use crate::start::{ReadError, read_bytes};
use crate::util::quote::shorten;
use crate::util::random::Random;
use crate::variant::{MoveCode, SharedStart};

/// Where the openings of a match come from. Those of a file are kept with the match, so that
/// it goes on alike when the file has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Openings {
    /// So many random legal moves, other ones in each round.
    Random {
        /// The number of moves.
        plies: usize,
    },
    /// These moves, round by round, and from the beginning again.
    List {
        /// The file that they were read from, for reports.
        file: String,
        /// The moves of each opening as vertices.
        moves: Vec<Vec<String>>,
    },
}

/// Openings that cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpeningError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file is of the game's kind of record, and broken, or of another start.
    #[error("openings `{file}`: {error}")]
    Record {
        /// The file.
        file: String,
        /// What is wrong in it.
        error: String,
    },
    /// A word that is no legal move.
    #[error("openings `{file}`: opening {number}: `{word}` is no legal move, as move {ply}")]
    Move {
        /// The file.
        file: String,
        /// Which opening, from 1.
        number: usize,
        /// The word.
        word: String,
        /// Which move of it, from 1.
        ply: usize,
    },
    /// Moves after which the game is over.
    #[error("openings `{file}`: opening {number} ends the game, expected one that goes on")]
    Over {
        /// The file.
        file: String,
        /// Which opening, from 1.
        number: usize,
    },
    /// A file without openings.
    #[error("openings `{0}`: nothing in it, expected game records or one line of moves each")]
    Empty(String),
    /// Random openings of that length end the game.
    #[error("`{plies}` random plies outlast the game on {size}x{size}, expected fewer")]
    Long {
        /// The number of plies.
        plies: usize,
        /// The board.
        size: usize,
    },
}

/// The random opening with this number: `plies` legal moves after which the game still runs;
/// `None` if a hundred tries find none.
pub fn random(
    start: &SharedStart,
    plies: usize,
    seed: u64,
    number: usize,
) -> Option<Vec<MoveCode>> {
    let mut random = Random::part(seed, number as u64);
    let mut engine = Engine::new(start.clone(), Params::default());
    for _ in 0..100 {
        let mut moves = Vec::new();
        while moves.len() < plies && !engine.is_over() {
            let legal = engine.legal();
            let code = legal[random.below(legal.len() as u32) as usize];
            // A legal move cannot be refused.
            let _ = engine.play(code);
            moves.push(code);
        }
        if !engine.is_over() {
            return Some(moves);
        }
        while engine.undo() {}
    }
    None
}

impl Openings {
    /// Reads a file: the main line of each game if it is of the game's kind of record, such as SGF;
    /// else one line of moves an opening, where `#` begins a comment.
    ///
    /// # Errors
    /// Every kind of [`OpeningError`] but the last.
    pub fn read(path: &str, start: &SharedStart) -> Result<Self, OpeningError> {
        let variant = start.variant();
        let bytes = read_bytes(path)?;
        let file = shorten(path, 60);
        let moves = if variant.records().is_record(&bytes) {
            records(&bytes, start).map_err(|error| OpeningError::Record {
                file: file.clone(),
                error,
            })?
        } else {
            let text = variant
                .records()
                .decode(bytes)
                .map_err(|reason| ReadError {
                    path: file.clone(),
                    reason,
                })?;
            text.lines()
                .map(|line| line.split('#').next().unwrap_or_default())
                .map(|line| line.split_whitespace().map(str::to_uppercase).collect())
                .filter(|words: &Vec<String>| !words.is_empty())
                .collect()
        };
        if moves.is_empty() {
            return Err(OpeningError::Empty(file));
        }
        let list = Self::List { file, moves };
        for number in 0..list.count() {
            list.moves(start, 0, number)?;
        }
        Ok(list)
    }

    /// How many different ones there are; 0 if each round has another.
    pub fn count(&self) -> usize {
        match self {
            Self::Random { .. } => 0,
            Self::List { moves, .. } => moves.len(),
        }
    }

    /// The moves of the opening of a round, from 0; the game still runs after them.
    ///
    /// # Errors
    /// Random moves that outlast the game; a move of a list that is not legal.
    pub fn moves(
        &self,
        start: &SharedStart,
        seed: u64,
        round: usize,
    ) -> Result<Vec<MoveCode>, OpeningError> {
        let (file, moves) = match self {
            Self::Random { plies } => {
                return random(start, *plies, seed, round).ok_or(OpeningError::Long {
                    plies: *plies,
                    size: start.side(),
                });
            }
            Self::List { file, moves } => (file, moves),
        };
        let number = round % moves.len().max(1);
        let mut engine = Engine::new(start.clone(), Params::default());
        for (index, word) in moves.get(number).into_iter().flatten().enumerate() {
            let seat = engine.to_move();
            engine
                .play_word(seat, word)
                .map_err(|_| OpeningError::Move {
                    file: file.clone(),
                    number: number + 1,
                    word: shorten(word, 20),
                    ply: index + 1,
                })?;
        }
        match engine.is_over() {
            false => Ok(engine.moves().map(|(_, code)| code).collect()),
            true => Err(OpeningError::Over {
                file: file.clone(),
                number: number + 1,
            }),
        }
    }

    /// As reports show it: `4 random plies`, `book.txt`.
    pub fn short(&self) -> String {
        match self {
            Self::Random { plies } => format!("{plies} random plies"),
            Self::List { file, .. } => file.clone(),
        }
    }
}

/// The moves of each record as words; all begin from `start`.
fn records(bytes: &[u8], start: &SharedStart) -> Result<Vec<Vec<String>>, String> {
    let own = |side: Option<usize>| {
        let same = side.is_none_or(|side| side == start.side());
        same.then(|| start.clone())
    };
    let default = |side| start.variant().start(side, None, None).ok();
    let games = start
        .variant()
        .records()
        .read_first(bytes, usize::MAX, &|side| {
            own(side).or_else(|| default(side))
        });
    let engine = Engine::new(start.clone(), Params::default());
    let mut moves = Vec::new();
    for (number, game) in (1..).zip(games) {
        let game = game?;
        if *game.start != **start {
            return Err(format!(
                "game {number} starts from another position than the match"
            ));
        }
        let names = game.moves.iter().map(|played| engine.name(played.mv));
        moves.push(names.collect());
    }
    Ok(moves)
}

/// One line of an opening file.
pub fn line(moves: &[MoveCode], start: &SharedStart) -> String {
    let engine = Engine::new(start.clone(), Params::default());
    let names: Vec<String> = moves.iter().map(|&code| engine.name(code)).collect();
    names.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::Configuration;

    fn start(side: usize) -> SharedStart {
        let configuration = Configuration::new(Some(side), None, None).unwrap();
        configuration.start().clone()
    }

    fn read(text: &str) -> Result<Openings, OpeningError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        std::fs::write(&path, text).unwrap();
        Openings::read(path.to_str().unwrap(), &start(9))
    }

    #[test]
    fn lines_and_records_are_read_alike() {
        let lines = read("# a book\nb3 B7 b4\n\n  B3 A8 # 0.51\n").unwrap();
        let records =
            read("(;SZ[9];B[bg];W[bc];B[bf](;W[aa]))(;SZ[9]AB[bh][hb]AW[bb][hh];B[bg];W[ab])");
        let names =
            |list: &Openings, round| line(&list.moves(&start(9), 0, round).unwrap(), &start(9));
        assert_eq!(lines.count(), 2);
        assert_eq!(names(&lines, 0), "B3 B7 B4");
        assert_eq!(names(&lines, 3), "B3 A8");
        // The first variation belongs to the main line.
        assert!(
            matches!(records, Err(OpeningError::Move { ply: 4, .. })),
            "{records:?}"
        );
        let records = read("(;SZ[9];B[bg];W[bc];B[bf])(;SZ[9]AB[bh][hb]AW[bb][hh];B[bg];W[ab])");
        let records = records.unwrap();
        assert_eq!(names(&records, 0), "B3 B7 B4");
        assert_eq!(names(&records, 1), "B3 A8");
    }

    #[test]
    fn wrong_files_are_explained() {
        for (text, part) in [
            ("", "nothing in it"),
            ("# only\n", "nothing in it"),
            (
                "B3 B7\nB3 K9",
                "opening 2: `K9` is no legal move, as move 2",
            ),
            ("B3 E5", "`E5` is no legal move, as move 2"),
            ("(;SZ[9];B[", "line 1"),
            ("(;SZ[13])", "game 1 starts from another position"),
            (
                "(;SZ[9]AB[aa]AW[ii])",
                "game 1 starts from another position",
            ),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        let error = Openings::read("/nowhere/at/all", &start(9)).unwrap_err();
        assert!(error.to_string().contains("`/nowhere/at/all`"));
    }

    #[test]
    fn random_openings_repeat_and_have_an_end() {
        let random = Openings::Random { plies: 4 };
        let moves = |round| random.moves(&start(9), 7, round).unwrap();
        assert_eq!(moves(3), moves(3));
        assert_ne!(moves(3), moves(4));
        let long = Openings::Random { plies: 500 }.moves(&start(5), 1, 0);
        assert!(long.unwrap_err().to_string().contains("`500` random plies"));
    }
}
