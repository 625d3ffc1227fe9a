//! What a search found out.

use std::cmp::Ordering;
use std::time::Duration;

use super::node::{Node, NodeIndex};
use super::select::Chooser;
use super::tree::Tree;
use crate::game::{Game, MultiplayerUtility, Outcome, PerSeat};
use crate::util::wilson::{Z_95, wilson};

/// What a search says of one move of the root.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveReport<M> {
    /// The move.
    pub mv: M,
    /// Winning chance of the side to move after it, 0 to 1; exact if proven.
    pub value: f32,
    /// Visits.
    pub visits: u32,
    /// What the evaluator said of the move before it was searched, 0 to 1: how likely it is to be
    /// the best, if it tells moves apart so, or else the winning chance after it.
    pub prior: f32,
    /// The exact result, if it is known.
    pub proof: Option<Outcome>,
    /// The move and the best play after it.
    pub principal_variation: Vec<M>,
    /// The visits of each move of the variation.
    pub variation_visits: Vec<u32>,
}

impl<M> MoveReport<M> {
    /// Whether more is known of it than its prior.
    pub fn is_searched(&self) -> bool {
        self.visits > 0 || self.proof.is_some()
    }

    /// A lower bound of the value, 0 to 1: the lower end of the 95 % interval by Wilson for as
    /// many games as there are visits, though visits are no games; the value itself if it is
    /// exact.
    pub fn lower_bound(&self) -> f32 {
        let visits = f64::from(self.visits);
        match self.proof {
            Some(_) => self.value,
            None => wilson(f64::from(self.value) * visits, visits, Z_95).0 as f32,
        }
    }
}

/// What a search found out about a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Report<M> {
    /// The moves, the best first.
    pub moves: Vec<MoveReport<M>>,
    /// The exact result of the position, if it is known: of a search that was bound to some moves
    /// only a win of the side to move, since the others may be better.
    pub proof: Option<Outcome>,
    /// Mean winning chance of each seat over this search's iterations, poor moves
    /// among them; zeros if none was made.
    pub values: PerSeat<f32>,
    /// Visits of the root, those of earlier searches in the kept tree included. Where several
    /// ways to a position share what is known of it, moves deeper down may have more.
    pub visits: u32,
    /// Iterations of this search.
    pub iterations: u64,
    /// Children judged by this search.
    pub child_evaluations: u64,
    /// Nodes of the tree, those of moves not played included.
    pub nodes: usize,
    /// Wall clock of this search.
    pub elapsed: Duration,
}

impl<M> Report<M> {
    /// The best move; `None` in a finished game.
    pub fn best(&self) -> Option<&MoveReport<M>> {
        self.moves.first()
    }

    /// The moves that are worth a line, the best first: that one, and those of which more is known
    /// than their priors. What others are worth nobody knows: their means may be what the position
    /// was before them.
    pub fn listed(&self) -> impl Iterator<Item = &MoveReport<M>> {
        let ranked = self.moves.iter().enumerate();
        let listed = ranked.filter(|(rank, found)| *rank == 0 || found.is_searched());
        listed.map(|(_, found)| found)
    }

    /// The report of a search that went on after another: counts, seconds and values are those
    /// of both.
    #[must_use]
    pub fn after(self, before: &Self) -> Self {
        let iterations = self.iterations + before.iterations;
        let share = self.iterations as f32 / iterations.max(1) as f32;
        let mut values = self.values;
        for (value, old) in values.0.iter_mut().zip(before.values.0) {
            *value = *value * share + old * (1.0 - share);
        }
        Self {
            iterations,
            values,
            child_evaluations: self.child_evaluations + before.child_evaluations,
            elapsed: self.elapsed + before.elapsed,
            ..self
        }
    }

    /// The same report about moves of another form.
    pub fn map<N>(self, form: impl Fn(M) -> N) -> Report<N> {
        let moves = self.moves.into_iter().map(|found| MoveReport {
            mv: form(found.mv),
            value: found.value,
            visits: found.visits,
            prior: found.prior,
            proof: found.proof,
            principal_variation: found.principal_variation.into_iter().map(&form).collect(),
            variation_visits: found.variation_visits,
        });
        Report {
            moves: moves.collect(),
            proof: self.proof,
            values: self.values,
            visits: self.visits,
            iterations: self.iterations,
            child_evaluations: self.child_evaluations,
            nodes: self.nodes,
            elapsed: self.elapsed,
        }
    }
}

