//! A 3x3 convolution in int8 arithmetic, the inner loop of a network.
//!
//! Cells have their channels side by side. Cells outside the board count as zeros and are neither
//! read nor written. Activations are 0 to 127, weights -127 to 127 and sums have 32 bits; all paths
//! give the same sums.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod kernel;

/// The cells of the 3x3 window.
pub(crate) const TAPS: usize = 9;

/// What the portable path adds to each weight. Products without a sign take fewer instructions to
/// widen where there is only SSE2.
const RAISE: i32 = 127;

/// The instructions that [`Convolution::run`] uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Path {
    Avx512Vnni,
    AvxVnni,
    Avx2,
    /// No special instructions.
    Portable,
}

impl Path {
    /// All paths, the fastest first.
    const ALL: [Self; 4] = [Self::Avx512Vnni, Self::AvxVnni, Self::Avx2, Self::Portable];

    fn is_available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            let newer = super::newer_instructions();
            match self {
                Self::Avx512Vnni => {
                    newer
                        && is_x86_feature_detected!("avx512f")
                        && is_x86_feature_detected!("avx512vnni")
                }
                Self::AvxVnni => newer && is_x86_feature_detected!("avxvnni"),
                Self::Avx2 => newer,
                Self::Portable => true,
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            self == Self::Portable
        }
    }
}

pub(crate) fn best_path() -> Path {
    let mut available = Path::ALL.into_iter().filter(|path| path.is_available());
    available.next().unwrap_or(Path::Portable)
}

/// The weights of a layer with `C` outputs.
///
/// Why it is worth `unsafe`: a layer from 16 to 16 channels on 9x9 took 0.75 us with AVX-512 VNNI,
/// 1.55 us with AVX2 and 13.4 us with the portable path of that time (one core of a Zen 4 machine,
/// minima of 60 runs). With this one, a search on 9x9 takes about five times as long as with AVX2.
#[derive(Clone, Debug)]
pub(crate) struct Convolution<const C: usize> {
    /// Ordered by tap, group of four inputs, output, and input in the group.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    weights: Vec<i8>,
    /// The same weights raised by [`RAISE`], by tap and input, for the portable path.
    rows: Vec<[u16; C]>,
    inputs: usize,
    shifts: [i32; C],
}

/// A board in rows of `stride` cells. The last cell of each row is a guard, and row 0 consists of
/// guards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) stride: usize,
    /// The rows of the board.
    pub(crate) rows: usize,
}

impl Shape {
    /// The cells from the first guard to the last.
    pub(crate) fn cells(self) -> usize {
        (self.rows + 1) * self.stride
    }

    /// The cells of a row without its guard.
    fn width(self) -> usize {
        self.stride - 1
    }
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
            std::array::from_fn(|o| {
                let weight = weights[(i / 4 * C + o) * 4 + i % 4];
                (i32::from(weight) + RAISE) as u16
            })
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
    pub(crate) fn rows(&self) -> Vec<[i16; C]> {
        let lower = |raised: u16| (i32::from(raised) - RAISE) as i16;
        self.rows.iter().map(|row| row.map(lower)).collect()
    }

    /// Computes the cells of the board into `output`:
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
        let cells = shape.cells();
        assert!(shape.stride > 1 && input.len() >= cells * self.inputs);
        assert!(output.len() >= cells * C && skip.is_none_or(|skip| skip.len() >= cells * C));
        #[cfg(target_arch = "x86_64")]
        if path != Path::Portable && kernel::takes(shape) {
            let task = kernel::Task {
                layer: self,
                shape,
                input,
                skip,
                bias,
                output,
            };
            // SAFETY: `best_path` has found the instructions.
            unsafe {
                match path {
                    Path::Avx512Vnni => kernel::run_avx512_vnni(task),
                    Path::AvxVnni => kernel::run_avx_vnni(task),
                    _ => kernel::run_avx2(task),
                }
            }
            return;
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = path;
        self.run_portable(shape, input, skip, bias, output);
    }

    fn run_portable(
        &self,
        shape: Shape,
        input: &[u8],
        skip: Option<&[u8]>,
        bias: &[i32; C],
        output: &mut [u8],
    ) {
        let Shape { stride, rows } = shape;
        let (nonzero, before) = self.nonzero_inputs(shape, input);
        for row in 1..=rows {
            let taps = usize::from(row == 1)..3 - usize::from(row == rows);
            for column in 0..shape.width() {
                let at = row * stride + column;
                let mut sums = *bias;
                if let Some(skip) = skip {
                    for (o, sum) in sums.iter_mut().enumerate() {
                        *sum += i32::from(skip[at * C + o]) << self.shifts[o];
                    }
                }
                let left = usize::from(column == 0);
                let right = 3 - usize::from(column + 1 == shape.width());
                let mut input_sum = 0;
                for tap in taps.clone() {
                    // The three cells are adjacent, and so are their weights.
                    let from = at + tap * stride - stride - 1;
                    let (first, end) = (before[from + left], before[from + right]);
                    input_sum += end.sum - first.sum;
                    // Places count from the beginning of the row, so this may be negative.
                    let middle = (3 * tap + 1) * self.inputs;
                    let offset = middle.wrapping_sub(column * self.inputs);
                    let inputs = &nonzero[first.count..end.count];
                    add_products(&mut sums, inputs, &self.rows, offset);
                }
                for (o, sum) in sums.into_iter().enumerate() {
                    let shift = self.shifts[o];
                    // Take back what raising the weights has added.
                    let sum = sum - RAISE * input_sum + (1 << (shift - 1));
                    output[at * C + o] = (sum >> shift).clamp(0, 127) as u8;
                }
            }
        }
    }

