//! The ten kinds of pieces: the pairs of the five orders, and how they move.

use super::square::{SIDE, SQUARES, Square, bits};
use crate::game::Seat;

/// An order of pieces, which determines how they move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Aquatic,
    Basic,
    Human,
    Quadruped,
    Winged,
}

impl Order {
    pub(crate) const ALL: [Order; 5] = {
        use Order::*;
        [Aquatic, Basic, Human, Quadruped, Winged]
    };

    /// The name in lower case.
    pub(crate) fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    /// How its pieces move: in words, and as the smaller and the larger distance by files and
    /// ranks.
    pub(crate) const fn movement(self) -> (&'static str, (usize, usize)) {
        match self {
            Order::Aquatic => ("exactly two squares along a file or rank", (0, 2)),
            Order::Basic => ("one square diagonally", (1, 1)),
            Order::Human => ("one square along a file or rank", (0, 1)),
            Order::Quadruped => ("as a knight of chess", (1, 2)),
            Order::Winged => ("exactly two squares diagonally", (2, 2)),
        }
    }

    /// The kinds of the order, as bits.
    pub(crate) const fn kinds(self) -> u16 {
        let mut set = 0;
        let mut k = 0;
        while k < KINDS {
            let [a, b] = Kind::ALL[k].orders();
            if a as u8 == self as u8 || b as u8 == self as u8 {
                set |= 1 << k;
            }
            k += 1;
        }
        set
    }
}

/// The number of kinds; each side has one piece of each.
pub(crate) const KINDS: usize = 10;

/// A kind of piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub(crate) enum Kind {
    Sphinx,
    Elk,
    Bird,
    Angel,
    Fish,
    /// Every win includes its capture.
    Man,
    Duck,
    Captain,
    Turtle,
    Hero,
}

/// By kind: its two orders, its value on an open board according to Zillions of Games, printed
/// with the rules, and the start square of White's piece; Black's is the opposite one.
const FACTS: [([Order; 2], u32, usize); KINDS] = {
    use Order::*;
    [
        ([Winged, Quadruped], 5891, 0),
        ([Basic, Quadruped], 6528, 1),
        ([Winged, Basic], 4398, 2),
        ([Winged, Human], 4721, 3),
        ([Aquatic, Basic], 4957, 4),
        ([Human, Basic], 5360, 5),
        ([Winged, Aquatic], 4335, 6),
        ([Human, Aquatic], 5265, SIDE + 4),
        ([Aquatic, Quadruped], 6504, SIDE + 5),
        ([Human, Quadruped], 6878, SIDE + 6),
    ]
};

impl Kind {
    /// All kinds, in the order of the inventor's list.
    pub(crate) const ALL: [Kind; KINDS] = {
        use Kind::*;
        [
            Sphinx, Elk, Bird, Angel, Fish, Man, Duck, Captain, Turtle, Hero,
        ]
    };

    /// The letters of the kinds in the order of [`Kind::ALL`].
    pub(crate) const LETTERS: &'static str = "sebafmdcth";

    /// The index in [`Kind::ALL`].
    #[inline(always)]
    pub(crate) const fn index(self) -> usize {
        self as usize
    }

    pub(crate) const fn orders(self) -> [Order; 2] {
        FACTS[self as usize].0
    }

    /// The letter in texts of a position: upper case for White, lower case for Black.
    pub(crate) fn letter(self, seat: Seat) -> char {
        let letter = Self::LETTERS.as_bytes()[self as usize] as char;
        match seat.index() {
            0 => letter.to_ascii_uppercase(),
            _ => letter,
        }
    }

    /// The kind of a letter in either case.
    pub(crate) fn from_letter(letter: char) -> Option<Self> {
        let place = Self::LETTERS.find(letter.to_ascii_lowercase())?;
        Self::ALL.get(place).copied()
    }

    pub(crate) const fn value(self) -> u32 {
        FACTS[self as usize].1
    }

    pub(crate) const fn start(self) -> usize {
        FACTS[self as usize].2
    }

    /// The squares that the kind reaches with one step on an empty board.
    pub(crate) const fn targets(self, from: Square) -> u64 {
        REACH[self as usize][from.index()]
    }
}

pub(crate) const MAN: u16 = 1 << Kind::Man as usize;

/// The kinds of each order that counts for a win, without the Man: the Man and all pieces of one of these orders
/// must be captured.
pub(crate) const WINNING: [u16; 3] = [
    Order::Aquatic.kinds(),
    Order::Quadruped.kinds(),
    Order::Winged.kinds(),
];

/// Whether a side with these kinds left has lost.
#[inline(always)]
pub(crate) const fn is_lost(alive: u16) -> bool {
    alive & MAN == 0
        && (alive & WINNING[0] == 0 || alive & WINNING[1] == 0 || alive & WINNING[2] == 0)
}

/// By kind and square: the squares that the kind reaches with one step on an empty board.
pub(crate) static REACH: [[u64; SQUARES]; KINDS] = {
    let mut table = [[0; SQUARES]; KINDS];
    let mut k = 0;
    while k < KINDS {
        let [a, b] = Kind::ALL[k].orders();
        let mut i = 0;
        while i < SQUARES * SQUARES {
            let (from, to) = (i / SQUARES, i % SQUARES);
            let x = (from % SIDE).abs_diff(to % SIDE);
            let y = (from / SIDE).abs_diff(to / SIDE);
            let (low, high) = if x < y { (x, y) } else { (y, x) };
            let (one, two) = (a.movement().1, b.movement().1);
            if (low == one.0 && high == one.1) || (low == two.0 && high == two.1) {
                table[k][from] |= 1 << to;
            }
            i += 1;
        }
        k += 1;
    }
    table
};

