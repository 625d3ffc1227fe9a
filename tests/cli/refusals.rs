//! Wrong arguments and files: one sentence that quotes them, exit status 2.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use serde_json::Value;
use tanada::lab::train::TrainState;

/// The one line of complaint about arguments that must be refused.
pub(crate) fn refusal<S: AsRef<OsStr> + std::fmt::Debug>(arguments: &[S]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_tanada"))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let mut complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {complaint}");
    // A note that the moves of a `--setup` are ignored may come before it.
    if complaint.starts_with("only the start position of `") {
        complaint = complaint.split_once('\n').unwrap().1.to_string();
    }
    assert!(output.stdout.is_empty(), "{arguments:?}");
    assert_eq!(complaint.lines().count(), 1, "{complaint}");
    assert!(complaint.starts_with("tanada: "), "{complaint}");
    complaint
}

#[test]
fn wrong_arguments_are_quoted_with_what_would_be_right() {
    for (arguments, parts) in [
        (
            &["--frob"][..],
            &["unknown option `--frob`; `--help` lists all options"][..],
        ),
        (
            &["genmove", "--jsn"],
            &["unknown option `--jsn`; did you mean `--json`?"],
        ),
        (
            &["match", "--time-per-mvoe=1"],
            &["`--time-per-mvoe`; did you mean `--time-per-move`?"],
        ),
        (
            &["bench", "-x"],
            &["unknown option `-x`; `--help` lists all options"],
        ),
        (
            &["frob"],
            &["unknown command `frob`; `tanada help` lists all commands"],
        ),
        (
            &["analyse", "x.sgf"],
            &["unknown command `analyse`; did you mean `analyze`?"],
        ),
        (
            &["--size", "9", "genmvoe"],
            &["`genmvoe`; did you mean `genmove`?"],
        ),
        (&[""], &["``", "`tanada help`"]),
        (
            &["Cargo.toml"],
            &["unexpected argument `Cargo.toml`; to examine a game: `tanada analyze Cargo.toml`"],
        ),
        (
            &["perft", "Cargo.toml"],
            &["`Cargo.toml`; to examine a game: `tanada analyze Cargo.toml`"],
        ),
        (
            &["perft", "3"],
            &["unexpected argument `3`; `--help` shows what is expected"],
        ),
        (
            &["--preset", "netwrok"],
            &["invalid value `netwrok` for `--preset`; did you mean `network`?"],
        ),
        (
            &["--set", "time_per_mvoe=1"],
            &["unknown parameter `time_per_mvoe`; did you mean `time_per_move`?"],
        ),
        (
            &["play", "--level", "hrad"],
            &["invalid value `hrad` for `--level`; did you mean `hard`?"],
        ),
        (&["--setup", "densse"], &["did you mean `dense`?"]),
        (&["--size", "9", "perft"], &["before `perft`", "after it"]),
        (&["--size"], &["`--size` needs a value: `--size <N>`"]),
        (
            &["--preset"],
            &["`--preset` needs a value: network, linear, playout, uct or greedy"],
        ),
        (
            &["accuracy", "--time", "1", "--iterations", "9"],
            &["`--time` cannot be used with `--iterations`"],
        ),
        (
            &["accuracy", "--size", "11"],
            &["invalid board size `11`: `accuracy` needs at most 10x10, such as `--size 6`"],
        ),
        (
            &["--size", "9", "--size", "9"],
            &["`--size` was given twice"],
        ),
        (&["--game", "go"], &["`go`", "tanbo or taratibu"]),
        (
            &["--game", "taratibu", "--size", "9"],
            &["`9`", "expected 7"],
        ),
        (
            &["--game", "taratibu", "--players", "3"],
            &["`3`", "2 players"],
        ),
        (
            &["--game", "taratibu", "--setup", "classic"],
            &["`classic`", "start or the name of a file"],
        ),
        (
            &["genmove", "--game", "taratibu", "--moves", "7264 4765-11"],
            &["move 2", "`11`", "four digits"],
        ),
        (
            &["genmove", "--game", "taratibu", "--moves", "7264 7264"],
            &[
                "move 2",
                "illegal move `7264`: expected a step of a black piece",
            ],
        ),
        (&["--size", "3"], &["`3`", "4 to 21"]),
        (&["--size", "22"], &["`22`", "4 to 21"]),
        (
            &["--size", "abc"],
            &["invalid value `abc` for `--size`: expected a whole number from 4 to 21"],
        ),
        (&["--size", ""], &["``", "4 to 21"]),
        (&["--size", "-9"], &["`-9`", "4 to 21"]),
        (&["--size", "9.0"], &["`9.0`", "4 to 21"]),
        (
            &["--size", "99999999999999999999"],
            &["`99999999999999999999`", "4 to 21"],
        ),
        (&["--players", "5"], &["`5`", "2 to 4"]),
        (&["--players", "x"], &["`x`", "2 to 4"]),
        (&["--players", "3", "--size", "7"], &["`3`", "load a file"]),
        (&["--players", "4", "--size", "8"], &["`8`", "19x19"]),
        (
            &["--setup", "classic", "--size", "7"],
            &["`7`", "9, 13, 19 or 21"],
        ),
        (&["--setup", "frob"], &["`frob`", "classic, dense, corners"]),
        (&["--setup", ""], &["``", "classic, dense, corners"]),
        (&["--threads", "1.5"], &["`1.5`", "0 to 256"]),
        (&["--threads", "257"], &["`257`", "0 to 256"]),
        (&["--memory", "0"], &["`0`", "1 to 1048576"]),
        (&["--seed", "-1"], &["`-1`", "whole number"]),
        (&["--time-per-move", "NaN"], &["`NaN`", "a number from"]),
        (&["--time-per-move", "-1"], &["`-1`", "a number from"]),
        (&["--iterations", "1e9"], &["`1e9`", "whole number"]),
        (
            &["--resign", "2"],
            &["invalid value `2` for `--resign`", "0 to 1"],
        ),
        (&["--preset", "best"], &["`best`", "linear, playout, uct"]),
        (&["--set"], &["`--set`", "NAME=VALUE"]),
        (&["--set", "x"], &["`x`", "NAME=VALUE"]),
        (&["--set", "frob=1"], &["`frob`", "uct_exploration"]),
        (
            &["--set", "leaf=net"],
            &["`net`", "network, linear, playout or greedy"],
        ),
        (
            &["--set", "memory=64", "--set", "virtual_loss=17"],
            &["`17`", "0 to 16"],
        ),
        (&["--log", "/no such folder/x"], &["`/no such folder/x`"]),
        (&["perft"], &["missing `--depth <N>`"]),
        (&["perft", "--depth", "0"], &["`0`", "1 to 64"]),
        (&["perft", "--depth", "65"], &["`65`", "1 to 64"]),
        (&["perft", "--depth", "deep"], &["`deep`", "1 to 64"]),
        (
            &["genmove", "--size", "9", "--moves", "C2 C2"],
            &["move 2", "`C2`", "white stone"],
        ),
        (
            &["genmove", "--size", "9", "--moves", "C2 K1"],
            &["move 2", "`K1`", "A1 to J9"],
        ),
        (
            &["genmove", "--size", "9", "--moves", "pass"],
            &["move 1", "`pass`"],
        ),
        (&["genmove", "--best", "0"], &["`0`", "--best"]),
        (
            &["genmove", "--json=yes"],
            &["`--json` takes no value, but was given `yes`"],
        ),
        (&["bench", "--only", "all"], &["`all`", "signature"]),
        (
            &["bench", "--only", "search", "--seconds", "0"],
            &["`0`", "seconds above 0"],
        ),
        (&["bench", "--size", "9"], &["`--size`", "--only"]),
        (
            &["bench", "--preset", "uct"],
            &["`--preset` needs `--only search`"],
        ),
        (
            &["bench", "--only", "playouts", "--preset", "uct"],
            &["`--preset` needs `--only search`"],
        ),
        (
            &["train", "--games", "x"],
            &["invalid value `x` for `--games`: expected a whole number from 10 to 10000000"],
        ),
        (
            &["train", "--value-share", "2"],
            &["invalid value `2` for `--value-share`", "0 to 1"],
        ),
        (
            &["selfplay", "--out", "x", "--set", "threads=2"],
            &["`--set` does not take `threads` here", "`--seed`"],
        ),
        (
            &["selfplay", "--out", "x", "--seed", "-1"],
            &["invalid value `-1` for `--seed`", "from 0"],
        ),
        (
            &["selfplay", "--out", "x", "--set", "time_per_move=1"],
            &[
                "`--set` does not take `time_per_move` here",
                "`--iterations`",
            ],
        ),
        (
            &["selfplay", "--out", "x", "--set", "leaf=greedy"],
            &["`leaf=greedy` does not search"],
        ),
        (
            &[
                "selfplay",
                "--out",
                "x",
                "--set",
                "leaf=playout",
                "--weights",
                "y",
            ],
            &["`leaf=playout`", "`--weights`"],
        ),
        (
            &["train", "--out", "x", "--checkpoint", "x"],
            &["`--out` and `--checkpoint`", "two"],
        ),
        (
            &[
                "solve",
                "--size",
                "5",
                "--checkpoint",
                "x",
                "--certificate",
                "x",
            ],
            &["`--checkpoint` and `--certificate`", "two"],
        ),
        (&["demo", "--time-per-move", "soon"], &["`soon`", "number"]),
    ] {
        let complaint = refusal(arguments);
        for part in parts {
            assert!(complaint.contains(part), "{part} is not in: {complaint}");
        }
    }
}

