//! Game records in SGF (FF\[4\], <https://www.red-bean.com/sgf/>), read as far as
//! Tanbo needs them: the root with size, stones and side to move, and the moves of
//! the main line. All other properties are skipped, whatever `GM` and `FF` say.
//!
//! The reader is its own: it goes through a text of any shape in one pass without
//! recursion and says where it stopped.

#![cfg_attr(
    not(test),
    deny(
        clippy::panic,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing
    )
)]

mod lexer;

use thiserror::Error;

use crate::game::Seat;
use crate::grid::{BoardSize, Point};
use crate::tanbo::{Setup, colour};
use crate::vertex;
use lexer::{Lexer, Stray, Token};

/// The side of the board of a record that names none.
pub const DEFAULT_SIDE: usize = 19;

/// What a record says of a game; nothing in it is checked against the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// The board: `SZ`, 19x19 without it.
    pub size: BoardSize,
    /// The stones of `AB` and `AW` in the first node, if there are any. To move is
    /// who `PL` names, else who makes the first move, else Black.
    pub setup: Option<Setup>,
    /// Who `PL` in the first node says is to move.
    pub to_move: Option<Seat>,
    /// The moves of the main line: the first variation at each branch.
    pub moves: Vec<(Seat, Point)>,
}

/// A text that is no record of a game of Tanbo, and where it goes wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {fault}")]
pub struct SgfError {
    /// The line, from 1.
    pub line: usize,
    /// The character of the line, from 1.
    pub column: usize,
    /// What is wrong there.
    pub fault: Fault,
}

/// What can be wrong in a record.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// The text does not begin like a record.
    #[error("`{0}` begins no game record, expected `(;`")]
    Begin(String),
    /// The text ends too early.
    #[error("the record ends inside the game, expected `)`")]
    End,
    /// A character that has no meaning there.
    #[error("`{0}` is out of place, expected a property like `B[cc]`, `;`, `(` or `)`")]
    Character(char),
    /// A value without its closing bracket.
    #[error("the value `[{0}` has no end, expected `]`")]
    OpenValue(String),
    /// A name without a value, a value without a name, or either before the first node.
    #[error("`{0}` is out of place, expected properties like `B[cc]` in nodes that begin with `;`")]
    Property(String),
    /// A property that may stand only once with one value.
    #[error("`{0}` has more than one value, expected one")]
    Repeated(&'static str),
    /// `SZ` is no size of a square board.
    #[error("`SZ[{0}]` is no board, expected 4 to 21")]
    Size(String),
    /// `PL` names no colour.
    #[error("`PL[{0}]` is no side to move, expected B or W")]
    ToMove(String),
    /// A value names no point.
    #[error(
        "`{name}[{text}]` is no point of the {size}x{size} board, expected two letters from a to {last}",
        last = char::from(b'a' + (size.side() as u8 - 1))
    )]
    Point {
        /// The property.
        name: &'static str,
        /// Its value.
        text: String,
        /// The board.
        size: BoardSize,
    },
    /// A pass.
    #[error("`{name}[{text}]` is a pass, and Tanbo has none")]
    Pass {
        /// The property.
        name: &'static str,
        /// Its value.
        text: String,
    },
    /// A point that holds a stone already.
    #[error("`{name}[{text}]` puts a stone where one is")]
    Taken {
        /// The property.
        name: &'static str,
        /// Its value.
        text: String,
    },
    /// Stones added or taken off in the middle of a game.
    #[error("`{0}` changes the board after the first node, expected moves only")]
    LateSetup(&'static str),
    /// Two moves in one node.
    #[error("a node with two moves, expected one")]
    TwoMoves,
}

/// The properties that matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Property {
    Size,
    ToMove,
    Stones(Seat),
    Empty,
    Move(Seat),
}

impl Property {
    fn find(name: &str) -> Option<(Self, &'static str)> {
        [
            (Self::Size, "SZ"),
            (Self::ToMove, "PL"),
            (Self::Stones(colour::BLACK), "AB"),
            (Self::Stones(colour::WHITE), "AW"),
            (Self::Empty, "AE"),
            (Self::Move(colour::BLACK), "B"),
            (Self::Move(colour::WHITE), "W"),
        ]
        .into_iter()
        .find(|&(_, known)| known == name)
    }
}

/// A value with where it stands.
struct Value {
    at: usize,
    name: &'static str,
    text: String,
}

