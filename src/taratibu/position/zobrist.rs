//! Zobrist keys (Zobrist, 1970).

use crate::taratibu::piece::KINDS;
use crate::taratibu::square::SQUARES;
use crate::util::random::mix;

/// By piece and square.
pub(super) static PIECES: [[u64; SQUARES]; 2 * KINDS] = {
    let mut table = [[0; SQUARES]; 2 * KINDS];
    let mut i = 0;
    while i < 2 * KINDS * SQUARES {
        table[i / SQUARES][i % SQUARES] = mix(0x7461_7261_0000 + i as u64);
        i += 1;
    }
    table
};

/// By spent kind.
pub(super) static SPENT: [u64; KINDS] = {
    let mut table = [0; KINDS];
    let mut i = 0;
    while i < KINDS {
        table[i] = mix(0x7461_7261_8000 + i as u64);
        i += 1;
    }
    table
};

/// The key of a turn and its steps left.
#[inline(always)]
pub(super) fn moment_key(turn: u8, steps_left: u8) -> u64 {
    MOMENTS[usize::from(turn) & 15][usize::from(steps_left) & 15]
}

static MOMENTS: [[u64; 16]; 16] = {
    let mut table = [[0; 16]; 16];
    let mut i = 0;
    while i < 256 {
        table[i / 16][i % 16] = mix(0x7461_7261_9000 + i as u64);
        i += 1;
    }
    table
};
