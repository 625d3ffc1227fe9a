//! From the values of a record to its board, stones and moves.

use super::fault::{Fault, Found, shorten};
use super::gogui::without_options;
use super::property::About;
use super::read::{Move, Raw, Value, append};
use super::{Area, DEFAULT_SIDE, Late, SgfGame};
use crate::board::vertex;
use crate::board::{BoardSize, Point};
use crate::game::Seat;
use crate::tanbo::{Setup, colour};
use crate::variant::{GameRecord, RecordedMove};

/// The record that the values make.
pub(super) fn interpret(raw: Raw) -> Found<SgfGame> {
    let size = size(raw.size.as_ref(), raw.at)?;
    let to_move = raw.to_move.as_ref().map(to_move).transpose()?;
    let setup = setup(&raw, size)?;
    let mut record = game_record(raw.about);
    record.comment = without_options(raw.comment);
    record.players = raw.players;
    record.moves = moves(raw.moves, size, &mut record.comment)?;
    let first_mover = record.moves.first().map(|played| played.seat);
    let mut late = Vec::new();
    for (after, seat, value) in raw.late {
        late.extend(area(&value, size)?.map(|area| Late {
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
        late,
        at: raw.at,
    })
}

/// The stones that are set up before the first move; none if there are none. A later node may
/// put another stone where one is, the same one may not.
fn setup(raw: &Raw, size: BoardSize) -> Found<Option<Setup>> {
    // By point: a short text can name each point very often.
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
                let (name, text) = (value.name, shorten(&value.text));
                return Err((value.at, Fault::Taken { name, text }));
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

/// The moves without the passes at the end, whose comments go to the last move, or else to the
/// game.
fn moves(
    raw: Vec<Move>,
    size: BoardSize,
    about_game: &mut Option<String>,
) -> Found<Vec<RecordedMove<Point>>> {
    let mut moves: Vec<RecordedMove<Point>> = Vec::with_capacity(raw.len());
    let mut pass: Option<Value> = None;
    for played in raw {
        let Move {
            seat,
            value,
            comment,
            time_left,
        } = played;
        let text = value.text.trim();
        if text.is_empty() || (text == "tt" && size.side() <= DEFAULT_SIDE) {
            if let Some(comment) = comment {
                let last = moves.last_mut();
                append(last.map_or(&mut *about_game, |m| &mut m.comment), comment);
            }
            pass.get_or_insert(value);
            continue;
        }
        if let Some(Value { at, name, text }) = pass {
            return Err((at, Fault::Pass { name, text }));
        }
        moves.push(RecordedMove {
            seat,
            mv: point(text, size).ok_or_else(|| no_point(&value, size))?,
            comment,
            time_left: time_left.as_deref().and_then(number),
        });
    }
    Ok(moves)
}

/// What the record says of the game.
fn game_record(about: Vec<(About, String)>) -> GameRecord<(), Point> {
    let mut record = GameRecord::new(());
    for (about, line) in about {
        match about {
            About::Application => {
                if let Some(version) = line.strip_prefix("tanada:") {
                    record.version = version.to_string();
                }
            }
            About::Name => record.name = Some(line),
            About::Event => record.event = Some(line),
            About::Round => record.round = Some(line),
            About::Date => record.date = Some(line),
            About::Place => record.place = Some(line),
            About::Result => record.result = Some(line),
            About::Overtime => record.overtime = Some(line),
            About::MainTime => match number(&line) {
                Some(seconds) => record.main_time = Some(seconds),
                // Old files say it in words.
                None => record.overtime = record.overtime.or(Some(line)),
            },
        }
    }
    record
}

fn number(text: &str) -> Option<f64> {
    let number: f64 = text.trim().replace(',', ".").parse().ok()?;
    number.is_finite().then_some(number)
}

fn size(value: Option<&Value>, begin: usize) -> Found<BoardSize> {
    let (at, text) = value.map_or((begin, "19"), |value| (value.at, value.text.trim()));
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

/// The points of a list entry: one, a rectangle from corner to corner, or none in an empty list.
fn area(value: &Value, size: BoardSize) -> Found<Option<Area>> {
    let text = value.text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let (from, to) = text.split_once(':').unwrap_or((text, text));
    let corner = |text| coordinates(text).filter(|&(x, y)| vertex::from_sgf(x, y, size).is_some());
    let corners = corner(from).zip(corner(to));
    let (a, b) = corners.ok_or_else(|| no_point(value, size))?;
    Ok(Some(Area {
        columns: (a.0.min(b.0), a.0.max(b.0)),
        rows: (a.1.min(b.1), a.1.max(b.1)),
    }))
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
