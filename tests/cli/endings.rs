//! `tanada endings`.

use tanada::lab::endings::{playable_points, read};

use super::refusals::refusal;
use super::{json, output, run};

/// Few small endings.
const QUICK: [&str; 11] = [
    "endings",
    "--size",
    "5",
    "--setup",
    "corners",
    "--points",
    "9",
    "--iterations",
    "20",
    "--count",
    "6",
];

#[test]
fn endings_are_lines_that_are_read_again() {
    let text = run(&QUICK);
    assert_eq!(text, run(&QUICK));
    let other = run(&[&QUICK[..], &["--seed", "2"]].concat());
    assert_ne!(text, other);
    let endings = read(&text, "endings").unwrap();
    assert_eq!(endings.len(), 6);
    for (_, ending) in &endings {
        assert_eq!(playable_points(&ending.start), 9);
        assert!(ending.winner.is_some(), "{ending}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("endings");
    let path = path.to_str().unwrap();
    assert_eq!(run(&[&QUICK[..], &["--out", path]].concat()), "");
    assert_eq!(std::fs::read_to_string(path).unwrap(), text);

    let checked = run(&["endings", "--check", path]);
    assert!(
        checked.starts_with("6 solved, 6 of them compared: 0 wrong\n"),
        "{checked}"
    );
    let checked = json(&["endings", "--check", path, "--json"]);
    assert_eq!(checked["solved"], 6);
    assert!(checked["nodes"]["max"].as_f64() >= checked["nodes"]["median"].as_f64());
    let kept = json(&[
        "endings", "--check", path, "--engine", "--time", "0.02", "--json",
    ]);
    assert_eq!(
        kept["won"].as_u64().unwrap() + kept["hopeless"].as_u64().unwrap(),
        6
    );
    assert_eq!(kept["open"], serde_json::json!([]));

    // A wrong result is named, and the exit status tells.
    let (right, wrong) = if text.contains(" b\n") {
        (" b\n", " w\n")
    } else {
        (" w\n", " b\n")
    };
    std::fs::write(path, text.replacen(right, wrong, 1)).unwrap();
    let output = output(&["endings", "--check", path]);
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        told.contains("1 wrong") && told.contains(" wins\n"),
        "{told}"
    );
}

#[test]
fn what_endings_does_not_take_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("endings");
    let path = path.to_str().unwrap();
    std::fs::write(path, "4 b X2O/4/4/O2X w\n4 b X2O/4/4/O2Z w\n").unwrap();
    for (arguments, part) in [
        (&["--size", "5"][..], "missing `--points <N>`"),
        (
            &["--points", "200", "--size", "4"],
            "invalid value `200` for `--points`: expected at most 16, the points of 4x4",
        ),
        (&["--points", "0"], "invalid value `0` for `--points`"),
        (
            &["--points", "9", "--engine"],
            "`--points` cannot be used with `--engine`",
        ),
        (
            &["--points", "9", "--time", "1"],
            "`--points` cannot be used with `--time`",
        ),
        (&["--engine"], "missing `--check <FILE>`"),
        (
            &["--check", path, "--points", "9"],
            "`--check` cannot be used with `--points`",
        ),
        (
            &["--check", path, "--size", "9"],
            "`--check` cannot be used with `--size`",
        ),
        (&["--check", path], "line 2: the row `O2Z` has `Z` in it"),
        (
            &["--check", path, "--engine", "--time", "0"],
            "invalid value `0` for `--time`",
        ),
        (&["--check", path, "--time", "1"], "missing `--engine`"),
        (
            &["--check", path, "--game", "taratibu"],
            "`--check` cannot be used with `--game`",
        ),
        (
            &["--check", path, "--engine", "--set", "iterations=5"],
            "`--set` does not take `iterations` here; use `--time`",
        ),
        (
            &["--check", "/nowhere/at/all"],
            "`/nowhere/at/all` cannot be read",
        ),
        (&["--points", "9", "--players", "4"], "not of Tanbo for `4`"),
        (&["--points", "9", "--game", "taratibu"], "not of Taratibu"),
        (
            &["--points", "9", "--out", "/nowhere/at/all"],
            "cannot write `/nowhere/at/all`",
        ),
        (
            &[
                "--points",
                "16",
                "--size",
                "4",
                "--iterations",
                "1",
                "--tries",
                "20",
            ],
            "at most 2 roots a side; gave up after 20 games in a row without a new one; change `--points`",
        ),
    ] {
        let complaint = refusal(&[&["endings"], arguments].concat());
        assert!(complaint.contains(part), "{part} is not in: {complaint}");
    }
}
