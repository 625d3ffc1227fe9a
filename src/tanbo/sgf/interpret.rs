//! From the values of a record to its board, stones and moves.

use super::fault::{Fault, Found, shorten};
use super::read::{Raw, Value};
use super::{DEFAULT_SIDE, GameRecord};
use crate::game::Seat;
use crate::grid::{BoardSize, Point};
use crate::tanbo::{Setup, colour};
use crate::vertex;

/// The record that the values make.
pub(super) fn interpret(raw: Raw) -> Found<GameRecord> {
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
    let (seats, colours) = match value.name {
        "PL" => ([colour::BLACK, colour::WHITE].as_slice(), "B or W"),
        _ => (Seat::ALL.as_slice(), "B, W, R or G"),
    };
    colour::parse(value.text.trim())
        .filter(|seat| seats.contains(seat))
        .ok_or_else(|| {
            let (name, text) = (value.name, shorten(&value.text));
            let fault = Fault::ToMove {
                name,
                text,
                colours,
            };
            (value.at, fault)
        })
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
