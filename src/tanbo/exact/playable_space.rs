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
        for (count, worth) in [
            (four.len(), 3),
            ((two & one).len(), 2),
            ((two & !one).len(), 1),
        ] {
            let needed = excess.div_ceil(worth);
            if needed <= count {
                return points - free - needed;
            }
            free += count;
            excess -= count * worth;
        }
        points - free
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
