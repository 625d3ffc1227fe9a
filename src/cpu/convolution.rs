//! A 3x3 convolution in int8 arithmetic, the inner loop of a network.
//!
//! Cells lie in rows of `stride`, each with its channels side by side. Cells of zeros surround the
//! board, so edges need no tests. Activations are 0 to 127, weights -127 to 127 and sums have
//! 32 bits; all paths give the same sums.

#![allow(unsafe_code)]

/// Cells of zeros before the first row and after the last, in addition to those around the board.
pub(crate) const MARGIN: usize = 16;
/// Cells that are computed at once. The last block may overwrite cells after the last one.
pub(crate) const BLOCK: usize = 8;
/// The cells of the 3x3 window.
pub(crate) const TAPS: usize = 9;

/// The instructions that [`Convolution::run`] uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Path {
    /// AVX-512 with VNNI.
    Vnni,
    Avx2,
    /// No special instructions.
    Portable,
}

pub(crate) fn best_path() -> Path {
    #[cfg(target_arch = "x86_64")]
    {
        if !super::newer_instructions() {
            return Path::Portable;
        }
        let vnni = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vnni");
        if vnni { Path::Vnni } else { Path::Avx2 }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        Path::Portable
    }
}

/// The weights of a layer with `C` outputs.
///
/// Why it is worth `unsafe`: a search of 40,000 iterations with the network of 16 channels on 9x9
/// took 0.45 s with VNNI, 0.91 s with AVX2, and about 5.5 s without either (one core of a Zen 4
/// machine, medians of three; the portable figure is from 20,000 iterations).
#[derive(Clone, Debug)]
pub(crate) struct Convolution<const C: usize> {
    /// Ordered by tap, group of four inputs, output, and input in the group.
    weights: Vec<i8>,
    /// The same weights by tap and input, for the portable path.
    rows: Vec<[i16; C]>,
    inputs: usize,
    shifts: [i32; C],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// The number of cells from one row to the next.
    pub(crate) stride: usize,
    pub(crate) first: usize,
    pub(crate) cells: usize,
}

impl<const C: usize> Convolution<C> {
    /// A layer. `weights` are ordered by tap (row by row), group of four inputs, output, and input in
    /// the group. `shifts` are the bits by which the sum of each output is shifted down.
    ///
    /// # Errors
    /// A wrong number of weights, outputs that are not a multiple of 16 or inputs not a multiple of
    /// 4, a weight of -128, or a shift outside 1 to 20.
    pub(crate) fn new(weights: Vec<i8>, inputs: usize, shifts: [i32; C]) -> Result<Self, String> {
        if C == 0 || !C.is_multiple_of(16) || inputs == 0 || !inputs.is_multiple_of(4) {
            return Err(format!(
                "invalid layer from {inputs} to {C} channels: expected multiples of 4 and 16"
            ));
        }
        let (found, expected) = (weights.len(), TAPS * inputs * C);
        if found != expected {
            return Err(format!("a layer has {found} weights, expected {expected}"));
        }
        // Quantisation is symmetric.
        if weights.contains(&i8::MIN) || shifts.iter().any(|shift| !(1..=20).contains(shift)) {
            return Err("a layer has a weight of -128 or a shift outside 1 to 20".to_string());
        }
        let row = |i: usize| {
            // All taps have the same number of inputs: groups are numbered through all taps.
            std::array::from_fn(|o| i16::from(weights[(i / 4 * C + o) * 4 + i % 4]))
        };
        Ok(Self {
            rows: (0..TAPS * inputs).map(row).collect(),
            weights,
            inputs,
            shifts,
        })
    }

    /// The bits by which the sum of each output is shifted down.
    pub(crate) fn shifts(&self) -> &[i32; C] {
        &self.shifts
    }

    /// The weights by tap and input, for tests that compute the same in another way.
    #[cfg(test)]
    pub(crate) fn rows(&self) -> &[[i16; C]] {
        &self.rows
    }

