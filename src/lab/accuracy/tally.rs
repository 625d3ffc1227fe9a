//! What the results say of the moves and of the values.

use super::game::{JudgedGame, JudgedMove};
use crate::game::{Outcome, Seat};

/// Values fall into so many bins of the same width.
const BINS: usize = 10;
/// Log loss takes no value as more certain than this.
const LEAST: f64 = 1e-3;

/// A move after which its side gets less than it had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slip {
    /// The game, from 1.
    pub game: usize,
    /// The move of it after the opening, from 1.
    pub ply: usize,
    /// Its name.
    pub name: String,
}

/// Values of unproven positions that lie near each other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
    /// Positions.
    pub count: usize,
    /// The sum of the values that the search gave, each for the side to move.
    pub values: f64,
    /// The sum of what they are worth: 1 where the side to move wins, 0.5 in a draw.
    pub results: f64,
}

/// What the games show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Games.
    pub games: usize,
    /// Moves.
    pub moves: usize,
    /// Moves before and after which the result is known.
    pub judged: usize,
    /// Those of them before which their side had more than a loss to give away.
    pub holding: usize,
    /// Those of them after which it has less.
    pub slips: Vec<Slip>,
    /// Positions whose result the search knew, and so does the solver. An engine that solves
    /// late positions itself knows many from the same solver.
    pub proven: usize,
    /// Those of them whose result is another: each is a defect of one of the two.
    pub wrong: Vec<Slip>,
    /// The other positions whose result is known, by value: the first bin is 0 to 0.1.
    pub bins: [Bin; BINS],
    /// The sum of the squared errors of their values.
    pub squares: f64,
    /// The sum of their log losses, in nats.
    pub logs: f64,
}

/// What a result is worth to a seat.
fn worth(outcome: Outcome, seat: Seat) -> f64 {
    match outcome {
        Outcome::Winner(winner) => f64::from(u8::from(winner == seat)),
        Outcome::Draw => 0.5,
    }
}

impl Tally {
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
                None => self.weigh(judged, had),
            }
        }
    }

    fn weigh(&mut self, judged: &JudgedMove, result: f64) {
        let value = f64::from(judged.value).clamp(0.0, 1.0);
        let bin = &mut self.bins[((value * BINS as f64) as usize).min(BINS - 1)];
        bin.count += 1;
        bin.values += value;
        bin.results += result;
        self.squares += (value - result).powi(2);
        let sure = value.clamp(LEAST, 1.0 - LEAST);
        self.logs -= result * sure.ln() + (1.0 - result) * (1.0 - sure).ln();
    }

    /// Positions with a value, not proven, whose result is known.
    pub fn weighed(&self) -> usize {
        self.bins.iter().map(|bin| bin.count).sum()
    }

    /// Their mean squared error (Brier, 1950), 0 to 1; `None` without any.
    pub fn brier(&self) -> Option<f64> {
        (self.weighed() > 0).then(|| self.squares / self.weighed() as f64)
    }

    /// Their mean log loss, in nats; values beyond 0.001 and 0.999 count as these.
    pub fn log_loss(&self) -> Option<f64> {
        (self.weighed() > 0).then(|| self.logs / self.weighed() as f64)
    }

    /// How far the mean value of a bin is from its mean result, over all bins by their size
    /// (Naeini et al., 2015).
    pub fn calibration_error(&self) -> Option<f64> {
        let gaps: f64 = self
            .bins
            .iter()
            .map(|bin| (bin.values - bin.results).abs())
            .sum();
        (self.weighed() > 0).then(|| gaps / self.weighed() as f64)
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
    fn moves_are_held_against_results() {
        let mut tally = Tally::default();
        let moves = vec![
            judged(0.75, None, WON, WON),
            judged(0.75, None, WON, LOST),
            judged(0.5, None, DRAWN, LOST),
            judged(0.25, None, LOST, LOST),
            judged(0.25, None, None, LOST),
            judged(1.0, WON, WON, None),
            judged(1.0, WON, LOST, LOST),
        ];
        tally.add(2, &JudgedGame { moves });
        assert_eq!((tally.games, tally.moves, tally.judged), (1, 7, 5));
        assert_eq!(tally.holding, 3);
        let plies: Vec<usize> = tally.slips.iter().map(|slip| slip.ply).collect();
        assert_eq!(plies, [2, 3]);
        assert_eq!(tally.slips[0].game, 3);
        assert_eq!((tally.proven, tally.wrong.len()), (2, 1));
        assert_eq!(tally.wrong[0].ply, 7);
    }

    #[test]
    fn values_are_held_against_results() {
        let mut tally = Tally::default();
        assert_eq!(tally.brier(), None);
        assert_eq!(tally.log_loss(), None);
        assert_eq!(tally.calibration_error(), None);
        let moves = vec![
            judged(0.75, None, WON, WON),
            judged(0.75, None, LOST, LOST),
            judged(1.0, None, WON, WON),
            judged(0.0, None, LOST, LOST),
        ];
        tally.add(0, &JudgedGame { moves });
        assert_eq!(tally.weighed(), 4);
        let bin = |count, values, results| Bin {
            count,
            values,
            results,
        };
        assert_eq!(tally.bins[7], bin(2, 1.5, 1.0));
        assert_eq!(tally.bins[9], bin(1, 1.0, 1.0));
        assert_eq!(tally.bins[0], bin(1, 0.0, 0.0));
        assert_eq!(tally.brier(), Some((0.0625 + 0.5625) / 4.0));
        assert_eq!(tally.calibration_error(), Some(0.125));
        let expected = -(0.75f64.ln() + 0.25f64.ln() + 2.0 * 0.999f64.ln()) / 4.0;
        assert!((tally.log_loss().unwrap() - expected).abs() < 1e-12);
    }
}