/// The distance of unreachable squares, more than the steps of any turn.
pub(crate) const FAR: u8 = 20;

/// The squares of some kinds of pieces, out of their squares by kind.
#[inline(always)]
pub(crate) fn squares_of(kinds: u16, squares: &[u8; KINDS]) -> u64 {
    bits(kinds).fold(0, |set, kind| set | 1 << (squares[kind] & 63))
}

/// By square: the steps of a kind from `from`. A path never enters a square of `blocked`, and ends on
/// a square of `ends`, unless it begins there.
#[inline(always)]
pub(crate) const fn steps_from(kind: usize, from: usize, blocked: u64, ends: u64) -> [u8; SQUARES] {
    let mut field = [FAR; SQUARES];
    let mut frontier = 1u64 << from;
    let mut seen = frontier | blocked;
    let mut steps = 0;
    while frontier != 0 {
        let mut next = 0;
        while frontier != 0 {
            let square = frontier.trailing_zeros() as usize;
            frontier &= frontier - 1;
            field[square] = steps;
            if steps == 0 || ends >> square & 1 == 0 {
                next |= REACH[kind][square];
            }
        }
        frontier = next & !seen;
        seen |= next;
        steps += 1;
    }
    field
}

/// By kind and two squares: the steps from one to the other on an empty board.
pub(crate) static DISTANCE: [[[u8; SQUARES]; SQUARES]; KINDS] = {
    let mut table = [[[FAR; SQUARES]; SQUARES]; KINDS];
    let mut i = 0;
    while i < KINDS * SQUARES {
        table[i / SQUARES][i % SQUARES] = steps_from(i / SQUARES, i % SQUARES, 0, 0);
        i += 1;
    }
    table
};

/// Sets of squares, by number of steps from 0 to 7.
pub(crate) type Rings = [u64; 8];

/// By kind, square and number of steps: the squares within that many steps on an empty board.
pub(crate) static WITHIN: [[Rings; SQUARES]; KINDS] = {
    let mut table = [[[0; 8]; SQUARES]; KINDS];
    let mut i = 0;
    while i < KINDS * SQUARES * SQUARES {
        let (kind, from, to) = (i / SQUARES / SQUARES, i / SQUARES % SQUARES, i % SQUARES);
        let mut steps = DISTANCE[kind][from][to] as usize;
        while steps < 8 {
            table[kind][from][steps] |= 1 << to;
            steps += 1;
        }
        i += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_order_has_four_kinds_and_each_pair_of_orders_one() {
        for a in Order::ALL {
            assert_eq!(a.kinds().count_ones(), 4);
            for b in Order::ALL {
                let both = (a.kinds() & b.kinds()).count_ones();
                assert_eq!(both, if a == b { 4 } else { 1 });
            }
        }
        for (text, leap) in [
            ("two squares along", (0, 2)),
            ("one square diag", (1, 1)),
            ("one square along", (0, 1)),
            ("knight", (1, 2)),
            ("two squares diag", (2, 2)),
        ] {
            let mut orders = Order::ALL.into_iter();
            let order = orders.find(|order| order.movement().0.contains(text));
            assert_eq!(order.map(|o| o.movement().1), Some(leap), "{text}");
        }
        let letters = |set: u16| -> String {
            let of = |k: &&Kind| set & 1 << k.index() != 0;
            let kinds = Kind::ALL.iter().filter(of);
            kinds.map(|k| k.letter(Seat::new(1))).collect()
        };
        // The three sets of the original: Man-Captain-Duck-Fish-Turtle,
        // Man-Elk-Hero-Sphinx-Turtle, Man-Angel-Bird-Duck-Sphinx.
        assert_eq!(WINNING.map(letters), ["fdct", "seth", "sbad"]);
        assert_eq!(letters(MAN), "m");
    }

    #[test]
    fn three_kinds_are_bound_to_one_colour_of_squares() {
        let bound: Vec<Kind> = Kind::ALL
            .into_iter()
            .filter(|k| {
                Square::all().all(|from| {
                    Square::all().all(|to| {
                        let other = (from.file() + from.rank() + to.file() + to.rank()) % 2 == 1;
                        let distance = DISTANCE[k.index()][from.index()][to.index()];
                        assert!(distance == FAR || distance <= 6);
                        !other || distance == FAR
                    })
                })
            })
            .collect();
        assert_eq!(bound, [Kind::Bird, Kind::Fish, Kind::Duck]);
        // The white squares of the original, for both sides.
        for kind in bound {
            let square = Square::wrapped(kind.start());
            assert_eq!((square.file() + square.rank()) % 2, 0);
        }
    }

    #[test]
    fn targets_of_some_pieces() {
        let count = |kind: Kind, file, rank| {
            let square = Square::at(file, rank).unwrap();
            kind.targets(square).count_ones()
        };
        assert_eq!(count(Kind::Man, 4, 4), 8);
        assert_eq!(count(Kind::Hero, 4, 4), 12);
        assert_eq!(count(Kind::Sphinx, 1, 1), 3);
        assert_eq!(count(Kind::Duck, 7, 1), 3);
        assert_eq!(count(Kind::Turtle, 4, 4), 12);
    }
}
