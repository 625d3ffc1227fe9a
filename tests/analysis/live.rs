//! What happens during searches: reports, terminations, clients that disconnect.

use std::io::{self, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tanada::analysis::{Options, serve};

use super::{Written, nine, options};

/// A stream that a test fills piece by piece.
struct Pipe(Receiver<Vec<u8>>, Vec<u8>);

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.1.is_empty() {
            self.1 = self.0.recv().unwrap_or_default();
        }
        let n = self.1.len().min(buffer.len());
        buffer[..n].copy_from_slice(&self.1[..n]);
        self.1.drain(..n);
        Ok(n)
    }
}

/// A stream that fails once its reader is gone.
struct Far(Sender<Vec<u8>>);

impl Write for Far {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.0.send(bytes.to_vec());
        sent.map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A running engine.
struct Client {
    to: Sender<Vec<u8>>,
    from: Receiver<Vec<u8>>,
    engine: JoinHandle<io::Result<()>>,
}

impl Client {
    fn new(options: Options) -> Self {
        let (to, input) = channel();
        let (output, from) = channel();
        let engine =
            std::thread::spawn(move || serve(&options, Pipe(input, Vec::new()), Far(output)));
        Self { to, from, engine }
    }

    fn send(&self, line: &str) {
        self.to.send(line.trim_end().as_bytes().to_vec()).unwrap();
        self.to.send(b"\n".to_vec()).unwrap();
    }

    fn next(&self) -> Value {
        let line = self.from.recv_timeout(Duration::from_secs(60)).unwrap();
        serde_json::from_slice(&line).unwrap()
    }

