//! What the pairs of a match add up to.

use std::fmt;

use ahash::AHashSet;
use serde::Serialize;

use super::Pair;
use crate::game::Seat;
use crate::stats::{GameScore, PairResults, Z_95, wilson};

/// The result of a match from the first player's view.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Games played.
    pub games: usize,
    /// Games that the first player won.
    pub wins: usize,
    /// Pairs in which the first player won no, one, both games.
    pub pairs: [usize; 3],
    /// Share of games won, 0 to 1.
    pub score: f64,
    /// Its 95 % interval after Wilson, games taken as independent.
    pub wilson: (f64, f64),
    /// Elo difference and half its 95 % interval, from the variance of pairs;
    /// `None` where a score of 0 or 1 leaves it open.
    pub elo: Option<(f64, f64)>,
    /// Games won by Black.
    pub black_wins: usize,
    /// Games that differ from all others.
    pub distinct: usize,
    /// Mean length in plies, the opening included.
    pub plies: f64,
    /// Mean iterations a move of each player.
    pub iterations: [f64; 2],
    /// Mean seconds a move of each player.
    pub seconds: [f64; 2],
}

impl Summary {
    /// Adds pairs up.
    pub fn new(pairs: &[Pair]) -> Self {
        let mut summary = Self {
            games: 2 * pairs.len(),
            wins: 0,
            pairs: [0; 3],
            score: 0.0,
            wilson: (0.0, 1.0),
            elo: None,
            black_wins: 0,
            distinct: 0,
            plies: 0.0,
            iterations: [0.0; 2],
            seconds: [0.0; 2],
        };
        let mut results = PairResults::default();
        let mut seen = AHashSet::new();
        let mut moves = [0.0f64; 2];
        for pair in pairs {
            summary.wins += pair.score();
            summary.pairs[pair.score()] += 1;
            let score = |won: bool| if won { GameScore::Win } else { GameScore::Loss };
            results.add(
                score(pair.games[0].winner.index() == 0),
                score(pair.games[1].winner.index() == 1),
            );
            for (number, game) in pair.games.iter().enumerate() {
                summary.black_wins += usize::from(game.winner == Seat::ALL[0]);
                summary.plies += game.moves.len() as f64;
                seen.insert(&game.moves);
                for thought in &game.thoughts {
                    // The players change seats in the second game.
                    let player = (thought.seat.index() + number) % 2;
                    moves[player] += 1.0;
                    summary.iterations[player] += thought.iterations as f64;
                    summary.seconds[player] += thought.elapsed.as_secs_f64();
                }
            }
        }
        let games = summary.games.max(1) as f64;
        summary.distinct = seen.len();
        summary.score = summary.wins as f64 / games;
        if !pairs.is_empty() {
            summary.wilson = wilson(summary.wins as f64, games, Z_95);
        }
        summary.elo = results
            .elo()
            .map(|e| (e.value, e.error))
            .filter(|e| e.0.is_finite());
        summary.plies /= games;
        for (player, moves) in moves.into_iter().enumerate() {
            summary.iterations[player] /= moves.max(1.0);
            summary.seconds[player] /= moves.max(1.0);
        }
        summary
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "Games: {}, Wins: {}, Losses: {} ({:.1} %, 95 %: {:.1} to {:.1})",
            self.games,
            self.wins,
            self.games - self.wins,
            100.0 * self.score,
            100.0 * self.wilson.0,
            100.0 * self.wilson.1
        )?;
        match self.elo {
            Some((elo, error)) => writeln!(f, "Elo: {elo:.1} +/- {error:.1}")?,
            None => writeln!(f, "Elo: open")?,
        }
        writeln!(f, "Pairs won 0, 1, 2: {:?}", self.pairs)?;
        writeln!(
            f,
            "Black won {}, distinct games {}",
            self.black_wins, self.distinct
        )?;
        write!(
            f,
            "Plies: {:.1}, iterations a move: {:.0} and {:.0}, seconds a move: {:.4} and {:.4}",
            self.plies, self.iterations[0], self.iterations[1], self.seconds[0], self.seconds[1]
        )
    }
}
