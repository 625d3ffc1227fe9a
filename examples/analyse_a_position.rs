//! Searches a position and prints the best moves: `cargo run --release --example analyse_a_position`.
#![allow(clippy::print_stdout)]

use std::error::Error;

use tanada::{Configuration, Engine, Params, SearchLimits};

fn main() -> Result<(), Box<dyn Error>> {
    let configuration = Configuration::new(Some(9), None, None)?;
    let params = Params {
        threads: 1,
        seed: 1,
        ..Params::default()
    };
    let mut engine = Engine::new(configuration.start().clone(), params);
    for name in ["C2", "H3", "D2"] {
        engine.play_word(engine.to_move(), name)?;
    }
    let limits = SearchLimits::of_iterations(2_000);
    let report = engine.search(&limits, &|| false);
    println!("move  chance  visits  best play");
    for found in report.listed().take(5) {
        let line: Vec<String> = found
            .principal_variation
            .iter()
            .take(6)
            .map(|&mv| engine.name(mv))
            .collect();
        println!(
            "{:<4} {:>5.1} % {:>7}  {}",
            engine.name(found.mv),
            100.0 * found.value,
            found.visits,
            line.join(" ")
        );
    }
    Ok(())
}
