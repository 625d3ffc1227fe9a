//! A game that exists only here: three in a row on 3x3, where stones drop to the lowest free
//! square of a column. Solved, drawn, and of 694 positions, so what searches any game can be held
//! to the whole truth, draws included.

mod review;
mod tests;
mod variant;

use tanada::game::{
    Evaluation, Evaluator, Game, MoveEvaluation, MultiplayerUtility, Outcome, PerSeat, Playout,
    Seat,
};
use tanada::util::random::{Random, mix};

/// Three in a row; the square with file `f` and rank `r` is the bit `3 * f + r`.
const LINES: [u16; 8] = [
    0b000_000_111,
    0b000_111_000,
    0b111_000_000,
    0b001_001_001,
    0b010_010_010,
    0b100_100_100,
    0b100_010_001,
    0b001_010_100,
];

/// All squares.
const FULL: u16 = 0b111_111_111;

/// A position. The stones tell whose turn it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Position {
    /// The squares of each seat.
    stones: [u16; 2],
}

/// A move: the column, from 0 at the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Column(u8);

impl Position {
    fn taken(self) -> u16 {
        self.stones[0] | self.stones[1]
    }

    /// The square where a stone in this column comes to rest, none if the column is full.
    fn rest(self, Column(column): Column) -> Option<u16> {
        let mut squares = (0..3).map(|rank| 1 << (3 * column + rank));
        squares.find(|square| self.taken() & square == 0)
    }

    /// The lines that `seat` may still fill.
    fn open_lines(self, seat: Seat) -> usize {
        let others = self.stones[1 - seat.index()];
        LINES.iter().filter(|&line| line & others == 0).count()
    }
}

impl Game for Position {
    type Move = Column;
    type Undo = u16;
    type Playout = Position;
    const SEATS: usize = 2;
    const MOVE_CODES: usize = 3;

    fn to_move(&self) -> Seat {
        Seat::new(self.taken().count_ones() as usize % 2)
    }

    fn outcome(&self) -> Option<Outcome> {
        let filled = |seat: &Seat| {
            let own = self.stones[seat.index()];
            LINES.iter().any(|line| line & own == *line)
        };
        let winner = Seat::ALL[..2].iter().copied().find(filled);
        let full = (self.taken() == FULL).then_some(Outcome::Draw);
        winner.map(Outcome::Winner).or(full)
    }

    fn moves(&self, moves: &mut Vec<Column>) {
        moves.extend((0..3).map(Column).filter(|&mv| self.is_legal(mv)));
    }

    fn is_legal(&self, mv: Column) -> bool {
        self.outcome().is_none() && self.rest(mv).is_some()
    }

    fn play(&mut self, mv: Column) -> u16 {
        let square = self.rest(mv).expect("a column that is not full");
        self.stones[self.to_move().index()] |= square;
        square
    }

    fn undo(&mut self, square: u16) {
        self.stones = self.stones.map(|own| own & !square);
    }

    fn hash(&self) -> u64 {
        mix(u64::from(self.stones[0]) << 9 | u64::from(self.stones[1]))
    }

    fn code(Column(column): Column) -> u16 {
        u16::from(column)
    }

    fn decode(code: u16) -> Column {
        Column(code as u8)
    }

    fn playout(&self) -> Position {
        *self
    }
}

impl Playout for Position {
    /// No move is unwise here, so none is drawn again.
    fn finish(
        &mut self,
        _redraws: u64,
        random: &mut Random,
        mut after: impl FnMut(Seat, u16),
    ) -> Outcome {
        loop {
            if let Some(outcome) = self.outcome() {
                return outcome;
            }
            let mut moves = Vec::new();
            self.moves(&mut moves);
            let mv = moves[random.below(moves.len() as u32) as usize];
            let seat = self.to_move();
            self.play(mv);
            after(seat, Self::code(mv));
        }
    }
}

/// Counts the lines that each side may still fill.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenLines;

impl OpenLines {
    fn value(position: &Position, seat: Seat) -> f32 {
        let [own, others] = [seat, Seat::new(1 - seat.index())].map(|s| position.open_lines(s));
        0.5 + (own as f32 - others as f32) / 20.0
    }
}

impl Evaluator<Position> for OpenLines {
    const HAS_MOVE_EVALUATIONS: bool = true;

    fn evaluate(
        &self,
        position: &mut Position,
        moves: &[Column],
        _utility: &MultiplayerUtility,
        _random: &mut Random,
        evaluation: &mut Evaluation,
    ) {
        let seat = position.to_move();
        evaluation.playout.clear();
        evaluation.moves.clear();
        evaluation.moves.extend(moves.iter().map(|&mv| {
            let undo = position.play(mv);
            let outcome = position.outcome();
            let value = outcome.map_or(Self::value(position, seat), |o| o.value_for(seat, 2));
            position.undo(undo);
            MoveEvaluation { value, outcome }
        }));
        evaluation.values = PerSeat::default();
        for seat in &Seat::ALL[..2] {
            evaluation.values[*seat] = Self::value(position, *seat);
        }
    }
}
