//! Softmax regression: fits weights to the results of games.
//!
//! The chance of seat s is P(s) = exp(w x_s) / sum_i exp(w x_i) over the seats in play, with
//! weights w and inputs x_s. This is the conditional logit (McFadden, "Conditional logit analysis
//! of qualitative choice behavior", 1974); for two seats it is logistic regression on the
//! differences of their inputs.

use serde::{Deserialize, Serialize};

/// A position of a game. Its seats are those in play, the one to move first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingExample {
    /// The inputs of the seat to move minus those of each other seat. Only differences matter to
    /// the softmax.
    pub differences: Vec<Vec<f32>>,
    /// The winning chances by the search; their sum is 1.
    pub search: Vec<f32>,
    /// 1 for the winner and 0 for the others; equal shares for a draw.
    pub result: Vec<f32>,
}

/// How well weights predict the results of examples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FitQuality {
    /// The mean log loss in nats; ln 2 is a coin flip.
    pub(crate) loss: f64,
    /// The share of the positions whose winner is predicted, 0 to 1.
    pub(crate) accuracy: f64,
}

/// The chances of the seats of an example: the softmax.
fn chances(weights: &[f64], sample: &TrainingExample, chances: &mut Vec<f64>) {
    chances.clear();
    chances.push(0.0);
    for difference in &sample.differences {
        let terms = weights.iter().zip(difference);
        chances.push(-terms.map(|(w, x)| w * f64::from(*x)).sum::<f64>());
    }
    let highest = chances.iter().fold(f64::MIN, |a, &b| a.max(b));
    let mut sum = 0.0;
    for chance in chances.iter_mut() {
        *chance = (*chance - highest).exp();
        sum += *chance;
    }
    for chance in chances.iter_mut() {
        *chance /= sum;
    }
}

/// Compares weights with the results of examples.
pub(crate) fn fit_quality(weights: &[f64], samples: &[TrainingExample]) -> FitQuality {
    let mut total = FitQuality::default();
    let mut p = Vec::new();
    for sample in samples {
        chances(weights, sample, &mut p);
        let mut named = 0;
        for (seat, (&chance, &result)) in p.iter().zip(&sample.result).enumerate() {
            total.loss -= f64::from(result) * chance.clamp(1e-9, 1.0 - 1e-9).ln();
            // The later of equal seats is predicted, which does not favour the one to move.
            named = if chance >= p[named] { seat } else { named };
        }
        total.accuracy += f64::from(sample.result[named]);
    }
    let n = samples.len().max(1) as f64;
    FitQuality {
        loss: total.loss / n,
        accuracy: total.accuracy / n,
    }
}

/// The weights of the `inputs` that fit the examples best: Newton's method on the log loss against
/// `value_share * search + (1 - value_share) * result`, plus `decay / 2 * |w|^2`.
pub(crate) fn fit(
    samples: &[TrainingExample],
    inputs: usize,
    value_share: f64,
    decay: f64,
) -> Vec<f64> {
    let mut weights = vec![0.0; inputs];
    for _ in 0..50 {
        let (gradient, hessian) = derivatives(samples, &weights, value_share, decay);
        let step = solve(hessian, gradient);
        for (weight, step) in weights.iter_mut().zip(&step) {
            *weight += step.clamp(-1.0, 1.0);
        }
        if step.iter().all(|s| s.abs() < 1e-9) {
            break;
        }
    }
    weights
}

/// The gradient and the negative Hessian of the mean log-likelihood.
#[allow(clippy::needless_range_loop)] // as the formulas are written
fn derivatives(
    samples: &[TrainingExample],
    weights: &[f64],
    value_share: f64,
    decay: f64,
) -> (Vec<f64>, Vec<Vec<f64>>) {
    let inputs = weights.len();
    let mut gradient = vec![0.0; inputs];
    let mut hessian = vec![vec![0.0; inputs]; inputs];
    let mut p = Vec::new();
    let mut mean = vec![0.0; inputs];
    for sample in samples {
        chances(weights, sample, &mut p);
        mean.fill(0.0);
        for (other, difference) in sample.differences.iter().enumerate() {
            let seat = other + 1;
            let result = f64::from(sample.result[seat]);
            let target =
                value_share * f64::from(sample.search[seat]) + (1.0 - value_share) * result;
            for (i, &x) in difference.iter().enumerate() {
                // Games with many inputs have mostly zeros.
                if x == 0.0 {
                    continue;
                }
                let x = f64::from(x);
                gradient[i] += (p[seat] - target) * x;
                mean[i] += p[seat] * x;
                add_scaled(&mut hessian[i][..=i], p[seat] * x, difference);
            }
        }
        for i in (0..inputs).filter(|&i| mean[i] != 0.0) {
            add_scaled(&mut hessian[i][..=i], -mean[i], &mean);
        }
    }
    let n = samples.len().max(1) as f64;
    for i in 0..inputs {
        for j in 0..=i {
            hessian[i][j] /= n;
            hessian[j][i] = hessian[i][j];
        }
        gradient[i] = gradient[i] / n - decay * weights[i];
        hessian[i][i] += decay + 1e-12;
    }
    (gradient, hessian)
}

