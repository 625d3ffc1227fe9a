//! One node of the tree: 32 bytes, all atomic.
//!
//! Workers read and write nodes without locks. Most accesses are relaxed: sums only have to be
//! right in the end, and a mean that misses a concurrent visit is set anew at the next one. Three
//! pairs of accesses need an order, a release before and an acquire after:
//!
//! - `state` publishes the children (as an entry of the transposition table does): a worker that
//!   sees it sees the children as they were written;
//! - `visits`: a worker that sees a visit sees its value;
//! - `virtual_visits`: a worker that sees that another one has left sees that one's visit.
//!
//! A worker that is alone needs no order.

use crate::game::{Outcome, Seat};
use crate::util::atomics::Ordering::{Acquire, Relaxed, Release};
use crate::util::atomics::{AtomicU8, AtomicU16, AtomicU32, AtomicU64};

/// Fixed-point units of a value of 1 in [`Node`] sums: with 32 bits of visits a sum stays below
/// 2^56.
const UNIT: f32 = (1 << 24) as f32;
/// Marks a node's value that is the mean of all visits, not their sum.
const IS_MEAN: u64 = 1 << 63;
/// Marks a mean with a pattern, which is in the 16 bits from [`PATTERN_SHIFT`] on. The bits below
/// hold the mean.
const HAS_PATTERN: u64 = 1 << 62;
const PATTERN_SHIFT: u32 = 32;
const PATTERN_BITS: u64 = HAS_PATTERN | 0xffff << PATTERN_SHIFT;

/// What a worker that enters a node adds to it until it leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct VirtualLoss {
    /// Virtual visits without value.
    pub(super) visits: u16,
    /// Only one worker runs, so plain loads and stores replace the locked instructions.
    pub(super) is_alone: bool,
}

/// For tests, in which other workers may run.
impl From<u16> for VirtualLoss {
    fn from(visits: u16) -> Self {
        Self {
            visits,
            is_alone: false,
        }
    }
}

/// The number of a node in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct NodeIndex(pub(super) u32);

/// A node stands for a move and the position after it.
///
/// Its values are utilities ([`MultiplayerUtility::value`](crate::game::MultiplayerUtility::value))
/// of the seat that made the move.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// The sum of the values of all visits, or, marked, their mean and perhaps the pattern.
    value: AtomicU64,
    visits: AtomicU32,
    first_child: AtomicU32,
    initial_value: AtomicU32,
    prior: AtomicU32,
    children: AtomicU16,
    move_code: AtomicU16,
    virtual_visits: AtomicU16,
    proof: AtomicU8,
    state: AtomicU8,
}

const LEAF: u8 = 0;
const EXPANDING: u8 = 1;
const EXPANDED: u8 = 2;
const FORWARDED: u8 = 3;

impl Node {
    /// Makes this a fresh leaf.
    pub(super) fn reset(
        &self,
        move_code: u16,
        initial_value: f32,
        prior: f32,
        proof: Option<Outcome>,
    ) {
        self.value.store(0, Relaxed);
        self.visits.store(0, Relaxed);
        self.first_child.store(0, Relaxed);
        self.initial_value.store(initial_value.to_bits(), Relaxed);
        self.prior.store(prior.to_bits(), Relaxed);
        self.children.store(0, Relaxed);
        self.move_code.store(move_code, Relaxed);
        self.virtual_visits.store(0, Relaxed);
        self.proof.store(encode(proof), Relaxed);
        self.state.store(LEAF, Relaxed);
    }

    /// Copies everything but the children from `other`. No worker may run.
    pub(super) fn copy_from(&self, other: &Node) {
        self.reset(
            other.move_code(),
            other.initial_value(),
            other.prior(),
            other.proof(),
        );
        self.value.store(other.value.load(Relaxed), Relaxed);
        self.visits.store(other.visits(), Relaxed);
    }

    /// Exchanges everything with `other`. No worker may run.
    pub(super) fn swap(&self, other: &Node) {
        if std::ptr::eq(self, other) {
            return;
        }
        macro_rules! swap {
            ($($field:ident),+) => {$(
                let mine = self.$field.load(Relaxed);
                self.$field.store(other.$field.load(Relaxed), Relaxed);
                other.$field.store(mine, Relaxed);
            )+};
        }
        swap!(value, visits, first_child, initial_value, prior);
        swap!(children, move_code, virtual_visits, proof, state);
    }

    /// Finished iterations through this node.
    #[inline(always)]
    pub(super) fn visits(&self) -> u32 {
        self.visits.load(Relaxed)
    }

