//! A bot for Abstract Play, a server for correspondence games. The server posts challenges and turns.
//! The bot verifies the signature, stores the turn, answers at once, searches, and sends the move in a
//! request of its own: `server`, `bot`, `store`, `schedule`, `work`, `client`.
//!
//! | file | what it does |
//! |---|---|
//! | `config` | the configuration, with its secret |
//! | `policy` | which games are played, and how long a move takes |
//! | `key`, `keys` | parse the server's public key; fetch it, and again when it changes |
//! | `signature` | verifies that a request is signed, recent and new |
//! | `message` | challenges and turns, as the server sends them |
//! | `game` | the game of a message, replayed and checked |
//! | `store` | accepted turns, on the disk |
//! | `queue`, `schedule` | which turn is searched next, which move is sent next |
//! | `think` | the search for a move |
//! | `client` | gets tokens and sends moves |
//! | `bot` | how a request is answered |
//! | `work` | searches for the move of a turn and delivers it |
//! | `run` | the worker threads |
//! | `server`, `once` | requests over HTTP, or one from a file |
//! | `log` | the log |
//! | `steps` | the bot step by step, for the fuzz targets |

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
mod steps;
mod store;
mod think;
mod work;

pub(crate) use bot::Bot;
pub(crate) use config::Config;
pub(crate) use message::outline;
pub(crate) use once::Event;
pub(crate) use run::Workers;
pub(crate) use server::Server;
pub use steps::Steps;
pub(crate) use store::StoreError;
