//! A board in the browser: a small HTTP server with the files of the page, its commands, and a stream
//! of events for each open page. Nothing here names a game.
//!
//! | file | what it does |
//! |---|---|
//! | `page/` | the files of the page, embedded in the program |
//! | `server` | sockets, routes and the end of the program |
//! | `connections` | how many connections there are, and which one has to go |
//! | `guard`, `token` | who may send requests |
//! | `files` | the files of the page |
//! | `detached` | the server without a socket |
//! | `command` | reads commands and answers them; each of the others has one file |
//! | `line` | the position that a command is about |
//! | `position`, `catalog` | positions and games as the page shows them |
//! | `pages` | the open pages |
//! | `page_state` | one open page: its job and its events |
//! | `events`, `outbox` | the stream of events, and what waits to be sent |
//! | `why` | why a move is illegal |
//! | `records`, `header`, `tree` | opening and saving games |
//! | `worker`, `job` | the thread of a page, and what it computes |
//! | `analysis`, `genmove`, `game_review` | one kind of job each |
//! | `matches` | follows the folder of a match |
//! | `slots` | which pages have an engine |
//!
//! Nothing that a page sends names a file of this machine.

#![cfg_attr(not(test), deny(clippy::indexing_slicing))]

mod analysis;
mod catalog;
mod command;
mod connections;
mod detached;
mod error;
mod events;
mod files;
mod game_review;
mod genmove;
mod guard;
mod header;
mod job;
mod line;
mod matches;
mod outbox;
mod page_state;
mod pages;
mod position;
mod records;
mod server;
mod slots;
mod token;
mod tree;
mod why;
mod worker;

pub use detached::Commands;
pub(crate) use server::{Server, WebError, WebOptions};
