//! Moves that throw the result away, and how well the values fit the results.

use super::game::{JudgedGame, JudgedMove};
use crate::game::{Outcome, Seat};

/// The number of bins of values, of equal width.
const BINS: usize = 10;
/// The log loss clamps values to this distance from 0 and 1.
const LEAST: f64 = 1e-3;

/// A move that throws the result away: its side gets less than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slip {
    /// The game, from 1.
    pub(crate) game: usize,
    /// The number of the move after the opening, from 1.
    pub(crate) ply: usize,
    pub(crate) name: String,
}

/// The positions whose values fall into a bin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct CalibrationBin {
    pub(crate) count: usize,
    /// The sum of their values by the search, for the side to move.
    pub(crate) values: f64,
    /// The sum of their results: 1 for a win of the side to move, 0.5 for a draw.
    pub(crate) results: f64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct AccuracyResults {
    pub(crate) games: usize,
    pub moves: usize,
    /// Moves with a known result before and after them.
    pub judged: usize,
    /// Those of them that could throw something away: their side was not lost before.
    pub(crate) holding: usize,
    /// Those of them that did.
    pub slips: Vec<Slip>,
    /// Positions that both the search and the solver solved. An engine that solves late positions
    /// uses the same solver for them.
    pub proven: usize,
    /// Those of them with different results: a defect of one of the two.
    pub wrong: Vec<Slip>,
    /// The other positions with a known result, by value; the first bin is 0 to 0.1.
    pub(crate) bins: [CalibrationBin; BINS],
    /// The sum of the squared errors of their values.
    pub(crate) squares: f64,
    /// The sum of their log losses, in nats.
    pub(crate) logs: f64,
}

/// The score of a seat: 1 for a win, 0.5 for a draw, 0 for a loss.
fn worth(outcome: Outcome, seat: Seat) -> f64 {
    match outcome {
        Outcome::Winner(winner) => f64::from(u8::from(winner == seat)),
        Outcome::Draw => 0.5,
    }
}

impl AccuracyResults {
    /// Adds the game with this number, from 0.
    pub fn add(&mut self, number: usize, game: &JudgedGame) {
        self.games += 1;
        for (ply, judged) in (1..).zip(&game.moves) {
            self.moves += 1;
            let slip = || Slip {
                game: number + 1,
                ply,
                name: judged.name.clone(),
            };
            let Some(before) = judged.before else {
                continue;
            };
            let had = worth(before, judged.mover);
            if let Some(after) = judged.after {
                self.judged += 1;
                self.holding += usize::from(had > 0.0);
                if worth(after, judged.mover) < had {
                    self.slips.push(slip());
                }
            }
            match judged.proof {
                Some(proof) => {
                    self.proven += 1;
                    if proof != before {
                        self.wrong.push(slip());
                    }
                }
                None => self.add_value(judged, had),
            }
        }
    }

    fn add_value(&mut self, judged: &JudgedMove, result: f64) {
        let value = f64::from(judged.value).clamp(0.0, 1.0);
        let bin = &mut self.bins[((value * BINS as f64) as usize).min(BINS - 1)];
        bin.count += 1;
        bin.values += value;
        bin.results += result;
        self.squares += (value - result).powi(2);
        let sure = value.clamp(LEAST, 1.0 - LEAST);
        self.logs -= result * sure.ln() + (1.0 - result) * (1.0 - sure).ln();
    }

    /// Positions with a known result that the search had not proven.
    pub fn unproven(&self) -> usize {
        self.bins.iter().map(|bin| bin.count).sum()
    }

    /// The mean over these positions; `None` without any.
    fn mean(&self, sum: f64) -> Option<f64> {
        (self.unproven() > 0).then(|| sum / self.unproven() as f64)
    }

    /// The Brier score of their values: the mean of (value - result)^2 (Brier, 1950).
    pub(crate) fn brier(&self) -> Option<f64> {
        self.mean(self.squares)
    }

    /// The mean log loss of their values in nats, with values clamped to 0.001 to 0.999.
    pub(crate) fn log_loss(&self) -> Option<f64> {
        self.mean(self.logs)
    }

    /// The expected calibration error: the mean over bins, weighted by size, of
    /// |mean value - mean result| (Naeini et al., 2015).
    pub(crate) fn calibration_error(&self) -> Option<f64> {
        let bins = self.bins.iter();
        self.mean(bins.map(|bin| (bin.values - bin.results).abs()).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WON: Option<Outcome> = Some(Outcome::Winner(Seat::new(0)));
    const LOST: Option<Outcome> = Some(Outcome::Winner(Seat::new(1)));
    const DRAWN: Option<Outcome> = Some(Outcome::Draw);

    fn judged(
        value: f32,
        proof: Option<Outcome>,
        before: Option<Outcome>,
        after: Option<Outcome>,
    ) -> JudgedMove {
        JudgedMove {
            mover: Seat::new(0),
            name: "A1".to_string(),
            value,
            proof,
            before,
            after,
        }
    }

    #[test]
    fn moves_are_compared_with_results() {
        let mut results = AccuracyResults::default();
        let moves = vec![
            judged(0.75, None, WON, WON),
            judged(0.75, None, WON, LOST),
            judged(0.5, None, DRAWN, LOST),
            judged(0.25, None, LOST, LOST),
            judged(0.25, None, None, LOST),
            judged(1.0, WON, WON, None),
            judged(1.0, WON, LOST, LOST),
        ];
        results.add(2, &JudgedGame { moves });
        assert_eq!((results.games, results.moves, results.judged), (1, 7, 5));
        assert_eq!(results.holding, 3);
        let plies: Vec<usize> = results.slips.iter().map(|slip| slip.ply).collect();
        assert_eq!(plies, [2, 3]);
        assert_eq!(results.slips[0].game, 3);
        assert_eq!((results.proven, results.wrong.len()), (2, 1));
        assert_eq!(results.wrong[0].ply, 7);
    }

    #[test]
    fn values_are_compared_with_results() {
        let mut results = AccuracyResults::default();
        let none = [
            results.brier(),
            results.log_loss(),
            results.calibration_error(),
        ];
        assert_eq!(none, [None; 3]);
        let moves = vec![
            judged(0.75, None, WON, WON),
            judged(0.75, None, LOST, LOST),
            judged(1.0, None, WON, WON),
            judged(0.0, None, LOST, LOST),
        ];
        results.add(0, &JudgedGame { moves });
        assert_eq!(results.unproven(), 4);
        let bin = |count, values, results| CalibrationBin {
            count,
            values,
            results,
        };
        assert_eq!(results.bins[7], bin(2, 1.5, 1.0));
        assert_eq!(results.bins[9], bin(1, 1.0, 1.0));
        assert_eq!(results.bins[0], bin(1, 0.0, 0.0));
        assert_eq!(results.brier(), Some((0.0625 + 0.5625) / 4.0));
        assert_eq!(results.calibration_error(), Some(0.125));
        let expected = -(0.75f64.ln() + 0.25f64.ln() + 2.0 * 0.999f64.ln()) / 4.0;
        assert!((results.log_loss().unwrap() - expected).abs() < 1e-12);
    }
}
