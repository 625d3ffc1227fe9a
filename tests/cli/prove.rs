//! `tanada prove` as a process: what it prints, logs, goes on from and refuses.

use std::fs;
use std::time::{Duration, Instant};

use super::refusals::refusal;
use super::{command, json, keys, output, run};

const FIVE: [&str; 8] = [
    "--size",
    "5",
    "--setup",
    "corners",
    "--nodes",
    "1000",
    "--iterations",
    "20",
];

#[test]
fn the_answer_has_its_fields_and_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let proof = folder.path().join("five");
    let proof = proof.to_str().unwrap();
    let found = json(&[&["prove", proof, "--json"], &FIVE[..]].concat());
    let names = [
        "as_expected",
        "frontier",
        "nodes",
        "nodes_left",
        "position",
        "prediction",
        "refuted",
        "searched",
        "seconds",
        "solved",
        "winner",
    ];
    assert_eq!(keys(&found), names);
    assert_eq!(keys(&found["prediction"]), ["coefficients", "error"]);
    assert_eq!(found["winner"], "black");
    assert_eq!(found["position"], "5 b O3X/5/5/5/X3O");
    assert_eq!(found["frontier"], 0);
    let text = run(&["prove", proof]);
    assert!(text.starts_with("black wins\npositions "), "{text}");
    let again = json(&["prove", proof, "--json"]);
    assert_eq!(
        (&again["nodes"], &again["searched"]),
        (&found["nodes"], &0.into())
    );
}

#[test]
fn white_may_move_first() {
    let folder = tempfile::tempdir().unwrap();
    let proof = folder.path().to_str().unwrap();
    let found = json(&[&["prove", proof, "--json", "--moves", "B1"], &FIVE[..]].concat());
    let solved = json(&["solve", "--size", "5", "--moves", "B1", "--json"]);
    assert_eq!(found["winner"], solved["winner"]);
    assert_eq!(found["position"], "5 w O3X/5/5/5/XX2O");
    // The folder knows who moves.
    let again = json(&["prove", proof, "--json"]);
    assert_eq!(again["winner"], found["winner"]);
    assert_eq!(again["position"], found["position"]);
}

#[test]
fn a_killed_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("results.log");
    let proof = folder.path().to_str().unwrap();
    let lines = || fs::read_to_string(&log).map_or(0, |text| text.lines().count());
    let begin = Instant::now();
    let mut killed = 0;
    for least in [2, 5, 12] {
        let mut child = command(&[&["prove", proof], &FIVE[..]].concat())
            .spawn()
            .unwrap();
        while lines() < least && child.try_wait().unwrap().is_none() {
            assert!(begin.elapsed() < Duration::from_secs(120));
            std::thread::sleep(Duration::from_millis(1));
        }
        killed += u32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(killed > 0);
    assert!(run(&["prove", proof, "--nodes", "1000"]).starts_with("black wins\n"));
}

#[test]
fn time_ends_a_run_with_what_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let proof = folder.path().to_str().unwrap();
    let output = output(&[
        "prove", proof, "--size", "7", "--setup", "corners", "--time", "0.2",
    ]);
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("the winner is not known yet\n"), "{text}");
    assert!(text.contains("nodes left"), "{text}");
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(
        complaint.contains("`--time 0.2` ended before"),
        "{complaint}"
    );
}

#[test]
fn what_it_cannot_prove_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (notes, empty, foreign, five) = (at("notes"), at("empty"), at("foreign"), at("five"));
    fs::write(&notes, "my notes").unwrap();
    fs::create_dir(&foreign).unwrap();
    fs::write(format!("{foreign}/results.log"), "my notes\n").unwrap();
    run(&[&["prove", &five], &FIVE[..]].concat());
    for (arguments, part) in [
        (&["prove"][..], "missing `<FOLDER>`"),
        (
            &["prove", &empty],
            "there is no proof in it yet; give the position to prove",
        ),
        (&["prove", &foreign], "it is not a log of `tanada prove`"),
        (
            &["prove", &notes, "--size", "5"],
            "the folder cannot be created",
        ),
        (
            &["prove", &five, "--size", "4"],
            "it belongs to another position: `5 b O3X/5/5/5/X3O`",
        ),
        (
            &["prove", &empty, "--size", "13"],
            "the solver needs at most 10x10",
        ),
        (
            &["prove", &empty, "--game", "taratibu", "--size", "7"],
            "is for Tanbo, not for Taratibu",
        ),
        (
            &["prove", &empty, "--nodes", "10"],
            "invalid value `10` for `--nodes`",
        ),
    ] {
        let complaint = refusal(arguments);
        assert!(complaint.contains(part), "{part} is not in: {complaint}");
    }
}
