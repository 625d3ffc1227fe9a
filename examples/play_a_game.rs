//! Plays a whole game on 7x7, Tanada against itself: `cargo run --release --example play_a_game`.
#![allow(clippy::print_stdout)]

use std::error::Error;

use tanada::{Configuration, Engine, Params, SearchLimits};

fn main() -> Result<(), Box<dyn Error>> {
    // The board size, a built-in setup and the number of players; `None` takes the default.
    let configuration = Configuration::new(Some(7), None, None)?;
    let params = Params {
        threads: 1,
        seed: 1,
        ..Params::default()
    };
    let mut engine = Engine::new(configuration.start().clone(), params);
    let limits = SearchLimits::of_iterations(200);
    while !engine.is_over() {
        let report = engine.search(&limits, &|| false);
        let Some(best) = report.best() else { break };
        let colour = engine.variant().colour(engine.to_move());
        println!(
            "{colour} {} {:.0} %",
            engine.name(best.mv),
            100.0 * best.value
        );
        engine.play(best.mv)?;
    }
    if let Some(winner) = engine.winner() {
        println!("{} wins", engine.variant().colour(winner));
    }
    Ok(())
}
