//! `tanada gtp`: the Go Text Protocol on standard input and output.

use std::io::{self, LineWriter, Write};
use std::path::Path;

use crate::gtp::{LOG, Session, StandardOutput, serve};
use crate::util::files;

use super::Failure;
use super::failure::shorten;
use super::file::{self, ForceOption};
use super::options::{BoardOptions, EngineOptions, ResignOption};

#[derive(clap::Args, Clone, Default)]
#[command(after_help = "\
Examples:
  tanada gtp --size 13 --time-per-move 2
  tanada gtp --threads 4 --resign 0.05 --log session.txt")]
pub(super) struct Arguments {
    /// File for a log of all lines received and sent; an old log is overwritten
    #[arg(long, value_name = "FILE")]
    log: Option<String>,
    #[command(flatten)]
    force: ForceOption,
    #[command(flatten)]
    board: BoardOptions,
    #[command(flatten)]
    engine: EngineOptions,
    #[command(flatten)]
    resign: ResignOption,
}

/// Answers commands until `quit`, the end of the input, or until nobody reads the output.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let configuration = arguments.board.configuration()?;
    let mut params = arguments.engine.params()?;
    if let Some(resign) = arguments.resign.resign {
        resign.apply(&mut params);
    }
    // No probe: the log may go to a pipe or a terminal.
    let log = arguments.force.output("--log", &arguments.log, LOG);
    file::protect(&[log], &[arguments.board.setup_file()])?;
    let create = |path: &String| {
        let created = files::create(Path::new(path)).map(LineWriter::new);
        let path = shorten(path);
        created.map_err(|error| Failure::Input(format!("cannot write the log `{path}`: {error}")))
    };
    let mut log = arguments.log.as_ref().map(create).transpose()?;
    let mut session = Session::new(configuration, params).with_overwriting(arguments.force.force);
    let log = log.as_mut().map(|log| log as &mut dyn Write);
    let ending = serve(&mut session, io::stdin(), &mut StandardOutput, log);
    // The process ends, and the system frees a large tree faster than `drop` does.
    std::mem::forget(session);
    ending?;
    Ok(())
}
