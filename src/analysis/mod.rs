//! The protocol of KataGo's analysis engine: queries and answers are lines of JSON.
//!
//! [`serve()`] reads queries from a stream, searches many positions at once, and writes answers to
//! another stream. `docs/guide/json.md` describes each field.
//!
//! From the bottom up:
//!
//! | file | what it does |
//! |---|---|
//! | `options` | the options of the program |
//! | `fields` | a JSON object, field by field, and what is wrong with a field |
//! | `names` | the known names, and the warnings about others |
//! | `game` | the start and the moves of a query |
//! | `settings` | the limits and parameters of its search |
//! | `request` | a line as a query or an action |
//! | `schedule` | which position is searched next |
//! | `answer` | a report as JSON |
//! | `writer` | the lines on their way out |
//! | `serve` | the threads that do all this |

#![cfg_attr(not(test), deny(clippy::indexing_slicing))]

mod answer;
mod fields;
mod game;
mod names;
mod options;
mod request;
mod schedule;
mod serve;
mod settings;
mod writer;

pub use options::{MAX_LINE, Options, Perspective, TIME_AFTER_END};
pub(crate) use request::outline;
pub use serve::serve;

/// With this many bytes of lines that wait to be written, another line has to wait until it may be added.
const MAX_UNWRITTEN: usize = 16 << 20;
