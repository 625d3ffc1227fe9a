//! The walk through a strategy that the writer and the reader of a certificate
//! both make.

use std::collections::HashMap;

use ahash::RandomState;

use super::refusal::Place;
use super::rules::Board;
use crate::game::Seat;

/// A position where the winner is to move, met for the first time.
pub(super) struct Met<'a> {
    pub(super) board: &'a Board,
    /// The cells of the legal moves, in order.
    pub(super) legal: &'a [u16],
    /// The cells of the moves that lead here.
    pub(super) line: &'a [u16],
    /// Positions met, this one included.
    pub(super) positions: u64,
}

/// Why a walk ended early.
pub(super) enum Stop<E> {
    /// The other side has won.
    Lost,
    /// There is no more memory for positions, after so many.
    Memory(u64),
    /// The one who chooses the winner's moves stopped it.
    Chooser(E),
}

/// Why a walk ended early, and where.
pub(super) type Broken<E> = (Stop<E>, Box<Place>);

/// What a whole walk came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Totals {
    /// Different positions where the winner is to move.
    pub(super) positions: u64,
    /// Moves played, of both sides.
    pub(super) moves: u64,
    /// The longest game.
    pub(super) plies: u64,
}

/// Names the winner's move by its place among the legal ones.
pub(super) type Choose<'a, E> = dyn FnMut(&Met) -> Result<usize, E> + 'a;

/// Plays a whole strategy: at each position where `winner` is to move the chosen
/// move, unless the position was met before; against it all moves. The place of
/// a chosen move must be one of `Met::legal`. `memory` is in bytes.
pub(super) fn walk<E>(
    start: &Board,
    winner: Seat,
    memory: usize,
    choose: &mut Choose<E>,
) -> Result<Totals, Broken<E>> {
    // Five points in a byte of a key.
    match start.size().area() {
        ..=40 => Walk::<8, E>::run(start, winner, memory, choose),
        41..=80 => Walk::<16, E>::run(start, winner, memory, choose),
        81..=120 => Walk::<24, E>::run(start, winner, memory, choose),
        121..=240 => Walk::<48, E>::run(start, winner, memory, choose),
        _ => Walk::<96, E>::run(start, winner, memory, choose),
    }
}

/// The longest game from a position, in three bytes: a move adds a stone or lowers
/// the number of roots, so no game on 441 points has 441 * 441 moves.
type Height = [u8; 3];

/// A position where the loser is to move.
struct Frame<const N: usize> {
    board: Board,
    /// The position before the winner's move that led here, if one did.
    before: Option<[u8; N]>,
    /// Where its moves begin in [`Walk::moves`]; they go to the end.
    first: usize,
    /// The next of them.
    next: usize,
    /// The longest game so far.
    plies: u64,
}

struct Walk<'a, const N: usize, E> {
    winner: Seat,
    memory: usize,
    choose: &'a mut Choose<'a, E>,
    /// Where the winner is to move: the positions that are done.
    done: HashMap<[u8; N], Height, RandomState>,
    frames: Vec<Frame<N>>,
    /// The moves of all frames.
    moves: Vec<u16>,
    legal: Vec<u16>,
    line: Vec<u16>,
    totals: Totals,
}

/// Bytes of a table with room for `capacity` positions.
fn bytes<const N: usize>(capacity: usize) -> usize {
    // One byte more for each, and at most seven of eight places are used.
    capacity.saturating_mul(N + size_of::<Height>() + 1) / 7 * 8
}

impl<'a, const N: usize, E> Walk<'a, N, E> {
    fn run(
        start: &Board,
        winner: Seat,
        memory: usize,
        choose: &'a mut Choose<'a, E>,
    ) -> Result<Totals, Broken<E>> {
        let mut walk = Self {
            winner,
            memory,
            choose,
            done: HashMap::with_hasher(RandomState::with_seeds(1, 2, 3, 4)),
            frames: Vec::new(),
            moves: Vec::new(),
            legal: Vec::new(),
            line: Vec::new(),
            totals: Totals::default(),
        };
        let begun = if start.to_move() == winner {
            walk.arrive(start.clone())
        } else {
            walk.open(start.clone(), None);
            Ok(None)
        };
        match begun {
            Ok(Some(plies)) => walk.totals.plies = plies,
            Ok(None) => while walk.step()? {},
            Err(broken) => return Err(broken),
        }
        Ok(walk.totals)
    }

