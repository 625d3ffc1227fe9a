//! Squares: two digits, file then rank, 11 in the lower left corner.

use std::fmt;

/// The number of files, and of ranks.
pub(crate) const SIDE: usize = 7;

pub(crate) const SQUARES: usize = SIDE * SIDE;

/// A square of the board, numbered from 0 rank by rank from the lower left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Square(u8);

impl Square {
    /// The square on a file and a rank, each from 1 to 7.
    pub(crate) fn at(file: usize, rank: usize) -> Option<Self> {
        let on_board = (1..=SIDE).contains(&file) && (1..=SIDE).contains(&rank);
        on_board.then(|| Self(((rank - 1) * SIDE + file - 1) as u8))
    }

    /// The square with these two digits.
    pub(crate) fn from_digits(file: char, rank: char) -> Option<Self> {
        let digit = |c: char| c.to_digit(10).map(|d| d as usize);
        Self::at(digit(file)?, digit(rank)?)
    }

    /// The square that two digits name.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut digits = text.chars();
        let square = Self::from_digits(digits.next()?, digits.next()?)?;
        digits.next().is_none().then_some(square)
    }

    /// The square with number `index` modulo 49.
    #[inline(always)]
    pub(crate) const fn wrapped(index: usize) -> Self {
        Self((index % SQUARES) as u8)
    }

    /// The number, 0 to 48.
    #[inline(always)]
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }

    /// The set that holds only this square.
    #[inline(always)]
    pub(crate) const fn bit(self) -> u64 {
        1 << (self.0 & 63)
    }

    /// The file, 1 to 7 from the left.
    pub(crate) const fn file(self) -> usize {
        self.index() % SIDE + 1
    }

    /// The rank, 1 to 7 from the bottom.
    pub(crate) const fn rank(self) -> usize {
        self.index() / SIDE + 1
    }

    /// All squares in the order of their numbers.
    pub(crate) fn all() -> impl Iterator<Item = Square> {
        (0..SQUARES as u8).map(Square)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file(), self.rank())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The indices of the set bits, ascending.
#[inline(always)]
pub(crate) fn bits(set: impl Into<u64>) -> Bits {
    Bits(set.into())
}

/// The iterator of [`bits`].
#[derive(Clone)]
pub(crate) struct Bits(u64);

impl Iterator for Bits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let index = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(index)
    }
}
