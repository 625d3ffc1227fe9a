//! The kernel of a convolution on x86-64, written once for all vector instructions.
//!
//! The kernel is compiled for each row length, so that the sums of a row stay in registers and
//! nothing is computed outside the board.

use std::arch::x86_64::*;

use super::{Convolution, Shape};

/// The shortest and the longest strip of a row whose sums are in registers at once.
const SHORTEST: usize = 4;
const LONGEST: usize = 11;

/// Whether the kernel is compiled for this shape. Longer rows are divided into strips.
pub(super) fn takes(shape: Shape) -> bool {
    shape.width() >= SHORTEST
}

/// A convolution and its buffers, of the lengths that [`Convolution::run`] asserts.
pub(super) struct Task<'a, const C: usize> {
    pub(super) layer: &'a Convolution<C>,
    pub(super) shape: Shape,
    pub(super) input: &'a [u8],
    pub(super) skip: Option<&'a [u8]>,
    pub(super) bias: &'a [i32; C],
    pub(super) output: &'a mut [u8],
}

#[target_feature(enable = "avx512f,avx512vnni")]
pub(super) fn run_avx512_vnni<const C: usize>(task: Task<'_, C>) {
    // SAFETY: this function has the features that `Zmm` needs.
    unsafe { task.run::<Zmm>() }
}

#[target_feature(enable = "avx2,avxvnni")]
pub(super) fn run_avx_vnni<const C: usize>(task: Task<'_, C>) {
    // SAFETY: as above.
    unsafe { task.run::<Ymm<true>>() }
}

#[target_feature(enable = "avx2")]
pub(super) fn run_avx2<const C: usize>(task: Task<'_, C>) {
    // SAFETY: as above.
    unsafe { task.run::<Ymm<false>>() }
}

/// A vector of 32-bit sums, each of another output.
///
/// # Safety
/// All functions need the instructions that the type names, and are inlined into a function that is
/// compiled for them. A pointer must be valid for `LANES` items.
trait Vector: Copy {
    const LANES: usize;
    unsafe fn splat(word: i32) -> Self;
    unsafe fn load(from: *const i32) -> Self;
    unsafe fn load_bytes(from: *const u8) -> Self;
    unsafe fn add(a: Self, b: Self) -> Self;
    unsafe fn shift_left(a: Self, by: Self) -> Self;
    unsafe fn shift_right(a: Self, by: Self) -> Self;
    /// Adds four inputs times the four weights of each output.
    unsafe fn dot(sums: Self, inputs: Self, weights: Self) -> Self;
    /// Stores the sums as bytes, clamped to 0 to 127.
    unsafe fn store(sums: Self, to: *mut u8);
}

macro_rules! operations {
    ($(fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty { $body:expr })*) => {$(
        #[inline(always)]
        unsafe fn $name($($argument: $type),*) -> $result {
            // SAFETY: the caller keeps what `Vector` asks for.
            unsafe { $body }
        }
    )*};
}

/// The vectors of AVX-512, for VNNI.
#[derive(Clone, Copy)]
struct Zmm(__m512i);

impl Vector for Zmm {
    const LANES: usize = 16;

    operations! {
        fn splat(word: i32) -> Self { Self(_mm512_set1_epi32(word)) }
        fn load(from: *const i32) -> Self { Self(_mm512_loadu_si512(from.cast())) }
        fn load_bytes(from: *const u8) -> Self {
            Self(_mm512_cvtepu8_epi32(_mm_loadu_si128(from.cast())))
        }
        fn add(a: Self, b: Self) -> Self { Self(_mm512_add_epi32(a.0, b.0)) }
        fn shift_left(a: Self, by: Self) -> Self { Self(_mm512_sllv_epi32(a.0, by.0)) }
        fn shift_right(a: Self, by: Self) -> Self { Self(_mm512_srav_epi32(a.0, by.0)) }
        fn dot(sums: Self, inputs: Self, weights: Self) -> Self {
            Self(_mm512_dpbusd_epi32(sums.0, inputs.0, weights.0))
        }
        fn store(sums: Self, to: *mut u8) -> () {{
            let bytes = _mm512_cvtsepi32_epi8(sums.0);
            _mm_storeu_si128(to.cast(), _mm_max_epi8(bytes, _mm_setzero_si128()));
        }}
    }
}

/// The vectors of AVX2, with AVX-VNNI if `VNNI`.
#[derive(Clone, Copy)]
struct Ymm<const VNNI: bool>(__m256i);

impl<const VNNI: bool> Vector for Ymm<VNNI> {
    const LANES: usize = 8;

