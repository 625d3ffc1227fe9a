//! What a policy learns from a search: its visits without those that exploration forced.

use super::report::{MoveReport, Report};

/// The visits up to which a visited child of the root is selected again: forced playouts (Wu,
/// "Accelerating self-play learning in Go", 2019). Without `factor` none are forced.
pub(super) fn forced(factor: f32, prior: f32, root_visits: u32) -> f32 {
    (factor * prior * root_visits as f32).sqrt()
}

impl<M> Report<M> {
    /// The visits of each move that count as policy target. If the best move is proven, it alone
    /// counts; moves that are proven to lose do not.
    ///
    /// If `forced_playouts` is not 0, forced visits are removed from all but the most visited move, as
    /// long as PUCT with `cpuct` still prefers that one; a single visit that is left goes, too
    /// (policy target pruning: Wu, 2019).
    pub fn policy_target(&self, forced_playouts: f64, cpuct: f64) -> Vec<u32> {
        if self.best().is_some_and(|best| best.proof.is_some()) {
            let alone = |(rank, found): (usize, &MoveReport<M>)| match rank {
                0 => found.visits.max(1),
                _ => 0,
            };
            return self.moves.iter().enumerate().map(alone).collect();
        }
        let counted = |found: &MoveReport<M>| match found.proof {
            Some(_) if found.value <= 0.0 => 0,
            _ => found.visits,
        };
        let mut target: Vec<u32> = self.moves.iter().map(counted).collect();
        let factor = forced_playouts as f32;
        let most = (0..target.len()).rev().max_by_key(|&place| target[place]);
        let Some(most) = most.filter(|_| factor > 0.0) else {
            return target;
        };
        let scale = cpuct as f32 * (self.visits as f32 + 1.0).sqrt();
        let score = |found: &MoveReport<M>, visits: u32| {
            found.value + scale * found.prior.unwrap_or(0.0) / (1.0 + visits as f32)
        };
        let best = score(&self.moves[most], target[most]);
        for (place, (found, visits)) in self.moves.iter().zip(&mut target).enumerate() {
            let Some(prior) = found.prior.filter(|_| place != most) else {
                continue;
            };
            let mut left = forced(factor, prior, self.visits) as u32;
            while left > 0 && *visits > 0 && score(found, *visits - 1) < best {
                *visits -= 1;
                left -= 1;
            }
            if *visits == 1 {
                *visits = 0;
            }
        }
        target
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::game::{Outcome, PerSeat, Seat};

    /// A report on moves with these visits, values and priors, the best first.
    fn report(moves: &[(u32, f32, f32)]) -> Report<usize> {
        let found = |(mv, &(visits, value, prior)): (usize, &(u32, f32, f32))| MoveReport {
            mv,
            value,
            visits,
            symmetry_of: None,
            prior: Some(prior),
            initial_value: None,
            proof: None,
            principal_variation: vec![mv],
            variation_visits: vec![visits],
        };
        let found = moves.iter().enumerate().map(found).collect();
        Report {
            visits: 1 + moves.iter().map(|found| found.0).sum::<u32>(),
            ..Report::without_tree(found, None, PerSeat::default(), Instant::now())
        }
    }

    #[test]
    fn forced_visits_are_removed_while_the_most_visited_move_scores_more() {
        // 99 + 1 visits; scale 10; the first scores 0.6 + 6 / 71.
        let moves = report(&[
            (70, 0.6, 0.6),
            // sqrt(2 * 0.18 * 100) = 6 forced ones; all go.
            (20, 0.2, 0.18),
            // 4 forced ones, of which 0.5 + 0.8 / (1 + n) below 0.6845 leaves n = 4 from 5.
            (5, 0.5, 0.08),
            // 2 of 3 are forced, and the one that is left goes.
            (3, 0.1, 0.02),
            (1, 0.3, 0.02),
            (0, 0.6, 0.1),
        ]);
        let cpuct = 10.0 / 101f64.sqrt();
        assert_eq!(moves.visits, 100);
        assert_eq!(moves.policy_target(2.0, cpuct), [70, 14, 4, 0, 0, 0]);
        assert_eq!(moves.policy_target(0.0, cpuct), [70, 20, 5, 3, 1, 0]);
    }

    #[test]
    fn proofs_decide() {
        let mut moves = report(&[(40, 0.5, 0.5), (50, 0.0, 0.3), (9, 0.4, 0.2)]);
        let [own, other] = [0, 1].map(|seat| Some(Outcome::Winner(Seat::ALL[seat])));
        moves.moves[1].proof = other;
        assert_eq!(moves.policy_target(0.0, 0.3), [40, 0, 9]);
        moves.moves[0].proof = own;
        assert_eq!(moves.policy_target(2.0, 0.3), [40, 0, 0]);
        moves.moves[0].visits = 0;
        assert_eq!(moves.policy_target(2.0, 0.3), [1, 0, 0]);
    }
}
