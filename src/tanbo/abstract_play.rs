//! Game records of the server Abstract Play: JSON, with moves in rounds.
//!
//! Three forms are read: a finished game as the server publishes it (`header` and `moves`), a list
//! of such games, and the plain list of rounds. The columns of its points have all letters, I
//! included: `i9` is `J9` elsewhere.

#![cfg_attr(not(test), deny(clippy::indexing_slicing))]

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::colour;
use super::setup::{NamedSetup, Start};
use super::with_position;
use crate::board::{BoardSize, Point};
use crate::game::{Game, Seat};
use crate::tanbo::Position;
use crate::util::quote::shorten;
use crate::variant::{GameRecord, MoveCode, RecordedMove, SharedStart};

/// The boards of the server; each has the setup `dense`. The first is its default.
pub(crate) const SIDES: [usize; 4] = [7, 11, 15, 19];
/// The name of the game there.
const NAME: &str = "tanbo";
/// The variant that names the default board, and the beginning of those that name another.
const DEFAULT: &str = "#board";
const SIZE: &str = "size-";

/// How a game can end before its end, as an entry after its last move.
const ENDS: [&str; 4] = ["resign", "timeout", "draw", "abandoned"];

/// A finished game. Other fields are skipped.
#[derive(Deserialize)]
struct Published {
    #[serde(default)]
    header: Header,
    moves: Vec<Vec<Value>>,
}

#[derive(Default, Deserialize)]
struct Header {
    game: Option<Named>,
    event: Option<Value>,
    round: Option<Value>,
    #[serde(default)]
    players: Vec<Player>,
    #[serde(rename = "date-end")]
    date: Option<String>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
    #[serde(default)]
    variants: Vec<String>,
}

#[derive(Deserialize)]
struct Player {
    name: Option<String>,
    result: Option<f64>,
}

/// The games of a text, each of which may have a fault; `None` if it has none of the forms.
pub(super) fn games(text: &str) -> Option<impl Iterator<Item = Result<GameRecord, String>>> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let games = match serde_json::from_str(text).ok()? {
        Value::Array(list) if list.iter().all(Value::is_array) && !list.is_empty() => {
            vec![serde_json::json!({ "moves": list })]
        }
        Value::Array(list) => list,
        object => vec![object],
    };
    let is_game = |game: &Value| game.get("moves").is_some_and(Value::is_array);
    (!games.is_empty() && games.iter().all(is_game)).then(|| games.into_iter().map(published))
}

/// The board of a game on the server. Unlike in a record, a variant that is not known
/// is an error: the game might have other rules.
pub(crate) fn board(name: &str, variants: &[String]) -> Result<BoardSize, String> {
    if name != NAME {
        let name = shorten(name, 60);
        return Err(format!("the game is `{name}`: expected `{NAME}`"));
    }
    let is_size = |variant: &&String| variant.starts_with(SIZE);
    let other = |variant: &&String| !is_size(variant) && *variant != DEFAULT;
    if let Some(other) = variants.iter().find(other) {
        let other = shorten(other, 60);
        return Err(format!(
            "invalid variant `{other}`: expected `{DEFAULT}` or a size"
        ));
    }
    if variants.iter().filter(is_size).count() > 1 {
        let all = shorten(&variants.join(", "), 60);
        return Err(format!(
            "two sizes among the variants `{all}`: expected one"
        ));
    }
    size(variants)
}

/// A game on the server, with its moves in rounds. Whether they are legal is not checked.
pub(crate) fn game(size: BoardSize, rounds: &[Vec<Value>]) -> Result<GameRecord, String> {
    let start = start(size)?;
    let mut record = GameRecord::new(start.clone() as SharedStart);
    record.moves = moves(&words(rounds)?, &start)?;
    Ok(record)
}

/// A move as the server writes it.
pub(crate) fn word(mv: MoveCode, size: BoardSize) -> String {
    let point = MoveCode::point(mv);
    let column = char::from(b'a'.saturating_add(point.column(size) as u8));
    format!("{column}{}", point.row(size) + 1)
}

