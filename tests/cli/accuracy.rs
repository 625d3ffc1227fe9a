//! `tanada accuracy`.

use super::refusals::refusal;
use super::{json, run};

const QUICK: [&str; 15] = [
    "accuracy",
    "--size",
    "5",
    "--games",
    "3",
    "--plies",
    "6",
    "--iterations",
    "2",
    "--set",
    "solve_points=0",
    "--set",
    "evaluation_noise=0.5",
    "--nodes",
    "10000000",
];

#[test]
fn games_are_judged_and_repeat() {
    let text = run(&QUICK);
    assert_eq!(text, run(&QUICK));
    let beside = [&QUICK[..], &["--concurrency", "1", "--seed", "1"]].concat();
    assert_eq!(text, run(&beside));
    assert_ne!(text, run(&[&QUICK[..], &["--seed", "2"]].concat()));
    assert!(text.starts_with("3 games, "), "{text}");
    assert!(
        text.contains("positions proven by the search, 0 of them wrongly\n"),
        "{text}"
    );

    let found = json(&[&QUICK[..], &["--json"]].concat());
    let number = |key: &str| found[key].as_u64().unwrap();
    assert_eq!(number("games"), 3);
    assert_eq!(number("moves"), number("judged"));
    assert_eq!(number("proven") + number("unproven"), number("judged"));
    assert!(
        number("holding") < number("judged"),
        "no game has two winners"
    );
    let bins = found["bins"].as_array().unwrap();
    let counts = bins.iter().map(|bin| bin["positions"].as_u64().unwrap());
    assert_eq!((bins.len(), counts.sum()), (10, number("unproven")));
    let slips = found["slips"].as_array().unwrap();
    assert!(!slips.is_empty());
    for slip in slips {
        let (game, ply) = (&slip["game"], &slip["move"]);
        let name = slip["name"].as_str().unwrap();
        let line = format!("game {game}, move {ply}: {name} threw the result away\n");
        assert!(text.contains(&line), "{line} is not in {text}");
    }
}

#[test]
fn what_accuracy_does_not_take_is_explained() {
    for (arguments, part) in [
        (&["--games", "0"][..], "invalid value `0` for `--games`"),
        (&["--plies", "-1"], "invalid value `-1` for `--plies`"),
        (&["--nodes", "0"], "invalid value `0` for `--nodes`"),
        (&["--memory", "1"], "invalid value `1` for `--memory`"),
        (&["--time", "0"], "invalid value `0` for `--time`"),
        (
            &["--iterations", "0"],
            "invalid value `0` for `--iterations`",
        ),
        (
            &["--time", "1", "--iterations", "9"],
            "`--time` cannot be used with `--iterations`",
        ),
        (
            &["--concurrency", "0"],
            "invalid value `0` for `--concurrency`: expected a whole number from 1 to",
        ),
        (
            &["--concurrency", "9999"],
            "the number of cores of this machine",
        ),
        (&["--set", "speed=1"], "unknown parameter `speed`"),
        (&["--set", "seed=3"], "`--set` does not take `seed` here"),
        (
            &["--set", "time_per_move=1"],
            "`--set` does not take `time_per_move` here",
        ),
        (&["--size", "3"], "`3`"),
        (&["--players", "4"], "cannot solve Tanbo for 4 players"),
        (
            &["--size", "4", "--plies", "900"],
            "`900` random plies end the game on 4x4",
        ),
    ] {
        let complaint = refusal(&[&["accuracy"], arguments].concat());
        assert!(complaint.contains(part), "{part} is not in: {complaint}");
        assert!(!complaint.contains("--force"), "{complaint}");
    }
}
