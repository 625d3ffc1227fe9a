//! A naive Tanbo rules oracle: dictionaries, flood fills and nothing clever. The one of Taratibu
//! is in [`taratibu`].
//!
//! It shares no code with the library, is written from the rules text alone, and exists to be
//! compared with. Everything is recomputed from the stones each time it is asked for.
//! Points are `(column, row)`, both from 0, with `(0, 0)` for A1.

// A helper for many test files: no single one of them uses all of it.
#![allow(dead_code, unused_imports)]

mod diagram;
pub(crate) mod endings;
pub(crate) mod quick;
#[cfg(test)]
mod quick_selftest;
mod rng;
mod setup;
pub(crate) mod taratibu;
pub(crate) mod taratibu_turn;

#[cfg(test)]
mod data_selftest;
#[cfg(test)]
mod figures_selftest;
#[cfg(test)]
mod rules_selftest;
#[cfg(test)]
mod taratibu_selftest;
#[cfg(test)]
mod taratibu_turn_selftest;

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use diagram::{parse_vertex, vertex};
pub(crate) use rng::SplitMix;
pub(crate) use setup::default_setup;

/// A point of the board: column and row, both counted from 0 at A1.
pub(crate) type Point = (i32, i32);

/// The points a move took off the board, sorted.
pub(crate) type Removed = Vec<Point>;

/// The colours, in the order of play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Colour {
    /// Plays first.
    Black,
    /// Plays second.
    White,
    /// Plays third.
    Red,
    /// Plays fourth.
    Green,
}

impl Colour {
    /// All colours in the order of play.
    pub(crate) const ALL: [Colour; 4] = [Colour::Black, Colour::White, Colour::Red, Colour::Green];

    /// The whole word, in lower case.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Colour::Black => "black",
            Colour::White => "white",
            Colour::Red => "red",
            Colour::Green => "green",
        }
    }

    /// The colour a lower case word names.
    pub(crate) fn from_word(word: &str) -> Option<Colour> {
        Colour::ALL.into_iter().find(|c| c.word() == word)
    }

    /// The character of a stone in the diagrams this oracle writes.
    pub(crate) fn stone(self) -> char {
        match self {
            Colour::Black => 'X',
            Colour::White => 'O',
            Colour::Red => 'R',
            Colour::Green => 'G',
        }
    }
}

/// A maximal connected group of one colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Root {
    /// The owner.
    pub(crate) colour: Colour,
    /// The stones.
    pub(crate) points: BTreeSet<Point>,
}

/// Why a position is refused as a start position.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Refusal {
    /// A root holds a closed loop; the vertex is the smallest point of the root.
    Loop(Colour, String),
    /// A root has no root space; the vertex is the smallest point of the root.
    Bounded(Colour, String),
    /// Fewer than two players have stones.
    FewPlayers,
    /// The side to move has no stones.
    NobodyToMove(Colour),
}

impl Refusal {
    /// A word for the kind of refusal, as the data files use it.
    pub(crate) fn keyword(&self) -> &'static str {
        match self {
            Refusal::Loop(..) => "loop",
            Refusal::Bounded(..) => "bounded",
            Refusal::FewPlayers => "players",
            Refusal::NobodyToMove(_) => "to move",
        }
    }
}

/// A position: the stones, whose turn it is, and who takes part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Board {
    /// Points along one side.
    pub(crate) size: i32,
    /// The stones on the board.
    pub(crate) stones: BTreeMap<Point, Colour>,
    /// Whose turn it is.
    pub(crate) to_move: Colour,
    /// The colours that began the game, in the order of play, also those that are out by now.
    pub(crate) players: Vec<Colour>,
}

impl Board {
    /// A board with these stones; the players are the colours present.
    pub(crate) fn new(size: i32, stones: BTreeMap<Point, Colour>, to_move: Colour) -> Board {
        let players = Colour::ALL
            .into_iter()
            .filter(|c| stones.values().any(|s| s == c))
            .collect();
        Board {
            size,
            stones,
            to_move,
            players,
        }
    }

    /// Whether a point lies on the board.
    pub(crate) fn on_board(&self, (x, y): Point) -> bool {
        (0..self.size).contains(&x) && (0..self.size).contains(&y)
    }