#[test]
fn long_texts_are_cut() {
    let long = "x".repeat(50_000);
    for arguments in [
        &["--size", &long][..],
        &["--setup", &long],
        &["--set", &long],
        &["--preset", &long],
        &["--log", &format!("/{long}/{long}")],
        &[&format!("--{long}")],
        &[&long],
        &["genmove", "--moves", &long],
        &["perft", "--depth", &long],
        &["bench", "--only", &long],
    ] {
        let complaint = refusal(arguments);
        assert!(complaint.len() < 500, "{} bytes", complaint.len());
    }
}

#[test]
#[cfg(unix)]
fn arguments_that_are_no_text_are_refused() {
    use std::os::unix::ffi::OsStrExt;
    let odd = OsStr::from_bytes(b"a\xffb");
    for first in ["--setup", "--size", "--log", "genmove"] {
        let complaint = refusal(&[OsStr::new(first), odd]);
        assert!(complaint.contains("`a\u{fffd}b`"), "{complaint}");
    }
}

#[test]
fn wrong_files_are_refused() {
    let index: Value = serde_json::from_str(&crate::text("bad/index.json")).unwrap();
    for name in index["files"].as_object().unwrap().keys() {
        let path = format!("{}/tests/data/bad/{name}", env!("CARGO_MANIFEST_DIR"));
        let complaint = refusal(&["perft", "--depth", "1", "--setup", &path]);
        assert!(complaint.contains(&format!("bad/{name}`")), "{complaint}");
    }
}

