//! The protocol as a client sees it: transcripts, odd bytes, and the page that
//! describes it.

mod bytes;
mod page;
mod transcripts;

use std::time::Instant;

use tanada::gtp::{Control, Response, Session, Signal};
use tanada::params::Params;
use tanada::start::Configuration;

/// Settings under which a session repeats exactly, whatever the defaults become.
fn params(iterations: u64) -> Params {
    Params {
        threads: 1,
        memory: 16,
        seed: 1,
        iterations,
        ..Params::default()
    }
}

fn session(size: Option<usize>, setup: Option<&str>, players: Option<usize>) -> Session {
    game_session(None, size, setup, players)
}

fn game_session(
    game: Option<&str>,
    size: Option<usize>,
    setup: Option<&str>,
    players: Option<usize>,
) -> Session {
    let game = Configuration::game(game).unwrap();
    let configuration = Configuration::of(game, size, setup, players).unwrap();
    Session::new(configuration, params(20))
}

fn execute(session: &mut Session, line: &[u8]) -> Response {
    let control = Control {
        received: Instant::now(),
        signal: &|| Signal::GoOn,
    };
    session.execute(line, &control)
}

/// What a line is answered with, in full; nothing for comments.
fn answer(session: &mut Session, line: impl AsRef<[u8]>) -> String {
    execute(session, line.as_ref()).text.unwrap_or_default()
}
