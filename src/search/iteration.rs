//! One iteration: select a leaf, expand and evaluate it, back its value up.

use super::bias::Correction;
use super::node::NodeIndex;
use super::path::{Shared, Step};
use super::perspective::Perspective;
use super::proof;
use super::rave::Rave;
use super::selection::{ChildStats, Selection};
use super::symmetry;
use super::tree::{Branch, Child};
use crate::board::Symmetries;
use crate::cpu;
use crate::game::{Evaluation, Evaluator, Game, MoveEvaluation, PerSeat, Seat};
use crate::util::random::Random;

/// Children of a node that are prefetched when it is selected; where children are sorted,
/// selection seldom looks at more.
const PREFETCHED_CHILDREN: usize = 8;

/// The state of one worker; buffers are kept between iterations.
pub(super) struct Worker<G: Game, S: Selection<G>> {
    selection: S,
    random: Random,
    path: Vec<Step<S::Parent>>,
    /// The known symmetries of the position at the end of the path. Kept here, not in a variable,
    /// which would take a register from the inner loop.
    symmetries: Symmetries,
    moves: Vec<G::Move>,
    evaluation: Evaluation,
    /// Sort keys; the low 32 bits are places in `moves`.
    order: Vec<u64>,
    rave: Rave,
    /// The children of the leaves that this worker evaluated, if the evaluator evaluates moves.
    pub(super) child_evaluations: u64,
    /// The sum of the values of all iterations.
    pub(super) values: PerSeat<f64>,
}

impl<G: Game, S: Selection<G>> Worker<G, S> {
    pub(super) fn new(selection: S, random: Random) -> Self {
        Self {
            selection,
            random,
            path: Vec::new(),
            symmetries: Symmetries::NONE,
            moves: Vec::new(),
            evaluation: Evaluation::default(),
            order: Vec::new(),
            rave: Rave::default(),
            child_evaluations: 0,
            values: PerSeat::default(),
        }
    }

    #[inline(always)]
    pub(super) fn iterate<E: Evaluator<G>>(&mut self, shared: &Shared<'_, G, E>) {
        let tree = shared.tree;
        let mut position = shared.root.clone();
        let root = tree.node(tree.root());
        let mut at = tree.branch(tree.root(), root);
        let mut correction = Correction::default();
        self.symmetries = shared.symmetries;
        self.path.clear();
        self.evaluation.playout.clear();
        root.enter(shared.virtual_loss);
        if shared.forced_playouts > 0.0 {
            (at, correction) = self.enter_forced(shared, &mut position, at);
        }
        let values = loop {
            if let Some(outcome) = at.node.proof() {
                break outcome.values(G::SEATS);
            }
            if at.children.is_empty() {
                break self.evaluate_leaf(shared, &mut position, at.index, correction);
            }
            let seat = position.to_move();
            let perspective = shared.perspective(seat);
            let chosen = self.selection.select(tree, &at, &perspective, correction);
            (at, correction) = self.enter(shared, &mut position, &at, chosen);
        };
        proof::propagate(tree, &self.path, position.to_move(), G::SEATS);
        for (sum, value) in self.values.0.iter_mut().zip(values.0).take(G::SEATS) {
            *sum += f64::from(value);
        }
        // The root has no value, because no seat moved into it.
        root.leave(shared.virtual_loss);
        S::backup(shared, &self.path, &values);
        if S::RAVE && tree.has_rave() {
            let leaf = (position.to_move(), at.index);
            let playout = &self.evaluation.playout;
            self.rave.update(shared, &self.path, leaf, playout, &values);
        }
    }