    /// The number of workers on their way through this node, times the virtual loss.
    #[inline(always)]
    pub(super) fn virtual_visits(&self) -> u32 {
        u32::from(self.virtual_visits.load(Acquire))
    }

    /// Whether no worker was here or is on its way, and the result is unknown.
    #[inline(always)]
    pub(super) fn is_untouched(&self) -> bool {
        // In this order: a worker that leaves in between has counted its visit.
        self.virtual_visits() == 0 && self.visits() == 0 && self.proof().is_none()
    }

    /// The sum of the values of all visits, and the visits.
    #[inline(always)]
    pub(super) fn totals(&self) -> (f32, u32) {
        // In this order: a visit that is seen has stored its value.
        let (visits, value) = (self.visits.load(Acquire), self.value.load(Relaxed));
        let sum = match value & IS_MEAN {
            0 => value,
            _ => u64::from(value as u32) * u64::from(visits),
        };
        // Far below 2^63. A conversion from `u64` takes several instructions and a branch.
        (sum as i64 as f32 * (1.0 / UNIT), visits)
    }

    /// The mean value of the visits, 0 to 1; the initial value without visits.
    pub(super) fn mean(&self) -> f32 {
        match self.totals() {
            (_, 0) => self.initial_value(),
            (sum, visits) => sum / visits as f32,
        }
    }

    /// The value before any visit, 0 to 1: the evaluation of the move into this node. With priors
    /// it is the evaluation of the parent, the same for all siblings.
    #[inline(always)]
    pub(super) fn initial_value(&self) -> f32 {
        f32::from_bits(self.initial_value.load(Relaxed))
    }

    /// The prior probability that the move into this node is the best, 0 to 1; 0 if the evaluator
    /// has no priors.
    #[inline(always)]
    pub(super) fn prior(&self) -> f32 {
        f32::from_bits(self.prior.load(Relaxed))
    }

    /// Changes the prior. No worker may run.
    pub(super) fn set_prior(&self, prior: f32) {
        self.prior.store(prior.to_bits(), Relaxed);
    }

    #[inline(always)]
    pub(super) fn move_code(&self) -> u16 {
        self.move_code.load(Relaxed)
    }

    /// The exact result, once it is known.
    #[inline(always)]
    pub(super) fn proof(&self) -> Option<Outcome> {
        decode(self.proof.load(Relaxed))
    }

    pub(super) fn prove(&self, outcome: Outcome) {
        self.set_proof(Some(outcome));
    }

    /// Stores the exact result, or that it is unknown.
    pub(super) fn set_proof(&self, result: Option<Outcome>) {
        self.proof.store(encode(result), Relaxed);
    }

    /// A worker enters on its way down.
    #[inline(always)]
    pub(super) fn enter(&self, loss: impl Into<VirtualLoss>) {
        let VirtualLoss { visits, is_alone } = loss.into();
        if is_alone {
            let before = self.virtual_visits.load(Relaxed);
            self.virtual_visits
                .store(before.wrapping_add(visits), Relaxed);
        } else {
            self.virtual_visits.fetch_add(visits, Relaxed);
        }
    }

    /// Adds a value, 0 to 1, and the visit of a worker that entered.
    #[inline(always)]
    pub(super) fn add_value(&self, value: f32, loss: impl Into<VirtualLoss>) {
        let loss = loss.into();
        let value = (value * UNIT) as u64;
        if loss.is_alone {
            self.value.store(self.value.load(Relaxed) + value, Relaxed);
        } else {
            self.value.fetch_add(value, Relaxed);
        }
        self.leave(loss);
    }

    /// Sets the mean of all visits, including this one of a worker that entered. Two threads may
    /// race here; the mean may miss the other one's result until the next visit.
    #[inline(always)]
    pub(super) fn set_mean(&self, mean: f32, loss: impl Into<VirtualLoss>) {
        self.store_mean(mean);
        self.leave(loss);
    }

    /// Stores the mean beside the pattern.
    #[inline(always)]
    fn store_mean(&self, mean: f32) {
        let before = self.value.load(Relaxed);
        let pattern = match before & HAS_PATTERN {
            0 => 0,
            _ => before & PATTERN_BITS,
        };
        self.value
            .store(IS_MEAN | pattern | (mean * UNIT) as u64, Relaxed);
    }

    /// The local pattern of the move into this node, if it was stored.
    #[inline(always)]
    pub(super) fn pattern(&self) -> Option<u16> {
        let value = self.value.load(Relaxed);
        (value & HAS_PATTERN != 0).then_some((value >> PATTERN_SHIFT) as u16)
    }

