//! The depth-first traversal of a strategy. The writer and the reader of a certificate both use
//! it, so they visit the positions in the same order.
//!
//! A part is a position with the loser to move that has tables of its own, which are dropped at its
//! end: the memory is that of one part, not of all.

use std::collections::HashMap;
use std::mem;

use ahash::RandomState;

use super::error::Place;
use super::fold::Fold;
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

/// The counts of a traversal so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TraversalStats {
    /// Positions with the winner to move: those that differ, in each part by itself.
    pub(super) positions: u64,
    pub(super) moves: u64,
    pub(super) plies: u64,
    /// Parts that were traversed.
    pub(super) parts: u64,
    /// Positions that are endings.
    pub(super) endings: u64,
}

/// What the winner does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// It plays a move, by its index among the legal moves.
    Move(usize),
    /// It plays a move, and a part begins after it.
    Part(usize),
    /// It wins, as the guide has found out; the position is not traversed.
    Ending,
}

/// Knows the strategy that is traversed.
pub(super) trait Guide {
    type Error;

    /// Chooses what the winner does; the index of a move must lie within `Decision::legal`.
    fn choose(&mut self, decision: &Decision) -> Result<Choice, Self::Error>;

    /// A part is met that was finished before in the tables around it.
    fn skip_part(&mut self) {}

    /// A part begins that was not finished before in the tables around it; `start` is its position
    /// with the loser to move.
    fn begin_part(&mut self, start: &NaivePosition) -> Result<(), Self::Error> {
        let _ = start;
        Ok(())
    }

    /// The part that began last ends; `found` are the positions, parts and plies in it.
    fn end_part(&mut self, found: &TraversalStats) -> Result<(), Self::Error> {
        let _ = found;
        Ok(())
    }
}

/// Plays a whole strategy: the chosen move in each new position with `winner` to move, and every
/// move of the loser. `memory` is in bytes. If it `folds`, positions with the same winner for a plain
/// reason are one; the board's side is at most [`MAX_SIDE`](super::bits::MAX_SIDE) then.
pub(super) fn traverse<G: Guide>(
    start: &NaivePosition,
    winner: Seat,
    folds: bool,
    memory: usize,
    guide: &mut G,
) -> Result<TraversalStats, TraversalError<G::Error>> {
    let area = start.size().area();
    if folds {
        // Five points in two bytes of a key, and one byte.
        return match area {
            ..=40 => Traversal::<17, G>::run(start, winner, folds, memory, guide),
            41..=50 => Traversal::<21, G>::run(start, winner, folds, memory, guide),
            _ => Traversal::<41, G>::run(start, winner, folds, memory, guide),
        };
    }
    // Five points in a byte of a key.
    match area {
        ..=40 => Traversal::<8, G>::run(start, winner, folds, memory, guide),
        41..=80 => Traversal::<16, G>::run(start, winner, folds, memory, guide),
        81..=120 => Traversal::<24, G>::run(start, winner, folds, memory, guide),
        121..=240 => Traversal::<48, G>::run(start, winner, folds, memory, guide),
        _ => Traversal::<96, G>::run(start, winner, folds, memory, guide),
    }
}

/// The length of the longest game from a position. Three bytes are enough: each move adds a stone
/// or lowers the number of roots, so a game on 441 points has fewer than 441 * 441 moves.
type PackedPlies = [u8; 3];

/// The length of the longest game from each of the finished positions.
struct Positions<const N: usize>(HashMap<[u8; N], PackedPlies, RandomState>);

impl<const N: usize> Positions<N> {
    fn new() -> Self {
        Self(HashMap::with_hasher(RandomState::with_seeds(1, 2, 3, 4)))
    }

    fn plies(&self, key: &[u8; N]) -> Option<u64> {
        let &[a, b, c] = self.0.get(key)?;
        Some(u32::from_le_bytes([a, b, c, 0]).into())
    }

    fn bytes(&self) -> usize {
        Self::bytes_for(self.0.capacity())
    }

    /// The size of a table with room for `capacity` positions.
    fn bytes_for(capacity: usize) -> usize {
        // The table adds a byte to each entry and fills at most seven of eight.
        capacity.saturating_mul(N + size_of::<PackedPlies>() + 1) / 7 * 8
    }

    /// Adds a position; false if there is no room and the table may not grow by `spare` bytes.
    fn insert(&mut self, key: [u8; N], plies: u64, spare: usize) -> bool {
        let room = self.0.capacity();
        // The old and the new table exist together while the entries move.
        if self.0.len() == room
            && (Self::bytes_for(2 * room) > spare || self.0.try_reserve(1).is_err())
        {
            return false;
        }
        let [a, b, c, ..] = plies.to_le_bytes();
        self.0.insert(key, [a, b, c]);
        true
    }
}