    operations! {
        fn splat(word: i32) -> Self { Self(_mm256_set1_epi32(word)) }
        fn load(from: *const i32) -> Self { Self(_mm256_loadu_si256(from.cast())) }
        fn load_bytes(from: *const u8) -> Self {
            Self(_mm256_cvtepu8_epi32(_mm_loadl_epi64(from.cast())))
        }
        fn add(a: Self, b: Self) -> Self { Self(_mm256_add_epi32(a.0, b.0)) }
        fn shift_left(a: Self, by: Self) -> Self { Self(_mm256_sllv_epi32(a.0, by.0)) }
        fn shift_right(a: Self, by: Self) -> Self { Self(_mm256_srav_epi32(a.0, by.0)) }
        fn dot(sums: Self, inputs: Self, weights: Self) -> Self {
            if VNNI {
                Self(_mm256_dpbusd_avx_epi32(sums.0, inputs.0, weights.0))
            } else {
                // Two products of at most 127 * 127 fit 16 bits.
                let pairs = _mm256_maddubs_epi16(inputs.0, weights.0);
                let words = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
                Self(_mm256_add_epi32(sums.0, words))
            }
        }
        fn store(sums: Self, to: *mut u8) -> () {{
            let high = _mm256_extracti128_si256::<1>(sums.0);
            let words = _mm_packs_epi32(_mm256_castsi256_si128(sums.0), high);
            let bytes = _mm_min_epu8(_mm_packus_epi16(words, words), _mm_set1_epi8(127));
            _mm_storel_epi64(to.cast(), bytes);
        }}
    }
}

impl<const C: usize> Task<'_, C> {
    /// Computes all cells.
    ///
    /// # Safety
    /// The caller is compiled for the instructions of `V`, and the machine has them.
    #[inline(always)]
    unsafe fn run<V: Vector>(mut self) {
        let width = self.shape.width();
        let mut column = 0;
        for left in (1..=width.div_ceil(LONGEST)).rev() {
            let cells = (width - column).div_ceil(left);
            // SAFETY: the strips are adjacent and end at `width`.
            unsafe {
                match cells {
                    4 => self.strip::<V, 4>(column),
                    5 => self.strip::<V, 5>(column),
                    6 => self.strip::<V, 6>(column),
                    7 => self.strip::<V, 7>(column),
                    8 => self.strip::<V, 8>(column),
                    9 => self.strip::<V, 9>(column),
                    10 => self.strip::<V, 10>(column),
                    11 => self.strip::<V, 11>(column),
                    _ => unreachable!("a strip of {cells} cells"),
                }
            }
            column += cells;
        }
    }

    /// Computes the `N` cells from `column` on of every row.
    ///
    /// # Safety
    /// As for [`Task::run`]; `column + N` is at most the width.
    #[inline(always)]
    unsafe fn strip<V: Vector, const N: usize>(&mut self, column: usize) {
        let Shape { stride, rows } = self.shape;
        let (inputs, groups) = (self.layer.inputs, self.layer.inputs / 4);
        let (has_left, has_right) = (column > 0, column + N < self.shape.width());
        // SAFETY: `C` is a multiple of `LANES` and `inputs` of 4. Cells that are read or written are
        // on the board, for which `Convolution::run` has asserted the lengths of the buffers.
        unsafe {
            for lane in (0..C).step_by(V::LANES) {
                let shift = V::load(self.layer.shifts.as_ptr().add(lane));
                let half = V::shift_left(V::splat(1), V::add(shift, V::splat(-1)));
                let start = V::add(V::load(self.bias.as_ptr().add(lane)), half);
                for row in 1..=rows {
                    let first = row * stride + column;
                    let mut sums = [start; N];
                    if let Some(skip) = self.skip {
                        for (i, sum) in sums.iter_mut().enumerate() {
                            let bytes = V::load_bytes(skip.as_ptr().add((first + i) * C + lane));
                            *sum = V::add(*sum, V::shift_left(bytes, shift));
                        }
                    }
                    let above = if row == 1 { 1 } else { 0 };
                    let below = if row == rows { 1 } else { 2 };
                    for tap in above..=below {
                        let from = (first + tap * stride - stride) * inputs;
                        let from = self.input.as_ptr().add(from);
                        let weights = self.layer.weights.as_ptr().add(4 * lane);
                        for group in 0..groups {
                            // An input is loaded once for the three taps of a row.
                            let load = |cell: usize| {
                                let at = from.wrapping_add(cell * inputs + 4 * group);
                                let at = at.wrapping_sub(inputs);
                                V::splat(at.cast::<i32>().read_unaligned())
                            };
                            let weights = |column: usize| {
                                let at = ((3 * tap + column) * groups + group) * C;
                                V::load(weights.add(4 * at).cast())
                            };
                            let [left, middle, right] = [weights(0), weights(1), weights(2)];
                            if has_left {
                                sums[0] = V::dot(sums[0], load(0), left);
                            }
                            for i in 0..N {
                                let bytes = load(i + 1);
                                if i + 1 < N {
                                    sums[i + 1] = V::dot(sums[i + 1], bytes, left);
                                }
                                sums[i] = V::dot(sums[i], bytes, middle);
                                if i > 0 {
                                    sums[i - 1] = V::dot(sums[i - 1], bytes, right);
                                }
                            }
                            if has_right {
                                sums[N - 1] = V::dot(sums[N - 1], load(N + 1), right);
                            }
                        }
                    }
                    for (i, sum) in sums.into_iter().enumerate() {
                        let to = self.output.as_mut_ptr().add((first + i) * C + lane);
                        V::store(V::shift_right(sum, shift), to);
                    }
                }
            }
        }
    }
}
