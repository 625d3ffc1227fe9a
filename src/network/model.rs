//! The layers: reading them from text, and inference.

use super::accumulate;
use super::reader::{HEAD, Reader};
use crate::cpu::convolution::{Convolution, Path, Shape, TAPS, best_path};
use crate::util::quote;

/// The int8 activation that stands for 1.
const UNIT: i32 = 32;
/// Units of the first layer of the value head.
const FIRST: usize = 64;
/// Units of its second layer.
const SECOND: usize = 16;

const MAX_BLOCKS: usize = 32;

/// A residual block: two convolutions, with global pooling as bias of the first.
#[derive(Clone, Debug)]
struct Block<const C: usize> {
    first: Convolution<C>,
    /// From the pooled channels (sums, then means) to the bias of each channel.
    pooled: Vec<[f32; C]>,
    bias: [f32; C],
    second: Convolution<C>,
    /// In the unit of the sums of the convolution.
    second_bias: [i32; C],
}

/// A network of `C` channels with `N` global features, `P` input planes and `O` values.
#[derive(Clone, Debug)]
pub struct Model<const C: usize, const N: usize, const P: usize, const O: usize> {
    path: Path,
    /// From the global features to the bias of the input convolution.
    globals: Vec<[f32; C]>,
    bias: [f32; C],
    input: Convolution<C>,
    blocks: Vec<Block<C>>,
    /// The policy head, a 1x1 convolution.
    policy: [f32; C],
    /// The value head, from the pooled channels and from the global features.
    pooled: Vec<[f32; FIRST]>,
    value_globals: Vec<[f32; FIRST]>,
    first_bias: [f32; FIRST],
    second: Vec<[f32; SECOND]>,
    second_bias: [f32; SECOND],
    last: Vec<[f32; O]>,
    last_bias: [f32; O],
}

/// Buffers for activations, kept between positions.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    planes: Vec<u8>,
    /// The trunk, the inner layer of a block, and the next trunk.
    layers: [Vec<u8>; 3],
    shape: Shape,
}

impl Reader<'_> {
    fn convolution<const C: usize>(
        &mut self,
        what: &str,
        inputs: usize,
    ) -> Result<Convolution<C>, String> {
        let numbers: Vec<i8> = self.numbers(what, C + TAPS * inputs * C)?;
        let (shifts, weights) = numbers.split_at(C);
        let shifts = std::array::from_fn(|o| i32::from(shifts[o]));
        Convolution::new(weights.to_vec(), inputs, shifts)
            .map_err(|error| format!("line {}: {error}", self.line()))
    }
}

impl<const C: usize, const N: usize, const P: usize, const O: usize> Model<C, N, P, O> {
    /// Reads a network. Each line is the name of a layer and its weights, separated by blanks; `#`
    /// begins a comment.
    ///
    /// # Errors
    /// One sentence about the first wrong line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader::new(text);
        let head = reader.words()?;
        // A single value goes without saying.
        let end = match O {
            1 => String::new(),
            _ => format!(" {O} values"),
        };
        let found = head.join(" ");
        let blocks = found
            .strip_prefix(&format!("{HEAD} {C} channels "))
            .and_then(|rest| rest.strip_suffix(&format!(" blocks{end}")))
            .and_then(|blocks| blocks.parse().ok())
            .filter(|blocks| *blocks <= MAX_BLOCKS);
        let Some(blocks) = blocks else {
            let found = quote::shorten(&found, 60);
            return Err(format!(
                "line {}: found `{found}`: expected `{HEAD} {C} channels B blocks{end}` with at most {MAX_BLOCKS} blocks",
                reader.line(),
            ));
        };
        let model = Self {
            path: best_path(),
            globals: reader.rows("numbers", N)?,
            bias: reader.row("bias")?,
            input: reader.convolution("input", P)?,
            blocks: (0..blocks)
                .map(|_| {
                    let first = reader.convolution("first", C)?;
                    let pooled = reader.rows("pooled", 2 * C)?;
                    let bias = reader.row("bias")?;
                    let second = reader.convolution("second", C)?;
                    let second_bias = scaled(&reader.row("bias")?, second.shifts());
                    Ok(Block {
                        first,
                        pooled,
                        bias,
                        second,
                        second_bias,
                    })
                })
                .collect::<Result<_, String>>()?,
            policy: reader.row("policy")?,
            pooled: reader.rows("pooled", 2 * C)?,
            value_globals: reader.rows("numbers", N)?,
            first_bias: reader.row("bias")?,
            second: reader.rows("units", FIRST)?,
            second_bias: reader.row("bias")?,
            last: reader.rows("units", SECOND)?,
            last_bias: reader.row("bias")?,
        };
        reader.end().map(|()| model)
    }

    /// The values of the position whose input planes are in `scratch`, as logits. `area` is the
    /// number of points of the board. The trunk stays in `scratch` for [`Model::policy_logit`].
    #[inline(always)]
    pub fn value_logits(&self, scratch: &mut Scratch, globals: &[f32; N], area: usize) -> [f32; O] {
        let mut start = self.bias;
        accumulate(&mut start, globals, &self.globals);
        let Scratch {
            planes,
            layers: [a, b, c],
            shape,
        } = scratch;
        let shape = *shape;
        let bias = scaled(&start, self.input.shifts());
        self.input.run(self.path, shape, planes, None, &bias, a);
        for block in &self.blocks {
            let mut start = block.bias;
            let [sums, means] = pool::<C>(shape, a, area);
            accumulate(&mut start, &sums, &block.pooled);
            accumulate(&mut start, &means, &block.pooled[C..]);
            let bias = scaled(&start, block.first.shifts());
            block.first.run(self.path, shape, a, None, &bias, b);
            let bias = &block.second_bias;
            block.second.run(self.path, shape, b, Some(a), bias, c);
            std::mem::swap(a, c);
        }
        let mut first = self.first_bias;
        let [sums, means] = pool::<C>(shape, a, area);
        accumulate(&mut first, &sums, &self.pooled);
        accumulate(&mut first, &means, &self.pooled[C..]);
        accumulate(&mut first, globals, &self.value_globals);
        let mut second = self.second_bias;
        accumulate(&mut second, &first.map(|unit| unit.max(0.0)), &self.second);
        let mut logits = self.last_bias;
        accumulate(&mut logits, &second.map(|unit| unit.max(0.0)), &self.last);
        logits
    }

    /// The policy logit of a move to a cell, after [`Model::value_logits`]. The softmax over the legal
    /// moves gives their priors.
    #[inline(always)]
    pub fn policy_logit(&self, scratch: &Scratch, cell: usize) -> f32 {
        let at = cell * C;
        let mut sum = 0.0;
        for (byte, weight) in scratch.layers[0][at..at + C].iter().zip(&self.policy) {
            sum += f32::from(*byte) * weight;
        }
        sum / UNIT as f32
    }
}

