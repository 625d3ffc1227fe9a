//! A naive implementation of Tanbo's rules for two players: everything is computed from the
//! stones when it is needed.

use std::fmt;

use arrayvec::ArrayVec;

use crate::board::vertex;
use crate::board::{BoardSize, Point};
use crate::game::Seat;

/// Cells of the largest board with a wall around it, rounded up to a power of two.
const CELLS: usize = 512;

const EMPTY: u8 = 0;
const WALL: u8 = 3;

/// A position of two players: the stones and the side to move.
#[derive(Clone)]
pub struct NaivePosition {
    size: BoardSize,
    /// 0 empty, 1 black, 2 white, 3 off the board.
    cells: [u8; CELLS],
    to_move: u8,
}

impl fmt::Debug for NaivePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.diagram())
    }
}

/// Cells in the order in which a flood found them.
type Cells = ArrayVec<u16, CELLS>;

impl NaivePosition {
    /// A position with these stones; colours other than black and white are ignored.
    pub(super) fn new(
        size: BoardSize,
        to_move: Seat,
        stone_at: impl Fn(Point) -> Option<Seat>,
    ) -> Self {
        let mut board = Self {
            size,
            cells: [WALL; CELLS],
            to_move: cell(to_move),
        };
        for point in size.points() {
            let stone = stone_at(point).filter(|seat| seat.index() < 2);
            board.cells[board.at(point)] = stone.map_or(EMPTY, cell);
        }
        board
    }

    /// The board's size.
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// The seat to move; seat 0 is Black, seat 1 White.
    pub fn to_move(&self) -> Seat {
        seat(self.to_move)
    }

    /// The stone on a point of the board.
    pub fn stone_at(&self, point: Point) -> Option<Seat> {
        match self.cells.get(self.at(point)) {
            Some(&stone @ 1..=2) => Some(seat(stone)),
            _ => None,
        }
    }

    /// The only side with stones, which has won.
    pub(crate) fn winner(&self) -> Option<Seat> {
        let has = |stone: u8| self.cells.contains(&stone);
        match (has(1), has(2)) {
            (true, false) => Some(seat(1)),
            (false, true) => Some(seat(2)),
            _ => None,
        }
    }

    /// `to move: black`, then the rows from the top.
    pub fn diagram(&self) -> String {
        let rows = self.rows().join("\n");
        format!("to move: {}\n{rows}\n", word(self.to_move()))
    }

    /// The rows from the top, points separated by spaces: `.` empty, `X` black, `O` white.
    pub(super) fn rows(&self) -> Vec<String> {
        let side = self.size.side();
        let row = |from_top: usize| {
            let first = (side - from_top) * (side + 1);
            let stones = self.cells.iter().skip(first).take(side);
            let stones = stones.map(|&stone| match stone {
                1 => "X",
                2 => "O",
                _ => ".",
            });
            stones.collect::<Vec<_>>().join(" ")
        };
        (0..side).map(row).collect()
    }

    /// The cell of a point. One column of walls separates the rows; below them is a row of walls.
    fn at(&self, point: Point) -> usize {
        (point.row(self.size) + 1) * (self.size.side() + 1) + point.column(self.size)
    }

    /// The name of the point of a cell.
    pub(super) fn name(&self, at: u16) -> String {
        self.point(at)
            .map_or_else(String::new, |point| vertex::name(point, self.size))
    }

    /// The point of a cell.
    pub(super) fn point(&self, at: u16) -> Option<Point> {
        let stride = self.size.side() + 1;
        let row = usize::from(at) / stride;
        self.size
            .point(usize::from(at) % stride, row.checked_sub(1)?)
    }

    /// The cells of the board, row by row from A1.
    fn on_board(&self) -> impl Iterator<Item = usize> + Clone + use<> {
        let side = self.size.side();
        (1..=side).flat_map(move |row| row * (side + 1)..row * (side + 1) + side)
    }

    fn around(&self, at: usize) -> [usize; 4] {
        let stride = self.size.side() + 1;
        [at - stride, at - 1, at + 1, at + stride]
    }