    /// All points, row by row from A1.
    pub(crate) fn points(&self) -> Vec<Point> {
        let side = 0..self.size;
        side.clone()
            .flat_map(|y| side.clone().map(move |x| (x, y)))
            .collect()
    }

    /// The orthogonal neighbours of a point that lie on the board.
    pub(crate) fn neighbours(&self, (x, y): Point) -> Vec<Point> {
        let all = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)];
        all.into_iter().filter(|&p| self.on_board(p)).collect()
    }

    /// The neighbours of a point that hold a stone of `colour`.
    pub(crate) fn own_neighbours(&self, point: Point, colour: Colour) -> Vec<Point> {
        let mut found = self.neighbours(point);
        found.retain(|p| self.stones.get(p) == Some(&colour));
        found
    }

    /// Whether the point is on the board and empty.
    pub(crate) fn is_empty_point(&self, point: Point) -> bool {
        self.on_board(point) && !self.stones.contains_key(&point)
    }

    /// Whether `colour` could put a stone there if it had the turn.
    pub(crate) fn can_place(&self, point: Point, colour: Colour) -> bool {
        self.is_empty_point(point) && self.own_neighbours(point, colour).len() == 1
    }

    /// Whether the side to move may play there; never in a finished game.
    pub(crate) fn legal(&self, point: Point) -> bool {
        self.winner().is_none() && self.can_place(point, self.to_move)
    }

    /// All legal moves of the side to move, row by row from A1.
    pub(crate) fn legal_points(&self) -> Vec<Point> {
        let mut points = self.points();
        points.retain(|&p| self.legal(p));
        points
    }

    /// The root that the stone on `start` belongs to.
    ///
    /// # Panics
    /// If the point is empty.
    pub(crate) fn root_at(&self, start: Point) -> Root {
        let colour = self.stones[&start];
        let mut points = BTreeSet::from([start]);
        let mut open = vec![start];
        while let Some(point) = open.pop() {
            for next in self.own_neighbours(point, colour) {
                if points.insert(next) {
                    open.push(next);
                }
            }
        }
        Root { colour, points }
    }

    /// All roots, in the order of their smallest point.
    pub(crate) fn roots(&self) -> Vec<Root> {
        let mut roots: Vec<Root> = Vec::new();
        for &point in self.stones.keys() {
            if !roots.iter().any(|r| r.points.contains(&point)) {
                roots.push(self.root_at(point));
            }
        }
        roots
    }

    /// The roots of one colour.
    pub(crate) fn roots_of(&self, colour: Colour) -> Vec<Root> {
        let mut roots = self.roots();
        roots.retain(|r| r.colour == colour);
        roots
    }

    /// The points where the owner could legally extend this root.
    pub(crate) fn root_space(&self, root: &Root) -> BTreeSet<Point> {
        let mut space = BTreeSet::new();
        for &stone in &root.points {
            for point in self.neighbours(stone) {
                if self.can_place(point, root.colour) {
                    space.insert(point);
                }
            }
        }
        space
    }

    /// Whether the root has no root space.
    pub(crate) fn bounded(&self, root: &Root) -> bool {
        self.root_space(root).is_empty()
    }

    /// All bounded roots.
    pub(crate) fn bounded_roots(&self) -> Vec<Root> {
        let mut roots = self.roots();
        roots.retain(|r| self.bounded(r));
        roots
    }

    /// Plays a legal move for the side to move, removes what must go, and passes the turn on.
    ///
    /// # Panics
    /// If the move is not legal.
    pub(crate) fn play(&mut self, point: Point) -> Removed {
        assert!(
            self.legal(point),
            "illegal move {}\n{self:?}",
            vertex(point)
        );
        self.stones.insert(point, self.to_move);
        let current = self.root_at(point);
        let doomed = if self.bounded(&current) {
            vec![current]
        } else {
            self.bounded_roots()
        };
        let mut removed: Removed = doomed.into_iter().flat_map(|r| r.points).collect();
        removed.sort_unstable();
        for p in &removed {
            self.stones.remove(p);
        }
        self.pass_turn();
        removed
    }

    /// Takes a player's stones off; if it was their turn, the turn passes on.
    pub(crate) fn leave(&mut self, colour: Colour) -> Removed {
        let removed: Removed = self
            .stones
            .iter()
            .filter(|&(_, &c)| c == colour)
            .map(|(&p, _)| p)
            .collect();
        self.stones.retain(|_, c| *c != colour);
        if self.to_move == colour {
            self.pass_turn();
        }
        removed
    }

    /// Gives the turn to the next player who still has stones.
    fn pass_turn(&mut self) {
        let alive = self.alive();
        let place = |c: Colour| self.players.iter().position(|&p| p == c);
        let here = place(self.to_move);
        let next = alive.iter().copied().find(|&c| place(c) > here);
        if let Some(colour) = next.or(alive.first().copied()) {
            self.to_move = colour;
        }
    }

    /// The players who have stones, in the order of play.
    pub(crate) fn alive(&self) -> Vec<Colour> {
        let mut alive = self.players.clone();
        alive.retain(|c| self.stones.values().any(|s| s == c));
        alive
    }

    /// The only player with stones, if the game is over.
    pub(crate) fn winner(&self) -> Option<Colour> {
        match self.alive()[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Legal sequences of exactly `depth` moves; a finished game has no further moves.
    pub(crate) fn perft(&self, depth: u32) -> u64 {
        match depth {
            0 => 1,
            1 => self.legal_points().len() as u64,
            _ => self
                .legal_points()
                .into_iter()
                .map(|point| {
                    let mut next = self.clone();
                    next.play(point);
                    next.perft(depth - 1)
                })
                .sum(),
        }
    }

    /// The playable space: from the points where `colour` could move now, through empty points
    /// with at most one neighbour of that colour.
    pub(crate) fn playable_space(&self, colour: Colour) -> BTreeSet<Point> {
        let mut open = self.points();
        open.retain(|&p| self.can_place(p, colour));
        let mut space: BTreeSet<Point> = open.iter().copied().collect();
        while let Some(point) = open.pop() {
            for next in self.neighbours(point) {
                let passable =
                    self.is_empty_point(next) && self.own_neighbours(next, colour).len() <= 1;
                if passable && space.insert(next) {
                    open.push(next);
                }
            }
        }
        space
    }

    /// The union of the playable spaces of all players.
    pub(crate) fn playable_points(&self) -> BTreeSet<Point> {
        let players = self.players.iter();
        players.flat_map(|&c| self.playable_space(c)).collect()
    }

    /// Whether a root holds a closed loop, that is, has as many adjacencies as stones or more.
    pub(crate) fn has_loop(&self, root: &Root) -> bool {
        let ends: usize = root
            .points
            .iter()
            .map(|&p| self.own_neighbours(p, root.colour).len())
            .sum();
        ends / 2 >= root.points.len()
    }

    /// Every reason to refuse this position as a start position, sorted; none if it is playable.
    pub(crate) fn refusals(&self) -> Vec<Refusal> {
        let mut found = Vec::new();
        for root in self.roots() {
            let name = root.points.first().map_or(String::new(), |&p| vertex(p));
            if self.has_loop(&root) {
                found.push(Refusal::Loop(root.colour, name.clone()));
            }
            if self.bounded(&root) {
                found.push(Refusal::Bounded(root.colour, name));
            }
        }
        if self.alive().len() < 2 {
            found.push(Refusal::FewPlayers);
        }
        if !self.stones.values().any(|&c| c == self.to_move) {
            found.push(Refusal::NobodyToMove(self.to_move));
        }
        found.sort();
        found
    }

    /// A uniformly random legal move, or none in a finished game.
    pub(crate) fn random_move(&self, rng: &mut SplitMix) -> Option<Point> {
        let moves = self.legal_points();
        (!moves.is_empty()).then(|| moves[rng.below(moves.len())])
    }

    /// Plays random moves until the game ends or `limit` moves are made; returns the moves.
    pub(crate) fn random_game(&mut self, rng: &mut SplitMix, limit: usize) -> Vec<Point> {
        let mut line = Vec::new();
        while line.len() < limit {
            let Some(point) = self.random_move(rng) else {
                break;
            };
            self.play(point);
            line.push(point);
        }
        line
    }
}
