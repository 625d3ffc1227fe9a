//! A perceptron for positions that a few of many facts describe, with a value and a policy.

use super::accumulate;
use super::reader::{HEAD, Reader};
use crate::util::quote;

/// Units of the first layer.
const FIRST: usize = 64;
/// Units of the second layer.
const SECOND: usize = 16;
/// The weight of a fact, also of a move, that stands for 1.
const UNIT: f32 = 128.0;
/// The largest weight of a fact: the sum of 64 fits into 16 bits.
const LARGEST: i16 = 511;

/// A perceptron with `F` facts, of which at most [`MOST`] hold, and `N` numbers. A second hidden layer
/// gives the value. Moves, too, are described by facts: `M` in all.
#[derive(Clone, Debug)]
pub(crate) struct Perceptron<const F: usize, const N: usize, const M: usize> {
    facts: Vec<[i16; FIRST]>,
    numbers: Vec<[f32; FIRST]>,
    bias: [f32; FIRST],
    moves: Vec<[f32; FIRST]>,
    move_bias: [f32; M],
    second: Vec<[f32; SECOND]>,
    second_bias: [f32; SECOND],
    last: [f32; SECOND],
    last_bias: f32,
}

/// The most facts that may hold.
pub(crate) const MOST: usize = 64;

/// The facts that hold, by their numbers.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    list: [u16; MOST],
    len: usize,
}

impl Facts {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self {
            list: [0; MOST],
            len: 0,
        }
    }

    /// Adds a fact; more than [`MOST`] are left out.
    #[inline(always)]
    pub(crate) fn add(&mut self, fact: usize) {
        if let Some(place) = self.list.get_mut(self.len) {
            *place = fact as u16;
            self.len += 1;
        }
    }

    #[inline(always)]
    pub(crate) fn list(&self) -> &[u16] {
        &self.list[..self.len.min(MOST)]
    }
}

impl<const F: usize, const N: usize, const M: usize> Perceptron<F, N, M> {
    /// Reads a network: the line `network 64 units F facts N numbers M moves`, then a line for each layer.
    ///
    /// # Errors
    /// One sentence about the first wrong line.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader::new(text);
        let head = reader.words()?.join(" ");
        let expected = format!("{HEAD} {FIRST} units {F} facts {N} numbers {M} moves");
        if head != expected {
            let found = quote::shorten(&head, 60);
            let line = reader.line();
            return Err(format!(
                "line {line}: found `{found}`: expected `{expected}`"
            ));
        }
        let network = Self {
            facts: whole(&mut reader, "facts", F)?,
            numbers: reader.rows("numbers", N)?,
            bias: reader.row("bias")?,
            moves: whole(&mut reader, "moves", M)?
                .into_iter()
                .map(|row| row.map(scaled))
                .collect(),
            move_bias: reader.row("bias")?,
            second: reader.rows("units", FIRST)?,
            second_bias: reader.row("bias")?,
            last: reader.row("units")?,
            last_bias: reader.row::<1>("bias")?[0],
        };
        reader.end().map(|()| network)
    }

    /// The first layer for the facts that hold and for these numbers. Facts from `F` on count for
    /// nothing.
    #[inline(always)]
    pub(crate) fn units(&self, facts: &Facts, numbers: &[f32; N]) -> Units {
        let mut sums = [0i16; FIRST];
        for &fact in facts.list() {
            if let Some(weights) = self.facts.get(usize::from(fact)) {
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum = sum.wrapping_add(*weight);
                }
            }
        }
        let mut units = self.bias;
        for (unit, sum) in units.iter_mut().zip(sums) {
            *unit += scaled(sum);
        }
        for (number, weights) in numbers.iter().zip(&self.numbers) {
            // Most numbers are 0.
            if *number != 0.0 {
                accumulate(&mut units, &[*number], std::slice::from_ref(weights));
            }
        }
        Units(units.map(|unit| unit.max(0.0)))
    }

    /// The logit of the value.
    #[inline(always)]
    pub(crate) fn value_logit(&self, units: &Units) -> f32 {
        let mut second = self.second_bias;
        accumulate(&mut second, &units.0, &self.second);
        let mut logit = self.last_bias;
        for (unit, weight) in second.iter().zip(&self.last) {
            logit += unit.max(0.0) * weight;
        }
        logit
    }

    /// The logit of a move for which these two facts hold, each below `M`; others count for nothing.
    /// The softmax over the legal moves gives their priors.
    #[inline(always)]
    pub(crate) fn policy_logit(&self, units: &Units, facts: [usize; 2]) -> f32 {
        // Lanes that are summed last let the machine multiply several at once.
        const LANES: usize = 8;
        let mut sums = [0.0f32; LANES];
        let mut logit = 0.0;
        for fact in facts {
            let (Some(weights), Some(bias)) = (self.moves.get(fact), self.move_bias.get(fact))
            else {
                continue;
            };
            let (weights, _) = weights.as_chunks::<LANES>();
            let (units, _) = units.0.as_chunks::<LANES>();
            for (weights, units) in weights.iter().zip(units) {
                for lane in 0..LANES {
                    sums[lane] += weights[lane] * units[lane];
                }
            }
            logit += bias;
        }
        sums.iter().fold(logit, |logit, sum| logit + sum)
    }
}