impl Scratch {
    /// Clears the `P` input planes for a board of `rows` rows of `stride` cells, of which the last is
    /// a guard. Cells are numbered from 0 at the row of guards before the first row.
    pub fn begin<const C: usize, const P: usize>(&mut self, stride: usize, rows: usize) {
        let shape = Shape { stride, rows };
        let cells = shape.cells();
        // So that a sum over the board fits into 16 bits when it is pooled.
        assert!((stride - 1) * rows * 127 <= usize::from(u16::MAX));
        if self.shape != shape || self.layers[0].len() != cells * C {
            self.shape = shape;
            self.layers = std::array::from_fn(|_| vec![0; cells * C]);
        }
        self.planes.clear();
        self.planes.resize(cells * P, 0);
    }

    /// Sets one of `P` input planes at a cell.
    #[inline(always)]
    pub fn set<const P: usize>(&mut self, cell: usize, plane: usize) {
        self.planes[cell * P + plane] = UNIT as u8;
    }
}

/// Biases in the unit of the sums of a convolution.
#[inline(always)]
fn scaled<const C: usize>(bias: &[f32; C], shifts: &[i32; C]) -> [i32; C] {
    // Larger than any activation, and small enough that sums do not overflow.
    const MOST: f32 = (1 << 29) as f32;
    std::array::from_fn(|o| {
        let sum = bias[o] * (UNIT << shifts[o]) as f32;
        sum.clamp(-MOST, MOST).round_ties_even() as i32
    })
}

