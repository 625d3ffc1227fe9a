//! Explores what Tanada's threads share under random schedules: the search tree, the solver's table,
//! the queue between threads, numbered jobs, the schedule and the writer of the analysis, and the
//! protocol's input. A failed property ends the program with the schedule, which `shuttle::replay`
//! repeats.
//!
//! Usage: shuttle-models SCHEDULES [MODEL]

#![allow(dead_code, reason = "the models use a part of each file")]

mod analysis;
#[path = "../cpu.rs"]
mod cpu;
#[path = "../game.rs"]
mod game;
mod gtp;
mod jobs;
mod queue;
mod search;
mod solver;

mod util {
    pub(crate) mod atomics;
    #[path = "../../../../src/util/handoff.rs"]
    pub(crate) mod handoff;
    #[path = "../../../../src/util/jobs.rs"]
    pub(crate) mod jobs;
    #[path = "../../../../src/util/lines.rs"]
    pub(crate) mod lines;
    #[path = "../../../../src/util/quote.rs"]
    pub(crate) mod quote;
    pub(crate) mod spool;
    pub(crate) mod threads;
}

use std::process::ExitCode;
use std::time::Instant;

const USAGE: &str = "usage: shuttle-models SCHEDULES [MODEL]";

/// One more than the preemptions of a schedule of probabilistic concurrency testing.
const DEPTH: usize = 4;

type Model = (&'static str, fn());

fn main() -> ExitCode {
    let models: Vec<Model> = [
        search::MODELS,
        solver::MODELS,
        queue::MODELS,
        analysis::MODELS,
        gtp::MODELS,
        jobs::MODELS,
    ]
    .concat();
    let mut arguments = std::env::args().skip(1);
    let schedules = arguments.next().unwrap_or_default();
    let Ok(schedules @ 1..) = schedules.parse::<usize>() else {
        eprintln!(
            "`{schedules}` is no number of schedules, expected a whole number from 1; {USAGE}"
        );
        return ExitCode::from(2);
    };
    let wanted = arguments.next();
    let chosen = |(name, _): &&Model| wanted.as_ref().is_none_or(|wanted| wanted == name);
    let chosen: Vec<&Model> = models.iter().filter(chosen).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = models.iter().map(|(name, _)| *name).collect();
        let wanted = wanted.unwrap_or_default();
        eprintln!(
            "`{wanted}` is no model, expected one of {}; {USAGE}",
            names.join(", ")
        );
        return ExitCode::from(2);
    }
    for &&(name, model) in &chosen {
        let begin = Instant::now();
        shuttle::check_random(model, schedules);
        shuttle::check_pct(model, schedules, DEPTH);
        let seconds = begin.elapsed().as_secs_f32();
        println!("{name}: {schedules} random and {schedules} PCT schedules, {seconds:.1} s");
    }
    ExitCode::SUCCESS
}
