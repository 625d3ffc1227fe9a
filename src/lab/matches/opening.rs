//! Openings: random moves by seed, or a list from a file.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::engine::Engine;
use crate::params::Params;
use crate::start::{ReadError, read_bytes};
use crate::util::quote::shorten;
use crate::util::random::Random;
use crate::variant::{MoveCode, SharedStart};

/// The number of openings that are checked before a run: all would take too long.
pub(crate) const CHECKED: usize = 1000;

/// The openings of a match. Those of a file are stored with the match, which does not notice later
/// changes of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Openings {
    /// Random legal moves, different in each round.
    Random { plies: usize },
    /// One opening of a list each round, cyclically.
    List {
        /// The file they were read from, for reports.
        file: String,
        /// The moves of each opening as vertices.
        moves: Vec<Vec<String>>,
    },
}

/// Why a file holds no openings, or there is no opening of the requested length.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpeningError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("openings `{file}`: {problem}")]
    File { file: String, problem: String },
    #[error("`{plies}` random plies end the game on {size}x{size}: expected fewer")]
    Long { plies: usize, size: usize },
}

/// The random opening with this number: `plies` legal moves that do not end the game.
///
/// # Errors
/// [`OpeningError::Long`] if a hundred tries find none.
pub(crate) fn random(
    start: &SharedStart,
    plies: usize,
    seed: u64,
    number: usize,
) -> Result<Vec<MoveCode>, OpeningError> {
    let mut random = Random::part(seed, number as u64);
    let mut engine = Engine::new(start.clone(), Params::default());
    for _ in 0..100 {
        let mut moves = Vec::new();
        while moves.len() < plies && !engine.is_over() {
            let legal = engine.legal();
            let code = legal[random.below(legal.len() as u32) as usize];
            let _ = engine.play(code);
            moves.push(code);
        }
        if !engine.is_over() {
            return Ok(moves);
        }
        while engine.undo() {}
    }
    Err(OpeningError::Long {
        plies,
        size: start.side(),
    })
}

impl Openings {
    /// Reads a file: the main line of every game if it holds game records, such as SGF; otherwise
    /// one line of moves an opening, where `#` begins a comment.
    pub(crate) fn read(path: &str, start: &SharedStart) -> Result<Self, OpeningError> {
        Self::parse(read_bytes(path)?, shorten(path, 60), start)
    }

    /// Reads the bytes of a file.
    pub(crate) fn parse(
        bytes: Vec<u8>,
        file: String,
        start: &SharedStart,
    ) -> Result<Self, OpeningError> {
        let records = start.variant().records();
        let moves = if records.is_record(&bytes) {
            read_records(&bytes, start).map_err(|problem| in_file(&file, problem))?
        } else {
            let text = records.decode(bytes).map_err(|reason| ReadError {
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
            let problem =
                "the file is empty: expected game records, or one line of moves per opening";
            return Err(in_file(&file, problem));
        }
        let list = Self::List { file, moves };
        for number in 0..list.count() {
            list.moves(start, 0, number)?;
        }
        Ok(list)
    }

    /// The number of openings in the list; 0 for random ones.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Random { .. } => 0,
            Self::List { moves, .. } => moves.len(),
        }
    }

    /// The opening of a round, counted from 0. It does not end the game.
    pub(crate) fn moves(
        &self,
        start: &SharedStart,
        seed: u64,
        round: usize,
    ) -> Result<Vec<MoveCode>, OpeningError> {
        let (file, moves) = match self {
            Self::Random { plies } => return random(start, *plies, seed, round),
            Self::List { file, moves } => (file, moves),
        };
        let number = round % moves.len().max(1);
        let mut engine = Engine::new(start.clone(), Params::default());
        let wrong = |problem: String| in_file(file, format!("opening {}{problem}", number + 1));
        for (ply, word) in (1..).zip(moves.get(number).into_iter().flatten()) {
            let seat = engine.to_move();
            let played = engine.play_word(seat, word);
            played.map_err(|error| wrong(format!(", move {ply}: {error}")))?;
        }
        if engine.is_over() {
            return Err(wrong(" ends the game".to_string()));
        }
        Ok(engine.moves().map(|(_, code)| code).collect())
    }

