//! The program as a process: what it prints, and with which status it ends.

mod accuracy;
mod analyze;
mod doctor;
mod endings;
mod games;
#[cfg(target_os = "linux")]
mod interrupts;
mod loading;
mod outputs;
#[cfg(unix)]
mod play;
mod prove;
pub(crate) mod refusals;
mod saved;
pub(crate) mod selfplay;
mod settings;
mod shells;
mod solve;
#[cfg(unix)]
mod streams;

use std::io::Write;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tanada::board::vertex;
use tanada::engine::Engine;
use tanada::params::Params;
use tanada::tanbo::NamedSetup;
use tanada::util::random::Random;

pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tanada"));
    command
        .args(arguments)
        .env_remove("TANADA_PORTABLE")
        .env("TANADA_CONFIG", "")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

pub(crate) fn output(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

/// The standard output of a run that must succeed.
pub(crate) fn run(arguments: &[&str]) -> String {
    succeeded(arguments, &output(arguments))
}

fn succeeded(arguments: &[&str], output: &Output) -> String {
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{arguments:?}: {:?}, {complaint}",
        output.status
    );
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    let text = run(arguments);
    assert_eq!(text.lines().count(), 1, "{text}");
    serde_json::from_str(&text).unwrap()
}

/// The standard output of a solver that its limits ended: exit status 3, and why in one line.
fn undecided(arguments: &[&str]) -> String {
    let output = output(arguments);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{arguments:?}: {complaint}");
    let why = complaint.lines().last().unwrap();
    assert!(why.starts_with("tanada: the search reached `--"), "{why}");
    String::from_utf8(output.stdout).unwrap()
}

/// The same, as JSON.
fn undecided_json(arguments: &[&str]) -> Value {
    serde_json::from_str(&undecided(arguments)).unwrap()
}

/// Starts the program with its input open.
fn start(arguments: &[&str]) -> Child {
    command(arguments).stdin(Stdio::piped()).spawn().unwrap()
}

/// What the program answers to `input`, which then ends.
pub(crate) fn answers(arguments: &[&str], input: &str) -> String {
    let mut child = start(arguments);
    let mut to = child.stdin.take().unwrap();
    to.write_all(input.as_bytes()).unwrap();
    drop(to);
    succeeded(arguments, &child.wait_with_output().unwrap())
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    keys.sort_unstable();
    keys
}

#[test]
fn version_and_help() {
    assert_eq!(
        run(&["--version"]),
        format!("tanada {}\n", env!("CARGO_PKG_VERSION"))
    );
    let help = run(&["--help"]);
    for part in [
        "Mark Steere",
        "--size",
        "--setup",
        "--players",
        "--threads",
        "--memory",
        "--seed",
        "--time-per-move",
        "--iterations",
        "--preset",
        "--set",
        "--resign",
        "--log",
        "genmove",
        "perft",
        "params",
        "bench",
        "demo",
    ] {
        assert!(help.contains(part), "{part} is not in\n{help}");
    }
    for name in ["gtp", "genmove", "perft", "params", "bench", "demo"] {
        assert!(run(&[name, "--help"]).contains("Usage: tanada"));
    }
}

#[test]
fn help_shows_the_defaults_of_its_command() {
    let memory = format!("[default: {}]", Params::default().memory);
    for (command, defaults) in [
        ("gtp", &["[default: 19, or", "[default: 0]", &memory][..]),
        (
            "analysis",
            &[
                "together, in MiB",
                "[default: 1]",
                "without `maxVisits`",
                &memory,
            ],
        ),
        (
            "genmove",
            &["for a move, in seconds", "[default: 1; none if"],
        ),
        (
            "analyze",
            &["for a move, in seconds", "[default: 1; none if"],
        ),
        ("demo", &["[default: 9, or", "[default: 0.15, and"]),
        ("play", &["[default: 9, or", "[default: 1; none if"]),
        ("accuracy", &["[default: 6, or", "[default: 0.1]"]),
        ("match", &["[default: 19, or", "[default: 0.1 without"]),
    ] {
        let help = run(&[command, "--help"]);
        let words: Vec<&str> = help.split_whitespace().collect();
        let help = words.join(" ");
        for default in defaults {
            assert!(help.contains(default), "{default} is not in\n{help}");
        }
        let others = ["in `analysis`", "in `demo`"];
        assert!(!others.iter().any(|other| help.contains(other)), "{help}");
    }
}