fn published(json: Value) -> Result<GameRecord, String> {
    let game: Published =
        serde_json::from_value(json).map_err(|fault| format!("invalid game: {fault}"))?;
    let mut words = words(&game.moves)?;
    // The last entry may say how a game ended that was not played to its end.
    let end = words.pop_if(|word| ENDS.contains(&&**word));
    let named = game.header.game.as_ref();
    if let Some(other) = named.filter(|game| !game.name.eq_ignore_ascii_case(NAME)) {
        let other = shorten(&other.name, 60);
        return Err(format!("the game is `{other}`: expected Tanbo"));
    }
    let start = match named {
        Some(named) => match named_size(&named.variants)? {
            Some(size) => start(size)?,
            None => smallest(&words)?,
        },
        None => smallest(&words)?,
    };
    let mut record = GameRecord::new(start.clone() as SharedStart);
    record.moves = moves(&words, &start)?;
    record.event = game.header.event.as_ref().and_then(plain);
    record.round = game.header.round.as_ref().and_then(plain);
    record.date = game.header.date;
    record.place = Some("Abstract Play".to_string());
    let has_won = |player: &Player| player.result.is_some_and(|result| result > 0.0);
    let is_shared = game
        .header
        .players
        .iter()
        .filter(|player| has_won(player))
        .count()
        > 1;
    for (seat, player) in Seat::ALL.into_iter().zip(game.header.players) {
        if has_won(&player) && !is_shared {
            let how = match end.as_deref() {
                Some("resign") => "R",
                Some("timeout") => "T",
                _ => "",
            };
            record.result = Some(format!("{}+{how}", colour::letter(seat)));
        }
        record.players[seat] = player.name;
    }
    Ok(record)
}

/// A text or a number as text.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The moves of all rounds, each a text or an object with `move`.
fn words(rounds: &[Vec<Value>]) -> Result<Vec<String>, String> {
    let moves = rounds.iter().flatten().filter(|mv| !mv.is_null());
    let word = |mv: &Value| {
        let text = mv.as_str().or_else(|| mv.get("move")?.as_str());
        let text = text.ok_or_else(|| {
            let found = shorten(&mv.to_string(), 60);
            format!("invalid move `{found}`: expected a text such as \"d5\"")
        })?;
        Ok(text.split_whitespace().collect::<String>().to_lowercase())
    };
    moves.map(word).collect()
}

/// The board that the variants of a record name. There they may have the names that people see, such
/// as `11x11 board`; `None` if none of them has a known number.
fn named_size(variants: &[String]) -> Result<Option<BoardSize>, String> {
    let is_named = |variant: &String| variant == DEFAULT || variant.starts_with(SIZE);
    if variants.is_empty() || variants.iter().any(is_named) {
        return size(variants).map(Some);
    }
    let texts = variants.iter();
    let mut numbers = texts.flat_map(|text| text.split(|c: char| !c.is_ascii_digit()));
    let side = numbers.find_map(|number| SIDES.into_iter().find(|side| side.to_string() == number));
    Ok(side.and_then(|side| BoardSize::new(side).ok()))
}

/// The board that the variants name.
fn size(variants: &[String]) -> Result<BoardSize, String> {
    let named = variants
        .iter()
        .find_map(|variant| variant.strip_prefix(SIZE));
    let known = match named {
        None => Some(SIDES[0]),
        Some(named) => SIDES.into_iter().find(|side| side.to_string() == named),
    };
    known
        .and_then(|side| BoardSize::new(side).ok())
        .ok_or_else(|| {
            let named = shorten(named.unwrap_or_default(), 20);
            format!("invalid variant `{SIZE}{named}`: expected {SIZE}11, {SIZE}15 or {SIZE}19")
        })
}

fn start(size: BoardSize) -> Result<Arc<Start>, String> {
    let setup = NamedSetup::Dense.setup(size, 2)?;
    setup
        .check(None)
        .map(Arc::new)
        .map_err(|refusal| refusal.to_string())
}

/// The start on the smallest board on which all moves are legal.
fn smallest(words: &[String]) -> Result<Arc<Start>, String> {
    for size in SIDES
        .into_iter()
        .filter_map(|side| BoardSize::new(side).ok())
    {
        let start = start(size)?;
        let Ok(moves) = moves(words, &start) else {
            continue;
        };
        if with_position!(&start, |position| is_legal(position, &moves)) {
            return Ok(start);
        }
    }
    let sides = SIDES.map(|side| side.to_string()).join(", ");
    Err(format!(
        "the moves are illegal on every board of the server: expected a game on {sides}"
    ))
}

fn is_legal<const W: usize, const SEATS: usize>(
    mut position: Position<W, SEATS>,
    moves: &[RecordedMove],
) -> bool {
    moves.iter().all(|played| {
        let point = MoveCode::point(played.mv);
        let is_legal = Game::outcome(&position).is_none() && Game::is_legal(&position, point);
        if is_legal {
            Game::play(&mut position, point);
        }
        is_legal
    })
}

/// The moves, by the players in turn.
fn moves(words: &[String], start: &Start) -> Result<Vec<RecordedMove>, String> {
    let size = start.setup().size;
    let sides = [colour::BLACK, colour::WHITE].into_iter().cycle();
    let played = words.iter().zip(sides).map(|(word, seat)| {
        let point = point(word, size).ok_or_else(|| {
            let last = char::from(b'a'.saturating_add(size.side() as u8).saturating_sub(1));
            let word = shorten(word, 60);
            format!("invalid point `{word}`: expected a1 to {last}{size}, columns with i")
        })?;
        Ok(RecordedMove::new(seat, MoveCode::from(point)))
    });
    played.collect()
}

