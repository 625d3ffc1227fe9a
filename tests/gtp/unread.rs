//! The program as a process whose output is not read, or whose input comes faster than it is
//! executed: it still notices the end of the input, interrupts and `quit`.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// More lines than memory holds; `name` needs no search.
const MANY: usize = 1_200_000;

/// 100 ms are promised; a busy machine may take longer.
const PATIENCE: Duration = Duration::from_secs(2);

fn start(arguments: &[&str]) -> (Child, ChildStdin) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tanada"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = child.stdin.take().unwrap();
    (child, input)
}

/// Waits for the end of the process, which must come in time.
fn ends(mut child: Child, begin: Instant, case: &str) {
    while begin.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "{case}: {status}");
            return;
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    panic!("{case}: the process continues after the end of its input");
}

#[test]
fn the_end_is_obeyed_while_nobody_reads() {
    let crowd = "showboard\n".repeat(20_000);
    for text in ["lz-analyze b 1\n", "kata-analyze b 1\n", &crowd] {
        let case = &text[..12];
        let (child, mut input) = start(&["gtp", "--size", "19"]);
        input.write_all(text.as_bytes()).unwrap();
        // Long enough for the pipe to fill.
        thread::sleep(Duration::from_secs(3));
        drop(input);
        ends(child, Instant::now(), case);
    }
}

#[test]
fn the_end_is_obeyed_behind_many_lines() {
    let (mut child, mut input) = start(&["gtp", "--size", "9", "--time-per-move", "60"]);
    let mut output = child.stdout.take().unwrap();
    let reader = thread::spawn(move || output.read_to_end(&mut Vec::new()));
    let begin = Instant::now();
    input.write_all(b"genmove b\n").unwrap();
    input.write_all(&b"name\n".repeat(MANY)).unwrap();
    drop(input);
    // The lines are read while it thinks.
    assert!(begin.elapsed() < Duration::from_secs(30));
    ends(child, Instant::now(), "genmove and many lines");
    reader.join().unwrap().unwrap();
}

#[test]
fn an_interrupt_is_seen_behind_many_lines() {
    let (mut child, mut input) = start(&["gtp", "--size", "9", "--time-per-move", "60"]);
    let mut output = child.stdout.take().unwrap();
    let reader = thread::spawn(move || {
        let mut text = Vec::new();
        output.read_to_end(&mut text).map(|_| text)
    });
    let begin = Instant::now();
    input.write_all(b"genmove b\n").unwrap();
    input.write_all(&b"name\n".repeat(MANY)).unwrap();
    input.write_all(b"# interrupt\nquit\n").unwrap();
    assert!(child.wait().unwrap().success());
    assert!(begin.elapsed() < Duration::from_secs(45));
    let text = reader.join().unwrap().unwrap();
    let answers = String::from_utf8(text).unwrap();
    // The move, the names, and `quit`.
    assert_eq!(answers.matches("\n\n").count(), MANY + 2);
}
