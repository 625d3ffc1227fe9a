//! `tanada abstract-play`: a player for the server Abstract Play.

use std::io::Read;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use crate::abstract_play::{Bot, Config, Event, Server, StoreError, Workers};
use crate::start::ReadError;

use super::values::{Expected, address};
use super::{Failure, bail, interrupt, print};

/// The longest file with a request, in bytes.
const LONGEST_EVENT: u64 = 1 << 20;

#[derive(clap::Args, Clone)]
#[command(after_help = "\
docs/guide/abstract-play.md explains how to set up and register a bot. TANADA_AP_ and a setting's
name in capitals override the file. Give the secret as TANADA_AP_CLIENT_SECRET or in a file that
only you can read.

Examples:
  tanada abstract-play --config bot.toml
  tanada abstract-play --config bot.toml --once request.json   # answer one request and send the move")]
pub(super) struct Arguments {
    /// Configuration file, TOML [default: only the environment]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Address and port to listen on, in place of the configuration's; port 0 takes a free one. A
    /// proxy that ends TLS, such as Caddy, stands in front of it
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = listen)]
    listen: Option<SocketAddr>,
    /// Answer one request from this file (- for standard input), a JSON object with `headers` and
    /// `body`; print the answer as JSON, deliver the moves of all accepted turns, and end
    #[arg(long, value_name = "FILE", conflicts_with = "listen")]
    once: Option<String>,
}

fn listen(text: &str) -> Result<SocketAddr, Expected> {
    address(text, "127.0.0.1:8787")
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let environment = |name: &str| std::env::var(name).ok();
    let config = Config::read(arguments.config.as_deref(), &environment).map_err(Failure::input)?;
    let event = arguments.once.as_deref().map(read_event).transpose()?;
    let stop = interrupt::stop_flag()?;
    let stop = || stop.load(Relaxed);
    let Some(event) = event else {
        let server = Server::new(arguments.listen.unwrap_or(config.listen));
        let server = server.map_err(Failure::input)?;
        let bot = open(&config)?;
        let address = server.address().map_err(no_server)?;
        print(&format!("listening on http://{address}\n"))?;
        let workers = Workers::start(&bot).map_err(no_threads)?;
        server.run(bot, &stop).map_err(no_server)?;
        drop(workers);
        // A signal is the usual way to end it.
        return Ok(());
    };
    let bot = open(&config)?;
    print(&format!("{}\n", event.answer(&bot)))?;
    let is_done = bot.finish(&stop).map_err(no_threads)?;
    if stop() {
        bail!(Interrupted: "interrupted; accepted turns wait in the state folder");
    }
    if !is_done {
        bail!(Other: "a move was not delivered; the log says why");
    }
    Ok(())
}

fn open(config: &Config) -> Result<Arc<Bot>, Failure> {
    let bot = Bot::new(config).map_err(|error| match error {
        StoreError::System(..) => Failure::Other(error.to_string()),
        error => Failure::input(error),
    })?;
    Ok(Arc::new(bot))
}

fn no_server(error: std::io::Error) -> Failure {
    Failure::Other(format!("cannot start the server: {error}"))
}

fn no_threads(error: std::io::Error) -> Failure {
    Failure::Other(format!("cannot start the threads of the bot: {error}"))
}

fn read_event(path: &str) -> Result<Event, Failure> {
    let source: std::io::Result<Box<dyn Read>> = match path {
        "-" => Ok(Box::new(std::io::stdin())),
        path => std::fs::File::open(path).map(|file| Box::new(file) as Box<dyn Read>),
    };
    let mut text = String::new();
    let read = source.and_then(|source| source.take(LONGEST_EVENT).read_to_string(&mut text));
    read.map_err(|error| Failure::input(ReadError::new(path, &error)))?;
    Event::read(&text).map_err(|error| Failure::Input(format!("`{path}`: {error}")))
}
