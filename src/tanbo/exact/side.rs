//! One side with one root: no stone will ever be taken off, so all that counts is where it can
//! play.

use super::mask::Mask;

/// Where a side can play, and could if the other did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Side<M> {
    /// Points with exactly one own stone beside them.
    pub(super) legal: M,
    /// The playable space: the legal points, and what they reach through points with no own
    /// stone beside them.
    pub(super) open: M,
}

impl<M: Mask> Side<M> {
    /// A side by its legal points and the empty points with no own stone beside them.
    #[inline(always)]
    pub(super) fn new(legal: M, virgin: M, stride: u32) -> Self {
        let open = legal.flood(virgin, stride);
        Self { legal, open }
    }

    /// After a stone of its own at `point`, which was legal.
    #[inline(always)]
    pub(super) fn grown(self, point: M, stride: u32) -> Self {
        let beside = point.beside(stride);
        let virgin = self.open & !self.legal;
        let legal = self.legal & !beside & !point | virgin & beside;
        Self::new(legal, virgin & !beside, stride)
    }

    /// After a stone of the other side at `point`.
    #[inline(always)]
    pub(super) fn without(self, point: M, stride: u32) -> Self {
        if (self.open & point).is_empty() {
            return self;
        }
        let virgin = self.open & !self.legal;
        Self::new(self.legal & !point, virgin & !point, stride)
    }

    /// What is left to the side if it never plays outside of `area`.
    #[inline(always)]
    pub(super) fn within(self, area: M, stride: u32) -> Self {
        Self::new(self.legal & area, self.open & !self.legal & area, stride)
    }

    /// Without what `shared` does not reach, where the other side cannot play now or later, and
    /// how many stones that takes. Where counting does not tell how many, it stays.
    #[inline(always)]
    pub(super) fn counted(self, shared: M, stride: u32) -> (Self, u32) {
        let mut left = self.open & !shared.flood(self.open, stride);
        let (mut side, mut count) = (self, 0);
        while !left.is_empty() {
            let part = M::bit(left.lowest()).flood(left, stride);
            left &= !part;
            let alone = Self {
                legal: self.legal & part,
                open: part,
            };
            let some = alone.some(stride);
            if some == alone.most(stride) {
                count += some;
                side.legal &= !part;
                side.open &= !part;
            }
        }
        (side, count)
    }

    /// No more stones than this can be placed, even if the other side never moves.
    ///
    /// The stones make a tree: each touches one stone that was there before. So among the `n`
    /// open points with `e` edges between them, the ones to the root included, `k` stones have
    /// `k` edges, and the `n - k` points that stay free must touch the other `e - k`. A point
    /// that stays free takes its degree in edges and one in points, so the degrees less one of
    /// the free points sum to `e - n` at least; the fewest points do it with the highest
    /// degrees.
    #[inline(always)]
    pub(super) fn most(self, stride: u32) -> u32 {
        let open = self.open;
        let points = open.len();
        let (left, right) = (open << 1 & open, open >> 1 & open);
        let (below, above) = (open << stride & open, open >> stride & open);
        let edges = right.len() + above.len() + self.legal.len();
        if edges <= points {
            return points;
        }
        let mut excess = edges - points;
        // The degree of all points at once: five bits are added up, one point a lane.
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

    /// Whether so many stones can surely be placed on `area`, where the other side cannot play.
    #[inline(always)]
    pub(super) fn has(self, area: M, stones: u32, stride: u32) -> bool {
        if stones == 0 {
            return true;
        }
        if area.len() < stones {
            return false;
        }
        let alone = self.within(area, stride);
        alone.open.len() >= stones && alone.some(stride) >= stones
    }

    /// So many stones can surely be placed if the other side cannot play here: a quick try.
    #[inline(always)]
    pub(super) fn some(self, stride: u32) -> u32 {
        let mut legal = self.legal;
        let mut virgin = self.open & !legal;
        let mut count = 0;
        while !legal.is_empty() {
            let quiet = legal & !legal.beside(stride);
            let ends = quiet & !virgin.beside(stride);
            if !ends.is_empty() {
                // They neither cost nor bring anything else.
                count += ends.len();
                legal &= !ends;
                continue;
            }
            let choice = if quiet.is_empty() { legal } else { quiet };
            let point = M::bit(choice.lowest());
            let beside = point.beside(stride);
            legal = legal & !beside & !point | virgin & beside;
            virgin &= !beside;
            count += 1;
        }
        count
    }
}
