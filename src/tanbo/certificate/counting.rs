//! Positions that counting decides: with one root each, the side that can place more stones wins.
//!
//! Nothing is removed before the end, a stone stands next to one own stone when it is placed, and who
//! has no legal point left has lost. So neither side can place more stones than [`most`](Rules::most),
//! and each can place as many as [`sure`](Rules::sure), whatever the other does.
//! `docs/guide/certificates.md` has the argument.

use super::bits::{Points, Rules, Stones};

impl<P: Points> Rules<P> {
    /// Whether the side to move wins, if both have one root and counting decides.
    pub(super) fn decides(&self, stones: Stones<P>) -> Option<bool> {
        let Stones { own, other } = stones;
        let [open, opposing] = [self.open(own, other), self.open(other, own)];
        if self.sure(own, other, opposing) > self.most(self.legal(other, own), opposing) {
            Some(true)
        } else if self.sure(other, own, open) >= self.most(self.legal(own, other), open) {
            Some(false)
        } else {
            None
        }
    }

    /// Whether these stones are one root.
    pub(super) fn is_one_root(&self, stones: P) -> bool {
        stones != P::NONE && self.spread(stones.first(), stones) == stones
    }

    /// The points where `own` may play now or later.
    pub(super) fn open(&self, own: P, other: P) -> P {
        // Those next to two own stones never become legal.
        let far = self.board & !(own | other | self.around(own));
        let mut open = self.legal(own, other);
        loop {
            let more = open | self.around(open) & far;
            if more == open {
                return open;
            }
            open = more;
        }
    }

    /// The most stones that a side can place on its open points.
    ///
    /// `k` stones and the root are joined by `k` edges, so every other edge ends at a point that stays
    /// free; the points with the most edges are as few as can be.
    fn most(&self, legal: P, open: P) -> u32 {
        let (right, up) = (open & open >> 1, open & open >> self.step);
        let edges = right.count() + up.count() + legal.count();
        let points = open.count();
        let Some(mut left) = edges.checked_sub(points) else {
            return points;
        };
        // The points with at least one, two, three and four edges.
        let mut at_least = [P::NONE; 4];
        for ends in [right, right << 1, up, up << self.step, legal] {
            for more in (1..4).rev() {
                at_least[more] = at_least[more] | at_least[more - 1] & ends;
            }
            at_least[0] = at_least[0] | ends;
        }
        let mut free = 0;
        let mut above = 0;
        for (more, points) in at_least.into_iter().enumerate().skip(1).rev() {
            let exactly = points.count() - above;
            above += exactly;
            let taken = left.div_ceil(more as u32).min(exactly);
            free += taken;
            left = left.saturating_sub(taken * more as u32);
        }
        points - free
    }

    /// A number of stones that `own` can place for certain: where the other side, with these open
    /// points, can never play.
    fn sure(&self, mut own: P, other: P, opposing: P) -> u32 {
        let mut placed = 0;
        loop {
            let next = (self.legal(own, other) & !opposing).first();
            if next == P::NONE {
                return placed;
            }
            own = own | next;
            placed += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::exhaustive::wins;
    use super::*;
    use crate::board::BoardSize;
    use crate::util::random::Random;

    /// Random positions with one root each.
    fn positions(side: usize, count: usize) -> Vec<Stones<u64>> {
        let rules = Rules::<u64>::new(BoardSize::new(side).unwrap());
        let mut random = Random::new(11);
        let mut found = Vec::new();
        while found.len() < count {
            let mut of = |but: u64| loop {
                let bit = 1 << random.below(64);
                if bit & rules.board & !but != 0 {
                    return bit;
                }
            };
            let own = of(0);
            let mut stones = Stones {
                own,
                other: of(own),
            };
            while stones.own != 0 && stones.other != 0 {
                found.push(stones);
                let moves: Vec<u64> = rules.legal(stones.own, stones.other).each().collect();
                let Some(last) = (moves.len() as u32).checked_sub(1) else {
                    break;
                };
                let at = moves[random.below(last + 1) as usize];
                stones = rules.play(stones, at);
            }
        }
        found
    }

    /// The most stones that `own` can place, one after the other.
    fn most(rules: &Rules<u64>, own: u64, other: u64, known: &mut HashMap<u64, u32>) -> u32 {
        if let Some(&most) = known.get(&own) {
            return most;
        }
        let moves = rules.legal(own, other).each();
        let counts = moves.map(|at| 1 + most(rules, own | at, other, known));
        let found = counts.max().unwrap_or(0);
        known.insert(own, found);
        found
    }

    #[test]
    fn what_counting_decides_is_so() {
        let mut counts = [0; 3];
        for (side, count) in [(4, 12_000), (5, 1000)] {
            let rules = Rules::<u64>::new(BoardSize::new(side).unwrap());
            let mut known = HashMap::new();
            for stones in positions(side, count) {
                let empty = rules.board & !(stones.own | stones.other);
                if empty.count() > 14 {
                    continue;
                }
                let decided = rules.decides(stones);
                let won = wins(&rules, stones, &mut known);
                assert!(decided.is_none_or(|found| found == won), "{stones:?}");
                counts[decided.map_or(2, usize::from)] += 1;
            }
        }
        assert!(counts.into_iter().all(|count| count > 100), "{counts:?}");
    }

    #[test]
    fn no_side_places_more_stones_than_the_most() {
        let rules = Rules::<u64>::new(BoardSize::new(4).unwrap());
        let (mut equal, mut less) = (0, 0);
        for Stones { own, other } in positions(4, 1000) {
            let open = rules.open(own, other);
            let bound = rules.most(rules.legal(own, other), open);
            let found = most(&rules, own, other, &mut HashMap::new());
            let sure = rules.sure(own, other, rules.open(other, own));
            assert!(sure <= found && found <= bound && bound <= open.count());
            equal += usize::from(found == bound);
            less += usize::from(bound < open.count());
        }
        assert!(equal > 300 && less > 300, "{equal} {less}");
    }
}
