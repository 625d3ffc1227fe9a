//! Commands that set the clocks.

use std::time::Duration;

use super::call::{Call, Reply, done, shorten};
use super::parse::{GtpError, parse_float};
use super::session::Session;
use crate::clock::{MAX_SECONDS, TimeControl};

pub(super) fn time_settings(session: &mut Session, call: &Call<'_>) -> Reply {
    let main = parse_float(call.argument(0)?)?;
    let period = parse_float(call.argument(1)?)?;
    let stones = count(call.argument(2)?)?;
    let control = TimeControl::from_gtp(main, period, stones).map_err(GtpError::explain)?;
    session.set_clocks(control);
    done()
}

pub(super) fn time_left(session: &mut Session, call: &Call<'_>) -> Reply {
    let seat = call.colour(0, session.engine().variant())?;
    let seconds = parse_float(call.argument(1)?)?;
    let stones = count(call.argument(2)?)?;
    // A client may send a negative time when its clock has run out.
    let seconds = seconds.clamp(0.0, f64::from(MAX_SECONDS));
    session.clocks[seat].set_left(Duration::from_secs_f64(seconds), stones);
    done()
}

pub(super) fn kata_time_settings(session: &mut Session, call: &Call<'_>) -> Reply {
    // Errors quote the words, so their number and length are limited.
    let words = call.arguments.iter().take(8);
    let words: Vec<String> = words.map(|word| shorten(word)).collect();
    let control = TimeControl::from_kata(&words).map_err(GtpError::explain)?;
    session.set_clocks(control);
    done()
}

/// Reads a number of stones; some clients send it with decimals.
fn count(text: &str) -> Result<u32, GtpError> {
    let number = parse_float(text)?;
    let whole = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
    whole.then_some(number as u32).ok_or(GtpError::SyntaxError)
}