fn add_scaled<T: Copy + Into<f64>>(row: &mut [f64], factor: f64, x: &[T]) {
    for (sum, &x) in row.iter_mut().zip(x) {
        *sum += factor * x.into();
    }
}

/// Solves a positive semidefinite system by Gauss-Jordan elimination with row pivots; undetermined
/// unknowns are 0.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for i in 0..n {
        let pivot = (i..n)
            .max_by(|&x, &y| a[x][i].abs().total_cmp(&a[y][i].abs()))
            .unwrap_or(i);
        a.swap(i, pivot);
        b.swap(i, pivot);
        if a[i][i] == 0.0 {
            continue;
        }
        let row = a[i].clone();
        for j in (0..n).filter(|&j| j != i) {
            let factor = a[j][i] / row[i];
            add_scaled(&mut a[j], -factor, &row);
            b[j] -= factor * b[i];
        }
    }
    let at = |i: usize| if a[i][i] == 0.0 { 0.0 } else { b[i] / a[i][i] };
    (0..n).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::random::Random;

    /// Examples with `seats` seats and results drawn from the weights `truth`.
    fn samples(truth: &[f64], seats: usize, count: usize) -> Vec<TrainingExample> {
        let mut random = Random::new(5);
        let mut p = Vec::new();
        let mut sample = || {
            let difference = |random: &mut Random| {
                let mut inputs = vec![1.0; truth.len()];
                for x in &mut inputs[1..] {
                    *x = random.below(9) as f32 - 4.0;
                }
                inputs
            };
            let mut sample = TrainingExample {
                differences: (1..seats).map(|_| difference(&mut random)).collect(),
                search: vec![1.0 / seats as f32; seats],
                result: vec![0.0; seats],
            };
            chances(truth, &sample, &mut p);
            let mut left = random.unit();
            let winner = p.iter().position(|chance| {
                left -= chance;
                left < 0.0
            });
            sample.result[winner.unwrap_or(0)] = 1.0;
            sample
        };
        (0..count).map(|_| sample()).collect()
    }

    #[test]
    fn the_fit_finds_the_weights_that_made_the_data() {
        for (seats, count, inputs) in [(2, 40_000, 24), (4, 20_000, 24), (3, 4_000, 60)] {
            let weight = |i| [0.3, -0.2, 0.1, 0.0, -0.1][i % 5];
            let truth: Vec<f64> = (0..inputs).map(weight).collect();
            let samples = samples(&truth, seats, count);
            let found = fit(&samples, inputs, 0.0, 0.0);
            let tolerance = if count < 10_000 { 0.2 } else { 0.06 };
            for (w, t) in found.iter().zip(&truth) {
                assert!((w - t).abs() < tolerance, "{seats} seats: {found:?}");
            }
            let right = fit_quality(&truth, &samples);
            let wrong = fit_quality(&vec![0.0; inputs], &samples);
            assert!((wrong.loss - (seats as f64).ln()).abs() < 1e-9);
            assert!(right.loss < wrong.loss - 0.2 && right.accuracy > wrong.accuracy + 0.2);
        }
    }

    #[test]
    fn targets_are_met_where_weights_can_meet_them() {
        // A single input that marks the seat to move.
        let sample = TrainingExample {
            differences: vec![vec![1.0]; 3],
            search: vec![0.7, 0.1, 0.1, 0.1],
            result: vec![0.0, 0.0, 1.0, 0.0],
        };
        for (value_share, expected) in [(1.0, 0.7), (0.5, 0.35)] {
            let weights = fit(std::slice::from_ref(&sample), 1, value_share, 0.0);
            let mut p = Vec::new();
            chances(&weights, &sample, &mut p);
            assert!((p[0] - expected).abs() < 1e-6, "{p:?}");
        }
    }
}