/// The values that matter, before the size of the board is known.
#[derive(Default)]
struct Raw {
    size: Option<Value>,
    to_move: Option<Value>,
    stones: Vec<(Seat, Value)>,
    moves: Vec<(Seat, Value)>,
    /// Nodes so far.
    nodes: usize,
    /// The node of the last move.
    last_move: usize,
}

/// An error with the byte where it is.
type Found<T> = Result<T, (usize, Fault)>;

/// Reads the first game of a text.
///
/// # Errors
/// Text of another form, a size, point or colour that does not exist, passes, and
/// stones set up after the first node; each with its line and column.
pub fn parse(text: &str) -> Result<GameRecord, SgfError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let place = |(at, fault): (usize, Fault)| {
        let before = text.get(..at).unwrap_or(text);
        let line_begin = before.rfind('\n').map_or(0, |i| i + 1);
        SgfError {
            line: before.matches('\n').count() + 1,
            column: before.get(line_begin..).unwrap_or_default().chars().count() + 1,
            fault,
        }
    };
    read(text).and_then(interpret).map_err(place)
}

/// Collects the values that matter from the main line.
fn read(text: &str) -> Found<Raw> {
    let mut lexer = Lexer::new(text);
    let mut raw = Raw::default();
    // The property whose values are being read, and whether it has one yet.
    let mut open: Option<(usize, String, bool)> = None;
    let mut begun = false;
    loop {
        let Some((at, word)) = lexer.next() else {
            let fault = if begun {
                Fault::End
            } else {
                Fault::Begin(shorten(text))
            };
            return Err((text.len(), fault));
        };
        if !begun && word != Ok(Token::Open) {
            let rest = text.get(at..).unwrap_or_default();
            return Err((at, Fault::Begin(shorten(rest))));
        }
        begun = true;
        let word = word.map_err(|stray| match stray {
            Stray::Character(c) => (at, Fault::Character(c)),
            Stray::OpenValue(value) => (at, Fault::OpenValue(shorten(&value))),
        })?;
        if let Token::Value(value) = word {
            match &mut open {
                Some((_, name, has_value)) if raw.nodes > 0 => {
                    *has_value = true;
                    if let Some((property, name)) = Property::find(name) {
                        raw.take(
                            property,
                            Value {
                                at,
                                name,
                                text: value,
                            },
                        )?;
                    }
                }
                _ => return Err((at, Fault::Property(format!("[{}]", shorten(&value))))),
            }
            continue;
        }
        if let Some((at, name, false)) = open.take() {
            return Err((at, Fault::Property(shorten(&name))));
        }
        match word {
            Token::Node => raw.nodes += 1,
            Token::Name(name) => open = Some((at, name, false)),
            Token::Open => {}
            // The main line is over; what follows are other variations and games.
            Token::Close if raw.nodes > 0 => return Ok(raw),
            Token::Close => return Err((at, Fault::Character(')'))),
            Token::Value(_) => {}
        }
    }
}

impl Raw {
    fn take(&mut self, property: Property, value: Value) -> Found<()> {
        let first = self.nodes <= 1;
        let single = match property {
            Property::Move(seat) => {
                if self.last_move == self.nodes {
                    return Err((value.at, Fault::TwoMoves));
                }
                self.last_move = self.nodes;
                self.moves.push((seat, value));
                return Ok(());
            }
            Property::Stones(_) | Property::Empty if !first => {
                return Err((value.at, Fault::LateSetup(value.name)));
            }
            Property::Stones(seat) => {
                self.stones.push((seat, value));
                return Ok(());
            }
            // Nothing lies on the board before the first node.
            Property::Empty => return Ok(()),
            // Whose turn it is follows from the moves from there on.
            Property::Size | Property::ToMove if !first => return Ok(()),
            Property::Size => &mut self.size,
            Property::ToMove => &mut self.to_move,
        };
        if single.is_some() {
            return Err((value.at, Fault::Repeated(value.name)));
        }
        *single = Some(value);
        Ok(())
    }
}

