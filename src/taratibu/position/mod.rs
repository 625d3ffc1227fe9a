//! The position: pieces, turn, steps left and outcome.

use crate::game::{Game, IllegalMove, Outcome, Seat};
use crate::taratibu::piece::{self, KINDS, Kind, REACH};
use crate::taratibu::square::{SQUARES, Square, bits};

mod zobrist;

use zobrist::{PIECES, SPENT, moment_key};

/// The number of turns, which is also the number of steps in the last one.
pub(crate) const LAST_TURN: u8 = 10;

/// One step: a piece moves from one square to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    pub(crate) from: Square,
    pub(crate) to: Square,
}

/// In place of a square, a captured piece; in place of a piece, an empty square.
pub(crate) const NONE: u8 = 255;

/// A position of Taratibu. Seat 0 is White and moves first, seat 1 is Black.
///
/// While the game is not over, the side to move can step: turns without a step are passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// By seat and kind: the square of the piece, or [`NONE`].
    squares: [[u8; KINDS]; 2],
    /// By square: kind, plus [`KINDS`] for a black piece, or [`NONE`].
    board: [u8; SQUARES],
    occupied: [u64; 2],
    /// By seat: the kinds on the board, as bits.
    alive: [u16; 2],
    /// The mover's kinds that captured in this turn, as bits.
    spent: u16,
    turn: u8,
    steps_left: u8,
    outcome: Option<Outcome>,
    hash: u64,
}

/// The position before a step.
#[derive(Clone, Copy, Debug)]
pub struct Undo(Position);

impl Position {
    /// The start of a game.
    pub fn new_game() -> Self {
        let mut position = Self::empty(1, 1);
        for kind in Kind::ALL {
            position.put(0, kind.index(), kind.start());
            position.put(1, kind.index(), SQUARES - 1 - kind.start());
        }
        position
    }

    /// An empty board at this point of the game.
    pub(super) fn empty(turn: u8, steps_left: u8) -> Self {
        Self {
            squares: [[NONE; KINDS]; 2],
            board: [NONE; SQUARES],
            occupied: [0; 2],
            alive: [0; 2],
            spent: 0,
            turn,
            steps_left,
            outcome: None,
            hash: moment_key(turn, steps_left),
        }
    }

    /// Puts a piece that is not on the board on an empty square.
    pub(super) fn put(&mut self, seat: usize, kind: usize, square: usize) {
        self.squares[seat][kind] = square as u8;
        self.board[square] = (seat * KINDS + kind) as u8;
        self.occupied[seat] |= 1 << square;
        self.alive[seat] |= 1 << kind;
        self.hash ^= PIECES[seat * KINDS + kind][square];
    }

    /// Marks kinds of the mover as spent.
    pub(super) fn spend(&mut self, kinds: u16) {
        for kind in bits(kinds & !self.spent) {
            self.hash ^= SPENT[kind];
        }
        self.spent |= kinds;
    }

    /// The current turn, 1 to 10; White has the odd ones.
    pub fn turn(&self) -> u8 {
        self.turn
    }

    /// The steps left in the turn, at least 1 while the game runs.
    pub fn steps_left(&self) -> u8 {
        self.steps_left
    }

    /// The squares of the mover's pieces that captured in this turn, ascending.
    pub(crate) fn spent(&self) -> Vec<Square> {
        let squares = &self.squares[self.mover()];
        let pieces = bits(self.spent);
        let spent = pieces.map(|kind| Square::wrapped(usize::from(squares[kind])));
        let mut spent: Vec<Square> = spent.collect();
        spent.sort();
        spent
    }

    /// The piece on a square and whose it is.
    #[inline(always)]
    pub(crate) fn piece_at(&self, square: Square) -> Option<(Seat, Kind)> {
        let piece = usize::from(self.board[square.index()]);
        let kind = Kind::ALL.get(piece % KINDS)?;
        (piece < 2 * KINDS).then(|| (Seat::new(piece / KINDS), *kind))
    }

    /// The seat to move as an index, 0 or 1.
    #[inline(always)]
    pub(super) fn mover(&self) -> usize {
        usize::from(self.turn + 1) & 1
    }

    /// The squares of the pieces of a seat, by its index.
    #[inline(always)]
    pub(super) fn occupied_by(&self, seat: usize) -> u64 {
        self.occupied[seat & 1]
    }

    /// The kinds that a seat has left, as bits.
    #[inline(always)]
    pub(super) fn alive(&self, seat: usize) -> u16 {
        self.alive[seat & 1]
    }

    /// The kinds of the mover that captured in this turn, as bits.
    #[inline(always)]
    pub(super) fn spent_kinds(&self) -> u16 {
        self.spent
    }

    /// The kind of the piece on a square that is not empty, by its index.
    #[inline(always)]
    pub(super) fn kind_at(&self, square: usize) -> usize {
        usize::from(self.board[square % SQUARES]) % KINDS
    }

    /// By kind: the squares of a seat's pieces, or [`NONE`].
    #[inline(always)]
    pub(super) fn squares(&self, seat: usize) -> &[u8; KINDS] {
        &self.squares[seat & 1]
    }

