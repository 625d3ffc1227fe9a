//! The game of a query: its start and its moves.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde_json::Value;

use super::fields::{Fields, Remark, quoted};
use super::names;
use crate::board::BoardSize;
use crate::board::vertex;
use crate::engine::{Engine, Event};
use crate::game::Seat;
use crate::games;
use crate::params::Params;
use crate::util::quote::{either, shorten};
use crate::variant::{MoveCode, SharedStart, Variant};

pub(super) struct QueryGame {
    pub(super) start: SharedStart,
    /// The moves, and the players who left.
    pub(super) events: Vec<(Seat, Event)>,
    /// The number of events before each turn number: an entry for each entry of `moves`, and one for
    /// the end.
    pub(super) turns: Vec<usize>,
}

/// The form of a list of stones or moves.
const PAIRS: &str =
    "Must be an array of pairs of the form: [\"b\" or \"w\" or \"r\" or \"g\", GTP board vertex]";

/// The longest start position, in bytes. In SGF a rectangle of a few bytes stands for many points.
const MAX_POSITION: usize = 1 << 16;

/// Board sizes of any game.
const SIZES: RangeInclusive<usize> = BoardSize::MIN..=BoardSize::MAX;

impl QueryGame {
    /// Reads the fields of the game and plays its moves.
    ///
    /// # Errors
    /// A field is wrong, or a move cannot be played.
    pub(super) fn read(fields: &mut Fields) -> Result<Self, Remark> {
        let game = match fields.text("game")? {
            None => games::default(),
            Some(name) => games::find(&name).ok_or_else(|| {
                let (name, expected) = (shorten(&name, 60), games::names().join(" or "));
                let text = format!("Unknown game `{name}`: expected {expected}");
                Remark::new("game", text)
            })?,
        };
        let moves = fields.take("moves").ok_or_else(|| {
            // A line with a misspelt `action` is taken for a query.
            let hint = names::hint_at(&["moves", "action"], fields);
            let text = format!("Must specify an array of [player,location] pairs{hint}");
            Remark::new("moves", text)
        })?;
        let moves = pairs("moves", &moves, game)?;
        let start = start(fields, game, moves.first().map(|&(seat, _)| seat))?;
        play(start, &moves)
    }

    /// The approximate size of the moves, in bytes.
    pub(super) fn cost(&self) -> usize {
        self.events.capacity() * size_of::<(Seat, Event)>()
            + self.turns.capacity() * size_of::<usize>()
    }

    pub(super) fn engine(&self, turn: usize, params: Params) -> Engine {
        let mut engine = Engine::new(self.start.clone(), params);
        let count = self.turns.get(turn).copied().unwrap_or_default();
        for &(seat, event) in self.events.iter().take(count) {
            // The events were played once already, so they are legal.
            let _ = match event {
                Event::Move(code) => engine.play(code),
                Event::Leave => engine.leave(seat),
            };
        }
        engine
    }
}

/// The player with a colour in the field `name`.
pub(super) fn player(name: &str, colour: &str, game: &dyn Variant) -> Result<Seat, Remark> {
    game.seat(colour).ok_or_else(|| {
        let (colour, expected) = (shorten(colour, 60), either(game.colours()));
        let text = format!("Could not parse player: invalid color `{colour}`: expected {expected}");
        Remark::new(name, text)
    })
}

/// Reads a list of pairs of a colour and a word.
fn pairs(name: &str, list: &Value, game: &dyn Variant) -> Result<Vec<(Seat, String)>, Remark> {
    let wrong = |value: &Value| Remark::new(name, format!("{PAIRS}, not `{}`", quoted(value)));
    let pair = |entry: &Value| {
        let parts = entry.as_array().map(Vec::as_slice);
        let Some([Value::String(colour), Value::String(word)]) = parts else {
            return Err(wrong(entry));
        };
        Ok((player(name, colour, game)?, word.clone()))
    };
    let list = list.as_array().ok_or_else(|| wrong(list))?;
    list.iter().map(pair).collect()
}