    /// The inputs that are not zero, row by row, and for each cell what is before it. In trained
    /// networks three quarters of the inputs are zero.
    fn nonzero_inputs(&self, shape: Shape, input: &[u8]) -> (Vec<Input>, Vec<Before>) {
        let Shape { stride, rows } = shape;
        let mut nonzero = Vec::with_capacity(rows * shape.width() * self.inputs);
        let mut before = Vec::with_capacity(shape.cells());
        // Row 0 is not read.
        before.resize(stride, Before::default());
        let mut sum = 0;
        for row in 1..=rows {
            let from = row * stride * self.inputs;
            for column in 0..shape.width() {
                let count = nonzero.len();
                before.push(Before { count, sum });
                for place in column * self.inputs..(column + 1) * self.inputs {
                    let value = input[from + place];
                    if value != 0 {
                        sum += i32::from(value);
                        let value = u16::from(value);
                        nonzero.push(Input { place, value });
                    }
                }
            }
            let count = nonzero.len();
            before.push(Before { count, sum });
        }
        (nonzero, before)
    }
}

/// An input that is not zero.
struct Input {
    /// Its number in its row of the board.
    place: usize,
    value: u16,
}

/// The inputs of all cells before a cell.
#[derive(Clone, Copy, Default)]
struct Before {
    /// How many are not zero.
    count: usize,
    sum: i32,
}

/// Adds inputs times their rows of weights, `offset` after their places.
#[inline(always)]
fn add_products<const C: usize>(
    sums: &mut [i32; C],
    inputs: &[Input],
    weights: &[[u16; C]],
    offset: usize,
) {
    let row = |input: &Input| &weights[input.place.wrapping_add(offset)];
    let (pairs, last) = inputs.as_chunks::<2>();
    for [a, b] in pairs {
        // Two products of at most 127 * 254 fit 16 bits.
        for ((sum, x), y) in sums.iter_mut().zip(row(a)).zip(row(b)) {
            let products = a
                .value
                .wrapping_mul(*x)
                .wrapping_add(b.value.wrapping_mul(*y));
            *sum += i32::from(products);
        }
    }
    for a in last {
        for (sum, x) in sums.iter_mut().zip(row(a)) {
            *sum += i32::from(a.value.wrapping_mul(*x));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::random::Random;

    /// The right value of an output of the cell at `row` and `column`, from the definition.
    fn expected<const C: usize>(
        layer: &Convolution<C>,
        shape: Shape,
        input: &[u8],
        start: i64,
        (row, column): (usize, usize),
        output: usize,
    ) -> u8 {
        let mut sum = start;
        for tap in 0..TAPS {
            let (row, column) = (row + tap / 3, (column + tap % 3).wrapping_sub(1));
            if row == 0 || row > shape.rows || column >= shape.width() {
                continue;
            }
            let from = row * shape.stride + column;
            for i in 0..layer.inputs {
                let at = ((tap * layer.inputs / 4 + i / 4) * C + output) * 4 + i % 4;
                sum += i64::from(input[from * layer.inputs + i]) * i64::from(layer.weights[at]);
            }
        }
        let scale = f64::from(1 << layer.shifts[output]);
        (sum as f64 / scale + 0.5).floor().clamp(0.0, 127.0) as u8
    }

    fn paths_agree<const C: usize>(inputs: usize, width: usize, rows: usize, extreme: bool) {
        let mut random = Random::new((C * inputs + width) as u64);
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
        let stride = width + 1;
        let shape = Shape { stride, rows };
        // Guards are not read: they are not zeros here.
        let cells = shape.cells();
        let input: Vec<u8> = (0..cells * inputs).map(|_| byte(0, 127) as u8).collect();
        let skip: Vec<u8> = (0..cells * C).map(|_| byte(0, 127) as u8).collect();
        let bias: [i32; C] = std::array::from_fn(|_| 500 * byte(-127, 127));
        for skip in [None, Some(&skip[..])] {
            let mut wanted = vec![200; cells * C];
            for (row, column) in (0..rows * width).map(|i| (i / width, i % width)) {
                let cell = (row + 1) * stride + column;
                for o in 0..C {
                    let added = skip.map_or(0, |s| i64::from(s[cell * C + o]) << shifts[o]);
                    let start = i64::from(bias[o]) + added;
                    wanted[cell * C + o] = expected(&layer, shape, &input, start, (row, column), o);
                }
            }
            for path in Path::ALL.into_iter().filter(|path| path.is_available()) {
                let mut output = vec![200; cells * C];
                layer.run(path, shape, &input, skip, &bias, &mut output);
                assert!(output == wanted, "{path:?}, {width} x {rows} cells");
            }
        }
    }

    #[test]
    fn every_path_computes_the_definition() {
        for extreme in [false, true] {
            for width in 1..=24 {
                paths_agree::<16>(16, width, 1 + width % 5, extreme);
            }
            paths_agree::<16>(24, 19, 19, extreme);
            paths_agree::<16>(32, 7, 7, extreme);
            paths_agree::<32>(32, 19, 19, extreme);
            paths_agree::<32>(4, 4, 4, extreme);
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