    /// Enters the child of a node that was chosen, and returns it.
    #[inline(always)]
    fn enter<'a, E: Evaluator<G>>(
        &mut self,
        shared: &Shared<'a, G, E>,
        position: &mut G,
        from: &Branch<'a>,
        (place, parent): (usize, S::Parent),
    ) -> (Branch<'a>, Correction) {
        let (index, node) = from.child(place);
        node.enter(shared.virtual_loss);
        let branch = shared.tree.branch(index, node);
        let children = branch.children;
        cpu::prefetch(&children[..children.len().min(PREFETCHED_CHILDREN)]);
        self.path.push(Step {
            seat: position.to_move(),
            index,
            parent,
        });
        let mv = G::decode(node.move_code());
        if !self.symmetries.is_empty() {
            self.symmetries = symmetry::kept(position, self.symmetries, mv);
        }
        position.play(mv);
        if !S::CORRECTS {
            return (branch, Correction::default());
        }
        let pattern = node.pattern().unwrap_or_else(|| {
            let pattern = position.local_pattern(mv);
            node.set_pattern(pattern);
            pattern
        });
        (branch, shared.bias.correction(pattern))
    }

    /// Enters a child of the root whose visit is forced, if there is one; otherwise returns the root.
    #[cold]
    fn enter_forced<'a, E: Evaluator<G>>(
        &mut self,
        shared: &Shared<'a, G, E>,
        position: &mut G,
        root: Branch<'a>,
    ) -> (Branch<'a>, Correction) {
        let perspective = shared.perspective(position.to_move());
        let factor = shared.forced_playouts;
        let is_open = root.node.proof().is_none();
        let selection = is_open.then_some(self.selection);
        let chosen = selection.and_then(|s| s.select_forced(&root, &perspective, factor));
        match chosen {
            Some(chosen) => self.enter(shared, position, &root, chosen),
            None => (root, Correction::default()),
        }
    }

    /// Expands a leaf and returns its values.
    #[inline(always)]
    fn evaluate_leaf<E: Evaluator<G>>(
        &mut self,
        shared: &Shared<'_, G, E>,
        position: &mut G,
        index: NodeIndex,
        Correction { amount, .. }: Correction,
    ) -> PerSeat<f32> {
        let tree = shared.tree;
        if let Some(outcome) = position.outcome() {
            tree.node(index).prove(outcome);
            return outcome.values(G::SEATS);
        }
        let claimed = tree.node(index).claim();
        let hash = (S::GRAPH && claimed).then(|| position.hash());
        let seat = position.to_move();
        if hash.is_some_and(|hash| tree.link(index, hash)) {
            let perspective = shared.perspective(seat);
            let stats = ChildStats::new::<G, S>(tree.children(index), &perspective, amount);
            return two_seats(seat, stats.mean());
        }
        self.moves.clear();
        position.moves(&mut self.moves);
        if !self.symmetries.is_empty() {
            symmetry::remove_twins(position, self.symmetries, &mut self.moves);
        }
        let (evaluator, utility) = (shared.evaluator, &shared.utility);
        let (random, evaluation) = (&mut self.random, &mut self.evaluation);
        evaluator.evaluate(position, &self.moves, utility, random, evaluation);
        if self.path.is_empty() {
            evaluator.refine_root(position, &self.moves, utility, random, evaluation);
        }
        self.child_evaluations += self.evaluation.moves.len() as u64;
        if claimed {
            self.expand(shared, index, seat, hash);
        }
        let values = self.evaluation.values;
        if amount == 0.0 {
            values
        } else {
            two_seats(seat, (values[seat] + amount).clamp(0.0, 1.0))
        }
    }

    /// Creates the children of a claimed leaf that was evaluated.
    #[inline(always)]
    fn expand<E: Evaluator<G>>(
        &mut self,
        shared: &Shared<'_, G, E>,
        index: NodeIndex,
        seat: Seat,
        hash: Option<u64>,
    ) {
        let tree = shared.tree;
        self.sort(&shared.perspective(seat));
        let Evaluation { moves, priors, .. } = &self.evaluation;
        let child = |&key: &u64| {
            let i = key as u32 as usize;
            let unknown = MoveEvaluation {
                value: 0.5,
                outcome: None,
            };
            Child {
                code: G::code(self.moves[i]),
                evaluation: moves.get(i).copied().unwrap_or(unknown),
                prior: priors.get(i).copied().unwrap_or(0.0),
            }
        };
        // Another worker may have reached the position by another path in the meantime.
        if hash.is_some_and(|hash| tree.link(index, hash)) {
            return;
        }
        let expanded = tree.expand(index, self.order.iter().map(child));
        if let Some(hash) = hash.filter(|_| expanded) {
            tree.share(index, hash);
        }
    }

    /// Sorts the moves as [`Selection::SORTED`] says.
    #[inline(always)]
    fn sort(&mut self, perspective: &Perspective<'_>) {
        self.order.clear();
        if !S::SORTED {
            self.order.extend(0..self.moves.len() as u64);
            return;
        }
        let Evaluation { moves, priors, .. } = &self.evaluation;
        let rank = |i: usize| match moves.get(i).and_then(|mv| mv.outcome) {
            // The bits of non-negative floats are ordered like the floats.
            None => !priors.get(i).map_or(0.0, |p| p.max(0.0).abs()).to_bits(),
            Some(outcome) if perspective.value(outcome) > 0.0 => 0,
            Some(_) => u32::MAX,
        };
        let keys = (0..self.moves.len()).map(|i| u64::from(rank(i)) << 32 | i as u64);
        self.order.extend(keys);
        self.order.sort_unstable();
    }
}

/// The values of both seats of a game for two.
#[inline(always)]
fn two_seats(seat: Seat, value: f32) -> PerSeat<f32> {
    let mut values = PerSeat([1.0 - value; 4]);
    values[seat] = value;
    values
}
