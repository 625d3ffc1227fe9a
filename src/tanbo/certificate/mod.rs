//! Certificates of solved Tanbo positions of two players: a file with a complete winning
//! strategy that anybody can check.
//!
//! A certificate holds the start, the claimed winner, and one move for each position of the
//! strategy where the winner is to move; every move of the loser is played against it. The file
//! holds no other positions: writer and reader traverse the strategy in the same order, which is
//! the order of the moves. From version 2 on a part of the strategy has tables of its own; in version
//! 3 equal positions are one, and endings are searched.
//! `docs/guide/certificates.md` describes the format.
//!
//! Checking uses rules of its own ([`NaivePosition`](naive_position::NaivePosition)) and nothing of
//! [`crate::tanbo::Position`], whose faults would otherwise confirm themselves.

mod bits;
mod body;
mod counting;
mod ending;
mod error;
#[cfg(test)]
mod exhaustive;
mod fold;
mod header;
mod naive_position;
mod reader;
mod traversal;
mod verify;
mod write;

pub use error::{CertificateError, Defect, VerifyError};
pub(crate) use header::KIND;
pub use verify::{Proof, verify};
pub use write::{Part, PartStrategy, Step, write, write_with_parts};
