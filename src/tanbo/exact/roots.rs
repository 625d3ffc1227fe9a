//! The first phase: a side has more than one root.

use tinyvec::ArrayVec;

use super::mask::Mask;
use super::one_root::OneRoot;
use super::ordering_network::OrderingNetworks;
use super::playable_space::PlayableSpace;
use super::rank;
use crate::cpu::{self, Kernel};
use crate::solver::{Child, Key, Next, Solvable};

/// Positions with this many playable points are ordered by a network. Measured on 17 endings of
/// 20 playable points: 14, 15, 16 and 17 took 1.46, 1.42, 1.44 and 1.55 thousand million
/// instructions, no network 1.72; on a seventh of all endings 16 took the fewest nodes.
const NETWORK_MIN_POINTS: u32 = 16;

/// The board and how its points are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BoardGeometry<M> {
    /// Points in a row.
    pub(super) side: u32,
    /// See [`Mask`].
    pub(super) stride: u32,
    pub(super) points: M,
}

/// One side's roots and where it can play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SideRoots<M: Mask, const N: usize> {
    stones: M,
    /// Empty points with exactly one own stone beside them.
    legal: M,
    /// Empty points without an own stone beside them.
    virgin: M,
    roots: ArrayVec<[M; N]>,
}

/// A position with any number of roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Roots<M: Mask, const N: usize> {
    own: SideRoots<M, N>,
    other: SideRoots<M, N>,
    board: BoardGeometry<M>,
}

impl<M: Mask, const N: usize> SideRoots<M, N> {
    /// The roots of these stones; `None` if there are more than `N`.
    fn new(stones: M, stride: u32) -> Option<Self> {
        let mut roots = ArrayVec::new();
        let mut left = stones;
        while !left.is_empty() {
            let root = M::bit(left.lowest()).flood(stones, stride);
            if roots.try_push(root).is_some() {
                return None;
            }
            left &= !root;
        }
        Some(Self {
            stones,
            legal: M::EMPTY,
            virgin: M::EMPTY,
            roots,
        })
    }

    #[inline(always)]
    fn update_legal(&mut self, empty: M, stride: u32) {
        let stones = self.stones;
        let (a, b, c, d) = (stones << 1, stones >> 1, stones << stride, stones >> stride);
        let (in_row, in_column) = (a | b, c | d);
        self.legal = empty & (in_row ^ in_column) & !(a & b | c & d);
        self.virgin = empty & !(in_row | in_column);
    }

    /// Removes all roots without space except `kept`; returns whether there were any.
    #[inline(always)]
    fn remove_bounded(&mut self, kept: M, stride: u32) -> bool {
        let before = self.roots.len();
        let mut i = 0;
        while let Some(&root) = self.roots.get(i) {
            if root != kept && (root.neighbours(stride) & self.legal).is_empty() {
                self.roots.swap_remove(i);
                self.stones &= !root;
            } else {
                i += 1;
            }
        }
        self.roots.len() < before
    }

    #[inline(always)]
    fn space(&self, stride: u32) -> PlayableSpace<M> {
        PlayableSpace::new(self.legal, self.virgin, stride)
    }

    /// The space of one root beyond the reach of `enemy`, as is all of `virgin`.
    #[inline(always)]
    fn alone(
        &self,
        root: usize,
        enemy: PlayableSpace<M>,
        virgin: M,
        stride: u32,
    ) -> PlayableSpace<M> {
        let legal = self.legal & self.roots[root].neighbours(stride) & !enemy.playable;
        PlayableSpace::new(legal, virgin, stride)
    }
}

impl<M: Mask, const N: usize> Roots<M, N> {
    /// The position with these stones, none of them in a bounded root; `None` if a side has more
    /// than `N`.
    pub(super) fn new(own: M, other: M, board: BoardGeometry<M>) -> Option<Self> {
        let mut position = Self {
            own: SideRoots::new(own, board.stride)?,
            other: SideRoots::new(other, board.stride)?,
            board,
        };
        position.update_legal();
        Some(position)
    }

