//! Ctrl-C and its like: what is done is kept, and one sentence says so.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Output};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tanada::lab::endings;

use super::{command, output, run};

/// How long anything may take here.
const LONG: Duration = Duration::from_secs(120);

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

fn name(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn send(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

/// Waits until the program has got so far that it handles the signals.
fn ready(child: &mut Child) {
    let begin = Instant::now();
    let path = format!("/proc/{}/status", child.id());
    loop {
        let status = fs::read_to_string(&path).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        // SIGHUP is handled last.
        if caught.is_some_and(|mask| mask & 1 == 1) {
            return;
        }
        assert!(begin.elapsed() < LONG && child.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A run that a signal ends some time after it has begun.
fn interrupted(arguments: &[&str], after: Duration, signal: Signal) -> (Output, String) {
    let mut child = command(arguments).spawn().unwrap();
    ready(&mut child);
    std::thread::sleep(after);
    send(&child, signal);
    let output = child.wait_with_output().unwrap();
    let complaint = String::from_utf8(output.stderr.clone()).unwrap();
    let expected = match signal {
        Signal::INT => 130,
        Signal::TERM => 143,
        _ => 129,
    };
    assert_eq!(
        output.status.code(),
        Some(expected),
        "{arguments:?}: {complaint}"
    );
    let last = complaint.lines().last().unwrap_or_default().to_string();
    assert!(last.starts_with("tanada: interrupted"), "{complaint}");
    (output, last)
}

/// A run that a signal ends once something is done: how long that takes depends on the machine.
fn at_work(arguments: &[&str], signal: Signal) -> (Output, String) {
    let mut after = Duration::from_millis(300);
    loop {
        let (output, last) = interrupted(arguments, after, signal);
        let is_idle = last.contains("nothing was written") || last.contains("interrupted: 0 of ");
        if !is_idle {
            return (output, last);
        }
        assert!(after < LONG, "{last}");
        after *= 2;
    }
}

const NONE: Duration = Duration::ZERO;

const ENDINGS: &str = "endings --size 5 --setup corners --points 9 --iterations 20 --count 100000";
const OPENINGS: &str = "openings --size 5 --plies 6 --low 0 --high 1 --count 100000 \
                        --engine iterations=20";

/// What is left of a line of numbers: the one before ` of `.
fn found(line: &str) -> usize {
    let words: Vec<&str> = line.split(' ').collect();
    let of = words.iter().position(|word| *word == "of").unwrap();
    words[of - 1].parse().unwrap()
}

#[test]
fn endings_that_were_found_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("endings");
    let arguments = [&words(ENDINGS)[..], &["--out", name(&path)]].concat();
    let (_, told) = at_work(&arguments, Signal::TERM);
    let text = fs::read_to_string(&path).unwrap();
    let count = found(&told);
    let head = format!("# {count} of 100000 endings with 9 playable points on 5x5");
    assert!(text.starts_with(&head), "{text}");
    assert_eq!(endings::read(&text, "endings").unwrap().len(), count);
    // They are the first of those that a whole run finds.
    let whole = format!("{} --count {count}", ENDINGS.replace(" --count 100000", ""));
    let whole = run(&words(&whole));
    let positions = |text: &str| -> Vec<String> {
        let lines = text.lines().skip(1);
        lines
            .map(|line| line.rsplit_once(' ').unwrap().0.to_string())
            .collect()
    };
    assert_eq!(positions(&text), positions(&whole));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    // A file of this kind is written over.
    let (output, told) = at_work(&words(ENDINGS), Signal::INT);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.starts_with("# ") && text.contains(" of 100000 endings"),
        "{text}"
    );
    assert!(told.contains("are on standard output"), "{told}");
}

#[test]
fn openings_that_were_found_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("openings");
    let arguments = [&words(OPENINGS)[..], &["--out", name(&path)]].concat();
    let (_, told) = at_work(&arguments, Signal::HUP);
    let text = fs::read_to_string(&path).unwrap();
    let count = found(&told);
    let head = format!("# {count} of 100000 openings of 6 random plies");
    assert!(text.starts_with(&head), "{text}");
    assert_eq!(
        text.lines().filter(|line| !line.starts_with('#')).count(),
        count
    );
    // Nothing is done, nothing is written.
    let hard = "openings --size 9 --plies 6 --engine iterations=100000000 --out";
    let path = folder.path().join("none");
    let (_, told) = interrupted(
        &[&words(hard)[..], &[name(&path)]].concat(),
        NONE,
        Signal::INT,
    );
    assert!(
        told.contains("nothing was written") && !path.exists(),
        "{told}"
    );
}

#[test]
fn a_page_holds_the_moves_that_were_judged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let moves = "C2 B7 D2 C7 E2 D7 C3 B6 C4 E7 F2 F7";
    let analyze = ["analyze", "--size", "9", "--moves", moves, "--threads", "1"];
    let analyze = [
        &analyze[..],
        &["--time-per-move", "0.5", "--html", name(&path)],
    ]
    .concat();
    let (output, told) = at_work(&analyze, Signal::INT);
    let (table, page) = (
        String::from_utf8(output.stdout).unwrap(),
        fs::read_to_string(&path).unwrap(),
    );
    let judged = found(&told);
    assert!(
        judged < 12 && told.contains("of 12 moves were judged"),
        "{told}"
    );
    let extent = format!("the first {judged} of 12 moves, analysis stopped");
    assert!(table.contains(&extent), "{table}");
    assert!(page.contains(&extent));
    let json = [&analyze[..7], &["--time-per-move", "0.5", "--json"]].concat();
    let (output, _) = at_work(&json, Signal::TERM);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["incomplete"]["moves"], 12);
    let moves = found["moves"].as_array().unwrap().len();
    assert_eq!(found["positions"].as_array().unwrap().len(), moves + 1);
    let long = ["analyze", "--size", "9", "--time-per-move", "600"];
    let (output, told) = interrupted(&long, NONE, Signal::TERM);
    assert!(
        output.stdout.is_empty() && told.contains("nothing was written"),
        "{told}"
    );
}

