//! When a search under a clock may end.

use std::time::Duration;

use super::report::Report;
use crate::game::Outcome;

/// The time for a move, counted from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pace {
    /// The normal time of the move.
    pub(crate) target: Duration,
    /// The maximum while the search is undecided; at least the target.
    pub(crate) limit: Duration,
}

/// If the runner-up has more than this part of the best move's visits, the search is undecided.
const CLOSE: f64 = 0.7;

/// The means of moves with a smaller part of all visits are not compared.
const KNOWN: f64 = 0.05;

impl Pace {
    /// Whether a search with this report may end after `elapsed`. It may if
    ///
    /// - there is only one move, or only one that is not lost, or the result is known;
    /// - before the target, no other move can reach the best move's visits until then, even if it
    ///   got all of them;
    /// - after the target, the search is decided (no other move has a better mean, and the
    ///   runner-up is well behind in visits), or no other move can catch up until the limit;
    /// - the limit is reached.
    pub(crate) fn is_enough<M>(&self, report: &Report<M>, elapsed: Duration) -> bool {
        let best = match report.best() {
            None => return true,
            Some(_) if report.proof.is_some() => return true,
            Some(best) => best,
        };
        let is_lost = |result: Option<Outcome>, value: f32| result.is_some() && value <= 0.0;
        let rivals = || {
            let others = report.moves.iter().skip(1);
            // Moves that were not searched themselves rival nobody.
            let searched = others.filter(|other| other.symmetry_of.is_none());
            searched.filter(|other| !is_lost(other.proof, other.value))
        };
        let Some(second) = rivals().map(|other| other.visits).max() else {
            return true;
        };
        let seconds = report.elapsed.as_secs_f64().max(1e-6);
        let speed = report.iterations as f64 / seconds;
        let lead = f64::from(best.visits) - f64::from(second);
        let is_reachable =
            |end: Duration| lead <= speed * end.saturating_sub(elapsed).as_secs_f64();
        if elapsed >= self.limit {
            return true;
        }
        if elapsed < self.target {
            return !is_reachable(self.target);
        }
        let enough_known = KNOWN * f64::from(report.visits);
        let is_better = rivals()
            .any(|other| other.value > best.value && f64::from(other.visits) >= enough_known);
        let is_close = f64::from(second) > CLOSE * f64::from(best.visits);
        !(is_better || is_close) || !is_reachable(self.limit)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::game::{PerSeat, Seat};
    use crate::search::MoveReport;

    /// A report about moves with these visits and values, a thousand iterations a second.
    fn report(moves: &[(u32, f32)]) -> Report<usize> {
        let visits: u32 = moves.iter().map(|found| found.0).sum();
        let found = moves
            .iter()
            .enumerate()
            .map(|(mv, &(visits, value))| MoveReport {
                mv,
                value,
                visits,
                symmetry_of: None,
                prior: None,
                initial_value: None,
                proof: None,
                principal_variation: vec![mv],
                variation_visits: vec![visits],
            });
        let found = found.collect();
        Report {
            visits,
            iterations: u64::from(visits),
            elapsed: Duration::from_millis(u64::from(visits)),
            ..Report::without_tree(found, None, PerSeat::default(), Instant::now())
        }
    }

    fn is_enough(moves: &[(u32, f32)], elapsed: u64) -> bool {
        let ms = Duration::from_millis;
        let (target, limit) = (ms(1000), ms(3000));
        Pace { target, limit }.is_enough(&report(moves), ms(elapsed))
    }

    #[test]
    fn a_lead_that_cannot_be_made_up_ends_the_search() {
        assert!(!is_enough(&[(400, 0.6), (100, 0.5)], 500));
        assert!(is_enough(&[(700, 0.6), (100, 0.5)], 800));
        assert!(!is_enough(&[(500, 0.6), (300, 0.5)], 790));
    }

    #[test]
    fn an_undecided_search_goes_on_to_the_limit() {
        assert!(is_enough(&[(700, 0.6), (300, 0.5)], 1000));
        assert!(!is_enough(&[(520, 0.6), (480, 0.5)], 1000), "close visits");
        assert!(!is_enough(&[(700, 0.5), (300, 0.6)], 1000), "a better mean");
        assert!(is_enough(&[(990, 0.5), (10, 0.6)], 1000), "hardly known");
        assert!(!is_enough(&[(1000, 0.6), (900, 0.5)], 2850));
        assert!(is_enough(&[(1000, 0.6), (800, 0.5)], 2850), "too far ahead");
        assert!(is_enough(&[(500, 0.6), (500, 0.5)], 3000));
        assert!(!is_enough(&[(400, 0.6), (600, 0.5)], 1000), "fewer visits");
    }

    #[test]
    fn nothing_to_choose_needs_no_time() {
        assert!(is_enough(&[], 0));
        assert!(is_enough(&[(1, 0.5)], 0));
        let mut known = report(&[(10, 1.0), (10, 0.5)]);
        known.proof = Some(Outcome::Winner(Seat::ALL[0]));
        let (target, limit) = (Duration::from_secs(1), Duration::from_secs(1));
        let pace = Pace { target, limit };
        assert!(pace.is_enough(&known, Duration::ZERO));
        let mut lost = report(&[(10, 0.5), (300, 0.0)]);
        lost.moves[1].proof = Some(Outcome::Winner(Seat::ALL[1]));
        let is_enough = pace.is_enough(&lost, Duration::ZERO);
        assert!(is_enough, "a lost move is no rival");
        let mut twins = report(&[(10, 0.5), (10, 0.5)]);
        twins.moves[1].symmetry_of = Some(0);
        let is_enough = pace.is_enough(&twins, Duration::ZERO);
        assert!(is_enough, "a twin is no rival");
    }
}
