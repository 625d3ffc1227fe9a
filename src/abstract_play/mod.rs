//! A player for Abstract Play, the server where people play: it answers the server's messages and
//! sends moves to it.
//!
//! | file | what it does |
//! |---|---|
//! | `config` | the configuration, with its secret |
//! | `policy` | which games are played, and how long a move takes |
//! | `key`, `keys` | the server's public key, which may change |
//! | `signature` | which requests the server signed |
//! | `message` | challenges and turns, as the server sends them |
//! | `game` | the game of a message, replayed and checked |
//! | `store` | accepted turns, on the disk |
//! | `queue`, `schedule` | the order of searches and of deliveries |
//! | `think` | the search for a move |
//! | `client` | tokens, and moves sent to the server |
//! | `bot` | how a request is answered |
//! | `work` | what is done about an accepted turn |
//! | `run` | the threads that do it |
//! | `server`, `once` | requests over HTTP, or one from a file |
//! | `log` | the log |

mod bot;
mod client;
mod config;
mod game;
mod key;
mod keys;
mod log;
mod message;
mod once;
mod policy;
mod queue;
mod run;
mod schedule;
mod server;
mod signature;
mod store;
mod think;
mod work;

pub(crate) use bot::Bot;
pub(crate) use config::Config;
pub(crate) use once::Event;
pub(crate) use run::Workers;
pub(crate) use server::Server;
pub(crate) use store::StoreError;