#[test]
fn perft_prints_one_line_for_each_depth_and_nothing_else() {
    for (arguments, counts) in [
        (&["--size", "9"][..], &[8, 64, 608][..]),
        (&["--size", "5", "--setup", "corners"], &[4, 16, 80, 396]),
        (&["--size", "7", "--setup", "dense"], &[24, 552]),
        (&["--players", "4"], &[12, 144]),
    ] {
        let depth = counts.len().to_string();
        let arguments: Vec<&str> = ["perft", "--depth", &depth]
            .iter()
            .chain(arguments)
            .copied()
            .collect();
        let expected: String = counts
            .iter()
            .enumerate()
            .map(|(i, count)| format!("{} {count}\n", i + 1))
            .collect();
        assert_eq!(run(&arguments), expected);
        let object = json(&[&arguments[..], &["--json"]].concat());
        assert_eq!(object["depth"], counts.len());
        assert_eq!(object["counts"], Value::from(counts.to_vec()));
    }
}

#[test]
fn a_file_brings_its_own_size() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("five.txt");
    std::fs::write(&path, "O...X\n.....\n.....\n.....\nX...O\n").unwrap();
    let path = path.to_str().unwrap();
    assert_eq!(
        run(&["perft", "--depth", "3", "--setup", path]),
        "1 4\n2 16\n3 80\n"
    );
    let board = answers(&["--setup", path], "showboard\nquit\n");
    assert!(board.contains("\n 5 O . . . X 5\n"), "{board}");
}

const SEARCH: [&str; 8] = [
    "--size",
    "9",
    "--iterations",
    "60",
    "--seed",
    "1",
    "--threads",
    "1",
];

fn genmove(more: &[&str]) -> Value {
    json(&[&["genmove", "--json"], &SEARCH[..], more].concat())
}

/// What must not depend on the clock.
fn timeless(mut value: Value) -> Value {
    value.as_object_mut().unwrap().remove("seconds").unwrap();
    value
}

#[test]
fn genmove_answers_with_the_best_moves() {
    let mut answer = genmove(&["--moves", "C2 b7"]);
    // Only where the first move has a lower value than another.
    let order = answer.as_object_mut().unwrap().remove("order");
    let line = [
        "initial_value",
        "move",
        "prior",
        "proven",
        "pv",
        "value",
        "visits",
    ];
    let mut top = [
        &line[..],
        &["iterations", "moves", "seconds", "to_move", "winner"],
    ]
    .concat();
    top.sort_unstable();
    assert_eq!(keys(&answer), top);
    let moves = answer["moves"].as_array().unwrap();
    assert!((2..=5).contains(&moves.len()), "{answer}");
    for key in line.iter().filter(|key| **key != "proven") {
        assert_eq!(answer[key], moves[0][key], "{key}");
    }
    for found in moves {
        assert_eq!(keys(found), line);
        let value = found["value"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&value));
        assert!(found["prior"].is_f64() && found["visits"].is_u64());
        assert_eq!(found["initial_value"], Value::Null);
        assert_eq!(found["pv"][0], found["move"]);
    }
    assert_eq!(answer["iterations"], 60);
    assert_eq!(answer["to_move"], "black");
    assert_eq!(answer["winner"], Value::Null);
    assert!(answer["seconds"].is_f64());
    let playouts = genmove(&["--preset", "playout", "--best", "1"]);
    assert_eq!(playouts["moves"].as_array().unwrap().len(), 1);
    for name in ["prior", "initial_value"] {
        assert_eq!(playouts[name], Value::Null);
    }
    let linear = genmove(&["--preset", "linear", "--best", "1"]);
    assert!(linear["initial_value"].is_f64());
    assert_eq!(linear["prior"], Value::Null);

    let text = run(&[&["genmove", "--moves", "C2 B7"], &SEARCH[..]].concat());
    assert!(text.starts_with("black plays "), "{text}");
    let reason = 2 * usize::from(order.is_some());
    assert_eq!(text.lines().count(), 3 + moves.len() + reason);
}

/// A whole game of random moves on 5x5 that its winner ends: the moves, and the
/// winner's word.
fn finished_game() -> (String, &'static str) {
    let start = NamedSetup::Corners.setup(super::size(5), 2).unwrap();
    let mut engine = Engine::new(start.check(None).unwrap(), Params::default());
    let mut random = Random::new(5);
    loop {
        while engine.winner().is_none() {
            let legal = engine.legal();
            let point = legal[random.below(legal.len() as u32) as usize];
            engine.play(point).unwrap();
        }
        let (last, _) = engine.moves().last().unwrap();
        if engine.winner() == Some(last) {
            let words: Vec<String> = engine.moves().map(|(_, code)| engine.name(code)).collect();
            return (words.join(" "), ["black", "white"][last.index()]);
        }
        while engine.undo() {}
    }
}

