//! Where one side can play while no root is removed, and bounds on the stones that it can place.

use super::mask::Mask;

/// Where a side can play, and where it could if the other side did not move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlayableSpace<M> {
    /// Points with exactly one own stone beside them.
    pub(super) legal: M,
    /// The playable space: the legal points, and what they reach through empty points without an
    /// own stone beside them.
    pub(super) playable: M,
}

impl<M: Mask> PlayableSpace<M> {
    /// The space with these legal points; `virgin` are empty points without an own stone beside
    /// them.
    #[inline(always)]
    pub(super) fn new(legal: M, virgin: M, stride: u32) -> Self {
        let playable = legal.flood(virgin, stride);
        Self { legal, playable }
    }

    /// The space after an own stone at `point`, which was legal.
    #[inline(always)]
    pub(super) fn after_own_stone(self, point: M, stride: u32) -> Self {
        let beside = point.neighbours(stride);
        let virgin = self.playable & !self.legal;
        let legal = self.legal & !beside & !point | virgin & beside;
        Self::new(legal, virgin & !beside, stride)
    }

    /// The space after a stone of the other side at `point`.
    #[inline(always)]
    pub(super) fn after_other_stone(self, point: M, stride: u32) -> Self {
        if (self.playable & point).is_empty() {
            return self;
        }
        let virgin = self.playable & !self.legal;
        Self::new(self.legal & !point, virgin & !point, stride)
    }

    /// The space of a side that never plays outside `area`.
    #[inline(always)]
    pub(super) fn restricted_to(self, area: M, stride: u32) -> Self {
        Self::new(
            self.legal & area,
            self.playable & !self.legal & area,
            stride,
        )
    }

    /// Removes the regions that are not connected to `shared`, the points that both sides can
    /// reach, and returns the stones that fit there. A region stays if its bounds do not agree.
    #[inline(always)]
    pub(super) fn split_spares(self, shared: M, stride: u32) -> (Self, u32) {
        let mut left = self.playable & !shared.flood(self.playable, stride);
        let (mut space, mut count) = (self, 0);
        while !left.is_empty() {
            let part = M::bit(left.lowest()).flood(left, stride);
            left &= !part;
            let alone = Self {
                legal: self.legal & part,
                playable: part,
            };
            let sure = alone.sure_stones(stride);
            if sure == alone.max_stones(stride) {
                count += sure;
                space.legal &= !part;
                space.playable &= !part;
            }
        }
        (space, count)
    }

    /// An upper bound on the stones that fit, even if the other side never moves:
    ///
    /// ```text
    /// M = n - f,   f = the least number of points whose degrees, each less one, sum to >= e - n
    /// ```
    ///
    /// Here `n` is the number of open points and `e` the number of edges between neighbouring
    /// open points and from each legal point to the root. The `k` placed stones form a tree: each
    /// touches exactly one earlier stone. So they have `k` edges, and the `n - k` free points
    /// must touch the other `e - k`. The points with the highest degrees do that with the fewest.
    #[inline(always)]
    pub(super) fn max_stones(self, stride: u32) -> u32 {
        let playable = self.playable;
        let points = playable.len();
        let (left, right) = (playable << 1 & playable, playable >> 1 & playable);
        let (below, above) = (playable << stride & playable, playable >> stride & playable);
        let edges = right.len() + above.len() + self.legal.len();
        if edges <= points {
            return points;
        }
        let mut excess = edges - points;
        // The degrees of all points at once: a bit-sliced sum of five bits.
        let (sum_a, carry_a) = (left ^ right, left & right);
        let (sum_b, carry_b) = (below ^ above, below & above);
        let (sum_c, carry_c) = (sum_a ^ sum_b, sum_a & sum_b);
        let (one, carry_d) = (sum_c ^ self.legal, sum_c & self.legal);
        let (sum_e, carry_e) = (carry_a ^ carry_b, carry_a & carry_b);
        let (sum_f, carry_f) = (carry_c ^ carry_d, carry_c & carry_d);
        let (two, carry_g) = (sum_e ^ sum_f, sum_e & sum_f);
        let four = carry_e | carry_f | carry_g;
        let mut free = 0;
        for (count, worth) in [(four.len(), 3), ((two & one).len(), 2)] {
            let needed = excess.div_ceil(worth);
            if needed <= count {
                return points - free - needed;
            }
            free += count;
            excess -= count * worth;
        }
        // Points of degree two make up the rest, one each. There are always enough of them: an
        // edge between open points counts once in `e` but in the degrees of two points, so the
        // degrees of all points, each less one, add up to at least `e - n`. Points of degree one
        // add nothing to that sum.
        points - free - excess
    }

    /// Whether `stones` stones certainly fit on `area`, where the other side cannot play.
    #[inline(always)]
    pub(super) fn can_place(self, area: M, stones: u32, stride: u32) -> bool {
        if stones == 0 {
            return true;
        }
        if area.len() < stones {
            return false;
        }
        let alone = self.restricted_to(area, stride);
        alone.playable.len() >= stones && alone.sure_stones(stride) >= stones
    }

