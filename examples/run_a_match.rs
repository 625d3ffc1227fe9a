//! Plays a match between two settings, each opening twice with the colours exchanged:
//! `cargo run --release --example run_a_match`.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::sync::atomic::AtomicBool;

use tanada::{
    MatchGame, MatchObserver, MatchOptions, MatchRequest, MatchResults, MatchRunner, MatchStanding,
};

const MATCH: &str = r#"
size = 7
pairs = 5
plies = 4
seed = 1

[[engine]]
name = "network"
iterations = 100
options = { threads = 1 }

[[engine]]
name = "playouts"
preset = "playout"
iterations = 100
options = { threads = 1 }
"#;

/// Prints a line for every game that ends.
struct Printer;

impl MatchObserver for Printer {
    fn ended(&self, record: &MatchGame, _results: &MatchResults, _standing: &MatchStanding) {
        println!("game {}: {}", record.game, record.ending);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let plan = MatchRequest::from_toml(MATCH, "run_a_match")?.plan()?;
    let stop = AtomicBool::new(false);
    let options = MatchOptions {
        concurrency: 1,
        recover: false,
        only_unit: None,
        needs_all: false,
    };
    let runner = MatchRunner::new(&plan, options, &stop, &Printer);
    runner.run()?;
    println!("{}", runner.standing());
    Ok(())
}