    /// Computes the cells of `shape`, and up to [`BLOCK`] - 1 cells after them, into `output`:
    /// `clamp((sum + bias + (skip << shift) + half) >> shift, 0, 127)`, where `sum` is the weighted
    /// sum of the 3x3 cells, `half` is `1 << (shift - 1)`, and `skip` holds `C` channels, if any.
    ///
    /// # Panics
    /// If a buffer is too short for the shape.
    pub(crate) fn run(
        &self,
        path: Path,
        shape: Shape,
        input: &[u8],
        skip: Option<&[u8]>,
        bias: &[i32; C],
        output: &mut [u8],
    ) {
        let end = shape.first + shape.cells.next_multiple_of(BLOCK);
        assert!(shape.first > shape.stride);
        assert!(input.len() >= (end + shape.stride + 1) * self.inputs);
        assert!(output.len() >= end * C && skip.is_none_or(|skip| skip.len() >= end * C));
        match path {
            // SAFETY: `best_path` has found every feature, and the asserts above cover the cells that
            // are read and written, from `first - stride - 1` to `end + stride`.
            #[cfg(target_arch = "x86_64")]
            Path::Vnni => unsafe { self.run_vnni(shape, input, skip, bias, output) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Path::Avx2 => unsafe { self.run_avx2(shape, input, skip, bias, output) },
            _ => self.run_portable(shape, input, skip, bias, output),
        }
    }

    fn offsets(&self, stride: usize) -> [isize; TAPS] {
        std::array::from_fn(|tap| {
            let (row, column) = (tap as isize / 3 - 1, tap as isize % 3 - 1);
            (row * stride as isize + column) * self.inputs as isize
        })
    }

    fn run_portable(
        &self,
        shape: Shape,
        input: &[u8],
        skip: Option<&[u8]>,
        bias: &[i32; C],
        output: &mut [u8],
    ) {
        let offsets = self.offsets(shape.stride);
        for cell in shape.first..shape.first + shape.cells {
            let mut sums = *bias;
            if let Some(skip) = skip {
                for (o, sum) in sums.iter_mut().enumerate() {
                    *sum += i32::from(skip[cell * C + o]) << self.shifts[o];
                }
            }
            for (tap, offset) in offsets.iter().enumerate() {
                let from = (cell * self.inputs).wrapping_add_signed(*offset);
                let bytes = &input[from..from + self.inputs];
                let rows = &self.rows[tap * self.inputs..(tap + 1) * self.inputs];
                for (bytes, rows) in bytes.chunks_exact(2).zip(rows.chunks_exact(2)) {
                    let [a, b] = [i16::from(bytes[0]), i16::from(bytes[1])];
                    if a | b == 0 {
                        continue;
                    }
                    // Two products of at most 127 * 127 fit 16 bits.
                    for ((sum, x), y) in sums.iter_mut().zip(&rows[0]).zip(&rows[1]) {
                        *sum += i32::from(a.wrapping_mul(*x).wrapping_add(b.wrapping_mul(*y)));
                    }
                }
            }
            for (o, sum) in sums.into_iter().enumerate() {
                let shift = self.shifts[o];
                output[cell * C + o] = ((sum + (1 << (shift - 1))) >> shift).clamp(0, 127) as u8;
            }
        }
    }

    /// # Safety
    /// The machine must have the features, and the buffers the lengths that [`Convolution::run`]
    /// asserts.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    unsafe fn run_vnni(
        &self,
        shape: Shape,
        input: &[u8],
        skip: Option<&[u8]>,
        bias: &[i32; C],
        output: &mut [u8],
    ) {
        use std::arch::x86_64::*;
        const LANES: usize = 16;
        let groups = self.inputs / 4;
        let offsets = self.offsets(shape.stride);
        // SAFETY: `run` has asserted the lengths of the buffers.
        unsafe {
            for part in 0..C / LANES {
                let lane = part * LANES;
                let shift = _mm512_loadu_si512(self.shifts.as_ptr().add(lane).cast());
                let one = _mm512_set1_epi32(1);
                let half = _mm512_sllv_epi32(one, _mm512_sub_epi32(shift, one));
                let start = _mm512_loadu_si512(bias.as_ptr().add(lane).cast());
                let start = _mm512_add_epi32(start, half);
                let mut cell = shape.first;
                while cell < shape.first + shape.cells {
                    let mut sums = [start; BLOCK];
                    if let Some(skip) = skip {
                        for (b, sum) in sums.iter_mut().enumerate() {
                            let at = skip.as_ptr().add((cell + b) * C + lane);
                            let bytes = _mm512_cvtepu8_epi32(_mm_loadu_si128(at.cast()));
                            *sum = _mm512_add_epi32(*sum, _mm512_sllv_epi32(bytes, shift));
                        }
                    }
                    let base = input.as_ptr().add(cell * self.inputs);
                    // An input is loaded once for the three taps of a row: 13 loads instead of 27.
                    for row in 0..3 {
                        let from = base.offset(offsets[3 * row]);
                        for group in 0..groups {
                            let weights: [__m512i; 3] = std::array::from_fn(|column| {
                                let at = ((3 * row + column) * groups + group) * C + lane;
                                _mm512_loadu_si512(self.weights.as_ptr().add(4 * at).cast())
                            });
                            for i in 0..BLOCK + 2 {
                                let bytes = from.add(i * self.inputs + 4 * group);
                                let bytes = _mm512_set1_epi32(bytes.cast::<i32>().read_unaligned());
                                for (column, weight) in weights.iter().enumerate() {
                                    if (column..column + BLOCK).contains(&i) {
                                        let sum = &mut sums[i - column];
                                        *sum = _mm512_dpbusd_epi32(*sum, bytes, *weight);
                                    }
                                }
                            }
                        }
                    }
                    let top = _mm512_set1_epi32(127);
                    for (b, sum) in sums.into_iter().enumerate() {
                        let sum = _mm512_srav_epi32(sum, shift);
                        let sum =
                            _mm512_min_epi32(_mm512_max_epi32(sum, _mm512_setzero_si512()), top);
                        let to = output.as_mut_ptr().add((cell + b) * C + lane);
                        _mm_storeu_si128(to.cast(), _mm512_cvtepi32_epi8(sum));
                    }
                    cell += BLOCK;
                }
            }
        }
    }

