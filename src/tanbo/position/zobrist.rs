//! Zobrist keys.

use crate::game::MAX_SEATS;
use crate::util::random::keys;

/// The key of a stone, by colour and point.
pub(super) static STONES: [[u64; 512]; MAX_SEATS] = keys(0x7461_6e62_6f00);

/// The key of the side to move.
pub(super) static TO_MOVE: [u64; MAX_SEATS] = keys::<1, MAX_SEATS>(0x0074_6f6d_6f76_6500)[0];