/// What is finished in a part, or above all parts.
struct Tables<const N: usize> {
    /// Positions with the winner to move.
    positions: Positions<N>,
    /// Positions with the loser to move, with which parts began.
    parts: Positions<N>,
}

impl<const N: usize> Tables<N> {
    fn new() -> Self {
        Self {
            positions: Positions::new(),
            parts: Positions::new(),
        }
    }

    fn bytes(&self) -> usize {
        self.positions.bytes() + self.parts.bytes()
    }
}

/// A part that is not finished.
struct OpenPart<const N: usize> {
    /// The tables around it, and their bytes.
    outer: Tables<N>,
    bytes: usize,
    /// The counts when it began.
    before: TraversalStats,
}

/// A position on the stack, with the loser to move.
struct Frame<const N: usize> {
    board: NaivePosition,
    /// The key of the position before the winner's move that led here.
    before: Option<[u8; N]>,
    begins_part: bool,
    /// The index of its first move in [`Traversal::moves`]; its moves are the last ones there.
    first: usize,
    /// The index of the next move to play.
    next: usize,
    /// The length of the longest game so far.
    plies: u64,
}

struct Traversal<'a, const N: usize, G> {
    winner: Seat,
    fold: Option<Fold>,
    memory: usize,
    guide: &'a mut G,
    /// The tables of the innermost part.
    tables: Tables<N>,
    /// The parts that are not finished, and the bytes of the tables around them.
    open: Vec<OpenPart<N>>,
    held: usize,
    frames: Vec<Frame<N>>,
    /// The moves of all frames.
    moves: Vec<u16>,
    legal: Vec<u16>,
    line: Vec<u16>,
    stats: TraversalStats,
}

impl<'a, const N: usize, G: Guide> Traversal<'a, N, G> {
    fn run(
        start: &NaivePosition,
        winner: Seat,
        folds: bool,
        memory: usize,
        guide: &'a mut G,
    ) -> Result<TraversalStats, TraversalError<G::Error>> {
        let mut traversal = Self {
            winner,
            fold: folds.then(|| Fold::new(start.size())),
            memory,
            guide,
            tables: Tables::new(),
            open: Vec::new(),
            held: 0,
            frames: Vec::new(),
            moves: Vec::new(),
            legal: Vec::new(),
            line: Vec::new(),
            stats: TraversalStats::default(),
        };
        if start.to_move() != winner {
            traversal.push_frame(start.clone(), None, false);
        } else if let Some(plies) = traversal.visit(start.clone())? {
            traversal.stats.plies = plies;
        }
        while traversal.step()? {}
        Ok(traversal.stats)
    }

