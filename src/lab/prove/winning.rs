//! The winner's strategy above the parts, as the log knows it. Positions too small to be parts are solved
//! again on the way.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::expand::{after, engine};
use super::log::{Entry, Finding};
use super::parts::{self, CertifyError, Search, Watch};
use super::position::{name, normal};
use crate::game::{Outcome, Seat};
use crate::tanbo::Start;
use crate::variant::{LimitedSolver, MoveCode};

/// Positions that take fewer nodes with a table of their own are no parts, because what they share with
/// each other would be written once for each. Where the frontier itself has less than [`SHARE`] times as
/// many nodes, the limit is lower.
const SMALL: u64 = 1 << 12;
const SHARE: u64 = 32;
/// Bytes of such a table.
const BYTES: usize = 1 << 20;

/// What the winner does in a position above the parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Top {
    /// It plays a move.
    Move(MoveCode),
    /// It plays a move; the position after it is the part with this number.
    Part(MoveCode, usize),
    /// The position itself is the part with this number.
    Whole(usize),
    /// It plays a move; the solver knows the others from there.
    Small(MoveCode),
    /// The solver knows the moves from here.
    SmallWhole,
}

/// The strategy down to the parts.
#[derive(Default)]
pub(super) struct Winning {
    /// By the name of the position, which is as in the game, not in canonical form.
    pub(super) top: HashMap<String, Top>,
    /// The parts.
    pub(super) parts: Vec<Start>,
}

/// The results in a log.
struct Results {
    /// By the name of the canonical form, whether the side to move wins and the nodes that it took,
    /// if that is known.
    entries: HashMap<String, Option<(bool, u64)>>,
    /// Nodes to show that the side to move wins (or loses); `None` if the log does not show it.
    work: HashMap<(String, bool), Option<u64>>,
}

/// A position in canonical form.
struct Canonical {
    start: Start,
    name: String,
}

impl Canonical {
    fn of(start: &Start) -> Self {
        let (start, name) = normal(start);
        Self { start, name }
    }
}

/// The moves of a position, each with the position after it or how it ends the game.
fn moves(start: &Start) -> Vec<(MoveCode, Result<Start, Outcome>)> {
    let mut engine = engine(start, 0);
    let legal = engine.legal().into_iter();
    let moves = legal.filter_map(|code| Some((code, after(&mut engine, code)?)));
    moves.collect()
}

impl Results {
    fn new(question: &Start, entries: Vec<Entry>) -> Self {
        let mut results = Self {
            entries: HashMap::new(),
            work: HashMap::new(),
        };
        let root = Canonical::of(question).name;
        results.entries.insert(root.clone(), None);
        for Entry { position, finding } in entries {
            // The answer without nodes was put together from others.
            let is_found = position != root || finding.nodes() > 0;
            let entry = results.entries.entry(position).or_default();
            if let (Finding::Result(won, nodes), true) = (finding, is_found) {
                *entry = Some((won, nodes));
            }
        }
        results
    }

    fn result(&self, position: &Canonical) -> Option<(bool, u64)> {
        self.entries.get(&position.name).copied().flatten()
    }

    /// The nodes that it took to show that the side to move wins, or loses if not `won`; `None` if
    /// the log does not show it.
    fn work(&mut self, position: &Canonical, won: bool) -> Option<u64> {
        // What is not in the log was never reached.
        if let Some((found, nodes)) = *self.entries.get(&position.name)? {
            return (found == won).then_some(nodes);
        }
        let key = (position.name.clone(), won);
        if let Some(&known) = self.work.get(&key) {
            return known;
        }
        let mover = position.start.setup().to_move;
        let replies = moves(&position.start).into_iter();
        let mut works = replies.map(|(_, after)| match after {
            Ok(after) => self.work(&Canonical::of(&after), !won),
            Err(end) => ((end == Outcome::Winner(mover)) == won).then_some(0),
        });
        let work = if won {
            works.flatten().min()
        } else {
            works.try_fold(0_u64, |sum, work| Some(sum.saturating_add(work?)))
        };
        self.work.insert(key, work);
        work
    }
}

