//! Keys of positions.

/// Identifies a position with 128 bits. Two different positions share a key by chance once in
/// 2^128 pairs; the table compares 72 of the bits (see [`table`](super::table)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Key(pub(crate) [u64; 2]);

/// The folded product of two words, as in wyhash (Wang Yi, 2019).
#[inline(always)]
fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product >> 64) as u64 ^ product as u64
}

impl Key {
    /// The key of an even number of words; an odd last word is ignored.
    #[inline(always)]
    pub(crate) fn of(words: &[u64]) -> Self {
        let mut low = 0x9E37_79B9_7F4A_7C15_u64;
        let mut high = 0xD6E8_FEB8_6659_FD93_u64;
        for pair in words.as_chunks::<2>().0 {
            let [a, b] = *pair;
            low = folded(a ^ 0xA076_1D64_78BD_642F ^ low, b ^ 0xE703_7ED1_A0B4_28DB);
            high = folded(b ^ 0x8EBC_6AF0_9C88_C6E3 ^ high, a ^ 0x5899_65CC_7537_4CC3);
        }
        Self([low ^ high.rotate_left(32), high])
    }
}