fn interpret(raw: Raw) -> Found<GameRecord> {
    let size = size(raw.size.as_ref())?;
    let to_move = raw.to_move.as_ref().map(to_move).transpose()?;
    let first_mover = raw.moves.first().map(|&(seat, _)| seat);
    let mut setup = Setup::empty(size);
    setup.to_move = to_move.or(first_mover).unwrap_or(colour::BLACK);
    for (seat, value) in &raw.stones {
        for point in points(value, size)? {
            if setup.stones.insert(point, *seat).is_some() {
                let (name, text) = (value.name, shorten(&value.text));
                return Err((value.at, Fault::Taken { name, text }));
            }
        }
    }
    let mut moves = Vec::with_capacity(raw.moves.len());
    for (seat, value) in &raw.moves {
        let text = value.text.trim();
        if text.is_empty() || (text == "tt" && size.side() <= DEFAULT_SIDE) {
            let (name, text) = (value.name, text.to_string());
            return Err((value.at, Fault::Pass { name, text }));
        }
        moves.push((
            *seat,
            point(text, size).ok_or_else(|| no_point(value, size))?,
        ));
    }
    Ok(GameRecord {
        size,
        setup: (!raw.stones.is_empty()).then_some(setup),
        to_move,
        moves,
    })
}

fn size(value: Option<&Value>) -> Found<BoardSize> {
    let (at, text) = value.map_or((0, "19"), |value| (value.at, value.text.trim()));
    let wrong = || (at, Fault::Size(shorten(text)));
    let (columns, rows) = text.split_once(':').unwrap_or((text, text));
    let number = |text: &str| text.trim().parse::<usize>().ok();
    match (number(columns), number(rows)) {
        (Some(columns), Some(rows)) if columns == rows => {
            BoardSize::new(columns).map_err(|_| wrong())
        }
        _ => Err(wrong()),
    }
}

fn to_move(value: &Value) -> Found<Seat> {
    colour::parse(value.text.trim())
        .filter(|&seat| seat == colour::BLACK || seat == colour::WHITE)
        .ok_or_else(|| (value.at, Fault::ToMove(shorten(&value.text))))
}

/// The points of a list entry: one, or a rectangle from corner to corner.
fn points(value: &Value, size: BoardSize) -> Found<Vec<Point>> {
    let wrong = || no_point(value, size);
    let text = value.text.trim();
    let (from, to) = text.split_once(':').unwrap_or((text, text));
    let (a, b) = coordinates(from).zip(coordinates(to)).ok_or_else(wrong)?;
    let mut points = Vec::new();
    for row in a.1.min(b.1)..=a.1.max(b.1) {
        for column in a.0.min(b.0)..=a.0.max(b.0) {
            points.push(vertex::from_sgf(column, row, size).ok_or_else(wrong)?);
        }
    }
    Ok(points)
}

fn point(text: &str, size: BoardSize) -> Option<Point> {
    let (column, row) = coordinates(text)?;
    vertex::from_sgf(column, row, size)
}

/// Column and row from the top, each from 0.
fn coordinates(text: &str) -> Option<(usize, usize)> {
    let letter = |byte: u8| byte.is_ascii_lowercase().then(|| usize::from(byte - b'a'));
    match *text.trim().as_bytes() {
        [column, row] => letter(column).zip(letter(row)),
        _ => None,
    }
}

fn no_point(value: &Value, size: BoardSize) -> (usize, Fault) {
    let (name, text) = (value.name, shorten(&value.text));
    (value.at, Fault::Point { name, text, size })
}

