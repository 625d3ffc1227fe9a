//! Results that go to devices and pipes, or to a disk that is full.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use super::outputs::{cases, name, words};
use super::refusals::refusal;
use super::{answers, command, output, run};

#[test]
fn a_log_may_go_to_a_device() {
    assert_eq!(answers(&["gtp", "--log", "/dev/null"], "quit\n"), "= \n\n");
}

#[test]
fn results_may_go_where_they_run_through() {
    let folder = tempfile::tempdir().unwrap();
    let [list, pipe] = ["list", "pipe"].map(|name| folder.path().join(name));
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let cases = cases();
    let makers = ["analyze --html", "endings --out", "openings --out"];
    let makers = makers.iter().chain(&["solve --certificate", "train --out"]);
    for maker in makers.map(|maker| format!("tanada {maker}")) {
        let case = cases
            .iter()
            .find(|case| case.maker.starts_with(&maker))
            .unwrap();
        run(&words(case, &["/dev/null"]));
        let shown = output(&words(case, &["/dev/stdout"]));
        let text = String::from_utf8_lossy(&shown.stdout);
        assert!(shown.status.success(), "{maker}");
        assert!(text.contains(case.begin), "{maker}: {text}");
        // What the shell appends to is nobody else's file.
        fs::write(&list, "theirs\n").unwrap();
        let open = fs::OpenOptions::new().append(true).open(&list).unwrap();
        let mut command = command(&words(case, &["/dev/stdout"]));
        assert!(command.stdout(open).status().unwrap().success());
        let bytes = fs::read(&list).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.starts_with("theirs\n"), "{maker}: {text}");
        assert!(text.contains(case.begin), "{maker}: {text}");
        let from = pipe.clone();
        let reader = std::thread::spawn(move || fs::read(from).unwrap());
        run(&words(case, &[name(&pipe)]));
        let bytes = reader.join().unwrap();
        assert!(bytes.starts_with(case.begin.as_bytes()), "{maker}");
        assert!(!pipe.is_file());
    }
    // What is read again has to be a file.
    for maker in ["solve --checkpoint", "train --checkpoint", "selfplay --out"] {
        let maker = format!("tanada {maker}");
        let case = cases.iter().find(|case| case.maker == maker).unwrap();
        let complaint = refusal(&words(case, &["/dev/null"]));
        let expected = "cannot write `/dev/null`: it is not a regular file";
        assert!(complaint.contains(expected), "{maker}: {complaint}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

/// Runs a command under a limit of the size of files, without the signal that comes with it.
fn limited(blocks: u32, arguments: &[&str], folder: &Path) -> Output {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut shell = Command::new("sh");
    let program = command(&[]).get_program().to_os_string();
    shell.arg("-c").arg(script).arg(program).args(arguments);
    shell.env("TMPDIR", folder).output().unwrap()
}

#[test]
fn results_that_cannot_be_written_are_printed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    for case in &cases()[..3] {
        let arguments = words(case, &[name(&path)]);
        let output = limited(0, &arguments, folder.path());
        let text = String::from_utf8(output.stdout).unwrap();
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{complaint}");
        assert!(text.contains(case.begin), "{text}");
        assert!(complaint.contains("cannot write `"), "{complaint}");
        assert!(complaint.contains("is on standard output"), "{complaint}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
    // Everything that a page shows is in the JSON.
    let page = &cases()[0];
    let arguments = words(page, &[name(&path), "--json"]);
    let output = limited(0, &arguments, folder.path());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        serde_json::from_str::<serde_json::Value>(&text).is_ok(),
        "{text}"
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_full_disk_gets_no_half_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let output = limited(0, &["man", "--out-dir", name(folder.path())], folder.path());
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{complaint}");
    assert!(complaint.contains("cannot write `"), "{complaint}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_full_disk_keeps_the_games_of_self_play() {
    let folder = tempfile::tempdir().unwrap();
    let [path, whole] = ["games", "whole"].map(|name| folder.path().join(name));
    let play = "selfplay --size 6 --games 12 --iterations 2 --plies 1 --set leaf=linear --out";
    let play: Vec<&str> = play.split_whitespace().collect();
    run(&[&play[..], &[name(&whole)]].concat());
    let whole = fs::read(&whole).unwrap();
    let arguments = [&play[..], &[name(&path)]].concat();
    let plain = super::selfplay::unpacked(&whole);
    // Blocks of 512 or 1024 bytes.
    let blocks = u32::try_from(plain.len() / 1024 * 6 / 10).unwrap();
    let output = limited(blocks, &arguments, folder.path());
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{complaint}");
    assert!(complaint.contains(" of 12 games are in `"), "{complaint}");
    assert!(!path.exists());
    let complaint = refusal(&arguments);
    assert!(complaint.contains("`--resume` continues"), "{complaint}");
    run(&[&arguments[..], &["--resume"]].concat());
    assert_eq!(fs::read(&path).unwrap(), whole);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn a_full_disk_does_not_end_a_solver_or_a_training() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("known");
    // More nodes than any machine searches before the first checkpoint, which is tried 20 times a second.
    let solve = "solve --size 6 --nodes 3000000 --threads 1 --checkpoint-every 0.001 --checkpoint";
    let solve: Vec<&str> = solve.split_whitespace().collect();
    let output = limited(0, &[&solve[..], &[name(&path)]].concat(), folder.path());
    let text = String::from_utf8(output.stdout).unwrap();
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(text.starts_with("Not decided: 3"), "{text}");
    let told = "the search continues and tries again\n";
    assert_eq!(complaint.matches(told).count(), 1, "{complaint}");
    assert_eq!(complaint.lines().count(), 2, "{complaint}");
    assert_eq!(output.status.code(), Some(1));

    let train = "train --size 4 --generations 2 --games 10 --iterations 1 --plies 1 --checkpoint";
    let train: Vec<&str> = train.split_whitespace().collect();
    let output = limited(0, &[&train[..], &[name(&path)]].concat(), folder.path());
    let text = String::from_utf8(output.stdout).unwrap();
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(text.starts_with("# size phase"), "{text}");
    assert!(complaint.contains("the training continues"), "{complaint}");
    assert!(complaint.contains("generation 2: "), "{complaint}");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
