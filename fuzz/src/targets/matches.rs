//! Plans of matches, their openings and their folders, and the folders of tunings.

use std::fs;
use std::path::Path;

use arbitrary::Unstructured;
use serde_json::{Value, json};
use tanada::fuzzing::files;
use tanada::{Engine, GAMES, MatchPlan, MatchRequest, SharedStart};

use super::json::{alter, alter_some};
use super::{folder, sentence, small_params};

/// Rounds of the plans that are made: the openings of each are checked, up to a thousand.
const MOST_ROUNDS: u64 = 50;

fn starts() -> [SharedStart; 4] {
    [(0, Some(5)), (0, Some(9)), (0, Some(4)), (1, None)].map(|(game, size)| {
        let start = GAMES[game].start(size, None, None);
        start.expect("a built-in start")
    })
}

fn engine(start: &SharedStart) -> Engine {
    Engine::new(start.clone(), small_params())
}

/// The first byte chooses a start, and whether the rest is a file of any bytes, or words chosen among the legal moves and
/// others.
pub(super) fn openings(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else {
        return;
    };
    let start = &starts()[usize::from(first & 3)];
    if first & 0x80 == 0 {
        return read_openings(rest.to_vec(), start);
    }
    const OTHERS: [&str; 8] = [
        "\n",
        " # a comment\n",
        "\n\n",
        "pass",
        "a1",
        "Z9",
        "\u{e9}",
        "\t",
    ];
    let mut text = String::new();
    let mut engine = engine(start);
    for &byte in rest {
        let legal = engine.legal();
        match OTHERS.get(usize::from(byte)) {
            _ if legal.is_empty() => break,
            Some(other) => {
                text += other;
                if other.contains('\n') {
                    while engine.undo() {}
                }
            }
            None => {
                let mv = legal[usize::from(byte) % legal.len()];
                text += &format!(" {}", engine.name(mv));
                engine.play(mv).expect("a legal move");
            }
        }
    }
    read_openings(text.into_bytes(), start);
}

/// Openings are written as they are read, and leave the game open.
fn read_openings(bytes: Vec<u8>, start: &SharedStart) {
    let openings = match files::openings(bytes, start) {
        Ok(openings) => openings,
        Err(reason) => return sentence(&reason),
    };
    let mut text = String::new();
    for moves in &openings {
        let mut engine = engine(start);
        for &mv in moves {
            engine.play(mv).expect("a legal move");
        }
        assert!(!engine.is_over());
        text += &(files::opening_line(moves, start) + "\n");
    }
    if openings.iter().all(|moves| !moves.is_empty()) {
        assert_eq!(files::openings(text.into_bytes(), start), Ok(openings));
    }
}

/// The first byte chooses whether the rest is a plan as TOML, an engine as `--engine` takes it, or settings of a match as
/// JSON, of any text or altered from valid ones.
pub(super) fn plans(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else {
        return;
    };
    if first & 3 == 3 {
        let mut settings = settings();
        let mut choices = Unstructured::new(rest);
        while !choices.is_empty() && alter(&mut settings, &mut choices).is_ok() {}
        return read_settings(&settings.to_string());
    }
    let Ok(text) = std::str::from_utf8(rest) else {
        return;
    };
    match first & 3 {
        0 => read_plan(text),
        1 => match files::engine(text) {
            Ok(spec) => {
                let spec: Value = serde_json::from_str(&spec).expect("JSON");
                let mut settings = settings();
                settings["engines"][0] = spec.clone();
                if spec["name"] != "b" {
                    let plan = files::plan(&settings.to_string()).expect("a plan");
                    let written: Value =
                        serde_json::from_str(&files::plan_text(&plan)).expect("JSON");
                    assert_eq!(written["engines"][0], spec);
                }
            }
            Err(reason) => sentence(&reason),
        },
        _ => read_settings(text),
    }
}

fn read_plan(text: &str) {
    let request = match MatchRequest::from_toml(text, "plan.toml") {
        Ok(request) => request,
        Err(reason) => return sentence(&reason.to_string()),
    };
    assert_eq!(request.clone().or(request.clone()), request);
    assert_eq!(request.clone().or(MatchRequest::default()), request);
    let mut small = request;
    small.pairs = Some(
        small
            .pairs
            .map_or(1, |pairs| pairs.min(MOST_ROUNDS as usize)),
    );
    small.plies = small.plies.map(|plies| plies.min(9));
    match small.plan() {
        Ok(plan) => check_plan(&plan),
        Err(reason) => sentence(&reason.to_string()),
    }
}

