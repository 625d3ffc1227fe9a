//! The commands of the board in the browser.

use std::sync::LazyLock;

use arbitrary::Unstructured;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value, json};
use tanada::fuzzing::requests::Commands;
use tanada::{Engine, GAMES, Variant};

use super::{sentence, small_params};

static COMMANDS: LazyLock<Commands> =
    LazyLock::new(|| Commands::new(small_params()).expect("commands"));
static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| Commands::names().collect());

/// The first byte chooses the command, and whether its body is any bytes, JSON of the grammar, or, for
/// `open`, any file.
pub(super) fn commands(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else {
        return;
    };
    let name = NAMES[usize::from(first & 0x3f) % NAMES.len()];
    match first >> 6 {
        0 => drop(ask(name, rest)),
        1 => drop(ask("open", &file(rest))),
        _ => {
            if let Ok(body) = body(name, &mut Unstructured::new(rest)) {
                ask(name, body.to_string().as_bytes());
            }
        }
    }
}

fn file(bytes: &[u8]) -> Vec<u8> {
    json!({ "base64": BASE64_STANDARD.encode(bytes) })
        .to_string()
        .into_bytes()
}

/// The answer to a command, or nothing if it is refused.
fn execute(name: &str, body: &[u8]) -> Option<Value> {
    match COMMANDS.execute(name, body).expect("a known command") {
        Ok(answer) => Some(serde_json::from_slice(&answer).expect("JSON")),
        Err((status, reason)) => {
            // No page is open: 409. Everything else is about the content.
            assert!(matches!(status, 409 | 422), "{status}: {reason}");
            sentence(&reason);
            assert!(reason.chars().count() <= 410, "{reason}");
            None
        }
    }
}

fn ask(name: &str, body: &[u8]) -> Option<Value> {
    let answer = execute(name, body)?;
    let asked: Value = serde_json::from_slice(body).expect("what was understood");
    match name {
        "position" => {
            let line = &answer["line"];
            agrees(&answer, line);
            // The text is that of the position, and the line that is sent back means the same.
            let text = engine(line).notation().position_text();
            assert_eq!(answer["text"], json!(text));
            assert_eq!(
                execute("position", line.to_string().as_bytes()),
                Some(answer.clone())
            );
            let replayed = execute("replay", body).expect("the same line");
            let last = replayed["positions"]
                .as_array()
                .and_then(|list| list.last());
            agrees(last.expect("a position"), line);
            assert_eq!(replayed["line"], *line);
        }
        "replay" => {
            let positions = answer["positions"].as_array().expect("positions");
            let mut line = answer["line"].clone();
            let moves = line["moves"].as_array().expect("moves").clone();
            assert_eq!(positions.len(), moves.len() + 1);
            for (count, position) in positions.iter().enumerate().step_by(7) {
                line["moves"] = json!(moves[..count]);
                agrees(position, &line);
            }
        }
        "open" => {
            for game in answer["games"].as_array().expect("games") {
                opened(game);
            }
            for fault in answer["faults"].as_array().expect("faults") {
                sentence(fault.as_str().expect("text"));
            }
        }
        "save" if asked["format"] == "record" => {
            let text = answer["text"].as_str().expect("text");
            let again = execute("open", &file(text.as_bytes())).expect("its own record");
            assert_eq!(again["games"].as_array().map(Vec::len), Some(1), "{text}");
            if asked["tree"].is_null() {
                let line = execute("position", asked["line"].to_string().as_bytes());
                assert_eq!(
                    again["games"][0]["line"],
                    line.expect("the same line")["line"]
                );
            }
        }
        "why" => {
            let line =
                execute("position", asked["line"].to_string().as_bytes()).expect("a position");
            let legal = line["legal"].as_array().expect("moves");
            // A game that only places stones has no cell that a move comes from, and ignores one.
            let reaches = |mv: &Value| {
                let (from, asked_from) = (&mv["from"], &asked["from"]);
                mv["to"] == asked["to"]
                    && (from.is_null() || asked_from.is_null() || from == asked_from)
            };
            if answer["legal"] == json!(true) {
                assert!(legal.iter().any(reaches), "{asked}");
            } else if !asked["from"].is_null() {
                assert!(!legal.iter().any(reaches), "{asked}");
            }
        }
        _ => {}
    }
    Some(answer)
}

/// An opened game can be shown, and saved and opened again.
fn opened(game: &Value) {
    let line = &game["line"];
    let shown = execute("position", line.to_string().as_bytes()).expect("an opened game");
    assert_eq!(shown["line"], *line);
    let asked =
        json!({"line": line, "header": game["header"], "tree": game["tree"], "format": "record"});
    let Some(saved) = execute("save", asked.to_string().as_bytes()) else {
        panic!("an opened game is not saved: {asked}");
    };
    let text = saved["text"].as_str().expect("text");
    let again = execute("open", &file(text.as_bytes())).expect("its own record");
    let again = &again["games"][0];
    assert_eq!(
        (&again["line"], &again["tree"]),
        (line, &game["tree"]),
        "{text}"
    );
}

