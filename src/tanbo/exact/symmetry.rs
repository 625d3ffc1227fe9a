//! The eight symmetries of a board with one row in each byte, the lowest row in the lowest byte.

/// Columns in reverse order.
#[inline(always)]
fn mirrored(set: u64, side: u32) -> u64 {
    const ONES: u64 = 0x5555_5555_5555_5555;
    const TWOS: u64 = 0x3333_3333_3333_3333;
    const FOURS: u64 = 0x0F0F_0F0F_0F0F_0F0F;
    let set = set >> 1 & ONES | (set & ONES) << 1;
    let set = set >> 2 & TWOS | (set & TWOS) << 2;
    let set = set >> 4 & FOURS | (set & FOURS) << 4;
    set >> (8 - side)
}

/// Rows in reverse order.
#[inline(always)]
fn upside_down(set: u64, side: u32) -> u64 {
    set.swap_bytes() >> (8 * (8 - side))
}

/// Exchanges rows and columns, in blocks of four, two and one (Warren, "Hacker's Delight").
#[inline(always)]
fn transposed(mut set: u64) -> u64 {
    for (mask, shift) in [
        (0x0F0F_0F0F_0000_0000, 28),
        (0x3333_0000_3333_0000, 14),
        (0x5500_5500_5500_5500, 7),
    ] {
        let changed = mask & (set ^ set << shift);
        set ^= changed ^ changed >> shift;
    }
    set
}

/// The eight views of a set on a board with 4 to 7 points in a row, in a fixed order.
#[inline(always)]
pub(super) fn views(set: u64, side: u32) -> [u64; 8] {
    let mirror = mirrored(set, side);
    let down = upside_down(set, side);
    let both = upside_down(mirror, side);
    [
        set,
        mirror,
        down,
        both,
        transposed(set),
        transposed(mirror),
        transposed(down),
        transposed(both),
    ]
}

/// The view with index `turn` in [`views`].
#[inline(always)]
pub(super) fn view(set: u64, side: u32, turn: usize) -> u64 {
    let pick = |first: u64, second: u64, bit: usize| if turn & bit == 0 { first } else { second };
    let set = pick(set, mirrored(set, side), 1);
    let set = pick(set, upside_down(set, side), 2);
    pick(set, transposed(set), 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_the_eight_turns_of_the_board() {
        for side in 4..=7u32 {
            for row in 0..side {
                for column in 0..side {
                    let bit = |row: u32, column: u32| 1u64 << (8 * row + column);
                    let last = side - 1;
                    let expected = [
                        bit(row, column),
                        bit(row, last - column),
                        bit(last - row, column),
                        bit(last - row, last - column),
                        bit(column, row),
                        bit(last - column, row),
                        bit(column, last - row),
                        bit(last - column, last - row),
                    ];
                    assert_eq!(views(bit(row, column), side), expected);
                    for (turn, &expected) in expected.iter().enumerate() {
                        assert_eq!(view(bit(row, column), side, turn), expected);
                    }
                }
            }
        }
    }
}
