//! One iteration: down the tree, judge a leaf, back up.

use super::node::NodeIndex;
use super::proof;
use super::select::{self, Formula};
use super::tree::Tree;
use crate::game::{Evaluation, Evaluator, Game, PerSeat, Seat, View};
use crate::random::Random;

/// What all workers share.
pub(super) struct Shared<'a, G: Game, E: Evaluator<G>> {
    pub(super) tree: &'a Tree,
    pub(super) root: &'a G,
    pub(super) evaluator: &'a E,
    pub(super) formula: Formula,
    pub(super) view: View,
    pub(super) virtual_loss: u16,
}

/// What one worker has for itself; buffers are kept between iterations.
pub(super) struct Worker<G: Game> {
    pub(super) random: Random,
    /// Who moved into which node, from the root's child to the leaf.
    path: Vec<(Seat, NodeIndex)>,
    moves: Vec<G::Move>,
    evaluation: Evaluation,
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
            moves: Vec::new(),
            evaluation: Evaluation::default(),
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
        self.evaluation.playout.clear();
        tree.node(index).enter(shared.virtual_loss);
        let values = loop {
            if let Some(outcome) = tree.node(index).proof() {
                break outcome.values(G::SEATS);
            }
            if tree.children(index).is_empty() {
                break self.judge(shared, &mut position, index);
            }
            let seat = position.to_move();
            let place = select::select(tree, index, seat, G::SEATS, &shared.formula, &shared.view);
            index = tree.child(index, place);
            let node = tree.node(index);
            node.enter(shared.virtual_loss);
            self.path.push((seat, index));
            position.play(G::decode(node.move_code()));
        };
        self.back_up(shared, &values);
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
        self.propagate_proofs(shared, position.to_move());
    }

    /// The value of a leaf, which gets its children on the way.
    #[inline(always)]
    fn judge<E: Evaluator<G>>(
        &mut self,
        shared: &Shared<'_, G, E>,
        position: &mut G,
        index: NodeIndex,
    ) -> PerSeat<f32> {
        let tree = shared.tree;
        if let Some(outcome) = position.outcome() {
            tree.node(index).prove(outcome);
            return outcome.values(G::SEATS);
        }
        let claimed = tree.node(index).claim();
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
            tree.expand(
                index,
                self.moves.iter().map(|&m| G::code(m)),
                &self.evaluation.priors,
                &self.evaluation.policy,
            );
        }
        self.evaluation.values
    }

    #[inline(always)]
    fn back_up<E: Evaluator<G>>(&mut self, shared: &Shared<'_, G, E>, values: &PerSeat<f32>) {
        let tree = shared.tree;
        for (sum, value) in self.values.0.iter_mut().zip(values.0).take(G::SEATS) {
            *sum += f64::from(value);
        }
        // Nobody moved into the root: it keeps the value of the first seat.
        tree.node(tree.root())
            .back_up(values[Seat::ALL[0]], shared.virtual_loss);
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