/// Global pooling: of each channel the sum over the board / 64, and the mean.
#[inline(always)]
fn pool<const C: usize>(shape: Shape, layer: &[u8], area: usize) -> [[f32; C]; 2] {
    // `Scratch::begin` sees to it that they fit.
    let mut sums = [0u16; C];
    // Guards stay zero, because no convolution writes them.
    let board = &layer[shape.stride * C..shape.cells() * C];
    for cell in board.chunks_exact(C) {
        for (sum, byte) in sums.iter_mut().zip(cell) {
            *sum += u16::from(*byte);
        }
    }
    let sums = sums.map(|sum| f32::from(sum) / UNIT as f32);
    [
        sums.map(|sum| sum / 64.0),
        sums.map(|sum| sum / area as f32),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::random::Random;

    const PLANES: usize = 16;
    type Small = Model<16, 3, PLANES, 1>;

    /// A network of random weights as text, line by line.
    fn lines() -> Vec<String> {
        let mut random = Random::new(5);
        let mut line = |name: &str, count: usize, whole: bool| {
            let numbers = (0..count).map(|i| match (whole, i < 16) {
                (true, true) => (8 + i % 3).to_string(),
                (true, false) => (random.below(101) as i32 - 50).to_string(),
                _ => format!("{:.4}", random.symmetric()),
            });
            format!("{name} {}", numbers.collect::<Vec<_>>().join(" "))
        };
        let layer = 16 + TAPS * 16 * 16;
        vec![
            "network 16 channels 1 blocks".to_string(),
            line("numbers", 3 * 16, false),
            line("bias", 16, false),
            line("input", layer, true),
            line("first", layer, true),
            line("pooled", 32 * 16, false),
            line("bias", 16, false),
            line("second", layer, true),
            line("bias", 16, false),
            line("policy", 16, false),
            line("pooled", 32 * FIRST, false),
            line("numbers", 3 * FIRST, false),
            line("bias", FIRST, false),
            line("units", FIRST * SECOND, false),
            line("bias", SECOND, false),
            line("units", SECOND, false),
            line("bias", 1, false),
        ]
    }

    /// The value logit and the policy logits of all cells of a board with these planes set.
    fn output(model: &Small, side: usize, facts: &[(usize, usize, usize)]) -> (f32, Vec<f32>) {
        let mut scratch = Scratch::default();
        // What another position and another board have left must not matter.
        for side in [5, side] {
            scratch.begin::<16, PLANES>(side + 1, side);
            (0..PLANES).for_each(|plane| scratch.set::<PLANES>(side + 2, plane));
            model.value_logits(&mut scratch, &[9.0; 3], side * side);
        }
        scratch.begin::<16, PLANES>(side + 1, side);
        let cell = |column, row| (row + 1) * (side + 1) + column;
        for &(column, row, plane) in facts {
            scratch.set::<PLANES>(cell(column, row), plane);
        }
        let [logit] = model.value_logits(&mut scratch, &[0.5, -1.0, 2.0], side * side);
        let cells = (0..side * side).map(|i| cell(i % side, i / side));
        (
            logit,
            cells.map(|c| model.policy_logit(&scratch, c)).collect(),
        )
    }

    #[test]
    fn outputs_depend_on_the_planes() {
        let model = Small::parse(&lines().join("\n")).unwrap();
        let (logit, weights) = output(&model, 7, &[(3, 3, 1)]);
        assert_eq!(output(&model, 7, &[(3, 3, 1)]), (logit, weights.clone()));
        let (moved, moved_weights) = output(&model, 7, &[(4, 3, 1)]);
        // Three layers of 3x3 reach three points: away from the edges the board moves along.
        assert_ne!(logit, moved);
        assert!(
            (weights[24] - moved_weights[25]).abs() < 0.2,
            "{} {}",
            weights[24],
            moved_weights[25]
        );
        assert_ne!(weights[24], weights[0]);
    }

    /// The same by the definition, on a board without guards.
    fn naive(model: &Small, side: usize, facts: &[(usize, usize, usize)]) -> (f64, Vec<f64>) {
        type Layer = Vec<Vec<f64>>;
        let globals = [0.5, -1.0, 2.0];
        let convolve = |layer: &Convolution<16>, input: &Layer, bias: &[f64], skip: &Layer| {
            let (rows, shifts) = (layer.rows(), layer.shifts());
            let cell = |at: usize| {
                let output = |o: usize| {
                    let scale = f64::from(1 << shifts[o]);
                    let mut sum = (bias[o] * 32.0 * scale).round() + skip[at][o] * scale;
                    for tap in 0..TAPS {
                        let column = (at % side + tap % 3).wrapping_sub(1);
                        let row = (at / side + tap / 3).wrapping_sub(1);
                        if column < side && row < side {
                            for (i, x) in input[row * side + column].iter().enumerate() {
                                sum += x * f64::from(rows[16 * tap + i][o]);
                            }
                        }
                    }
                    (sum / scale + 0.5).floor().clamp(0.0, 127.0)
                };
                (0..16).map(output).collect()
            };
            (0..side * side).map(cell).collect::<Layer>()
        };
        let add = |bias: &[f32], inputs: &[f64], weights: &[[f32; 16]]| -> Vec<f64> {
            let term = |o: usize| {
                let terms = inputs.iter().zip(weights).map(|(x, w)| x * f64::from(w[o]));
                f64::from(bias[o]) + terms.sum::<f64>()
            };
            (0..16).map(term).collect()
        };
        let pooled = |layer: &Layer| -> Vec<f64> {
            let sums = (0..16).map(|o| layer.iter().map(|cell| cell[o]).sum::<f64>() / 32.0);
            let sums: Vec<f64> = sums.collect();
            let area = (side * side) as f64;
            let parts = sums.iter().map(|x| x / 64.0);
            parts.chain(sums.iter().map(|x| x / area)).collect()
        };
        // The model keeps it in another unit.
        let second_bias = || {
            let lines = lines();
            let (name, numbers) = lines[8].split_once(' ').unwrap();
            assert_eq!(name, "bias");
            numbers.split(' ').map(|n| n.parse().unwrap()).collect()
        };
        let nothing: Layer = vec![vec![0.0; 16]; side * side];
        let mut planes = nothing.clone();
        for &(column, row, plane) in facts {
            planes[row * side + column][plane] = 32.0;
        }
        let bias = add(&model.bias, &globals, &model.globals);
        let mut trunk = convolve(&model.input, &planes, &bias, &nothing);
        for block in &model.blocks {
            let bias = add(&block.bias, &pooled(&trunk), &block.pooled);
            let inner = convolve(&block.first, &trunk, &bias, &nothing);
            let bias: Vec<f64> = second_bias();
            trunk = convolve(&block.second, &inner, &bias, &trunk);
        }
        let mut first = model.first_bias.map(f64::from);
        let inputs = pooled(&trunk).into_iter().zip(&model.pooled);
        let inputs = inputs.chain(globals.into_iter().zip(&model.value_globals));
        for (x, weights) in inputs {
            for (sum, weight) in first.iter_mut().zip(weights) {
                *sum += x * f64::from(*weight);
            }
        }
        let mut logit = f64::from(model.last_bias[0]);
        for o in 0..SECOND {
            let terms = first.iter().zip(&model.second);
            let sum: f64 = terms.map(|(x, w)| x.max(0.0) * f64::from(w[o])).sum();
            logit += (sum + f64::from(model.second_bias[o])).max(0.0) * f64::from(model.last[o][0]);
        }
        let weight = |cell: &Vec<f64>| {
            let terms = cell.iter().zip(&model.policy);
            terms.map(|(x, w)| x * f64::from(*w)).sum::<f64>() / 32.0
        };
        (logit, trunk.iter().map(weight).collect())
    }

    #[test]
    fn outputs_are_those_of_the_definition() {
        let model = Small::parse(&lines().join("\n")).unwrap();
        let mut random = Random::new(9);
        for side in [2, 5, 9] {
            for _ in 0..5 {
                let mut below = |bound: usize| random.below(bound as u32) as usize;
                let facts: Vec<_> = (0..4 * side)
                    .map(|_| (below(side), below(side), below(16)))
                    .collect();
                let (logit, weights) = output(&model, side, &facts);
                let (expected, wanted) = naive(&model, side, &facts);
                assert!((f64::from(logit) - expected).abs() < 1e-3 * expected.abs().max(1.0));
                for (found, wanted) in weights.iter().zip(&wanted) {
                    assert!(
                        (f64::from(*found) - wanted).abs() < 1e-4,
                        "{found} {wanted}"
                    );
                }
            }
        }
    }

    #[test]
    fn broken_networks_are_refused_with_their_lines() {
        let good = lines();
        assert!(Small::parse(&good.join("\n")).is_ok());
        let commented = good.join(" # comment\n\n# another\n");
        assert!(Small::parse(&commented).is_ok());
        let broken = |line: usize, from: &str, to: &str| {
            let mut lines = good.clone();
            lines[line] = lines[line].replacen(from, to, 1);
            Small::parse(&lines.join("\n")).unwrap_err()
        };
        for (line, from, to, expected) in [
            (
                0,
                "16",
                "32",
                "line 1: found `network 32 channels 1 blocks`: expected `network 16",
            ),
            (0, "1 blocks", "33 blocks", "at most 32"),
            (0, "network", "net", "line 1: found `net 16"),
            (
                1,
                "numbers",
                "bias",
                "line 2: found `bias`: expected `numbers`",
            ),
            (
                2,
                "bias ",
                "bias 0.5 ",
                "line 3: expected 16 numbers after `bias`, found 17",
            ),
            (3, " 9", " 999", "line 4: invalid number `999` in `input`"),
            (3, " 9", " 0", "line 4: a layer has"),
            (9, "policy ", "policy x", "in `policy`"),
            (
                16,
                "bias ",
                "bias 1e30 #",
                "line 17: invalid weight `1000000000000000000000000000000`",
            ),
            (16, "bias ", "bias nan #", "line 17: invalid weight `NaN`"),
        ] {
            let error = broken(line, from, to);
            assert!(error.contains(expected), "{error}");
        }
        assert_eq!(
            Small::parse(&good[..12].join("\n")).unwrap_err(),
            "line 13: the network ends too early"
        );
        let longer = good.join("\n") + "\nbias 3\n";
        assert_eq!(
            Small::parse(&longer).unwrap_err(),
            "line 18: unexpected `bias` after the end of the network"
        );
        assert!(Small::parse("").unwrap_err().contains("ends too early"));
    }
}
