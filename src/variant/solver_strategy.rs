//! The winner's strategy as a solver knows it.

use std::ops::ControlFlow;

use super::certificate::Strategy;
use super::exact::{ExactSolver, Verdict};
use super::move_code::MoveCode;
use crate::game::Outcome;
use crate::solver::Stopped;

/// Nodes to spend on whether a move that would be better to show wins too; solvers look at their
/// limits after 2^10 or more.
const SOON: u64 = 1 << 10;

/// A solver at a position, with the limits of its searches.
pub(crate) trait LimitedSolver {
    fn exact(&mut self) -> &mut dyn ExactSolver;

    /// Searches the position, with at most so many nodes if that is less than the limits allow.
    ///
    /// # Errors
    /// A limit was reached.
    fn solve_within(&mut self, nodes: Option<u64>) -> Result<Verdict, Stopped>;

    /// Called for each question of the writer of a certificate, with their number so far.
    fn on_question(&mut self, asked: u64) -> ControlFlow<()>;
}

/// A winning move of the side to move: among the moves that are known to win, or are quickly
/// found to win, the one that leaves the fewest replies; if there is none, the first that a search
/// to the end finds. `None` if no move wins, or a search was stopped. On 5x5 `corners` this makes a
/// certificate of 14,794 positions; choosing by the nodes of the replies makes one of 70,752.
pub(crate) fn winning_move(search: &mut dyn LimitedSolver) -> Option<MoveCode> {
    let wins = Some(Outcome::Winner(search.exact().to_move()));
    if search.exact().known().is_none() {
        // Even a search that gives up may find that a move wins.
        let _ = search.solve_within(None);
    }
    let exact = search.exact();
    let mut best: Option<(usize, MoveCode)> = None;
    let mut open = Vec::new();
    for code in exact.legal() {
        exact.play(code).ok()?;
        let (known, replies) = (exact.known(), exact.legal().len());
        exact.undo();
        if known.is_none() {
            open.push((replies, code));
        } else if known == wins && best.is_none_or(|(fewest, _)| replies < fewest) {
            best = Some((replies, code));
        }
    }
    open.sort_by_key(|&(replies, _)| replies);
    let mut undecided = Vec::new();
    for (replies, code) in open {
        // A move that leaves no fewer replies would not be chosen.
        if best.is_some_and(|(fewest, _)| fewest <= replies) {
            break;
        }
        match found(search, code, Some(SOON)) {
            Some(outcome) if outcome == wins => return Some(code),
            Some(_) => (),
            None => undecided.push(code),
        }
    }
    if let Some((_, code)) = best {
        return Some(code);
    }
    for code in undecided {
        // A search that was stopped ends the questions.
        if found(search, code, None)? == wins {
            return Some(code);
        }
    }
    None
}

/// The outcome after a move, if a search of at most so many nodes finds it.
fn found(
    search: &mut dyn LimitedSolver,
    code: MoveCode,
    nodes: Option<u64>,
) -> Option<Option<Outcome>> {
    search.exact().play(code).ok()?;
    let found = search.solve_within(nodes);
    search.exact().undo();
    found.ok().map(|verdict| verdict.outcome)
}

/// Answers the writer of a certificate with the solver's moves.
pub(crate) struct SolverStrategy<'a> {
    search: &'a mut dyn LimitedSolver,
    /// The moves from the start to the current position.
    at: Vec<MoveCode>,
    asked: u64,
}

impl<'a> SolverStrategy<'a> {
    pub(crate) fn new(search: &'a mut dyn LimitedSolver) -> Self {
        Self {
            search,
            at: Vec::new(),
            asked: 0,
        }
    }

    /// The solver after these moves from the start; `None` if they are illegal.
    pub(crate) fn follow(&mut self, line: &[MoveCode]) -> Option<&mut dyn LimitedSolver> {
        let same = self.at.iter().zip(line).take_while(|(a, b)| a == b).count();
        while self.at.len() > same {
            self.search.exact().undo();
            self.at.pop();
        }
        for &code in &line[same..] {
            self.search.exact().play(code).ok()?;
            self.at.push(code);
        }
        Some(self.search)
    }
}

