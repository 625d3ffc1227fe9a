//! Ratings of many engines from their games: a Bradley-Terry model with a term for moving first.
//!
//! P(first wins) = 1 / (1 + exp(-(r_first - r_second + c))), with ratings r and colour advantage c.
//!
//! R. A. Bradley and M. E. Terry, "Rank Analysis of Incomplete Block Designs", Biometrika 39
//! (1952); the term c: A. Agresti, "Categorical Data Analysis" (2002), section 10.6; when a maximum
//! likelihood exists: D. R. Hunter, "MM Algorithms for Generalized Bradley-Terry Models", Annals of
//! Statistics 32 (2004).

use std::f64::consts::LN_10;

use super::mean::Estimate;
use crate::util::wilson::Z_95;

/// Elo points of one unit of log odds.
const ELO: f64 = 400.0 / LN_10;
/// The weight of a pull towards 0 that decides what games leave open: a constant, and a part for
/// each game, without which rounding could hide it.
const PULL: f64 = 1e-8;
const PULL_PER_GAME: f64 = 1e-12;
/// Errors from this on, in Elo, are reported as infinite.
const OPEN: f64 = 1e4;
/// Steps of Newton's method, halvings of a step, and the size of the last step.
const STEPS: usize = 200;
const HALVINGS: usize = 40;
const TOLERANCE: f64 = 1e-11;

/// The games of two engines in which the same one moved first. A draw is half a win and half a
/// loss. Numbers that are negative or not finite count as 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Encounter {
    /// The engine that moved first, counted from 0.
    pub(crate) first: usize,
    /// Its opponent.
    pub(crate) second: usize,
    /// Games that `first` won.
    pub(crate) wins: f64,
    /// Games that `first` lost.
    pub(crate) losses: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ratings {
    /// The ratings in Elo with mean 0, and the errors of their distance from the mean. An infinite
    /// error means that the games do not determine the rating.
    pub(crate) engines: Vec<Estimate>,
    /// The advantage of moving first, in Elo.
    pub(crate) colour: Estimate,
    /// In log odds: of the ratings minus their mean, then of the colour.
    covariance: Vec<Vec<f64>>,
}

/// Rates `engines` engines by maximum likelihood. In Elo, `first` wins with probability
/// `1 / (1 + 10^(-(r_first - r_second + colour) / 400))`.
///
/// `prior` is a number of virtual draws of every engine against the mean of all, without a colour
/// advantage; 1 or 2 is a weak prior. It keeps the rating of an engine that won or lost every game
/// finite and enters the errors, which come from the inverse of the observed information.
///
/// Ratings that games and prior leave open are finite too, but have an infinite error: an engine
/// that won all games is some thousands of Elo up, groups of engines that never met have the same
/// mean, and without games everything is 0.
///
/// # Panics
/// If an encounter names an engine that does not exist.
pub(crate) fn fit_ratings(games: &[Encounter], engines: usize, prior: f64) -> Ratings {
    for game in games {
        let most = game.first.max(game.second);
        assert!(most < engines, "engine {most} of a table of {engines}");
    }
    let table = PairingTable::new(games, engines, prior);
    let mut at = vec![0.0; engines + 1];
    for _ in 0..STEPS {
        let (gradient, information) = table.derivatives(&at);
        let covariance = inverse(information);
        let step: Vec<f64> = covariance.iter().map(|row| dot(row, &gradient)).collect();
        let before = table.likelihood(&at);
        let shortened = (0..HALVINGS).find_map(|halvings| {
            let part = 0.5f64.powi(halvings as i32);
            let next: Vec<f64> = at.iter().zip(&step).map(|(x, d)| x + part * d).collect();
            (table.likelihood(&next) >= before).then_some(next)
        });
        let Some(next) = shortened else { break };
        at = next;
        if step.iter().all(|d| d.abs() < TOLERANCE) {
            break;
        }
    }
    table.ratings(&at)
}

/// The data of the fit, in units of log odds.
struct PairingTable {
    games: Vec<Encounter>,
    engines: usize,
    prior: f64,
    pull: f64,
    /// The weight of a pull of the sum of all ratings towards 0; games and prior do not determine
    /// it.
    level: f64,
}

