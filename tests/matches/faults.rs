//! Engines that fail: `tests/data/engines/faulty.sh`.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::records::replayed;
use super::{Folder, command, data_path, failure, output, play, words};

/// Two pairs on a small board against the script.
const MATCH: &str = "--size 5 --plies 2 --pairs 2 --rating-interval 0";

/// The arguments of a match of the script against this build. With `once`, only one of its
/// processes fails, once.
pub(super) fn arguments(folder: &Folder, behaviour: &str, when: usize, once: bool) -> Vec<String> {
    let script = data_path("engines/faulty.sh");
    let mut bad = format!(
        "name=bad,command={script} {behaviour} {when} {} gtp --threads 1 --memory 8 --iterations 10 \
         --seed 1",
        env!("CARGO_BIN_EXE_tanada")
    );
    if once {
        let file = folder.0.path().join("once");
        bad += &format!(",env.ONCE={}", file.display());
    }
    // Generous limits, unless the test is about time: the machine may be busy.
    bad += match behaviour {
        "hang" => ",time_per_move=1,margin=0.5,grace=0.2",
        "late" => ",time_per_move=1,margin=0.5",
        _ => ",time_per_move=30",
    };
    let good = "name=good,iterations=10,memory=8";
    words(
        MATCH,
        &[
            "--records",
            &folder.text(),
            "--engine",
            &bad,
            "--engine",
            good,
        ],
    )
}

/// The games by kind of end.
fn ends(games: &BTreeMap<u64, Value>) -> BTreeMap<&str, Vec<u64>> {
    let mut ends: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for (&number, game) in games {
        let kind = game["end"]["kind"].as_str().unwrap();
        ends.entry(kind).or_default().push(number);
    }
    ends
}

/// The place of the script in a game.
fn place_of_bad(game: &Value) -> usize {
    let players = game["players"].as_array().unwrap();
    players.iter().position(|p| p["name"] == "bad").unwrap()
}

/// Checks that the script lost a game by a failure of this kind.
fn assert_lost(game: &Value, kind: &str, letter: &str, part: &str) {
    let place = place_of_bad(game);
    let (winner, result) = [("white", "W"), ("black", "B")][place];
    assert_eq!(game["end"]["kind"], kind, "{game}");
    assert_eq!(game["end"]["by"], place, "{game}");
    assert_eq!(game["winner"], winner, "{game}");
    assert_eq!(game["result"], format!("{result}+{letter}"), "{game}");
    let detail = game["end"]["detail"].as_str().unwrap();
    assert!(detail.contains(part), "{part} is not in: {detail}");
    let ending = game["ending"].as_str().unwrap();
    let colour = ["Black ", "White "][place];
    assert!(ending.starts_with(colour), "{ending}");
    assert!(ending.contains(detail), "{ending}");
}

/// Each failure costs one game, has its own kind of end, and the match continues.
#[test]
fn every_failure_has_its_kind_of_end() {
    for (behaviour, when, kind, letter, part) in [
        ("crash", 2, "crash", "F", "ended with exit status: 3"),
        ("close", 9, "disconnected", "F", "closed its output"),
        ("late", 2, "time", "T", " ms late"),
        ("illegal", 12, "illegal_move", "F", "it answered `"),
        ("claim", 1, "illegal_move", "F", "it answered `win`"),
        ("pass", 3, "illegal_move", "F", "it answered `pass`"),
        ("resign", 2, "resigned", "R", ""),
        ("garbage", 2, "illegal_move", "F", "it wrote `B3`"),
        ("flood", 2, "illegal_move", "F", "it wrote `B3`"),
        ("endless", 2, "illegal_move", "F", "it wrote `and more`"),
        ("orphan", 2, "crash", "F", "ended with exit status: 3"),
        ("error", 10, "illegal_move", "F", "it answered `? cannot`"),
        ("refuse", 2, "illegal_move", "F", "refuses the legal"),
        ("deaf", 2, "resigned", "R", ""),
        ("chatter", 2, "stall", "F", "`= resign` before it was asked"),
    ] {
        let folder = Folder::new();
        let mut arguments = arguments(&folder, behaviour, when, true);
        arguments.push("--recover".into());
        let report = play(&arguments);
        let games = folder.games();
        assert_eq!(games.len(), 4, "{behaviour}");
        let ends = ends(&games);
        assert_eq!(ends["normal"].len(), 3, "{behaviour}: {ends:?}");
        let lost = &games[&ends[kind][0]];
        assert_lost(lost, kind, letter, part);
        // The moves before are legal, and the game is not over by the rules.
        assert_eq!(replayed(lost).winner(), None, "{behaviour}");
        let sgf = folder.read(&format!("games/{:06}.sgf", ends[kind][0]));
        assert!(sgf.contains(&format!("RE[{}]", lost["result"].as_str().unwrap())));
        let line = format!("{} 1 (bad 1)", kind.replace('_', " "));
        assert!(report.contains(&line), "{behaviour}: {report}");
        let stderr = match behaviour {
            "crash" => vec!["faulty: a first complaint", "faulty: and a last one"],
            _ => Vec::new(),
        };
        let told = lost["stderr"].as_array().cloned().unwrap_or_default();
        assert_eq!(Value::from(told), Value::from(stderr), "{behaviour}");
        assert_eq!(
            lost["players"][place_of_bad(lost)]["identity"]["name"],
            "Faulty"
        );
    }
}