fn shorten(text: &str) -> String {
    crate::quote::shorten(text, 40)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vertices(moves: &[(Seat, Point)], size: BoardSize) -> String {
        let texts: Vec<String> = moves
            .iter()
            .map(|&(seat, p)| format!("{} {}", colour::letter(seat), vertex::name(p, size)))
            .collect();
        texts.join(" ")
    }

    #[test]
    fn a_plain_record_is_read() {
        let record = parse(
            "\u{feff} (;FF[4]GM[1]CA[UTF-8]AP[x:1]SZ[9]RU[Tanbo]C[a \\] ; ( b]\n\
             AB[bh][hb]AW[bb][hh]PL[B];B[bg]C[good];W[bc](;B[bf];W[bd])(;B[aa]))(;SZ[5])",
        )
        .unwrap();
        assert_eq!(record.size.side(), 9);
        assert_eq!(record.to_move, Some(colour::BLACK));
        let setup = record.setup.unwrap();
        assert_eq!(setup.stones.len(), 4);
        let start = crate::tanbo::Named::Classic.setup(record.size, 2).unwrap();
        assert_eq!(setup, start);
        assert_eq!(vertices(&record.moves, record.size), "B B3 W B7 B B4 W B6");
    }

    #[test]
    fn almost_everything_may_be_missing() {
        let record = parse("(;)").unwrap();
        assert_eq!((record.size.side(), record.setup), (19, None));
        assert_eq!((record.to_move, record.moves), (None, vec![]));
        for text in ["(;GM[11]SZ[9:9])", "(;GM[]FF[3]SiZe[9])", "(;GM[x]SZ[ 9 ])"] {
            assert_eq!(parse(text).unwrap().size.side(), 9, "{text}");
        }
    }

    #[test]
    fn who_is_to_move() {
        let to_move = |text| parse(text).unwrap().setup.unwrap().to_move;
        assert_eq!(to_move("(;SZ[5]AB[aa]AW[ee])"), colour::BLACK);
        assert_eq!(to_move("(;SZ[5]AB[aa]AW[ee]PL[white])"), colour::WHITE);
        assert_eq!(to_move("(;SZ[5]AB[aa]AW[ee];W[ed])"), colour::WHITE);
        assert_eq!(to_move("(;SZ[5]AB[aa]AW[ee]PL[b];W[ed])"), colour::BLACK);
    }

    #[test]
    fn lists_may_be_compressed() {
        let record = parse("(;SZ[5]AB[aa:ca][ea]AW[cc:cd][ee]AE[bb])").unwrap();
        let points: Vec<String> = record
            .setup
            .unwrap()
            .stones
            .iter()
            .map(|(&p, &seat)| format!("{}{}", vertex::name(p, record.size), colour::stone(seat)))
            .collect();
        assert_eq!(points.join(" "), "E1O C2O C3O A5X B5X C5X E5X");
    }

    #[test]
    fn faults_are_named_with_their_place() {
        for (text, part) in [
            ("", "line 1, column 1: `` begins no game record"),
            ("hello", "`hello` begins no game record, expected `(;`"),
            ("\n ;B[aa]", "line 2, column 2: `;B[aa]` begins"),
            (
                "(;SZ[9]",
                "line 1, column 8: the record ends inside the game",
            ),
            ("(;SZ[9]C[abc", "the value `[abc` has no end"),
            ("(;SZ[9]\n5)", "line 2, column 1: `5` is out of place"),
            ("(SZ[9])", "`[9]` is out of place"),
            ("(;SZ)", "`SZ` is out of place"),
            ("(;[9])", "`[9]` is out of place"),
            ("()", "`)` is out of place"),
            ("(;SZ[9][9])", "`SZ` has more than one value"),
            ("(;SZ[9]PL[B]PL[W])", "`PL` has more than one value"),
            ("(;SZ[9:13])", "`SZ[9:13]` is no board, expected 4 to 21"),
            ("(;SZ[3])", "`SZ[3]`"),
            ("(;SZ[22])", "`SZ[22]`"),
            ("(;SZ[99999999999999999999])", "`SZ[99999999999999999999]`"),
            ("(;PL[R])", "`PL[R]` is no side to move"),
            (
                "(;SZ[9];B[jj])",
                "`B[jj]` is no point of the 9x9 board, expected two letters from a to i",
            ),
            ("(;SZ[9];B[a])", "`B[a]` is no point"),
            ("(;SZ[9];B[aa:cc])", "`B[aa:cc]` is no point"),
            ("(;SZ[9]AB[aa:])", "`AB[aa:]` is no point"),
            ("(;SZ[9]AB[])", "`AB[]` is no point"),
            ("(;SZ[9];B[])", "`B[]` is a pass, and Tanbo has none"),
            ("(;SZ[19];W[tt])", "`W[tt]` is a pass"),
            ("(;SZ[9]AB[aa]AW[aa])", "`AW[aa]` puts a stone where one is"),
            (
                "(;SZ[9];AB[aa])",
                "`AB` changes the board after the first node",
            ),
            ("(;SZ[9];AE[aa])", "`AE` changes the board"),
            ("(;SZ[9];B[aa]W[bb])", "two moves"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text:?}: {error}");
        }
        assert_eq!(parse("(;SZ[21];W[tt])").unwrap().moves.len(), 1);
    }

    #[test]
    fn deep_and_long_texts_are_no_trouble() {
        let many = format!("({})", ";".repeat(500_000));
        assert!(parse(&many).is_ok());
        assert!(parse(&"(;".repeat(250_000)).is_err());
        assert!(parse(&format!("(;C[{}])", "é".repeat(250_000))).is_ok());
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[();BWAESZPL\\[\\]a-f0-9:\\\\ \n\u{e9}]{0,80}") {
            let _ = parse(&text);
            let _ = parse(&format!("(;SZ[5]{text}"));
        }
    }
}