const SELFPLAY: &str = "selfplay --size 5 --iterations 60 --plies 2 --set leaf=linear --seed 7";

#[test]
fn self_play_goes_on_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let [path, whole] = ["games", "whole"].map(|name| folder.path().join(name));
    let line = |games: usize, out: &Path| format!("{SELFPLAY} --games {games} --out {}", name(out));
    let (_, told) = at_work(&words(&line(3000, &path)), Signal::TERM);
    let first = found(&told);
    assert!(first > 0 && told.contains("`--resume` continues"), "{told}");
    assert!(!path.exists());
    let list = folder.path().join("games.tanada-selfplay");
    let games = || fs::read_to_string(&list).map_or(0, |text| text.matches('\n').count() - 1);
    assert_eq!(games(), first);
    // Killed without a warning, a moment after the next games.
    let resume = line(3000, &path) + " --resume --concurrency 2";
    let mut child = command(&words(&resume)).spawn().unwrap();
    let begin = Instant::now();
    while games() < first + 3 {
        assert!(begin.elapsed() < LONG);
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let count = games() + 3;
    let resume = line(count, &path) + " --resume";
    let complaint = super::refusals::refusal(&words(&(resume.clone() + " --drawn 1")));
    assert!(complaint.contains("another `--drawn`"), "{complaint}");
    run(&words(&resume));
    run(&words(&line(count, &whole)));
    assert!(fs::read(&path).unwrap() == fs::read(&whole).unwrap());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn self_play_without_a_game_leaves_nothing_and_dead_parts_go() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    // A run of an older version that was killed.
    let mut dead = std::process::Command::new("true").spawn().unwrap();
    dead.wait().unwrap();
    let part = folder
        .path()
        .join(format!("games.{}.tanada-part", dead.id()));
    fs::write(&part, "tanada samples side 5").unwrap();
    // To find the openings of all games would take too long.
    let play = "selfplay --size 9 --games 100000000 --iterations 1000000000 --out";
    let play = [&words(play)[..], &[name(&path)]].concat();
    let (_, told) = interrupted(&play, NONE, Signal::HUP);
    assert!(told.contains("nothing was written"), "{told}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn samples_that_are_not_finished_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let [games, path] = ["games", "samples"].map(|name| folder.path().join(name));
    let play = format!("{SELFPLAY} --games 20 --out {}", name(&games));
    run(&words(&play));
    // The same games so often that reading them takes longer than anything here.
    let many = vec![name(&games); 20_000];
    let samples = [&["samples", "--out", name(&path)][..], &many[..]].concat();
    let some = Duration::from_millis(300);
    for signal in [Signal::INT, Signal::TERM] {
        let (_, told) = interrupted(&samples, some, signal);
        let games = told.strip_prefix("tanada: interrupted after ").unwrap();
        let (count, rest) = games.split_once(' ').unwrap();
        // On a busy machine it may be none or one.
        assert!(count.parse::<u32>().is_ok(), "{told}");
        assert!(
            ["game; nothing was written", "games; nothing was written"].contains(&rest),
            "{told}"
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn training_writes_the_weights_so_far() {
    let folder = tempfile::tempdir().unwrap();
    let [path, one] = ["weights", "one"].map(|name| folder.path().join(name));
    let train = "train --size 4 --games 10 --iterations 1 --plies 1";
    let long = [
        &words(train)[..],
        &["--generations", "1000", "--out", name(&path)],
    ]
    .concat();
    let (_, told) = at_work(&long, Signal::TERM);
    assert!(told.contains("are those of generation "), "{told}");
    let generation = told.split(" generation ").nth(1).unwrap();
    let generation = generation.split(' ').next().unwrap();
    run(&[
        &words(train)[..],
        &["--generations", generation, "--out", name(&one)],
    ]
    .concat());
    assert!(fs::read(&path).unwrap() == fs::read(&one).unwrap());
    let slow = "train --size 9 --games 1000000 --iterations 100000000 --out";
    let path = folder.path().join("none");
    let (_, told) = interrupted(
        &[&words(slow)[..], &[name(&path)]].concat(),
        NONE,
        Signal::INT,
    );
    assert!(
        told.contains("nothing was written") && !path.exists(),
        "{told}"
    );
}

#[test]
fn accuracy_tells_of_the_games_so_far() {
    let accuracy = "accuracy --size 4 --games 100000 --plies 2 --iterations 2";
    let (output, told) = at_work(&words(accuracy), Signal::TERM);
    let text = String::from_utf8(output.stdout).unwrap();
    let games = found(&told);
    assert!(
        games > 0 && text.starts_with(&format!("{games} games, ")),
        "{text}"
    );
}

#[test]
fn genmove_prints_its_best_move_so_far() {
    let long = words("genmove --size 9 --time-per-move 600 --threads 1");
    let some = Duration::from_millis(500);
    let (output, told) = interrupted(&long, some, Signal::INT);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("black plays "), "{text}");
    assert!(told.ends_with("this is the best move so far"), "{told}");
    let (output, _) = interrupted(&[&long[..], &["--json"]].concat(), some, Signal::TERM);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(found["move"].is_string(), "{found}");
}

#[test]
fn perft_tells_the_counts_so_far() {
    let some = Duration::from_millis(500);
    let perft = words("perft --size 9 --depth 64");
    for (signal, json) in [(Signal::INT, false), (Signal::TERM, true)] {
        let asked = if json { &["--json"][..] } else { &[] };
        let (output, told) = interrupted(&[&perft[..], asked].concat(), some, signal);
        let depth = told.strip_prefix("tanada: interrupted after depth ");
        let depth: usize = depth.unwrap().parse().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let lines = if json {
            let found: Value = serde_json::from_str(&text).unwrap();
            found["counts"].as_array().unwrap().len()
        } else {
            text.lines().count()
        };
        assert!(depth > 0 && depth == lines, "{depth}: {text}");
    }
}

#[test]
fn bench_and_demo_end_with_a_sentence() {
    let some = Duration::from_millis(500);
    let (_, told) = interrupted(
        &words("demo --size 9 --time-per-move 600"),
        some,
        Signal::INT,
    );
    assert!(told.ends_with("interrupted after 0 moves"), "{told}");
    let (_, told) = interrupted(&words("bench"), NONE, Signal::TERM);
    assert!(told.contains("the signature needs all of them"), "{told}");
    let playouts = words("bench --only playouts --size 5 --seconds 600");
    let (output, _) = interrupted(&playouts, some, Signal::TERM);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(" playouts with "), "{text}");
    let search = words("bench --only search --size 5 --seconds 2");
    interrupted(&search, NONE, Signal::INT);
}

#[test]
fn a_solver_that_is_told_to_end_writes_its_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("known");
    let solve = [
        "solve",
        "--size",
        "7",
        "--threads",
        "1",
        "--checkpoint",
        name(&path),
    ];
    // A service manager may send the second one at once.
    for signals in [&[Signal::TERM][..], &[Signal::TERM, Signal::INT]] {
        let _ = fs::remove_file(&path);
        let mut child = command(&solve).spawn().unwrap();
        ready(&mut child);
        std::thread::sleep(Duration::from_secs(2));
        for &signal in signals {
            send(&child, signal);
        }
        let ended = child.wait_with_output().unwrap();
        let complaint = String::from_utf8(ended.stderr).unwrap();
        let status = ended.status.code();
        let last = if signals.len() > 1 { 130 } else { 143 };
        assert_eq!(status, Some(last), "{complaint}");
        let expected = format!(
            "stopped before the result was known; `{}` keeps what is known\n",
            name(&path)
        );
        assert!(complaint.ends_with(&expected), "{complaint}");
    }
    assert!(
        fs::read(&path)
            .unwrap()
            .starts_with(b"tanada solver results ")
    );
    let again = output(&[&solve[..], &["--nodes", "1", "--json"]].concat());
    let found: Value = serde_json::from_slice(&again.stdout).unwrap();
    assert!(found["nodes"].as_u64().unwrap() > 100, "{found}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_result_whose_folder_is_gone_is_kept_in_the_temporary_one() {
    let folder = tempfile::tempdir().unwrap();
    let [out, aside] = ["out", "aside"].map(|name| folder.path().join(name));
    fs::create_dir(&out).unwrap();
    fs::create_dir(&aside).unwrap();
    let path = out.join("table");
    // The weights of the first generation are known when it is told of.
    let train = "train --size 4 --games 10 --iterations 1 --plies 1 --generations 1000 --out";
    let train = [&words(train)[..], &[name(&path)]].concat();
    let mut child = command(&train).env("TMPDIR", &aside).spawn().unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    told.read_line(&mut line).unwrap();
    assert!(line.starts_with("generation 1: "), "{line}");
    fs::remove_dir_all(&out).unwrap();
    send(&child, Signal::TERM);
    let mut complaint = String::new();
    told.read_to_string(&mut complaint).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(1), "{complaint}");
    let kept = fs::read_dir(&aside).unwrap().next().unwrap();
    let kept = kept.unwrap().path();
    let place = format!("the result is in `{}`", name(&kept));
    assert!(complaint.contains(&place), "{complaint}");
    assert!(
        fs::read_to_string(kept)
            .unwrap()
            .starts_with("# size phase")
    );
}