impl PairingTable {
    fn new(games: &[Encounter], engines: usize, prior: f64) -> Self {
        let count = |x: f64| if x.is_finite() { x.max(0.0) } else { 0.0 };
        let counted = games.iter().map(|&game| Encounter {
            wins: count(game.wins),
            losses: count(game.losses),
            ..game
        });
        let games: Vec<Encounter> = counted.collect();
        let total: f64 = games.iter().map(|game| game.wins + game.losses).sum();
        let prior = count(prior);
        Self {
            level: (1.0 + total) / engines.max(1).pow(2) as f64,
            games,
            engines,
            prior,
            pull: PULL + PULL_PER_GAME * (total + prior * engines as f64),
        }
    }

    fn lead(&self, at: &[f64], game: &Encounter) -> f64 {
        at[game.first] - at[game.second] + at[self.engines]
    }

    /// The ratings minus their mean.
    fn centred<'a>(&self, at: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        let ratings = &at[..self.engines];
        let mean = ratings.iter().sum::<f64>() / self.engines.max(1) as f64;
        ratings.iter().map(move |r| r - mean)
    }

    /// The log-likelihood with prior and pulls, a concave function.
    fn likelihood(&self, at: &[f64]) -> f64 {
        let won = |game: &Encounter| {
            let lead = self.lead(at, game);
            game.wins * log_chance(lead) + game.losses * log_chance(-lead)
        };
        let games: f64 = self.games.iter().map(won).sum();
        let drawn = |r: f64| self.prior * (log_chance(r) + log_chance(-r)) / 2.0;
        let prior: f64 = self.centred(at).map(drawn).sum();
        let sum: f64 = at[..self.engines].iter().sum();
        games + prior - (self.pull * dot(at, at) + self.level * sum * sum) / 2.0
    }

    /// The gradient of the log-likelihood, and its negative Hessian.
    fn derivatives(&self, at: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
        let n = self.engines;
        let mut gradient: Vec<f64> = at.iter().map(|x| -self.pull * x).collect();
        let mut information = vec![vec![0.0; n + 1]; n + 1];
        for (i, row) in information.iter_mut().enumerate() {
            row[i] = self.pull;
        }
        let mut add = |terms: &[(usize, f64)], slope: f64, weight: f64| {
            for &(i, x) in terms {
                gradient[i] += slope * x;
                for &(j, y) in terms {
                    information[i][j] += weight * x * y;
                }
            }
        };
        for game in &self.games {
            let p = chance(self.lead(at, game));
            let weight = (game.wins + game.losses) * p * (1.0 - p);
            let slope = game.wins - (game.wins + game.losses) * p;
            // Games of an engine against itself show only the colour advantage.
            if game.first == game.second {
                add(&[(n, 1.0)], slope, weight);
            } else {
                let terms = [(game.first, 1.0), (game.second, -1.0), (n, 1.0)];
                add(&terms, slope, weight);
            }
        }
        let sum: f64 = at[..n].iter().sum();
        let all: Vec<(usize, f64)> = (0..n).map(|i| (i, 1.0)).collect();
        add(&all, -self.level * sum, self.level);
        if self.prior > 0.0 {
            let share = 1.0 / n as f64;
            let mut terms: Vec<(usize, f64)> = (0..n).map(|i| (i, -share)).collect();
            for (i, r) in self.centred(at).enumerate() {
                let p = chance(r);
                terms[i].1 = 1.0 - share;
                add(&terms, self.prior * (0.5 - p), self.prior * p * (1.0 - p));
                terms[i].1 = -share;
            }
        }
        (gradient, information)
    }

    fn ratings(&self, at: &[f64]) -> Ratings {
        let n = self.engines;
        let mut covariance = inverse(self.derivatives(at).1);
        // Centring rows and columns gives the covariance of the distances from the mean.
        for _ in 0..2 {
            for row in &mut covariance {
                let mean = row[..n].iter().sum::<f64>() / n.max(1) as f64;
                row[..n].iter_mut().for_each(|x| *x -= mean);
            }
            covariance = transposed(&covariance);
        }
        let engines = self.centred(at).enumerate();
        let engines = engines.map(|(i, r)| estimate(r, covariance[i][i]));
        Ratings {
            engines: engines.collect(),
            colour: estimate(at[n], covariance[n][n]),
            covariance,
        }
    }
}

/// Converts a value and its variance from log odds to Elo.
fn estimate(value: f64, variance: f64) -> Estimate {
    let error = Z_95 * variance.max(0.0).sqrt() * ELO;
    Estimate {
        value: value * ELO,
        error: if error < OPEN { error } else { f64::INFINITY },
    }
}