    /// Stores the local pattern of the move into a node whose value is a mean or not set yet. A worker
    /// that stores a mean meanwhile may erase the pattern.
    pub(super) fn set_pattern(&self, pattern: u16) {
        debug_assert!(matches!(self.value.load(Relaxed), 0 | IS_MEAN..), "a sum");
        let pattern = u64::from(pattern) << PATTERN_SHIFT;
        self.value
            .fetch_or(IS_MEAN | HAS_PATTERN | pattern, Relaxed);
    }

    /// Counts the visit of a worker that entered and leaves the value as it is.
    #[inline(always)]
    pub(super) fn leave(&self, loss: impl Into<VirtualLoss>) {
        let VirtualLoss { visits, is_alone } = loss.into();
        if is_alone {
            let before = self.visits.load(Relaxed);
            self.visits.store(before.wrapping_add(1), Relaxed);
            let before = self.virtual_visits.load(Relaxed);
            self.virtual_visits
                .store(before.wrapping_sub(visits), Relaxed);
        } else {
            self.visits.fetch_add(1, Release);
            self.virtual_visits.fetch_sub(visits, Release);
        }
    }

    /// Makes a node that lost its children count as visited once. The mean of its next few visits
    /// would otherwise have the weight of many. No worker may run.
    pub(super) fn forget_visits(&self) {
        let mean = self.mean();
        self.visits.store(self.visits().min(1), Relaxed);
        self.store_mean(mean);
    }

    /// Stores where the copy of this node is; the rest of the node is invalid from then on.
    pub(super) fn forward(&self, to: NodeIndex) {
        self.first_child.store(to.0, Relaxed);
        self.state.store(FORWARDED, Relaxed);
    }

    /// The copy of this node, if there is one.
    pub(super) fn forwarded(&self) -> Option<NodeIndex> {
        let is_forwarded = self.state.load(Relaxed) == FORWARDED;
        is_forwarded.then(|| NodeIndex(self.first_child.load(Relaxed)))
    }

    /// The first child and the number of children, if the node is expanded.
    #[inline(always)]
    pub(super) fn children(&self) -> Option<(NodeIndex, usize)> {
        if self.state.load(Acquire) != EXPANDED {
            return None;
        }
        let first = NodeIndex(self.first_child.load(Relaxed));
        Some((first, usize::from(self.children.load(Relaxed))))
    }

    /// Claims the right to expand this leaf; false if another worker has it.
    pub(super) fn claim(&self) -> bool {
        let state = &self.state;
        let claimed = state.compare_exchange(LEAF, EXPANDING, Relaxed, Relaxed);
        claimed.is_ok()
    }

    /// Returns the right to expand.
    pub(super) fn unclaim(&self) {
        self.state.store(LEAF, Relaxed);
    }

    /// Makes children visible that were written before.
    pub(super) fn publish(&self, first: NodeIndex, count: usize) {
        self.first_child.store(first.0, Relaxed);
        self.children.store(count as u16, Relaxed);
        self.state.store(EXPANDED, Release);
    }
}

fn encode(proof: Option<Outcome>) -> u8 {
    match proof {
        None => 0,
        Some(Outcome::Draw) => 1,
        Some(Outcome::Winner(seat)) => 2 + seat.index() as u8,
    }
}

#[inline(always)]
fn decode(proof: u8) -> Option<Outcome> {
    match proof {
        0 => None,
        1 => Some(Outcome::Draw),
        code => Some(Outcome::Winner(Seat::new(usize::from(code) - 2))),
    }
}

/// All-moves-as-first statistics of a node, stored beside it if RAVE is on.
#[derive(Debug, Default)]
pub(super) struct RaveNode {
    value_sum: AtomicU64,
    visits: AtomicU32,
}

impl RaveNode {
    pub(super) fn reset(&self) {
        self.value_sum.store(0, Relaxed);
        self.visits.store(0, Relaxed);
    }

    pub(super) fn copy_from(&self, other: &RaveNode) {
        self.value_sum.store(other.value_sum.load(Relaxed), Relaxed);
        self.visits.store(other.visits.load(Relaxed), Relaxed);
    }

    #[inline(always)]
    pub(super) fn add(&self, value: f32) {
        self.value_sum.fetch_add((value * UNIT) as u64, Relaxed);
        self.visits.fetch_add(1, Relaxed);
    }

