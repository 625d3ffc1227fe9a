//! The protocol: GTP 2 with the extensions of the clients that people use.
//!
//! [`Session`] is a pure object over lines in and text out; [`serve()`] connects one
//! to streams. [`COMMANDS`] is the one list of commands; `protocol.md` describes each.

#![cfg_attr(
    not(test),
    deny(
        clippy::panic,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing
    )
)]

mod about;
mod analyze;
mod client;
mod command;
mod found;
mod genmove;
mod gfx;
mod gogui;
mod input;
mod live;
mod look;
mod output;
pub mod parse;
mod play;
mod records;
mod regress;
mod serve;
mod session;
mod settings;
mod think;
mod time;

pub use command::{Answer, COMMANDS, Call, Command, Scope, find};
pub use input::MAX_LINE;
pub use output::{Output, StandardOutput};
pub use serve::{LOG, StreamEnd, serve};
pub use session::{Control, Response, Session, Signal};
