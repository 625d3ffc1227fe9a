//! `tanada tune` and the exports of `tanada params`, as processes.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::cli::{command, output, run};

fn refusal(arguments: &[&str]) -> String {
    let output = output(arguments);
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {complaint}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    assert_eq!(complaint.lines().count(), 1, "{complaint}");
    complaint
}

/// Quick games of two parameters.
const QUICK: [&str; 15] = [
    "tune",
    "--size",
    "5",
    "--iterations",
    "4",
    "--plies",
    "2",
    "--pairs",
    "2",
    "--steps",
    "24",
    "--param",
    "cpuct=0.2:0:1:0.1:0.05",
    "--param",
    "virtual_loss=3:0:8:2:0.05",
];

fn tune<'a>(folder: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    [&QUICK[..], &["--folder", folder.to_str().unwrap()], more].concat()
}

/// Names of elements in the order in which they begin; fails unless all are closed as they should.
fn elements(svg: &str) -> Vec<&str> {
    let (mut open, mut names) = (Vec::new(), Vec::new());
    let mut rest = svg;
    while let Some(at) = rest.find('<') {
        assert!(!rest[..at].contains('>'), "{}", &rest[..at]);
        let end = at + rest[at..].find('>').expect("a tag ends");
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        assert!(!tag.contains('<'), "{tag}");
        if tag.starts_with(['?', '!']) {
            continue;
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name.trim()));
            continue;
        }
        let name = tag.split([' ', '\n', '/']).next().unwrap();
        names.push(name);
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest}");
    names
}

/// How often a text stands alone in the diagram.
fn captions(svg: &str, text: &str) -> usize {
    svg.lines().filter(|line| line.trim() == text).count()
}

