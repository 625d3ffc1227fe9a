//! One iteration: down the tree, judge a leaf, back up.

use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::fence;

use super::bias::Bias;
use super::node::NodeIndex;
use super::proof;
use super::select::{self, Chooser, Formula, Totals};
use super::tree::{Child, Tree};
use crate::cpu;
use crate::game::{Evaluation, Evaluator, Game, MoveEvaluation, MultiplayerUtility, PerSeat, Seat};
use crate::util::random::Random;

/// So many children of a node are asked for as soon as it is chosen: where they are sorted, more
/// are looked at seldom.
const SOON: usize = 8;

/// What all workers share.
pub(super) struct Shared<'a, G: Game, E: Evaluator<G>> {
    pub(super) tree: &'a Tree,
    pub(super) root: &'a G,
    pub(super) evaluator: &'a E,
    pub(super) formula: Formula,
    pub(super) bias: &'a Bias,
    pub(super) view: MultiplayerUtility,
    pub(super) virtual_loss: u16,
}

impl<G: Game, E: Evaluator<G>> Shared<'_, G, E> {
    #[inline(always)]
    fn chooser(&self, seat: Seat) -> Chooser<'_> {
        Chooser::of::<G>(seat, &self.view)
    }
}

/// What one worker has for itself; buffers are kept between iterations.
pub(super) struct Worker<G: Game> {
    pub(super) random: Random,
    /// Who moved into which node, from the root's child to the leaf.
    path: Vec<(Seat, NodeIndex)>,
    /// Of each node of the path what its parent was on the way down.
    parents: Vec<Parent>,
    moves: Vec<G::Move>,
    evaluation: Evaluation,
    /// The places of the moves in the order in which they become children.
    order: Vec<u64>,
    rave: RaveScratch,
    /// Children judged so far.
    pub(super) child_evaluations: u64,
    /// The sum of the values of all iterations.
    pub(super) values: PerSeat<f64>,
}

impl<G: Game> Worker<G> {
    pub(super) fn new(random: Random) -> Self {
        Self {
            random,
            path: Vec::new(),
            parents: Vec::new(),
            moves: Vec::new(),
            evaluation: Evaluation::default(),
            order: Vec::new(),
            rave: RaveScratch::default(),
            child_evaluations: 0,
            values: PerSeat::default(),
        }
    }

    /// One pass down and up.
    #[inline(always)]
    pub(super) fn iterate<E: Evaluator<G>>(&mut self, shared: &Shared<'_, G, E>) {
        let tree = shared.tree;
        let mut position = shared.root.clone();
        let mut index = tree.root();
        self.path.clear();
        self.parents.clear();
        self.evaluation.playout.clear();
        tree.node(index).enter(shared.virtual_loss);
        let learns = shared.formula.is_graph() && shared.bias.is_on();
        // Nothing is known of what led to the root.
        let (mut pattern, mut correction) = (None, 0.0);
        let values = loop {
            if let Some(outcome) = tree.node(index).proof() {
                break outcome.values(G::SEATS);
            }
            if tree.children(index).is_empty() {
                break self.judge(shared, &mut position, index, correction);
            }
            let seat = position.to_move();
            let chooser = shared.chooser(seat);
            let (place, totals) =
                select::select(tree, index, &chooser, &shared.formula, correction);
            index = tree.child(index, place);
            let node = tree.node(index);
            if shared.formula.is_graph() {
                let others = match chooser.is_lost(node) {
                    true => totals,
                    false => totals.without(node.totals()),
                };
                self.parents.push(Parent { others, pattern });
            }
            node.enter(shared.virtual_loss);
            let next = tree.children(index);
            cpu::prefetch(&next[..next.len().min(SOON)]);
            self.path.push((seat, index));
            let mv = G::decode(node.move_code());
            position.play(mv);
            if learns {
                let known = position.local_pattern(mv);
                correction = shared.bias.correction(known);
                pattern = Some(known);
            }
        };
        self.propagate_proofs(shared, position.to_move());
        for (sum, value) in self.values.0.iter_mut().zip(values.0).take(G::SEATS) {
            *sum += f64::from(value);
        }
        // Nobody moved into the root, so that there is no seat to have a value.
        tree.node(tree.root()).leave(shared.virtual_loss);
        match shared.formula.is_graph() {
            true => self.settle(shared, &values),
            false => self.back_up(shared, &values),
        }
        if shared.formula.uses_rave() {
            let leaf = (position.to_move(), index);
            let playout = &self.evaluation.playout;
            // What a move is worth to the seat that makes it.
            let mut worth = PerSeat::default();
            for seat in &Seat::ALL[..G::SEATS] {
                worth[*seat] = shared.view.value(*seat, &values, G::SEATS);
            }
            self.rave
                .update(tree, G::MOVE_CODES, &self.path, leaf, playout, &worth);
        }
    }

