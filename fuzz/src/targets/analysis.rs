//! Lines of the analysis protocol.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arbitrary::Unstructured;
use serde_json::{Map, Value, json};
use tanada::analysis::{Options, Perspective, serve};
use tanada::fuzzing::requests;
use tanada::{Engine, Event, GAMES, Params};

use super::{sentence, small_params};

fn options() -> Options {
    Options {
        positions: 1,
        params: Params {
            seed: 1,
            iterations: Some(8),
            ..small_params()
        },
        perspective: Perspective::default(),
        quits_without_waiting: false,
        time_after_end: Duration::ZERO,
    }
}

/// The first byte chooses whether the rest is a line of any bytes or one of the protocol's grammar.
pub(super) fn lines(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else {
        return;
    };
    if first & 0x80 == 0 {
        line(rest);
    } else if let Ok(object) = object(&mut Unstructured::new(rest)) {
        line(object.to_string().as_bytes());
    }
}

fn line(line: &[u8]) {
    let (remarks, positions) = requests::analysis(line, &options());
    let value = serde_json::from_slice::<Value>(line).unwrap_or_default();
    for remark in &remarks {
        let text = remark.get("error").or_else(|| remark.get("warning"));
        sentence(text.and_then(Value::as_str).expect("a sentence"));
        if remark.get("field").is_some() && remark.get("id").is_some() {
            assert_eq!(remark["id"], value["id"]);
        }
    }
    if remarks.iter().any(|remark| remark.get("error").is_some()) {
        assert_eq!((remarks.len(), positions.len()), (1, 0));
        let has_id = value.get("id").is_some_and(Value::is_string);
        let names_field = remarks[0].get("field").is_some();
        assert_eq!(
            remarks[0].get("id").is_some(),
            has_id && names_field,
            "{remarks:?}"
        );
        return;
    }
    let moves = value["moves"].as_array().map_or(0, Vec::len);
    if !positions.is_empty() {
        let mut turns = match &value["analyzeTurns"] {
            Value::Array(turns) => turns
                .iter()
                .map(|turn| turn.as_u64().expect("a turn"))
                .collect(),
            _ => vec![moves as u64],
        };
        turns.sort_unstable();
        turns.dedup();
        let found: Vec<u64> = positions.iter().map(|&(turn, _)| turn as u64).collect();
        assert_eq!(found, turns);
    }
    for (turn, engine) in &positions {
        assert!(*turn <= moves);
        legal(engine);
    }
}

/// The events of a position can be played from its start, which reads back.
fn legal(engine: &Engine) {
    let variant = engine.variant();
    let start = variant
        .read(&engine.start().text(), None)
        .expect("its own text");
    assert!(*start == **engine.start());
    let mut again = Engine::new(start, options().params);
    for &(seat, event) in engine.events() {
        match event {
            Event::Move(mv) => {
                assert_eq!(again.to_move(), seat);
                again.play(mv).expect("a legal move");
            }
            Event::Leave => again.leave(seat).expect("a player of the game"),
        }
    }
    assert_eq!(
        again.notation().position_text(),
        engine.notation().position_text()
    );
    assert_eq!(again.outcome(), engine.outcome());
}

/// What an analysis writes, for its reader at the end.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .lock()
            .map_err(|_| io::ErrorKind::Other)?
            .extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Lines of the grammar, at most sixteen: each is answered as often as it should be.