/// A failure does not affect the games before it.
#[test]
fn games_before_a_failure_count() {
    let folder = Folder::new();
    let mut arguments = arguments(&folder, "resign", 25, true);
    arguments.push("--json".into());
    let report: Value = serde_json::from_str(&play(&arguments)).unwrap();
    let games = folder.games();
    let ends = ends(&games);
    assert_eq!(ends["normal"].len(), 3);
    assert!(ends["resigned"][0] > 1, "{ends:?}");
    assert_eq!(report["games"], 4);
    assert_eq!(report["ends"]["resigned"], 1);
}

/// Whether a process still runs, as far as `/proc` tells. A zombie has ended.
pub(super) fn runs(process: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = stat.rsplit(") ").next().unwrap_or_default();
    !stat.is_empty() && !state.starts_with(['Z', 'X'])
}

/// An engine that does not answer is killed with everything it started, and loses its game. The
/// match stops and can be resumed.
#[test]
fn an_engine_that_hangs_is_ended() {
    let folder = Folder::new();
    let mut arguments = arguments(&folder, "hang", 2, true);
    let sentence = failure(&arguments, 1);
    for part in ["game 1: ", " stalls (nothing came in time)", "--recover"] {
        assert!(sentence.contains(part), "{part} is not in: {sentence}");
    }
    let games = folder.games();
    assert_eq!(games.len(), 1);
    assert_lost(&games[&1], "stall", "F", "nothing came in time");
    let stderr = games[&1]["stderr"][0].as_str().unwrap();
    let processes = stderr.strip_prefix("asleep: ").unwrap();
    for process in processes.split(' ') {
        let begin = Instant::now();
        while runs(process) {
            assert!(begin.elapsed() < Duration::from_secs(20), "{process} runs");
            sleep(Duration::from_millis(5));
        }
    }
    arguments.push("--resume".into());
    play(&arguments);
    let games = folder.games();
    assert_eq!(ends(&games)["normal"], [2, 3, 4]);
    assert_eq!(ends(&games)["stall"], [1]);
}

/// An engine that answers without reading costs a game, not the match. The next game has a new
/// process, which answers in step again.
#[test]
fn an_engine_that_does_not_read_is_ended() {
    let folder = Folder::new();
    play(&arguments(&folder, "deaf", 2, false));
    let games = folder.games();
    assert_eq!(ends(&games)["resigned"], [1, 2, 3, 4]);
    for game in games.values() {
        let place = place_of_bad(game);
        assert_eq!(game["end"]["by"], place, "{game}");
        // Its first move is its own.
        let moves = game["moves"].as_array().unwrap().iter();
        let made = moves.filter(|made| made.get("seconds").is_some()).count();
        assert!((2..=3).contains(&made), "{game}");
    }
}

/// The arguments of a match against a script that writes but never reads.
fn against(home: &Folder, script: &str, more: &str) -> Vec<String> {
    let file = home.0.path().join("engine.sh");
    std::fs::write(&file, script).unwrap();
    let bad = format!("name=bad,command=sh {}{more}", file.display());
    words(MATCH, &["--engine", &bad, "--engine", "name=good"])
}

/// An interrupt ends the match at once, even while the pipe to an engine is full.
#[test]
fn an_interrupt_ends_a_write_that_is_stuck() {
    let home = Folder::new();
    let script = "while :; do printf '= x\\n\\n'; sleep 0.05; done";
    // More than a pipe holds.
    let more = format!(",send=komi {}", "0".repeat(100_000));
    let mut child = command(&against(&home, script, &more)).spawn().unwrap();
    sleep(Duration::from_secs(2));
    assert_eq!(child.try_wait().unwrap(), None, "nobody reads the line");
    let pid = rustix::process::Pid::from_raw(child.id() as i32).unwrap();
    let begin = Instant::now();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(begin.elapsed() < Duration::from_secs(6));
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{complaint}");
    assert_eq!(complaint, "tanada: interrupted\n");
}

