//! The protocol as a client sees it: transcripts, arbitrary bytes, and the page that describes it.

mod bytes;
mod page;
mod transcripts;
#[cfg(unix)]
mod unread;

use std::cell::RefCell;
use std::time::Instant;

use tanada::gtp::{Control, Response, Session, Signal};
use tanada::params::Params;
use tanada::start::Configuration;

/// Settings that make a session repeatable, whatever the defaults are.
fn params(iterations: u64) -> Params {
    Params {
        threads: 1,
        memory: 16,
        seed: 1,
        iterations: Some(iterations),
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

/// Executes a line with another one waiting behind it. The text of the response is all that is sent.
fn execute(session: &mut Session, line: &[u8]) -> Response {
    let sent = RefCell::new(String::new());
    let control = Control {
        send: &|text| sent.borrow_mut().push_str(text),
        ..Control::new(Instant::now(), &|| Signal::GoOn)
    };
    let response = session.execute(line, &control);
    let sent = sent.into_inner();
    Response {
        text: response.text.map(|rest| sent + &rest),
        ..response
    }
}

/// The full answer to a line; empty for a comment.
fn answer(session: &mut Session, line: impl AsRef<[u8]>) -> String {
    execute(session, line.as_ref()).text.unwrap_or_default()
}
