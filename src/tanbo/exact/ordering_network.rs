//! A small network that orders moves in positions with many playable points. It costs several
//! times as much as the sums of [`rank`](super::rank), which is little next to the thousands of
//! positions that may lie below a move.
//!
//! Each phase has a network with one hidden layer, `w2 . max(0, w1 . x + b1) + b2`, where `x`
//! holds [`INPUTS`] counts of the side to move and as many of the other side. Lower outputs are
//! searched first. `ordering_network.txt` holds the weights and tells how they were trained.

use std::sync::LazyLock;

use super::mask::Mask;
use super::playable_space::PlayableSpace;

/// Inputs of each side, see [`SideView::inputs`].
const INPUTS: usize = 15;
const HIDDEN: usize = 16;
/// One root each, one against two, two against one, all others.
const PHASES: usize = 4;
/// The rank is the output times this.
const SCALE: f32 = 1000.0;

struct Network {
    w1: [[[f32; HIDDEN]; INPUTS]; 2],
    b1: [f32; HIDDEN],
    w2: [f32; HIDDEN],
    b2: f32,
}

pub(super) struct OrderingNetworks([Network; PHASES]);

/// What the order of moves depends on, of one side.
#[derive(Clone, Copy)]
pub(super) struct SideView<'a, M> {
    pub(super) space: PlayableSpace<M>,
    /// The stones of each root; empty if each side has one root.
    pub(super) roots: &'a [M],
    /// An upper bound on the stones that fit into the space.
    pub(super) most: u32,
    pub(super) spare: u32,
}

impl<M: Mask> SideView<'_, M> {
    /// The inputs of the network.
    #[inline(always)]
    fn inputs(&self, enemy: PlayableSpace<M>, stride: u32) -> [f32; INPUTS] {
        let count = |set: M| set.len() as f32;
        let PlayableSpace { legal, playable } = self.space;
        let beside = legal.neighbours(stride);
        let virgin = playable & !legal;
        let near = virgin & beside;
        let enemy_near = enemy.playable & !enemy.legal & enemy.legal.neighbours(stride);
        let (a, b, c, d) = (legal << 1, legal >> 1, legal << stride, legal >> stride);
        let twice = a & b | c & d | (a | b) & (c | d);
        let mut weakest = u32::MAX;
        for root in self.roots {
            weakest = weakest.min((root.neighbours(stride) & legal).len());
        }
        [
            count(playable),
            count(legal),
            self.most as f32,
            // Out of the other side's reach.
            count(playable & !enemy.playable),
            count(legal & !enemy.playable),
            // Legal points that spoil each other.
            count(legal & beside),
            // Points that a move makes legal.
            count(near),
            self.spare as f32,
            if self.roots.is_empty() {
                0.0
            } else {
                weakest as f32
            },
            self.roots.len() as f32,
            // Two steps away.
            count(virgin & !near & near.neighbours(stride)),
            // Legal points where a move neither takes nor makes another one.
            count(legal & !beside & !virgin.neighbours(stride)),
            // Pairs of neighbours.
            count(playable & playable << 1) + count(playable & playable << stride),
            // Legal points that the other side reaches with one or two moves.
            count(legal & (enemy_near | enemy.legal)),
            // Points beside two legal ones.
            count(twice & virgin),
        ]
    }
}

