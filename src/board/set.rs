//! Sets of points as bitboards, and tables with one entry per point.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Index, IndexMut, Not};

use super::{BoardSize, Point};
use crate::cpu::Place;

/// A set of points, one bit each, in `W` words. `W` is a power of two, and `64 * W` bits cover the
/// board with its guards.
///
/// ```
/// use tanada::board::{BoardSize, PointSet};
///
/// let board = PointSet::<2>::board(BoardSize::new(9)?);
/// assert_eq!(board.len(), 81);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PointSet<const W: usize>([u64; W]);

impl<const W: usize> PointSet<W> {
    /// The empty set.
    pub const EMPTY: Self = Self([0; W]);

    /// All points of a board.
    pub fn board(size: BoardSize) -> Self {
        size.points().collect()
    }

    /// Whether `point` is in the set.
    #[inline(always)]
    pub fn contains(&self, point: Point) -> bool {
        (self.0[word::<W>(point)] >> (point.number() & 63)) & 1 != 0
    }

    /// Adds `point`.
    #[inline(always)]
    pub fn insert(&mut self, point: Point) {
        self.0[word::<W>(point)] |= 1 << (point.number() & 63);
    }

    /// Removes `point`.
    #[inline(always)]
    pub fn remove(&mut self, point: Point) {
        self.0[word::<W>(point)] &= !(1 << (point.number() & 63));
    }

    /// Flips `point` if `change` is set, without a branch.
    #[inline(always)]
    pub fn toggle_if(&mut self, point: Point, change: bool) {
        self.0[word::<W>(point)] ^= u64::from(change) << (point.number() & 63);
    }

    /// Flips the points `start` + `i` for every bit `i` of `bits`. They must not reach beyond the
    /// board. Only two words change, whatever the number of points.
    #[inline(always)]
    pub fn toggle_window(&mut self, start: Point, bits: u64) {
        let low = word::<W>(start);
        let shift = start.number() & 63;
        self.0[low] ^= bits << shift;
        self.0[(low + 1) & (W - 1)] ^= (bits >> 1) >> (63 - shift);
    }

    /// The points with the `width` numbers from `start` on, as the low bits of a word; `width` is
    /// below 64. `start` is taken modulo `64 * W`; numbers beyond the last word are not in the set.
    #[inline(always)]
    pub fn window(&self, start: u16, width: u32) -> u64 {
        let low = usize::from(start / 64) & (W - 1);
        let shift = u32::from(start % 64);
        let next = self
            .0
            .get(low + 1)
            .map_or(0, |next| next << 1 << (63 - shift));
        (self.0[low] >> shift | next) & ((1 << width) - 1)
    }

    /// The number of points in the set.
    #[inline(always)]
    pub fn len(&self) -> u32 {
        let mut sum = 0;
        for w in self.0 {
            sum += w.count_ones();
        }
        sum
    }

