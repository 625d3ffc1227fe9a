//! `tanada prove --delegate`: jobs go out as lines of JSON on standard output, results come in on
//! standard input.

use std::io::{self, Write};
use std::sync::{Arc, OnceLock};
use std::thread;

use serde_json::{Map, Value, json};
use thiserror::Error;

use super::super::failure::shorten;
use super::super::note;
use crate::game::Seat;
use crate::lab::prove::{Delegate, Job, Order, Report, Reports};
use crate::tanbo::colour;
use crate::util::lines::{MAX_LINE, read_line};
use crate::util::quote;

/// The most jobs that may be out at once.
pub(super) const MOST_JOBS: usize = 1 << 16;
/// The most nodes of a job.
const MOST_NODES: u64 = 1_000_000_000_000_000_000;
const NODES: &str = "a whole number from 0 to 10^18";
/// How many bytes are kept of a line that is too long; errors only quote its beginning.
const KEPT: usize = 256;

/// Why a line of the input is refused.
#[derive(Debug, PartialEq, Eq, Error)]
pub(super) enum LineError {
    #[error(
        "`{0}` is not a JSON object: expected one a line, as in \
         `{{\"job\": 1, \"winner\": \"black\", \"nodes\": 5000}}`"
    )]
    Object(String),
    #[error("the line `{0}` is too long: expected at most {MAX_LINE} bytes")]
    TooLong(String),
    #[error("invalid or missing `{field}` in `{line}`: expected {expected}")]
    Field {
        field: &'static str,
        line: String,
        expected: String,
    },
    #[error("cannot be read: {0}")]
    Unread(String),
}

/// Why no more results come.
#[derive(Debug)]
pub(super) enum End {
    Closed,
    Refused(LineError),
}

/// Whoever reads the standard output.
pub(super) struct Peer {
    /// How many jobs may be out at once, until the peer says something else.
    most: usize,
    end: Arc<OnceLock<End>>,
}

impl Peer {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            end: Arc::default(),
        }
    }

    /// Why no more results come, if that is so.
    pub(super) fn end(&self) -> Option<&End> {
        self.end.get()
    }
}

impl Delegate for Peer {
    fn listen(&mut self, reports: Reports) -> io::Result<()> {
        reports.send(Report::Most(self.most));
        let end = Arc::clone(&self.end);
        // It ends with the process if the input does not end before.
        thread::Builder::new().spawn(move || {
            let _ = end.set(read_all(&reports));
            reports.send(Report::End);
        })?;
        Ok(())
    }

    fn send(&mut self, order: &Order) -> io::Result<()> {
        let line = match order {
            Order::Solve(Job {
                number,
                position,
                nodes,
                worth,
            }) => json!({"job": number, "position": position, "nodes": nodes, "worth": worth}),
            Order::Cancel(number) => json!({ "cancel": number }),
        };
        let mut output = io::stdout().lock();
        writeln!(output, "{}", quote::json(&line.to_string()))?;
        output.flush()
    }
}

/// Passes the lines of the input on until it ends, or one is wrong.
fn read_all(reports: &Reports) -> End {
    let mut input = io::stdin().lock();
    loop {
        let line = match read_line(&mut input, KEPT) {
            Ok(Some((line, false))) if line.trim_ascii().is_empty() => continue,
            Ok(Some((line, false))) => read(&String::from_utf8_lossy(&line)),
            Ok(Some((line, true))) => {
                Err(LineError::TooLong(shorten(&String::from_utf8_lossy(&line))))
            }
            Ok(None) => return End::Closed,
            Err(error) => Err(LineError::Unread(error.to_string())),
        };
        match line {
            Ok(report) => {
                if let Report::Lost { job, why } = &report {
                    note(&format!("job {job} is lost: {why}"));
                }
                reports.send(report);
            }
            Err(error) => return End::Refused(error),
        }
    }
}

