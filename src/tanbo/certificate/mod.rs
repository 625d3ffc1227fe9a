//! Certificates of solved Tanbo positions of two players: a winning strategy in
//! a file that a stranger can check.
//!
//! A certificate holds the position, the claim who wins, and one move for each
//! position of the strategy where the winner is to move; against it stand all
//! moves of the loser. The file has no positions but the first: both sides make
//! the same walk through the strategy, and the moves stand in its order. The
//! format is told in `docs/guide/certificates.md`.
//!
//! Checking uses a naive position of its own ([`Board`]) and nothing of
//! [`crate::tanbo::Position`], so that a fault there cannot vouch for itself.

mod body;
mod head;
mod refusal;
mod rules;
mod verify;
mod walk;
mod write;

pub use head::KIND;
pub use refusal::{Place, Reason, Refusal, Unverified};
pub use rules::Board;
pub use verify::{Proof, VerifyLimits, verify};
pub use write::{Asked, Guide, Summary, WriteError, write};