    fn end(self) -> io::Result<()> {
        drop(self.to);
        self.engine.join().unwrap()
    }
}

/// A query whose search only ends on request.
fn endless(id: &str) -> String {
    let fields =
        r#""moves":[["B","C2"]],"maxVisits":1000000000000,"overrideSettings":{"memory":16}"#;
    nine(fields).replace("\"q\"", &format!("\"{id}\""))
}

fn with_field(line: &str, field: &str) -> String {
    line.replace("\"moves\"", &format!("{field},\"moves\""))
}

#[test]
fn priorities_come_first() {
    let client = Client::new(options(1));
    client.send(&with_field(
        &endless("q"),
        "\"reportDuringSearchEvery\":0.02",
    ));
    // After its first report the worker is busy with it.
    assert_eq!(client.next()["isDuringSearch"], true);
    for (id, priority) in [("a", 0), ("b", -5), ("c", 7), ("d", 7)] {
        let line = nine(&format!(
            r#""moves":[],"maxVisits":1,"priority":{priority}"#
        ));
        client.send(&line.replace("\"q\"", &format!("\"{id}\"")));
    }
    let both =
        nine(r#""moves":[["B","C2"]],"maxVisits":1,"analyzeTurns":[0,1],"priorities":[-9,9]"#);
    client.send(&both.replace("\"q\"", "\"e\""));
    client.send(r#"{"id":"t","action":"terminate","terminateId":"q"}"#);
    let mut found = Vec::new();
    while found.len() < 7 {
        let answer = client.next();
        if answer["isDuringSearch"] == false {
            let id = answer["id"].as_str().unwrap().to_string();
            found.push((id, answer["turnNumber"].as_u64().unwrap()));
        }
    }
    let expected = ["q", "e", "c", "d", "a", "b", "e"];
    let ids: Vec<&str> = found.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, expected);
    assert_eq!((found[1].1, found[6].1), (1, 0));
    client.end().unwrap();
}

#[test]
fn a_search_reports_while_it_runs() {
    let client = Client::new(options(1));
    client.send(&with_field(
        &endless("a"),
        "\"reportDuringSearchEvery\":0.02",
    ));
    let mut visits = Vec::new();
    for _ in 0..4 {
        let report = client.next();
        assert_eq!(
            (&report["id"], &report["isDuringSearch"]),
            (&json!("a"), &json!(true))
        );
        visits.push(report["rootInfo"]["visits"].as_u64().unwrap());
    }
    assert!(visits.is_sorted_by(|a, b| a < b), "{visits:?}");
    client.send(r#"{"id":"t","action":"terminate","terminateId":"a"}"#);
    let mut last = client.next();
    let mut acknowledged = false;
    while last["isDuringSearch"] != false {
        acknowledged |= last["action"] == "terminate";
        last = client.next();
    }
    assert!(acknowledged || client.next()["action"] == "terminate");
    assert!(last["rootInfo"]["visits"].as_u64() >= visits.last().copied());
    client.end().unwrap();
}

#[test]
fn the_first_report_has_a_time_of_its_own() {
    let client = Client::new(options(1));
    let begin = Instant::now();
    let field = "\"reportDuringSearchEvery\":1000,\"firstReportDuringSearchAfter\":0.05";
    client.send(&with_field(&endless("a"), field));
    assert_eq!(client.next()["isDuringSearch"], true);
    assert!(begin.elapsed() >= Duration::from_millis(50));
    assert!(
        client
            .from
            .recv_timeout(Duration::from_millis(200))
            .is_err()
    );
    client.send(r#"{"id":"t","action":"terminate_all"}"#);
    let answers = [client.next(), client.next()];
    assert!(
        answers
            .iter()
            .any(|answer| answer["isDuringSearch"] == false)
    );
    client.end().unwrap();
}

#[test]
fn what_ends_early_is_still_answered() {
    let client = Client::new(options(1));
    client.send(&with_field(
        &endless("running"),
        "\"reportDuringSearchEvery\":0.02",
    ));
    // After its first report it is the only one being searched.
    assert_eq!(client.next()["isDuringSearch"], true);
    let next = || {
        let answers = std::iter::repeat_with(|| client.next());
        let mut answers = answers.filter(|answer| answer["isDuringSearch"] != true);
        answers.next().unwrap()
    };
    let two = with_field(&endless("waiting"), "\"analyzeTurns\":[0,1]");
    client.send(&two);
    client.send(&endless("other"));
    // The answer to a later line shows that the earlier ones were read.
    client.send(r#"{"id":"v","action":"query_version"}"#);
    assert_eq!(next()["id"], "v");
    let part = r#"{"id":"t1","action":"terminate","terminateId":"waiting","turnNumbers":[1]}"#;
    client.send(part);
    let nothing = |id: &str, turn: u64| json!({"id": id, "turnNumber": turn, "isDuringSearch": false, "noResults": true});
    assert_eq!(next(), nothing("waiting", 1));
    assert_eq!(next(), serde_json::from_str::<Value>(part).unwrap());
    client.send(r#"{"id":"t2","action":"terminate","terminateId":"running"}"#);
    let answers = [next(), next()];
    let searched = answers
        .iter()
        .find(|answer| answer["id"] == "running")
        .unwrap();
    assert_eq!(searched["isDuringSearch"], false);
    assert!(searched["rootInfo"]["visits"].as_u64().unwrap() >= 1);
    assert!(answers.iter().any(|answer| answer["id"] == "t2"));
    client.send(r#"{"id":"t3","action":"terminate_all"}"#);
    let mut left: Vec<String> = Vec::new();
    for _ in 0..3 {
        let answer = next();
        left.push(answer["id"].as_str().unwrap().to_string());
    }
    left.sort();
    assert_eq!(left, ["other", "t3", "waiting"]);
    // The search continues.
    client.send(&nine(r#""moves":[],"maxVisits":3"#));
    assert_eq!(next()["rootInfo"]["visits"], 3);
    client.end().unwrap();
}

#[test]
fn a_client_that_goes_away_ends_it() {
    let client = Client::new(options(2));
    for id in ["a", "b", "c"] {
        client.send(&with_field(
            &endless(id),
            "\"reportDuringSearchEvery\":0.01",
        ));
    }
    client.next();
    let Client { to, from, engine } = client;
    drop(from);
    // The input stays open.
    let ended = engine.join().unwrap();
    assert_eq!(ended.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    drop(to);
}

#[test]
fn the_end_of_the_input_waits_unless_told() {
    let client = Client::new(options(1));
    let line = nine(r#""moves":[],"maxVisits":50"#);
    for _ in 0..20 {
        client.send(&line);
    }
    let Client { to, from, engine } = client;
    drop(to);
    engine.join().unwrap().unwrap();
    assert_eq!(from.iter().count(), 20);

    let mut hasty = options(1);
    hasty.quits_without_waiting = true;
    let client = Client::new(hasty);
    client.send(&endless("a"));
    client.send(&endless("b"));
    let begin = Instant::now();
    client.end().unwrap();
    assert!(begin.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_client_that_does_not_read_holds_nothing_up() {
    /// A stream that blocks its first byte until the test releases it.
    struct Stuck(Option<Receiver<()>>, Written);
    impl Write for Stuck {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if let Some(wait) = self.0.take() {
                wait.recv().unwrap();
            }
            self.1.write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let (to, input) = channel();
    let (go, wait) = channel();
    let written = Written::default();
    let output = Stuck(Some(wait), written.clone());
    let engine = std::thread::spawn(move || serve(&options(1), Pipe(input, Vec::new()), output));
    // Errors, answers, and many of them.
    for _ in 0..200 {
        to.send(b"nonsense\n".to_vec()).unwrap();
        to.send(nine(r#""moves":[],"maxVisits":1"#).into_bytes())
            .unwrap();
    }
    drop(to);
    go.send(()).unwrap();
    engine.join().unwrap().unwrap();
    let lines = written.take().iter().filter(|&&b| b == b'\n').count();
    assert_eq!(lines, 400);
}