    /// The stones of the side to move and of the other side.
    pub(super) fn stones(&self) -> [M; 2] {
        [self.own.stones, self.other.stones]
    }

    pub(super) fn legal(&self) -> M {
        self.own.legal
    }

    /// See [`Mask`].
    #[inline(always)]
    pub(super) fn stride(&self) -> u32 {
        self.board.stride
    }

    #[inline(always)]
    fn empty(&self) -> M {
        self.board.points & !self.own.stones & !self.other.stones
    }

    #[inline(always)]
    fn update_legal(&mut self) {
        let empty = self.empty();
        self.own.update_legal(empty, self.board.stride);
        self.other.update_legal(empty, self.board.stride);
    }

    /// The position after a move at `point`, which must be legal; an error says whether the side
    /// that moved has won, if the move ends the game.
    #[inline(always)]
    pub(super) fn play(&self, point: M) -> Result<Self, bool> {
        let stride = self.board.stride;
        let beside = point.neighbours(stride);
        let mut next = *self;
        let mut grown = M::EMPTY;
        for root in &mut next.own.roots {
            if !(*root & beside).is_empty() {
                *root |= point;
                grown = *root;
            }
        }
        next.own.stones |= point;
        next.own.update_legal(next.empty(), stride);
        next.other.legal &= !point;
        next.other.virgin &= !point;
        if (grown.neighbours(stride) & next.own.legal).is_empty() {
            next.own.roots.retain(|root| *root != grown);
            next.own.stones &= !grown;
            if next.own.roots.is_empty() {
                return Err(false);
            }
            next.update_legal();
        } else {
            let own = next.own.remove_bounded(grown, stride);
            let other = next.other.remove_bounded(M::EMPTY, stride);
            if next.other.roots.is_empty() {
                return Err(true);
            }
            if own || other {
                next.update_legal();
            }
        }
        std::mem::swap(&mut next.own, &mut next.other);
        Ok(next)
    }

    /// The position in the last phase, if each side has one root. Up to 7x7 it is the least of its
    /// eight views; positions later in the phase are not folded again.
    #[inline(always)]
    pub(super) fn one_root(&self) -> Option<OneRoot<M>> {
        if self.own.roots.len() != 1 || self.other.roots.len() != 1 {
            return None;
        }
        let stride = self.board.stride;
        let (own, other) = (self.own.space(stride), self.other.space(stride));
        let mut one_root = OneRoot::new(own, other, [0; 2], stride);
        let sets = M::canonical(one_root.sets(), self.board.side);
        let (own, other) = (&mut one_root.own, &mut one_root.other);
        [own.legal, own.playable, other.legal, other.playable] = sets;
        Some(one_root)
    }

    /// [`Roots::one_root`] outside the loops of the search, where it need not be compiled in.
    #[inline(never)]
    pub(super) fn one_root_once(&self) -> Option<OneRoot<M>> {
        self.one_root()
    }

    /// Whether the side to move wins, if counting decides; outside the loops of the search.
    #[inline(never)]
    pub(super) fn counted(&self) -> Option<bool> {
        self.bounds(self.spaces()).map(|(won, _)| won)
    }

    /// The playable spaces of the side to move and of the other side.
    #[inline(always)]
    pub(super) fn spaces(&self) -> [PlayableSpace<M>; 2] {
        let stride = self.board.stride;
        [self.own.space(stride), self.other.space(stride)]
    }

    /// The rank of a move that leads here, or whether the side to move wins if counting decides.
    #[inline(always)]
    pub(super) fn ranked(&self, networks: Option<&OrderingNetworks>) -> Result<i32, bool> {
        let spaces = self.spaces();
        match self.bounds(spaces) {
            Some((won, _)) => Err(won),
            None => Ok(self.rank(spaces, networks)),
        }
    }

