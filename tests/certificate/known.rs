//! What is true of small positions, by the oracle: who wins, and what a strategy
//! comes to.

use std::collections::{BTreeMap, HashMap};
use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use tanada::variant::{MoveCode, Strategy};

use crate::oracle::endings::other;
use crate::oracle::{Board, Colour};
use crate::{place, point, size};

/// A position as a key.
pub(super) type Key = (BTreeMap<(i32, i32), Colour>, Colour);

pub(super) fn key(board: &Board) -> Key {
    (board.stones.clone(), board.to_move)
}

/// Solves positions by trying every move.
#[derive(Default)]
pub(super) struct Solver {
    winners: HashMap<Key, Colour>,
    /// Positions to look at, at most; 0 for no limit.
    most: usize,
}

impl Solver {
    /// A solver that gives up after so many positions.
    pub(super) fn within(most: usize) -> Self {
        Self {
            winners: HashMap::new(),
            most,
        }
    }

    /// Who wins.
    pub(super) fn winner(&mut self, board: &Board) -> Colour {
        self.try_winner(board).unwrap()
    }

    /// Who wins, unless that takes too many positions.
    pub(super) fn try_winner(&mut self, board: &Board) -> Option<Colour> {
        if let Some(winner) = board.winner() {
            return Some(winner);
        }
        let key = key(board);
        if let Some(&winner) = self.winners.get(&key) {
            return Some(winner);
        }
        if self.most > 0 && self.winners.len() >= self.most {
            return None;
        }
        let mut winner = other(board.to_move);
        for at in board.legal_points() {
            let mut after = board.clone();
            after.play(at);
            winner = self.try_winner(&after)?;
            if winner == board.to_move {
                break;
            }
        }
        self.winners.insert(key, winner);
        Some(winner)
    }
}

/// A strategy that solves each position it is asked about.
pub(super) struct Knows {
    first: Board,
    solver: Solver,
    /// At which of the moves it begins to look.
    salt: u64,
}

impl Knows {
    pub(super) fn new(first: Board, salt: u64) -> Self {
        let solver = Solver::default();
        Self {
            first,
            solver,
            salt,
        }
    }
}

impl Strategy for Knows {
    fn winning_move(&mut self, line: &[MoveCode]) -> Option<MoveCode> {
        let side = size(self.first.size);
        let mut board = self.first.clone();
        for code in line {
            board.play(place(code.point(), side));
        }
        let mut moves = board.legal_points();
        let first = self.salt as usize % moves.len();
        moves.rotate_left(first);
        let at = moves.into_iter().find(|&at| {
            let mut after = board.clone();
            after.play(at);
            self.solver.winner(&after) == board.to_move
        });
        at.map(|at| point(at, side).into())
    }
}

/// What a strategy comes to if it wins all its games and has as many moves as it
/// needs: its positions, and the plies of its longest game.
pub(super) fn replay(board: &Board, winner: Colour, moves: &[u8]) -> Option<(u64, u64)> {
    let mut replay = Replay {
        moves: moves.iter(),
        winner,
        done: HashMap::new(),
    };
    let plies = replay.longest(board)?;
    let positions = replay.done.len() as u64;
    replay.moves.next().is_none().then_some((positions, plies))
}

struct Replay<'a> {
    moves: std::slice::Iter<'a, u8>,
    winner: Colour,
    done: HashMap<Key, u64>,
}

impl Replay<'_> {
    fn longest(&mut self, board: &Board) -> Option<u64> {
        if let Some(winner) = board.winner() {
            return (winner == self.winner).then_some(0);
        }
        let mut moves = board.legal_points();
        if board.to_move == self.winner {
            if let Some(&plies) = self.done.get(&key(board)) {
                return Some(plies);
            }
            let &number = self.moves.next()?;
            moves = vec![*moves.get(usize::from(number))?];
        }
        let mut longest = 0;
        for at in moves {
            let mut after = board.clone();
            after.play(at);
            longest = longest.max(1 + self.longest(&after)?);
        }
        if board.to_move == self.winner {
            self.done.insert(key(board), longest);
        }
        Some(longest)
    }
}

/// A certificate of any head and moves, with the right checksum.
pub(crate) fn seal(head: &str, moves: &[u8]) -> Vec<u8> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    packed.write_all(moves).unwrap();
    sign([head.as_bytes(), &packed.finish().unwrap()].concat())
}

/// Adds the right checksum.
pub(super) fn sign(mut bytes: Vec<u8>) -> Vec<u8> {
    let mut crc = flate2::Crc::new();
    crc.update(&bytes);
    bytes.extend(crc.sum().to_be_bytes());
    bytes
}

/// The head of a certificate and its moves.
pub(crate) fn unseal(bytes: &[u8]) -> (String, Vec<u8>) {
    let last = b"moves: zlib\n";
    let at = bytes.windows(last.len()).position(|part| part == last);
    let (head, rest) = bytes.split_at(at.unwrap() + last.len());
    let mut moves = Vec::new();
    ZlibDecoder::new(rest).read_to_end(&mut moves).unwrap();
    (String::from_utf8(head.to_vec()).unwrap(), moves)
}
