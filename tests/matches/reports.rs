//! Reports: golden texts in `tests/data/matches/*.txt`, JSON, and the files in the folder.
//!
//! The first line of a golden file is `> ` and the arguments; the rest is the report with its times
//! replaced. `UPDATE_GOLDEN=1` rewrites the reports. The engines play without evaluation weights,
//! which keeps the reports independent of new weights.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::time::SystemTime;

use serde_json::Value;

use super::{Folder, command, data_path, failure, play, words};

/// The report with its times replaced: `0.0012 s a move, longest 0.0031 s`.
fn timeless(report: &str) -> String {
    let line = |line: &str| {
        let Some((before, rest)) = line.split_once(" moves, ") else {
            return line.to_string();
        };
        let Some((_, visits)) = rest.rsplit_once(" s, ") else {
            return line.to_string();
        };
        format!("{before} moves, T s a move, longest T s, {visits}")
    };
    report.lines().map(|l| line(l) + "\n").collect()
}

/// Arguments in quotes are one word.
fn arguments(text: &str) -> Vec<String> {
    shlex::split(text).unwrap()
}

#[test]
fn reports_repeat() {
    let names = crate::files("matches");
    assert!(names.len() >= 4, "{names:?}");
    for name in names {
        let expected = crate::text(&format!("matches/{name}"));
        let first = expected.lines().next().unwrap();
        let arguments = arguments(first.strip_prefix("> ").unwrap());
        let found = format!("{first}\n{}", timeless(&play(&arguments)));
        if std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
            std::fs::write(data_path(&format!("matches/{name}")), found).unwrap();
        } else {
            assert_eq!(found, expected, "{name}");
        }
    }
}

/// A match with a test that does not decide.
const TESTED: &str = "--size 5 --plies 2 --pairs 3 --engine name=A,preset=playout,iterations=12 \
                      --engine name=B,preset=playout,iterations=3";
const TEST: [&str; 2] = ["--sprt", "elo0=0 elo1=10"];

