//! The same rules once more, for two players on boards of up to 11x11, on sets of points that are
//! the bits of a number: quick enough to search every game of a small board to its end. It is
//! compared with the naive oracle move by move and has nothing that the rules text has not.

use super::{Board, Colour, Point, Removed, SplitMix};

/// The largest side whose points fit a set.
pub(crate) const LARGEST: i32 = 11;

/// A set of points: the bit of a point is its row times the side, plus its column.
pub(crate) type Set = u128;

/// Which bits are where, on a board of one size.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub(crate) size: i32,
    board: Set,
    /// All columns but the first, and all but the last.
    not_first: Set,
    not_last: Set,
}

/// The stones of Black and White, and whose turn it is: 0 for Black, 1 for White.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Quick {
    pub(crate) stones: [Set; 2],
    pub(crate) to_move: usize,
}

impl Grid {
    /// A board of this size.
    ///
    /// # Panics
    /// If it is larger than [`LARGEST`].
    pub(crate) fn new(size: i32) -> Grid {
        assert!((1..=LARGEST).contains(&size), "{size}");
        let mut grid = Grid {
            size,
            board: 0,
            not_first: 0,
            not_last: 0,
        };
        for y in 0..size {
            for x in 0..size {
                let bit = grid.bit((x, y));
                grid.board |= bit;
                grid.not_first |= if x > 0 { bit } else { 0 };
                grid.not_last |= if x < size - 1 { bit } else { 0 };
            }
        }
        grid
    }

    /// The set of one point.
    pub(crate) fn bit(&self, (x, y): Point) -> Set {
        1 << (y * self.size + x)
    }

    /// The points of a set, row by row from A1.
    pub(crate) fn points(&self, set: Set) -> Vec<Point> {
        let all = (0..self.size * self.size).filter(|i| set >> i & 1 == 1);
        all.map(|i| (i % self.size, i / self.size)).collect()
    }

    /// What lies right, left, above and below the points of a set.
    fn shifted(&self, set: Set) -> [Set; 4] {
        [
            (set & self.not_last) << 1,
            (set & self.not_first) >> 1,
            set << self.size & self.board,
            set >> self.size,
        ]
    }

    /// The points beside a set.
    fn beside(&self, set: Set) -> Set {
        let [a, b, c, d] = self.shifted(set);
        a | b | c | d
    }

    /// The points of `within` that are connected to `from`, through `within`.
    fn flood(&self, from: Set, within: Set) -> Set {
        let mut found = from & within;
        loop {
            let more = (found | self.beside(found)) & within;
            if more == found {
                return found;
            }
            found = more;
        }
    }

    /// The points that have exactly one neighbour in a set.
    fn once(&self, set: Set) -> Set {
        let (mut once, mut twice) = (0, 0);
        for neighbour in self.shifted(set) {
            twice |= once & neighbour;
            once |= neighbour;
        }
        once & !twice
    }
}

impl Quick {
    /// A board of Black and White, and its grid.
    ///
    /// # Panics
    /// If others have stones, or it is too large.
    pub(crate) fn new(board: &Board) -> (Grid, Quick) {
        let grid = Grid::new(board.size);
        let side = |colour| match colour {
            Colour::Black => 0,
            Colour::White => 1,
            other => panic!("{} among two", other.word()),
        };
        let mut quick = Quick {
            stones: [0; 2],
            to_move: side(board.to_move),
        };
        for (&point, &colour) in &board.stones {
            quick.stones[side(colour)] |= grid.bit(point);
        }
        (grid, quick)
    }

    /// The same as a board.
    pub(crate) fn board(&self, grid: &Grid) -> Board {
        let sides = [Colour::Black, Colour::White];
        let stones = sides.into_iter().zip(self.stones);
        let stones = stones.flat_map(|(colour, set)| {
            let points = grid.points(set).into_iter();
            points.map(move |point| (point, colour))
        });
        Board::new(grid.size, stones.collect(), sides[self.to_move])
    }

    /// The same stones with the other side to move.
    pub(crate) fn turned(&self) -> Quick {
        Quick {
            stones: self.stones,
            to_move: 1 - self.to_move,
        }
    }

    /// Where a side could put a stone if it had the turn: the space of all its roots.
    pub(crate) fn space(&self, grid: &Grid, side: usize) -> Set {
        let empty = grid.board & !(self.stones[0] | self.stones[1]);
        grid.once(self.stones[side]) & empty
    }

    /// The legal moves of the side to move.
    pub(crate) fn legal(&self, grid: &Grid) -> Set {
        match self.winner() {
            Some(_) => 0,
            None => self.space(grid, self.to_move),
        }
    }

    /// The only side with stones.
    pub(crate) fn winner(&self) -> Option<usize> {
        match self.stones {
            [_, 0] => Some(0),
            [0, _] => Some(1),
            _ => None,
        }
    }

    /// The position after a legal move that is given as a set.
    pub(crate) fn after(&self, grid: &Grid, point: Set) -> Quick {
        let mut next = *self;
        let own = self.to_move;
        next.stones[own] |= point;
        let current = grid.flood(point, next.stones[own]);
        if grid.beside(current) & next.space(grid, own) == 0 {
            next.stones[own] &= !current;
        } else {
            // A root is free if a point of its colour's space lies beside it: that point's only
            // own neighbour is then in the root.
            let free = [0, 1].map(|side| {
                let stones = next.stones[side];
                grid.flood(grid.beside(next.space(grid, side)), stones)
            });
            next.stones = free;
        }
        if next.winner().is_none() {
            next.to_move = 1 - own;
        }
        next
    }

    /// A random legal move, as its set; none in a finished game.
    pub(crate) fn random_move(&self, grid: &Grid, rng: &mut SplitMix) -> Option<Set> {
        let moves = grid.points(self.legal(grid));
        (!moves.is_empty()).then(|| grid.bit(moves[rng.below(moves.len())]))
    }

    /// The stones that a move took off, the placed one among them, sorted.
    pub(crate) fn removed(&self, grid: &Grid, point: Set, next: &Quick) -> Removed {
        let before = self.stones[0] | self.stones[1] | point;
        let mut removed = grid.points(before & !(next.stones[0] | next.stones[1]));
        removed.sort_unstable();
        removed
    }

    /// How many roots each side has.
    pub(crate) fn roots(&self, grid: &Grid) -> [usize; 2] {
        self.stones.map(|mut left| {
            let mut count = 0;
            while left != 0 {
                let lowest = left & left.wrapping_neg();
                left &= !grid.flood(lowest, left);
                count += 1;
            }
            count
        })
    }
}
