//! The targets, one file for each kind of input.

mod abstract_play;
mod analysis;
mod bot;
mod certificate;
mod evaluation;
mod gtp;
mod json;
mod matches;
mod options;
#[path = "../../../tests/oracle/mod.rs"]
mod oracle;
mod positions;
mod records;
mod rules;
mod solver;
mod training;
mod web;
mod web_http;

use arbitrary::{Arbitrary, Unstructured};
use tanada::Params;
use tempfile::TempDir;

use crate::Target;

pub(crate) const TARGETS: &[Target] = &[
    Target {
        name: "abstract_play",
        asserts: "messages and games read back, and legal moves are read as they were played",
        run: abstract_play::requests,
    },
    Target {
        name: "analysis",
        asserts: "errors have the id of their query, and the positions of a query are legal and those it names",
        run: analysis::lines,
    },
    Target {
        name: "analysis_session",
        asserts: "each position gets exactly one final answer, each other line exactly one error or echo",
        run: analysis::session,
    },
    Target {
        name: "bot",
        asserts: "forged requests are refused; each accepted turn is delivered or given up, with one move and once",
        run: bot::session,
    },
    Target {
        name: "certificate",
        asserts: "a second reader accepts and refuses the same files",
        run: certificate::certificates,
    },
    Target {
        name: "checkpoint",
        asserts: "a checkpoint is written as it was read; each other file is refused",
        run: solver::checkpoint,
    },
    Target {
        name: "diagram",
        asserts: "an accepted position survives a round trip through text, and is legal to the oracle",
        run: positions::diagram,
    },
    Target {
        name: "frontier",
        asserts: "a second reader accepts and refuses the same logs; one that is refused stays as it was",
        run: solver::frontier,
    },
    Target {
        name: "gtp",
        asserts: "answers are well formed, and a line that fails changes no position, event or parameter",
        run: gtp::lines,
    },
    Target {
        name: "journal",
        asserts: "the folders of matches and tunings read back; a refused one keeps its games",
        run: matches::journals,
    },
    Target {
        name: "network",
        asserts: "a second reader accepts and refuses the same networks, and outputs are finite",
        run: evaluation::network,
    },
    Target {
        name: "openings",
        asserts: "openings are legal, leave the game open and read back",
        run: matches::openings,
    },
    Target {
        name: "parameters",
        asserts: "a setting that fails changes nothing; the others read back as text and as JSON",
        run: options::parameters,
    },
    Target {
        name: "plain",
        asserts: "a plain record is written as it was read",
        run: records::plain,
    },
    Target {
        name: "plan",
        asserts: "the settings of a match read back",
        run: matches::plans,
    },
    Target {
        name: "rules",
        asserts: "the oracle has the same legal moves, removals and winners; `undo` restores each position",
        run: rules::games,
    },
    Target {
        name: "samples",
        asserts: "samples are complete; a file that is cut off is refused",
        run: training::samples,
    },
    Target {
        name: "selfplay",
        asserts: "whole games of an unfinished run stay; a refused file stays as it was",
        run: training::journal,
    },
    Target {
        name: "settings",
        asserts: "what each command takes of a file reads back as its own table",
        run: options::settings,
    },
    Target {
        name: "setup",
        asserts: "the oracle accepts the same start positions",
        run: positions::setup,
    },
    Target {
        name: "sgf",
        asserts: "an SGF record is written as it was read",
        run: records::sgf,
    },
    Target {
        name: "web",
        asserts: "positions agree with an engine, saved games open again, refusals are of the documented kind",
        run: web::commands,
    },
    Target {
        name: "web_http",
        asserts: "each request gets the status of the first check that it fails, and nobody passes without the token",
        run: web_http::requests,
    },
    Target {
        name: "weights",
        asserts: "a second reader accepts and refuses the same weights, which read back",
        run: evaluation::weights,
    },
];

/// An error is one line that is not empty, of fewer than 2,000 characters.
fn sentence(text: &str) {
    assert!(!text.is_empty() && !text.contains('\n'), "{text:?}");
    assert!(text.chars().count() < 2000, "{text:?}");
}

/// A folder that is removed with what is in it; in memory, where that can be had.
fn folder() -> TempDir {
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    folder.expect("a folder")
}

/// One thread and the smallest tree: an input makes many engines.
fn small_params() -> Params {
    Params {
        threads: 1,
        memory: 1,
        ..Params::default()
    }
}

/// The next choice; `None` once the bytes are used up, after which all choices would be zeros.
fn next<'a, T: Arbitrary<'a>>(choices: &mut Unstructured<'a>) -> Option<T> {
    if choices.is_empty() {
        return None;
    }
    choices.arbitrary().ok()
}
