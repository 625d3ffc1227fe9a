//! Predicts how many nodes the solver will need, and who will win.
//!
//! ```text
//! log2(nodes) = a + b * points + c * 4 p (1 - p)
//! ```
//!
//! `points` are the playable points, `p` is the winning chance of the side to move after the first, short
//! search of the engine. The coefficients are fitted by least squares to the positions that were solved
//! so far. Who wins follows from the chance after the longest search, see
//! [`calibration`](super::calibration), and from the outcomes of [`relatives`](super::relatives).
//! Until positions are solved whose chances come from longer searches, those are trusted like the
//! chances of shorter ones.

use super::calibration::{Calibration, careful_chance};

/// How often the engine may be asked again about a position, for longer each time.
pub(super) const DEPTHS: usize = 2;

/// What the prediction depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Outlook {
    /// Playable points.
    pub(crate) points: usize,
    /// The winning chance of the side to move as the engine sees it, above 0 and below 1.
    pub(crate) chance: f64,
    /// The same after longer searches.
    pub(crate) deep_chances: [Option<f64>; DEPTHS],
}

impl Outlook {
    /// How long the longest search was: 0 is the first, short one.
    pub(super) fn depth(&self) -> usize {
        let deepest = self.deep_chances.iter().rposition(Option::is_some);
        deepest.map_or(0, |index| index + 1)
    }

    /// The chance after the longest search that is not longer than `most`, and how long that was.
    fn chance_up_to(&self, most: usize) -> (usize, f64) {
        let deep = self.deep_chances[..most].iter().rposition(Option::is_some);
        let deep = deep.and_then(|index| Some((index + 1, self.deep_chances[index]?)));
        deep.unwrap_or((0, self.chance))
    }

    fn inputs(&self) -> [f64; 3] {
        let doubt = 4.0 * self.chance * (1.0 - self.chance);
        [1.0, self.points as f64, doubt]
    }
}

/// Where the coefficients start: 7x7 endings of 20 and 26 points took 2^14.9 and 2^19.9 nodes in
/// the mean.
const START: [f64; 3] = [-1.9, 0.84, 0.0];
/// Cheaper positions say little about expensive ones.
const MIN_NODES: u64 = 1 << 10;

/// The fit so far.
#[derive(Clone, Debug)]
pub(crate) struct Prediction {
    /// Sums of products of the inputs, and of the inputs with the logarithms.
    products: [[f64; 3]; 3],
    targets: [f64; 3],
    coefficients: [f64; 3],
    /// Of the chances of short and of longer searches.
    calibrations: [Calibration; DEPTHS + 1],
    /// Solved positions, and the sum of the squared errors that their predictions had.
    count: u64,
    squares: f64,
    /// The nodes that all took, and that were predicted for them.
    taken: f64,
    predicted: f64,
}

impl Default for Prediction {
    fn default() -> Self {
        let mut prediction = Self {
            products: [[0.0; 3]; 3],
            targets: [0.0; 3],
            coefficients: START,
            calibrations: Default::default(),
            count: 0,
            squares: 0.0,
            taken: 0.0,
            predicted: 0.0,
        };
        // A few positions as the start predicts them, until there are real ones.
        for points in [12, 20, 28, 36, 44] {
            for chance in [0.05, 0.5] {
                let outlook = Outlook {
                    points,
                    chance,
                    deep_chances: [None; DEPTHS],
                };
                let log = prediction.log(outlook);
                prediction.add(outlook, log);
            }
        }
        prediction
    }
}

impl Prediction {
    fn log(&self, outlook: Outlook) -> f64 {
        let terms = outlook.inputs().into_iter().zip(self.coefficients);
        terms.map(|(input, coefficient)| input * coefficient).sum()
    }

    fn add(&mut self, outlook: Outlook, log: f64) {
        let inputs = outlook.inputs();
        for (row, a) in inputs.into_iter().enumerate() {
            for (column, b) in inputs.into_iter().enumerate() {
                self.products[row][column] += a * b;
            }
            self.targets[row] += a * log;
        }
    }

    /// The nodes to expect, at least 1.
    pub(crate) fn nodes(&self, outlook: Outlook) -> f64 {
        self.log(outlook).clamp(0.0, 60.0).exp2()
    }