    /// Plays the loser's next move in the top frame, or pops the frame; false at the end.
    fn step(&mut self) -> Result<bool, TraversalError<G::Error>> {
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
    fn visit(&mut self, board: NaivePosition) -> Result<Option<u64>, TraversalError<G::Error>> {
        if let Some(plies) = self.over(&board)? {
            return Ok(Some(plies));
        }
        let key = self.key(&board);
        if let Some(plies) = self.tables.positions.plies(&key) {
            return Ok(Some(plies));
        }
        self.stats.positions += 1;
        self.legal.clear();
        board.legal(&mut self.legal);
        let chosen = self.guide.choose(&Decision {
            position: &board,
            legal: &self.legal,
            line: &self.line,
            positions: self.stats.positions,
        });
        let choice = chosen.map_err(|error| self.stop(StopReason::Choice(error), &board))?;
        let (number, begins_part) = match choice {
            Choice::Move(number) => (number, false),
            Choice::Part(number) => (number, true),
            Choice::Ending => {
                self.stats.endings += 1;
                return self.finish(key, 0, &board).map(Some);
            }
        };
        let mut after = board;
        after.play(self.legal[number]);
        self.line.push(self.legal[number]);
        self.stats.moves += 1;
        // If the loser has no stones left, the new frame has no moves and ends at once.
        self.over(&after)?;
        if begins_part {
            if let Some(plies) = self.tables.parts.plies(&self.key(&after)) {
                self.guide.skip_part();
                return self.finish_move(key, plies, &after).map(Some);
            }
            self.begin_part(&after)?;
        }
        self.push_frame(after, Some(key), begins_part);
        Ok(None)
    }

    fn key(&self, board: &NaivePosition) -> [u8; N] {
        match &self.fold {
            Some(fold) => fold.key(board),
            None => board.key(),
        }
    }

    /// 0 if the winner has won, an error if the loser has.
    fn over(&self, board: &NaivePosition) -> Result<Option<u64>, TraversalError<G::Error>> {
        match board.winner() {
            None => Ok(None),
            Some(seat) if seat == self.winner => Ok(Some(0)),
            Some(_) => Err(self.stop(StopReason::Lost, board)),
        }
    }

    fn stop(&self, stop: StopReason<G::Error>, board: &NaivePosition) -> TraversalError<G::Error> {
        let line = self.line.iter().map(|&at| board.name(at)).collect();
        let position = board.clone();
        (stop, Box::new(Place { position, line }))
    }

    fn full(&self, board: &NaivePosition) -> TraversalError<G::Error> {
        self.stop(StopReason::Memory(self.stats.positions), board)
    }

    /// Bytes that the tables may still take.
    fn spare(&self) -> usize {
        let taken = self.held.saturating_add(self.tables.bytes());
        self.memory.saturating_sub(taken)
    }

    fn begin_part(&mut self, start: &NaivePosition) -> Result<(), TraversalError<G::Error>> {
        let begun = self.guide.begin_part(start);
        begun.map_err(|error| self.stop(StopReason::Choice(error), start))?;
        let bytes = self.tables.bytes();
        self.held += bytes;
        self.open.push(OpenPart {
            outer: mem::replace(&mut self.tables, Tables::new()),
            bytes,
            before: self.stats,
        });
        self.stats.parts += 1;
        Ok(())
    }

    /// Drops the tables of the part that began at `start`, which is finished.
    fn end_part(
        &mut self,
        start: &NaivePosition,
        plies: u64,
    ) -> Result<(), TraversalError<G::Error>> {
        let Some(part) = self.open.pop() else {
            return Ok(());
        };
        self.tables = part.outer;
        self.held -= part.bytes;
        let ended = self.guide.end_part(&TraversalStats {
            positions: self.stats.positions - part.before.positions,
            parts: self.stats.parts - part.before.parts - 1,
            endings: self.stats.endings - part.before.endings,
            plies,
            moves: 0,
        });
        ended.map_err(|error| self.stop(StopReason::Choice(error), start))?;
        let (key, spare) = (self.key(start), self.spare());
        let has_room = self.tables.parts.insert(key, plies, spare);
        has_room.then_some(()).ok_or_else(|| self.full(start))
    }

    /// Marks a position of the winner as finished, whose move is taken back; `plies` is the longest
    /// game from `after`, the position after the move. Returns the longest game from the position.
    fn finish_move(
        &mut self,
        key: [u8; N],
        plies: u64,
        after: &NaivePosition,
    ) -> Result<u64, TraversalError<G::Error>> {
        let plies = self.finish(key, plies + 1, after)?;
        self.line.pop();
        Ok(plies)
    }

    /// Marks a position of the winner as finished, from which the longest game has `plies`; `at` is
    /// where the traversal is.
    fn finish(
        &mut self,
        key: [u8; N],
        plies: u64,
        at: &NaivePosition,
    ) -> Result<u64, TraversalError<G::Error>> {
        let spare = self.spare();
        let has_room = self.tables.positions.insert(key, plies, spare);
        has_room.then_some(plies).ok_or_else(|| self.full(at))
    }

    fn push_frame(&mut self, board: NaivePosition, before: Option<[u8; N]>, begins_part: bool) {
        let first = self.moves.len();
        board.legal(&mut self.moves);
        self.frames.push(Frame {
            board,
            before,
            begins_part,
            first,
            next: first,
            plies: 0,
        });
    }

    /// Pops the top frame, whose moves are all played.
    fn pop_frame(&mut self) -> Result<(), TraversalError<G::Error>> {
        let Some(frame) = self.frames.pop() else {
            return Ok(());
        };
        self.moves.truncate(frame.first);
        let mut plies = frame.plies;
        if frame.begins_part {
            self.end_part(&frame.board, plies)?;
        }
        if let Some(key) = frame.before {
            plies = self.finish_move(key, plies, &frame.board)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tanbo::NamedSetup;

    /// Plays winning moves, which it finds by trying all; a part begins after some.
    #[derive(Default)]
    struct Knows {
        won: HashMap<String, bool>,
        begins_part: Option<fn(usize) -> bool>,
        /// Parts that have begun.
        open: usize,
        /// What was found in each part that has ended, and how many were around it.
        ended: Vec<(usize, TraversalStats)>,
    }

    impl Knows {
        /// Whether the side to move wins.
        fn wins(&mut self, board: &NaivePosition) -> bool {
            if let Some(winner) = board.winner() {
                return winner == board.to_move();
            }
            let key = board.diagram();
            if let Some(&won) = self.won.get(&key) {
                return won;
            }
            let won = self.winning(board).is_some();
            self.won.insert(key, won);
            won
        }

        fn winning(&mut self, board: &NaivePosition) -> Option<usize> {
            let mut legal = Vec::new();
            board.legal(&mut legal);
            legal.into_iter().position(|at| {
                let mut after = board.clone();
                after.play(at);
                !self.wins(&after)
            })
        }
    }

    impl Guide for Knows {
        type Error = ();

        fn choose(&mut self, decision: &Decision) -> Result<Choice, ()> {
            let number = self.winning(decision.position).ok_or(())?;
            let begins = self.begins_part;
            Ok(
                if begins.is_some_and(|begins| begins(decision.line.len())) {
                    Choice::Part(number)
                } else {
                    Choice::Move(number)
                },
            )
        }

        fn begin_part(&mut self, _: &NaivePosition) -> Result<(), ()> {
            self.open += 1;
            Ok(())
        }

        fn end_part(&mut self, found: &TraversalStats) -> Result<(), ()> {
            self.open -= 1;
            self.ended.push((self.open, *found));
            Ok(())
        }
    }

    fn corners() -> NaivePosition {
        let setup = NamedSetup::Corners
            .setup(crate::board::BoardSize::new(4).unwrap(), 2)
            .unwrap();
        NaivePosition::new(setup.size, setup.to_move, |point| {
            setup.stones.get(&point).copied()
        })
    }

    #[test]
    fn the_counts_of_parts_add_up() {
        let board = corners();
        let mut guide = Knows::default();
        let winner = Seat::new(usize::from(!guide.wins(&board)));
        guide.begins_part = Some(|plies| (2..6).contains(&plies));
        let found = traverse(&board, winner, false, usize::MAX, &mut guide);
        let Ok(stats) = found else {
            panic!("the strategy does not win");
        };
        let outer = guide.ended.iter().filter(|(around, _)| *around == 0);
        let parts: u64 = outer.map(|(_, found)| found.parts + 1).sum();
        assert_eq!(parts, stats.parts);
        assert_eq!(guide.ended.len() as u64, stats.parts);
        assert!(guide.ended.iter().any(|(around, _)| *around == 1));
    }

    #[test]
    fn a_table_grows_only_into_spare_memory() {
        // Keys of 8 bytes, plies of 3, and a byte of the table; 14 of 16 entries may be used.
        assert_eq!(Positions::<8>::bytes_for(14), 16 * (8 + 3 + 1));
        let mut table = Positions::<8>::new();
        assert_eq!(table.bytes(), 0);
        let mut number = 0;
        let mut insert = |table: &mut Positions<8>, spare| {
            number += 1;
            table.insert(u64::to_le_bytes(number), 1000 * number, spare)
        };
        assert!(insert(&mut table, 0));
        let room = table.0.capacity();
        while table.0.len() < room {
            assert!(insert(&mut table, 0));
        }
        let needed = Positions::<8>::bytes_for(2 * room);
        assert!(!insert(&mut table, needed - 1));
        assert_eq!(table.0.len(), room);
        assert!(insert(&mut table, needed));
        assert_eq!(table.bytes(), Positions::<8>::bytes_for(table.0.capacity()));
        assert_eq!(table.plies(&u64::to_le_bytes(1)), Some(1000));
        assert_eq!(table.plies(&u64::to_le_bytes(number)), Some(1000 * number));
        let mut tables = Tables::<8>::new();
        assert!(tables.parts.insert([0; 8], 1, 0));
        let parts = tables.bytes();
        assert!(parts > 0 && tables.positions.insert([0; 8], 1, 0));
        assert_eq!(tables.bytes(), 2 * parts);
    }

    #[test]
    fn parts_need_less_memory_than_the_whole() {
        let board = corners();
        let mut guide = Knows::default();
        let winner = Seat::new(usize::from(!guide.wins(&board)));
        let mut least = |begins_part| {
            guide.begins_part = begins_part;
            let traversed =
                |&bytes: &usize| match traverse(&board, winner, false, bytes, &mut guide) {
                    Ok(_) => true,
                    Err((StopReason::Memory(_), _)) => false,
                    Err(_) => panic!("the strategy does not win"),
                };
            (0..100_000).step_by(64).find(traversed).unwrap()
        };
        let whole = least(None);
        let parts = least(Some(|plies| (4..6).contains(&plies)));
        assert!(parts * 3 < whole * 2, "{parts} {whole}");
    }
}