#[test]
fn a_killed_tuning_ends_like_one_that_ran_through() {
    let home = tempfile::tempdir().unwrap();
    let (whole, killed) = (home.path().join("whole"), home.path().join("killed"));
    let report = run(&tune(&whole, &[]));
    let history = |folder: &Path| fs::read_to_string(folder.join("history.csv")).unwrap();
    assert_eq!(history(&whole).lines().count(), 25);
    for (steps, resume) in [(5, &[][..]), (12, &["--resume"])] {
        let mut child = command(&tune(&killed, resume)).spawn().unwrap();
        let begin = Instant::now();
        while !fs::read_to_string(killed.join("history.csv"))
            .is_ok_and(|text| text.lines().count() > steps)
        {
            assert!(begin.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let text = history(&killed);
        assert!(text.lines().count() < 25, "it was not killed in time");
        // Half a line, as of a kill while it is written.
        fs::write(killed.join("history.csv"), format!("{text}99,3,1,0,0.")).unwrap();
    }
    // The settings are those of the folder.
    let folder = killed.to_str().unwrap();
    assert_eq!(run(&["tune", "--resume", "--folder", folder]), report);
    assert_eq!(history(&killed), history(&whole));
    assert_eq!(run(&tune(&killed, &["--resume"])), report);

    let svg = fs::read_to_string(killed.join("plot.svg")).unwrap();
    assert_eq!(svg, fs::read_to_string(whole.join("plot.svg")).unwrap());
    assert_eq!(elements(&svg).iter().filter(|e| **e == "svg").count(), 1);
    for name in ["cpuct", "virtual_loss"] {
        assert_eq!(captions(&svg, name), 1, "{svg}");
    }
    let json: Value = serde_json::from_str(&run(&tune(&whole, &["--resume", "--json"]))).unwrap();
    let parameters = json["parameters"].as_array().unwrap();
    let last = history(&whole).lines().last().unwrap().to_string();
    for (cell, parameter) in last.split(',').skip(4).zip(parameters) {
        let (told, written) = (parameter["value"].as_f64().unwrap(), cell.parse::<f64>());
        assert_eq!(told, written.unwrap(), "{cell}");
    }
    assert_eq!(
        json["wins"].as_u64().unwrap() + json["losses"].as_u64().unwrap(),
        96
    );
    assert_eq!(json["forfeits"], 0);
    assert!(report.contains("\nforfeits: 0\n"), "{report}");
    let engine = json["engine"].as_str().unwrap();
    assert!(report.contains(&format!("--engine {engine}\n")), "{report}");
    assert!(report.contains("\n--set cpuct=0."), "{report}");

    for (arguments, part) in [
        (tune(&whole, &[]), "`--resume` continues"),
        (
            tune(&whole, &["--resume", "--seed", "2"]),
            "its `seed` differs",
        ),
        (
            tune(&whole, &["--resume", "--scan", "initial_value_visits=1,2"]),
            "`--steps` cannot be used with `--scan`",
        ),
        (
            vec![
                "tune",
                "--folder",
                whole.to_str().unwrap(),
                "--scan",
                "initial_value_visits=1,2",
            ],
            "holds games already",
        ),
    ] {
        let complaint = refusal(&arguments);
        assert!(complaint.contains(part), "{part} is not in: {complaint}");
    }
    let broken = history(&whole).replace("\n7,", "\n8,");
    fs::write(whole.join("history.csv"), broken).unwrap();
    let complaint = refusal(&tune(&whole, &["--resume"]));
    assert!(
        complaint.contains("line 8: invalid step `8`: expected 7"),
        "{complaint}"
    );
}

#[test]
fn a_folder_without_steps_is_free_and_one_without_settings_is_not() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("tune");
    let at = folder.to_str().unwrap();
    // Half of the range has more digits than a reader may keep.
    let line = "tune --size 5 --iterations 4 --plies 2 --pairs 1 --steps 2 --param \
                cpuct=0.26:0.25:0.28 --folder";
    let words: Vec<&str> = line.split_whitespace().chain([at]).collect();
    let tune = |more: &[&'static str]| [&words[..], more].concat();
    let failed = output(&tune(&["--engine", "command=nowhere/engine"]));
    assert!(!failed.status.success());
    let text = run(&tune(&[]));
    assert_eq!(run(&tune(&["--resume"])), text);
    fs::remove_file(folder.join("tune.json")).unwrap();
    let complaint = refusal(&tune(&[]));
    assert!(complaint.contains("holds games already"), "{complaint}");
}

#[test]
fn a_scan_compares_values_with_the_engine() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("scan");
    let arguments = |more: &[&'static str]| {
        let mut arguments = vec!["tune", "--size", "5", "--iterations", "4", "--plies", "2"];
        arguments.extend(["--pairs", "3", "--scan", "uct_exploration=0.1:0.5:3"]);
        arguments.extend(more);
        arguments
    };
    let at = folder.to_str().unwrap().to_string();
    let arguments = |more| [&arguments(more)[..], &["--folder", &at]].concat();
    let table = run(&arguments(&[]));
    let lines: Vec<&str> = table.lines().collect();
    assert!(
        lines[0].starts_with("uct_exploration  games  forfeits "),
        "{table}"
    );
    assert_eq!(lines.len(), 4, "{table}");
    let csv = fs::read_to_string(folder.join("scan.csv")).unwrap();
    for (line, value) in csv.lines().skip(1).zip(["0.1", "0.3", "0.5"]) {
        assert!(line.starts_with(&format!("{value},6,")), "{csv}");
    }
    let svg = fs::read_to_string(folder.join("plot.svg")).unwrap();
    let names = elements(&svg);
    assert_eq!(names.iter().filter(|name| **name == "circle").count(), 3);
    // Nothing is left to be played.
    let games = fs::read_to_string(folder.join("games.jsonl")).unwrap();
    assert_eq!(games.lines().count(), 18);
    let json: Value = serde_json::from_str(&run(&arguments(&["--resume", "--json"]))).unwrap();
    assert_eq!(json["points"].as_array().unwrap().len(), 3);
    assert_eq!(json["points"][1]["games"], 6);
    assert_eq!(
        games,
        fs::read_to_string(folder.join("games.jsonl")).unwrap()
    );
    let complaint = refusal(&[&QUICK[..], &["--folder", &at]].concat());
    assert!(complaint.contains("holds games already"), "{complaint}");
}

/// SIGTERM ends a tuning with what its steps came to, and it goes on as if nothing had happened.
#[cfg(unix)]
#[test]
fn a_signal_keeps_the_steps_of_a_tuning() {
    let home = tempfile::tempdir().unwrap();
    let (whole, stopped) = (home.path().join("whole"), home.path().join("stopped"));
    let report = run(&tune(&whole, &[]));
    let mut child = command(&tune(&stopped, &[]))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let history = || fs::read_to_string(stopped.join("history.csv")).unwrap_or_default();
    let begin = Instant::now();
    while history().lines().count() < 4 {
        assert!(begin.elapsed() < Duration::from_secs(60));
        assert_eq!(child.try_wait().unwrap(), None);
        std::thread::sleep(Duration::from_millis(1));
    }
    let pid = rustix::process::Pid::from_raw(child.id() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let output = child.wait_with_output().unwrap();
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(143), "{complaint}");
    let last = complaint.lines().last().unwrap();
    assert_eq!(last, "tanada: interrupted; `--resume` continues");
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("\n--set cpuct=0."), "{told}");
    let svg = fs::read_to_string(stopped.join("plot.svg")).unwrap();
    assert_eq!(captions(&svg, "virtual_loss"), 1);
    assert!(history().ends_with('\n') && history().lines().count() < 25);
    assert_eq!(run(&tune(&stopped, &["--resume"])), report);
}