/// The first hidden layer.
#[derive(Clone, Debug)]
pub(crate) struct Units([f32; FIRST]);

#[inline(always)]
fn scaled(weight: i16) -> f32 {
    f32::from(weight) * (1.0 / UNIT)
}

/// Rows of whole numbers.
fn whole(reader: &mut Reader<'_>, what: &str, count: usize) -> Result<Vec<[i16; FIRST]>, String> {
    let numbers: Vec<i16> = reader.numbers(what, count * FIRST)?;
    let is_large = |weight: &&i16| !(-LARGEST..=LARGEST).contains(*weight);
    if let Some(wrong) = numbers.iter().find(is_large) {
        let line = reader.line();
        return Err(format!(
            "line {line}: invalid weight `{wrong}`: expected at most {LARGEST} either way"
        ));
    }
    let (rows, _) = numbers.as_chunks::<FIRST>();
    Ok(rows.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::random::Random;

    type Small = Perceptron<5, 2, 3>;

    /// A network of random weights as text, line by line.
    fn lines() -> Vec<String> {
        let mut random = Random::new(3);
        let mut line = |name: &str, count: usize| {
            let numbers = (0..count).map(|_| match name {
                "facts" | "moves" => (random.below(201) as i32 - 100).to_string(),
                _ => format!("{:.4}", random.symmetric()),
            });
            format!("{name} {}", numbers.collect::<Vec<_>>().join(" "))
        };
        vec![
            "network 64 units 5 facts 2 numbers 3 moves".to_string(),
            line("facts", 5 * FIRST),
            line("numbers", 2 * FIRST),
            line("bias", FIRST),
            line("moves", 3 * FIRST),
            line("bias", 3),
            line("units", FIRST * SECOND),
            line("bias", SECOND),
            line("units", SECOND),
            line("bias", 1),
        ]
    }

    fn facts(list: &[usize]) -> Facts {
        let mut facts = Facts::new();
        list.iter().for_each(|&fact| facts.add(fact));
        facts
    }

    /// The value's logit and those of all moves by the definition, from the lines of the text. Move
    /// `i` has the facts `i` and 2.
    fn naive(lines: &[String], facts: &[usize], numbers: [f64; 2]) -> (f64, Vec<f64>) {
        let rows = |line: usize, width: usize| -> Vec<Vec<f64>> {
            let words = lines[line].split(' ').skip(1);
            let all: Vec<f64> = words.map(|word| word.parse().unwrap()).collect();
            all.chunks(width).map(<[f64]>::to_vec).collect()
        };
        let layer = |bias: Vec<f64>, inputs: &[f64], weights: &[Vec<f64>]| -> Vec<f64> {
            let unit = |o: usize| {
                let terms = inputs.iter().zip(weights).map(|(x, row)| x * row[o]);
                bias[o] + terms.sum::<f64>()
            };
            (0..bias.len()).map(unit).collect()
        };
        let mut inputs = [0.0; 5];
        for &fact in facts {
            inputs[fact] += 1.0 / 128.0;
        }
        let first = layer(rows(3, FIRST)[0].clone(), &inputs, &rows(1, FIRST));
        let first = layer(first, &numbers, &rows(2, FIRST));
        let first: Vec<f64> = first.into_iter().map(|unit| unit.max(0.0)).collect();
        let second = layer(rows(7, SECOND)[0].clone(), &first, &rows(6, SECOND));
        let second: Vec<f64> = second.into_iter().map(|unit| unit.max(0.0)).collect();
        let value = layer(rows(9, 1)[0].clone(), &second, &rows(8, 1))[0];
        let (weights, biases) = (rows(4, FIRST), rows(5, 1));
        let of_fact = |fact: usize| {
            let terms = first.iter().zip(&weights[fact]);
            terms.map(|(x, w)| x * w / 128.0).sum::<f64>() + biases[fact][0]
        };
        (value, (0..3).map(|i| of_fact(i) + of_fact(2)).collect())
    }

    #[test]
    fn the_outputs_are_those_of_the_definition() {
        let lines = lines();
        let network = Small::parse(&lines.join("\n")).unwrap();
        for list in [&[][..], &[0], &[1, 4], &[0, 1, 2, 3, 4]] {
            let units = network.units(&facts(list), &[0.5, -2.0]);
            let (value, moves) = naive(&lines, list, [0.5, -2.0]);
            let found = (0..3).map(|i| network.policy_logit(&units, [i, 2]));
            let found = [network.value_logit(&units)].into_iter().chain(found);
            for (found, expected) in found.zip([value].into_iter().chain(moves)) {
                assert!(
                    (f64::from(found) - expected).abs() < 1e-3,
                    "{found} {expected}"
                );
            }
            assert_eq!(network.policy_logit(&units, [3, 9]), 0.0);
        }
        let value = |list| network.value_logit(&network.units(&facts(list), &[0.0; 2]));
        assert_eq!(value(&[1, 7]), value(&[1]));
        assert_eq!(facts(&[3; 2 * MOST]).list(), [3; MOST]);
    }

    #[test]
    fn broken_networks_are_refused_with_their_lines() {
        let good = lines();
        for (line, from, to, expected) in [
            (0, "64", "32", "line 1: found `network 32 units 5 facts"),
            (
                0,
                "5 facts",
                "6 facts",
                "expected `network 64 units 5 facts 2 numbers 3 moves`",
            ),
            (
                1,
                "facts ",
                "facts 1 ",
                "line 2: expected 320 numbers after `facts`, found 321",
            ),
            (3, "bias ", "bias x", "in `bias`"),
            (
                4,
                "moves ",
                "moves 0.5 #",
                "line 5: expected 192 numbers after `moves`, found 1",
            ),
        ] {
            let mut lines = good.clone();
            lines[line] = lines[line].replacen(from, to, 1);
            let error = Small::parse(&lines.join("\n")).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        let mut large = good.clone();
        large[1] = format!("facts {}", vec!["-512"; 5 * FIRST].join(" "));
        let error = Small::parse(&large.join("\n")).unwrap_err();
        assert_eq!(
            error,
            "line 2: invalid weight `-512`: expected at most 511 either way"
        );
        let longer = good.join("\n") + "\nbias 3\n";
        assert!(
            Small::parse(&longer)
                .unwrap_err()
                .contains("line 11: unexpected `bias`")
        );
        assert!(Small::parse("").unwrap_err().contains("ends too early"));
    }
}
