//! Dirichlet noise on the priors of the root (Silver et al., "Mastering chess and shogi by self-play
//! with a general reinforcement learning algorithm", 2017).

use super::node::Node;
use crate::util::math;
use crate::util::random::Random;

/// The sum of the distribution's parameters, shared equally by the moves (KataGo: 0.03 for each of
/// 361).
const CONCENTRATION: f32 = 10.83;

/// Mixes noise with this share into the priors of the children of the root. No worker may run.
pub(super) fn mix(children: &[Node], share: f32, random: &mut Random) {
    let noise = dirichlet(children.len(), random);
    for (node, noise) in children.iter().zip(noise) {
        node.set_prior((1.0 - share) * node.prior() + share * noise);
    }
}

fn dirichlet(count: usize, random: &mut Random) -> Vec<f32> {
    let shape = CONCENTRATION / count.max(1) as f32;
    let mut parts: Vec<f32> = (0..count).map(|_| gamma(shape, random)).collect();
    let sum: f32 = parts.iter().sum();
    parts.iter_mut().for_each(|part| *part /= sum.max(1e-30));
    parts
}

/// A random number with the Gamma distribution of this shape: one exponential for each whole unit,
/// and Ahrens and Dieter's method GS (1974) for the rest. It gives the same bits on every machine.
fn gamma(shape: f32, random: &mut Random) -> f32 {
    let whole = shape as u32;
    let sum: f32 = (0..whole).map(|_| minus_ln(positive(random))).sum();
    let rest = shape - whole as f32;
    if rest <= 0.0 {
        return sum;
    }
    let bound = 1.0 + rest / std::f32::consts::E;
    loop {
        let p = bound * positive(random);
        let (x, accepted) = if p <= 1.0 {
            let x = math::exp(-minus_ln(p) / rest);
            (x, math::exp(-x))
        } else {
            let x = minus_ln((bound - p) / rest);
            (x, math::exp((1.0 - rest) * minus_ln(x)))
        };
        if positive(random) <= accepted {
            return sum + x;
        }
    }
}

/// A number above 0, at most 1.
fn positive(random: &mut Random) -> f32 {
    1.0 - random.unit() as f32 * (1.0 - f32::EPSILON)
}

/// -ln(x) for any x above 0.
pub(super) fn minus_ln(x: f32) -> f32 {
    let x = x.max(1e-30);
    if x < 1.0 {
        math::ln(1.0 / x)
    } else {
        -math::ln(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gamma_numbers_have_their_mean_and_variance() {
        let mut random = Random::new(5);
        for shape in [0.03f32, 0.1354, 0.9, 1.0, 2.5, 10.83] {
            let numbers: Vec<f64> = (0..200_000)
                .map(|_| f64::from(gamma(shape, &mut random)))
                .collect();
            let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
            let squares = numbers.iter().map(|x| (x - mean).powi(2));
            let variance = squares.sum::<f64>() / numbers.len() as f64;
            // Both are the shape.
            let shape = f64::from(shape);
            assert!((mean / shape - 1.0).abs() < 0.05, "{shape}: {mean}");
            assert!((variance / shape - 1.0).abs() < 0.1, "{shape}: {variance}");
        }
    }

    #[test]
    fn priors_still_sum_to_one() {
        let children: Vec<Node> = (0..50).map(|_| Node::default()).collect();
        let prior = |place: usize| if place < 10 { 0.1 } else { 0.0 };
        for (place, child) in children.iter().enumerate() {
            child.reset(place as u16, 0.5, prior(place), None);
        }
        mix(&children, 0.25, &mut Random::new(1));
        let sum: f32 = children.iter().map(Node::prior).sum();
        assert!((sum - 1.0).abs() < 1e-4, "{sum}");
        for (place, child) in children.iter().enumerate() {
            assert!(child.prior() >= 0.75 * prior(place));
        }
        assert!(children[10..].iter().any(|child| child.prior() > 0.01));
        let again: Vec<Node> = (0..50).map(|_| Node::default()).collect();
        for (place, child) in again.iter().enumerate() {
            child.reset(place as u16, 0.5, prior(place), None);
        }
        mix(&again, 0.25, &mut Random::new(1));
        assert!((0..50).all(|place| again[place].prior() == children[place].prior()));
    }
}
