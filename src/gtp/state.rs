//! The game and its position as one JSON object, for programs.

use serde_json::{Map, Value, json};

use super::call::{Call, Reply};
use super::session::Session;
use crate::board::{Point, vertex};
use crate::engine::{Engine, Event};
use crate::game::{Outcome, Seat};

/// The points that the last move emptied; none in a game without stones.
pub(super) fn emptied(engine: &Engine) -> Vec<Point> {
    let before = engine.previous();
    let before = before.as_ref().and_then(|before| before.stones());
    let (Some(now), Some(before)) = (engine.stones(), before) else {
        return Vec::new();
    };
    // A stone that was removed together with its own root was not there before the move.
    let moved = engine.last_move();
    let there = |p: &Point| before.stone_at(*p).is_some() || moved == Some((*p).into());
    let points = now.size().points();
    let gone = points.filter(|p| there(p) && now.stone_at(*p).is_none());
    gone.collect()
}

pub(super) fn state(session: &mut Session, _: &Call<'_>) -> Reply {
    let engine = session.engine();
    let variant = engine.variant();
    let colour = |seat: Seat| variant.colour(seat);
    let players: Vec<&str> = engine.players().iter().map(|&seat| colour(seat)).collect();
    let legal: Vec<String> = engine
        .legal()
        .into_iter()
        .map(|mv| engine.name(mv))
        .collect();
    let outcome = engine.outcome().map(|outcome| match outcome {
        Outcome::Winner(seat) => colour(seat),
        Outcome::Draw => "draw",
    });
    let hash = |hash: u64| json!(format!("{hash:016X}"));
    let mut state = Map::new();
    let mut put = |name: &str, value: Value| state.insert(name.to_string(), value);
    put("game", json!(variant.name()));
    put("size", json!(engine.start().side()));
    put("players", json!(players));
    put("to_move", json!(colour(engine.to_move())));
    put("outcome", json!(outcome));
    put("legal", json!(legal));
    put("moves", json!(moves(engine)));
    put("hash", hash(engine.game_hash()));
    if let Some(symmetric) = engine.symmetric_hash() {
        put("symmetric_hash", hash(symmetric));
    }
    if let Some(board) = engine.board_view() {
        put("board", json!(board.rows()));
    }
    if let Some(stones) = engine.stones() {
        let name = |point: Point| vertex::name(point, stones.size());
        let emptied: Vec<String> = emptied(engine).into_iter().map(name).collect();
        put("emptied", json!(emptied));
    }
    let line = |text: String| json!(text.trim_end().replace('\n', "/"));
    put("start", line(engine.start().text()));
    put("position", line(engine.notation().position_text()));
    Ok(Value::Object(state).to_string().into())
}

/// The events so far: the colour and the move, or `leave`.
fn moves(engine: &Engine) -> Vec<[String; 2]> {
    let word = |event| match event {
        Event::Move(code) => engine.name(code),
        Event::Leave => "leave".to_string(),
    };
    let events = engine.events().iter();
    let events = events.map(|&(seat, event)| [engine.variant().colour(seat).into(), word(event)]);
    events.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::gtp::session::Session;
    use crate::gtp::session::tests::{session, session_of};
    use crate::params::Params;
    use crate::start::Configuration;

    fn state(session: &mut Session) -> Value {
        let answer = session.answer("tanada-state");
        serde_json::from_str(answer.strip_prefix("= ").unwrap()).unwrap()
    }

    #[test]
    fn it_agrees_with_the_other_commands() {
        let mut session = session(9);
        session.accept("play b C2; play w C8; play b C3");
        let found = state(&mut session);
        let answer = |session: &mut Session, line| session.answer(line)[2..].to_string();
        let rows = answer(&mut session, "gogui-rules_board");
        let rows: Vec<&str> = rows.lines().collect();
        assert_eq!(found["board"], json!(rows));
        let legal = answer(&mut session, "gogui-rules_legal_moves");
        let legal: Vec<&str> = legal.split(' ').collect();
        assert_eq!(found["legal"], json!(legal));
        let fields = ["game", "size", "to_move", "outcome", "emptied"].map(|name| &found[name]);
        assert_eq!(json!(fields), json!(["tanbo", 9, "white", null, []]));
        assert_eq!(found["players"], json!(["black", "white"]));
        let moves = [["black", "C2"], ["white", "C8"], ["black", "C3"]];
        assert_eq!(found["moves"], json!(moves));
        // Both texts can be sent back.
        for (text, hash) in [("position", true), ("start", false)] {
            session.accept(&format!(
                "tanada-position {}",
                found[text].as_str().unwrap()
            ));
            assert_eq!(state(&mut session)["hash"] == found["hash"], hash);
        }
    }

    #[test]
    fn the_end_and_those_who_left_are_told() {
        let mut session = session(5);
        crate::gtp::session::tests::play_out(&mut session);
        let found = state(&mut session);
        assert_eq!(found["outcome"], found["to_move"]);
        assert_eq!(found["legal"], json!([]));
        assert_ne!(found["emptied"], json!([]));
        let mut session = Session::new(
            Configuration::new(Some(9), None, Some(3)).unwrap(),
            Params::default(),
        );
        session.accept("tanada-leave w");
        assert_eq!(state(&mut session)["moves"], json!([["white", "leave"]]));
    }

    #[test]
    fn a_game_without_stones_has_no_points() {
        let mut session = session_of("taratibu");
        let found = state(&mut session);
        assert_eq!(found["to_move"], "white");
        assert!(found.get("emptied").is_none() && found.get("symmetric_hash").is_none());
        let legal = session.answer("tanada-legal_steps");
        assert_eq!(
            legal[2..].split(' ').count(),
            found["legal"].as_array().unwrap().len()
        );
    }
}
