//! The endings of certificates by their description: who wins by counting or by the search, and which
//! positions are one.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Board, Colour, Point};

/// A key of positions with the same winner.
pub(crate) type Folded = (bool, Vec<[bool; 4]>);

/// Where a point is in a view of a board with this last column.
type View = fn(i32, i32, i32) -> Point;

/// The other one of Black and White.
pub(crate) fn other(colour: Colour) -> Colour {
    match colour {
        Colour::Black => Colour::White,
        _ => Colour::Black,
    }
}

/// The points where a colour may play.
fn legal(board: &Board, colour: Colour) -> Vec<Point> {
    let points = board.points().into_iter();
    points.filter(|&at| board.can_place(at, colour)).collect()
}

/// The points where a colour may play now or later.
fn open(board: &Board, colour: Colour) -> HashSet<Point> {
    let mut left = legal(board, colour);
    let mut open: HashSet<_> = left.iter().copied().collect();
    while let Some(at) = left.pop() {
        for next in board.neighbours(at) {
            let is_far =
                board.is_empty_point(next) && board.own_neighbours(next, colour).is_empty();
            if is_far && open.insert(next) {
                left.push(next);
            }
        }
    }
    open
}

/// The most stones that a colour can place, by the edges of its open points.
fn most(board: &Board, colour: Colour) -> i32 {
    let open = open(board, colour);
    let mut edges = Vec::new();
    let (mut pairs, mut roots) = (0, 0);
    for &at in &open {
        let inner = board
            .neighbours(at)
            .iter()
            .filter(|at| open.contains(at))
            .count() as i32;
        let outer = board.own_neighbours(at, colour).len() as i32;
        edges.push(inner + outer);
        (pairs, roots) = (pairs + inner, roots + outer);
    }
    edges.sort_unstable();
    let points = edges.len() as i32;
    let (mut above, mut free) = (pairs / 2 + roots - points, 0);
    while above > 0 {
        above -= edges.pop().unwrap() - 1;
        free += 1;
    }
    points - free
}

/// How many stones a colour can place where the other one can never play.
fn sure(board: &Board, colour: Colour) -> i32 {
    let closed = open(board, other(colour));
    let mut board = board.clone();
    for placed in 0.. {
        let fit = legal(&board, colour);
        let Some(&at) = fit.iter().find(|at| !closed.contains(at)) else {
            return placed;
        };
        board.stones.insert(at, colour);
    }
    0
}

fn is_one_root(board: &Board, colour: Colour) -> bool {
    board.roots_of(colour).len() == 1
}

/// Who wins by counting.
fn by_counting(board: &Board) -> Option<Colour> {
    let (own, opponent) = (board.to_move, other(board.to_move));
    if ![own, opponent]
        .iter()
        .all(|&colour| is_one_root(board, colour))
    {
        return None;
    }
    if sure(board, own) > most(board, opponent) {
        return Some(own);
    }
    (sure(board, opponent) >= most(board, own)).then_some(opponent)
}

/// The key of a position: the least of its eight views.
pub(crate) fn folded(board: &Board) -> Folded {
    let (own, opponent) = (board.to_move, other(board.to_move));
    let is_single = [own, opponent]
        .iter()
        .all(|&colour| is_one_root(board, colour));
    let sets = [own, opponent].map(|colour| (legal(board, colour), open(board, colour)));
    let at = |point: (i32, i32)| {
        if is_single {
            let [(legal, open), (opposing, reach)] = &sets;
            let fits = |list: &Vec<_>| list.contains(&point);
            return [
                fits(legal),
                open.contains(&point),
                fits(opposing),
                reach.contains(&point),
            ];
        }
        let stone = board.stones.get(&point);
        [stone == Some(&own), stone == Some(&opponent), false, false]
    };
    let last = board.size - 1;
    let views: [View; 8] = [
        |x, y, _| (x, y),
        |x, y, last| (last - x, y),
        |x, y, last| (x, last - y),
        |x, y, last| (last - x, last - y),
        |x, y, _| (y, x),
        |x, y, last| (last - y, x),
        |x, y, last| (y, last - x),
        |x, y, last| (last - y, last - x),
    ];
    let views = views.iter().map(|view| {
        let points = (0..=last).flat_map(|y| (0..=last).map(move |x| (x, y)));
        points.map(|(x, y)| at(view(x, y, last))).collect()
    });
    (is_single, views.min().unwrap())
}

/// The search of an ending.
pub(crate) struct Search {
    winner: Colour,
    known: HashMap<BTreeMap<Point, Colour>, bool>,
    counted: u64,
    most: u64,
}

impl Search {
    /// Whether the side to move wins, and the positions counted.
    pub(crate) fn of(board: &Board) -> (bool, u64) {
        Self::within(board, u64::MAX)
    }

    /// The same; if more than `most` positions are counted, the search ends and says nothing.
    pub(crate) fn within(board: &Board, most: u64) -> (bool, u64) {
        let mut search = Self {
            winner: board.to_move,
            known: HashMap::new(),
            counted: 0,
            most,
        };
        (search.is_won(board), search.counted)
    }

    fn is_won(&mut self, board: &Board) -> bool {
        if let Some(winner) = board.winner() {
            return winner == self.winner;
        }
        if let Some(winner) = by_counting(board) {
            return winner == self.winner;
        }
        let is_winners = board.to_move == self.winner;
        if is_winners {
            if let Some(&won) = self.known.get(&board.stones) {
                return won;
            }
            self.counted += 1;
        }
        if self.counted > self.most {
            return false;
        }
        let mut after: Vec<Board> = board
            .legal_points()
            .into_iter()
            .map(|at| {
                let mut after = board.clone();
                after.play(at);
                after
            })
            .collect();
        let (own, opponent) = (board.to_move, other(board.to_move));
        after.sort_by_key(|after| {
            let [moved, next] = [own, opponent].map(|colour| legal(after, colour).len() as i32);
            Reverse(moved - next)
        });
        let won = if is_winners {
            after.iter().any(|after| self.is_won(after))
        } else {
            after.iter().all(|after| self.is_won(after))
        };
        if is_winners {
            self.known.insert(board.stones.clone(), won);
        }
        won
    }
}
