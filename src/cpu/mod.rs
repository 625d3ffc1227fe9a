//! Uses newer instructions in a portable build, if the machine has them.
//!
//! [`dispatch`] runs a [`Kernel`] that is compiled twice, for the best instruction set that is found
//! at run time. Both compilations give the same bits: integer arithmetic is exact, and Rust never
//! fuses or reorders floating-point operations.
//!
//! Only this file and its module `convolution` contain `unsafe`. [`dispatch`], [`prefetch`],
//! [`use_huge_pages`], [`Place`] and `Convolution` say why it is sound and how much it gains.

#![allow(unsafe_code)]

pub(crate) mod convolution;

/// Work that [`dispatch`] compiles for two instruction sets. `run`, and all that it calls in a hot
/// loop, must be `#[inline(always)]`: only then is it compiled for the caller's instruction set.
pub(crate) trait Kernel {
    type Output;
    fn run(self) -> Self::Output;
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn run_x86_64_v3<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

/// Whether [`dispatch`] takes the newer path on this machine. The environment variable
/// `TANADA_PORTABLE`, set to anything, turns it off; this lets both paths be compared on one machine.
pub(crate) fn newer_instructions() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        static FOUND: std::sync::LazyLock<bool> = std::sync::LazyLock::new(|| {
            std::env::var_os("TANADA_PORTABLE").is_none()
                && is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt")
        });
        *FOUND
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

/// Runs `kernel` on the best path of this machine: x86-64-v3 without FMA if it is detected, otherwise
/// the portable path.
///
/// Why it is worth `unsafe`: the portable and the newer path evaluated 4.8 and 5.6 million children a
/// second on 9x9, 3.7 and 4.6 on 13x13, 2.0 and 2.3 on 19x19 (one thread of a Zen 4 machine, linear
/// evaluation with four features).
#[inline(always)]
pub(crate) fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if newer_instructions() {
        // SAFETY: every feature that the function is compiled for was detected.
        return unsafe { run_x86_64_v3(kernel) };
    }
    kernel.run()
}

/// Asks the machine to load `items` into its cache, because they will be read soon.
///
/// Why it is worth `unsafe`: without it, searches of 10,000 and 100,000 iterations on 7x7 `dense` took
/// 1.02 and 1.04 times as long, searches of 40,000 on 9x9 1.04 times (one thread of a Zen 4 machine,
/// minima of 5 to 7 interleaved runs). On larger boards there was no difference. The exact solver took
/// 1.3 times as long on 6x6 `corners` with loads in its place.
#[inline(always)]
pub(crate) fn prefetch<T>(items: &[T]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        const LINE: usize = 64;
        let first = items.as_ptr().cast::<i8>();
        let before = first.addr() % LINE;
        for offset in (0..before + size_of_val(items)).step_by(LINE) {
            let place = first.wrapping_sub(before).wrapping_add(offset);
            // SAFETY: a prefetch neither reads nor writes, wherever it points, and every x86-64
            // machine has it.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(place) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = items;
}

/// Asks the system to keep a large table in huge pages, if it has them; the content stays. Random
/// accesses then miss the TLB less often.
///
/// Why it is worth `unsafe`: 6x6 `corners` with a table of 2 GiB was solved in 81.9 s with it and in
/// 92.9 s without (one run each of a prototype, on a busy machine).
pub(crate) fn use_huge_pages<T>(table: &[T]) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 1 << 12;
        let start = table.as_ptr().addr();
        let first = start.next_multiple_of(PAGE);
        let end = (start + size_of_val(table)) & !(PAGE - 1);
        if first < end {
            let place = table.as_ptr().cast::<u8>().wrapping_add(first - start);
            // SAFETY: the pages lie within the table, and this advice changes neither their content
            // nor who may read or write them.
            let _ = unsafe {
                rustix::mm::madvise(
                    place.cast_mut().cast(),
                    end - first,
                    rustix::mm::Advice::LinuxHugepage,
                )
            };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = table;
}

/// An index below `64 * W`. It needs no bounds check in a table of `64 * W` entries.
///
/// Why it is worth `unsafe`: with it and with masked indices, random playouts made 43.1 and 40.9
/// million moves a second on 9x9, 35.4 and 31.6 on 13x13, 35.1 and 32.0 on 19x19 (Sapphire Rapids,
/// medians of 15 interleaved rounds); a second measurement gave 37.2 and 31.2, 32.0 and 29.5, 32.9
/// and 29.6 (11 rounds).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place<const W: usize>(u16);

impl<const W: usize> Place<W> {
    pub(crate) const LAST: Self = Self::wrap(u16::MAX);

    /// The place `number` modulo `64 * W`.
    #[inline(always)]
    pub(crate) const fn wrap(number: u16) -> Self {
        const { assert!(W.is_power_of_two() && W <= 1024) };
        Self(number & (64 * W - 1) as u16)
    }

    #[inline(always)]
    pub(crate) const fn number(self) -> u16 {
        self.0
    }

    #[inline(always)]
    pub(crate) fn of<T>(self, table: &[[T; 64]; W]) -> &T {
        // SAFETY: the field is private and only `wrap` sets it; as `W` is a power of two, its mask
        // keeps it below 64 W.
        unsafe { table.as_flattened().get_unchecked(usize::from(self.0)) }
    }

    #[inline(always)]
    pub(crate) fn of_mut<T>(self, table: &mut [[T; 64]; W]) -> &mut T {
        let table = table.as_flattened_mut();
        // SAFETY: as above.
        unsafe { table.get_unchecked_mut(usize::from(self.0)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct CountBits<'a>(&'a [u64]);

    impl Kernel for CountBits<'_> {
        type Output = Vec<(u32, u32)>;
        #[inline(always)]
        fn run(self) -> Self::Output {
            let counts = |w: &u64| (w.count_ones(), w.trailing_zeros());
            self.0.iter().map(counts).collect()
        }
    }

    #[test]
    fn places_lie_within_their_table() {
        let mut table = [[0u16; 64]; 4];
        for number in 0..=u16::MAX {
            let place = Place::<4>::wrap(number);
            assert_eq!(place.number(), number % 256);
            *place.of_mut(&mut table) = number;
            let (row, column) = (number % 256 / 64, number % 64);
            assert_eq!(table[usize::from(row)][usize::from(column)], number);
            assert_eq!(*place.of(&table), number);
        }
        assert_eq!(Place::<2>::LAST.number(), 127);
        assert_eq!(Place::<1024>::LAST.number(), u16::MAX);
    }

    #[test]
    fn both_paths_compute_the_same() {
        let mut word = 0x9e37_79b9_7f4a_7c15_u64;
        let mut words = vec![0, u64::MAX];
        for i in 0..2000 {
            word = word.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(i);
            words.extend([word, 1 << (i % 64)]);
        }
        assert_eq!(dispatch(CountBits(&words)), CountBits(&words).run());
    }
}
