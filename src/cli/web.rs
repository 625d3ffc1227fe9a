//! `tanada web`: a board in the browser.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;

use crate::web::{Server, WebError, WebOptions};

use super::options::{EngineOptions, USUAL_TIME, help_with};
use super::values::{Expected, address, count};
use super::{Failure, bail, interrupt, note, print};

const TIME: &str = "Maximum time for a move at level full, in seconds";
const MEMORY: &str = "Maximum memory for the search trees of all pages together, in MiB";

#[derive(clap::Args, Clone)]
#[command(
    mut_arg("time_per_move", |time| time.help(help_with("time_per_move", Some(TIME), Some(USUAL_TIME)))),
    mut_arg("memory", |memory| memory.help(help_with("memory", Some(MEMORY), None))),
    after_help = "\
Examples:
  tanada web                                  # opens the board in your browser
  tanada web --no-open --listen 127.0.0.1:0   # prints the address; any free port
  tanada web --matches out/match              # shows the games of a match as they are played"
)]
pub(super) struct Arguments {
    /// Address and port to listen on; port 0 takes a free one. Any address but a loopback one lets
    /// in everybody on the network who has the token
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8026", value_parser = listen)]
    listen: SocketAddr,
    /// Do not open the browser
    #[arg(long)]
    no_open: bool,
    /// Browser pages that may be open at once, 1 to 64
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = count(1..=64))]
    pages: usize,
    /// Engines that may be awake at once, 1 to 64; they share the memory. If one more is needed,
    /// the least recently used one is put to sleep
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = count(1..=64))]
    engines: usize,
    /// Follow the match that `tanada match --records FOLDER` plays
    #[arg(long, value_name = "FOLDER")]
    matches: Option<PathBuf>,
    /// Read the files of the page from this folder, for those who write the page
    #[cfg(debug_assertions)]
    #[arg(long, hide = true, value_name = "FOLDER", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/src/web/page"))]
    page_folder: PathBuf,
    #[command(flatten)]
    engine: EngineOptions,
}

/// Serves until a signal ends the program.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let options = WebOptions {
        listen: arguments.listen,
        params: arguments.engine.params()?,
        pages: arguments.pages,
        engines: arguments.engines,
        matches: arguments.matches.clone(),
        #[cfg(debug_assertions)]
        page_folder: arguments.page_folder.clone(),
    };
    let stop = interrupt::stop_flag()?;
    let server = Server::new(options).map_err(failure)?;
    let url = server.url();
    if !server.is_local() {
        note(WIDE);
    }
    print(&format!("listening on {url}\n"))?;
    if !arguments.no_open
        && let Err(error) = open::that_detached(&url)
    {
        note(&format!(
            "cannot open a browser ({error}); open the address yourself"
        ));
    }
    server.run(&|| stop.load(Relaxed)).map_err(failure)?;
    bail!(Interrupted: "interrupted; open pages lose their engine")
}

const WIDE: &str = "Everybody on the network who has the token can use this engine. The connection is not \
     encrypted, so the token can be read on its way.";

fn failure(error: WebError) -> Failure {
    match error {
        WebError::Listen(_) => Failure::input(error),
        error => Failure::Other(error.to_string()),
    }
}

fn listen(text: &str) -> Result<SocketAddr, Expected> {
    address(text, "127.0.0.1:8026")
}