#[test]
fn a_finished_game_has_no_move() {
    let (moves, winner) = finished_game();
    let arguments = ["genmove", "--size", "5", "--moves", &moves];
    let answer = json(&[&arguments[..], &["--json"]].concat());
    assert_eq!(answer["move"], Value::Null);
    assert_eq!(answer["winner"], winner);
    assert_eq!(answer["moves"], Value::Array(Vec::new()));
    assert_eq!(
        run(&arguments),
        format!("The game is over, {winner} has won; there is no move.\n")
    );
    let one_more = format!("{moves} A1");
    let output = output(&["genmove", "--size", "5", "--moves", &one_more]);
    assert_eq!(output.status.code(), Some(2));
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(complaint.contains("after the end"), "{complaint}");
}

#[test]
fn a_proven_position_is_called_so() {
    let (moves, winner) = finished_game();
    let (before, last) = moves.rsplit_once(' ').unwrap();
    let answer = json(&[
        "genmove",
        "--json",
        "--size",
        "5",
        "--iterations",
        "2000",
        "--moves",
        before,
    ]);
    assert_eq!(answer["to_move"], winner, "{last} wins at once");
    assert_eq!(answer["proven"], "win");
    assert_eq!(answer["value"], 1.0);
    assert!(answer["iterations"].as_u64().unwrap() < 2000);
}

#[test]
fn one_thread_and_a_seed_repeat_exactly_on_both_paths() {
    for preset in ["network", "linear", "playout"] {
        let arguments = ["--preset", preset, "--best", "441"];
        let first = timeless(genmove(&arguments));
        assert_eq!(timeless(genmove(&arguments)), first);
        let all = [&["genmove", "--json"], &SEARCH[..], &arguments[..]].concat();
        let portable = command(&all).env("TANADA_PORTABLE", "1").output().unwrap();
        let portable: Value = serde_json::from_str(&succeeded(&all, &portable)).unwrap();
        assert_eq!(timeless(portable), first);
    }
}

#[test]
fn params_lists_the_table() {
    let text = run(&["params"]);
    let table = json(&["params", "--json"]);
    let table = table.as_array().unwrap();
    assert_eq!(text.lines().count(), table.len() + 1);
    for (parameter, line) in tanada::params::PARAMETERS.iter().zip(text.lines().skip(1)) {
        assert!(line.starts_with(&format!("{} ", parameter.name)));
        assert!(line.ends_with(parameter.meaning));
    }
    for (parameter, object) in tanada::params::PARAMETERS.iter().zip(table) {
        assert_eq!(object["name"], parameter.name);
        assert_eq!(object["meaning"], parameter.meaning);
        let is_limit = object["nullable"] == true;
        assert_eq!(object["default"].is_null(), is_limit, "{object}");
        match object["type"].as_str().unwrap() {
            "integer" | "real" => {
                for key in ["min", "max", "step"] {
                    assert!(object[key].is_number(), "{object}");
                }
            }
            "choice" => assert!(object["choices"].is_array()),
            "boolean" => assert!(object["default"].is_boolean()),
            other => panic!("unknown type {other}"),
        }
    }
}

#[test]
fn bench_measures_playouts() {
    let object = json(&[
        "bench",
        "--json",
        "--only",
        "playouts",
        "--size",
        "6",
        "--seconds",
        "0.05",
    ]);
    let expected = [
        "black_wins",
        "moves",
        "playout_moves_per_second",
        "playouts",
        "seconds",
    ];
    assert_eq!(keys(&object), expected);
    let number = |key: &str| object[key].as_f64().unwrap();
    assert!(number("seconds") >= 0.05 && number("playouts") >= 100.0);
    assert!(number("black_wins") <= number("playouts") && number("moves") > number("playouts"));
    let rate = number("moves") / number("seconds");
    assert!((number("playout_moves_per_second") / rate - 1.0).abs() < 1e-6);
}

