//! Interprets the values of a record: board, stones, moves.

use super::fault::{Located, shorten};
use super::game::{MidGameSetup, Rectangle, SgfGame};
use super::gogui::without_options;
use super::read::{Move, RawGame, Value};
use crate::board::vertex;
use crate::board::{BoardSize, Point};
use crate::game::Seat;
use crate::tanbo::{Setup, colour};
use crate::variant::{GameRecord, RecordedMove, VariationMove, append_line};

/// The record with these values.
pub(super) fn interpret(raw: RawGame) -> Located<SgfGame> {
    let size = size(raw.size.as_ref(), raw.at)?;
    let to_move = raw.to_move.as_ref().map(to_move).transpose()?;
    let setup = setup(&raw, size)?;
    let mut record = game_record(raw.info);
    record.comment = without_options(raw.comment);
    record.players = raw.players;
    let length = raw.moves.len();
    record.moves = moves(raw.moves, size, &mut record.comment)?;
    record.variations = variations(raw.variations, length, record.moves.len(), size);
    let first_mover = record.moves.first().map(|played| played.seat);
    let mut mid_game_setup = Vec::new();
    for (after, seat, value) in raw.mid_game_setup {
        mid_game_setup.extend(area(&value, size)?.map(|area| MidGameSetup {
            after,
            area,
            seat,
            at: value.at,
            name: value.name,
        }));
    }
    Ok(SgfGame {
        size,
        setup: setup.map(|mut setup| {
            setup.to_move = to_move.or(first_mover).unwrap_or(colour::BLACK);
            setup
        }),
        to_move: to_move.or(first_mover),
        record,
        mid_game_setup,
        at: raw.at,
    })
}

/// The stones that are set up before the first move, if any. A later node may replace a stone by one
/// of another colour; the same node may not.
fn setup(raw: &RawGame, size: BoardSize) -> Located<Option<Setup>> {
    // Indexed by point, because a short text can name each point very often.
    let mut stones: Vec<Option<(Seat, usize)>> = Vec::new();
    for (node, seat, value) in &raw.setup {
        let points = area(value, size)?.map(|area| area.points(size));
        for point in points.into_iter().flatten() {
            if stones.len() <= point.index() {
                stones.resize(point.index() + 1, None);
            }
            let Some(stone) = stones.get_mut(point.index()) else {
                continue;
            };
            if let (Some((before, placed)), Some(seat)) = (*stone, *seat)
                && before != seat
                && placed == *node
            {
                return Err(value.fault("puts a stone on an occupied point"));
            }
            *stone = seat.map(|seat| (seat, *node));
        }
    }
    let mut setup = Setup::empty(size);
    for (index, stone) in stones.into_iter().enumerate() {
        let point = u16::try_from(index).map(Point::from_number);
        setup.stones.extend(
            stone
                .zip(point.ok())
                .map(|((seat, _), point)| (point, seat)),
        );
    }
    Ok((!setup.stones.is_empty()).then_some(setup))
}

/// The moves without the passes at the end. Comments of those go to the last move, or to the game if
/// there is none.
fn moves(
    raw: Vec<Move>,
    size: BoardSize,
    game_comment: &mut Option<String>,
) -> Located<Vec<RecordedMove<Point>>> {
    let mut moves: Vec<RecordedMove<Point>> = Vec::with_capacity(raw.len());
    let mut pass: Option<Value> = None;
    for played in raw {
        let text = played.value.text.trim();
        if is_pass(text, size) {
            if let Some(comment) = played.comment {
                let last = moves.last_mut().map(|last| &mut last.comment);
                append_line(last.unwrap_or(&mut *game_comment), &comment);
            }
            pass.get_or_insert(played.value);
            continue;
        }
        if let Some(pass) = pass {
            return Err(pass.fault("is a pass before the last move, but Tanbo has no passes"));
        }
        moves.push(RecordedMove {
            seat: played.seat,
            mv: point(text, size).ok_or_else(|| no_point(&played.value, size))?,
            comment: played.comment,
            time_left: played.time_left.as_deref().and_then(number),
        });
    }
    Ok(moves)
}

