//! The log: a line of JSON for each event, on standard error.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::SystemTime;

use serde::Serialize;

/// What an event says.
#[derive(Default, Serialize)]
pub(super) struct Line<'a> {
    pub(super) event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) game: Option<&'a str>,
    /// The number of moves before the bot's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) plies: Option<usize>,
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub(super) mv: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) value: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) iterations: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<&'a str>,
    /// A body that could not be used, whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) body: Option<&'a str>,
}

#[derive(Serialize)]
struct Timed<'a> {
    time: String,
    #[serde(flatten)]
    line: &'a Line<'a>,
}

impl Line<'_> {
    pub(super) fn of(event: &'static str) -> Self {
        Self {
            event,
            ..Self::default()
        }
    }
}

static IS_MUTE: AtomicBool = AtomicBool::new(false);

/// From now on nothing is written.
pub(super) fn mute() {
    IS_MUTE.store(true, Relaxed);
}

/// Writes a line. Nobody can be told if that fails.
pub(super) fn log(line: &Line<'_>) {
    if IS_MUTE.load(Relaxed) {
        return;
    }
    let time = humantime::format_rfc3339_millis(SystemTime::now()).to_string();
    if let Ok(mut text) = serde_json::to_string(&Timed { time, line }) {
        text.push('\n');
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
}
