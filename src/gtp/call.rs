//! What a command handler gets and gives: a [`Call`] and the [`Control`] over it, an [`Answer`].

use std::time::Instant;

use super::parse::GtpError;
use crate::game::Seat;
use crate::util::quote;
use crate::variant::Variant;

/// What a running search should do, polled while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Go on to the limit.
    GoOn,
    /// Answer now with the best move so far.
    AnswerNow,
    /// Stop without an answer: nobody waits for it any more.
    Abandon,
}

/// When a command arrived, what ends its search early, and where text goes meanwhile.
pub struct Control<'a> {
    /// The moment from which time limits count.
    pub received: Instant,
    /// Polled by all workers while a search runs.
    pub signal: &'a (dyn Fn() -> Signal + Sync),
    /// Whether another line has arrived since, which ends an analysis; polled like `signal`.
    pub has_news: &'a (dyn Fn() -> bool + Sync),
    /// Sends text before the answer is complete.
    pub send: &'a dyn Fn(&str),
    /// Sends graphics beside the answer while the engine thinks.
    pub draw: &'a dyn Fn(&str),
}

impl<'a> Control<'a> {
    /// Control of a command with another one waiting behind it. Text sent before the answer is
    /// complete is dropped.
    pub fn new(received: Instant, signal: &'a (dyn Fn() -> Signal + Sync)) -> Self {
        Self {
            received,
            signal,
            has_news: &|| true,
            send: &|_| {},
            draw: &|_| {},
        }
    }
}

/// A command as it was sent, with the control over its search.
pub(super) struct Call<'a> {
    pub(super) id: Option<u32>,
    /// The words after the name.
    pub(super) arguments: &'a [String],
    /// When it arrived, and when to stop.
    pub(super) control: &'a Control<'a>,
}

impl<'a> Call<'a> {
    /// The argument at `index`, from 0, if it was given.
    pub(super) fn optional(&self, index: usize) -> Option<&'a str> {
        self.arguments.get(index).map(String::as_str)
    }

    /// The argument at `index`, from 0.
    ///
    /// # Errors
    /// `syntax error` if it is missing.
    pub(super) fn argument(&self, index: usize) -> Result<&'a str, GtpError> {
        self.optional(index).ok_or(GtpError::SyntaxError)
    }

    /// The seat whose colour is the argument at `index`.
    ///
    /// # Errors
    /// `syntax error` if it is missing or not a colour of the game.
    pub(super) fn colour(&self, index: usize, variant: &dyn Variant) -> Result<Seat, GtpError> {
        variant
            .seat(self.argument(index)?)
            .ok_or(GtpError::SyntaxError)
    }
}

pub(super) type Reply = Result<Answer, GtpError>;

/// The outcome of a command that did not fail.
pub(super) enum Answer {
    Text(String),
    /// The end of an answer that was sent in part already, with its empty line.
    Rest(String),
    /// An empty text, and the end of the session.
    Quit,
    /// No text: the client is gone. Nothing has changed.
    Abandoned,
}

impl<T: Into<String>> From<T> for Answer {
    fn from(text: T) -> Self {
        Answer::Text(text.into())
    }
}

/// The reply of most commands that change something: an empty text.
pub(super) fn done() -> Reply {
    Ok("".into())
}

/// A word as an error quotes it: at most 60 characters.
pub(super) fn shorten(text: &str) -> String {
    quote::shorten(text, 60)
}
