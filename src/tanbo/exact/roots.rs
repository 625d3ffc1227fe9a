//! Any number of roots: the first phase.

use tinyvec::ArrayVec;

use super::duel::Duel;
use super::mask::Mask;
use super::net::Nets;
use super::rank;
use super::side::Side;
use crate::cpu::{self, Kernel};
use crate::solver::{Child, Key, Next, Solvable};

/// Positions with so many playable points are worth a look by a network. Measured on 17 endings
/// of 20 playable points: 14, 15, 16 and 17 took 1.46, 1.42, 1.44 and 1.55 thousand million
/// instructions, never 1.72; every seventh of all took the fewest nodes with 16.
const LARGE: u32 = 16;
/// The most roots a side.
pub(super) const MOST_ROOTS: usize = 13;

/// The board under a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Board<M> {
    /// Points a row.
    pub(super) side: u32,
    /// See [`Mask`].
    pub(super) stride: u32,
    /// All points.
    pub(super) points: M,
}

/// One side's stones and where it can play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Camp<M: Mask> {
    stones: M,
    /// Empty points with exactly one own stone beside them.
    legal: M,
    /// Empty points with no own stone beside them.
    virgin: M,
    roots: ArrayVec<[M; MOST_ROOTS]>,
}

/// A position with any number of roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Roots<M: Mask> {
    own: Camp<M>,
    other: Camp<M>,
    board: Board<M>,
}

impl<M: Mask> Camp<M> {
    /// The roots of some stones; none if there are too many.
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
    fn look(&mut self, empty: M, stride: u32) {
        let stones = self.stones;
        let (a, b, c, d) = (stones << 1, stones >> 1, stones << stride, stones >> stride);
        let one = (a ^ b ^ c ^ d) & !(a & b | c & d | (a ^ b) & (c ^ d));
        self.legal = one & empty;
        self.virgin = empty & !(a | b | c | d);
    }

    /// Takes all roots without space off, but for `kept`; whether there was one.
    #[inline(always)]
    fn remove_bounded(&mut self, kept: M, stride: u32) -> bool {
        let before = self.roots.len();
        let mut i = 0;
        while let Some(&root) = self.roots.get(i) {
            if root != kept && (root.beside(stride) & self.legal).is_empty() {
                self.roots.swap_remove(i);
                self.stones &= !root;
            } else {
                i += 1;
            }
        }
        self.roots.len() < before
    }

    #[inline(always)]
    fn side(&self, stride: u32) -> Side<M> {
        Side::new(self.legal, self.virgin, stride)
    }

    /// What one of the roots can reach where `enemy` never gets to; `virgin` are such points.
    #[inline(always)]
    fn alone(&self, root: usize, enemy: Side<M>, virgin: M, stride: u32) -> Side<M> {
        let legal = self.legal & self.roots[root].beside(stride) & !enemy.open;
        Side::new(legal, virgin, stride)
    }
}

impl<M: Mask> Roots<M> {
    /// The position with these stones, the side to move first; none if a side has too many
    /// roots. No root may be bounded.
    pub(super) fn new(own: M, other: M, board: Board<M>) -> Option<Self> {
        let mut position = Self {
            own: Camp::new(own, board.stride)?,
            other: Camp::new(other, board.stride)?,
            board,
        };
        position.look();
        Some(position)
    }

    /// The stones of the side to move and of the other side.
    pub(super) fn stones(&self) -> [M; 2] {
        [self.own.stones, self.other.stones]
    }

    /// Where the side to move may play.
    pub(super) fn legal(&self) -> M {
        self.own.legal
    }