/// The strategy with which `winner` wins the question; `frontier` is the most nodes of a position on
/// the frontier.
///
/// # Errors
/// The log has no winning move for a position, is wrong about a small one, or `watch` stopped it.
pub(super) fn winning(
    question: &Start,
    winner: Seat,
    entries: Vec<Entry>,
    frontier: u64,
    watch: &Arc<Watch>,
) -> Result<Winning, CertifyError> {
    let mut builder = Builder {
        results: Results::new(question, entries),
        winner,
        small: SMALL.min(frontier / SHARE),
        watch: Arc::clone(watch),
        numbers: HashMap::new(),
        winning: Winning::default(),
    };
    let is_whole = builder.results.result(&Canonical::of(question)).is_some();
    if is_whole && question.setup().to_move != winner {
        // No move leads to it, so it can be no part.
        builder.winning.top.insert(name(question), Top::SmallWhole);
        return Ok(builder.winning);
    }
    let (mut left, mut seen) = (vec![question.clone()], HashSet::new());
    while let Some(start) = left.pop() {
        if !seen.insert(name(&start)) {
            continue;
        }
        if watch.is_stopped() {
            return Err(CertifyError::Stopped);
        }
        if start.setup().to_move == winner {
            let (step, next) = builder.step(&start)?;
            builder.winning.top.insert(name(&start), step);
            left.extend(next);
        } else {
            let replies = moves(&start).into_iter().rev();
            left.extend(replies.filter_map(|(_, after)| after.ok()));
        }
    }
    Ok(builder.winning)
}

struct Builder {
    results: Results,
    winner: Seat,
    /// Positions that take fewer nodes are no parts.
    small: u64,
    watch: Arc<Watch>,
    /// The numbers of the parts by their names.
    numbers: HashMap<String, usize>,
    winning: Winning,
}

impl Builder {
    /// What the winner does, and the position after it if that is above the parts too: the move that
    /// was the least work to show.
    fn step(&mut self, start: &Start) -> Result<(Top, Option<Start>), CertifyError> {
        let position = Canonical::of(start);
        if let Some((won, nodes)) = self.results.result(&position) {
            return match won {
                true if self.is_small(start, nodes)? => Ok((Top::SmallWhole, None)),
                true => Ok((Top::Whole(self.number(start)), None)),
                false => Err(CertifyError::Unknown(position.name)),
            };
        }
        let mover = start.setup().to_move;
        let mut best: Option<(u64, MoveCode, Option<Start>)> = None;
        for (code, after) in moves(start) {
            let work = match &after {
                Ok(after) => self.results.work(&Canonical::of(after), false),
                Err(end) => (*end == Outcome::Winner(mover)).then_some(0),
            };
            let is_less = |work: &u64| best.as_ref().is_none_or(|(least, ..)| work < least);
            if let Some(work) = work.filter(is_less) {
                best = Some((work, code, after.ok()));
            }
        }
        let (_, code, after) = best.ok_or(CertifyError::Unknown(position.name))?;
        let Some(after) = after else {
            return Ok((Top::Move(code), None));
        };
        Ok(match self.results.result(&Canonical::of(&after)) {
            None => (Top::Move(code), Some(after)),
            Some((_, nodes)) if self.is_small(&after, nodes)? => (Top::Small(code), None),
            Some(_) => (Top::Part(code, self.number(&after)), None),
        })
    }

    /// Whether a position is no part, and then the winner is as the log says. The log also says that it
    /// took these nodes, but with the table of all other positions.
    fn is_small(&self, start: &Start, nodes: u64) -> Result<bool, CertifyError> {
        if nodes >= self.small {
            return Ok(false);
        }
        let mut search = Search::new(start, BYTES, &self.watch)?;
        match search.solve_within(Some(self.small)) {
            Ok(found) => parts::agree(&found, self.winner, start).map(|()| true),
            Err(_) => Ok(false),
        }
    }

    fn number(&mut self, start: &Start) -> usize {
        let parts = &mut self.winning.parts;
        let number = self.numbers.entry(name(start)).or_insert(parts.len());
        if *number == parts.len() {
            parts.push(start.clone());
        }
        *number
    }
}