    /// The sum of the values and the number of visits.
    #[inline(always)]
    pub(super) fn totals(&self) -> (f32, u32) {
        let sum = self.value_sum.load(Relaxed) as f32 * (1.0 / UNIT);
        (sum, self.visits.load(Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_read_back() {
        let node = Node::default();
        let winners = Seat::ALL.map(Outcome::Winner).into_iter();
        for outcome in winners.chain([Outcome::Draw]) {
            node.prove(outcome);
            assert_eq!(node.proof(), Some(outcome));
        }
        node.reset(7, 0.25, 0.0, None);
        let found = (node.proof(), node.move_code(), node.mean());
        assert_eq!(found, (None, 7, 0.25));
    }

    #[test]
    fn the_pattern_stays_beside_the_mean() {
        let node = Node::default();
        assert_eq!(node.pattern(), None);
        node.set_pattern(u16::MAX);
        assert_eq!((node.pattern(), node.totals()), (Some(u16::MAX), (0.0, 0)));
        for mean in [1.0, 0.25] {
            node.enter(1);
            node.set_mean(mean, 1);
            assert_eq!((node.pattern(), node.mean()), (Some(u16::MAX), mean));
        }
        node.forget_visits();
        let copy = Node::default();
        copy.copy_from(&node);
        assert_eq!((copy.pattern(), copy.totals()), (Some(u16::MAX), (0.25, 1)));
        node.reset(1, 0.5, 0.5, None);
        assert_eq!(node.pattern(), None);
        // A large sum does not look like a pattern.
        for _ in 0..300 {
            node.enter(0);
            node.add_value(1.0, 0);
        }
        assert_eq!((node.pattern(), node.totals()), (None, (300.0, 300)));
    }

    #[test]
    fn a_worker_alone_counts_as_one_among_others() {
        let [nodes, sums] = [(); 2].map(|()| [Node::default(), Node::default()]);
        for (node, is_alone) in nodes.iter().zip([false, true]) {
            let loss = VirtualLoss {
                visits: 3,
                is_alone,
            };
            node.enter(loss);
            node.enter(loss);
            node.set_mean(0.5, loss);
        }
        for (node, is_alone) in sums.iter().zip([false, true]) {
            let loss = VirtualLoss {
                visits: 1,
                is_alone,
            };
            node.enter(loss);
            node.add_value(0.25, loss);
            node.enter(loss);
            node.add_value(0.5, loss);
        }
        let counts = |node: &Node| (node.visits(), node.virtual_visits(), node.totals());
        assert_eq!(counts(&nodes[1]), (1, 3, (0.5, 1)));
        assert_eq!(counts(&nodes[0]), counts(&nodes[1]));
        assert_eq!(counts(&sums[1]), (2, 0, (0.75, 2)));
        assert_eq!(counts(&sums[0]), counts(&sums[1]));
    }

    #[test]
    fn sums_stay_exact_over_many_visits() {
        let node = Node::default();
        for _ in 0..100_000 {
            node.enter(3);
            node.add_value(0.75, 3);
        }
        assert_eq!(node.mean(), 0.75);
        assert_eq!((node.visits(), node.virtual_visits()), (100_000, 0));
    }

    #[test]
    fn means_are_set_and_corrected() {
        let node = Node::default();
        for (visits, mean) in [(1, 0.5), (2, 1.0), (3, 0.25), (4, 0.0), (5, 0.75)] {
            node.enter(2);
            node.set_mean(mean, 2);
            assert_eq!((node.visits(), node.mean()), (visits, mean));
            assert_eq!(node.virtual_visits(), 0);
        }
        node.forget_visits();
        assert_eq!((node.visits(), node.mean()), (1, 0.75));
        let fresh = Node::default();
        fresh.reset(1, 0.25, 0.0, None);
        fresh.forget_visits();
        assert_eq!((fresh.visits(), fresh.mean()), (0, 0.25));
    }

    #[test]
    fn means_that_many_set_at_once_stay_between_theirs() {
        let node = Node::default();
        std::thread::scope(|scope| {
            for thread in 0..4u8 {
                let node = &node;
                scope.spawn(move || {
                    for i in 0..20_000u32 {
                        node.enter(1);
                        let is_high = (i + u32::from(thread)) % 7 < 3;
                        node.set_mean(if is_high { 0.9 } else { 0.3 }, 1);
                        assert!((0.299..=0.901).contains(&node.mean()));
                    }
                });
            }
        });
        assert_eq!((node.visits(), node.virtual_visits()), (80_000, 0));
        node.enter(1);
        node.set_mean(0.5, 1);
        assert_eq!(node.mean(), 0.5);
    }
}