/// The position at the end of a complete line.
fn engine(line: &Value) -> Engine {
    let named = |variant: &&&'static dyn Variant| line["game"] == variant.name();
    let variant = GAMES.iter().find(named).expect("a game");
    let start = &line["start"];
    let number = |name: &str| start[name].as_u64().map(|number| number as usize);
    let start = match start["text"].as_str() {
        Some(text) => variant.read(text, number("players")),
        None => variant.start(number("size"), start["setup"].as_str(), number("players")),
    };
    let mut engine = Engine::new(start.expect("a start"), small_params());
    for word in line["moves"].as_array().expect("moves") {
        let played = engine.play_word(engine.to_move(), word.as_str().expect("a word"));
        assert_eq!(played.expect("a legal move"), 1);
    }
    engine
}

/// The state that is shown is that of the line.
fn agrees(state: &Value, line: &Value) {
    let engine = engine(line);
    let place = |seat| engine.players().iter().position(|&other| other == seat);
    assert_eq!(state["number"], json!(engine.events().len()));
    assert_eq!(state["over"], json!(engine.is_over()));
    assert_eq!(state["winner"], json!(engine.winner().and_then(place)));
    let to_move = (!engine.is_over())
        .then(|| place(engine.to_move()))
        .flatten();
    assert_eq!(state["to_move"], json!(to_move));
    let legal = state["legal"].as_array().expect("moves");
    let mut shown: Vec<&str> = legal
        .iter()
        .map(|mv| mv["move"].as_str().expect("a word"))
        .collect();
    let names: Vec<String> = engine
        .legal()
        .into_iter()
        .map(|mv| engine.name(mv))
        .collect();
    let mut expected: Vec<&str> = names.iter().map(String::as_str).collect();
    shown.sort_unstable();
    expected.sort_unstable();
    assert_eq!(shown, expected);
}

/// A line of legal moves, at the end perhaps with another word.
fn line(choices: &mut Unstructured<'_>) -> arbitrary::Result<Value> {
    let choice = choices.arbitrary::<u8>()?;
    let start = match choice & 7 {
        0 | 1 => json!({"game": GAMES[1].name()}),
        2 => json!({"start": {"size": 9, "players": 3}}),
        3 => json!({"start": {"size": 9, "players": 4}}),
        4 => json!({"start": {"size": 9, "setup": "classic"}}),
        5 => json!({"start": {"text": "w...\n....\n....\n...b\n"}}),
        6 => json!({"start": {"size": 4, "setup": choice}, "players": 2}),
        _ => json!({"game": GAMES[0].name(), "start": {"size": 4 + choice / 8 % 8}}),
    };
    let mut line = start;
    let Some(shown) = execute("position", line.to_string().as_bytes()) else {
        return Ok(line);
    };
    let mut engine = engine(&shown["line"]);
    let mut words = Vec::new();
    for _ in 0..choices.arbitrary::<u8>()? % 24 {
        let byte = choices.arbitrary::<u8>()?;
        let legal = engine.legal();
        if legal.is_empty() || byte == 255 {
            words.push(
                ["pass", "A1", "", "é"][usize::from(choices.arbitrary::<u8>()?) % 4].to_string(),
            );
            break;
        }
        let mv = legal[usize::from(byte) % legal.len()];
        words.push(engine.name(mv));
        engine.play(mv).expect("a legal move");
    }
    line["moves"] = json!(words);
    Ok(line)
}

fn text(choices: &mut Unstructured<'_>) -> arbitrary::Result<Value> {
    const TEXTS: [&str; 8] = ["Ann", "", "B+R", "a]b\\", "\n", "é\u{0}", "2024-01-01", "1"];
    let choice = usize::from(choices.arbitrary::<u8>()?);
    Ok(TEXTS.get(choice).map_or(Value::Null, |text| json!(text)))
}

/// The fields of each command, in which some things may be wrong.
fn body(name: &str, choices: &mut Unstructured<'_>) -> arbitrary::Result<Value> {
    let line = line(choices)?;
    let mut body = Map::new();
    match name {
        "position" | "replay" => return Ok(line),
        "save" => {
            let is_record = choices.arbitrary::<u8>()? & 3 != 0;
            body.insert(
                "format".into(),
                json!(if is_record { "record" } else { "position" }),
            );
            body.insert(
                "header".into(),
                json!({"name": text(choices)?, "event": text(choices)?, "result": text(choices)?,
                    "players": [text(choices)?]}),
            );
            let count = usize::from(choices.arbitrary::<u8>()? % 8);
            if let (Some(moves), 1..) = (line["moves"].as_array(), count) {
                let mut tree =
                    vec![json!({"parent": null, "move": null, "comment": text(choices)?})];
                for (index, word) in moves.iter().take(count).enumerate() {
                    tree.push(json!({"parent": index, "move": word, "comment": text(choices)?}));
                    if let Some(other) = moves.get(usize::from(choices.arbitrary::<u8>()?)) {
                        tree.push(json!({"parent": index, "move": other, "comment": null}));
                    }
                }
                body.insert("tree".into(), json!(tree));
            }
        }
        "why" => {
            body.insert("to".into(), json!(choices.arbitrary::<u8>()?));
            if choices.arbitrary::<u8>()? & 1 == 1 {
                body.insert("from".into(), json!(choices.arbitrary::<u8>()?));
            }
        }
        _ => {
            body.insert("page".into(), text(choices)?);
            body.insert("id".into(), json!(choices.arbitrary::<u8>()?));
            body.insert("iterations".into(), json!(choices.arbitrary::<u8>()?));
        }
    }
    body.insert("line".into(), line);
    Ok(Value::Object(body))
}
