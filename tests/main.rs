//! All integration tests, in one binary.

use tanada::board::{BoardSize, Point};
use tanada::game::Seat;
use tanada::tanbo::{Setup, Start};

use oracle::{Board, Colour};

/// Runs an expression with the position of a start, in the smallest type that
/// holds it.
macro_rules! with_position {
    ($start:expr, |$position:ident| $body:expr) => {{
        use tanada::tanbo::Position;
        let start: &tanada::tanbo::Start = $start;
        let two = start.players().iter().all(|seat| seat.index() < 2);
        match (two, start.size().side()) {
            (true, ..=9) => {
                let $position = Position::<2, 2>::new(start);
                $body
            }
            (true, ..=14) => {
                let $position = Position::<4, 2>::new(start);
                $body
            }
            (true, _) => {
                let $position = Position::<8, 2>::new(start);
                $body
            }
            (false, _) => {
                let $position = Position::<8, 4>::new(start);
                $body
            }
        }
    }};
}

mod accuracy;
mod analysis;
mod certificate;
mod cli;
mod endings;
mod figures;
mod glossary;
mod gtp;
mod links;
mod matches;
mod names;
mod network;
mod oracle;
mod perft;
mod properties;
mod records;
mod replay;
mod review;
mod rules;
mod samples;
mod search;
mod solver;
mod taratibu;
mod taratibu_exact;
mod taratibu_samples;
mod taratibu_wins;
mod tiny;
mod tune;
mod web;

/// The stones of an engine's position.
fn stones(engine: &tanada::engine::Engine) -> Setup {
    tanada::tanbo::variant::setup(engine.stones().unwrap(), engine.to_move())
}

/// A file among the test data.
fn data(path: &str) -> Vec<u8> {
    let path = format!("{}/tests/data/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// A text file among the test data.
fn text(path: &str) -> String {
    String::from_utf8(data(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The names of the text files in a folder of the test data, sorted.
fn files(folder: &str) -> Vec<String> {
    let path = format!("{}/tests/data/{folder}", env!("CARGO_MANIFEST_DIR"));
    let entries = std::fs::read_dir(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".txt"))
        .collect();
    names.sort();
    names
}

/// The same board size in the library's types.
fn size(side: i32) -> BoardSize {
    BoardSize::new(side as usize).unwrap()
}

/// The same point in the library's types.
fn point((column, row): oracle::Point, size: BoardSize) -> Point {
    size.point(column as usize, row as usize).unwrap()
}

/// The same point in the oracle's types.
fn place(point: Point, size: BoardSize) -> oracle::Point {
    (point.column(size) as i32, point.row(size) as i32)
}

/// The same colour in the library's types.
fn seat(colour: Colour) -> Seat {
    Seat::ALL[Colour::ALL.iter().position(|&c| c == colour).unwrap()]
}

/// The same stones in the library's types.
fn setup(board: &Board) -> Setup {
    let size = size(board.size);
    let mut setup = Setup::empty(size);
    setup.to_move = seat(board.to_move);
    for (&at, &colour) in &board.stones {
        setup.stones.insert(point(at, size), seat(colour));
    }
    setup
}

/// The start position that the oracle's board is.
fn start(board: &Board) -> Start {
    setup(board).check(None).unwrap()
}
