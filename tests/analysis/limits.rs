//! The program as a process: at the end of its input, with a client that does not read, and with
//! lines that are expensive.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{nine, query};
use crate::cli::command;

/// Long enough for a busy machine, and much shorter than a failure takes.
const SOON: Duration = Duration::from_secs(20);

struct Program {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Program {
    fn start(arguments: &[&str]) -> Self {
        let all = [
            "analysis",
            "--seed",
            "1",
            "--memory",
            "16",
            "--analysis-threads",
            "1",
        ];
        let mut command = command(&[&all, arguments].concat());
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let to = child.stdin.take();
        let from = BufReader::new(child.stdout.take().unwrap());
        Self { child, to, from }
    }

    fn send(&mut self, text: &str) {
        self.to
            .as_mut()
            .unwrap()
            .write_all(text.as_bytes())
            .unwrap();
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Ends the input; returns the remaining answers.
    fn rest(&mut self) -> Vec<Value> {
        drop(self.to.take());
        let mut text = String::new();
        self.from.read_to_string(&mut text).unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        let values = text.lines().map(|line| serde_json::from_str(line).unwrap());
        values.collect()
    }

    /// Sends a text that may exceed what the pipe and the program hold.
    fn send_all(&mut self, text: String) {
        let mut to = self.to.take().unwrap();
        let begin = Instant::now();
        let sender = std::thread::spawn(move || to.write_all(text.as_bytes()).map(|()| to));
        while !sender.is_finished() {
            assert!(begin.elapsed() < SOON, "the input is no longer read");
            std::thread::sleep(Duration::from_millis(2));
        }
        self.to = Some(sender.join().unwrap().unwrap());
    }

    /// Ends the input without reading the output; returns the time until the process ends.
    fn ends_unread(&mut self) -> Duration {
        let begin = Instant::now();
        drop(self.to.take());
        while begin.elapsed() < SOON {
            if let Some(status) = self.child.try_wait().unwrap() {
                assert_eq!(status.code(), Some(0));
                return begin.elapsed();
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        panic!("it does not end");
    }

    /// The peak of its memory, in MiB.
    #[cfg(target_os = "linux")]
    fn peak(&self) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let text = std::fs::read_to_string(path).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.unwrap().trim().trim_end_matches(" kB");
        kib.parse::<u64>().unwrap() >> 10
    }
}

const ENDLESS: &str = r#""moves":[],"maxVisits":1125899906842624"#;

#[test]
fn an_endless_search_ends_some_time_after_the_input() {
    let begin = Instant::now();
    let mut program = Program::start(&["--time-after-end", "0.3"]);
    let settings = r#""overrideSettings":{"timePerMove":1}"#;
    program.send(&nine(&format!("{ENDLESS},{settings}")));
    program.send(&nine(ENDLESS));
    program.send(&nine(r#""moves":[],"maxVisits":20"#));
    let answers = program.rest();
    assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
    let warnings: Vec<&str> = answers
        .iter()
        .filter_map(|answer| answer["warning"].as_str())
        .collect();
    let typo = "Unknown config params: timePerMove (did you mean `time_per_move`?)";
    assert!(warnings.contains(&typo), "{warnings:?}");
    let cut = "The search was stopped 0.3 seconds after the end of the input, with ";
    let cut = warnings.iter().filter(|text| text.starts_with(cut)).count();
    assert_eq!(cut, 2, "{warnings:?}");
    let visits = answers
        .iter()
        .filter_map(|answer| answer["rootInfo"]["visits"].as_u64());
    let visits: Vec<u64> = visits.collect();
    assert_eq!((visits.len(), visits[2]), (3, 20));
    assert!(visits[..2].iter().all(|&n| n > 1), "{visits:?}");
}

#[test]
fn a_search_with_a_time_limit_has_its_time_after_the_end() {
    let mut program = Program::start(&["--time-after-end", "0"]);
    program.send(&nine(
        r#""moves":[],"maxVisits":1000000000,"overrideSettings":{"maxTime":0.5}"#,
    ));
    let begin = Instant::now();
    let answers = program.rest();
    assert!(begin.elapsed() >= Duration::from_millis(450));
    assert_eq!(answers.len(), 1, "{answers:?}");
    // A search without a time limit is answered as well.
    let mut program = Program::start(&["--time-after-end", "0"]);
    program.send(&nine(ENDLESS).repeat(3));
    let answers = program.rest();
    let found = answers
        .iter()
        .filter(|answer| answer["moveInfos"][0]["move"].is_string());
    assert_eq!(found.count(), 3, "{answers:?}");
    for wrong in ["-1", "x", "1e7", "nan"] {
        let output = crate::cli::output(&["analysis", "--time-after-end", wrong]);
        let complaint = String::from_utf8(output.stderr).unwrap();
        let part = format!("invalid value `{wrong}` for `--time-after-end`");
        assert!(
            output.status.code() == Some(2) && complaint.contains(&part),
            "{complaint}"
        );
    }
}

#[test]
fn the_end_is_obeyed_while_nobody_reads() {
    let models = "{\"id\":\"m\",\"action\":\"query_models\"}\n";
    let reports = nine(&format!("{ENDLESS},\"reportDuringSearchEvery\":0.001"));
    // A full pipe; more answers than may wait; the same during a search; more lines than memory
    // holds.
    for text in [
        models.repeat(1_000),
        models.repeat(200_000),
        reports.clone() + &models.repeat(1_000),
        reports.clone() + &nine(ENDLESS).repeat(5_000),
        reports + &padded().repeat(120),
    ] {
        let mut program = Program::start(&["--quit-without-waiting"]);
        program.send_all(text);
        // The program is at work once it has written something.
        let mut first = [0];
        program.from.read_exact(&mut first).unwrap();
        std::thread::sleep(Duration::from_millis(300));
        let time = program.ends_unread();
        // It takes 100 ms on an idle machine.
        assert!(time < Duration::from_secs(1), "{time:?}");
    }
}

/// A long line that is sent back.
fn padded() -> String {
    let pad = "x".repeat(900_000);
    format!("{{\"id\":\"x\",\"action\":\"clear_cache\",\"pad\":\"{pad}\"}}\n")
}

#[test]
fn lines_before_the_end_are_still_answered() {
    let mut program = Program::start(&["--quit-without-waiting"]);
    program.send("nonsense\n{\"id\":\"v\",\"action\":\"query_version\"}\n");
    program.send(&nine(ENDLESS));
    program.send(&nine(r#""moves":[],"maxVisits":1125899906842624,"typo":1"#));
    let answers = program.rest();
    assert!(answers.len() <= 3, "{answers:?}");
    assert!(
        answers
            .iter()
            .all(|answer| answer.get("rootInfo").is_none())
    );
}

/// A client that writes everything before it reads is served; most of its lines wait on disk.
#[test]
fn what_waits_in_memory_has_a_bound() {
    const COUNT: usize = 300;
    let mut program = Program::start(&[]);
    program.send_all(padded().repeat(COUNT));
    #[cfg(target_os = "linux")]
    assert!(program.peak() < 192, "{} MiB", program.peak());
    // Every line is answered.
    for _ in 0..COUNT {
        assert_eq!(program.next()["id"], "x");
    }
    #[cfg(target_os = "linux")]
    assert!(program.peak() < 192, "{} MiB", program.peak());
    assert_eq!(program.rest(), [] as [Value; 0]);
}

/// Lines of a megabyte that are as expensive as possible, with a part of their answers.
fn costly() -> Vec<(String, &'static str)> {
    let most = tanada::analysis::MAX_LINE;
    let filled = |head: &str, item: &str, tail: &str| {
        let count = (most - head.len() - tail.len() - 200) / item.len();
        format!("{head}{}{tail}", item.repeat(count))
    };
    let bound = r#"{"player":"B","moves":["C2"],"untilDepth":1,"typo":0}"#;
    let bounds = filled(
        r#""moves":[],"maxVisits":2,"avoidMoves":["#,
        &format!("{bound},"),
        "",
    );
    let objects = filled(
        r#""moves":[],"maxVisits":2,"rules":{"a":["#,
        "{\"a\":1},",
        "",
    );
    let rectangles = |count| {
        let areas = "[aa:ss]".repeat(count);
        let fields = format!(r#""moves":[],"maxVisits":2,"position":"(;SZ[19]AB{areas})""#);
        query(&fields)
    };
    let mut names = String::new();
    for number in 0..50_000 {
        names += &format!("\"maxVisit{number}\":0,");
    }
    let settings = names.trim_end_matches(',');
    vec![
        (nine(&format!("{bounds}{bound}]")), "unused subfields"),
        (nine(&format!("{objects}0]}}")), "not supported"),
        (
            rectangles(149_000),
            "is too long: expected at most 65536 bytes",
        ),
        (rectangles(9_000), "holds a loop"),
        (
            nine(&format!(r#"{names}"moves":[],"maxVisits":2"#)),
            "and 49991 more",
        ),
        (
            nine(&format!(
                r#""moves":[],"maxVisits":2,"overrideSettings":{{{settings}}}"#
            )),
            "and 49992 more",
        ),
        (
            query(&format!(
                r#""moves":[],"game":"taratibu","maxVisits":2,"position":"{}""#,
                "x".repeat(60_000)
            )),
            "error",
        ),
        (
            format!("{{\"id\":\"{}\",\"moves\":[]}}\n", "x".repeat(900_000)),
            "is too long: expected at most 4096 bytes",
        ),
        (
            nine(&" ".repeat(most)),
            "is too long: expected at most 1048576 bytes",
        ),
    ]
}

#[test]
fn one_line_costs_what_its_size_explains() {
    for (line, part) in costly() {
        let mut program = Program::start(&[]);
        let begin = Instant::now();
        program.send(&line);
        let shown: String = line.chars().take(100).collect();
        program.send("{\"id\":\"end\",\"action\":\"clear_cache\"}\n");
        let mut told = String::new();
        loop {
            let answer = program.next();
            if answer["action"].is_string() {
                break;
            }
            told += &answer.to_string();
        }
        assert!(told.len() < 20_000, "{} bytes for {shown}", told.len());
        let time = begin.elapsed();
        assert!(time < SOON / 2, "{time:?} for {shown}");
        #[cfg(target_os = "linux")]
        assert!(program.peak() < 192, "{} MiB for {shown}", program.peak());
        told += &Value::from(program.rest()).to_string();
        assert!(told.contains(part), "{told:.2000}");
    }
}

#[test]
fn echoed_texts_hold_nothing_that_a_terminal_acts_on() {
    let odd = "a\u{202e}b\u{2066}\u{9b}31m\u{1b}]0;x\u{7}\u{7f}\u{2028}c";
    let mut program = Program::start(&[]);
    let lines = [
        json!({"id": odd, "action": "clear_cache", odd: odd}),
        json!({"id": odd, "action": odd}),
        json!({"id": odd, "moves": [], "boardXSize": 9, "boardYSize": 9, "maxVisits": 2,
            odd: 1, "rules": odd, "overrideSettings": {odd: 1}}),
        json!({"id": odd, "moves": [["B", odd]], "boardXSize": 9, "boardYSize": 9}),
        json!({"id": odd, "moves": [], "position": odd, "game": odd}),
    ];
    for line in &lines {
        program.send(&format!("{line}\n"));
    }
    program.send(&format!("{odd}\n"));
    drop(program.to.take());
    let mut text = String::new();
    program.from.read_to_string(&mut text).unwrap();
    assert!(text.lines().count() >= 8, "{text:?}");
    let is_odd = |c: char| c != '\n' && tanada::util::quote::is_hidden(c);
    assert!(!text.contains(is_odd), "{text:?}");
    let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(first, lines[0]);
}
