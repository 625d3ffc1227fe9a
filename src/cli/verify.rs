//! `tanada verify`: checks a certificate of a solved position.

use std::fs::File;
use std::io;
use std::time::Instant;

use crate::start::ReadError;
use crate::tanbo::certificate::{self, CertificateError, Proof, VerifyError};
use crate::tanbo::{colour, diagram};
use serde::Serialize;

use super::failure::shorten;
use super::values::count;
use super::{Failure, bail, columns, print, print_json, progress};

#[derive(clap::Args, Clone)]
#[command(after_help = "\
Examples:
  tanada verify proof
  tanada verify proof --memory 4096 --json")]
pub(super) struct Arguments {
    /// Certificate, as `tanada solve --certificate` or `tanada prove --certificate` writes it
    #[arg(value_name = "FILE")]
    file: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Maximum memory for the tables of positions, 1 to 1048576 MiB [default: no limit]
    #[arg(long, value_name = "MIB", value_parser = count(1..=1 << 20))]
    memory: Option<usize>,
}

/// A certificate that holds.
#[derive(Serialize)]
struct Valid {
    valid: bool,
    winner: &'static str,
    /// Positions where the winner is to move.
    positions: u64,
    /// Left out in version 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<u64>,
    /// Left out before version 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    endings: Option<u64>,
    /// Positions that the searches of endings needed; left out before version 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    searched: Option<u64>,
    moves: u64,
    /// Plies of the longest game.
    plies: u64,
    seconds: f64,
}

/// A certificate that proves nothing.
#[derive(Serialize)]
struct Invalid {
    valid: bool,
    reason: String,
    /// The first position that breaks it, as a diagram.
    position: Option<String>,
    line: Option<Vec<String>>,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let unreadable = |error: io::Error| Failure::input(ReadError::new(&arguments.file, &error));
    let file = File::open(&arguments.file).map_err(unreadable)?;
    let begun = Instant::now();
    let bar = progress::bar(0, "positions");
    let checked = certificate::verify(file, arguments.memory, &mut |done, of| {
        bar.set_length(of);
        bar.set_position(done);
    });
    bar.finish_and_clear();
    match checked {
        Ok(proof) => accept(&proof, begun.elapsed().as_secs_f64(), arguments.json),
        Err(VerifyError::Certificate(error)) => refuse(&error, arguments),
        Err(VerifyError::Read(error)) => Err(unreadable(error)),
        Err(error @ VerifyError::Memory { .. }) => Err(Failure::input(error)),
    }
}

fn accept(proof: &Proof, seconds: f64, json: bool) -> Result<(), Failure> {
    let winner = colour::word(proof.winner);
    if json {
        return print_json(&Valid {
            valid: true,
            winner,
            positions: proof.positions,
            parts: proof.parts,
            endings: proof.endings,
            searched: proof.searched,
            moves: proof.moves,
            plies: proof.plies,
            seconds,
        });
    }
    let size = proof.start.size();
    let board = diagram::with_coordinates(size, |point| proof.start.stone_at(point));
    let mut rows = vec![("positions checked", proof.positions.to_string())];
    let counts = [
        ("parts", proof.parts),
        ("endings searched", proof.endings),
        ("positions of endings", proof.searched),
    ];
    let counts = counts.into_iter();
    rows.extend(counts.filter_map(|(name, count)| Some((name, count?.to_string()))));
    rows.extend([
        ("moves checked", proof.moves.to_string()),
        ("longest game, plies", proof.plies.to_string()),
        ("seconds", format!("{seconds:.3}")),
    ]);
    let rows = rows.into_iter();
    let rows: Vec<_> = rows
        .map(|(name, value)| [name.to_string(), value])
        .collect();
    print(&format!(
        "{}{} wins: proven for all play from this position ({size}x{size}, {} to move)\n\n\
         {board}\n\n{}",
        winner[..1].to_uppercase(),
        &winner[1..],
        colour::word(proof.start.to_move()),
        columns(&rows, &[1]),
    ))
}

/// Prints the first position that breaks the certificate, and why.
fn refuse(error: &CertificateError, arguments: &Arguments) -> Result<(), Failure> {
    let place = error.place.as_deref();
    let reason = error.defect.to_string();
    if arguments.json {
        print_json(&Invalid {
            valid: false,
            reason: reason.clone(),
            position: place.map(|place| place.position.diagram()),
            line: place.map(|place| place.line.clone()),
        })?;
    } else if let Some(place) = place {
        let moves = match place.line.len() {
            0 => "none, it is the first".to_string(),
            _ => place.line.join(" "),
        };
        let diagram = place.position.diagram();
        print(&format!(
            "The first position that breaks it:\n\n{diagram}\nmoves to it: {moves}\n"
        ))?;
    }
    bail!(Other: "`{}` proves nothing: {reason}", shorten(&arguments.file));
}