    /// The rank of a move that leads here; `spaces` is [`Roots::spaces`].
    #[inline(always)]
    pub(super) fn rank(
        &self,
        spaces: [PlayableSpace<M>; 2],
        networks: Option<&OrderingNetworks>,
    ) -> i32 {
        let roots = [&self.own.roots[..], &self.other.roots[..]];
        rank::of_roots(spaces, roots, self.board.stride, networks)
    }
}

/// The stones that a root can certainly place here and still have space, and whether it has space.
#[inline(always)]
fn sure_and_safe<M: Mask>(side: PlayableSpace<M>, stride: u32) -> (u32, bool) {
    let some = side.sure_stones(stride);
    (some.saturating_sub(1), some > 0)
}

/// The roots that a side with two does not give up.
#[derive(Clone, Copy)]
enum Kept {
    Both,
    One(usize),
}

impl<M: Mask, const N: usize> Roots<M, N> {
    /// With two roots against one: whether the side to move wins, if counting decides, and an upper
    /// bound on the stones that the losing side can place. `spaces` is [`Roots::spaces`].
    #[inline(always)]
    pub(super) fn bounds(&self, spaces: [PlayableSpace<M>; 2]) -> Option<(bool, u32)> {
        let own = (&self.own, spaces[0]);
        let other = (&self.other, spaces[1]);
        let (two, single, two_move) = match (own.0.roots.len(), other.0.roots.len()) {
            (2, 1) => (own, other, true),
            (1, 2) => (other, own, false),
            _ => return None,
        };
        if let Some(most) = self.two_outlive(two, single, two_move) {
            return Some((two_move, most));
        }
        let most = self.one_outlives(single.1, two, !two_move);
        most.map(|most| (!two_move, most))
    }

    /// If the side with a single root certainly outlives the side with two, an upper bound on the
    /// stones of the two.
    ///
    /// Against the single root the two place no more than both can together, or no more than one
    /// until it is removed and then the other, which may use the freed space. The single root
    /// certainly places what it can on points that neither of them can ever reach.
    #[inline(always)]
    fn one_outlives(
        &self,
        own: PlayableSpace<M>,
        (two, all): (&SideRoots<M, N>, PlayableSpace<M>),
        single_to_move: bool,
    ) -> Option<u32> {
        let stride = self.board.stride;
        let empty = self.empty();
        let more = u32::from(single_to_move);
        let (mut most, mut reach) = (all.max_stones(stride), all.playable);
        // `most` and `reach` only grow below.
        if (own.playable & !reach).len() < most + more {
            return None;
        }
        for &gone in &two.roots {
            let first = PlayableSpace::new(two.legal & gone.neighbours(stride), two.virgin, stride);
            let mut left = *two;
            left.stones &= !gone;
            left.update_legal(empty | gone, stride);
            let left = left.space(stride);
            reach |= left.playable;
            most = most.max(first.max_stones(stride) + left.max_stones(stride));
        }
        own.can_place(own.playable & !reach, most + more, stride)
            .then_some(most)
    }