fn keys(value: &Value) -> Vec<&str> {
    let object = value.as_object().unwrap_or_else(|| panic!("{value}"));
    let mut keys: Vec<&str> = object.keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// `--json` prints one object on one line and nothing else.
#[test]
fn json_is_one_object() {
    let text = play(&words(
        TESTED,
        &[&TEST[..], &["--json", "--rating-interval", "1"]].concat(),
    ));
    assert_eq!(text.lines().count(), 1, "{text}");
    let report: Value = serde_json::from_str(&text).unwrap();
    let all = [
        "conditions",
        "distinct",
        "ends",
        "engines",
        "first_wins",
        "games",
        "meetings",
        "moving_first",
        "planned_games",
        "plies",
        "remarks",
        "seats",
        "sprt",
        "units",
    ];
    assert_eq!(keys(&report), all);
    let meeting = &report["meetings"][0];
    let all = [
        "draw_ratio",
        "draws",
        "elo",
        "engines",
        "games",
        "los",
        "losses",
        "normalized_elo",
        "pairs_ratio",
        "pentanomial",
        "score",
        "wilson",
        "wins",
    ];
    assert_eq!(keys(meeting), all);
    let all = [
        "games",
        "longest_move",
        "moves",
        "name",
        "places",
        "points",
        "rating",
        "score",
        "seconds_per_move",
        "to_blame",
        "visits_per_move",
    ];
    assert_eq!(keys(&report["engines"][0]), all);
    let all = [
        "alpha", "beta", "bounds", "decision", "elo0", "elo1", "llr", "model",
    ];
    assert_eq!(keys(&report["sprt"]), all);
    let number = |value: &Value| value.as_u64().unwrap();
    assert_eq!(number(&report["games"]), 6);
    assert_eq!(number(&report["planned_games"]), 6);
    assert_eq!(number(&report["units"]), 3);
    assert_eq!(number(&meeting["wins"]) + number(&meeting["losses"]), 6);
    let pairs = meeting["pentanomial"].as_array().unwrap();
    assert_eq!(pairs.iter().map(number).sum::<u64>(), 3);
    assert_eq!(report["ends"]["normal"], 6);
    assert_eq!(report["sprt"]["decision"], Value::Null);
    assert_eq!(report["sprt"]["model"], "logistic");
    let [a, b] = [0, 1].map(|engine| &report["engines"][engine]);
    let points = |engine: &Value| engine["points"].as_f64().unwrap();
    assert_eq!(points(a), number(&meeting["wins"]) as f64);
    assert_eq!(points(a) + points(b), 6.0);
}

/// The folder has the last report as text and as JSON, and `--report` prints it again.
#[test]
fn the_folder_holds_the_report() {
    let folder = Folder::new();
    let text = folder.text();
    let records = ["--records", text.as_str()];
    let all = [&TEST[..], &records, &["--rating-interval", "1"]].concat();
    let printed = play(&words(TESTED, &all));
    let report = folder.read("report.txt");
    assert!(printed.ends_with(&report), "{printed}");
    assert_eq!(printed.matches("Games: ").count(), 3, "{printed}");
    for (games, line) in [(2, "Games: 2,"), (4, "Games: 4,"), (6, "Games: 6,")] {
        assert!(printed.contains(line), "no report after {games} games");
    }
    assert!(report.contains("Games: 6,") && !report.contains("Games: 4,"));
    let json = play(&words("--report --json", &records));
    assert_eq!(json, folder.read("report.json") + "\n");
    assert_eq!(play(&words("--report", &records)), report);
    let journal = folder.read("games.jsonl");
    let record = folder.read("games/000001.sgf");
    // As if left by another game.
    std::fs::write(folder.path().join("games/000001.sgf"), "(;RE[Void])").unwrap();
    assert_eq!(play(&words("--resume", &records)), report);
    assert_eq!(folder.read("games/000001.sgf"), record);
    assert_eq!(folder.read("report.txt"), report);
    assert_eq!(folder.read("games.jsonl"), journal);
}

/// Concurrent games end in any order; a report follows each interval of complete pairs.
#[test]
fn reports_follow_the_pairs_that_are_complete() {
    let first = "--size 5 --pairs 30 --oversubscribe --concurrency 3 --rating-interval 2 \
                 --engine name=A,preset=playout,iterations=3 --engine name=B,preset=uct,iterations=2";
    let output = command(&words(first, &[])).output().unwrap();
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{complaint}");
    let mut ended = std::collections::BTreeSet::new();
    let (mut pairs, mut expected) = (0, Vec::new());
    for line in complaint.lines() {
        let number: u64 = line.split(' ').nth(2).unwrap().parse().unwrap();
        ended.insert(number);
        let mut complete = pairs;
        while ended.contains(&(2 * complete + 1)) && ended.contains(&(2 * complete + 2)) {
            complete += 1;
        }
        if complete / 2 > pairs / 2 {
            expected.push(format!("Games: {},", 2 * complete));
        }
        pairs = complete;
    }
    assert_eq!(pairs, 30);
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().filter(|line| line.starts_with("Games: "));
    let found: Vec<String> = lines
        .map(|line| line.split_inclusive(',').next().unwrap().to_string())
        .collect();
    assert_eq!(found, expected);
}

/// An unfinished match is reported as far as it is played.
#[test]
fn a_part_of_a_match_is_reported() {
    let folder = Folder::new();
    let text = folder.text();
    let records = ["--records", text.as_str()];
    let all = [
        &TEST[..],
        &records,
        &["--unit", "1", "--rating-interval", "1"],
    ]
    .concat();
    assert_eq!(play(&words(TESTED, &all)), "");
    let journal = folder.read("games.jsonl");
    let report = play(&words("--report", &records));
    assert!(report.contains("Games: 2,"), "{report}");
    assert_eq!(folder.read("games.jsonl"), journal);
    assert_eq!(folder.read("report.txt"), report);
}

/// The files of a folder with their contents and times.
fn contents(folder: &Folder) -> Vec<(PathBuf, SystemTime, Vec<u8>)> {
    let read = |path: PathBuf| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(path).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let paths = read(folder.path()).into_iter();
    let mut files: Vec<_> = paths
        .chain(read(folder.path().join("games")))
        .map(|path| {
            let written = path.metadata().unwrap().modified().unwrap();
            let content = std::fs::read(&path).unwrap_or_default();
            (path, written, content)
        })
        .collect();
    files.sort();
    files
}

/// `--report` writes nothing, whatever other options it has, and skips a line that a runner is
/// writing.
#[test]
fn a_report_leaves_the_folder_as_it_is() {
    let folder = Folder::new();
    let text = folder.text();
    let records = ["--records", text.as_str()];
    play(&words(TESTED, &[&TEST[..], &records].concat()));
    let journal = folder.path().join("games.jsonl");
    let whole = folder.read("games.jsonl");
    std::fs::write(&journal, format!("{whole}{{\"game\":7,\"un")).unwrap();
    std::fs::remove_file(folder.path().join("lock")).unwrap();
    let report = folder.read("report.txt");
    let before = contents(&folder);
    assert_eq!(play(&words("--report", &records)), report);
    let more = words("--report --pairs 9", &records);
    assert_eq!(play(&more), report);
    let same = words(TESTED, &[&TEST[..], &records, &["--report"]].concat());
    assert_eq!(play(&same), report);
    let error = failure(&words("--report --pairs 2", &records), 2);
    assert!(error.contains("games of 3 rounds"), "{error}");
    assert_eq!(contents(&folder), before);
}

/// `--prepare` writes the settings and plays nothing; a unit, or the match, can be played from
/// them.
#[test]
fn a_match_is_prepared() {
    let folder = Folder::new();
    let text = folder.text();
    let records = ["--records", text.as_str()];
    let prepare = words(TESTED, &[&TEST[..], &records, &["--prepare"]].concat());
    for _ in 0..2 {
        assert_eq!(play(&prepare), "");
        assert_eq!(folder.lines(), 0);
    }
    let report = play(&words("--report", &records));
    assert!(report.contains("Games: 0,"), "{report}");
    play(&words("--unit 2", &records));
    assert_eq!(play(&words("--prepare --pairs 4", &records)), "");
    assert_eq!(folder.games().into_keys().collect::<Vec<_>>(), [3, 4]);
    let settings: Value = serde_json::from_str(&folder.read("match.json")).unwrap();
    assert_eq!(settings["rounds"], 4);
}

/// Names of engines with control characters are cleaned in reports and refused in new matches.
#[test]
fn names_cannot_act_on_a_terminal() {
    let hidden = |text: &str| text.contains(|c| c != '\n' && tanada::util::quote::is_hidden(c));
    let folder = Folder::new();
    let text = folder.text();
    let records = ["--records", text.as_str()];
    play(&words(TESTED, &[&TEST[..], &records].concat()));
    // As a foreign file may contain it: raw where JSON allows that.
    let odd = "\u{202e}\\u001b]0;x\\u0007\\n\u{2066}Z";
    for name in ["match.json", "games.jsonl"] {
        let named = folder
            .read(name)
            .replace("\"name\":\"A\"", &format!("\"name\":\"{odd}\""));
        assert!(named.contains(odd), "{name}");
        std::fs::write(folder.path().join(name), named).unwrap();
    }
    let journal = folder.read("games.jsonl");
    let remark = format!("\"remarks\":[\"{odd}\"]}}\n");
    std::fs::write(
        folder.path().join("games.jsonl"),
        journal.replace("}\n", &format!(",{remark}")),
    )
    .unwrap();
    let told = play(&words("--report", &records));
    let clean = "\u{fffd}\u{fffd}]0;x\u{fffd}\u{fffd}\u{fffd}Z";
    assert!(told.contains(&format!("Results of {clean} vs B")), "{told}");
    assert!(told.contains(&format!("Remark: game 1: {clean}")), "{told}");
    assert!(!hidden(&told), "{told:?}");
    let json = play(&words("--report --json", &records));
    assert!(!hidden(&json), "{json:?}");
    let output = command(&words("--resume --pairs 4", &records))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    for text in [&output.stdout, &output.stderr] {
        assert!(!hidden(std::str::from_utf8(text).unwrap()));
    }
    assert!(folder.read("report.txt").contains(clean));
    for name in ["report.txt", "report.json", "match.json", "games.jsonl"] {
        assert!(!hidden(&folder.read(name)), "{name}");
    }
    // The words are the same.
    let said: Value = serde_json::from_str(&format!("\"{odd}\"")).unwrap();
    assert_eq!(folder.games()[&1]["remarks"][0], said);
    let plan = folder.0.path().join("plan.toml");
    let engines = "[[engine]]\nname = \"\\u202Egood\"\n[[engine]]\nname = \"B\"\n";
    std::fs::write(&plan, engines).unwrap();
    let plan = plan.to_str().unwrap();
    for more in [["--config", plan], ["--engine", "name=a\u{2066}"]] {
        let error = failure(&words("--size 5", &more), 2);
        assert!(error.contains("for `name`: expected"), "{error}");
        assert!(!hidden(&error), "{error:?}");
    }
}

/// A match continues to its end when its output is closed.
#[test]
fn a_closed_output_pipe_is_no_failure() {
    for more in [&["--rating-interval", "1"][..], &["--json"]] {
        let folder = Folder::new();
        let text = folder.text();
        let all = [&["--records", text.as_str()], more].concat();
        let mut child = command(&words(TESTED, &all)).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        if more.len() == 2 {
            let mut line = String::new();
            output.read_line(&mut line).unwrap();
            assert!(line.starts_with("---"), "{line}");
        }
        drop(output);
        let output = child.wait_with_output().unwrap();
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{complaint}");
        assert!(!complaint.contains("panicked"), "{complaint}");
        assert!(!complaint.contains("tanada:"), "{complaint}");
        assert_eq!(folder.games().len(), 6);
        assert_eq!(folder.sgf_names().len(), 6);
        assert!(folder.read("report.txt").contains("Games: 6,"));
    }
}
