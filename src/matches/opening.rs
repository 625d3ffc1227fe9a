//! Openings: random moves by seed, or a list from a file.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::engine::Engine;
use crate::grid::{BoardSize, Point};
use crate::params::Params;
use crate::quote::shorten;
use crate::random::Random;
use crate::sgf::{self, SgfError};
use crate::start::{ReadError, read_text};
use crate::tanbo::diagram;
use crate::tanbo::setup::Start;
use crate::vertex;

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
    /// The file begins like SGF and is none.
    #[error("openings `{file}`: {error}")]
    Sgf {
        /// The file.
        file: String,
        /// What is wrong in it.
        error: SgfError,
    },
    /// A game of another board or start position.
    #[error("openings `{file}`: game {game} starts from another position than the match")]
    Start {
        /// The file.
        file: String,
        /// Which game of it, from 1.
        game: usize,
    },
    /// A word that is no vertex, or no legal move.
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
    #[error("openings `{0}`: nothing in it, expected SGF or one line of moves each")]
    Empty(String),
    /// Random openings of that length end the game.
    #[error("`{plies}` random plies outlast the game on {size}x{size}, expected fewer")]
    Long {
        /// The number of plies.
        plies: usize,
        /// The board.
        size: BoardSize,
    },
}

/// The random opening with this number: `plies` legal moves after which the game still runs;
/// `None` if a hundred tries find none.
pub fn random(start: &Start, plies: usize, seed: u64, number: usize) -> Option<Vec<Point>> {
    let mut random = Random::part(seed, number as u64);
    let mut engine = Engine::new(start.clone(), Params::default());
    for _ in 0..100 {
        let mut moves = Vec::new();
        while moves.len() < plies && engine.winner().is_none() {
            let legal = engine.legal(engine.to_move());
            let point = legal[random.below(legal.len() as u32) as usize];
            // A legal point cannot be refused.
            let _ = engine.play(point);
            moves.push(point);
        }
        if engine.winner().is_none() {
            return Some(moves);
        }
        while engine.undo() {}
    }
    None
}

impl Openings {
    /// Reads a file: SGF if its text begins with `(`, the main line of each game; else one line
    /// of vertices an opening, where `#` begins a comment.
    ///
    /// # Errors
    /// Every kind of [`OpeningError`] but the last.
    pub fn read(path: &str, start: &Start) -> Result<Self, OpeningError> {
        let text = read_text(path)?;
        let file = shorten(path, 60);
        let size = start.size();
        let is_sgf = text
            .trim_start_matches('\u{feff}')
            .trim_start()
            .starts_with('(');
        let moves: Vec<Vec<String>> = if is_sgf {
            let games = sgf::parse_all(&text).map_err(|error| OpeningError::Sgf {
                file: file.clone(),
                error,
            })?;
            let mut moves = Vec::new();
            for (number, game) in games.into_iter().enumerate() {
                let same = game
                    .setup
                    .as_ref()
                    .is_none_or(|setup| diagram::write(setup) == diagram::write(start.setup()));
                if game.size != size || !same {
                    let game = number + 1;
                    return Err(OpeningError::Start { file, game });
                }
                let names = game.moves.iter().map(|&(_, p)| vertex::name(p, size));
                moves.push(names.collect());
            }
            moves
        } else {
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
        start: &Start,
        seed: u64,
        round: usize,
    ) -> Result<Vec<Point>, OpeningError> {
        let (file, moves) = match self {
            Self::Random { plies } => {
                return random(start, *plies, seed, round).ok_or(OpeningError::Long {
                    plies: *plies,
                    size: start.size(),
                });
            }
            Self::List { file, moves } => (file, moves),
        };
        let number = round % moves.len().max(1);
        let mut engine = Engine::new(start.clone(), Params::default());
        let mut points = Vec::new();
        for word in moves.get(number).into_iter().flatten() {
            let point = vertex::parse(word, start.size()).ok();
            let played = point.filter(|&point| engine.play(point).is_ok());
            points.push(played.ok_or_else(|| OpeningError::Move {
                file: file.clone(),
                number: number + 1,
                word: shorten(word, 20),
                ply: points.len() + 1,
            })?);
        }
        match engine.winner() {
            None => Ok(points),
            Some(_) => Err(OpeningError::Over {
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

/// One line of an opening file.
pub fn line(moves: &[Point], size: BoardSize) -> String {
    let names: Vec<String> = moves.iter().map(|&p| vertex::name(p, size)).collect();
    names.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::Configuration;

    fn start(side: usize) -> Start {
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
        let names = |list: &Openings, round| {
            line(&list.moves(&start(9), 0, round).unwrap(), start(9).size())
        };
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