    /// The chance that the side to move wins, moved by a shift of its log-odds.
    pub(super) fn chance(&self, outlook: Outlook, shift: f64) -> f64 {
        careful_chance(self.log_odds(outlook, DEPTHS) + shift)
    }

    /// The log-odds that the side to move wins, by the longest search that is not longer than `most`.
    pub(super) fn log_odds(&self, outlook: Outlook, most: usize) -> f64 {
        let (depth, chance) = outlook.chance_up_to(most);
        self.calibrations[depth].log_odds(chance)
    }

    /// Learns what a position took, and whether the side to move wins, if that is known.
    pub(crate) fn learn(&mut self, outlook: Outlook, nodes: u64, won: Option<bool>) {
        if let Some(won) = won {
            self.learn_chance(0, outlook.chance, won);
            for (depth, deep) in (1..).zip(outlook.deep_chances) {
                if let Some(deep) = deep {
                    self.learn_chance(depth, deep, won);
                }
            }
        }
        self.taken += nodes as f64;
        self.predicted += self.nodes(outlook);
        if nodes < MIN_NODES {
            return;
        }
        let log = (nodes as f64).log2();
        self.squares += (log - self.log(outlook)).powi(2);
        self.count += 1;
        self.add(outlook, log);
        if let Some(coefficients) = solution(self.products, self.targets) {
            self.coefficients = coefficients;
        }
    }

    /// Learns whether the side to move wins where it has a chance after a search of a depth.
    pub(super) fn learn_chance(&mut self, depth: usize, chance: f64, won: bool) {
        self.calibrations[depth].learn(chance, won);
        for deeper in depth + 1..=DEPTHS {
            let start = self.calibrations[deeper - 1].coefficients();
            self.calibrations[deeper].begin_at(start);
        }
    }

    /// How many positions are solved that have a chance after a search of a depth.
    pub(super) fn outcomes(&self, depth: usize) -> usize {
        self.calibrations[depth].outcomes()
    }

    /// How many times the predicted nodes all positions took together: mostly more than 1, because the
    /// fit is one of logarithms, and numbers that scatter have a mean above that of their logarithms.
    pub(super) fn excess(&self) -> f64 {
        if self.predicted > 0.0 {
            self.taken / self.predicted
        } else {
            1.0
        }
    }

    /// The factor by which predictions were wrong, as the root mean square of the logarithms;
    /// `None` without a solved position.
    pub(crate) fn error(&self) -> Option<f64> {
        (self.count > 0).then(|| (self.squares / self.count as f64).sqrt().exp2())
    }

    pub(crate) fn coefficients(&self) -> [f64; 3] {
        self.coefficients
    }

    /// The coefficients of the calibrations of short and of longer searches.
    pub(crate) fn calibrations(&self) -> [[f64; 2]; DEPTHS + 1] {
        self.calibrations.each_ref().map(Calibration::coefficients)
    }
}