fn read_settings(text: &str) {
    if let Ok(settings) = serde_json::from_str::<Value>(text) {
        let is_slow = |value: &Value, most| value.as_u64().is_some_and(|number| number > most);
        if is_slow(&settings["rounds"], MOST_ROUNDS)
            || is_slow(&settings["openings"]["random"]["plies"], 9)
        {
            return;
        }
    }
    match files::plan(text) {
        Ok(plan) => check_plan(&plan),
        Err(reason) => sentence(&reason),
    }
}

/// The settings of a plan are read as they are written.
fn check_plan(plan: &MatchPlan) {
    let text = files::plan_text(plan);
    let again = files::plan(&text).expect("its own settings");
    assert_eq!(files::plan_text(&again), text);
    assert_eq!(again.pairings(), plan.pairings());
    assert_eq!(
        plan.games(),
        plan.units().saturating_mul(plan.games_a_unit())
    );
    assert!(
        plan.pairings()
            .iter()
            .all(|seating| seating.len() == plan.seats().len())
    );
}

const START: &str = "to move: black\nO . . . X\n. . . . .\n. . . . .\n. . . . .\nX . . . O\n";

fn settings() -> Value {
    let engine = |name| {
        json!({"name": name, "options": [["preset", "linear"]], "send": [], "limit": "iterations=5", "margin": 0.05,
            "grace": 10.0, "restart": false})
    };
    json!({"start": START, "engines": [engine("a"), engine("b")], "format": "round-robin", "rounds": 2,
        "openings": {"random": {"plies": 2}}, "seed": 1, "sprt": "elo0=0 elo1=10", "stall": 60.0})
}

/// A game of the match with these settings; the first has number 1.
fn game(number: usize) -> Value {
    let player = |colour, engine: usize| {
        let name = ["a", "b"][engine];
        json!({"colour": colour, "engine": engine, "name": name, "identity": {"name": "Tanada", "version": "1",
            "options": [["threads", "1"]], "fingerprint": "b8"}, "limit": "iterations=5", "seed": 7})
    };
    let (first, second) = ((number + 1) % 2, number % 2);
    json!({"game": number, "unit": number.div_ceil(2), "round": number.div_ceil(2), "size": 5, "start": START,
        "players": [player("black", first), player("white", second)], "opening": 2,
        "moves": [{"vertex": "B1"}, {"vertex": "B5"}, {"vertex": "A2", "seconds": 0.5, "value": 0.25, "visits": 3},
            {"vertex": "E2", "left": 1.5}],
        "winner": "black", "result": "B+R", "end": {"kind": "resigned", "by": 1, "detail": ""}, "ending": "Resigned",
        "started": "2026-01-01T00:00:00Z", "seconds": 1.0, "machine": "a machine", "remarks": ["a remark"]})
}

fn tuning() -> Value {
    let parameter = |name| json!({"name": name, "value": 0.5, "min": 0.0, "max": 1.0, "c_end": 0.02, "r_end": 0.002});
    json!({"start": START, "engine": settings()["engines"][0], "parameters": [parameter("cpuct"),
        parameter("fpu_reduction")], "steps": 4, "pairs": 1, "openings": {"random": {"plies": 2}}, "seed": 1,
        "stall": 60.0})
}

