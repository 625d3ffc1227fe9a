//! Zobrist keys (Zobrist, 1970).

use crate::game::MAX_SEATS;
use crate::util::random::mix;

/// The key of a stone, by colour and point.
pub(super) static STONES: [[u64; 512]; MAX_SEATS] = {
    let mut table = [[0; 512]; MAX_SEATS];
    let mut i = 0;
    while i < MAX_SEATS * 512 {
        table[i / 512][i % 512] = mix(0x7461_6e62_6f00 + i as u64);
        i += 1;
    }
    table
};

/// The key of the side to move.
pub(super) static TO_MOVE: [u64; MAX_SEATS] = [
    mix(0x0074_6f6d_6f76_6500),
    mix(0x0074_6f6d_6f76_6501),
    mix(0x0074_6f6d_6f76_6502),
    mix(0x0074_6f6d_6f76_6503),
];