pub(super) fn session(bytes: &[u8]) {
    let mut choices = Unstructured::new(bytes);
    let mut input = String::new();
    let (mut failures, mut echoes, mut warnings) = (0, 0, 0);
    let mut finals = BTreeMap::<(String, u64), usize>::new();
    for _ in 0..16 {
        let Ok(object) = object(&mut choices) else {
            break;
        };
        let line = object.to_string();
        let (remarks, positions) = requests::analysis(line.as_bytes(), &options());
        if remarks.iter().any(|remark| remark.get("error").is_some()) {
            failures += 1;
        } else {
            warnings += remarks.len();
            echoes += usize::from(object.get("action").is_some());
        }
        for (turn, _) in positions {
            let id = object["id"].as_str().expect("an id").to_string();
            *finals.entry((id, turn as u64)).or_default() += 1;
        }
        input += &line;
        input.push('\n');
    }
    let written = Written::default();
    serve(&options(), Cursor::new(input.clone()), written.clone()).expect("no failure");
    let text = written.0.lock().expect("no panic").clone();
    // A search warns, too, if the query allows none of its moves.
    let mut warned = 0;
    for line in text
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        let answer: Value = serde_json::from_slice(line).expect("an object");
        let has = |name: &str| answer.get(name).is_some();
        if has("action") {
            echoes -= 1;
        } else if has("error") {
            failures -= 1;
        } else if has("warning") {
            warned += 1;
        } else if answer["isDuringSearch"] == json!(false) {
            let id = answer["id"].as_str().expect("an id").to_string();
            let turn = answer["turnNumber"].as_u64().expect("a turn");
            let left = finals.get_mut(&(id, turn)).expect("an answer to a query");
            *left = left.checked_sub(1).expect("one answer");
        } else {
            assert_eq!(answer["isDuringSearch"], json!(true), "{answer}");
        }
    }
    finals.retain(|_, left| *left > 0);
    assert!(warned >= warnings, "{input}");
    assert_eq!(
        (failures, echoes, finals),
        (0, 0, BTreeMap::new()),
        "{input}"
    );
}

/// Values that are wrong almost everywhere.
fn odd(choices: &mut Unstructured<'_>) -> arbitrary::Result<Value> {
    Ok(match choices.arbitrary::<u8>()? % 14 {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(-1),
        3 => json!(u64::MAX),
        4 => json!(1e300),
        5 => json!(0.5),
        6 => json!(""),
        7 => json!("\u{0}\n\u{1f600}"),
        8 => json!([]),
        9 => json!({}),
        10 => json!([[[]]]),
        11 => json!({"player": "b", "moves": ["A1"], "untilDepth": 1}),
        12 => json!("x".repeat(100)),
        _ => json!(choices.arbitrary::<i8>()?),
    })
}

/// Points of a small board, and other words.
fn word(choices: &mut Unstructured<'_>) -> arbitrary::Result<Value> {
    const WORDS: [&str; 9] = [
        "pass", "resign", "(0,0)", "(8,1)", "z99", "", "C2-C3", "a1 a1", "(,)",
    ];
    let choice = choices.arbitrary::<u8>()?;
    Ok(
        match WORDS
            .get(usize::from(choice >> 2))
            .filter(|_| choice & 3 == 0)
        {
            Some(word) => json!(word),
            None => json!(format!(
                "{}{}",
                char::from(b"ABCDEFGHJ"[usize::from(choice) / 9 % 9]),
                choice % 9 + 1
            )),
        },
    )
}

fn pairs(choices: &mut Unstructured<'_>) -> arbitrary::Result<Value> {
    let mut list = Vec::new();
    for _ in 0..choices.arbitrary::<u8>()? % 12 {
        let colour =
            ["b", "w", "r", "g", "black", "x"][usize::from(choices.arbitrary::<u8>()?) % 6];
        list.push(json!([colour, word(choices)?]));
    }
    Ok(Value::Array(list))
}

/// Legal moves, and at the end perhaps another.
fn game(choices: &mut Unstructured<'_>, object: &mut Map<String, Value>) -> arbitrary::Result<()> {
    let choice = choices.arbitrary::<u8>()?;
    let (variant, side, players) = match choice & 7 {
        0 | 1 => (GAMES[1], None, None),
        2 => (GAMES[0], Some(9), Some(3)),
        3 => (GAMES[0], Some(9), Some(4)),
        4 => (GAMES[0], Some(9), None),
        5 => (GAMES[0], Some(4), None),
        _ => (GAMES[0], Some(7), None),
    };
    object.insert("game".into(), json!(variant.name()));
    if let Some(side) = side {
        object.insert("boardXSize".into(), json!(side));
        object.insert("boardYSize".into(), json!(side));
    }
    if let Some(players) = players {
        object.insert("players".into(), json!(players));
    }
    let start = variant
        .start(side, None, players)
        .expect("a built-in start");
    let mut engine = Engine::new(start, options().params);
    let mut moves = Vec::new();
    for _ in 0..choices.arbitrary::<u8>()? % 32 {
        let byte = choices.arbitrary::<u8>()?;
        let legal = engine.legal();
        let colour = engine.variant().letter(engine.to_move());
        if legal.is_empty() || byte == 255 {
            moves.push(json!([colour, word(choices)?]));
            break;
        }
        let mv = legal[usize::from(byte) % legal.len()];
        moves.push(json!([colour, engine.name(mv)]));
        engine.play(mv).expect("a legal move");
    }
    object.insert("moves".into(), Value::Array(moves));
    Ok(())
}