/// The point that the server writes so: a column letter, with i, and the row from the bottom.
fn point(text: &str, size: BoardSize) -> Option<Point> {
    let column = text.bytes().next().filter(u8::is_ascii_lowercase)?;
    let digits = text.get(1..)?;
    let row: usize = digits.parse().ok()?;
    let row = row.checked_sub(1).filter(|_| row.to_string() == digits)?;
    size.point(usize::from(column - b'a'), row)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Result<GameRecord, String>> {
        games(text).map(Iterator::collect).unwrap_or_default()
    }

    fn described(record: &GameRecord) -> String {
        let size = BoardSize::new(record.start.side()).unwrap();
        let names = record.moves.iter().map(|played| {
            let point = crate::board::vertex::name(MoveCode::point(played.mv), size);
            format!("{}{point}", colour::letter(played.seat))
        });
        format!("{size} {}", names.collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn a_published_game_is_read() {
        let text = r##"{"header":{"game":{"name":"Tanbo","variants":["#board","size-11"]},"event":"Cup","round":2,
            "date-end":"2026-06-01T10:00:00Z","players":[{"name":"Ann","userid":"x","result":0},{"name":"Bo","result":1}]},
            "moves":[["a2",{"move":"K 10","x":1}],["i2",null]]}"##;
        let record = read(text).remove(0).unwrap();
        assert_eq!(described(&record), "11 BA2 WL10 BJ2");
        assert_eq!(record.result.as_deref(), Some("W+"));
        assert_eq!(
            record.players.0[..2],
            [Some("Ann".to_string()), Some("Bo".to_string())]
        );
        assert_eq!(
            (record.event.as_deref(), record.round.as_deref()),
            (Some("Cup"), Some("2"))
        );
        assert_eq!(read(&format!("[{text},{text}]")).len(), 2);
    }

    #[test]
    fn variants_may_have_the_names_that_people_see() {
        for (variants, moves, expected) in [
            (r#"["11x11 board"]"#, r#"["i2"]"#, "11 BJ2"),
            (r#"["Size 19"]"#, r#"["i2"]"#, "19 BJ2"),
            (r#"["Large"]"#, r#"["s2"]"#, "19 BT2"),
            ("[]", r#"["a2"]"#, "7 BA2"),
        ] {
            let text = format!(
                r#"{{"header":{{"game":{{"name":"Tanbo","variants":{variants}}}}},"moves":[{moves}]}}"#
            );
            assert_eq!(
                described(&read(&text).remove(0).unwrap()),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn a_game_may_end_before_its_end() {
        for (end, results, expected) in [
            ("resign", [0, 1], Some("W+R")),
            ("timeout", [1, 0], Some("B+T")),
            ("draw", [1, 1], None),
            ("abandoned", [0, 0], None),
        ] {
            let [one, other] = results;
            let text = format!(
                r#"{{"header":{{"game":{{"name":"Tanbo"}},"players":[{{"result":{one}}},{{"result":{other}}}]}},
                "moves":[["a2","b1"],["{end}"]]}}"#
            );
            let record = read(&text).remove(0).unwrap();
            assert_eq!(described(&record), "7 BA2 WB1");
            assert_eq!(record.result.as_deref(), expected, "{end}");
        }
    }

    #[test]
    fn rounds_alone_are_a_game_on_the_smallest_board() {
        for (text, expected) in [
            (r#"[["a2","b1"],["c2"]]"#, "7 BA2 WB1 BC2"),
            (r#"[["i2"]]"#, "11 BJ2"),
            (r#"{"metaGame":"tanbo","moves":[["s2"]]}"#, "19 BT2"),
        ] {
            assert_eq!(
                read(text).remove(0).map(|record| described(&record)),
                Ok(expected.to_string()),
                "{text}"
            );
        }
    }

    #[test]
    fn faults_name_what_is_wrong() {
        for (text, part) in [
            (
                r#"{"header":{"game":{"name":"Go"}},"moves":[["a1"]]}"#,
                "`Go`",
            ),
            (
                r#"{"header":{"game":{"name":"Tanbo","variants":["size-9"]}},"moves":[]}"#,
                "`size-9`",
            ),
            (
                r#"{"header":{"game":{"name":"Tanbo"}},"moves":[["h1"]]}"#,
                "`h1`: expected a1 to g7",
            ),
            (
                r#"{"header":{"game":{"name":"Tanbo"}},"moves":[["é1"]]}"#,
                "`é1`",
            ),
            (r#"{"moves":[["a2",3]]}"#, "`3`"),
            (r#"{"moves":[["a1"]]}"#, "illegal on every board"),
            (r#"{"moves":["a2"]}"#, "invalid game"),
        ] {
            let error = read(text).remove(0).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        for text in ["", "[]", "{}", "x", "[1]", "(;SZ[7])", "{\"moves\":3}", "["] {
            assert!(games(text).is_none(), "{text}");
        }
    }
}