/// An engine that does not answer is reported after 5 s, once.
#[test]
fn a_long_wait_is_reported() {
    let home = Folder::new();
    let mut child = command(&against(&home, "sleep 600", "")).spawn().unwrap();
    let begin = Instant::now();
    let mut complaint = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    complaint.read_line(&mut line).unwrap();
    assert!(begin.elapsed() >= Duration::from_secs(5));
    let waits = "waiting for bad: it has not answered `name` for ";
    assert!(line.starts_with(waits), "{line}");
    assert!(line.ends_with(" s\n"), "{line}");
    sleep(Duration::from_secs(1));
    let pid = rustix::process::Pid::from_raw(child.id() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let mut rest = String::new();
    complaint.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "tanada: interrupted\n");
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

/// Without `--recover`, a match stops at the first engine that fails, with status 1 and one
/// sentence. The game is kept.
#[test]
fn a_broken_engine_stops_the_match() {
    for (behaviour, kind, parts) in [
        (
            "crash",
            "crash",
            &[
                "crashes",
                "exit status: 3",
                "it wrote `faulty: and a last one`",
            ][..],
        ),
        ("close", "disconnected", &["disconnects"]),
    ] {
        let folder = Folder::new();
        let mut arguments = arguments(&folder, behaviour, 2, true);
        let sentence = failure(&arguments, 1);
        for part in parts.iter().chain(&["game 1: Black ", "--recover"]) {
            assert!(sentence.contains(part), "{part} is not in: {sentence}");
        }
        assert_eq!(ends(&folder.games())[kind], [1]);
        arguments.push("--resume".into());
        play(&arguments);
        assert_eq!(ends(&folder.games())["normal"], [2, 3, 4]);
    }
}

/// A wrong answer costs the game, not the match.
#[test]
fn an_engine_that_answers_wrongly_does_not_stop_the_match() {
    for behaviour in ["illegal", "garbage", "error", "refuse"] {
        let folder = Folder::new();
        play(&arguments(&folder, behaviour, 2, true));
        assert_eq!(ends(&folder.games())["illegal_move"], [1], "{behaviour}");
        assert_eq!(folder.games().len(), 4);
    }
}

/// Lines before the first answer are ignored.
#[test]
fn banners_are_ignored() {
    let folder = Folder::new();
    play(&arguments(&folder, "noise", 1, false));
    assert_eq!(ends(&folder.games())["normal"], [1, 2, 3, 4]);
}

/// A game that cannot be set up is tried again with a new process.
#[test]
fn a_failed_setup_is_tried_with_a_new_process() {
    let folder = Folder::new();
    play(&arguments(&folder, "wrong_setup", 1, false));
    assert_eq!(ends(&folder.games())["normal"], [1, 2, 3, 4]);
}

/// Games that cannot be set up twice do not count, and the next run plays them again.
#[test]
fn void_games_do_not_count() {
    let folder = Folder::new();
    let mut arguments = arguments(&folder, "wrong_setup", 1, true);
    arguments.extend(words("--recover --json", &[]));
    let output = output(&arguments);
    assert_eq!(output.status.code(), Some(1));
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(
        complaint.contains("3 games could not be set up"),
        "{complaint}"
    );
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let games = folder.games();
    assert_eq!(ends(&games)["normal"], [1]);
    assert_eq!(ends(&games)["void"], [2, 3, 4]);
    for number in 2..=4 {
        let game = &games[&number];
        assert_eq!(game["result"], "Void");
        assert_eq!(game["winner"], Value::Null);
        assert_eq!(game["end"]["by"], place_of_bad(game));
        let detail = game["end"]["detail"].as_str().unwrap();
        assert!(detail.contains("the board is stuck"), "{detail}");
    }
    assert_eq!(report["games"], 1);
    assert_eq!(report["ends"]["void"], 3);
    assert_eq!(report["meetings"][0]["games"], 1);
    assert_eq!(
        report["meetings"][0]["pentanomial"],
        Value::from(vec![0; 5])
    );
    std::fs::write(folder.0.path().join("once.off"), "").unwrap();
    arguments.push("--resume".into());
    let report: Value = serde_json::from_str(&play(&arguments)).unwrap();
    assert_eq!(ends(&folder.games())["normal"], [1, 2, 3, 4]);
    assert_eq!(report["games"], 4);
}

/// A test counts games in order, so a void game stops its match.
#[test]
fn a_test_stops_where_an_engine_cannot_be_set_up() {
    let folder = Folder::new();
    let mut arguments = arguments(&folder, "wrong_setup", 1, true);
    arguments.extend(words("--recover --sprt", &[]));
    arguments.push("elo0=0 elo1=10".into());
    let sentence = failure(&arguments, 1);
    for part in ["game 2 ", "twice in a row", "the board is stuck"] {
        assert!(sentence.contains(part), "{part} is not in: {sentence}");
    }
    assert_eq!(ends(&folder.games())["normal"], [1]);
    std::fs::write(folder.0.path().join("once.off"), "").unwrap();
    arguments.push("--resume".into());
    play(&arguments);
    assert_eq!(ends(&folder.games())["normal"], [1, 2, 3, 4]);
}

/// A single unit with void games reports them, with and without a test.
#[test]
fn a_unit_with_void_games_is_not_finished() {
    for more in [&[][..], &["--sprt", "elo0=0 elo1=10"]] {
        let folder = Folder::new();
        let mut arguments = arguments(&folder, "wrong_setup", 1, true);
        arguments.extend(words("--recover --unit 1", more));
        let sentence = failure(&arguments, 1);
        assert!(
            sentence.contains("1 game could not be set up"),
            "{sentence}"
        );
    }
}

/// Without `--recover` the match stops if an engine cannot be set up.
#[test]
fn an_engine_that_cannot_be_set_up_stops_the_match() {
    let folder = Folder::new();
    let arguments = arguments(&folder, "wrong_setup", 1, true);
    let sentence = failure(&arguments, 1);
    for part in ["game 2 ", "twice in a row", "the board is stuck"] {
        assert!(sentence.contains(part), "{part} is not in: {sentence}");
    }
    assert_eq!(ends(&folder.games()).len(), 1, "void games are not kept");
}

/// Unusable engines are reported before the first game.
#[test]
fn engines_that_fail_at_the_start_are_refused() {
    for (behaviour, parts) in [
        (
            "crash",
            &["exit status: 3", "`name`", "faulty: and a last one"][..],
        ),
        ("close", &["closed its output", "`name`"]),
        ("error", &["refuses `name`: cannot"]),
        (
            "wrong_setup",
            &["refuses `clear_board`: the board is stuck"],
        ),
    ] {
        let folder = Folder::new();
        let sentence = failure(&arguments(&folder, behaviour, 0, false), 2);
        for part in parts.iter().chain(&["engine `bad`"]) {
            assert!(sentence.contains(part), "{part} is not in: {sentence}");
        }
    }
    for (program, part) in [("true", "exit status: 0"), ("yes", "it wrote `y`")] {
        let engine = format!("name=bad,command={program}");
        let arguments = words(MATCH, &["--engine", &engine, "--engine", "name=good"]);
        let sentence = failure(&arguments, 2);
        assert!(sentence.contains("engine `bad`"), "{sentence}");
        assert!(sentence.contains(part), "{sentence}");
    }
}

/// The first answer may take half a minute.
#[test]
#[ignore = "waits for half a minute"]
fn an_engine_that_never_answers_is_refused() {
    let arguments = words(
        MATCH,
        &[
            "--engine",
            "name=bad,command=sleep 600",
            "--engine",
            "name=good",
        ],
    );
    let sentence = failure(&arguments, 2);
    assert!(sentence.contains("nothing came in time"), "{sentence}");
}

/// After an engine failed at the start, the folder is still free.
#[test]
fn a_match_that_did_not_begin_leaves_its_folder_free() {
    let folder = Folder::new();
    failure(&arguments(&folder, "error", 0, false), 2);
    let output = output(&arguments(&folder, "resign", 2, true));
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{complaint}");
    assert_eq!(folder.games().len(), 4);
}

/// An interrupt while an engine starts is reported as an interrupt, not as a wrong engine.
#[test]
fn an_interrupt_at_the_start_is_no_complaint() {
    let folder = Folder::new();
    let text = folder.text();
    let engines = [
        "--engine",
        "name=bad,command=sleep 600",
        "--engine",
        "name=good",
        "--records",
        &text,
    ];
    let child = command(&words(MATCH, &engines)).spawn().unwrap();
    let begin = Instant::now();
    while !folder.path().join("games.jsonl").exists() {
        assert!(begin.elapsed() < Duration::from_secs(60));
        sleep(Duration::from_millis(2));
    }
    // The signal handler is installed soon after.
    sleep(Duration::from_millis(200));
    let pid = rustix::process::Pid::from_raw(child.id() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{complaint}");
    assert_eq!(complaint, "tanada: interrupted\n");
}