/// Reads the start position; `first` is the player of the first move.
fn start(
    fields: &mut Fields,
    game: &'static dyn Variant,
    first: Option<Seat>,
) -> Result<SharedStart, Remark> {
    let setup = fields.text("setup")?;
    let position = fields.text("position")?;
    if let Some(text) = position.as_ref().filter(|text| text.len() > MAX_POSITION) {
        let start = shorten(text, 40);
        let text = format!("`{start}` is too long: expected at most {MAX_POSITION} bytes");
        return Err(Remark::new("position", text));
    }
    let stones = fields.take("initialStones");
    let stones = stones.map(|list| pairs("initialStones", &list, game));
    // As in KataGo, an empty list counts as missing.
    let stones = stones.transpose()?.filter(|stones| !stones.is_empty());
    let sources = [
        ("setup", setup.is_some()),
        ("position", position.is_some()),
        ("initialStones", stones.is_some()),
    ];
    let mut given = sources.iter().filter(|source| source.1);
    if let (Some((one, _)), Some((other, _))) = (given.next(), given.next()) {
        let text = format!("Cannot specify both {one} and {other}");
        return Err(Remark::new(other, text));
    }
    let is_needed = position.is_none() && game.name() == games::default().name();
    let side = side(fields, is_needed)?;
    let players = fields.integer("players", 2..=4, "Must be an integer from 2 to 4")?;
    let to_move = match fields.text("initialPlayer")? {
        None => None,
        Some(colour) => Some(game.seat(&colour).ok_or_else(|| {
            let (colour, expected) = (shorten(&colour, 60), game.colours().join(" or "));
            let text = format!("Must be {expected}, not `{colour}`");
            Remark::new("initialPlayer", text)
        })?),
    };
    if let Some(stones) = stones {
        return from_stones(&stones, side, game, to_move.or(first), players);
    }
    let (field, start) = match (&position, &setup) {
        (Some(text), _) => ("position", game.read(&text.replace('/', "\n"), players)),
        (None, Some(_)) => ("setup", game.start(side, setup.as_deref(), players)),
        (None, None) => ("boardXSize", game.start(side, None, players)),
    };
    let start = start.map_err(|error| Remark::new(field, error.to_string()))?;
    if let Some(side) = side
        && side != start.side()
    {
        let found = start.side();
        let text =
            format!("The position has a {found}x{found} board: expected {found}, not `{side}`");
        return Err(Remark::new("boardXSize", text));
    }
    with_mover(start, to_move, first)
}

/// Reads the sizes of the board, which must be equal.
fn side(fields: &mut Fields, is_needed: bool) -> Result<Option<usize>, Remark> {
    let (least, most) = (SIZES.start(), SIZES.end());
    let expected = format!("Must provide an integer from {least} to {most}");
    let mut sides = [None, None];
    for (name, side) in ["boardXSize", "boardYSize"].into_iter().zip(&mut sides) {
        *side = fields.integer(name, SIZES, &expected)?;
        if side.is_none() && is_needed {
            let hint = names::hint_at(&[name], fields);
            return Err(Remark::new(name, expected + &hint));
        }
    }
    match sides {
        [Some(x), Some(y)] if x != y => {
            let text = format!("Must equal boardXSize, {x}, not `{y}`: boards are square");
            Err(Remark::new("boardYSize", text))
        }
        [x, y] => Ok(x.or(y)),
    }
}