    /// The mover's pieces that may step, as kinds and squares.
    #[inline(always)]
    pub(super) fn steppers(&self) -> impl Iterator<Item = (usize, usize)> {
        let mover = self.mover();
        bits(self.alive[mover] & !self.spent)
            .map(move |kind| (kind, usize::from(self.squares[mover][kind])))
    }

    /// Whether the mover has a step.
    #[inline(always)]
    fn can_step(&self) -> bool {
        let own = self.occupied[self.mover()];
        self.steppers()
            .any(|(kind, from)| REACH[kind][from] & !own != 0)
    }

    /// Passes turns without a step until a side can step or the game is over.
    #[inline(always)]
    pub(super) fn pass_finished_turns(&mut self) {
        while self.steps_left == 0 || !self.can_step() {
            self.hash ^= moment_key(self.turn, self.steps_left);
            for kind in bits(self.spent) {
                self.hash ^= SPENT[kind];
            }
            self.spent = 0;
            if self.turn >= LAST_TURN {
                self.steps_left = 0;
                self.outcome = Some(Outcome::Draw);
                self.hash ^= moment_key(self.turn, 0);
                return;
            }
            self.turn += 1;
            self.steps_left = self.turn;
            self.hash ^= moment_key(self.turn, self.steps_left);
        }
    }

    /// Plays steps one after the other.
    ///
    /// # Errors
    /// A step is illegal; the position is unchanged then.
    pub fn play_turn(&mut self, steps: &[Step]) -> Result<(), IllegalMove> {
        let mut after = *self;
        for &step in steps {
            if !after.is_legal(step) {
                return Err(IllegalMove);
            }
            after.play(step);
        }
        *self = after;
        Ok(())
    }

    /// Plays a step of the mover's piece of this kind.
    #[inline(always)]
    pub(super) fn step(&mut self, kind: usize, from: usize, to: usize) {
        let mover = self.mover();
        let enemy = 1 - mover;
        let own = mover * KINDS + kind;
        let taken = self.board[to];
        self.squares[mover][kind] = to as u8;
        self.board[from] = NONE;
        self.board[to] = own as u8;
        self.occupied[mover] ^= 1 << from | 1 << to;
        self.hash ^= PIECES[own][from] ^ PIECES[own][to];
        self.hash ^= moment_key(self.turn, self.steps_left);
        self.steps_left = self.steps_left.saturating_sub(1);
        self.hash ^= moment_key(self.turn, self.steps_left);
        if taken != NONE {
            let taken = usize::from(taken) % KINDS;
            self.squares[enemy][taken] = NONE;
            self.occupied[enemy] &= !(1 << to);
            self.alive[enemy] &= !(1 << taken);
            self.hash ^= PIECES[enemy * KINDS + taken][to];
            self.spent |= 1 << kind;
            self.hash ^= SPENT[kind];
            if piece::is_lost(self.alive[enemy]) {
                self.outcome = Some(Outcome::Winner(Seat::new(mover)));
                return;
            }
        }
        self.pass_finished_turns();
    }
}

/// The names of the sides.
pub(super) const COLOURS: [&str; 2] = ["white", "black"];

impl Game for Position {
    type Move = Step;
    type Undo = Undo;
    type Playout = Position;
    const SEATS: usize = 2;
    const MOVE_CODES: usize = SQUARES * SQUARES;

    #[inline(always)]
    fn to_move(&self) -> Seat {
        Seat::new(self.mover())
    }

    #[inline(always)]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Ordered by kind, then by target square.
    #[inline(always)]
    fn moves(&self, moves: &mut Vec<Step>) {
        if self.outcome.is_some() {
            return;
        }
        let own = self.occupied[self.mover()];
        for (kind, from) in self.steppers() {
            for to in bits(REACH[kind][from] & !own) {
                moves.push(Step {
                    from: Square::wrapped(from),
                    to: Square::wrapped(to),
                });
            }
        }
    }

    fn is_legal(&self, mv: Step) -> bool {
        let mover = self.mover();
        let Some((seat, kind)) = self.piece_at(mv.from) else {
            return false;
        };
        self.outcome.is_none()
            && seat.index() == mover
            && self.spent & 1 << kind.index() == 0
            && kind.targets(mv.from) & !self.occupied[mover] & mv.to.bit() != 0
    }

    #[inline(always)]
    fn play(&mut self, mv: Step) -> Undo {
        let undo = Undo(*self);
        let kind = usize::from(self.board[mv.from.index()]) % KINDS;
        self.step(kind, mv.from.index(), mv.to.index());
        undo
    }

    #[inline(always)]
    fn undo(&mut self, undo: Undo) {
        *self = undo.0;
    }

    #[inline(always)]
    fn hash(&self) -> u64 {
        self.hash
    }

    fn distance(&self, a: Step, b: Step) -> u32 {
        let files = a.to.file().abs_diff(b.to.file());
        files.max(a.to.rank().abs_diff(b.to.rank())) as u32
    }

    #[inline(always)]
    fn code(mv: Step) -> u16 {
        (mv.from.index() * SQUARES + mv.to.index()) as u16
    }

    #[inline(always)]
    fn decode(code: u16) -> Step {
        Step {
            from: Square::wrapped(usize::from(code) / SQUARES),
            to: Square::wrapped(usize::from(code)),
        }
    }

    #[inline(always)]
    fn playout(&self) -> Position {
        *self
    }
}

#[cfg(test)]
mod tests;
