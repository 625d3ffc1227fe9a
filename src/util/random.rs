//! Seeded randomness: one generator for everything, with the same numbers on every machine.

use rand::TryRng;
use rand::rand_core::{Rng, SeedableRng};
use rand::rngs::SysRng;
use rand_xoshiro::Xoshiro256PlusPlus;

#[derive(Clone, Debug)]
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    /// The stream of `seed`.
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// The stream of one part (a thread, a game) of a run with this seed; the streams of different
    /// parts are unrelated.
    pub(crate) fn part(seed: u64, part: u64) -> Self {
        Self::new(mix(seed ^ mix(part.wrapping_add(0x9e37_79b9_7f4a_7c15))))
    }

    #[inline(always)]
    pub(crate) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number from 0 to `bound - 1`, uniform up to a relative bias below `bound / 2^32`.
    #[inline(always)]
    pub fn below(&mut self, bound: u32) -> u32 {
        scale((self.bits() >> 32) as u32, bound)
    }

    /// A number from -1 (included) to 1 (excluded).
    #[inline(always)]
    pub(crate) fn symmetric(&mut self) -> f32 {
        2.0 * ((self.bits() >> 40) as f32 * (1.0 / (1u64 << 24) as f32)) - 1.0
    }

    /// A number from 0 (included) to 1 (excluded).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Maps 32 random bits to a number from 0 to `bound - 1`; see [`Random::below`].
#[inline(always)]
pub(crate) fn scale(bits: u32, bound: u32) -> u32 {
    ((u64::from(bits) * u64::from(bound)) >> 32) as u32
}

/// A seed from the operating system.
pub(crate) fn system_seed() -> u64 {
    // The time is the fallback.
    SysRng.try_next_u64().unwrap_or_else(|_| {
        std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(1, |d| d.as_nanos() as u64)
    })
}

/// A bijection of 64 bits that spreads every input bit over the whole word
/// (the finalizer of SplitMix64: Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014).
pub const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A table of Zobrist keys (Zobrist, 1970): the [`mix`] of `first` and the numbers after it.
pub(crate) const fn keys<const N: usize, const M: usize>(first: u64) -> [[u64; M]; N] {
    let mut table = [[0; M]; N];
    let mut i = 0;
    while i < N * M {
        table[i / M][i % M] = mix(first + i as u64);
        i += 1;
    }
    table
}
