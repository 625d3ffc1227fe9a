//! The command line: one file for each subcommand, [`options`] for what they
//! share, [`failure`] for what goes wrong.
//!
//! Arguments are taken as text and read by the part that knows what they mean:
//! the table of parameters, or the start position. So a wrong value is refused in
//! the same words here and over GTP.

mod accuracy;
mod analysis;
mod analyze;
mod bench;
mod demo;
mod endings;
mod failure;
mod file;
mod game;
mod genmove;
mod gtp;
mod interrupt;
mod matches;
mod openings;
mod options;
mod params;
mod perft;
mod play;
mod progress;
mod selfplay;
mod solve;
mod terminal;
mod train;
mod tune;
mod verify;
mod watch;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};

use failure::Failure;
use failure::shorten;

/// Tanada plays Tanbo, the game of roots on a Go board that Mark Steere invented
/// in 1993, and Taratibu, Glenn Overby II's game of ten pieces and ten turns (2005).
///
/// Without a subcommand it speaks the Go Text Protocol on standard input and
/// output, as with `gtp`.
#[derive(Debug, Parser)]
#[command(
    name = "tanada",
    version,
    args_conflicts_with_subcommands = true,
    max_term_width = 100
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    gtp: gtp::Arguments,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Speaks the Go Text Protocol on standard input and output (the default).
    Gtp(gtp::Arguments),
    /// Answers questions about many positions at once, as lines of JSON.
    Analysis(analysis::Arguments),
    /// Searches one position and prints the best moves.
    Genmove(genmove::Arguments),
    /// Counts the legal sequences of moves of each length.
    Perft(perft::Arguments),
    /// Lists the parameters that `--set` takes.
    Params(params::Arguments),
    /// Prints the signature of the play, and speeds.
    Bench(bench::Arguments),
    /// Plays a short game against itself, drawn as it goes.
    Demo(demo::Arguments),
    /// Plays against you, in the terminal.
    Play(play::Arguments),
    /// Examines a game move by move: a table, JSON, or a page to look at.
    Analyze(analyze::Arguments),
    /// Finds out who wins with best play; in Taratibu before turn 9, whether the turn can be won.
    Solve(solve::Arguments),
    /// Collects late positions from self-play, and tells how well they are solved.
    Endings(endings::Arguments),
    /// Plays games on a small board, and tells what the exact solver thinks of them.
    Accuracy(accuracy::Arguments),
    /// Plays paired games between engines, and says what they prove.
    Match(matches::Arguments),
    /// Makes balanced openings for matches.
    Openings(openings::Arguments),
    /// Fits the weights of the linear evaluation by self-play.
    Train(train::Arguments),
    /// Plays games against itself and writes what a network learns from.
    Selfplay(selfplay::Arguments),
    /// Tunes parameters by games against itself: SPSA, or a scan of one.
    Tune(tune::Arguments),
    /// Checks a certificate of a solved Tanbo position, and says what it proves.
    Verify(verify::Arguments),
}

/// Runs the program with the arguments of this process; the exit status says what came of it.
pub fn main() -> ExitCode {
    match run(std::env::args_os()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Does what the arguments say; the program's name comes first among them.
fn run(arguments: impl IntoIterator<Item = OsString>) -> Result<(), Failure> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => return refuse(&error, &arguments),
    };
    match cli.command.unwrap_or(Command::Gtp(cli.gtp)) {
        Command::Gtp(arguments) => gtp::run(&arguments),
        Command::Analysis(arguments) => analysis::run(&arguments),
        Command::Genmove(arguments) => genmove::run(&arguments),
        Command::Perft(arguments) => perft::run(&arguments),
        Command::Params(arguments) => params::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Play(arguments) => play::run(&arguments),
        Command::Analyze(arguments) => analyze::run(&arguments),
        Command::Solve(arguments) => solve::run(&arguments),
        Command::Endings(arguments) => endings::run(&arguments),
        Command::Accuracy(arguments) => accuracy::run(&arguments),
        Command::Match(arguments) => matches::run(&arguments),
        Command::Openings(arguments) => openings::run(&arguments),
        Command::Train(arguments) => train::run(&arguments),
        Command::Selfplay(arguments) => selfplay::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
    }
}

/// Prints help or the version where they were asked for; anything else that
/// the parser stops at is a failure.
fn refuse(error: &clap::Error, arguments: &[OsString]) -> Result<(), Failure> {
    if let ErrorKind::DisplayHelp | ErrorKind::DisplayVersion = error.kind() {
        return Ok(error.print()?);
    }
    let command = Cli::command();
    let subcommands: Vec<String> = command
        .get_subcommands()
        .map(|c| c.get_name().to_string())
        .collect();
    let at_hand = failure::subcommand(arguments, &subcommands)
        .and_then(|name| command.find_subcommand(name))
        .unwrap_or(&command);
    let mut options: Vec<String> = at_hand
        .get_arguments()
        .filter_map(|a| a.get_long().map(|long| format!("--{long}")))
        .collect();
    options.sort();
    options.push("--help".to_string());
    if at_hand.get_version().is_some() {
        options.push("--version".to_string());
    }
    Err(failure::explain(error, arguments, &options, &subcommands))
}

/// Writes lines to standard output and flushes it, without what a terminal would act on.
fn print(text: &str) -> Result<(), Failure> {
    write_out(&crate::util::quote::lines(text))
}

/// Writes to standard output as it is, which only a drawing of this program's own needs.
fn write_out(text: &str) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes())?;
    Ok(output.flush()?)
}

/// Prints a value as one line of JSON.
fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value)
        .map_err(|error| Failure::Other(format!("no JSON can be made of the result: {error}")))?;
    write_out(&(crate::util::quote::json(&text) + "\n"))
}

/// Prints lines on standard error, without what a terminal would act on; what nobody reads there is
/// lost.
fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", crate::util::quote::lines(text));
}

/// A count with its noun: `1 move`, `2 moves`; also of a count that is written already, `1 of 3 moves`.
fn counted(count: impl ToString, one: &str, more: &str) -> String {
    let count = count.to_string();
    let noun = if count == "1" { one } else { more };
    format!("{count} {noun}")
}

/// Columns of text, each as wide as its widest cell, the last one open; numbers
/// go to the right in the columns that `right` names.
fn columns(rows: &[Vec<String>], right: &[usize]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let fill = widths[column] - cell.chars().count();
            let fill = " ".repeat(fill);
            if column > 0 {
                line.push_str("  ");
            }
            if right.contains(&column) {
                line.push_str(&fill);
                line.push_str(cell);
            } else {
                line.push_str(cell);
                line.push_str(&fill);
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn nouns_go_with_their_counts() {
        let plies = |count: &str| counted(count, "ply", "plies");
        let texts = ["0", "1", "11", "1 of 3"].map(plies);
        assert_eq!(texts, ["0 plies", "1 ply", "11 plies", "1 of 3 plies"]);
        assert_eq!(counted(1u64, "game", "games"), "1 game");
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [["a", "1", "x"], ["bcd", "10", "yz"]].map(|r| r.map(String::from).to_vec());
        assert_eq!(columns(&rows, &[1]), "a     1  x\nbcd  10  yz\n");
    }
}
