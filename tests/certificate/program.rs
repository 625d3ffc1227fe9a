//! `tanada verify` and the script that does the same with code of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::known::{seal, unseal};
use super::{certificate, ending, small};
use crate::cli::{output, run};
use crate::oracle::Board;

/// What a check of a file says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) status: Option<i32>,
    /// Why it proves nothing.
    pub(super) reason: Option<String>,
    /// All but the reason: the first position that breaks it, or what is proven.
    pub(super) text: String,
}

impl Verdict {
    fn of(output: &Output) -> Verdict {
        let complaint = String::from_utf8(output.stderr.clone()).unwrap();
        let reason = complaint.split_once("` proves nothing: ");
        Verdict {
            status: output.status.code(),
            reason: reason.map(|(_, reason)| reason.trim_end().to_string()),
            text: String::from_utf8(output.stdout.clone()).unwrap(),
        }
    }

    /// What it proves as `name number` lines.
    fn numbers(&self) -> Vec<String> {
        let named = |line: &&str| !line.starts_with("seconds");
        let lines = self
            .text
            .lines()
            .skip_while(|line| !line.starts_with("positions"));
        let apart = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        lines.filter(named).map(apart).collect()
    }
}

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/lab/verify_certificate.py")
}

/// What the script says of a file; nothing without Python, which is said.
#[allow(clippy::print_stderr, reason = "a test that is left out says so")]
pub(super) fn by_script(path: &Path) -> Option<Verdict> {
    let mut command = Command::new("python3");
    command.arg(script()).arg(path).stdin(Stdio::null());
    match command.output() {
        Ok(output) => Some(Verdict::of(&output)),
        Err(error) => {
            eprintln!("skipped: python3 cannot be run ({error}), the script is not tested");
            None
        }
    }
}

pub(super) fn by_program(path: &Path) -> Verdict {
    Verdict::of(&output(&["verify", path.to_str().unwrap()]))
}

/// Both say the same of these bytes; whether they hold.
pub(crate) fn both(bytes: &[u8]) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("certificate");
    std::fs::write(&path, bytes).unwrap();
    let program = by_program(&path);
    let holds = program.status == Some(0);
    assert!(holds || program.status == Some(1), "{program:?}");
    assert_eq!(holds, program.reason.is_none());
    let Some(script) = by_script(&path) else {
        return holds;
    };
    assert_eq!(script.status, program.status, "{program:?} {script:?}");
    if holds {
        assert_eq!(script.numbers(), program.numbers());
        let lines = [(b'1', 3), (b'2', 4), (b'3', 6)];
        let version = bytes["tanada certificate ".len()];
        assert!(lines.contains(&(version, script.numbers().len())));
        return true;
    }
    // Not every unpacker notices at once that it is told to look back beyond the beginning.
    let damaged = "the compressed moves are damaged";
    if script.reason.as_deref() == Some(damaged) && program.reason != script.reason {
        return false;
    }
    assert_eq!(script.text, program.text);
    // What is expected in place of a line of the head the two say in their own words.
    let in_short = |verdict: &Verdict| {
        let reason = verdict.reason.clone().unwrap();
        match reason.split_once(" of the header is ") {
            Some((line, _)) => line.to_string(),
            None => reason,
        }
    };
    assert_eq!(in_short(&script), in_short(&program));
    false
}

#[test]
fn the_script_is_short_and_agrees_on_what_holds() {
    let text = std::fs::read_to_string(script()).unwrap();
    assert!(text.lines().count() < 380);
    assert!(both(&small().2));
    for (size, plies, seed) in [(5, 6, 1), (5, 7, 2), (6, 5, 2), (7, 4, 3)] {
        let board = ending(size, plies, seed);
        let mut solver = super::Solver::within(1000);
        if let Some(winner) = solver.try_winner(&board) {
            assert!(both(&certificate(&board, winner, seed).unwrap().0));
        }
    }
}

#[test]
fn the_program_says_what_is_proven() {
    let (board, winner, bytes) = small();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("certificate");
    std::fs::write(&path, &bytes).unwrap();
    let path = path.to_str().unwrap();
    let text = run(&["verify", path]);
    let word = winner.word();
    let capital = format!("{}{}", word[..1].to_uppercase(), &word[1..]);
    let first =
        format!("{capital} wins: proven for all play from this position (4x4, white to move)");
    assert_eq!(text.lines().next(), Some(&first[..]));
    assert!(text.contains("\n 4 O O . X 4\n"), "{text}");

    let line = run(&["verify", path, "--json"]);
    let object: Value = serde_json::from_str(&line).unwrap();
    let (head, moves) = unseal(&bytes);
    assert_eq!(object["valid"], true);
    assert_eq!(object["winner"], word);
    assert_eq!(object["positions"], moves.len());
    assert!(head.contains(&format!("\nplies: {}\n", object["plies"])));
    assert!(object["moves"].as_u64() > object["positions"].as_u64());
    assert!(object["seconds"].as_f64().unwrap() >= 0.0);
    assert_eq!(object.as_object().unwrap().len(), 6);

    // The same claim without the last move.
    let file = folder.path().join("short");
    std::fs::write(&file, seal(&head, &moves[..moves.len() - 1])).unwrap();
    let refused = output(&["verify", file.to_str().unwrap(), "--json"]);
    assert_eq!(refused.status.code(), Some(1));
    let object: Value = serde_json::from_slice(&refused.stdout).unwrap();
    assert_eq!(object["valid"], false);
    let reason = object["reason"].as_str().unwrap();
    assert_eq!(reason, format!("the moves end where {word} needs one"));
    let complaint = String::from_utf8(refused.stderr).unwrap();
    assert!(
        complaint.ends_with(&format!("proves nothing: {reason}\n")),
        "{complaint}"
    );
    // The line leads from the first position to the one that is shown.
    let mut at = board.clone();
    for name in object["line"].as_array().unwrap() {
        at.play(crate::oracle::parse_vertex(name.as_str().unwrap()).unwrap());
    }
    assert_eq!(at.to_move, winner);
    let shown = Board::parse(object["position"].as_str().unwrap()).unwrap();
    assert_eq!((shown.stones, shown.to_move), (at.stones, at.to_move));
}

#[test]
fn what_cannot_be_read_is_an_input_error() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing");
    for path in [folder.path(), &missing] {
        let verdict = by_program(path);
        assert_eq!(verdict.status, Some(2), "{verdict:?}");
        assert!(verdict.text.is_empty());
        if let Some(script) = by_script(path) {
            assert_eq!(script.status, Some(2), "{script:?}");
        }
    }
    let refused = output(&["verify", missing.to_str().unwrap(), "--memory", "0"]);
    let complaint = String::from_utf8(refused.stderr).unwrap();
    assert!(
        complaint.contains("`0`") && complaint.contains("`--memory`"),
        "{complaint}"
    );
    assert_eq!(refused.status.code(), Some(2));
}