/// The logistic function.
fn chance(lead: f64) -> f64 {
    1.0 / (1.0 + (-lead).exp())
}

/// The logarithm of [`chance`], without overflow.
fn log_chance(lead: f64) -> f64 {
    lead.min(0.0) - (-lead.abs()).exp().ln_1p()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn transposed(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let column = |j: usize| matrix.iter().map(|row| row[j]).collect();
    (0..matrix.len()).map(column).collect()
}

/// The inverse of a positive definite matrix by Gaussian elimination, which needs no pivoting
/// there.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = matrix.len();
    for (i, row) in matrix.iter_mut().enumerate() {
        row.resize(2 * n, 0.0);
        row[n + i] = 1.0;
    }
    for i in 0..n {
        let pivot = matrix[i][i];
        matrix[i].iter_mut().for_each(|x| *x /= pivot);
        let row = matrix[i].clone();
        for (_, other) in matrix.iter_mut().enumerate().filter(|&(j, _)| j != i) {
            let factor = other[i];
            let pairs = other.iter_mut().zip(&row);
            pairs.for_each(|(x, y)| *x -= factor * y);
        }
    }
    matrix.into_iter().map(|row| row[n..].to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BALTIMORE: usize = 6;

    /// The games of seven teams of the American League in 1987 (Agresti 2002, table 10.10, from the
    /// data set `baseball` of the R package `BradleyTerry2`): home wins and away wins, by home team
    /// and away team, of Milwaukee, Detroit, Toronto, New York, Boston, Cleveland and Baltimore.
    const BASEBALL: [[(u8, u8); 7]; 7] = [
        [(0, 0), (4, 3), (4, 2), (4, 3), (6, 1), (4, 2), (6, 0)],
        [(3, 3), (0, 0), (4, 2), (4, 3), (6, 0), (6, 1), (4, 3)],
        [(2, 5), (4, 3), (0, 0), (2, 4), (4, 3), (4, 2), (6, 0)],
        [(3, 3), (5, 1), (2, 5), (0, 0), (4, 3), (4, 2), (6, 1)],
        [(5, 1), (2, 5), (3, 3), (4, 2), (0, 0), (5, 2), (6, 0)],
        [(2, 5), (3, 3), (3, 4), (4, 3), (4, 2), (0, 0), (2, 4)],
        [(2, 5), (1, 5), (1, 6), (2, 4), (1, 6), (3, 4), (0, 0)],
    ];

    fn games(first: usize, second: usize, wins: f64, losses: f64) -> Encounter {
        Encounter {
            first,
            second,
            wins,
            losses,
        }
    }

    fn baseball() -> Vec<Encounter> {
        let mut all = Vec::new();
        for (home, row) in BASEBALL.iter().enumerate() {
            for (away, &(wins, losses)) in row.iter().enumerate() {
                if home != away {
                    all.push(games(home, away, wins.into(), losses.into()));
                }
            }
        }
        all
    }

    /// How much better engine `a` is than `b`, in Elo, with the covariance of the two in the error.
    fn difference(ratings: &Ratings, a: usize, b: usize) -> Estimate {
        let value = ratings.engines[a].value - ratings.engines[b].value;
        let c = &ratings.covariance;
        estimate(value / ELO, c[a][a] + c[b][b] - 2.0 * c[a][b])
    }

    /// Log odds and standard errors against Baltimore, in the order of teams.
    fn against_baltimore(ratings: &Ratings, values: [f64; 6], errors: [f64; 6]) {
        for (team, (value, error)) in values.into_iter().zip(errors).enumerate() {
            let found = difference(ratings, team, BALTIMORE);
            let (off, error_off) = (found.value / ELO - value, found.error / ELO / Z_95 - error);
            assert!(off.abs() < 5.1e-5, "{team}: {found:?}");
            assert!(error_off.abs() < 5.1e-5, "{team}: {found:?}");
        }
    }

    /// Agresti's table 10.11 with a home effect; four digits and the errors from
    /// the R package `BradleyTerry2` for the same data.
    #[test]
    fn baseball_with_home_effect() {
        let ratings = fit_ratings(&baseball(), 7, 0.0);
        assert!((ratings.colour.value / ELO - 0.3023).abs() < 5.1e-5);
        assert!((ratings.colour.error / ELO / Z_95 - 0.1309).abs() < 5.1e-5);
        let engines = ratings.engines.iter();
        let abilities: Vec<f64> = engines.map(|r| (r.value / ELO).exp()).collect();
        let sum: f64 = abilities.iter().sum();
        let expected = [0.220, 0.190, 0.164, 0.157, 0.137, 0.088, 0.044];
        for (ability, expected) in abilities.iter().zip(expected) {
            assert!((ability / sum - expected).abs() < 5.1e-4, "{abilities:?}");
        }
        let values = [1.6196, 1.4754, 1.3271, 1.2813, 1.1438, 0.7047];
        let errors = [0.3474, 0.3446, 0.3403, 0.3404, 0.3378, 0.3350];
        against_baltimore(&ratings, values, errors);
    }

    /// The same without one: half of every game with the teams exchanged.
    #[test]
    fn baseball_without_home_effect() {
        let halves = baseball().into_iter().flat_map(|game| {
            let (wins, losses) = (game.wins / 2.0, game.losses / 2.0);
            [
                games(game.first, game.second, wins, losses),
                games(game.second, game.first, losses, wins),
            ]
        });
        let ratings = fit_ratings(&halves.collect::<Vec<_>>(), 7, 0.0);
        assert!(ratings.colour.value.abs() < 1e-6);
        let values = [1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839];
        let errors = [0.3433, 0.3396, 0.3367, 0.3359, 0.3339, 0.3319];
        against_baltimore(&ratings, values, errors);
    }

    /// At a point whose ratings do not have the mean 0, by differences of four values.
    #[test]
    fn the_derivatives_are_those_of_the_likelihood() {
        let all = [
            games(0, 1, 7.0, 2.0),
            games(1, 2, 3.0, 4.0),
            games(2, 0, 5.0, 1.0),
            games(1, 1, 6.0, 3.0),
        ];
        for prior in [0.0, 2.5] {
            let mut table = PairingTable::new(&all, 3, prior);
            // As heavy as the games, so that no error of it is lost.
            table.pull = 0.75;
            let at = [0.5, -0.25, 1.5, 0.3];
            let (gradient, information) = table.derivatives(&at);
            for i in 0..at.len() {
                let shifted = |by: f64| {
                    let mut at = at;
                    at[i] += by;
                    at
                };
                const BY: f64 = 1e-3;
                let slope = |f: &dyn Fn(&[f64]) -> f64| {
                    let near = f(&shifted(BY)) - f(&shifted(-BY));
                    let far = f(&shifted(2.0 * BY)) - f(&shifted(-2.0 * BY));
                    (8.0 * near - far) / (12.0 * BY)
                };
                let expected = slope(&|at| table.likelihood(at));
                assert!((gradient[i] - expected).abs() < 1e-8, "{i}: {gradient:?}");
                for (j, found) in information[i].iter().enumerate() {
                    let expected = -slope(&|at| table.derivatives(at).0[j]);
                    assert!((found - expected).abs() < 1e-8, "{i} {j}: {information:?}");
                }
            }
        }
    }

    /// A logarithm of the chance of each game, half of two for each draw of the prior, and the
    /// pulls.
    #[test]
    fn the_likelihood_is_that_of_the_model() {
        let table = PairingTable::new(&[games(0, 1, 3.0, 1.0)], 2, 2.0);
        let at = [0.5, -0.1, 0.2];
        let games = 3.0 * chance(0.8).ln() + chance(-0.8).ln();
        // Each engine is 0.3 from the mean.
        let prior = 2.0 * (chance(0.3).ln() + chance(-0.3).ln());
        let pulls = table.pull * (0.25 + 0.01 + 0.04) / 2.0 + table.level * 0.16 / 2.0;
        assert_eq!(table.level, 1.25);
        assert!((table.likelihood(&at) - (games + prior - pulls)).abs() < 1e-12);
    }

    /// Two engines with balanced colours: the Elo difference of the score, and the binomial
    /// error.
    #[test]
    fn two_engines() {
        let table = [games(0, 1, 30.0, 10.0), games(1, 0, 10.0, 30.0)];
        let ratings = fit_ratings(&table, 2, 0.0);
        let ahead = difference(&ratings, 0, 1);
        assert!((ahead.value - 190.848_501_9).abs() < 1e-4);
        let error = Z_95 * ELO / (80.0f64 * 0.75 * 0.25).sqrt();
        assert!((ahead.error - error).abs() < 1e-4);
        assert!((ratings.engines[0].value * 2.0 - ahead.value).abs() < 1e-9);
        assert!((ratings.engines[1].error * 2.0 - error).abs() < 1e-4);
        let back = difference(&ratings, 1, 0);
        assert_eq!((back.value, back.error), (-ahead.value, ahead.error));
    }

    /// An engine that wins all of n games, with one drawn game each: by symmetry
    /// `n (1 - p(2 r)) = p(r) - 1/2`.
    #[test]
    fn a_prior_keeps_unbeaten_engines_near() {
        let ratings = fit_ratings(&[games(0, 1, 10.0, 0.0), games(1, 0, 0.0, 10.0)], 2, 1.0);
        let r = ratings.engines[0].value / ELO;
        assert!((20.0 * (1.0 - chance(2.0 * r)) - (chance(r) - 0.5)).abs() < 1e-6);
        assert!(ratings.engines[0].error.is_finite());
        assert!((ratings.engines[0].value + ratings.engines[1].value).abs() < 1e-9);
        let far = fit_ratings(&[games(0, 1, 10.0, 0.0), games(1, 0, 0.0, 10.0)], 2, 0.0);
        assert!(difference(&far, 0, 1).value > 1000.0);
        assert!(difference(&far, 0, 1).value.is_finite());
        assert_eq!(difference(&far, 0, 1).error, f64::INFINITY);
    }

    #[test]
    fn engines_that_never_met() {
        let pair = |a, b| [games(a, b, 6.0, 4.0), games(b, a, 5.0, 5.0)];
        let table = [pair(0, 1), pair(2, 3)].concat();
        let open = fit_ratings(&table, 5, 0.0);
        assert!(difference(&open, 0, 1).error < 300.0);
        assert!((difference(&open, 0, 1).value - difference(&open, 2, 3).value).abs() < 1e-3);
        assert_eq!(difference(&open, 0, 2).error, f64::INFINITY);
        assert!(open.engines[4].value.abs() < 1e-3);
        assert_eq!(open.engines[4].error, f64::INFINITY);
        let held = fit_ratings(&table, 5, 1.0);
        assert!(difference(&held, 0, 2).error.is_finite());
        assert!(held.engines[4].error.is_finite());
    }

    #[test]
    fn tables_without_games() {
        let none = fit_ratings(&[], 0, 1.0);
        assert!(none.engines.is_empty());
        assert_eq!(none.colour.error, f64::INFINITY);
        let invalid = [games(0, 1, 0.0, -3.0), games(1, 0, f64::NAN, 0.0)];
        let idle = fit_ratings(&invalid, 2, 0.0).engines[0];
        assert_eq!((idle.value, idle.error), (0.0, f64::INFINITY));
        let alone = fit_ratings(&[games(0, 0, 30.0, 10.0)], 1, 0.0);
        assert_eq!((alone.engines[0].value, alone.engines[0].error), (0.0, 0.0));
        assert!((alone.colour.value - 190.848_501_9).abs() < 1e-4);
    }

    #[test]
    #[should_panic(expected = "engine 2 of a table of 2")]
    fn an_engine_outside_the_table() {
        fit_ratings(&[games(0, 2, 1.0, 0.0)], 2, 0.0);
    }

    proptest! {
        #[test]
        fn any_table_has_ratings(
            table in prop::collection::vec((0..6usize, 0..6usize, 0..9u32, 0..9u32, 0..4u32), 0..20),
            prior in prop_oneof![Just(0.0), 0.0..3.0],
        ) {
            let table: Vec<Encounter> = table
                .into_iter()
                .map(|(first, second, wins, losses, tens)| {
                    let scale = 10f64.powi(2 * tens as i32);
                    games(first, second, f64::from(wins) * scale, f64::from(losses) * scale)
                })
                .collect();
            let ratings = fit_ratings(&table, 6, prior);
            let sum: f64 = ratings.engines.iter().map(|r| r.value).sum();
            prop_assert!(sum.abs() < 1e-6);
            for engine in ratings.engines.iter().chain([&ratings.colour]) {
                prop_assert!(engine.value.is_finite() && engine.value.abs() < 1e5);
                prop_assert!(engine.error >= 0.0);
            }
        }
    }
}