/// The arguments of a tuning of the failing script, which has a link of its own beside the
/// folder; each of its processes crashes at its first move.
#[cfg(unix)]
fn faulty(home: &Path, more: &str) -> Vec<String> {
    let script = home.join("engine.sh");
    if !script.exists() {
        let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/engines/faulty.sh");
        std::os::unix::fs::symlink(data, &script).unwrap();
    }
    let (script, folder) = (script.display(), home.join("tune"));
    let engine = format!(
        "command={script} crash 1 {} gtp --threads 1 --memory 8 --iterations 4,time_per_move=30",
        env!("CARGO_BIN_EXE_tanada")
    );
    let words = format!("tune --size 5 --plies 2 --pairs 1 {more} --folder");
    let words = words.split(' ').map(str::to_string);
    let rest = [folder.display().to_string(), "--engine".into(), engine];
    words.chain(rest).collect()
}

#[cfg(unix)]
fn texts(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

#[cfg(unix)]
#[test]
fn games_that_faults_decide_are_counted_in_a_tuning() {
    let home = tempfile::tempdir().unwrap();
    let spsa = "--param uct_exploration --steps 2";
    let stopped = output(&texts(&faulty(home.path(), spsa)));
    assert_eq!(stopped.status.code(), Some(1));
    let complaint = String::from_utf8(stopped.stderr).unwrap();
    assert!(complaint.contains("`--recover`"), "{complaint}");

    // Whoever moves first crashes.
    let arguments = faulty(home.path(), &format!("{spsa} --resume --recover --json"));
    let done = output(&texts(&arguments));
    let notes = String::from_utf8(done.stderr).unwrap();
    assert!(done.status.success(), "{notes}");
    assert!(notes.contains("step 1 of 2: "), "{notes}");
    assert!(notes.lines().next().unwrap().ends_with(", forfeits: 2"));
    let json: Value = serde_json::from_slice(&done.stdout).unwrap();
    for (key, count) in [("wins", 2), ("losses", 2), ("forfeits", 4)] {
        assert_eq!(json[key], count, "{json}");
    }
    let history = home.path().join("tune/history.csv");
    let text = fs::read_to_string(&history).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "step,wins,losses,forfeits,uct_exploration");
    assert!(lines[1].starts_with("1,1,1,2,"), "{text}");

    // An engine that is gone is the user's to find, at any step.
    fs::write(&history, format!("{}\n{}\n", lines[0], lines[1])).unwrap();
    let arguments = faulty(home.path(), &format!("{spsa} --resume"));
    fs::remove_file(home.path().join("engine.sh")).unwrap();
    let complaint = refusal(&texts(&arguments));
    assert!(complaint.contains("engine.sh"), "{complaint}");
}

#[cfg(unix)]
#[test]
fn games_that_faults_decide_are_counted_in_a_scan() {
    let home = tempfile::tempdir().unwrap();
    let scan = "--scan initial_value_visits=1,2 --recover --json";
    let done = output(&texts(&faulty(home.path(), scan)));
    let notes = String::from_utf8(done.stderr).unwrap();
    assert!(done.status.success(), "{notes}");
    assert!(notes.contains("game 4 of 4, forfeits: 4\n"), "{notes}");
    assert!(notes.contains("the unchanged engine, forfeits: 2\n"));
    let json: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(json["base_forfeits"], 2);
    for point in json["points"].as_array().unwrap() {
        assert_eq!(
            (&point["losses"], &point["forfeits"]),
            (&1.into(), &1.into())
        );
    }
    let csv = fs::read_to_string(home.path().join("tune/scan.csv")).unwrap();
    let head =
        "initial_value_visits,games,wins,losses,forfeits,score,elo,elo_error,los\n1,2,1,1,1,0.5,";
    assert!(csv.starts_with(head), "{csv}");
}