/// Moves with less than this part of the most visits are not chosen for their bounds: what is
/// known of them is too little even for that.
const BOUNDED_FROM: f32 = 0.2;

/// The least variance of a single visit's value: values near 0 and 1 seem surer than they are.
const LEAST_VARIANCE: f32 = 0.01;

/// Children of a node as the seat to move there sees them.
struct Choice<'a> {
    children: &'a [Node],
    chooser: Chooser<'a>,
    /// The best of the known results that are neither won nor lost.
    certain: Option<f32>,
    /// Standard errors below its mean by which a child is judged, or 0: by its visits.
    bound: f32,
    /// The most visits of a child that is not known to be lost.
    most: u32,
}

/// How good a child is for the final choice, the most important first; visits decide among
/// children that are not judged by a bound.
#[derive(PartialEq, PartialOrd)]
struct Rank {
    class: i32,
    bound: Option<f32>,
    visits: u32,
    mean: f32,
    policy: f32,
}

impl<'a> Choice<'a> {
    fn new(children: &'a [Node], chooser: Chooser<'a>, bound: f32) -> Self {
        let results = children.iter().filter_map(Node::proof);
        let values = results.map(|outcome| chooser.value(outcome));
        let rivals = children.iter().filter(|node| !chooser.is_lost(node));
        let certain = values.filter(|value| *value > 0.0 && *value < 1.0);
        Self {
            children,
            chooser,
            certain: certain.reduce(f32::max),
            bound,
            most: rivals.map(Node::visits).max().unwrap_or(0),
        }
    }

    /// Exact wins first, exact losses last; before those what seems worse than a result that can
    /// be had for certain; then the lower bound of the mean, if it is asked for and enough is
    /// known; then visits, then the mean, then what the evaluator holds for likely.
    fn rank(&self, place: usize) -> Rank {
        let node = &self.children[place];
        let value = |outcome| self.chooser.value(outcome);
        let class = match node.proof().map(value) {
            Some(value) if value >= 1.0 => 2,
            Some(value) if value <= 0.0 => -1,
            Some(_) => 1,
            None => i32::from(self.certain.is_none_or(|certain| node.mean() >= certain)),
        };
        let is_known = node.visits() > 0 && node.visits() as f32 >= BOUNDED_FROM * self.most as f32;
        let bound = match node.proof().map(value) {
            None => is_known.then(|| self.judged_at(node)),
            certain => certain,
        };
        Rank {
            class,
            bound: bound.filter(|_| self.bound > 0.0),
            visits: node.visits(),
            mean: node.mean(),
            policy: node.policy(),
        }
    }

    /// The mean less so many standard errors, as if each visit were a game: it is not, but the
    /// bounds of moves compare all the same (KataGo chooses in a like manner).
    fn judged_at(&self, node: &Node) -> f32 {
        let mean = node.mean();
        let variance = (mean * (1.0 - mean)).max(LEAST_VARIANCE);
        mean - self.bound * (variance / node.visits() as f32).sqrt()
    }

    /// Which of two children is the better one; the earlier of equal ones.
    fn compare(&self, a: usize, b: usize) -> Ordering {
        let ranks = self.rank(a).partial_cmp(&self.rank(b));
        ranks.unwrap_or(Ordering::Equal).then(b.cmp(&a))
    }

    /// The places of the children, the best first.
    fn order(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.children.len()).collect();
        places.sort_by(|&a, &b| self.compare(b, a));
        places
    }

    /// The place of the best child.
    fn best(&self) -> Option<usize> {
        (0..self.children.len()).max_by(|&a, &b| self.compare(a, b))
    }
}

