//! The depth-first traversal of a strategy. The writer and the reader of a certificate both use
//! it, so they visit the positions in the same order.

use std::collections::HashMap;

use ahash::RandomState;

use super::error::Place;
use super::naive_position::NaivePosition;
use crate::game::Seat;

/// A position with the winner to move, on its first visit.
pub(super) struct Decision<'a> {
    pub(super) position: &'a NaivePosition,
    /// The cells of the legal moves, in order.
    pub(super) legal: &'a [u16],
    /// The cells of the moves from the start to here.
    pub(super) line: &'a [u16],
    /// Positions visited, with this one.
    pub(super) positions: u64,
}

/// Why a traversal ended early.
pub(super) enum StopReason<E> {
    /// The other side has won.
    Lost,
    /// The memory was full after this many positions.
    Memory(u64),
    /// No move of the winner could be chosen.
    Choice(E),
}

/// Why a traversal ended early, and where.
pub(super) type TraversalError<E> = (StopReason<E>, Box<Place>);

/// The counts of a complete traversal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TraversalStats {
    /// Different positions with the winner to move.
    pub(super) positions: u64,
    pub(super) moves: u64,
    pub(super) plies: u64,
}

/// Chooses the winner's move by its index among the legal ones.
pub(super) type ChooseMove<'a, E> = dyn FnMut(&Decision) -> Result<usize, E> + 'a;

/// Plays a whole strategy: the chosen move in each new position with `winner` to move, and every
/// move of the loser. A chosen index must lie within `Decision::legal`. `memory` is in bytes.
pub(super) fn traverse<E>(
    start: &NaivePosition,
    winner: Seat,
    memory: usize,
    choose: &mut ChooseMove<E>,
) -> Result<TraversalStats, TraversalError<E>> {
    // Five points in a byte of a key.
    match start.size().area() {
        ..=40 => Traversal::<8, E>::run(start, winner, memory, choose),
        41..=80 => Traversal::<16, E>::run(start, winner, memory, choose),
        81..=120 => Traversal::<24, E>::run(start, winner, memory, choose),
        121..=240 => Traversal::<48, E>::run(start, winner, memory, choose),
        _ => Traversal::<96, E>::run(start, winner, memory, choose),
    }
}

/// The length of the longest game from a position. Three bytes are enough: each move adds a stone
/// or lowers the number of roots, so a game on 441 points has fewer than 441 * 441 moves.
type PackedPlies = [u8; 3];

/// A position on the stack, with the loser to move.
struct Frame<const N: usize> {
    board: NaivePosition,
    /// The key of the position before the winner's move that led here.
    before: Option<[u8; N]>,
    /// The index of its first move in [`Traversal::moves`]; its moves are the last ones there.
    first: usize,
    /// The index of the next move to play.
    next: usize,
    /// The length of the longest game so far.
    plies: u64,
}

struct Traversal<'a, const N: usize, E> {
    winner: Seat,
    memory: usize,
    choose: &'a mut ChooseMove<'a, E>,
    /// The finished positions with the winner to move.
    done: HashMap<[u8; N], PackedPlies, RandomState>,
    frames: Vec<Frame<N>>,
    /// The moves of all frames.
    moves: Vec<u16>,
    legal: Vec<u16>,
    line: Vec<u16>,
    stats: TraversalStats,
}

/// The size of a table with room for `capacity` positions.
fn bytes<const N: usize>(capacity: usize) -> usize {
    // The table adds a byte to each entry and fills at most seven of eight.
    capacity.saturating_mul(N + size_of::<PackedPlies>() + 1) / 7 * 8
}

impl<'a, const N: usize, E> Traversal<'a, N, E> {
    fn run(
        start: &NaivePosition,
        winner: Seat,
        memory: usize,
        choose: &'a mut ChooseMove<'a, E>,
    ) -> Result<TraversalStats, TraversalError<E>> {
        let mut traversal = Self {
            winner,
            memory,
            choose,
            done: HashMap::with_hasher(RandomState::with_seeds(1, 2, 3, 4)),
            frames: Vec::new(),
            moves: Vec::new(),
            legal: Vec::new(),
            line: Vec::new(),
            stats: TraversalStats::default(),
        };
        if start.to_move() != winner {
            traversal.push_frame(start.clone(), None);
        } else if let Some(plies) = traversal.visit(start.clone())? {
            traversal.stats.plies = plies;
        }
        while traversal.step()? {}
        Ok(traversal.stats)
    }

