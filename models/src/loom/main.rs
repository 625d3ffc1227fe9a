//! Explores the smallest pieces of the search tree and of the solver's table exhaustively, within loom's
//! memory model. A failed property ends the program.
//!
//! Usage: loom-models [MODEL]

#![allow(dead_code, reason = "the models use a part of each file")]

#[path = "../cpu.rs"]
mod cpu;
#[path = "../game.rs"]
mod game;
mod search;
mod solver;
mod together;

mod util {
    pub(crate) mod atomics;
}

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

fn main() -> ExitCode {
    let wanted = std::env::args().nth(1);
    let models = [search::MODELS, solver::MODELS].concat();
    let chosen = |(name, _): &&(&str, fn())| wanted.as_ref().is_none_or(|wanted| wanted == name);
    let chosen: Vec<_> = models.iter().filter(chosen).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = models.iter().map(|(name, _)| *name).collect();
        let wanted = wanted.unwrap_or_default();
        eprintln!(
            "`{wanted}` is no model, expected one of {}",
            names.join(", ")
        );
        return ExitCode::from(2);
    }
    for &&(name, model) in &chosen {
        let begin = Instant::now();
        let executions = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&executions);
        loom::model(move || {
            counter.fetch_add(1, Relaxed);
            model();
        });
        let (executions, seconds) = (executions.load(Relaxed), begin.elapsed().as_secs_f32());
        println!("{name}: all {executions} executions, {seconds:.1} s");
    }
    ExitCode::SUCCESS
}
