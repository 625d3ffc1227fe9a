//! Proves by parts who wins a position of Tanbo: a frontier of positions some plies down, each of
//! which is solved by itself.
//!
//! | file | what it does |
//! |---|---|
//! | `prediction` | how many nodes the solver will need, and who will win |
//! | `calibration` | how far the engine's winning chances can be trusted |
//! | `relatives` | what the outcomes of similar positions say about one |
//! | `tree` | the positions above the frontier, and the hypotheses to test |
//! | `log` | results in a file that can be cut anywhere |
//! | `position` | positions in canonical form, by name |
//! | `expand` | the positions after each move, and what can be found out about them |
//! | `jobs` | positions that are solved elsewhere |
//! | `shared` | what is known, and what is to be done next |
//! | `run` | threads that expand and solve |
//! | `winning` | the winner's strategy above the parts of a certificate |
//! | `parts` | a certificate for each part, in a file |
//! | `certificate` | the certificate of the whole, put together |
//! | `recheck` | positions that a proof rests on, drawn at random and solved again |

mod calibration;
mod certificate;
mod expand;
mod jobs;
mod log;
mod parts;
mod position;
mod prediction;
mod recheck;
mod relatives;
mod run;
mod shared;
#[cfg(test)]
mod tests;
mod tree;
mod winning;

pub(crate) use certificate::Certifier;
pub(crate) use jobs::{Delegate, Job, Order, Report, Reports};
pub(crate) use log::{Log, rewrite};
pub(crate) use parts::{CertifyError, CertifyProgress};
pub(crate) use recheck::{Recheck, recheck};
pub(crate) use run::{CHECKPOINT, LOG, Proof, ProveError, ProveSettings, delegate, prove};
pub(crate) use shared::ProveProgress;
