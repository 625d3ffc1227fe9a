//! What Abstract Play sends and publishes.

use arbitrary::Unstructured;
use serde_json::{Value, json};
use tanada::fuzzing::requests;
use tanada::{Engine, GAMES, GameRecord, Seat};

use super::{sentence, small_params};

const VARIANTS: [&[&str]; 6] = [
    &[],
    &["#board"],
    &["size-11"],
    &["size-15"],
    &["size-19"],
    &["size-9"],
];

/// The first byte chooses whether the rest is any bytes, a message of the grammar or a published game.
pub(super) fn requests(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else {
        return;
    };
    if first & 0x80 == 0 {
        message(rest);
        published(rest);
    } else if let Ok(object) = object(first, &mut Unstructured::new(rest)) {
        let text = object.to_string();
        message(text.as_bytes());
        published(text.as_bytes());
    }
}

fn message(body: &[u8]) {
    let turn = match requests::abstract_play_message(body) {
        Ok(Some(turn)) => turn,
        Ok(None) => return,
        Err(reason) => return sentence(&reason),
    };
    let id = turn["gameid"].as_str().expect("an id");
    assert!((1..=64).contains(&id.len()));
    assert!(
        id.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    );
    assert!(
        turn["clockCurr"]
            .as_f64()
            .is_some_and(|hours| hours.abs() <= 1e6)
    );
    let mut again = turn.clone();
    again["verb"] = json!("move");
    assert_eq!(
        requests::abstract_play_message(again.to_string().as_bytes()),
        Ok(Some(turn.clone()))
    );
    let name = turn["metaGame"].as_str().expect("a name");
    let variants: Vec<String> = serde_json::from_value(turn["variants"].clone()).expect("variants");
    let rounds: Vec<Vec<Value>> = serde_json::from_value(turn["moves"].clone()).expect("rounds");
    match requests::abstract_play_game(name, &variants, &rounds) {
        Ok(record) => {
            let words = record.moves.iter().map(|played| {
                let word = requests::abstract_play_word(name, &variants, played.mv);
                json!(word.expect("the board of the game"))
            });
            let rounds = vec![words.collect::<Vec<Value>>()];
            assert_eq!(
                requests::abstract_play_game(name, &variants, &rounds),
                Ok(record.clone())
            );
            assert!(
                record
                    .moves
                    .iter()
                    .zip([Seat::ALL[0], Seat::ALL[1]].into_iter().cycle())
                    .all(|(played, seat)| played.seat == seat)
            );
        }
        Err(reason) => sentence(&reason),
    }
}

fn published(bytes: &[u8]) {
    let variant = GAMES[0];
    for read in variant.read_each(bytes) {
        match read {
            Ok(record) => read_back(&record),
            Err(reason) => sentence(&reason),
        }
    }
}

/// A game whose moves are legal reads back when it is written as an own record.
fn read_back(record: &GameRecord) {
    let mut engine = Engine::new(record.start.clone(), small_params());
    for played in &record.moves {
        if engine.to_move() != played.seat || engine.play(played.mv).is_err() {
            return;
        }
    }
    let text = GAMES[0].write_game(record.clone());
    let read = GAMES[0]
        .read_games(text.as_bytes())
        .expect("its own record");
    assert_eq!(read.len(), 1);
    assert_eq!(read[0].moves, record.moves);
    assert!(*read[0].start == *record.start);
}

/// A message or a published game with legal moves, in which some things may be wrong.
fn object(first: u8, choices: &mut Unstructured<'_>) -> arbitrary::Result<Value> {
    let variants = VARIANTS[usize::from(choices.arbitrary::<u8>()?) % VARIANTS.len()];
    let owned: Vec<String> = variants.iter().map(|name| (*name).to_string()).collect();
    let mut rounds: Vec<Vec<Value>> = Vec::new();
    if let Ok(record) = requests::abstract_play_game("tanbo", &owned, &[]) {
        let mut engine = Engine::new(record.start, small_params());
        for ply in 0..choices.arbitrary::<u8>()? % 64 {
            let byte = choices.arbitrary::<u8>()?;
            let legal = engine.legal();
            if legal.is_empty() {
                break;
            }
            let mv = legal[usize::from(byte) % legal.len()];
            let word = requests::abstract_play_word("tanbo", &owned, mv).expect("a board");
            engine.play(mv).expect("a legal move");
            let word = if byte == 255 {
                json!({"move": word, "extra": 1})
            } else {
                json!(word)
            };
            match rounds.last_mut().filter(|_| ply % 2 == 1) {
                Some(round) => round.push(word),
                None => rounds.push(vec![word]),
            }
        }
        assert_eq!(
            rounds.iter().map(Vec::len).sum::<usize>(),
            engine.events().len()
        );
        if first & 0x40 == 0 {
            let played = requests::abstract_play_game("tanbo", &owned, &rounds).expect("a game");
            assert!(
                played
                    .moves
                    .iter()
                    .map(|played| (played.seat, played.mv))
                    .eq(engine.moves())
            );
        }
    }
    const ENDS: [&str; 8] = [
        "resign",
        "timeout",
        "draw",
        "abandoned",
        "a0",
        "z1",
        "é",
        "A1 ",
    ];
    if first & 0x40 != 0 {
        let end = ENDS[usize::from(choices.arbitrary::<u8>()?) % ENDS.len()];
        rounds.push(vec![json!(end), Value::Null]);
    }
    let hours = f64::from(choices.arbitrary::<i16>()?) * 100.0;
    Ok(match first & 3 {
        0 => json!({"verb": "move", "metaGame": "tanbo", "variants": variants, "gameid": "0f8f-1",
            "clockCurr": hours, "numPlayers": 2, "moves": rounds}),
        1 => {
            json!({"verb": "challenge", "metaGame": "tanbo", "variants": variants, "clockStart": hours,
            "clockInc": 1, "clockMax": hours, "challengers": ["ann"]})
        }
        2 => json!({"header": {"game": {"name": "Tanbo", "variants": variants},
            "players": [{"name": "ann", "result": hours}, {"name": "bob", "result": 0}],
            "event": hours, "date-end": "2024-01-01"}, "moves": rounds}),
        _ => json!(rounds),
    })
}
