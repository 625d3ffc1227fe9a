//! Training data and training from self-play. Nothing here names a game.
//!
//! | file | what it does |
//! |---|---|
//! | `linear`, `fit` | trains a linear evaluation by self-play; the softmax regression |
//! | `selfplay` | plays games for the training of a network |
//! | `games` | the file of these games |
//! | `samples`, `fate` | training samples from these games; what becomes of each point |
//! | `journal` | the finished games of a self-play run that was interrupted |
//! | `game` | the rules of both kinds of games: openings, and what can go wrong |

mod fate;
mod fit;
mod game;
pub mod games;
pub(crate) mod journal;
mod linear;
mod sample;
pub mod samples;
pub mod selfplay;

pub use linear::TrainState;
pub(crate) use linear::{RoundReport, TrainSettings};