    /// If the side with two roots certainly outlives the side with a single one, an upper bound on
    /// the stones of the single one.
    ///
    /// The two may give one root up. They play only where the single one cannot get, not even
    /// after the other root is gone. If each root that they keep also keeps a point there, none
    /// of them can be bounded, so the single one never gains more space.
    #[inline(always)]
    fn two_outlive(
        &self,
        (two, all): (&SideRoots<M, N>, PlayableSpace<M>),
        (single, single_side): (&SideRoots<M, N>, PlayableSpace<M>),
        two_to_move: bool,
    ) -> Option<u32> {
        let stride = self.board.stride;
        let empty = self.empty();
        for kept in [Kept::Both, Kept::One(0), Kept::One(1)] {
            let enemy = match kept {
                Kept::Both => single_side,
                Kept::One(one) => {
                    let mut later = *single;
                    later.update_legal(empty | two.roots[1 - one], stride);
                    later.space(stride)
                }
            };
            let most = enemy.max_stones(stride);
            let needed = if two_to_move { most } else { most - 1 };
            if (all.playable & !enemy.playable).len() <= needed {
                match kept {
                    // If a root is given up, the single one only reaches more points.
                    Kept::Both => return None,
                    Kept::One(_) => continue,
                }
            }
            let virgin = two.virgin & !enemy.playable;
            let (spare, is_safe) = match kept {
                Kept::One(one) => sure_and_safe(two.alone(one, enemy, virgin, stride), stride),
                Kept::Both => {
                    // Neither may take from the other, so points that both reach do not count.
                    let a = two.alone(0, enemy, virgin, stride);
                    let b = two.alone(1, enemy, virgin, stride);
                    let both = a.playable & b.playable;
                    let legal = a.legal & !b.legal.neighbours(stride);
                    let a = PlayableSpace::new(legal, a.playable & virgin & !both, stride);
                    let b = PlayableSpace::new(b.legal, b.playable & virgin & !both, stride);
                    let (spare, is_safe) = sure_and_safe(a, stride);
                    let (more, is_safe_too) = sure_and_safe(b, stride);
                    (spare + more, is_safe && is_safe_too)
                }
            };
            if is_safe && spare >= needed {
                return Some(most);
            }
        }
        None
    }
}

struct Expand<'a, M: Mask, const N: usize> {
    position: &'a Roots<M, N>,
    children: &'a mut Vec<Child<Roots<M, N>>>,
}

impl<M: Mask, const N: usize> Kernel for Expand<'_, M, N> {
    type Output = Option<bool>;

    #[inline(always)]
    fn run(self) -> Option<bool> {
        let start = self.children.len();
        let [own, other] = self.position.spaces();
        let is_large = (own.playable | other.playable).len() >= NETWORK_MIN_POINTS;
        let networks = OrderingNetworks::get().filter(|_| is_large);
        for point in self.position.own.legal.points() {
            let next = match self.position.play(point) {
                Err(true) => return Some(true),
                Err(false) => continue,
                Ok(next) => next,
            };
            let later = next.one_root();
            let ranked = match &later {
                None => next.ranked(networks),
                Some(one_root) => one_root.ranked(networks),
            };
            match ranked {
                Err(false) => return Some(true),
                Err(true) => {}
                Ok(rank) => {
                    let next = match later {
                        None => Next::Same(next),
                        Some(one_root) => Next::Later(one_root),
                    };
                    self.children.push(Child::new(rank, next));
                }
            }
        }
        (self.children.len() == start).then_some(false)
    }
}

impl<M: Mask, const N: usize> Solvable for Roots<M, N> {
    type Later = OneRoot<M>;

    fn key(&self) -> Key {
        let stones = M::canonical(self.stones(), self.board.side);
        let [[a, c], [b, d]] = stones.map(M::words);
        Key::of(&[a, b, c, d])
    }

    #[inline(always)]
    fn size(&self) -> u32 {
        // More than the size of a later position with as many points: removals free points.
        self.empty().len() + 4
    }

    #[inline]
    fn expand(&self, children: &mut Vec<Child<Self>>) -> Option<bool> {
        let position = self;
        cpu::dispatch(Expand { position, children })
    }
}

#[cfg(test)]
mod tests {
    use super::super::naive::{STRIDE, count_two_against_one, has, set_of, some_points, touching};
    use super::*;
    use crate::util::random::Random;

    fn board() -> BoardGeometry<u64> {
        BoardGeometry {
            side: 7,
            stride: STRIDE,
            points: set_of(|_| true),
        }
    }

