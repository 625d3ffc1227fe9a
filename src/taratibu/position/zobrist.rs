//! Zobrist keys.

use crate::taratibu::piece::KINDS;
use crate::taratibu::square::SQUARES;
use crate::util::random::keys;

/// By piece and square.
pub(super) static PIECES: [[u64; SQUARES]; 2 * KINDS] = keys(0x7461_7261_0000);

/// By spent kind.
pub(super) static SPENT: [u64; KINDS] = keys::<1, KINDS>(0x7461_7261_8000)[0];

/// The key of a turn and its steps left.
#[inline(always)]
pub(super) fn moment_key(turn: u8, steps_left: u8) -> u64 {
    MOMENTS[usize::from(turn) & 15][usize::from(steps_left) & 15]
}

static MOMENTS: [[u64; 16]; 16] = keys(0x7461_7261_9000);