    /// The value of a leaf, which gets its children on the way; what the evaluator says is
    /// corrected.
    #[inline(always)]
    fn judge<E: Evaluator<G>>(
        &mut self,
        shared: &Shared<'_, G, E>,
        position: &mut G,
        index: NodeIndex,
        correction: f32,
    ) -> PerSeat<f32> {
        let tree = shared.tree;
        if let Some(outcome) = position.outcome() {
            tree.node(index).prove(outcome);
            return outcome.values(G::SEATS);
        }
        let claimed = tree.node(index).claim();
        let hash = (claimed && shared.formula.is_graph()).then(|| position.hash());
        let seat = position.to_move();
        if hash.is_some_and(|hash| tree.link(index, hash)) {
            let chooser = shared.chooser(seat);
            let children = tree.children(index);
            return of_two(
                seat,
                Totals::of(children, &chooser, &shared.formula, correction).mean(),
            );
        }
        self.moves.clear();
        position.moves(&mut self.moves);
        shared.evaluator.evaluate(
            position,
            &self.moves,
            &shared.view,
            &mut self.random,
            &mut self.evaluation,
        );
        self.child_evaluations += self.evaluation.priors.len() as u64;
        if claimed {
            self.sort(shared, seat);
            let Evaluation { priors, policy, .. } = &self.evaluation;
            let child = |&place: &u64| {
                let i = place as u32 as usize;
                let unknown = MoveEvaluation {
                    value: 0.5,
                    outcome: None,
                };
                Child {
                    code: G::code(self.moves[i]),
                    prior: priors.get(i).copied().unwrap_or(unknown),
                    policy: policy.get(i).copied().unwrap_or(0.0),
                }
            };
            // Somebody else may have come here by another way in the meantime.
            if !hash.is_some_and(|hash| tree.link(index, hash)) {
                let expanded = tree.expand(index, self.order.iter().map(child));
                if let Some(hash) = hash.filter(|_| expanded) {
                    tree.share(index, hash);
                }
            }
        }
        let values = self.evaluation.values;
        match correction == 0.0 {
            true => values,
            false => of_two(seat, (values[seat] + correction).clamp(0.0, 1.0)),
        }
    }

    /// Puts the children of a leaf into the order that [`Formula::sorts`] promises: those that win
    /// or draw at once, the others, the likeliest first, and those that lose at once.
    #[inline(always)]
    fn sort<E: Evaluator<G>>(&mut self, shared: &Shared<'_, G, E>, seat: Seat) {
        self.order.clear();
        if !shared.formula.sorts() {
            self.order.extend(0..self.moves.len() as u64);
            return;
        }
        let chooser = shared.chooser(seat);
        let Evaluation { priors, policy, .. } = &self.evaluation;
        let rank = |i: usize| match priors.get(i).and_then(|prior| prior.outcome) {
            // The bits of numbers that are not negative are in their order.
            None => !policy.get(i).map_or(0.0, |p| p.max(0.0).abs()).to_bits(),
            Some(outcome) if chooser.value(outcome) > 0.0 => 0,
            Some(_) => u32::MAX,
        };
        let order = (0..self.moves.len()).map(|i| u64::from(rank(i)) << 32 | i as u64);
        self.order.extend(order);
        self.order.sort_unstable();
    }

    /// Gives the nodes of the path, from the leaf upwards, the means that follow from those below
    /// them, whoever found these out.
    #[inline(always)]
    fn settle<E: Evaluator<G>>(&self, shared: &Shared<'_, G, E>, values: &PerSeat<f32>) {
        let tree = shared.tree;
        // What the node below is worth to the seat of its level.
        let mut below: Option<(Seat, f32)> = None;
        for (&(seat, index), parent) in self.path.iter().zip(&self.parents).rev() {
            let node = tree.node(index);
            let chooser = shared.chooser(seat);
            let proven = node.proof().map(|outcome| chooser.value(outcome));
            let mean = match (proven, below) {
                (Some(value), _) => value,
                (None, None) => values[seat],
                (None, Some((other, mean))) if other == seat => mean,
                (None, Some((_, mean))) => 1.0 - mean,
            };
            let mean = mean.clamp(0.0, 1.0);
            node.settle_at(mean, shared.virtual_loss);
            let totals = match chooser.is_lost(node) {
                true => parent.others,
                false => parent.others.with(mean, node.visits()),
            };
            if let (Some(pattern), Some(error)) = (parent.pattern, totals.error()) {
                shared.bias.learn(pattern, error);
            }
            below = Some((seat, totals.mean()));
        }
    }

