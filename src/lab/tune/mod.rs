//! Tuning: finds parameters that win more games.
//!
//! There are two ways. [`Tuner`] moves several parameters at once by SPSA, from small differences
//! in many short batches of games. [`Scan`] compares values of one parameter with the unchanged
//! engine. Both play two-player [`matches`](mod@crate::lab::matches).
//!
//! | file | what it does |
//! |---|---|
//! | `parameter` | a tuned parameter: start, range and step sizes |
//! | `spsa` | the SPSA method: pure functions of numbers |
//! | `settings` | the settings of a tuning, and the match of a step |
//! | `history` | the folder of a tuning: settings, and a row for each step |
//! | `tuner` | plays the steps and updates the parameters |
//! | `scan` | compares values of one parameter |
//! | `plot` | diagrams of both as SVG |
//! | `error` | why a tuning cannot begin or continue |

mod error;
mod history;
mod parameter;
mod plot;
mod scan;
mod settings;
mod spsa;
mod tuner;

pub(crate) use error::TuneError;
pub(crate) use parameter::{R_END, Tunable};
pub(crate) use plot::plot_scan;
pub(crate) use scan::Scan;
pub(crate) use settings::{MOST, TuneSettings};
pub(crate) use tuner::Tuner;