/// The first byte chooses whether the rest is the files of a match or of a tuning, of any text with a zero byte between
/// them, or altered from valid ones.
pub(super) fn journals(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else {
        return;
    };
    let is_match = first & 1 == 0;
    if first & 0x80 == 0 {
        let mut files = rest.splitn(2, |&byte| byte == 0);
        let [settings, journal] = [files.next(), files.next()].map(Option::unwrap_or_default);
        return read_folder(is_match, settings, journal);
    }
    let mut choices = Unstructured::new(rest);
    let mut settings = if is_match { settings() } else { tuning() };
    if first & 2 != 0 && alter(&mut settings, &mut choices).is_err() {
        return;
    }
    let mut journal = String::new();
    if is_match {
        let count = usize::from(first >> 2 & 7);
        let mut games: Vec<Value> = (1..=count).map(game).collect();
        alter_some(&mut games, &mut choices);
        games
            .iter()
            .for_each(|game| journal += &format!("{game}\n"));
    } else {
        const CELLS: [&str; 8] = [
            "0",
            "1",
            "18446744073709551615",
            "-1",
            "0.25",
            "1e-300",
            "",
            "x",
        ];
        journal += "step,wins,losses,forfeits,cpuct,fpu_reduction\n";
        for step in 1..=first >> 2 & 7 {
            let mut cells = [
                step.to_string(),
                "1".into(),
                "1".into(),
                "0".into(),
                "0.5".into(),
                "0.125".into(),
            ];
            if let Ok((place, cell)) = choices.arbitrary::<(u8, u8)>()
                && let Some(old) = cells.get_mut(usize::from(place))
            {
                *old = CELLS[usize::from(cell) % CELLS.len()].to_string();
            }
            journal += &(cells.join(",") + "\n");
        }
    }
    read_folder(
        is_match,
        settings.to_string().as_bytes(),
        journal.as_bytes(),
    );
}

fn read_folder(is_match: bool, settings: &[u8], journal: &[u8]) {
    if let Ok(settings) = serde_json::from_slice::<Value>(settings) {
        let is_slow = |value: &Value, most| value.as_u64().is_some_and(|number| number > most);
        let numbers = [&settings["rounds"], &settings["pairs"], &settings["steps"]];
        if numbers.iter().any(|number| is_slow(number, MOST_ROUNDS))
            || is_slow(&settings["openings"]["random"]["plies"], 9)
        {
            return;
        }
    }
    let folder = folder();
    let path = folder.path();
    let names = if is_match {
        ["match.json", "games.jsonl"]
    } else {
        ["tune.json", "history.csv"]
    };
    for (name, bytes) in names.iter().zip([settings, journal]) {
        fs::write(path.join(name), bytes).expect("a file");
    }
    if is_match {
        read_match(path, journal);
    } else {
        let resumed = files::resume_tuning(path);
        let kept = fs::read(path.join("history.csv")).expect("a file");
        let has_steps = journal.iter().filter(|&&byte| byte == b'\n').count() > 1;
        assert!(keeps(&kept, journal) || !has_steps && kept.starts_with(b"step,"));
        match resumed {
            Ok(report) => {
                assert!(serde_json::from_str::<Value>(&report).is_ok());
                assert_eq!(files::resume_tuning(path), Ok(report));
            }
            Err(reason) => sentence_about(path, &reason),
        }
    }
}

/// Whether a journal is as it was, except for an unfinished last line.
fn keeps(kept: &[u8], journal: &[u8]) -> bool {
    let end = journal.iter().rposition(|&byte| byte == b'\n');
    kept == journal || *kept == journal[..end.map_or(0, |end| end + 1)]
}

/// Leaves the path of the folder out of the checks.
fn sentence_about(path: &Path, text: &str) {
    let path = path.display().to_string();
    sentence(&text.replace(&path, "F"));
}

fn read_match(path: &Path, journal: &[u8]) {
    let read = files::match_folder(path);
    assert_eq!(fs::read(path.join("games.jsonl")).expect("a file"), journal);
    match &read {
        Ok((games, [text, report])) => {
            assert!(!text.is_empty());
            assert!(serde_json::from_str::<Value>(report).is_ok());
            for game in games {
                let line = files::match_line(game);
                assert_eq!(
                    serde_json::from_str(&line).ok().as_ref(),
                    Some(game),
                    "{line}"
                );
                (0..4).for_each(|place| {
                    let score = game.score(place);
                    assert!(
                        score.is_none_or(|score| (0.0..=1.0).contains(&score)),
                        "{line}"
                    );
                });
                if let Err(reason) = game.text("an event") {
                    sentence(&reason);
                }
            }
        }
        Err(reason) => sentence_about(path, reason),
    }
    match files::resume_match(path) {
        Ok(count) => {
            let Ok((games, _)) = &read else {
                return;
            };
            assert_eq!(count, games.len());
            let again = files::match_folder(path).expect("the same match");
            assert_eq!(again.0, *games);
        }
        Err(reason) => {
            sentence_about(path, &reason);
            let kept = fs::read(path.join("games.jsonl")).expect("a file");
            assert!(keeps(&kept, journal), "{reason}");
            assert!(read.is_err(), "{reason}");
        }
    }
}
