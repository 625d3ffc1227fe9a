//! Finds out who wins a position with best play: `cargo run --release --example solve_an_ending`.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::ops::ControlFlow;

use tanada::{Configuration, Engine, ExactSettings, Outcome, Params, SolverLimits};

fn main() -> Result<(), Box<dyn Error>> {
    let configuration = Configuration::new(Some(5), None, None)?;
    let mut engine = Engine::new(configuration.start().clone(), Params::default());
    for name in ["B1", "D1"] {
        engine.play_word(engine.to_move(), name)?;
    }
    let settings = ExactSettings::new(64 << 20);
    let mut solver = engine.exact(&settings)?;
    let verdict = solver.solve(&SolverLimits::default(), &mut |_| ControlFlow::Continue(()))?;
    match verdict.outcome {
        Some(Outcome::Winner(seat)) => println!("{} wins", engine.variant().colour(seat)),
        Some(Outcome::Draw) => println!("draw"),
        None => println!("the game goes on beyond what the solver can see"),
    }
    println!("{} positions were searched", solver.nodes());
    Ok(())
}
