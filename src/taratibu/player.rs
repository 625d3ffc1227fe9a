//! Players of Taratibu: a search that never misses a win in its own turn, and the greedy player
//! as a baseline.

use std::time::Instant;

use super::position::{Position, Step};
use super::turn::{WinSearch, find_win, greedy};
use crate::game::{Game, Outcome, PerSeat};
use crate::search::{MoveReport, MoveSearcher, Report, SearchLimits, TreelessPlayer};
use crate::util::random::Random;

/// Plays a win within the turn, found by [`find_win`]; leaves all other positions to the searcher.
pub(crate) struct SureOfWins<T>(pub(crate) T);

/// A report with one move, the first of `line`.
fn only(line: Vec<Step>, proof: Option<Outcome>, since: Instant) -> Report<Step> {
    let found = line.first().map(|&mv| MoveReport {
        mv,
        value: if proof.is_some() { 1.0 } else { 0.5 },
        visits: 1,
        symmetry_of: None,
        prior: None,
        initial_value: None,
        proof,
        principal_variation: line.clone(),
        variation_visits: vec![1; line.len()],
    });
    let values = proof.map_or(PerSeat::default(), |proof| proof.values(Position::SEATS));
    Report::without_tree(found.into_iter().collect(), proof, values, since)
}

impl<T: MoveSearcher<Position>> MoveSearcher<Position> for SureOfWins<T> {
    fn search(
        &mut self,
        position: &Position,
        limits: &SearchLimits,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Report<Step> {
        let start = Instant::now();
        let allowed = |step: &Step| limits.allows(Position::code(*step));
        match find_win(position, None) {
            WinSearch::Win(steps) if steps.first().is_some_and(allowed) => {
                let proof = Some(Outcome::Winner(position.to_move()));
                only(steps, proof, start)
            }
            _ => self.0.search(position, limits, stop),
        }
    }

    fn advance(&mut self, step: Step, position: &Position) {
        self.0.advance(step, position);
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    fn random(&mut self) -> &mut Random {
        self.0.random()
    }
}

/// A player that captures as much material as it can in the turn ([`greedy()`]).
pub(crate) fn greedy_player(seed: u64) -> impl MoveSearcher<Position> {
    TreelessPlayer::new(seed, |position: &Position, _: &mut Random| {
        let start = Instant::now();
        let step = greedy(position);
        Report {
            proof: position.outcome(),
            ..only(step.into_iter().collect(), None, start)
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::engine::Engine;
    use crate::games;
    use crate::params::{Leaf, Params};
    use crate::search::SearchLimits;

    #[test]
    fn the_greedy_player_keeps_to_the_steps_that_it_may_take() {
        let start = games::find("taratibu")
            .unwrap()
            .start(None, None, None)
            .unwrap();
        let params = Params {
            leaf: Leaf::Greedy,
            ..Params::default()
        };
        let mut engine = Engine::new(start, params);
        let free = engine.search(&SearchLimits::default(), &|| false);
        let chosen = free.best().unwrap().mv;
        let root_moves = engine.root_moves_where(|code| *code != chosen).unwrap();
        assert!(root_moves.is_some());
        let limits = SearchLimits {
            root_moves,
            ..SearchLimits::default()
        };
        let report = engine.search(&limits, &|| false);
        let other = report.best().unwrap().mv;
        assert!(other != chosen && engine.is_legal(other));
        assert_eq!(report.moves.len(), 1);
    }
}