    /// Whether no point is in the set.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        let mut any = 0;
        for w in self.0 {
            any |= w;
        }
        any == 0
    }

    /// The points of `self` that are not in `other`.
    #[inline(always)]
    pub fn without(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    /// Every point moved `by` numbers up, 1 to 63.
    #[inline(always)]
    pub fn up(self, by: usize) -> Self {
        let a = &self.0;
        Self(std::array::from_fn(|i| {
            let carry = if i == 0 { 0 } else { a[i - 1] >> (64 - by) };
            (a[i] << by) | carry
        }))
    }

    /// Every point moved `by` numbers down, 1 to 63.
    #[inline(always)]
    pub fn down(self, by: usize) -> Self {
        let a = &self.0;
        Self(std::array::from_fn(|i| {
            let carry = if i == W - 1 { 0 } else { a[i + 1] << (64 - by) };
            (a[i] >> by) | carry
        }))
    }

    /// The points next to a point of the set. They may include guards and points of the set.
    #[inline(always)]
    pub fn neighbours(self, stride: usize) -> Self {
        (self.up(1) | self.down(1)) | (self.up(stride) | self.down(stride))
    }

    /// The points that can be reached from `self` by steps to neighbours within `through`. The result
    /// includes `self`.
    #[inline(always)]
    pub fn flood(self, through: Self, stride: usize) -> Self {
        let [reached] = Self::flood_all([self], [through], stride);
        reached
    }

    /// Several floods at once. This is faster than one after the other: they share the loop with its
    /// one unpredictable exit, and their shifts overlap.
    #[inline(always)]
    pub fn flood_all<const N: usize>(
        mut reached: [Self; N],
        through: [Self; N],
        stride: usize,
    ) -> [Self; N] {
        loop {
            let mut grown = false;
            let mut full = true;
            for i in 0..N {
                // Two steps per round need half as many tests.
                let mut next = reached[i];
                next |= next.neighbours(stride) & through[i];
                next |= next.neighbours(stride) & through[i];
                grown |= next != reached[i];
                full &= next == through[i];
                reached[i] = next;
            }
            // A flood that fills `through` is complete: it needs no last round.
            if full || !grown {
                return reached;
            }
        }
    }

    /// The points in the order of their numbers.
    pub fn iter(&self) -> Iter<W> {
        Iter {
            words: self.0,
            index: 0,
        }
    }
}

#[inline(always)]
fn word<const W: usize>(point: Point) -> usize {
    // W is a power of two: the mask replaces the bounds check.
    (point.index() >> 6) & (W - 1)
}

impl<const W: usize> FromIterator<Point> for PointSet<W> {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> Self {
        let mut set = Self::EMPTY;
        for p in points {
            set.insert(p);
        }
        set
    }
}

impl<const W: usize> fmt::Debug for PointSet<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

macro_rules! wordwise {
    ($trait:ident, $method:ident, $op:tt) => {
        impl<const W: usize> $trait for PointSet<W> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(std::array::from_fn(|i| self.0[i] $op other.0[i]))
            }
        }
    };
}
wordwise!(BitAnd, bitand, &);
wordwise!(BitOr, bitor, |);
wordwise!(BitXor, bitxor, ^);

impl<const W: usize> Not for PointSet<W> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(self.0.map(|w| !w))
    }
}

impl<const W: usize> BitOrAssign for PointSet<W> {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl<const W: usize> BitAndAssign for PointSet<W> {
    #[inline(always)]
    fn bitand_assign(&mut self, other: Self) {
        *self = *self & other;
    }
}

/// The points of a set in the order of their numbers.
#[derive(Clone, Debug)]
pub struct Iter<const W: usize> {
    words: [u64; W],
    index: usize,
}

impl<const W: usize> Iterator for Iter<W> {
    type Item = Point;

    #[inline]
    fn next(&mut self) -> Option<Point> {
        while self.index < W {
            let w = self.words[self.index];
            if w != 0 {
                self.words[self.index] = w & (w - 1);
                let number = self.index as u32 * 64 + w.trailing_zeros();
                return Some(Point::from_number(number as u16));
            }
            self.index += 1;
        }
        None
    }

    // `for_each` uses it; the current word stays in a register.
    #[inline(always)]
    fn fold<A, F: FnMut(A, Point) -> A>(self, init: A, mut f: F) -> A {
        let mut folded = init;
        for index in self.index..W {
            let mut w = self.words[index];
            while w != 0 {
                let number = index as u32 * 64 + w.trailing_zeros();
                folded = f(folded, Point::from_number(number as u16));
                w &= w - 1;
            }
        }
        folded
    }
}

impl<const W: usize> IntoIterator for PointSet<W> {
    type Item = Point;
    type IntoIter = Iter<W>;
    fn into_iter(self) -> Iter<W> {
        self.iter()
    }
}

/// A table with one entry for each of the `64 * W` numbers of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PerPoint<T, const W: usize>([[T; 64]; W]);

impl<T: Copy, const W: usize> PerPoint<T, W> {
    /// The table that holds `value` everywhere.
    pub(crate) fn filled(value: T) -> Self {
        Self([[value; 64]; W])
    }