/// The moves of the variations. The main line had `length` moves, `left` of which are not passes. A
/// pass is skipped, and a move off the board is left out with all that follow it.
fn variations(
    raw: Vec<(usize, Move)>,
    length: usize,
    left: usize,
    size: BoardSize,
) -> Vec<VariationMove<Point>> {
    let mut list = Vec::new();
    // The new numbers of the moves of the variations.
    let mut numbers: Vec<Option<usize>> = Vec::with_capacity(raw.len());
    for (follows, played) in raw {
        let follows = match follows.checked_sub(length + 1) {
            None => Some(follows.min(left)),
            Some(own) => numbers.get(own).copied().flatten(),
        };
        let text = played.value.text.trim();
        let number = follows.and_then(|follows| {
            if is_pass(text, size) {
                return Some(follows);
            }
            list.push(VariationMove {
                follows,
                played: RecordedMove {
                    seat: played.seat,
                    mv: point(text, size)?,
                    comment: played.comment,
                    time_left: played.time_left.as_deref().and_then(number),
                },
            });
            Some(left + list.len())
        });
        numbers.push(number);
    }
    list
}

/// Up to 19x19, `tt` is not a point; FF\[3\] uses it for a pass.
fn is_pass(text: &str, size: BoardSize) -> bool {
    text.is_empty() || (text == "tt" && size.side() <= 19)
}

/// The record with its game info.
fn game_record(info: Vec<(&str, String)>) -> GameRecord<(), Point> {
    let mut record = GameRecord::new(());
    for (name, line) in info {
        match name {
            "AP" => {
                if let Some(version) = line.strip_prefix("tanada:") {
                    record.version = version.to_string();
                }
            }
            "GN" => record.name = Some(line),
            "EV" => record.event = Some(line),
            "RO" => record.round = Some(line),
            "DT" => record.date = Some(line),
            "PC" => record.place = Some(line),
            "RE" => record.result = Some(line),
            "OT" => record.overtime = Some(line),
            "TM" => match number(&line) {
                Some(seconds) => record.main_time = Some(seconds),
                // Old files describe the time in words.
                None => record.overtime = record.overtime.or(Some(line)),
            },
            _ => {}
        }
    }
    record
}

fn number(text: &str) -> Option<f64> {
    let number: f64 = text.trim().replace(',', ".").parse().ok()?;
    number.is_finite().then_some(number)
}

fn size(value: Option<&Value>, begin: usize) -> Located<BoardSize> {
    let (at, text) = value.map_or((begin, "19"), |value| (value.at, value.text.trim()));
    let wrong = || {
        let text = shorten(text);
        (
            at,
            format!("invalid board size `SZ[{text}]`: expected 4 to 21"),
        )
    };
    let (columns, rows) = text.split_once(':').unwrap_or((text, text));
    let number = |text: &str| text.trim().parse::<usize>().ok();
    match (number(columns), number(rows)) {
        (Some(columns), Some(rows)) if columns == rows => {
            BoardSize::new(columns).map_err(|_| wrong())
        }
        _ => Err(wrong()),
    }
}

fn to_move(value: &Value) -> Located<Seat> {
    let (seats, colours) = match value.name {
        "PL" => ([colour::BLACK, colour::WHITE].as_slice(), "B or W"),
        _ => (Seat::ALL.as_slice(), "B, W, R or G"),
    };
    colour::parse(value.text.trim())
        .filter(|seat| seats.contains(seat))
        .ok_or_else(|| value.fault(&format!("does not name a side to move: expected {colours}")))
}

/// The points of a list entry: a point or a rectangle from corner to corner; `None` if it is empty.
fn area(value: &Value, size: BoardSize) -> Located<Option<Rectangle>> {
    let text = value.text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let (from, to) = text.split_once(':').unwrap_or((text, text));
    let corner = |text| coordinates(text).filter(|&(x, y)| vertex::from_sgf(x, y, size).is_some());
    let corners = corner(from).zip(corner(to));
    let (a, b) = corners.ok_or_else(|| no_point(value, size))?;
    Ok(Some(Rectangle {
        columns: (a.0.min(b.0), a.0.max(b.0)),
        rows: (a.1.min(b.1), a.1.max(b.1)),
    }))
}

fn point(text: &str, size: BoardSize) -> Option<Point> {
    let (column, row) = coordinates(text)?;
    vertex::from_sgf(column, row, size)
}

/// The column, and the row from the top, both from 0.
fn coordinates(text: &str) -> Option<(usize, usize)> {
    let letter = |byte: u8| byte.is_ascii_lowercase().then(|| usize::from(byte - b'a'));
    match *text.trim().as_bytes() {
        [column, row] => letter(column).zip(letter(row)),
        _ => None,
    }
}

fn no_point(value: &Value, size: BoardSize) -> (usize, String) {
    let last = char::from(b'a' + (size.side() as u8 - 1));
    value.fault(&format!(
        "is not a point of the {size}x{size} board: expected two letters from a to {last}"
    ))
}