    /// A lower bound on the stones that fit if the other side cannot play here, found greedily.
    #[inline(always)]
    pub(super) fn sure_stones(self, stride: u32) -> u32 {
        let mut legal = self.legal;
        let mut virgin = self.playable & !legal;
        let mut count = 0;
        while !legal.is_empty() {
            let quiet = legal & !legal.neighbours(stride);
            let ends = quiet & !virgin.neighbours(stride);
            if !ends.is_empty() {
                // A stone on one of these neither takes nor makes another legal point.
                count += ends.len();
                legal &= !ends;
                continue;
            }
            let choice = if quiet.is_empty() { legal } else { quiet };
            let point = M::bit(choice.lowest());
            let beside = point.neighbours(stride);
            legal = legal & !beside & !point | virgin & beside;
            virgin &= !beside;
            count += 1;
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::super::naive::{
        Place, STRIDE, has, places, reached, real_space, set_of, some_points, some_space, touching,
    };
    use super::*;
    use crate::util::random::Random;

    const ROUNDS: u32 = 300;

    fn beside(point: u64) -> u64 {
        set_of(|&place| touching(point, place) > 0)
    }

    fn legal_points(space: PlayableSpace<u64>) -> Vec<u64> {
        let bit = |place: Place| set_of(|&other| other == place);
        let legal = places().filter(|&place| has(space.legal, place));
        legal.map(bit).collect()
    }

    fn space(legal: u64, virgin: u64) -> PlayableSpace<u64> {
        let playable = reached(legal, virgin);
        PlayableSpace { legal, playable }
    }

    #[test]
    fn stones_change_the_space_as_the_rules_say() {
        let mut random = Random::new(7);
        for _ in 0..ROUNDS {
            let before = real_space(&mut random);
            let virgin = before.playable & !before.legal;
            let (wild, area) = (some_points(&mut random), some_points(&mut random));
            let found = PlayableSpace::new(before.legal, wild & !before.legal, STRIDE);
            assert_eq!(found, space(before.legal, wild & !before.legal));
            let found = before.restricted_to(area, STRIDE);
            assert_eq!(found, space(before.legal & area, virgin & area));
            for point in legal_points(before) {
                let near = beside(point);
                let taken = before.legal & (near | point);
                assert_eq!(
                    before.after_own_stone(point, STRIDE),
                    space(before.legal & !taken | virgin & near, virgin & !near)
                );
            }
            for place in places() {
                let point = set_of(|&other| other == place);
                assert_eq!(
                    before.after_other_stone(point, STRIDE),
                    space(before.legal & !point, virgin & !point)
                );
            }
        }
    }

    /// The formula of [`PlayableSpace::max_stones`], degree by degree.
    #[test]
    fn the_upper_bound_is_that_of_the_degrees() {
        let mut random = Random::new(8);
        for _ in 0..ROUNDS {
            let space = real_space(&mut random);
            let open = || places().filter(|&place| has(space.playable, place));
            let neighbours = |place| touching(space.playable, place);
            let is_legal = |place| u32::from(has(space.legal, place));
            let pairs: u32 = open().map(neighbours).sum();
            let edges = pairs / 2 + open().map(is_legal).sum::<u32>();
            let mut degrees: Vec<u32> = open().map(|at| neighbours(at) + is_legal(at)).collect();
            degrees.sort_unstable();
            let points = degrees.len() as u32;
            let mut left = edges.saturating_sub(points);
            let mut free = 0;
            while left > 0 {
                left = left.saturating_sub(degrees.pop().unwrap() - 1);
                free += 1;
            }
            assert_eq!(space.max_stones(STRIDE), points - free, "{space:?}");
        }
    }

    /// Greedily: all points that no other one depends on, or else the lowest that takes no legal
    /// point, or else the lowest.
    fn greedy(mut legal: u64, mut virgin: u64) -> u32 {
        let mut count = 0;
        while legal != 0 {
            let is_quiet = |place: &Place| has(legal, *place) && touching(legal, *place) == 0;
            let is_end = |place: &Place| is_quiet(place) && touching(virgin, *place) == 0;
            let ends = set_of(is_end);
            if ends != 0 {
                count += ends.count_ones();
                legal &= !ends;
                continue;
            }
            let quiet = places().find(is_quiet);
            let choice = quiet.or_else(|| places().find(|&place| has(legal, place)));
            let point = set_of(|&place| Some(place) == choice);
            let near = beside(point);
            legal = legal & !near & !point | virgin & near;
            virgin &= !near;
            count += 1;
        }
        count
    }

    #[test]
    fn the_lower_bound_is_found_greedily() {
        let mut random = Random::new(9);
        for _ in 0..ROUNDS {
            for space in [real_space(&mut random), some_space(&mut random)] {
                let sure = greedy(space.legal, space.playable & !space.legal);
                assert_eq!(space.sure_stones(STRIDE), sure, "{space:?}");
            }
            let (space, area) = (real_space(&mut random), some_points(&mut random));
            let area = area & space.playable;
            let sure = space.restricted_to(area, STRIDE).sure_stones(STRIDE);
            for stones in 0..sure + 3 {
                assert_eq!(space.can_place(area, stones, STRIDE), stones <= sure);
            }
        }
    }

    #[test]
    fn spares_are_regions_of_their_own_whose_bounds_agree() {
        let mut random = Random::new(10);
        let mut split = 0;
        for _ in 0..ROUNDS {
            let before = real_space(&mut random);
            let shared = some_points(&mut random) & some_points(&mut random) & before.playable;
            let mut left = before.playable & !reached(shared, before.playable);
            let (mut expected, mut spares) = (before, 0);
            while left != 0 {
                let part = reached(left & left.wrapping_neg(), left);
                left &= !part;
                let legal = before.legal & part;
                let alone = PlayableSpace {
                    legal,
                    playable: part,
                };
                let sure = greedy(legal, part & !legal);
                if sure == alone.max_stones(STRIDE) {
                    spares += sure;
                    expected.legal &= !part;
                    expected.playable &= !part;
                }
            }
            split += spares;
            assert_eq!(before.split_spares(shared, STRIDE), (expected, spares));
        }
        assert!(split > 100, "{split}");
    }
}
