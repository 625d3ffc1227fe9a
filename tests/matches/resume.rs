//! Matches that are killed, resumed, refused and extended.

use std::path::PathBuf;
use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;

use super::{Folder, command, failure, play, vertices, words};

/// Reproducible engines on a small board.
const ENGINES: [&str; 4] = [
    "--engine",
    "name=A,preset=playout,iterations=12,memory=8",
    "--engine",
    "name=B,preset=playout,iterations=6,memory=8",
];

/// A match long enough to be killed.
const LONG: &str = "--size 7 --pairs 30 --rating-interval 0";

/// A match that a test ends before its last pair.
const TESTED: &str = "--size 7 --pairs 60 --rating-interval 0 --sprt";
const TEST: &str = "elo0=-60 elo1=60";

fn arguments(first: &str, more: &[&str], folder: &Folder) -> Vec<String> {
    let text = folder.text();
    let records = ["--records", text.as_str()];
    words(first, &[more, &ENGINES[..], &records[..]].concat())
}

fn with(mut arguments: Vec<String>, more: &str) -> Vec<String> {
    arguments.extend(words(more, &[]));
    arguments
}

/// Waits until the journal has this many lines, and then a random moment.
fn wait_for(folder: &Folder, lines: usize, child: &mut Child) {
    let begin = Instant::now();
    while folder.lines() < lines {
        assert!(begin.elapsed() < Duration::from_secs(120), "no games");
        assert_eq!(child.try_wait().unwrap(), None, "it ended before");
        sleep(Duration::from_millis(2));
    }
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    sleep(Duration::from_micros(
        u64::from(now.unwrap().subsec_nanos()) % 50_000,
    ));
}

/// Starts the match, kills it once the journal has this many lines, and returns how many it has.
fn kill_after(lines: usize, arguments: &[String], folder: &Folder) -> usize {
    let mut child = command(arguments)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    wait_for(folder, lines, &mut child);
    child.kill().unwrap();
    child.wait().unwrap();
    folder.lines()
}

/// Cuts bytes off the end of the journal.
fn cut(folder: &Folder, bytes: u64) {
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(folder.path().join("games.jsonl"))
        .unwrap();
    file.set_len(file.metadata().unwrap().len() - bytes)
        .unwrap();
}

/// A report without times.
fn timeless(report: &str) -> Value {
    let mut report: Value = serde_json::from_str(report).unwrap();
    for engine in report["engines"].as_array_mut().unwrap() {
        for key in ["seconds_per_move", "longest_move"] {
            engine.as_object_mut().unwrap().remove(key).unwrap();
        }
    }
    report
}

/// A match that is killed twice, with its last line torn, ends with the games and the report of an
/// undisturbed one. So does a match with a test, which decides at the same pair.
#[test]
fn a_killed_match_ends_like_any_other() {
    for (first, more, kills) in [(LONG, &[][..], [9, 20]), (TESTED, &[TEST], [5, 14])] {
        let whole = Folder::new();
        let all = with(arguments(first, more, &whole), "--json");
        let report = timeless(&play(&all));
        let games = whole.timeless();
        match more {
            [] => assert_eq!(games.len(), 60),
            _ => assert!(report["sprt"]["decision"].is_string(), "{report}"),
        }
        assert!(games.len() > kills[1] + 4, "{} games", games.len());
        for concurrency in ["1", "2"] {
            let folder = Folder::new();
            let all = with(
                arguments(first, more, &folder),
                &format!("--json --oversubscribe --concurrency {concurrency}"),
            );
            let left = kill_after(kills[0], &all, &folder);
            assert!(left < games.len(), "killed too late");
            let resumed = with(all, "--resume");
            cut(&folder, 10);
            let left = kill_after(kills[1], &resumed, &folder);
            assert!(left < games.len(), "killed too late");
            cut(&folder, 1);
            assert_eq!(timeless(&play(&resumed)), report);
            assert_eq!(folder.timeless(), games);
            assert_eq!(folder.sgf_names(), whole.sgf_names());
            let names: Vec<String> = games.keys().map(|n| format!("{n:06}.sgf")).collect();
            assert_eq!(folder.sgf_names(), names);
            let numbers: Vec<u64> = folder
                .read("games.jsonl")
                .lines()
                .map(|line| {
                    serde_json::from_str::<Value>(line).unwrap()["game"]
                        .as_u64()
                        .unwrap()
                })
                .collect();
            assert!(numbers.is_sorted(), "{numbers:?}");
        }
    }
}

