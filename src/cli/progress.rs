//! Progress bars.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A progress bar on a terminal; hidden elsewhere.
pub(super) fn bar(length: u64, unit: &str) -> ProgressBar {
    let template = format!("{{bar:30}} {{pos}}/{{len}} {unit} {{elapsed}} (left {{eta}}) {{msg}}");
    let style = ProgressStyle::with_template(&template).unwrap_or(ProgressStyle::default_bar());
    drawn(Some(length), style)
}

/// The same for nodes, whose number may be unknown.
pub(super) fn nodes(most: Option<u64>) -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {human_pos} nodes {elapsed} {msg}");
    drawn(most, style.unwrap_or(ProgressStyle::default_spinner()))
}

fn drawn(length: Option<u64>, style: ProgressStyle) -> ProgressBar {
    let target = if io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    ProgressBar::with_draw_target(length, target).with_style(style)
}