impl OrderingNetworks {
    /// The embedded networks.
    pub(super) fn get() -> Option<&'static Self> {
        static NETWORKS: LazyLock<Option<OrderingNetworks>> =
            LazyLock::new(|| OrderingNetworks::read(include_str!("ordering_network.txt")));
        // Always there: the file is embedded and a test reads it.
        NETWORKS.as_ref()
    }

    /// One network a line; lines that begin with `#` are comments.
    fn read(text: &str) -> Option<Self> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let mut networks = [const { None }; PHASES];
        for network in &mut networks {
            let mut numbers = lines.next()?.split_whitespace();
            let mut number = || {
                numbers
                    .next()?
                    .parse::<f32>()
                    .ok()
                    .filter(|x| x.is_finite())
            };
            let mut read = Network {
                w1: [[[0.0; HIDDEN]; INPUTS]; 2],
                b1: [0.0; HIDDEN],
                w2: [0.0; HIDDEN],
                b2: 0.0,
            };
            let w1 = read.w1.as_flattened_mut().as_flattened_mut().iter_mut();
            let rest = read.b1.iter_mut().chain(&mut read.w2).chain([&mut read.b2]);
            for weight in w1.chain(rest) {
                *weight = number()?;
            }
            *network = numbers.next().is_none().then_some(read);
        }
        let [Some(a), Some(b), Some(c), Some(d)] = networks else {
            return None;
        };
        lines.next().is_none().then_some(Self([a, b, c, d]))
    }

    /// The rank of a move that leads to a position with these sides, the side to move first.
    #[inline(always)]
    pub(super) fn rank<M: Mask>(&self, views: [SideView<'_, M>; 2], stride: u32) -> i32 {
        let [own, other] = views;
        let kind = match (own.roots.len(), other.roots.len()) {
            (0, _) => 0,
            (1, 2) => 1,
            (2, 1) => 2,
            _ => 3,
        };
        let network = &self.0[kind];
        let counts = own.inputs(other.space, stride);
        let other_counts = other.inputs(own.space, stride);
        // Two independent sums run in parallel.
        let (mut sum, mut other_sum) = (network.b1, [0.0; HIDDEN]);
        let rows = counts.iter().zip(&network.w1[0]);
        let other_rows = other_counts.iter().zip(&network.w1[1]);
        for ((count, weights), (other_count, other_weights)) in rows.zip(other_rows) {
            for (unit, weight) in sum.iter_mut().zip(weights) {
                *unit += count * weight;
            }
            for (unit, weight) in other_sum.iter_mut().zip(other_weights) {
                *unit += other_count * weight;
            }
        }
        let mut output = network.b2;
        for ((unit, other_unit), weight) in sum.iter().zip(&other_sum).zip(&network.w2) {
            output += (unit + other_unit).max(0.0) * weight;
        }
        (output * SCALE) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::super::naive::{
        STRIDE, count, has, places, set_of, some_points, some_space, touching,
    };
    use super::*;
    use crate::util::random::Random;

    #[test]
    fn the_weights_are_read() {
        assert!(OrderingNetworks::get().is_some());
        assert!(OrderingNetworks::read("").is_none());
        let text = include_str!("ordering_network.txt");
        assert!(OrderingNetworks::read(&format!("{text}1\n")).is_none());
        let (shorter, _) = text.trim_end().rsplit_once(' ').unwrap();
        assert!(OrderingNetworks::read(shorter).is_none());
        assert!(OrderingNetworks::read(&format!("{shorter} nan")).is_none());
        assert!(OrderingNetworks::read(&format!("{shorter} 1")).is_some());
    }

    /// The inputs, point by point.
    fn expected(view: &SideView<'_, u64>, enemy: PlayableSpace<u64>) -> [f32; INPUTS] {
        let PlayableSpace { legal, playable } = view.space;
        let is_legal = |p| has(legal, p);
        let is_virgin = |p| has(playable, p) && !has(legal, p);
        let is_near = |p| is_virgin(p) && touching(legal, p) > 0;
        let near = set_of(|&p| is_near(p));
        let virgin = playable & !legal;
        let soon = |p| {
            let next = has(enemy.playable, p) && touching(enemy.legal, p) > 0;
            next || has(enemy.legal, p)
        };
        let beside = |root: &u64| count(|p| is_legal(p) && touching(*root, p) > 0);
        let weakest = view.roots.iter().map(beside).min();
        let pairs: u32 = places()
            .filter(|&p| has(playable, p))
            .map(|p| touching(playable, p))
            .sum();
        let inputs = [
            count(|p| has(playable, p)),
            count(is_legal),
            view.most,
            count(|p| has(playable, p) && !has(enemy.playable, p)),
            count(|p| is_legal(p) && !has(enemy.playable, p)),
            count(|p| is_legal(p) && touching(legal, p) > 0),
            count(is_near),
            view.spare,
            weakest.unwrap_or(0),
            view.roots.len() as u32,
            count(|p| is_virgin(p) && !is_near(p) && touching(near, p) > 0),
            count(|p| is_legal(p) && touching(legal, p) + touching(virgin, p) == 0),
            pairs / 2,
            count(|p| is_legal(p) && soon(p)),
            count(|p| is_virgin(p) && touching(legal, p) > 1),
        ];
        inputs.map(|input| input as f32)
    }

    #[test]
    fn ranks_are_outputs_for_the_counts_of_points() {
        let mut random = Random::new(6);
        let networks = OrderingNetworks::get().unwrap();
        for _ in 0..200 {
            for (roots, kind) in [
                ([0, 0], 0),
                ([1, 2], 1),
                ([2, 1], 2),
                ([2, 2], 3),
                ([1, 3], 3),
                ([3, 1], 3),
            ] {
                let mut some_roots =
                    |n| -> Vec<u64> { (0..n).map(|_| some_points(&mut random)).collect() };
                let roots = roots.map(&mut some_roots);
                let mut view = |side: usize| SideView {
                    space: some_space(&mut random),
                    roots: &roots[side],
                    most: random.below(9),
                    spare: random.below(9),
                };
                let views = [view(0), view(1)];
                let inputs = [
                    expected(&views[0], views[1].space),
                    expected(&views[1], views[0].space),
                ];
                assert_eq!(views[0].inputs(views[1].space, STRIDE), inputs[0]);
                assert_eq!(views[1].inputs(views[0].space, STRIDE), inputs[1]);
                let network = &networks.0[kind];
                let mut output = f64::from(network.b2);
                for unit in 0..HIDDEN {
                    let mut sum = f64::from(network.b1[unit]);
                    for (side, inputs) in inputs.iter().enumerate() {
                        for (x, weights) in inputs.iter().zip(&network.w1[side]) {
                            sum += f64::from(*x) * f64::from(weights[unit]);
                        }
                    }
                    output += sum.max(0.0) * f64::from(network.w2[unit]);
                }
                let rank = f64::from(networks.rank(views, STRIDE));
                assert!(
                    (rank - output * f64::from(SCALE)).abs() < 3.0,
                    "{rank} {output}"
                );
            }
        }
    }
}
