//! SIGTERM and SIGHUP end a match as Ctrl-C does.

use std::path::PathBuf;
use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::faults::{arguments, runs};
use super::{Folder, command, failure, play, words};

const LONG: Duration = Duration::from_secs(120);

fn wait_for(child: &mut Child, is_there: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_there() {
        assert!(begin.elapsed() < LONG);
        assert_eq!(child.try_wait().unwrap(), None, "it ended before");
        sleep(Duration::from_millis(2));
    }
}

/// The arguments of a match against an engine that falls asleep, and the file where it writes its
/// process ids.
fn sleeper(folder: &Folder, when: usize, once: bool) -> (Vec<String>, PathBuf) {
    let pids = folder.0.path().join("pids");
    let mut arguments = arguments(folder, "asleep", when, once);
    let bad = arguments
        .iter_mut()
        .find(|word| word.starts_with("name=bad"));
    *bad.unwrap() += &format!(",env.PIDS={}", pids.display());
    (arguments, pids)
}

/// The names of all files in the folder of a match.
fn files(folder: &Folder) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.chain(folder.sgf_names()).collect();
    names.sort();
    names
}

/// The match ends with its report, the status of the signal and no half-written file. An engine
/// that neither reads nor obeys signals is killed with everything it started. `--resume` continues.
#[test]
fn a_signal_keeps_the_finished_games() {
    for (signal, status) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130)] {
        let folder = Folder::new();
        // It falls asleep in the third game: it makes 11 moves in each of the first two.
        let (arguments, pids) = sleeper(&folder, 27, true);
        let mut child = command(&arguments).spawn().unwrap();
        wait_for(&mut child, || pids.exists());
        let pid = Pid::from_raw(child.id() as i32).unwrap();
        let begin = Instant::now();
        kill_process(pid, signal).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(begin.elapsed() < Duration::from_secs(20), "{signal:?}");
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{complaint}");
        let last = complaint.lines().last().unwrap();
        assert_eq!(last, "tanada: interrupted; `--resume` continues");
        for process in std::fs::read_to_string(&pids).unwrap().split_whitespace() {
            let begin = Instant::now();
            while runs(process) {
                assert!(begin.elapsed() < Duration::from_secs(20), "{process} runs");
                sleep(Duration::from_millis(5));
            }
        }
        let games = folder.games();
        assert!((2..4).contains(&games.len()), "{} games", games.len());
        let report = folder.read("report.txt");
        assert!(report.contains("Games: 2,"), "{report}");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), report);
        let names = files(&folder);
        assert!(
            names.iter().all(|name| !name.ends_with(".new")),
            "{names:?}"
        );
        play(&[arguments, words("--resume", &[])].concat());
        assert_eq!(folder.games().len(), 4);
    }
}

/// A signal while an engine starts is not reported as a fault of the engine.
#[test]
fn a_signal_at_the_start_is_no_complaint() {
    let folder = Folder::new();
    let (arguments, pids) = sleeper(&folder, 0, false);
    let mut child = command(&arguments).spawn().unwrap();
    wait_for(&mut child, || pids.exists());
    let pid = Pid::from_raw(child.id() as i32).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    let output = child.wait_with_output().unwrap();
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(143), "{complaint}");
    assert_eq!(complaint, "tanada: interrupted\n");
    assert!(output.stdout.is_empty());
    let sentence = failure(&words("--report", &["--records", "/nowhere/at/all"]), 2);
    assert!(sentence.contains("holds no match"), "{sentence}");
}
