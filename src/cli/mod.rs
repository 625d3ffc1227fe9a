//! The command line: one file for each subcommand.
//!
//! `values` parses single values, `options` holds the options that subcommands share, `settings` reads options from a
//! file and the environment, `failure` puts every error into one line, and `output` prints.

mod abstract_play;
mod accuracy;
mod analysis;
mod analyze;
mod bench;
mod completions;
mod config;
mod demo;
mod doctor;
mod endings;
mod failure;
mod file;
mod game;
mod genmove;
mod gtp;
mod interrupt;
mod machine;
mod man;
mod matches;
mod openings;
mod options;
mod output;
mod params;
mod perft;
mod play;
mod progress;
mod prove;
mod samples;
mod selfplay;
mod settings;
mod solve;
mod terminal;
mod train;
mod tune;
mod values;
mod verify;
mod watch;
mod web;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

use failure::{Failure, bail, shorten};
use output::{columns, counted, note, print, print_as, print_json, table, write_out};
use settings::Taken;

/// Tanada plays Tanbo, the game of roots on a Go board that Mark Steere invented
/// in 1993, and Taratibu, Glenn Overby II's game of ten pieces and ten turns (2005).
///
/// Without a subcommand it speaks the Go Text Protocol on standard input and
/// output, like `tanada gtp`.
#[derive(Parser)]
#[command(
    name = "tanada",
    version,
    args_conflicts_with_subcommands = true,
    max_term_width = 100,
    after_help = "\
Examples:
  tanada play                               # play against Tanada in this terminal
  tanada analyze game.sgf --html game.html  # examine a game, for the browser"
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    gtp: gtp::Arguments,
}

#[derive(Subcommand)]
enum Command {
    /// Speak the Go Text Protocol on standard input and output (the default)
    Gtp(gtp::Arguments),
    /// Analyse many positions at once: queries and answers as lines of JSON
    Analysis(analysis::Arguments),
    /// Search one position and print the best moves
    Genmove(genmove::Arguments),
    /// Count the legal sequences of moves of each length
    Perft(perft::Arguments),
    /// List the parameters that `--set` takes
    #[command(after_help = "\
Examples:
  tanada params
  tanada params --format openbench")]
    Params(params::Arguments),
    /// Print the bench signature, or measure speed
    Bench(bench::Arguments),
    /// Watch a short game of Tanada against itself
    Demo(demo::Arguments),
    /// Play against Tanada in the terminal
    Play(play::Arguments),
    /// Learn, play and study in the browser, and watch matches
    Web(web::Arguments),
    /// Run a bot on the server Abstract Play, where people play by correspondence
    AbstractPlay(abstract_play::Arguments),
    /// Examine a game move by move: a table, JSON, or a page for the browser
    Analyze(analyze::Arguments),
    /// Find out who wins with best play; in Taratibu before turn 9, whether this turn wins
    Solve(solve::Arguments),
    /// Find out by parts who wins a Tanbo position that is too large for `solve`
    Prove(prove::Arguments),
    /// Collect late positions from self-play, or check how well they are solved
    Endings(endings::Arguments),
    /// Compare the engine's play on a small board with the exact solver
    Accuracy(accuracy::Arguments),
    /// Play a match between engines and report Elo and error bounds
    Match(matches::Arguments),
    /// Make balanced openings for matches
    Openings(openings::Arguments),
    /// Fit the weights of the linear evaluation by self-play
    Train(train::Arguments),
    /// Play self-play games, from which a network learns
    Selfplay(selfplay::Arguments),
    /// Compute training samples for a network from games of self-play
    Samples(samples::Arguments),
    /// Tune parameters by self-play: SPSA, or a scan of one parameter
    Tune(tune::Arguments),
    /// Check a certificate of a solved Tanbo position
    Verify(verify::Arguments),
    /// Show the settings of the file and the environment, and what holds for each command
    Config(config::Arguments),
    /// Show the program, the machine and its speed, as a report of a fault should
    Doctor(doctor::Arguments),
    /// Print a script that completes this command line in a shell
    Completions(completions::Arguments),
    /// Print a manual page, or write all of them
    Man(man::Arguments),
}

/// Runs the program with the arguments of this process. Exit status: 0, or 2 for wrong arguments and
/// files, 3 for a search that reached its limits, 130 after Ctrl-C, 143 after SIGTERM, 129 after
/// SIGHUP, 1 for any other failure.
pub fn main() -> ExitCode {
    let Err(failure) = run(std::env::args_os().collect()) else {
        return ExitCode::SUCCESS;
    };
    let status = match failure {
        Failure::Input(_) => 2,
        Failure::Other(_) => 1,
        Failure::Undecided(_) => 3,
        Failure::Interrupted(_) => interrupt::exit_status(),
        Failure::Closed => return ExitCode::SUCCESS,
    };
    note(&format!("tanada: {failure}"));
    ExitCode::from(status)
}