    /// Applies `f` to each entry.
    #[inline(always)]
    pub(crate) fn map<U>(&self, f: impl Fn(T) -> U + Copy) -> PerPoint<U, W> {
        PerPoint(self.0.map(|word| word.map(f)))
    }
}

impl<T, const W: usize> Index<Place<W>> for PerPoint<T, W> {
    type Output = T;
    #[inline(always)]
    fn index(&self, place: Place<W>) -> &T {
        place.of(&self.0)
    }
}

impl<T, const W: usize> IndexMut<Place<W>> for PerPoint<T, W> {
    #[inline(always)]
    fn index_mut(&mut self, place: Place<W>) -> &mut T {
        place.of_mut(&mut self.0)
    }
}

impl<T, const W: usize> Index<Point> for PerPoint<T, W> {
    type Output = T;
    #[inline(always)]
    fn index(&self, point: Point) -> &T {
        &self.0.as_flattened()[point.index() & (64 * W - 1)]
    }
}

impl<T, const W: usize> IndexMut<Point> for PerPoint<T, W> {
    #[inline(always)]
    fn index_mut(&mut self, point: Point) -> &mut T {
        &mut self.0.as_flattened_mut()[point.index() & (64 * W - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(size: BoardSize, points: &[(usize, usize)]) -> PointSet<4> {
        points
            .iter()
            .map(|&(c, r)| size.point(c, r).unwrap())
            .collect()
    }

    #[test]
    fn neighbours_stay_beside_the_edge() {
        let size = BoardSize::new(13).unwrap();
        let board = PointSet::<4>::board(size);
        for p in size.points() {
            let one: PointSet<4> = [p].into_iter().collect();
            let around: Vec<Point> = (one.neighbours(size.stride()) & board).iter().collect();
            let mut expected: Vec<Point> = size.neighbours(p).collect();
            expected.sort();
            assert_eq!(around, expected);
        }
    }

    #[test]
    fn flood_stops_at_what_it_may_not_cross() {
        let size = BoardSize::new(13).unwrap();
        let wall: PointSet<4> = (0..13).map(|r| size.point(6, r).unwrap()).collect();
        let open = PointSet::board(size).without(wall);
        let left = set(size, &[(0, 0)]).flood(open, size.stride());
        assert_eq!(left.len(), 6 * 13);
    }

    #[test]
    fn a_window_shows_the_points_from_its_start() {
        let set: PointSet<2> = [0, 3, 62, 63, 64, 66, 126, 127]
            .map(Point::from_number)
            .into_iter()
            .collect();
        for start in (0..128).chain(65_536 - 24..=65_535) {
            for width in [0, 1, 3, 7, 63] {
                let bit = |i: &u32| {
                    let number = start as u32 % 128 + i;
                    number < 128 && set.contains(Point::from_number(number as u16))
                };
                let expected = (0..width).filter(bit).map(|i| 1 << i).sum::<u64>();
                assert_eq!(set.window(start as u16, width), expected, "{start} {width}");
            }
        }
    }

    #[test]
    fn an_assigning_operator_is_the_operator() {
        let size = BoardSize::new(13).unwrap();
        let (a, b) = (set(size, &[(0, 0), (5, 5)]), set(size, &[(5, 5), (12, 12)]));
        let (mut both, mut any) = (a, a);
        both &= b;
        any |= b;
        assert_eq!(both, set(size, &[(5, 5)]));
        assert_eq!(any, set(size, &[(0, 0), (5, 5), (12, 12)]));
        assert_eq!(
            format!("{both:?}"),
            format!("{{{:?}}}", size.point(5, 5).unwrap())
        );
    }
}
