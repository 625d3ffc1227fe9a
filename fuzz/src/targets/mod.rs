//! The targets, one file for each kind of input.

mod abstract_play;
mod analysis;
mod gtp;
#[path = "../../../tests/oracle/mod.rs"]
mod oracle;
mod positions;
mod records;
mod rules;
mod web;

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
        name: "diagram",
        asserts: "an accepted position survives a round trip through text, and is legal to the oracle",
        run: positions::diagram,
    },
    Target {
        name: "gtp",
        asserts: "answers are well formed, and a line that fails changes no position, event or parameter",
        run: gtp::lines,
    },
    Target {
        name: "plain",
        asserts: "a plain record is written as it was read",
        run: records::plain,
    },
    Target {
        name: "rules",
        asserts: "the oracle has the same legal moves, removals and winners; `undo` restores each position",
        run: rules::games,
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
];

/// An error is one line that is not empty, of fewer than 2,000 characters.
fn sentence(text: &str) {
    assert!(!text.is_empty() && !text.contains('\n'), "{text:?}");
    assert!(text.chars().count() < 2000, "{text:?}");
}
