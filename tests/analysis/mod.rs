//! `tanada analysis`: queries and answers as lines of JSON.

mod hints;
mod katrain;
mod limits;
mod lines;
mod live;
mod page;
mod positions;
mod refusals;

use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tanada::analysis::{Options, Perspective, TIME_AFTER_END, serve};
use tanada::params::Params;

/// Options that make answers repeatable, whatever the defaults are.
fn options(positions: usize) -> Options {
    Options {
        positions,
        params: Params {
            threads: 1,
            memory: 64,
            seed: 1,
            iterations: Some(30),
            ..Params::default()
        },
        perspective: Perspective::SideToMove,
        quits_without_waiting: false,
        time_after_end: TIME_AFTER_END,
    }
}

/// An output whose bytes can be read afterwards.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The lines of the output.
fn output(options: &Options, input: impl AsRef<[u8]>) -> Vec<String> {
    let output = Written::default();
    let input = Cursor::new(input.as_ref().to_vec());
    serve(options, input, output.clone()).unwrap();
    let text = String::from_utf8(output.take()).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'));
    text.lines().map(str::to_string).collect()
}

/// The answers, in the order of the output.
fn ask(options: &Options, input: impl AsRef<[u8]>) -> Vec<Value> {
    let parse = |line: String| serde_json::from_str(&line).unwrap();
    output(options, input).into_iter().map(parse).collect()
}

/// The only answer to a line.
fn one(line: &str) -> Value {
    let mut answers = ask(&options(1), line);
    assert_eq!(answers.len(), 1, "{line}: {answers:?}");
    answers.remove(0)
}

/// A query with an id and these fields.
fn query(fields: &str) -> String {
    format!("{{\"id\":\"q\",{fields}}}\n")
}

/// The same on the 9x9 board.
fn nine(fields: &str) -> String {
    query(&format!("\"boardXSize\":9,\"boardYSize\":9,{fields}"))
}

fn moves(answer: &Value) -> Vec<&str> {
    let infos = answer["moveInfos"].as_array().unwrap();
    infos
        .iter()
        .map(|info| info["move"].as_str().unwrap())
        .collect()
}