    /// The neighbour with this stone, if exactly one has it.
    #[inline]
    fn only(&self, at: usize, stone: u8) -> Option<usize> {
        let mut found = None;
        for next in self.around(at) {
            if self.cells[next] == stone && found.replace(next).is_some() {
                return None;
            }
        }
        found
    }

    /// Appends the cells of all legal moves, row by row from A1.
    pub(super) fn legal(&self, moves: &mut Vec<u16>) {
        for at in self.on_board() {
            if self.cells[at] == EMPTY && self.only(at, self.to_move).is_some() {
                moves.push(at as u16);
            }
        }
    }

    /// Plays a legal move, removes bounded roots, and passes the turn.
    pub(super) fn play(&mut self, at: u16) {
        let at = usize::from(at);
        self.cells[at] = self.to_move;
        let free = self.free();
        if !free[at] {
            let mut seen = [false; CELLS];
            seen[at] = true;
            for stone in self.flood(&mut seen, [at as u16].into_iter().collect()) {
                self.cells[usize::from(stone)] = EMPTY;
            }
        } else {
            for stone in self.on_board() {
                if !free[stone] {
                    self.cells[stone] = EMPTY;
                }
            }
        }
        self.to_move = 3 - self.to_move;
    }

    /// The stones of roots that are not bounded: some empty point has exactly one neighbour of
    /// the colour, and that neighbour belongs to the root.
    fn free(&self) -> [bool; CELLS] {
        let mut free = [false; CELLS];
        let mut open = Cells::new();
        for at in self.on_board().filter(|&at| self.cells[at] == EMPTY) {
            for stone in 1..=2 {
                if let Some(next) = self.only(at, stone)
                    && !free[next]
                {
                    free[next] = true;
                    open.push(next as u16);
                }
            }
        }
        self.flood(&mut free, open);
        free
    }

    /// All stones of the roots that the stones in `found` belong to; those are marked in `seen`
    /// already.
    fn flood(&self, seen: &mut [bool; CELLS], mut found: Cells) -> Cells {
        let mut done = 0;
        while let Some(&at) = found.get(done) {
            done += 1;
            let at = usize::from(at);
            for next in self.around(at) {
                if self.cells[next] == self.cells[at] && !seen[next] {
                    seen[next] = true;
                    found.push(next as u16);
                }
            }
        }
        found
    }

    /// Why the rules cannot play from this position; `None` if they can.
    pub(super) fn fault(&self) -> Option<&'static str> {
        if !self.cells.contains(&1) || !self.cells.contains(&2) {
            return Some("both sides need stones");
        }
        let mut stones = self.on_board().filter(|&at| self.cells[at] != EMPTY);
        let free = self.free();
        if stones.clone().any(|at| !free[at]) {
            return Some("a root is bounded");
        }
        let mut seen = [false; CELLS];
        let loops = stones.any(|at| {
            if seen[at] {
                return false;
            }
            seen[at] = true;
            let root = self.flood(&mut seen, [at as u16].into_iter().collect());
            let ends = root.iter().map(|&stone| {
                let around = self.around(usize::from(stone));
                let own = |&next: &usize| self.cells[next] == self.cells[at];
                around.into_iter().filter(own).count()
            });
            ends.sum::<usize>() != 2 * (root.len() - 1)
        });
        loops.then_some("a root holds a loop")
    }

    /// The stones in base 3, five points in a byte.
    pub(super) fn key<const N: usize>(&self) -> [u8; N] {
        let mut key = [0; N];
        let side = self.size.side();
        let mut points = (1..=side).flat_map(|row| {
            let first = row * (side + 1);
            &self.cells[first..first + side]
        });
        for byte in &mut key {
            for &stone in points.by_ref().take(5) {
                *byte = *byte * 3 + stone;
            }
        }
        key
    }
}

fn cell(seat: Seat) -> u8 {
    seat.index() as u8 + 1
}

fn seat(cell: u8) -> Seat {
    Seat::new(usize::from(cell == 2))
}

pub(super) fn word(seat: Seat) -> &'static str {
    ["black", "white"][usize::from(seat.index() == 1)]
}
