//! Small networks, read from text: a residual convolutional network in int8 arithmetic for boards of any
//! size, and a perceptron. Nothing here names a game.
//!
//! The inputs of the convolutional network ([`Model`]) are binary planes, whose number is a multiple of
//! 4, and some global features of the position. Its outputs are logits: of one or several values, and of
//! each move. The perceptron ([`Perceptron`]) has one value; its inputs are a few of many facts, and some
//! numbers.

mod model;
mod perceptron;
mod reader;

pub use model::{Model, Scratch};
pub(crate) use perceptron::{Facts, Perceptron};
pub(crate) use reader::is_network;

use crate::util::math;

/// Adds each input times its row of weights to `sums`.
#[inline(always)]
fn accumulate<const L: usize>(sums: &mut [f32; L], inputs: &[f32], weights: &[[f32; L]]) {
    let mut total = *sums;
    for (input, weights) in inputs.iter().zip(weights) {
        for (sum, weight) in total.iter_mut().zip(weights) {
            *sum += input * weight;
        }
    }
    *sums = total;
}

/// Turns logits into probabilities that add up to 1 (softmax).
#[inline(always)]
pub(crate) fn normalise(logits: &mut [f32]) {
    let highest = logits.iter().copied().fold(f32::MIN, f32::max);
    let mut sum = 0.0;
    for logit in &mut *logits {
        *logit = math::exp(*logit - highest);
        sum += *logit;
    }
    for logit in logits {
        *logit /= sum;
    }
}