    /// Adds the values of the leaf to the nodes of the path.
    #[inline(always)]
    fn back_up<E: Evaluator<G>>(&self, shared: &Shared<'_, G, E>, values: &PerSeat<f32>) {
        let tree = shared.tree;
        for &(seat, index) in &self.path {
            let value = shared.view.value(seat, values, G::SEATS);
            tree.node(index).back_up(value, shared.virtual_loss);
        }
    }

    /// From the leaf upwards, as long as results become known.
    #[inline(always)]
    fn propagate_proofs<E: Evaluator<G>>(&self, shared: &Shared<'_, G, E>, seat_at_leaf: Seat) {
        let tree = shared.tree;
        // A fresh leaf may be settled by children that end the game.
        let leaf = self.path.last().map_or(tree.root(), |&(_, index)| index);
        if tree.node(leaf).proof().is_none() {
            match proof::settled(tree, leaf, seat_at_leaf, G::SEATS) {
                Some(outcome) => tree.node(leaf).prove(outcome),
                None => return,
            }
        }
        for depth in (0..self.path.len()).rev() {
            // Of two workers that prove the last two children one sees both.
            fence(SeqCst);
            let (seat, _) = self.path[depth];
            let parent = if depth == 0 {
                tree.root()
            } else {
                self.path[depth - 1].1
            };
            match proof::settled(tree, parent, seat, G::SEATS) {
                Some(outcome) => tree.node(parent).prove(outcome),
                None => return,
            }
        }
    }
}

/// What a node was on the way down to its child on the path.
struct Parent {
    /// What its children come to but for the one in the path.
    others: Totals,
    /// The local pattern of the move into it, if its evaluation can teach something.
    pattern: Option<u64>,
}

/// Values of a game for two, from what `seat` has.
#[inline(always)]
fn of_two(seat: Seat, value: f32) -> PerSeat<f32> {
    let mut values = PerSeat([1.0 - value; 4]);
    values[seat] = value;
    values
}

/// Which seat made which move, for the all-moves-as-first statistics.
#[derive(Default)]
struct RaveScratch {
    /// By seat and move code: whether the seat made the move.
    made: Vec<bool>,
    touched: Vec<usize>,
}

impl RaveScratch {
    fn update(
        &mut self,
        tree: &Tree,
        move_codes: usize,
        path: &[(Seat, NodeIndex)],
        leaf: (Seat, NodeIndex),
        playout: &[(Seat, u16)],
        values: &PerSeat<f32>,
    ) {
        let slots = move_codes * crate::game::MAX_SEATS;
        if self.made.len() < slots {
            self.made = vec![false; slots];
        }
        let slot = |seat: Seat, code: u16| seat.index() * move_codes + usize::from(code);
        for &(seat, code) in playout {
            self.mark(slot(seat, code));
        }
        // From the leaf to the root: a child of a node gets a visit if its move was
        // made by the seat to move there, then or later.
        self.credit(tree, move_codes, leaf.1, leaf.0, values);
        for depth in (0..path.len()).rev() {
            let (seat, index) = path[depth];
            self.mark(slot(seat, tree.node(index).move_code()));
            let parent = if depth == 0 {
                tree.root()
            } else {
                path[depth - 1].1
            };
            self.credit(tree, move_codes, parent, seat, values);
        }
        for touched in self.touched.drain(..) {
            self.made[touched] = false;
        }
    }

    fn credit(
        &self,
        tree: &Tree,
        move_codes: usize,
        parent: NodeIndex,
        seat: Seat,
        values: &PerSeat<f32>,
    ) {
        let made = &self.made[seat.index() * move_codes..][..move_codes];
        let raves = tree.rave_children(parent);
        for (child, rave) in tree.children(parent).iter().zip(raves) {
            if made[usize::from(child.move_code())] {
                rave.add(values[seat]);
            }
        }
    }

    fn mark(&mut self, slot: usize) {
        if !self.made[slot] {
            self.made[slot] = true;
            self.touched.push(slot);
        }
    }
}