    /// Where the side that is not to move may play.
    #[inline(always)]
    pub(super) fn other_legal(&self) -> M {
        self.other.legal
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
    fn look(&mut self) {
        let empty = self.empty();
        self.own.look(empty, self.board.stride);
        self.other.look(empty, self.board.stride);
    }

    /// After a move at `point`, which is legal; whether the side that moved has won, if that
    /// ends the game.
    #[inline(always)]
    pub(super) fn play(&self, point: M) -> Result<Self, bool> {
        let stride = self.board.stride;
        let beside = point.beside(stride);
        let mut next = *self;
        let mut grown = M::EMPTY;
        for root in &mut next.own.roots {
            if !(*root & beside).is_empty() {
                *root |= point;
                grown = *root;
            }
        }
        next.own.stones |= point;
        next.own.look(next.empty(), stride);
        next.other.legal &= !point;
        next.other.virgin &= !point;
        if (grown.beside(stride) & next.own.legal).is_empty() {
            next.own.roots.retain(|root| *root != grown);
            next.own.stones &= !grown;
            if next.own.roots.is_empty() {
                return Err(false);
            }
            next.look();
        } else {
            let own = next.own.remove_bounded(grown, stride);
            let other = next.other.remove_bounded(M::EMPTY, stride);
            if next.other.roots.is_empty() {
                return Err(true);
            }
            if own || other {
                next.look();
            }
        }
        std::mem::swap(&mut next.own, &mut next.other);
        Ok(next)
    }

    /// The same position in its last phase, if it has come to that.
    #[inline(always)]
    pub(super) fn duel(&self) -> Option<Duel<M>> {
        if self.own.roots.len() != 1 || self.other.roots.len() != 1 {
            return None;
        }
        let stride = self.board.stride;
        let (own, other) = (self.own.side(stride), self.other.side(stride));
        let duel = Duel::new(own, other, [0; 2], stride);
        let sets = [duel.own, duel.other].map(|side| [side.legal, side.open]);
        let sets = [sets[0][0], sets[0][1], sets[1][0], sets[1][1]];
        let [own_legal, own_open, other_legal, other_open] = M::least(sets, self.board.side);
        Some(Duel {
            own: Side {
                legal: own_legal,
                open: own_open,
            },
            other: Side {
                legal: other_legal,
                open: other_open,
            },
            ..duel
        })
    }

    /// The space of the side to move and of the other side, of all their roots.
    #[inline(always)]
    pub(super) fn sides(&self) -> [Side<M>; 2] {
        let stride = self.board.stride;
        [self.own.side(stride), self.other.side(stride)]
    }

    /// The rank of a move that leads here, or whether the side to move wins, where counting
    /// tells.
    #[inline(always)]
    pub(super) fn ranked(&self, nets: Option<&Nets>) -> Result<i32, bool> {
        let sides = self.sides();
        match self.bounds(sides) {
            Some((won, _)) => Err(won),
            None => Ok(self.rank(sides, nets)),
        }
    }

    /// The rank of a move that leads here; `sides` are the position's.
    #[inline(always)]
    pub(super) fn rank(&self, sides: [Side<M>; 2], nets: Option<&Nets>) -> i32 {
        let roots = [&self.own.roots[..], &self.other.roots[..]];
        rank::of_roots(sides, roots, self.board.stride, nets)
    }
}

/// Stones that a root with this space can place and still have space, and whether it has any.
#[inline(always)]
fn spare_and_safe<M: Mask>(side: Side<M>, stride: u32) -> (u32, bool) {
    let some = side.some(stride);
    (some.saturating_sub(1), some > 0)
}

/// The roots of a side of which some are given up, by number; `Both` where none is.
#[derive(Clone, Copy)]
enum Kept {
    Both,
    One(usize),
}

impl<M: Mask> Roots<M> {
    /// Whether the side to move wins, as far as counting tells, and how many stones the other
    /// side can then place at most: a side with two roots against one with a single root.
    /// `sides` are the position's.
    #[inline(always)]
    pub(super) fn bounds(&self, sides: [Side<M>; 2]) -> Option<(bool, u32)> {
        let own = (&self.own, sides[0]);
        let other = (&self.other, sides[1]);
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

    /// If a side with a single root surely outlives one with two, the stones that the two can
    /// place at most.
    ///
    /// The two place no more stones than they can both together, or than the one that goes
    /// first can and after that the one that is left, which may then play where the first one
    /// was. What the single one can place where neither ever gets to is for certain.
    #[inline(always)]
    fn one_outlives(
        &self,
        own: Side<M>,
        (two, all): (&Camp<M>, Side<M>),
        single_to_move: bool,
    ) -> Option<u32> {
        let stride = self.board.stride;
        let empty = self.empty();
        let more = u32::from(single_to_move);
        let (mut most, mut reach) = (all.most(stride), all.open);
        // Both only grow below.
        if (own.open & !reach).len() < most + more {
            return None;
        }
        for &gone in &two.roots {
            let first = Side::new(two.legal & gone.beside(stride), two.virgin, stride);
            let mut left = *two;
            left.stones &= !gone;
            left.look(empty | gone, stride);
            let left = left.side(stride);
            reach |= left.open;
            most = most.max(first.most(stride) + left.most(stride));
        }
        own.has(own.open & !reach, most + more, stride)
            .then_some(most)
    }

    /// If a side with two roots surely outlives one with a single root, the stones that the
    /// single one can place at most.
    ///
    /// The two give up one root or none, and play only where the single one cannot get to,
    /// even if the root that was given up is gone. If they keep a point there for each root
    /// that is kept, none of those can be bounded, so the single one never gets more space
    /// than that.
    #[inline(always)]
    fn two_outlive(
        &self,
        (two, all): (&Camp<M>, Side<M>),
        (single, single_side): (&Camp<M>, Side<M>),
        two_to_move: bool,
    ) -> Option<u32> {
        let stride = self.board.stride;
        let empty = self.empty();
        for kept in [Kept::Both, Kept::One(0), Kept::One(1)] {
            let enemy = match kept {
                Kept::Both => single_side,
                Kept::One(one) => {
                    let mut later = *single;
                    later.look(empty | two.roots[1 - one], stride);
                    later.side(stride)
                }
            };
            let most = enemy.most(stride);
            let needed = if two_to_move { most } else { most - 1 };
            if (all.open & !enemy.open).len() <= needed {
                match kept {
                    // The single one gets to more points if a root is given up.
                    Kept::Both => return None,
                    Kept::One(_) => continue,
                }
            }
            let virgin = two.virgin & !enemy.open;
            let (spare, is_safe) = match kept {
                Kept::One(one) => spare_and_safe(two.alone(one, enemy, virgin, stride), stride),
                Kept::Both => {
                    // Neither may take from the other: what both reach is left out.
                    let a = two.alone(0, enemy, virgin, stride);
                    let b = two.alone(1, enemy, virgin, stride);
                    let both = a.open & b.open;
                    let legal = a.legal & !b.legal.beside(stride);
                    let a = Side::new(legal, a.open & virgin & !both, stride);
                    let b = Side::new(b.legal, b.open & virgin & !both, stride);
                    let (spare, is_safe) = spare_and_safe(a, stride);
                    let (more, is_safe_too) = spare_and_safe(b, stride);
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

struct Expand<'a, M: Mask> {
    position: &'a Roots<M>,
    children: &'a mut Vec<Child<Roots<M>>>,
}

impl<M: Mask> Kernel for Expand<'_, M> {
    type Output = Option<bool>;

    #[inline(always)]
    fn run(self) -> Option<bool> {
        let start = self.children.len();
        let [own, other] = self.position.sides();
        let is_large = (own.open | other.open).len() >= LARGE;
        let nets = Nets::get().filter(|_| is_large);
        let mut left = self.position.own.legal;
        while !left.is_empty() {
            let index = left.lowest();
            left = left.rest();
            let next = match self.position.play(M::bit(index)) {
                Err(true) => return Some(true),
                Err(false) => continue,
                Ok(next) => next,
            };
            let later = next.duel();
            let ranked = match &later {
                None => next.ranked(nets),
                Some(duel) => duel.ranked(nets),
            };
            match ranked {
                Err(false) => return Some(true),
                Err(true) => {}
                Ok(rank) => {
                    let next = match later {
                        None => Next::Same(next),
                        Some(duel) => Next::Later(duel),
                    };
                    self.children.push(Child::new(index as u16, rank, next));
                }
            }
        }
        (self.children.len() == start).then_some(false)
    }
}

impl<M: Mask> Solvable for Roots<M> {
    type Move = u16;
    type Later = Duel<M>;

    fn key(&self) -> Key {
        let stones = M::least(self.stones(), self.board.side);
        let [[a, c], [b, d]] = stones.map(M::words);
        Key::of(&[a, b, c, d])
    }

    #[inline(always)]
    fn size(&self) -> u32 {
        // More than a later position with as many points: removals bring points back.
        self.empty().len() + 4
    }

    #[inline]
    fn expand(&self, children: &mut Vec<Child<Self>>) -> Option<bool> {
        let position = self;
        cpu::dispatch(Expand { position, children })
    }
}