    /// Plays the loser's next move in the last frame, or ends the frame.
    fn step(&mut self) -> Result<bool, Broken<E>> {
        let Some(frame) = self.frames.last_mut() else {
            return Ok(false);
        };
        let Some(&at) = self.moves.get(frame.next) else {
            self.close()?;
            return Ok(true);
        };
        frame.next += 1;
        let mut board = frame.board.clone();
        board.play(at);
        self.line.push(at);
        self.totals.moves += 1;
        if let Some(plies) = self.arrive(board)? {
            self.back(plies);
        }
        Ok(true)
    }

    /// Looks at a position where the winner is to move or has won. The longest
    /// game from there if it is known, or else a new frame.
    fn arrive(&mut self, board: Board) -> Result<Option<u64>, Broken<E>> {
        if let Some(plies) = self.over(&board)? {
            return Ok(Some(plies));
        }
        let key = board.key();
        if let Some(&[a, b, c]) = self.done.get(&key) {
            return Ok(Some(u32::from_le_bytes([a, b, c, 0]).into()));
        }
        self.totals.positions += 1;
        self.legal.clear();
        board.legal(&mut self.legal);
        let chosen = (self.choose)(&Met {
            board: &board,
            legal: &self.legal,
            line: &self.line,
            positions: self.totals.positions,
        });
        let at = match chosen {
            Ok(place) => self.legal[place],
            Err(error) => return Err(self.stop(Stop::Chooser(error), board)),
        };
        let mut after = board;
        after.play(at);
        self.line.push(at);
        self.totals.moves += 1;
        // A loser without stones has no moves, and the frame ends at once.
        self.over(&after)?;
        self.open(after, Some(key));
        Ok(None)
    }

    /// 0 if the winner has won; an error if the loser has.
    fn over(&self, board: &Board) -> Result<Option<u64>, Broken<E>> {
        match board.winner() {
            None => Ok(None),
            Some(seat) if seat == self.winner => Ok(Some(0)),
            Some(_) => Err(self.stop(Stop::Lost, board.clone())),
        }
    }

    fn stop(&self, stop: Stop<E>, board: Board) -> Broken<E> {
        let line = self.line.iter().map(|&at| board.name(at)).collect();
        (stop, Box::new(Place { board, line }))
    }

    /// Marks a position as done; `after` is the one after the winner's move.
    fn keep(&mut self, key: [u8; N], plies: u64, after: &Board) -> Result<(), Broken<E>> {
        let room = self.done.capacity();
        if self.done.len() == room {
            // Both tables are there while one moves into the other.
            let need = bytes::<N>(room).saturating_add(bytes::<N>(2 * room));
            if need > self.memory || self.done.try_reserve(1).is_err() {
                return Err(self.stop(Stop::Memory(self.totals.positions), after.clone()));
            }
        }
        let [a, b, c, ..] = plies.to_le_bytes();
        self.done.insert(key, [a, b, c]);
        Ok(())
    }

    /// Begins a position where the loser is to move.
    fn open(&mut self, board: Board, before: Option<[u8; N]>) {
        let first = self.moves.len();
        board.legal(&mut self.moves);
        self.frames.push(Frame {
            board,
            before,
            first,
            next: first,
            plies: 0,
        });
    }

    /// Ends the last frame, whose moves are all played.
    fn close(&mut self) -> Result<(), Broken<E>> {
        let Some(frame) = self.frames.pop() else {
            return Ok(());
        };
        self.moves.truncate(frame.first);
        let mut plies = frame.plies;
        if let Some(key) = frame.before {
            plies += 1;
            self.keep(key, plies, &frame.board)?;
            self.line.pop();
        }
        self.back(plies);
        Ok(())
    }

    /// Goes back over a loser's move, after which the longest game has `plies`.
    fn back(&mut self, plies: u64) {
        self.line.pop();
        match self.frames.last_mut() {
            Some(frame) => frame.plies = frame.plies.max(plies + 1),
            None => self.totals.plies = plies,
        }
    }
}