#[test]
fn files_that_cannot_be_read_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (huge, ragged, corners) = (path("huge"), path("ragged"), path("corners"));
    std::fs::write(&huge, ". ".repeat(5 << 19)).unwrap();
    std::fs::write(&ragged, "X..O\n....\n...\nO..X\n").unwrap();
    std::fs::write(&corners, "X..O\n....\n....\nO..X\n").unwrap();
    let (missing, directory) = (path("missing"), path(""));
    for (arguments, part) in [
        (&["--setup", &missing][..], "no such file"),
        (&["--setup", &directory], "directory"),
        (&["--setup", &huge], "longer than 1 MiB"),
        (&["--setup", &ragged], "row `...` has 3 points: expected 4"),
        (&["--setup", &corners, "--players", "3"], "3 players"),
        (&["--setup", &corners, "--size", "9"], "`9`"),
        (&["--log", &directory], "directory"),
    ] {
        for subcommand in ["gtp", "genmove"] {
            if subcommand == "genmove" && arguments[0] == "--log" {
                continue;
            }
            let complaint = refusal(&[&[subcommand], arguments].concat());
            assert!(complaint.contains(part), "{part} is not in: {complaint}");
        }
    }
}

#[test]
fn self_play_refuses_what_cannot_be_played() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (out, weights) = (path("games"), path("weights"));
    std::fs::write(&weights, "network 16 channels 1 blocks\nnumbers 1\n").unwrap();
    let quick = ["selfplay", "--games", "1", "--iterations", "1", "--out"];
    for (arguments, expected) in [
        (&["--size", "4", "--set", "leaf=best"][..], "`best`"),
        (&["--size", "4", "--first", "0"], "`0` for `--first`"),
        (
            &["--size", "4", "--full-share", "2"],
            "a number from 0 to 1",
        ),
        (&["--size", "4", "--quick-iterations", "0"], "`0`"),
        (&["--size", "4", "--plies", "900"], "`900` random plies end"),
        (
            &["--size", "4", "--weights", &weights],
            "line 2: expected 896 numbers after `numbers`, found 1",
        ),
        (&["--size", "4", "--weights", "nowhere"], "`nowhere`"),
    ] {
        let complaint = refusal(&[&quick[..], &[&out], arguments].concat());
        assert!(complaint.contains(expected), "{complaint}");
        assert!(!std::path::Path::new(&out).exists());
    }
}