/// A query or an action. Its searches are short.
fn object(choices: &mut Unstructured<'_>) -> arbitrary::Result<Value> {
    const FIELDS: [&str; 29] = [
        "id",
        "moves",
        "initialStones",
        "initialPlayer",
        "rules",
        "komi",
        "boardXSize",
        "boardYSize",
        "analyzeTurns",
        "analysisPVLen",
        "includePolicy",
        "includePVVisits",
        "allowMoves",
        "avoidMoves",
        "overrideSettings",
        "reportDuringSearchEvery",
        "firstReportDuringSearchAfter",
        "priority",
        "priorities",
        "game",
        "setup",
        "players",
        "position",
        "includeOwnership",
        "terminateId",
        "turnNumbers",
        "overrideModel",
        "mvoes",
        "maxVisits",
    ];
    const ACTIONS: [&str; 6] = [
        "query_version",
        "query_models",
        "clear_cache",
        "terminate",
        "terminate_all",
        "terminat",
    ];
    let mut object = Map::new();
    let id = choices.arbitrary::<u8>()?;
    object.insert("id".into(), json!(format!("q{}", id % 4)));
    if id & 0xc0 == 0xc0 {
        let action = ACTIONS[usize::from(choices.arbitrary::<u8>()?) % ACTIONS.len()];
        object.insert("action".into(), json!(action));
        object.insert("terminateId".into(), json!(format!("q{}", id / 4 % 4)));
    } else {
        game(choices, &mut object)?;
    }
    for _ in 0..choices.arbitrary::<u8>()? % 5 {
        let name = FIELDS[usize::from(choices.arbitrary::<u8>()?) % FIELDS.len()];
        let value = match (choices.arbitrary::<u8>()?, name) {
            // More visits would take long.
            (_, "maxVisits") => json!(choices.arbitrary::<u8>()? % 32),
            (0..64, _) => odd(choices)?,
            (_, "moves" | "initialStones") => pairs(choices)?,
            (_, "analyzeTurns" | "priorities" | "turnNumbers") => {
                let mut list = Vec::new();
                for _ in 0..choices.arbitrary::<u8>()? % 6 {
                    list.push(json!(choices.arbitrary::<i8>()? % 12));
                }
                Value::Array(list)
            }
            (_, "allowMoves" | "avoidMoves") => {
                let colour = ["b", "w", "r", "x"][usize::from(choices.arbitrary::<u8>()?) % 4];
                let words = json!([word(choices)?, word(choices)?]);
                json!([{"player": colour, "moves": words, "untilDepth": choices.arbitrary::<i8>()?}])
            }
            (byte, "overrideSettings") => match byte % 5 {
                0 => json!({"maxVisits": 4, "wideRootNoise": 0.5}),
                1 => json!({"preset": "uct"}),
                2 => json!({"reportAnalysisWinratesAs": "BLACK"}),
                3 => json!({"maxTime": 0.001, "analysisPVLen": 3}),
                _ => json!({"seed": 7, "leaf": odd(choices)?}),
            },
            (byte, "initialPlayer") => json!(["b", "w", "r", "g"][usize::from(byte) % 4]),
            (byte, "setup") => {
                json!(["classic", "corners", "dense", "clasic"][usize::from(byte) % 4])
            }
            (_, "reportDuringSearchEvery" | "firstReportDuringSearchAfter") => json!(0.001),
            (_, "includePolicy" | "includePVVisits" | "includeOwnership") => json!(true),
            (_, "position") => json!("w.../..../..../...b"),
            _ => json!(choices.arbitrary::<i8>()?),
        };
        object.insert(name.into(), value);
    }
    Ok(Value::Object(object))
}