    /// As reports show it: `4 random plies`, `book.txt`.
    pub(crate) fn short(&self) -> String {
        match self {
            Self::Random { plies } => format!("{plies} random plies"),
            Self::List { file, .. } => file.clone(),
        }
    }
}

fn in_file(file: &str, problem: impl Into<String>) -> OpeningError {
    OpeningError::File {
        file: file.to_string(),
        problem: problem.into(),
    }
}

/// The moves of each record as words. All records begin from `start`.
fn read_records(bytes: &[u8], start: &SharedStart) -> Result<Vec<Vec<String>>, String> {
    let own = |side: Option<usize>| {
        let same = side.is_none_or(|side| side == start.side());
        same.then(|| start.clone())
    };
    let default = |side| start.variant().start(side, None, None).ok();
    let any = |side| own(side).or_else(|| default(side));
    let records = start.variant().records();
    let games = records.read_first(bytes, usize::MAX, &any);
    let engine = Engine::new(start.clone(), Params::default());
    let mut moves = Vec::new();
    for (number, game) in (1..).zip(games) {
        let game = game?;
        if *game.start != **start {
            return Err(format!(
                "game {number} does not start from the match's start position"
            ));
        }
        let names = game.moves.iter().map(|played| engine.name(played.mv));
        moves.push(names.collect());
    }
    Ok(moves)
}

/// One line of an opening file.
pub(crate) fn line(moves: &[MoveCode], start: &SharedStart) -> String {
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
    fn lines_and_records_are_read() {
        let lines = read("# a book\nb3 B7 b4\n\n  B3 A8 # 0.51\n").unwrap();
        let records =
            read("(;SZ[9];B[bg];W[bc];B[bf](;W[aa]))(;SZ[9]AB[bh][hb]AW[bb][hh];B[bg];W[ab])");
        let names =
            |list: &Openings, round| line(&list.moves(&start(9), 0, round).unwrap(), &start(9));
        assert_eq!(lines.count(), 2);
        assert_eq!(names(&lines, 0), "B3 B7 B4");
        assert_eq!(names(&lines, 3), "B3 A8");
        // The first variation belongs to the main line.
        assert!(matches!(records, Err(OpeningError::File { .. })));
        let records = read("(;SZ[9];B[bg];W[bc];B[bf])(;SZ[9]AB[bh][hb]AW[bb][hh];B[bg];W[ab])");
        let records = records.unwrap();
        assert_eq!(names(&records, 0), "B3 B7 B4");
        assert_eq!(names(&records, 1), "B3 A8");
    }

    #[test]
    fn wrong_files_are_explained() {
        for (text, part) in [
            ("", "the file is empty"),
            ("# only\n", "the file is empty"),
            (
                "B3 B7\nB3 K9",
                "opening 2, move 2: invalid point `K9`: expected A1 to J9",
            ),
            (
                "B3 E5",
                "opening 1, move 2: illegal move `E5`: expected an empty point",
            ),
            ("(;SZ[9];B[", "line 1"),
            (
                "(;SZ[13])",
                "game 1 does not start from the match's start position",
            ),
            (
                "(;SZ[9]AB[aa]AW[ii])",
                "game 1 does not start from the match's start position",
            ),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        let error = Openings::read("/nowhere/at/all", &start(9)).unwrap_err();
        assert!(error.to_string().contains("`/nowhere/at/all`"));
    }

    #[test]
    fn random_openings_repeat_and_are_limited() {
        let random = Openings::Random { plies: 4 };
        let moves = |round| random.moves(&start(9), 7, round).unwrap();
        assert_eq!(moves(3), moves(3));
        assert_ne!(moves(3), moves(4));
        let long = Openings::Random { plies: 500 }.moves(&start(5), 1, 0);
        assert!(long.unwrap_err().to_string().contains("`500` random plies"));
    }
}