#[test]
fn training_notices_bad_files_before_it_plays() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (nowhere, text) = (path("no/weights"), path("text"));
    std::fs::write(&text, "9 opening one\n").unwrap();
    for (option, file) in [
        ("--out", &nowhere),
        ("--checkpoint", &nowhere),
        ("--out", &text),
        ("--checkpoint", &text),
    ] {
        let quick = ["--size", "4", "--games", "10", "--iterations", "1"];
        let complaint = refusal(&[&["train", option, file], &quick[..]].concat());
        assert!(complaint.contains(&format!("`{file}`")), "{complaint}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_checkpoint_serves_the_program_and_the_rounds_that_it_is_of() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    let file = path.to_str().unwrap();
    let train = |generations| {
        let line = format!(
            "train --size 4 --games 10 --iterations 1 --plies 1 --generations {generations} \
             --checkpoint {file}"
        );
        line.split_whitespace()
            .map(str::to_string)
            .collect::<Vec<_>>()
    };
    let output = Command::new(env!("CARGO_BIN_EXE_tanada"))
        .args(train(2))
        .output()
        .unwrap();
    assert!(output.status.success());
    let good = std::fs::read_to_string(&path).unwrap();
    let complaint = |generations: u32, text: String| {
        std::fs::write(&path, text).unwrap();
        let arguments = train(generations);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        refusal(&arguments)
    };
    let fewer = complaint(1, good.clone());
    assert!(fewer.contains("has 2 generations already"), "{fewer}");
    let damaged = |damage: fn(&mut TrainState)| {
        let mut state: TrainState = serde_json::from_str(&good).unwrap();
        damage(&mut state);
        serde_json::to_string(&state).unwrap()
    };
    let wrong = [
        damaged(|state| state.origin = "other features".to_string()),
        damaged(|state| _ = state.weights.pop()),
        damaged(|state| _ = state.samples[0].result.pop()),
        damaged(|state| _ = state.samples[0].search.pop()),
        damaged(|state| _ = state.samples[0].differences.pop()),
        damaged(|state| _ = state.samples[0].differences[0].pop()),
    ];
    for text in wrong {
        let other = complaint(3, text);
        assert!(other.contains("another evaluation"), "{other}");
    }
}