    /// # Safety
    /// The machine must have the features, and the buffers the lengths that [`Convolution::run`]
    /// asserts.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn run_avx2(
        &self,
        shape: Shape,
        input: &[u8],
        skip: Option<&[u8]>,
        bias: &[i32; C],
        output: &mut [u8],
    ) {
        use std::arch::x86_64::*;
        const LANES: usize = 8;
        let groups = self.inputs / 4;
        let offsets = self.offsets(shape.stride);
        // SAFETY: `run` has asserted the lengths of the buffers.
        unsafe {
            let ones = _mm256_set1_epi16(1);
            for part in 0..C / LANES {
                let lane = part * LANES;
                let shift = _mm256_loadu_si256(self.shifts.as_ptr().add(lane).cast());
                let one = _mm256_set1_epi32(1);
                let half = _mm256_sllv_epi32(one, _mm256_sub_epi32(shift, one));
                let start = _mm256_loadu_si256(bias.as_ptr().add(lane).cast());
                let start = _mm256_add_epi32(start, half);
                let mut cell = shape.first;
                while cell < shape.first + shape.cells {
                    let mut sums = [start; BLOCK];
                    if let Some(skip) = skip {
                        for (b, sum) in sums.iter_mut().enumerate() {
                            let at = skip.as_ptr().add((cell + b) * C + lane);
                            let bytes = _mm256_cvtepu8_epi32(_mm_loadl_epi64(at.cast()));
                            *sum = _mm256_add_epi32(*sum, _mm256_sllv_epi32(bytes, shift));
                        }
                    }
                    let base = input.as_ptr().add(cell * self.inputs);
                    for (tap, offset) in offsets.iter().enumerate() {
                        let from = base.offset(*offset);
                        let weights = self.weights.as_ptr().add(tap * groups * 4 * C + 4 * lane);
                        for group in 0..groups {
                            let weight = _mm256_loadu_si256(weights.add(group * 4 * C).cast());
                            for (b, sum) in sums.iter_mut().enumerate() {
                                let bytes = from.add(b * self.inputs + 4 * group);
                                let bytes = _mm256_set1_epi32(bytes.cast::<i32>().read_unaligned());
                                let pairs = _mm256_maddubs_epi16(bytes, weight);
                                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, ones));
                            }
                        }
                    }
                    let top = _mm256_set1_epi32(127);
                    for (b, sum) in sums.into_iter().enumerate() {
                        let sum = _mm256_srav_epi32(sum, shift);
                        let sum =
                            _mm256_min_epi32(_mm256_max_epi32(sum, _mm256_setzero_si256()), top);
                        let mut words = [0i32; LANES];
                        _mm256_storeu_si256(words.as_mut_ptr().cast(), sum);
                        for (o, word) in words.into_iter().enumerate() {
                            output[(cell + b) * C + lane + o] = word as u8;
                        }
                    }
                    cell += BLOCK;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::random::Random;

    /// The paths that this machine has.
    fn paths() -> Vec<Path> {
        match best_path() {
            Path::Vnni => vec![Path::Vnni, Path::Avx2, Path::Portable],
            Path::Avx2 => vec![Path::Avx2, Path::Portable],
            Path::Portable => vec![Path::Portable],
        }
    }

    /// The right value of a cell, from the definition.
    fn expected<const C: usize>(
        layer: &Convolution<C>,
        stride: usize,
        input: &[u8],
        start: i64,
        cell: usize,
        output: usize,
    ) -> u8 {
        let mut sum = start;
        for tap in 0..TAPS {
            let from = cell + tap / 3 * stride + tap % 3 - stride - 1;
            for i in 0..layer.inputs {
                let at = ((tap * layer.inputs / 4 + i / 4) * C + output) * 4 + i % 4;
                sum += i64::from(input[from * layer.inputs + i]) * i64::from(layer.weights[at]);
            }
        }
        let scale = f64::from(1 << layer.shifts[output]);
        (sum as f64 / scale + 0.5).floor().clamp(0.0, 127.0) as u8
    }

    fn paths_agree<const C: usize>(inputs: usize, stride: usize, rows: usize, extreme: bool) {
        let mut random = Random::new((C * inputs + stride) as u64);
        let mut byte = |low: i32, high: i32| {
            if extreme {
                [low, high][random.below(2) as usize]
            } else {
                low + random.below((high - low + 1) as u32) as i32
            }
        };
        let weights: Vec<i8> = (0..TAPS * inputs * C)
            .map(|_| byte(-127, 127) as i8)
            .collect();
        let shifts = std::array::from_fn(|_| byte(1, 12));
        let layer = Convolution::<C>::new(weights, inputs, shifts).unwrap();
        let cells = (rows + 2) * stride + 2 * MARGIN + BLOCK;
        let input: Vec<u8> = (0..cells * inputs).map(|_| byte(0, 127) as u8).collect();
        let skip: Vec<u8> = (0..cells * C).map(|_| byte(0, 127) as u8).collect();
        let bias: [i32; C] = std::array::from_fn(|_| 500 * byte(-127, 127));
        let shape = Shape {
            stride,
            first: MARGIN + stride,
            cells: rows * stride,
        };
        for skip in [None, Some(&skip[..])] {
            for path in paths() {
                let mut output = vec![9; cells * C];
                layer.run(path, shape, &input, skip, &bias, &mut output);
                let end = shape.first + shape.cells;
                for cell in shape.first..end {
                    for o in 0..C {
                        let added = skip.map_or(0, |s| i64::from(s[cell * C + o]) << shifts[o]);
                        let start = i64::from(bias[o]) + added;
                        let wanted = expected(&layer, stride, &input, start, cell, o);
                        assert_eq!(output[cell * C + o], wanted, "{path:?} {cell} {o}");
                    }
                }
                assert!(output[..shape.first * C].iter().all(|&byte| byte == 9));
                assert!(output[(end + BLOCK) * C..].iter().all(|&byte| byte == 9));
            }
        }
    }

    #[test]
    fn every_path_computes_the_definition() {
        for extreme in [false, true] {
            paths_agree::<16>(16, 10, 9, extreme);
            paths_agree::<16>(32, 8, 7, extreme);
            paths_agree::<32>(32, 20, 19, extreme);
            paths_agree::<32>(16, 5, 4, extreme);
        }
    }

    #[test]
    fn layers_that_cannot_be_are_refused() {
        let layer = |count, weight, inputs, shift| {
            Convolution::<16>::new(vec![weight; count], inputs, [shift; 16]).map(|_| ())
        };
        let count = TAPS * 16 * 16;
        assert_eq!(layer(count, -127, 16, 7), Ok(()));
        let refusal = layer(count - 1, 1, 16, 7).unwrap_err();
        assert_eq!(refusal, "a layer has 2303 weights, expected 2304");
        let wrong = [(-128, 16, 7), (1, 16, 0), (1, 16, 21), (1, 0, 7), (1, 6, 7)];
        for (weight, inputs, shift) in wrong {
            assert!(layer(TAPS * inputs * 16, weight, inputs, shift).is_err());
        }
    }
}
