//! `tanada doctor`: what a report of a fault should contain.

use std::env::{self, consts};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use serde_json::{Value, json};

use super::output::columns;
use super::settings::Settings;
use super::{Failure, bail, interrupt, machine, print_as};
use crate::cpu::convolution::{Path, best_path};
use crate::cpu::newer_instructions;
use crate::lab::bench;
use crate::params::Params;
use crate::start::Configuration;
use crate::util::threads::cores;

/// Each of the two searches of the speed check takes this long.
const TIME: Duration = Duration::from_millis(500);
/// Points of a row of its board.
const SIDE: usize = 9;
const ADVICE: &str = "
To report a fault, send these lines with the exact command, what happened, and what you expected
instead. If another program was attached, add the file of `--log FILE`; if a game or a position matters,
its record.
";

#[derive(clap::Args, Clone)]
#[command(after_help = "\
Examples:
  tanada doctor
  tanada doctor --json")]
pub(super) struct Arguments {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints a table of the program and the machine, with a speed check of one second.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let stop = interrupt::stop_flag()?;
    let configuration = Configuration::new(Some(SIDE), None, None).map_err(Failure::input)?;
    let params = Params {
        seed: 1,
        ..Params::default()
    };
    let speeds = bench::search(configuration.start(), &params, TIME, &|| stop.load(Relaxed));
    if stop.load(Relaxed) {
        bail!(Interrupted: "interrupted during the speed check");
    }
    let speeds = speeds.map(|speed| speed.iterations_per_second().round() as u64);
    let program =
        env::current_exe().map_or("unknown".to_string(), |path| path.to_string_lossy().into());
    let system = format!("{} {}", consts::OS, consts::ARCH);
    let path = match best_path() {
        Path::Avx512Vnni => "AVX-512 VNNI",
        Path::AvxVnni => "AVX-VNNI",
        Path::Avx2 => "AVX2",
        Path::Portable => "portable",
    };
    let rest = if newer_instructions() {
        "x86-64-v3"
    } else {
        "portable"
    };
    let is_forced = env::var_os("TANADA_PORTABLE").is_some();
    let settings = match Settings::read(None, &super::command()) {
        Ok(settings) => settings.summary(),
        Err(error) => error.to_string(),
    };
    let object = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "program": program,
        "system": system,
        "network_instructions": path,
        "instructions": rest,
        "portable_forced": is_forced,
        "settings": settings,
        "cores": cores(),
        "memory_mib": machine::memory(),
        "iterations_per_second": {"1": speeds[0], "2": speeds[1]},
    });
    print_as(arguments.json, &object, || text(&object))
}

fn text(object: &Value) -> String {
    let word = |name: &str| object[name].as_str().unwrap_or_default().to_string();
    let forced = if object["portable_forced"] == true {
        " (TANADA_PORTABLE is set)"
    } else {
        ""
    };
    let memory = match &object["memory_mib"] {
        Value::Null => "unknown".to_string(),
        memory => format!("{memory} MiB"),
    };
    let speed = &object["iterations_per_second"];
    let rows = [
        ("version", word("version")),
        ("program", word("program")),
        ("system", word("system")),
        (
            "instructions",
            format!(
                "{} for the network, {} elsewhere{forced}",
                word("network_instructions"),
                word("instructions")
            ),
        ),
        ("settings", word("settings")),
        ("cores", object["cores"].to_string()),
        ("memory", memory),
        (
            "speed",
            format!(
                "{} iterations a second on {SIDE}x{SIDE} with one thread, {} with two",
                speed["1"], speed["2"]
            ),
        ),
    ];
    let rows = rows.map(|(name, value)| [name.to_string(), value]);
    columns(&rows, &[]) + ADVICE
}
