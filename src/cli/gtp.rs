//! `tanada gtp`: the Go Text Protocol on standard input and output.

use std::io::{self, LineWriter, Write};
use std::path::Path;

use crate::gtp::{LOG, Session, StandardOutput, serve};
use crate::util::files;

use super::Failure;
use super::failure::shorten;
use super::file::{self, ForceOption};
use super::options::{BoardOptions, EngineOptions, ResignOption};

/// What `tanada gtp` takes.
#[derive(clap::Args, Clone, Debug, Default)]
pub(super) struct Arguments {
    #[command(flatten)]
    board: BoardOptions,
    #[command(flatten)]
    engine: EngineOptions,
    #[command(flatten)]
    resign: ResignOption,
    /// Writes every line received and sent to this file, which is begun anew
    #[arg(long, value_name = "FILE", help_heading = "Engine")]
    log: Option<String>,
    #[command(flatten)]
    force: ForceOption,
}

/// Serves commands until `quit`, the end of the input, or the end of whoever
/// reads the output.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let configuration = arguments.board.configuration()?;
    let mut settings = arguments.engine.settings()?;
    arguments.resign.apply(&mut settings.params)?;
    // A pipe or a terminal does as well as a file.
    let log = arguments.force.output("--log", arguments.log.as_ref(), LOG);
    file::protect(&[log], &[arguments.board.setup_file()])?;
    let mut log = match &arguments.log {
        Some(path) => Some(LineWriter::new(files::create(Path::new(path)).map_err(
            |error| {
                let path = shorten(path);
                Failure::Input(format!(
                    "the log `{path}` cannot be written: {error}, expected the name of a file"
                ))
            },
        )?)),
        None => None,
    };
    let mut session =
        Session::new(configuration, settings.params).with_overwriting(arguments.force.force);
    let log = log.as_mut().map(|log| log as &mut dyn Write);
    let ending = serve(&mut session, io::stdin(), &mut StandardOutput, log);
    // The process ends: the system takes a large tree back faster than `drop`.
    std::mem::forget(session);
    ending?;
    Ok(())
}