impl Strategy for SolverStrategy<'_> {
    fn winning_move(&mut self, line: &[MoveCode]) -> Option<MoveCode> {
        self.asked += 1;
        // If all is known, no search checks for a signal.
        if self.search.on_question(self.asked).is_break() {
            return None;
        }
        winning_move(self.follow(line)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use crate::games;
    use crate::params::Params;
    use crate::solver::SolverLimits;
    use crate::util::random::Random;
    use crate::variant::ExactSettings;

    struct Search {
        exact: Box<dyn ExactSolver>,
        /// Whether a short search is stopped.
        stops_short: bool,
        /// Whether a search to the end is stopped, by its number from 1.
        stops: fn(usize) -> bool,
        /// Searches to the end so far.
        asked: usize,
    }

    impl Search {
        fn new(engine: &Engine, stops_short: bool, stops: fn(usize) -> bool) -> Self {
            Self {
                exact: engine.exact(&ExactSettings::new(1 << 20)).unwrap(),
                stops_short,
                stops,
                asked: 0,
            }
        }
    }

    impl LimitedSolver for Search {
        fn exact(&mut self) -> &mut dyn ExactSolver {
            &mut *self.exact
        }

        fn solve_within(&mut self, nodes: Option<u64>) -> Result<Verdict, Stopped> {
            self.asked += usize::from(nodes.is_none());
            if nodes.map_or((self.stops)(self.asked), |_| self.stops_short) {
                return Err(Stopped);
            }
            let limits = SolverLimits {
                nodes,
                ..SolverLimits::default()
            };
            self.exact
                .solve(&limits, &mut |_| ControlFlow::Continue(()))
        }

        fn on_question(&mut self, _: u64) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
    }

    /// 4x4 positions that the side to move wins, after up to seven random moves; each search of one
    /// is short.
    fn won() -> Vec<Engine> {
        let start = games::default().start(Some(4), None, None).unwrap();
        let positions = (0..100).map(|seed| {
            let mut random = Random::new(seed);
            let mut engine = Engine::new(start.clone(), Params::default());
            for _ in 0..seed % 8 {
                let legal = engine.legal();
                if !legal.is_empty() {
                    let code = legal[random.below(legal.len() as u32) as usize];
                    engine.play(code).unwrap();
                }
            }
            engine
        });
        let is_won = |engine: &Engine| {
            let mut search = Search::new(engine, true, |_| false);
            let mover = Outcome::Winner(search.exact.to_move());
            !engine.is_over() && search.solve_within(None).unwrap().outcome == Some(mover)
        };
        positions.filter(is_won).collect()
    }

    /// The replies that a move leaves if it wins.
    fn replies(engine: &Engine, code: MoveCode) -> Option<usize> {
        let mut search = Search::new(engine, true, |_| false);
        let wins = Some(Outcome::Winner(search.exact.to_move()));
        let outcome = found(&mut search, code, None).unwrap();
        search.exact.play(code).unwrap();
        (outcome == wins).then_some(search.exact.legal().len())
    }

    #[test]
    fn the_winner_leaves_the_fewest_replies() {
        let won = won();
        let mut better = 0;
        for engine in &won {
            let legal = engine.legal().into_iter();
            let fewest = legal.filter_map(|code| replies(engine, code)).min();
            let code = winning_move(&mut Search::new(engine, false, |_| false)).unwrap();
            assert_eq!(replies(engine, code), fewest);
            let code = winning_move(&mut Search::new(engine, true, |_| false)).unwrap();
            better += usize::from(replies(engine, code) > fewest);
        }
        assert!(won.len() > 20 && better > 5, "{} {better}", won.len());
    }

    #[test]
    fn a_search_that_gives_up_leaves_the_moves_to_be_tried() {
        let mut tried = 0;
        for engine in won() {
            let mut search = Search::new(&engine, true, |number| number == 1);
            let code = winning_move(&mut search).unwrap();
            assert!(replies(&engine, code).is_some());
            tried += usize::from(search.asked > 1);
        }
        assert!(tried > 10, "{tried}");
    }

    #[test]
    fn a_search_that_is_stopped_ends_the_questions() {
        let mut stopped = 0;
        for engine in won() {
            let mut search = Search::new(&engine, true, |_| true);
            let code = winning_move(&mut search);
            assert!(search.asked <= 2, "{}", search.asked);
            stopped += usize::from(code.is_none());
        }
        assert!(stopped > 10, "{stopped}");
    }
}