/// This build as a program plays the same moves as without a process.
#[test]
fn a_process_plays_like_none() {
    let moves = |command: &str, concurrency: &str| {
        let folder = Folder::new();
        let engines = ["preset=playout,iterations=12", "preset=uct,iterations=9"]
            .iter()
            .zip(["A", "B"])
            .flat_map(|(engine, name)| {
                let engine = format!("{engine},name={name},threads=1,memory=8{command}");
                ["--engine".to_string(), engine]
            });
        let mut arguments = words(
            "--size 7 --pairs 3 --rating-interval 0 --oversubscribe",
            &["--concurrency", concurrency, "--records", &folder.text()],
        );
        arguments.extend(engines);
        play(&arguments);
        folder.games()
    };
    let inside = moves("", "1");
    let command = format!(",command={} gtp", env!("CARGO_BIN_EXE_tanada"));
    let outside = moves(&command, "3");
    assert_eq!(inside.len(), 6);
    for (number, game) in &inside {
        let other = &outside[number];
        assert_eq!(vertices(game), vertices(other), "game {number}");
        assert_eq!(game["result"], other["result"]);
        for key in ["value", "visits"] {
            let [a, b] = [game, other].map(|game| -> Vec<&Value> {
                let moves = game["moves"].as_array().unwrap().iter();
                moves.map(|record| &record[key]).collect()
            });
            assert_eq!(a, b, "game {number}");
        }
        assert!(other["players"][0]["program"]["command"].is_array());
    }
}

/// A folder has one runner at a time; the lock ends with the process.
#[test]
fn a_folder_has_one_runner() {
    let folder = Folder::new();
    let long = "--size 9 --pairs 1000 --rating-interval 0";
    let mut child = command(&arguments(long, &[], &folder))
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    wait_for(&folder, 1, &mut child);
    for more in ["", "--resume", "--prepare", "--unit 3"] {
        let sentence = failure(&with(arguments(long, &[], &folder), more), 2);
        assert!(
            sentence.contains("is in use by another runner"),
            "{sentence}"
        );
    }
    // A report takes no lock.
    let text = folder.text();
    let report = words("--report", &["--records", &text]);
    for arguments in [&report, &with(arguments(long, &[], &folder), "--report")] {
        assert!(play(arguments).contains("Results of A vs B"));
    }
    assert_eq!(child.try_wait().unwrap(), None);
    child.kill().unwrap();
    child.wait().unwrap();
    play(&report);
}

/// A match is resumed only on demand, and only with the same settings.
#[test]
fn a_folder_holds_one_match() {
    let folder = Folder::new();
    let short = "--size 5 --pairs 1 --plies 2";
    let first = arguments(short, &[], &folder);
    play(&first);
    let games = folder.games();
    let sentence = failure(&first, 2);
    for part in [folder.text().as_str(), "holds a match already", "--resume"] {
        assert!(sentence.contains(part), "{part} is not in: {sentence}");
    }
    for (other, field) in [
        ("--size 5 --pairs 1 --plies 3", "openings"),
        ("--size 6 --pairs 1 --plies 2", "start"),
        ("--size 5 --pairs 1 --plies 2 --seed 2", "seed"),
        ("--size 5 --pairs 1 --plies 2 --format gauntlet", "format"),
        ("--size 5 --pairs 1 --plies 2 --stall 5", "stall"),
        (
            "--size 5 --pairs 1 --plies 2 --engine iterations=3",
            "engines",
        ),
    ] {
        let sentence = failure(&with(arguments(other, &[], &folder), "--resume"), 2);
        assert!(sentence.contains("holds another match"), "{sentence}");
        assert!(sentence.contains(&format!("`{field}`")), "{sentence}");
    }
    let sentence = failure(
        &with(arguments(short, &["--sprt", TEST], &folder), "--resume"),
        2,
    );
    assert!(sentence.contains("`sprt`"), "{sentence}");
    assert_eq!(folder.games(), games, "nothing was touched");
}