fn from_stones(
    stones: &[(Seat, String)],
    side: Option<usize>,
    game: &dyn Variant,
    to_move: Option<Seat>,
    players: Option<usize>,
) -> Result<SharedStart, Remark> {
    let wrong = |text: String| Remark::new("initialStones", text);
    let size = side.and_then(|side| BoardSize::new(side).ok());
    let (Some(size), Some(setup)) = (size, game.stone_setup()) else {
        let text = format!("{} has no stones: use `position`", game.title());
        return Err(wrong(text));
    };
    let mut by_point = BTreeMap::new();
    for (seat, word) in stones {
        let word = vertex_of(word, Some(size));
        let point = vertex::parse(&word, size)
            .map_err(|error| wrong(format!("Could not parse board location: {error}")))?;
        if by_point.insert(point, *seat).is_some() {
            return Err(wrong(format!("Duplicate point `{word}`")));
        }
    }
    // The first player with stones begins.
    let first = by_point.values().min().copied();
    let to_move = to_move.or(first).unwrap_or(Seat::ALL[0]);
    let start = setup.start(size, by_point, to_move, players);
    start.map_err(|error| wrong(error.to_string()))
}

/// Sets the side to move to `wanted`, or else to the player of the first move, if the game allows it.
fn with_mover(
    start: SharedStart,
    wanted: Option<Seat>,
    first: Option<Seat>,
) -> Result<SharedStart, Remark> {
    let Some(seat) = wanted.or(first).filter(|&seat| seat != start.to_move()) else {
        return Ok(start);
    };
    let game = start.variant();
    match (start.with_to_move(seat), wanted) {
        (Some(changed), _) => Ok(changed),
        // The first move will be reported as illegal.
        (None, None) => Ok(start),
        (None, Some(_)) => {
            let (seat, mover) = (game.colour(seat), game.colour(start.to_move()));
            let text = format!("Must be {mover}, the side to move in the position, not `{seat}`");
            Err(Remark::new("initialPlayer", text))
        }
    }
}

/// A vertex by its name. KataGo also writes `(X,Y)`, counted from 0 and from the upper left.
pub(super) fn vertex_of(word: &str, size: Option<BoardSize>) -> String {
    let named = || {
        let (x, y) = word.strip_prefix('(')?.strip_suffix(')')?.split_once(',')?;
        let point = vertex::from_sgf(x.trim().parse().ok()?, y.trim().parse().ok()?, size?)?;
        Some(vertex::name(point, size?))
    };
    named().unwrap_or_else(|| shorten(word, 60))
}

/// The moves that a word stands for in the engine's position.
pub(super) fn codes(engine: &Engine, word: &str) -> Result<Vec<MoveCode>, String> {
    let size = engine.stones().map(|stones| stones.size());
    engine.notation().read_moves(&vertex_of(word, size))
}

fn play(start: SharedStart, moves: &[(Seat, String)]) -> Result<QueryGame, Remark> {
    let params = Params {
        threads: 1,
        ..Params::default()
    };
    let mut engine = Engine::new(start.clone(), params);
    let mut turns = vec![0];
    for (number, (seat, word)) in moves.iter().enumerate() {
        play_one(&mut engine, number, *seat, word).map_err(|text| Remark::new("moves", text))?;
        turns.push(engine.events().len());
    }
    Ok(QueryGame {
        start,
        events: engine.events().to_vec(),
        turns,
    })
}

fn play_one(engine: &mut Engine, number: usize, seat: Seat, word: &str) -> Result<(), String> {
    let game = engine.variant();
    let shown = format!("`{} {}`", game.letter(seat), shorten(word, 60));
    let illegal = |why: &str| format!("Illegal move {number}: {shown}{why}");
    if engine.is_over() {
        return Err(illegal(" comes after the end of the game"));
    }
    if word.eq_ignore_ascii_case("resign") {
        let left = engine.leave(seat);
        return left.map_err(|_| illegal(", but this player is not in the game"));
    }
    if word.eq_ignore_ascii_case("pass") {
        return Err(illegal(&format!(", but {} has no pass", game.title())));
    }
    let codes = codes(engine, word);
    let codes = codes.map_err(|text| format!("Could not parse board location: {text}"))?;
    if seat != engine.to_move() {
        let mover = game.colour(engine.to_move());
        return Err(illegal(&format!(", but it is the turn of {mover}")));
    }
    let expected = engine.notation().expected_move();
    let played = engine.play_turn(seat, &codes).map(|_| ());
    played.map_err(|_| illegal(&format!(": expected {expected}")))
}