    /// Plays the loser's next move in the top frame, or pops the frame; false at the end.
    fn step(&mut self) -> Result<bool, TraversalError<E>> {
        let Some(frame) = self.frames.last_mut() else {
            return Ok(false);
        };
        let Some(&at) = self.moves.get(frame.next) else {
            self.pop_frame()?;
            return Ok(true);
        };
        frame.next += 1;
        let mut board = frame.board.clone();
        board.play(at);
        self.line.push(at);
        self.stats.moves += 1;
        if let Some(plies) = self.visit(board)? {
            self.take_back(plies);
        }
        Ok(true)
    }

    /// Visits a position where the winner is to move or has won. Returns the length of the longest
    /// game from it if that is known; otherwise pushes a frame.
    fn visit(&mut self, board: NaivePosition) -> Result<Option<u64>, TraversalError<E>> {
        if let Some(plies) = self.over(&board)? {
            return Ok(Some(plies));
        }
        let key = board.key();
        if let Some(&[a, b, c]) = self.done.get(&key) {
            return Ok(Some(u32::from_le_bytes([a, b, c, 0]).into()));
        }
        self.stats.positions += 1;
        self.legal.clear();
        board.legal(&mut self.legal);
        let chosen = (self.choose)(&Decision {
            position: &board,
            legal: &self.legal,
            line: &self.line,
            positions: self.stats.positions,
        });
        let at = match chosen {
            Ok(place) => self.legal[place],
            Err(error) => return Err(self.stop(StopReason::Choice(error), board)),
        };
        let mut after = board;
        after.play(at);
        self.line.push(at);
        self.stats.moves += 1;
        // If the loser has no stones left, the new frame has no moves and ends at once.
        self.over(&after)?;
        self.push_frame(after, Some(key));
        Ok(None)
    }

    /// 0 if the winner has won, an error if the loser has.
    fn over(&self, board: &NaivePosition) -> Result<Option<u64>, TraversalError<E>> {
        match board.winner() {
            None => Ok(None),
            Some(seat) if seat == self.winner => Ok(Some(0)),
            Some(_) => Err(self.stop(StopReason::Lost, board.clone())),
        }
    }

    fn stop(&self, stop: StopReason<E>, board: NaivePosition) -> TraversalError<E> {
        let line = self.line.iter().map(|&at| board.name(at)).collect();
        let position = board;
        (stop, Box::new(Place { position, line }))
    }

    /// Marks a position as finished; `after` is the position after the winner's move.
    fn mark_done(
        &mut self,
        key: [u8; N],
        plies: u64,
        after: &NaivePosition,
    ) -> Result<(), TraversalError<E>> {
        let room = self.done.capacity();
        if self.done.len() == room {
            // The old and the new table exist together while the entries move.
            let need = bytes::<N>(room).saturating_add(bytes::<N>(2 * room));
            if need > self.memory || self.done.try_reserve(1).is_err() {
                return Err(self.stop(StopReason::Memory(self.stats.positions), after.clone()));
            }
        }
        let [a, b, c, ..] = plies.to_le_bytes();
        self.done.insert(key, [a, b, c]);
        Ok(())
    }

    fn push_frame(&mut self, board: NaivePosition, before: Option<[u8; N]>) {
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

    /// Pops the top frame, whose moves are all played.
    fn pop_frame(&mut self) -> Result<(), TraversalError<E>> {
        let Some(frame) = self.frames.pop() else {
            return Ok(());
        };
        self.moves.truncate(frame.first);
        let mut plies = frame.plies;
        if let Some(key) = frame.before {
            plies += 1;
            self.mark_done(key, plies, &frame.board)?;
            self.line.pop();
        }
        self.take_back(plies);
        Ok(())
    }

    /// Takes back a loser's move, after which the longest game has `plies`.
    fn take_back(&mut self, plies: u64) {
        self.line.pop();
        match self.frames.last_mut() {
            Some(frame) => frame.plies = frame.plies.max(plies + 1),
            None => self.stats.plies = plies,
        }
    }
}