#[test]
fn bench_measures_the_search_by_threads() {
    let arguments = [
        "bench",
        "--only",
        "search",
        "--size",
        "9",
        "--seconds",
        "0.2",
    ];
    let object = json(&[&arguments[..], &["--json"]].concat());
    assert_eq!(
        keys(&object),
        ["child_evaluations_per_second", "iterations_per_second"]
    );
    for key in keys(&object) {
        assert_eq!(keys(&object[key]), ["1", "2"]);
        assert!(object[key]["2"].as_f64().unwrap() > 0.0);
    }
    assert!(
        run(&arguments)
            .lines()
            .last()
            .unwrap()
            .starts_with("ratio ")
    );
}

#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "minutes with the position checked after every move; scripts/check.sh runs it in a release build"
)]
fn the_signature_is_the_same_each_time_and_on_both_paths() {
    let text = run(&["bench"]);
    let last = text.lines().last().unwrap();
    let number: u32 = last.strip_prefix("signature ").unwrap().parse().unwrap();
    let arguments = ["bench", "--only", "signature"];
    let portable = command(&arguments)
        .env("TANADA_PORTABLE", "1")
        .output()
        .unwrap();
    assert_eq!(succeeded(&arguments, &portable), format!("{last}\n"));
    let object = json(&["bench", "--json"]);
    assert_eq!(object["signature"], number);
    assert_eq!(
        object["positions"].as_array().unwrap().len() + 1,
        text.lines().count()
    );
}

#[test]
fn the_demo_ends_with_a_winner() {
    let text = run(&[
        "demo",
        "--size",
        "5",
        "--iterations",
        "20",
        "--seed",
        "3",
        "--threads",
        "1",
    ]);
    let last = text.lines().last().unwrap();
    assert!(
        last.starts_with("Black wins after ") || last.starts_with("White wins after "),
        "{text}"
    );
    assert!(text.contains("\n  1. black ") && text.contains("Mark Steere"));
    assert!(!text.contains('\x1b'), "no escapes in a pipe");
    assert!(text.contains("   A B C D E\n"));
    assert!(text.contains(" is bounded and removed.\n"), "{text}");
}

#[test]
fn gtp_answers_on_its_streams() {
    let input = "boardsize 9\nclear_board\ngenmove b\nshowboard\nquit\n";
    for arguments in [&SEARCH[2..], &[&["gtp"], &SEARCH[2..]].concat()] {
        let text = answers(arguments, input);
        let responses: Vec<&str> = text.trim_end().split("\n\n").collect();
        assert_eq!(responses.len(), 5, "{text}");
        assert!(responses.iter().all(|r| r.starts_with('=')), "{text}");
        let vertex = responses[2].trim_start_matches("= ");
        assert!(vertex::parse(vertex, super::size(9)).is_ok(), "{vertex}");
        assert!(responses[3].contains("A B C D E F G H J"));
        assert_eq!(answers(arguments, input), text, "a seed repeats");
    }
}

#[test]
fn gtp_keeps_a_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.txt");
    answers(&["--log", path.to_str().unwrap()], "name\nquit\n");
    let log = std::fs::read_to_string(path).unwrap();
    for part in ["> name", "< = Tanada", "> quit"] {
        assert!(log.contains(part), "{log}");
    }
}

#[test]
fn the_end_of_the_input_ends_a_search() {
    let begin = Instant::now();
    let text = answers(&["--time-per-move", "600", "--threads", "1"], "genmove b\n");
    assert_eq!(text, "");
    assert!(begin.elapsed() < Duration::from_secs(2));
}

#[test]
fn quit_waits_for_what_came_before_it() {
    let text = answers(&["--time-per-move", "0.1"], "genmove b\nquit\n");
    assert_eq!(text.matches("= ").count(), 2, "{text}");
}

#[test]
fn a_closed_output_pipe_is_no_failure() {
    for arguments in [
        &["params"][..],
        &["--help"],
        &["perft", "--depth", "4", "--size", "5"],
        &["genmove", "--size", "5", "--iterations", "10"],
        &["demo", "--size", "5", "--iterations", "5"],
        &["bench", "--only", "playouts", "--seconds", "0.01"],
        &["gtp"],
    ] {
        let mut child = start(arguments);
        drop(child.stdout.take());
        let mut input = child.stdin.take().unwrap();
        // The program may be gone before it reads this.
        let _ = input.write_all(&b"list_commands\n".repeat(100));
        drop(input);
        let output = child.wait_with_output().unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {complaint}");
        assert!(!complaint.contains("panicked"), "{complaint}");
        assert!(!complaint.contains("tanada:"), "{complaint}");
    }
}