#[test]
fn wrong_tunings_are_refused_before_anything_is_played() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("none");
    let folder = folder.to_str().unwrap();
    let param = ["--param", "initial_value_visits"];
    for (arguments, part) in [
        (&[][..], "no parameters to tune"),
        (&["--param", "speed"], "unknown parameter `speed`"),
        (&["--param", "leaf"], "`leaf` cannot be tuned"),
        (&["--param", "threads"], "`threads` cannot be tuned"),
        (
            &["--param", "initial_value_visits=1:3:2"],
            "invalid range `3:2`",
        ),
        (
            &["--param", "initial_value_visits=1:2:2"],
            "invalid range `2:2`",
        ),
        (
            &["--param", "initial_value_visits=1:0:200"],
            "invalid value `200`",
        ),
        (
            &["--param", "initial_value_visits=1:0:2:0"],
            "invalid c_end `0`",
        ),
        (
            &[
                "--param",
                "initial_value_visits",
                "--param",
                "initial_value_visits=2",
            ],
            "twice",
        ),
        (
            &[&param[..], &["--steps", "0"]].concat(),
            "invalid value `0` for `--steps`",
        ),
        (
            &[&param[..], &["--pairs", "-1"]].concat(),
            "invalid value `-1` for `--pairs`",
        ),
        (
            &[&param[..], &["--iterations", "5", "--clock", "10"]].concat(),
            "`--iterations` cannot be used with `--clock`",
        ),
        (
            &[&param[..], &["--engine", "speed=1"]].concat(),
            "unknown parameter `speed`",
        ),
        (
            &[&param[..], &["--engine", "name=a", "--engine", "name=b"]].concat(),
            "2 engines were given; `tune` takes one",
        ),
        (
            &[&param[..], &["--concurrency", "0"]].concat(),
            "invalid value `0` for `--concurrency`",
        ),
        (
            &[&param[..], &["--players", "4"]].concat(),
            "two seats, not on `4`",
        ),
        (
            &["--scan", "initial_value_visits=1,2", "--players", "4"],
            "two seats, not on `4`",
        ),
        (
            &["--scan", "initial_value_visits=1"],
            "invalid number of values `1`",
        ),
        (&["--scan", "leaf=linear,playout"], "`leaf` cannot be tuned"),
        (
            &["--scan", "initial_value_visits=1,2", "--steps", "3"],
            "`--scan` cannot be used with `--steps`",
        ),
        (&["--resume"], "holds no tuning"),
        (
            &["--resume", "--seed", "3"],
            "all settings of the tuning or none",
        ),
    ] {
        let complaint = refusal(&[&["tune", "--folder", folder], arguments].concat());
        assert!(complaint.contains(part), "{part} is not in: {complaint}");
    }
    assert!(!Path::new(folder).exists());
    let complaint = refusal(&["tune", "--param", "initial_value_visits"]);
    assert!(complaint.contains("--folder"), "{complaint}");
}

#[test]
fn settings_of_the_folder_that_are_wrong_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("tune.json");
    let arguments = [
        "tune",
        "--resume",
        "--folder",
        home.path().to_str().unwrap(),
    ];
    for text in ["", "{}", "{\"steps\": 3}", "[1"] {
        fs::write(&file, text).unwrap();
        let complaint = refusal(&arguments);
        let expected = "tune.json` does not hold the settings of a tuning: ";
        assert!(complaint.contains(expected), "{complaint}");
    }
}

#[test]
fn parameters_are_exported_for_other_tuners() {
    let openbench = "\
uct_exploration, float, 0.065, 0.0, 10.0, 0.02, 0.002
initial_value_visits, float, 2.4, 0.0, 100.0, 0.25, 0.002
cpuct, float, 0.3, 0.0, 10.0, 0.02, 0.002
fpu_reduction, float, 0.1, 0.0, 1.0, 0.02, 0.002
fpu_visits, float, 0.2, 0.0, 100.0, 0.1, 0.002
evaluation_noise, float, 0.01, 0.0, 0.5, 0.005, 0.002
fpu_value, float, 0.5, 0.0, 10.0, 0.05, 0.002
rave_equivalence, float, 0.0, 0.0, 100000.0, 100.0, 0.002
playout_redraws, int, 3, 0, 16, 1, 0.002
paranoia, float, 0.0, 0.0, 1.0, 0.1, 0.002
multiplayer_factor, float, 0.3, 0.0, 10.0, 0.05, 0.002
lcb_deviations, float, 1.0, 0.0, 100.0, 0.25, 0.002
value_bias_factor, float, 0.8, 0.0, 2.0, 0.1, 0.002
value_bias_prior_visits, float, 20.0, 0.0, 1000.0, 2.0, 0.002
virtual_loss, int, 1, 0, 16, 1, 0.002
forced_playouts, float, 0.0, 0.0, 100.0, 0.5, 0.002
root_noise, float, 0.0, 0.0, 1.0, 0.05, 0.002
solve_points, int, 40, 0, 100, 1, 0.002
";
    assert_eq!(run(&["params", "--format", "openbench"]), openbench);
    let text = run(&["params", "--format", "weather-factory"]);
    assert!(text.starts_with(
        "{\n  \"uct_exploration\": {\"value\": 0.065, \"min_value\": 0.0, \"max_value\": 10.0, \
         \"step\": 0.02},\n"
    ));
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json.as_object().unwrap().len(), openbench.lines().count());
    assert_eq!(json["virtual_loss"]["max_value"], 16);
    assert_eq!(run(&["params", "--format", "table"]), run(&["params"]));
    assert!(refusal(&["params", "--format", "xml"]).contains("`xml`"));
    let both = ["params", "--json", "--format", "openbench"];
    assert!(refusal(&both).contains("cannot be used with"));
}