/// More pairs continue where the match ended, with the games of a match of that length. The engines
/// may be left out, and the folder keeps the new length.
#[test]
fn a_match_can_be_extended() {
    let whole = Folder::new();
    play(&arguments("--size 5 --pairs 5 --plies 2", &[], &whole));
    let games = whole.timeless();
    assert_eq!(games.len(), 10);
    let folder = Folder::new();
    play(&arguments("--size 5 --pairs 2 --plies 2", &[], &folder));
    let begin = folder.games();
    let longer = arguments("--size 5 --pairs 3 --plies 2 --resume", &[], &folder);
    play(&longer);
    assert_eq!(folder.games().len(), 6);
    let text = folder.text();
    play(&words("--resume --pairs 5", &["--records", &text]));
    assert_eq!(folder.timeless(), games);
    for (number, game) in &begin {
        assert_eq!(&folder.games()[number], game, "played once");
    }
    let settings: Value = serde_json::from_str(&folder.read("match.json")).unwrap();
    assert_eq!(settings["rounds"], 5);
    let error = failure(&words("--resume --pairs 4", &["--records", &text]), 2);
    assert!(error.contains("games of 5 rounds: expected at least as many, not `4`"));
    play(&words("--resume", &["--records", &text]));
    assert_eq!(folder.timeless(), games);
}

/// An engine with a file of weights of its own.
struct Weighted {
    file: PathBuf,
    engine: String,
}

impl Weighted {
    const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/tanbo/weights/dense.txt");

    fn new(folder: &Folder) -> Self {
        let file = folder.path().join("weights");
        std::fs::create_dir_all(folder.path()).unwrap();
        std::fs::copy(Self::TABLE, &file).unwrap();
        let engine = format!("name=C,iterations=5,weights={}", file.display());
        Self { file, engine }
    }

    /// Atomically replaces the file by another one with the same weights.
    fn change(&self) {
        let new = self.file.with_extension("new");
        let changed = std::fs::read_to_string(Self::TABLE).unwrap() + "\n";
        std::fs::write(&new, changed).unwrap();
        std::fs::rename(new, &self.file).unwrap();
    }
}

/// A match does not resume with another engine under the same name.
#[test]
fn another_engine_does_not_go_on() {
    let folder = Folder::new();
    let weighted = Weighted::new(&folder);
    let first = "--size 5 --pairs 1 --plies 2";
    play(&arguments(first, &["--engine", &weighted.engine], &folder));
    let text = folder.text();
    let more = words("--resume --pairs 2", &["--records", &text]);
    weighted.change();
    let error = failure(&more, 2);
    assert!(error.contains("engine `C` is `Tanada"), "{error}");
    std::fs::copy(Weighted::TABLE, &weighted.file).unwrap();
    play(&more);
}

/// Nor does a running match continue with one.
#[test]
fn another_engine_does_not_take_over() {
    let folder = Folder::new();
    let weighted = Weighted::new(&folder);
    let arguments = arguments(LONG, &["--engine", &weighted.engine], &folder);
    let mut child = command(&arguments)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(&folder, 2, &mut child);
    weighted.change();
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("engine `C` is `Tanada"), "{error}");
    assert!((2..60).contains(&folder.lines()), "what was played is kept");
}

/// `--unit` plays only the games of one pair; all units together are the match.
#[test]
fn units_add_up_to_the_match() {
    let whole = Folder::new();
    let three = ["--engine", "name=C,preset=playout,iterations=3,memory=8"];
    let first = "--size 5 --pairs 1 --plies 2";
    play(&arguments(first, &three, &whole));
    let folder = Folder::new();
    for (unit, pairing) in [("3", 2), ("1", 0), ("2", 1)] {
        let arguments = with(
            arguments(first, &three, &folder),
            &format!("--unit {unit} --json"),
        );
        let report: Value = serde_json::from_str(&play(&arguments)).unwrap();
        for meeting in 0..3 {
            let games = if meeting == pairing { 2 } else { 0 };
            assert_eq!(
                report["meetings"][meeting]["games"], games,
                "unit {unit}: {report}"
            );
        }
    }
    assert_eq!(folder.lines(), 6);
    let text = folder.text();
    play(&words("--resume", &["--records", &text]));
    assert_eq!(folder.timeless(), whole.timeless());
}

/// An interrupt keeps the finished games and exits with status 130.
#[test]
#[cfg(unix)]
fn an_interrupted_match_goes_on() {
    let folder = Folder::new();
    let arguments = arguments("--size 7 --pairs 20 --rating-interval 0", &[], &folder);
    let mut child = command(&arguments).spawn().unwrap();
    wait_for(&folder, 1, &mut child);
    let pid = rustix::process::Pid::from_raw(child.id() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let status = child.wait().unwrap();
    let complaint = std::io::read_to_string(child.stderr.unwrap()).unwrap();
    assert_eq!(status.code(), Some(130), "{complaint}");
    let last = complaint.lines().last().unwrap();
    assert_eq!(last, "tanada: interrupted; `--resume` continues");
    assert!(!folder.read("games.jsonl").contains("interrupted"));
    play(&with(arguments, "--resume"));
    assert_eq!(folder.games().len(), 40);
}
