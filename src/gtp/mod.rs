//! The Go Text Protocol: GTP 2 with the extensions of the clients that people use.
//!
//! A [`Session`] executes one line at a time and uses no stream; [`serve()`] connects it to streams.
//! [`COMMANDS`] is the table of all commands, which `protocol.md` describes.
//!
//! From the bottom up:
//!
//! | file | what it does |
//! |---|---|
//! | `parse` | lines to words, replies to text, the errors of GTP 2 |
//! | `call` | what a handler gets and returns |
//! | `session` | the state: game, history, clocks |
//! | `turn_budget`, `paced_search` | how long to think about a move; the search that keeps to it |
//! | `gfx`, `live_gfx` | graphics for GoGui; those shown during a search |
//! | `registry` | the table of commands with their handlers, and the execution of a line |
//! | `play`, `genmove`, `regress` | handlers that play and choose moves |
//! | `state` | game and position as JSON |
//! | `analyze`, `search_info` | analysis while it runs; what the last search found |
//! | `gogui`, `gogui_analyze` | commands of GoGui; its menu of analysis commands |
//! | `records`, `settings`, `time`, `client` | game records, parameters, clocks, questions of clients |
//! | `input`, `output`, `serve` | the streams |

#![cfg_attr(not(test), deny(clippy::indexing_slicing))]

mod analyze;
mod call;
mod client;
mod genmove;
mod gfx;
mod gogui;
mod gogui_analyze;
mod input;
mod live_gfx;
mod output;
mod paced_search;
mod parse;
mod play;
mod records;
mod registry;
mod regress;
mod search_info;
mod serve;
mod session;
mod settings;
mod state;
mod time;
mod turn_budget;

pub use call::{Control, Signal};
pub use output::Output;
pub(crate) use output::StandardOutput;
pub use registry::{COMMANDS, Response, Scope};
pub(crate) use serve::LOG;
pub use serve::{ExitReason, serve};
pub use session::Session;