    #[test]
    fn legal_points_have_exactly_one_own_stone_beside_them() {
        let mut random = Random::new(12);
        let mut tested = 0;
        for _ in 0..500 {
            let own = some_points(&mut random) & some_points(&mut random);
            let other = some_points(&mut random) & !own;
            let Some(position) = Roots::<u64, 16>::new(own, other, board()) else {
                continue;
            };
            tested += 1;
            let empty = |place| !has(own | other, place);
            for side in [position.own, position.other] {
                let stones = side.stones;
                let legal = set_of(|&place| empty(place) && touching(stones, place) == 1);
                let virgin = set_of(|&place| empty(place) && touching(stones, place) == 0);
                assert_eq!((side.legal, side.virgin), (legal, virgin));
                let roots = side.roots.iter();
                assert_eq!(roots.fold(0, |all, root| all | root), stones);
            }
        }
        assert!(tested > 250, "{tested}");
    }

    /// One of the points of a set that is not empty.
    fn some_point(set: u64, random: &mut Random) -> u64 {
        let index = random.below(set.count_ones()) as usize;
        set.points().nth(index).unwrap()
    }

    /// The stones of a side with two roots and of one with a single root, grown from three points by
    /// random moves, in changing proportions; `None` if a root is bounded, or if neither side has
    /// half as many points to itself as the other has in all, so that counting can hardly decide.
    fn two_against_one(random: &mut Random) -> Option<[u64; 2]> {
        // The two roots are beside an edge, where a single one can shut them in.
        let edge = set_of(|&(row, _)| row < 2);
        let [a, b] = [0; 2].map(|_| some_point(edge, random));
        let mut sides = [a | b, some_point(board().points & !edge, random)];
        let share = random.below(4);
        for _ in 0..random.below(36) {
            let position: Roots<u64, 2> = Roots::new(sides[0], sides[1], board())?;
            let side = usize::from(random.below(4) < share);
            let legal = [position.own.legal, position.other.legal][side];
            if legal != 0 {
                sides[side] |= some_point(legal, random);
            }
        }
        let position: Roots<u64, 2> = Roots::new(sides[0], sides[1], board())?;
        let has_space = |side: &SideRoots<u64, 2>| {
            let mut roots = side.roots.iter();
            roots.all(|root| root.neighbours(STRIDE) & side.legal != 0)
        };
        let counts = (position.own.roots.len(), position.other.roots.len());
        let is_alive = has_space(&position.own) && has_space(&position.other);
        let [two, single] = position.spaces().map(|space| space.playable);
        let is_ahead = |a: u64, b: u64| 2 * (a & !b).len() >= b.len();
        let is_decided = is_ahead(two, single) || is_ahead(single, two);
        (counts == (2, 1) && is_alive && is_decided).then_some(sides)
    }

    #[test]
    fn bounds_of_two_roots_against_one_are_those_of_their_formulas() {
        let mut random = Random::new(14);
        // Nobody, the single root or the two roots win; the single root or the two are to move.
        let mut results = [[0; 2]; 3];
        for _ in 0..50_000 {
            let Some([two, single]) = two_against_one(&mut random) else {
                continue;
            };
            for two_to_move in [false, true] {
                let (own, other) = if two_to_move {
                    (two, single)
                } else {
                    (single, two)
                };
                let position: Roots<u64, 2> = Roots::new(own, other, board()).unwrap();
                let side = [&position.other, &position.own][usize::from(two_to_move)];
                let roots = side.roots.into_inner();
                let counted = count_two_against_one(roots, single, two_to_move);
                let expected = counted.map(|(two_win, most)| (two_win == two_to_move, most));
                assert_eq!(position.bounds(position.spaces()), expected, "{position:?}");
                let winner = counted.map_or(0, |(two_win, _)| 1 + usize::from(two_win));
                results[winner][usize::from(two_to_move)] += 1;
            }
        }
        assert!(
            results.iter().flatten().all(|&count| count > 20),
            "{results:?}"
        );
    }
}