/// The solution of three linear equations by Gauss's elimination with pivots; `None` if there is no
/// single one.
fn solution(mut left: [[f64; 3]; 3], mut right: [f64; 3]) -> Option<[f64; 3]> {
    for step in 0..3 {
        let size = |row: &usize| left[*row][step].abs();
        let pivot = (step..3).max_by(|a, b| size(a).total_cmp(&size(b)))?;
        left.swap(step, pivot);
        right.swap(step, pivot);
        if left[step][step].abs() < 1e-9 {
            return None;
        }
        for row in 0..3 {
            if row != step {
                let factor = left[row][step] / left[step][step];
                let pivot = left[step];
                for (value, pivot) in left[row].iter_mut().zip(pivot) {
                    *value -= factor * pivot;
                }
                right[row] -= factor * right[step];
            }
        }
    }
    Some(std::array::from_fn(|i| right[i] / left[i][i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outlook(points: usize, chance: f64) -> Outlook {
        Outlook {
            points,
            chance,
            deep_chances: [None; DEPTHS],
        }
    }

    #[test]
    fn it_begins_with_the_known_growth() {
        let prediction = Prediction::default();
        let nodes = prediction.nodes(outlook(26, 0.5));
        assert!((800_000.0..1_200_000.0).contains(&nodes), "{nodes}");
        assert_eq!(prediction.error(), None);
        // Nothing is cheaper than one node.
        assert_eq!(prediction.nodes(outlook(0, 0.0)), 1.0);
    }

    #[test]
    fn short_and_longer_searches_are_trusted_by_their_own_outcomes() {
        let mut prediction = Prediction::default();
        let asked = |chance, deep| Outlook {
            deep_chances: [Some(deep), None],
            ..outlook(20, chance)
        };
        assert!((prediction.chance(asked(0.6, 0.9), 0.0) - 0.9).abs() < 1e-9);
        // Half of what a longer search calls 0.9 is won, and all that a short one calls 0.6.
        for round in 0..100 {
            prediction.learn(asked(0.5, 0.9), 1, Some(round % 2 == 0));
            prediction.learn(outlook(20, 0.6), 1, Some(true));
        }
        let (deep, short) = (asked(0.6, 0.9), outlook(20, 0.6));
        assert!((0.45..0.6).contains(&prediction.chance(deep, 0.0)));
        assert!(prediction.chance(short, 0.0) > 0.85);
    }

    #[test]
    fn a_longer_search_is_trusted_like_a_shorter_one_until_it_has_outcomes() {
        let mut prediction = Prediction::default();
        let asked = |chances| Outlook {
            deep_chances: chances,
            ..outlook(20, 0.5)
        };
        for round in 0..200 {
            let chance = [0.4, 0.6][round % 2];
            let outlook = Outlook {
                chance,
                ..asked([None; 2])
            };
            prediction.learn(outlook, 1, Some(chance > 0.5));
        }
        let deepest = asked([Some(0.3), Some(0.6)]);
        assert_eq!(deepest.depth(), 2);
        let trusted = prediction.chance(deepest, 0.0);
        assert!(trusted > 0.9, "{trusted}");
        assert_eq!(
            trusted,
            prediction.chance(
                Outlook {
                    chance: 0.6,
                    ..asked([None; 2])
                },
                0.0
            )
        );
        // Half of what the longest search calls 0.6 is won.
        for round in 0..100 {
            prediction.learn_chance(2, 0.6, round % 2 == 0);
        }
        assert_eq!(prediction.outcomes(2), 100);
        assert!((0.45..0.6).contains(&prediction.chance(deepest, 0.0)));
        let without = prediction.log_odds(deepest, 1);
        assert!(without < -1.0, "{without}");
    }

    #[test]
    fn it_learns_another_growth() {
        let mut prediction = Prediction::default();
        let truth = |o: Outlook| (2.0 + 0.7 * o.points as f64 + 1.5 * o.inputs()[2]).exp2();
        for round in 0..200 {
            let o = outlook(14 + round % 25, (round % 11) as f64 / 10.0);
            prediction.learn(o, truth(o) as u64, None);
        }
        for o in [outlook(18, 0.5), outlook(30, 0.1), outlook(36, 0.9)] {
            let ratio = prediction.nodes(o) / truth(o);
            assert!((0.7..1.4).contains(&ratio), "{o:?}: {ratio}");
        }
        assert!(prediction.error().is_some_and(|error| error < 3.0));
    }

    #[test]
    fn many_positions_take_more_than_their_predictions_together() {
        let mut prediction = Prediction::default();
        assert_eq!(prediction.excess(), 1.0);
        // Half take an eighth of what is predicted, half eight times as much.
        for round in 0..2000 {
            let nodes = if round % 2 == 0 { 1 << 14 } else { 1 << 20 };
            prediction.learn(outlook(20, 0.5), nodes, None);
        }
        let excess = prediction.excess();
        assert!((3.5..4.5).contains(&excess), "{excess}");
    }

    #[test]
    fn equations_are_solved() {
        let left = [[0.0, 2.0, 1.0], [1.0, 1.0, 1.0], [2.0, 0.0, -1.0]];
        let found = solution(left, [7.0, 6.0, -1.0]).unwrap();
        for (found, wanted) in found.into_iter().zip([1.0, 2.0, 3.0]) {
            assert!((found - wanted).abs() < 1e-9, "{found}");
        }
        assert_eq!(solution([[1.0; 3]; 3], [1.0; 3]), None);
    }
}