/// Runs the program; the first argument is its name.
fn run(arguments: Vec<OsString>) -> Result<(), Failure> {
    if let Some(odd) = arguments.iter().skip(1).find(|a| a.to_str().is_none()) {
        let odd = shorten(&odd.to_string_lossy());
        bail!(Input: "`{odd}` is not UTF-8 text");
    }
    if arguments.len() == 1 && io::stdin().is_terminal() && io::stderr().is_terminal() {
        note(GREETING);
    }
    let all = command();
    let found = match all.clone().try_get_matches_from(&arguments) {
        Ok(found) => found,
        // Help or the version.
        Err(error) if !error.use_stderr() => return Ok(error.print()?),
        Err(error) => return Err(explain(&error, &all)),
    };
    let completed = settings::complete(&arguments, &found, &all).map_err(Failure::input)?;
    let Some((arguments, taken)) = completed else {
        return dispatch(&found, &all, &Taken::default());
    };
    let found = all.clone().try_get_matches_from(arguments);
    let found = found.map_err(|error| explain(&error, &all));
    let done = found.and_then(|found| dispatch(&found, &all, &taken));
    // What was not typed may be what is wrong.
    done.map_err(
        |failure| match (&failure, taken.quoted_in(&failure.to_string())) {
            (Failure::Input(text), Some(settings)) => {
                Failure::Input(format!("{text} ({settings})"))
            }
            _ => failure,
        },
    )
}

fn explain(error: &clap::Error, all: &clap::Command) -> Failure {
    let names: Vec<&str> = all.get_subcommands().map(|c| c.get_name()).collect();
    failure::explain(error, &names)
}

/// Runs the command. `taken` are the settings among its arguments.
fn dispatch(found: &ArgMatches, all: &clap::Command, taken: &Taken) -> Result<(), Failure> {
    let cli = Cli::from_arg_matches(found).map_err(|error| explain(&error, all))?;
    match cli.command.unwrap_or(Command::Gtp(cli.gtp)) {
        Command::Gtp(arguments) => gtp::run(&arguments),
        Command::Analysis(arguments) => analysis::run(&arguments),
        Command::Genmove(arguments) => genmove::run(&arguments),
        Command::Perft(arguments) => perft::run(&arguments),
        Command::Params(arguments) => params::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Play(arguments) => play::run(&arguments, taken),
        Command::Web(arguments) => web::run(&arguments),
        Command::AbstractPlay(arguments) => abstract_play::run(&arguments),
        Command::Analyze(arguments) => analyze::run(&arguments),
        Command::Solve(arguments) => solve::run(&arguments),
        Command::Prove(arguments) => prove::run(&arguments),
        Command::Endings(arguments) => endings::run(&arguments),
        Command::Accuracy(arguments) => accuracy::run(&arguments),
        Command::Match(arguments) => matches::run(&arguments),
        Command::Openings(arguments) => openings::run(&arguments),
        Command::Train(arguments) => train::run(&arguments),
        Command::Selfplay(arguments) => selfplay::run(&arguments),
        Command::Samples(arguments) => samples::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Config(arguments) => config::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
    }
}

/// For somebody who starts the program on a terminal to see what it is.
const GREETING: &str = "\
Tanada plays Tanbo and Taratibu. Here it waits for commands of the Go Text Protocol (`quit` ends it).
To play against it:     tanada play
To see all it can do:   tanada help";

/// The definition of all arguments.
fn command() -> clap::Command {
    // `--size -9` is a wrong size, not an unknown option `-9`.
    let takes_negative = |argument: clap::Arg| {
        let is_option = argument.get_long().is_some() && argument.get_action().takes_values();
        argument.allow_negative_numbers(is_option)
    };
    settings::with_config(Cli::command())
        .mut_args(takes_negative)
        .mut_subcommands(|subcommand| subcommand.mut_args(takes_negative))
}

/// What a command takes of a file of settings: its name, options with their values, and why it does not accept all of them
/// together.
pub(crate) type TakenSettings = (String, Vec<(String, String)>, Option<String>);

/// Reads a file of settings, for the fuzz targets.
pub(crate) fn taken_settings(text: &str) -> Result<Vec<TakenSettings>, String> {
    let all = command();
    let taken = settings::taken(text, &all).map_err(|error| error.to_string())?;
    let taken = taken.into_iter().map(|(name, arguments, options)| {
        let found = all.clone().try_get_matches_from(arguments);
        let refusal = found.err().map(|error| explain(&error, &all).to_string());
        (name, options, refusal)
    });
    Ok(taken.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_are_consistent() {
        command().debug_assert();
    }

    #[test]
    fn every_example_in_the_help_parses() {
        let all = command();
        let subcommands = all.get_subcommands();
        let helps = subcommands.map(|c| (Some(c.get_name()), c.get_after_help()));
        for (name, help) in helps.chain([(None, all.get_after_help())]) {
            let help = help.unwrap().to_string();
            let lines = help.lines().filter(|line| line.starts_with("  tanada "));
            let examples: Vec<Vec<String>> = lines.map(|l| shlex::split(l).unwrap()).collect();
            assert!(examples.len() >= 2, "{name:?}");
            for words in examples {
                let arguments = words
                    .iter()
                    .take_while(|word| !["<", ">", ">>", "|"].contains(&word.as_str()));
                let parsed = command().try_get_matches_from(arguments);
                let found = parsed.unwrap_or_else(|error| panic!("{words:?}: {error}"));
                assert!(
                    name.is_none() || found.subcommand_name() == name,
                    "{words:?}"
                );
                Cli::from_arg_matches(&found).map(drop).unwrap();
            }
        }
    }
}
