//! How quickly the program answers, measured from outside as a client does:
//! start-up, board commands, how late a timed move is, the end of the input in
//! mid-search, an interrupt, and a question while it ponders. Run it with
//! `cargo bench --bench responsiveness`.
//!
//! Prints figures, asserts nothing: they depend on the machine.
#![allow(clippy::print_stdout)]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Client {
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tanada"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Self {
            child,
            input,
            output,
        }
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input, "{line}").expect("the program reads");
    }

    fn answer(&mut self) -> String {
        let mut text = String::new();
        while !text.ends_with("\n\n") {
            let n = self.output.read_line(&mut text).expect("text");
            assert!(n > 0, "the program ended early");
        }
        text.trim_end().to_string()
    }

    fn ask(&mut self, line: &str) -> (String, Duration) {
        let begin = Instant::now();
        self.send(line);
        (self.answer(), begin.elapsed())
    }

    fn end(mut self) {
        self.send("quit");
        self.answer();
        self.child.wait().expect("an end");
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Minimum, median and maximum in milliseconds.
fn spread(mut times: Vec<Duration>) -> String {
    times.sort();
    let [low, mid, high] = [0, times.len() / 2, times.len() - 1].map(|i| ms(times[i]));
    format!("min {low:.2} ms, median {mid:.2} ms, max {high:.2} ms")
}

fn start_up() -> Vec<Duration> {
    (0..20)
        .map(|_| {
            let begin = Instant::now();
            let mut client = Client::start(&["--size", "19"]);
            client.ask("name");
            let time = begin.elapsed();
            client.end();
            time
        })
        .collect()
}

/// A game of legal moves, replayed as GoGui's ruler does, until 10,000 commands
/// are through.
fn board_commands() -> Duration {
    let mut client = Client::start(&["--size", "19", "--iterations", "2", "--threads", "1"]);
    let mut moves = Vec::new();
    for ply in 0..60 {
        let colour = if ply % 2 == 0 { "b" } else { "w" };
        let (answer, _) = client.ask(&format!("genmove {colour}"));
        moves.push(format!("play {colour} {}", answer.trim_start_matches("= ")));
    }
    let mut commands = Vec::new();
    while commands.len() < 10_000 {
        commands.push("clear_board".to_string());
        commands.extend(moves.iter().cloned());
        commands.extend(["gogui-rules_board", "gogui-rules_legal_moves"].map(String::from));
    }
    commands.truncate(10_000);
    let begin = Instant::now();
    for command in &commands {
        let (answer, _) = client.ask(command);
        assert!(answer.starts_with('='), "{command}: {answer}");
    }
    let time = begin.elapsed();
    client.end();
    time
}

/// How much later than its limit each move is answered, the first one first.
fn overshoot(size: &str, limit: f64, moves: usize) -> Vec<Duration> {
    let mut late = Vec::new();
    let seconds = limit.to_string();
    let mut client = Client::start(&["--size", size, "--time-per-move", &seconds]);
    for ply in 0..moves {
        let colour = if ply % 2 == 0 { "b" } else { "w" };
        let (answer, time) = client.ask(&format!("genmove {colour}"));
        assert!(answer.starts_with("= "), "{answer}");
        late.push(time.saturating_sub(Duration::from_secs_f64(limit)));
    }
    client.end();
    late
}

fn end_of_input() -> Vec<Duration> {
    (0..10)
        .map(|_| {
            let mut client = Client::start(&["--time-per-move", "60"]);
            client.ask("name");
            client.send("genmove b");
            std::thread::sleep(Duration::from_millis(300));
            let Client {
                mut child, input, ..
            } = client;
            let begin = Instant::now();
            drop(input);
            let status = child.wait().expect("an end");
            assert!(status.success(), "{status}");
            begin.elapsed()
        })
        .collect()
}

fn interrupt() -> Vec<Duration> {
    (0..10)
        .map(|_| {
            let mut client = Client::start(&["--time-per-move", "60"]);
            client.ask("name");
            client.send("genmove b");
            std::thread::sleep(Duration::from_millis(300));
            let begin = Instant::now();
            client.send("# interrupt");
            let answer = client.answer();
            let time = begin.elapsed();
            assert!(answer.starts_with("= "), "{answer}");
            client.end();
            time
        })
        .collect()
}

/// How quickly `name` is answered while the engine ponders, in a game that goes on.
fn pondering(size: &str) -> Vec<Duration> {
    let arguments = [
        "--size",
        size,
        "--time-per-move",
        "0.1",
        "--set",
        "ponder=true",
    ];
    let mut client = Client::start(&arguments);
    let mut times = Vec::new();
    for ply in 0..20 {
        let colour = if ply % 2 == 0 { "b" } else { "w" };
        let (answer, _) = client.ask(&format!("genmove {colour}"));
        assert!(answer.starts_with("= "), "{answer}");
        for _ in 0..5 {
            std::thread::sleep(Duration::from_millis(40));
            times.push(client.ask("name").1);
        }
    }
    client.end();
    times
}

fn main() {
    println!("start to the first answer: {}", spread(start_up()));
    let time = board_commands();
    println!("10,000 board commands one by one: {:.0} ms", ms(time));
    for (size, limit, moves) in [
        ("9", 0.1, 30),
        ("13", 0.1, 30),
        ("19", 0.1, 30),
        ("19", 1.0, 5),
    ] {
        let late = overshoot(size, limit, moves);
        println!(
            "{size}x{size}, {limit} s a move, beyond the limit: first {:.2} ms, {}",
            ms(late[0]),
            spread(late)
        );
    }
    println!(
        "end of input in mid-search to exit: {}",
        spread(end_of_input())
    );
    println!("interrupt to the answer: {}", spread(interrupt()));
    for size in ["9", "19"] {
        println!(
            "{size}x{size}, `name` while pondering: {}",
            spread(pondering(size))
        );
    }
}