/// Reads a line: a result, a job that is lost, or how many jobs may be out.
fn read(line: &str) -> Result<Report, LineError> {
    let object: Map<String, Value> =
        serde_json::from_str(line).map_err(|_| LineError::Object(shorten(line.trim())))?;
    let wrong = |field: &'static str, expected: &str| LineError::Field {
        field,
        line: shorten(line.trim()),
        expected: expected.to_string(),
    };
    let whole = |field, expected| {
        let value = object.get(field).and_then(Value::as_u64);
        value.ok_or_else(|| wrong(field, expected))
    };
    if let Some(most) = object.get("jobs") {
        let most = most.as_u64().and_then(|most| usize::try_from(most).ok());
        let most = most.filter(|&most| most <= MOST_JOBS);
        let expected = format!("a whole number from 0 to {MOST_JOBS}");
        return most
            .map(Report::Most)
            .ok_or_else(|| wrong("jobs", &expected));
    }
    let job = whole("job", "the number of a job")?;
    match object.get("lost") {
        Some(Value::String(why)) => {
            let why = why.clone();
            return Ok(Report::Lost { job, why });
        }
        Some(_) => return Err(wrong("lost", "the reason as text")),
        None => {}
    }
    let expected = "\"black\", \"white\" or null";
    let winner = object.get("winner").and_then(winner);
    Ok(Report::Solved {
        job,
        winner: winner.ok_or_else(|| wrong("winner", expected))?,
        nodes: whole("nodes", NODES).and_then(|nodes| {
            (nodes <= MOST_NODES)
                .then_some(nodes)
                .ok_or_else(|| wrong("nodes", NODES))
        })?,
    })
}

/// The winner that a value names; null is none.
fn winner(value: &Value) -> Option<Option<Seat>> {
    match value {
        Value::Null => Some(None),
        Value::String(word) => [colour::BLACK, colour::WHITE]
            .into_iter()
            .find(|&seat| colour::word(seat) == word)
            .map(Some),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let solved = |winner| {
            Ok(Report::Solved {
                job: 7,
                winner,
                nodes: 5,
            })
        };
        for (line, report) in [
            (
                r#"{"job": 7, "winner": "black", "nodes": 5}"#,
                solved(Some(colour::BLACK)),
            ),
            (
                r#"{"winner":"white","nodes":5,"job":7,"seconds":2}"#,
                solved(Some(colour::WHITE)),
            ),
            (
                " {\"job\": 7, \"winner\": null, \"nodes\": 5}\r",
                solved(None),
            ),
            (
                r#"{"job": 7, "lost": "a flood"}"#,
                Ok(Report::Lost {
                    job: 7,
                    why: "a flood".to_string(),
                }),
            ),
            (r#"{"jobs": 0}"#, Ok(Report::Most(0))),
        ] {
            assert_eq!(read(line), report, "{line}");
        }
    }

    #[test]
    fn wrong_lines_are_explained() {
        for (line, part) in [
            ("hello", "`hello` is not a JSON object: expected one a line"),
            ("[1]", "`[1]` is not a JSON object"),
            ("{\"job\": 7", "`{\"job\": 7` is not a JSON object"),
            (
                "{}",
                "invalid or missing `job` in `{}`: expected the number",
            ),
            (r#"{"job": -7}"#, "invalid or missing `job`"),
            (
                r#"{"job": 7, "nodes": 5}"#,
                "`winner` in `{\"job\": 7, \"nodes\": 5}`: expected \"black\"",
            ),
            (
                r#"{"job": 7, "nodes": 5, "winner": "red"}"#,
                "missing `winner`",
            ),
            (
                r#"{"job": 7, "nodes": -5, "winner": null}"#,
                "missing `nodes`",
            ),
            (
                r#"{"job": 7, "nodes": 1.5, "winner": null}"#,
                "expected a whole number from 0 to 10^18",
            ),
            (
                r#"{"job": 7, "nodes": 18446744073709551615, "winner": null}"#,
                "expected a whole number from 0 to 10^18",
            ),
            (r#"{"job": 7, "lost": true}"#, "missing `lost`"),
            (
                r#"{"jobs": 65537}"#,
                "expected a whole number from 0 to 65536",
            ),
        ] {
            let error = read(line).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