/// Follows the best moves from a child until nothing was searched any more: the moves, and the
/// visits of each.
fn principal_variation<G: Game>(
    tree: &Tree,
    position: &G,
    view: &MultiplayerUtility,
    index: NodeIndex,
) -> (Vec<G::Move>, Vec<u32>) {
    let mut position = position.clone();
    let mut line = (Vec::new(), Vec::new());
    let mut index = index;
    loop {
        let node = tree.node(index);
        let mv = G::decode(node.move_code());
        line.0.push(mv);
        line.1.push(node.visits());
        position.play(mv);
        let children = tree.children(index);
        // What is deep in the tree has few visits, of which the most are the best guess.
        let chooser = Chooser::of::<G>(position.to_move(), view);
        let choice = Choice::new(children, chooser, 0.0);
        let Some(place) = choice.best() else {
            return line;
        };
        let child = &children[place];
        if child.visits() == 0 && child.proof().is_none() {
            return line;
        }
        index = tree.child(index, place);
    }
}

/// The moves of the root, the best first; `bound` says by how many standard errors below their
/// means they are judged, and 0 that their visits decide.
pub(super) fn moves<G: Game>(
    tree: &Tree,
    position: &G,
    view: &MultiplayerUtility,
    bound: f32,
) -> Vec<MoveReport<G::Move>> {
    let chooser = Chooser::of::<G>(position.to_move(), view);
    Choice::new(tree.children(tree.root()), chooser, bound)
        .order()
        .into_iter()
        .map(|place| {
            let node = &tree.children(tree.root())[place];
            let child = tree.child(tree.root(), place);
            let (principal_variation, variation_visits) =
                principal_variation(tree, position, view, child);
            MoveReport {
                mv: G::decode(node.move_code()),
                value: node
                    .proof()
                    .map_or(node.mean(), |o| o.value_for(chooser.seat, G::SEATS)),
                visits: node.visits(),
                prior: match node.policy() {
                    0.0 => node.prior(),
                    policy => policy,
                },
                proof: node.proof(),
                principal_variation,
                variation_visits,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Seat;

    const FIRST: Chooser<'_> = Chooser {
        seat: Seat::ALL[0],
        seats: 2,
        view: &MultiplayerUtility {
            root: Seat::ALL[0],
            paranoia: 0.0,
        },
    };

    /// The order of children with these visits of these values and these results.
    fn order(bound: f32, children: &[(u32, f32, Option<Outcome>)]) -> Vec<usize> {
        let node = |&(visits, value, proof): &(u32, f32, Option<Outcome>)| {
            let node = Node::default();
            node.reset(1, 0.5, 0.1, proof);
            for _ in 0..visits {
                node.enter(0);
                node.back_up(value, 0);
            }
            node
        };
        let nodes: Vec<Node> = children.iter().map(node).collect();
        Choice::new(&nodes, FIRST, bound).order()
    }

    #[test]
    fn visits_or_lower_bounds_decide() {
        let children = [
            (100, 0.5, None),
            (60, 0.6, None),
            (19, 0.9, None),
            (0, 0.0, None),
        ];
        assert_eq!(order(0.0, &children), [0, 1, 2, 3]);
        // 0.5 - 0.05 against 0.6 - 0.063; of the third too little is known.
        assert_eq!(order(1.0, &children), [1, 0, 2, 3]);
        // 0.5 - 0.5 against 0.6 - 0.632.
        assert_eq!(order(10.0, &children), [0, 1, 2, 3]);
    }

    #[test]
    fn results_come_before_bounds() {
        let [own, other] = [0, 1].map(|seat| Some(Outcome::Winner(Seat::ALL[seat])));
        let children = [
            (90, 0.9, None),
            (900, 0.0, other),
            (1, 0.2, own),
            (500, 0.4, None),
        ];
        assert_eq!(order(1.0, &children), [2, 3, 0, 1], "hardly known");
        let draw = Some(Outcome::Draw);
        let children = [
            (90, 0.4, None),
            (100, 0.6, None),
            (2, 0.5, draw),
            (95, 0.7, None),
        ];
        assert_eq!(order(1.0, &children)[..2], [3, 1]);
        assert_eq!(order(0.0, &children)[..2], [1, 3]);
        assert_eq!(
            order(1.0, &children)[2..],
            [2, 0],
            "worse than what is certain"
        );
        let children = [(90, 0.52, None), (100, 0.54, None), (9, 0.5, draw)];
        assert_eq!(order(1.0, &children), [2, 1, 0], "not surely better");
        let children = [(900, 0.0, other), (100, 0.5, None), (60, 0.6, None)];
        assert_eq!(
            order(1.0, &children),
            [2, 1, 0],
            "a lost move is no measure"
        );
    }
}
