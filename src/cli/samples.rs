//! `tanada samples`: computes training samples for a network from games of self-play.

use crate::lab::train::samples::{KIND, SampleError, SampleWriter};
use clap::Args;

use super::file::{self, ForceOption};
use super::values::whole;
use super::{Failure, counted, interrupt, note};

#[derive(Args, Clone)]
#[command(after_help = "\
Examples:
  tanada samples games.gz --out samples
  tanada samples games-1.gz games-2.gz --out samples")]
pub(super) struct Arguments {
    /// Files of `tanada selfplay`, all of one board size
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
    /// File for the samples
    #[arg(long, value_name = "FILE")]
    out: String,
    /// Seed that decides which positions beside the games are samples
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(0..=u64::MAX))]
    seed: u64,
    #[command(flatten)]
    force: ForceOption,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let out = arguments.force.output("--out", &arguments.out, KIND);
    let inputs: Vec<Option<&str>> = arguments.files.iter().map(|f| Some(f.as_str())).collect();
    file::check(&[out], &inputs)?;
    let Some(out) = out else { return Ok(()) };
    let stop = interrupt::stop_flag()?;
    let mut fault = None;
    let written = out.replace_with(|file| {
        let mut writer = SampleWriter::new(file, arguments.seed, &stop);
        for path in &arguments.files {
            match writer.add(path) {
                Ok(()) => {}
                Err(SampleError::Write(error)) => return Err(error.into()),
                Err(error) => {
                    fault = Some(match error {
                        SampleError::Interrupted => {
                            let games = counted(writer.counts().0, "game", "games");
                            // What went through a pipe stays there.
                            let rest = if out.is_stream() {
                                ""
                            } else {
                                "; nothing was written"
                            };
                            Failure::Interrupted(format!("interrupted after {games}{rest}"))
                        }
                        _ => Failure::input(&error),
                    });
                    return Err(error.into());
                }
            }
        }
        Ok(writer.counts())
    });
    if let Some(fault) = fault {
        return Err(fault);
    }
    let (games, samples) = written.map_err(Failure::Other)?;
    let samples = counted(samples, "sample", "samples");
    let games = counted(games as usize, "game", "games");
    note(&format!("{samples} of {games}"));
    Ok(())
}
