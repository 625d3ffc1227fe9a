//! The search of an ending: a position that the certificate leaves to the verifier.
//!
//! It tries everything by the rules, except where counting decides (`counting.rs`). The order of the
//! moves is part of the format, because a certificate says how many positions are enough.

use std::cmp::Reverse;
use std::collections::HashMap;

use ahash::RandomState;

use super::bits::{Points, Rules, Stones};
use super::naive_position::NaivePosition;
use crate::board::BoardSize;

/// Entries of the table that are kept from one ending to the next; clearing more takes long.
const KEPT_ENTRIES: usize = 1 << 12;

/// What the search of an ending found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Won,
    NotWon,
    /// More positions than the limit would be needed.
    TooLarge,
}

/// Searches endings on a board.
pub(super) struct EndingSearch {
    words: Words,
    /// Positions of all endings so far with the winner to move.
    pub(super) searched: u64,
}

/// Words with enough bits for the board.
enum Words {
    Short(Search<u64>),
    Long(Search<u128>),
}

impl EndingSearch {
    /// Endings with at most `limit` different positions with the winner to move; the board's side is
    /// at most [`MAX_SIDE`](super::bits::MAX_SIDE).
    pub(super) fn new(size: BoardSize, limit: u64) -> Self {
        let words = if size.side() <= 7 {
            Words::Short(Search::new(size, limit))
        } else {
            Words::Long(Search::new(size, limit))
        };
        Self { words, searched: 0 }
    }

    /// The most bytes that a search takes, nearly all for the table of positions.
    pub(super) fn bytes(size: BoardSize, limit: u64) -> usize {
        let entry = match size.side() {
            ..=7 => size_of::<(Stones<u64>, bool)>(),
            _ => size_of::<(Stones<u128>, bool)>(),
        };
        // A table is at least seven sixteenths full, and the half as large one exists while it grows.
        (limit as usize).saturating_mul(16 * (entry + 1) / 7 * 3 / 2)
    }

    /// Whether the side to move wins.
    pub(super) fn search(&mut self, position: &NaivePosition) -> Found {
        let (found, searched) = match &mut self.words {
            Words::Short(search) => search.run(position),
            Words::Long(search) => search.run(position),
        };
        self.searched += searched;
        found
    }
}

/// A position whose moves are tried.
struct Frame<P> {
    stones: Stones<P>,
    is_winners: bool,
    /// Whether both sides have one root; then they have until the end.
    is_single: bool,
    /// The index of its first child in [`Search::children`]; its children are the last ones there.
    first: usize,
    next: usize,
}

/// What is known of a position when it is met.
enum Met {
    Known(bool),
    /// Its moves are tried now.
    Open,
    TooLarge,
}

struct Search<P> {
    rules: Rules<P>,
    limit: u64,
    /// Whether the winner wins the positions where it is to move; those that are open count as well.
    known: HashMap<Stones<P>, bool, RandomState>,
    frames: Vec<Frame<P>>,
    /// The positions after the moves of all frames, each with the lead of the side that moved.
    children: Vec<(i32, Stones<P>)>,
    met: u64,
}

impl<P: Points> Search<P> {
    fn new(size: BoardSize, limit: u64) -> Self {
        Self {
            rules: Rules::new(size),
            limit,
            known: HashMap::with_hasher(RandomState::with_seeds(1, 2, 3, 4)),
            frames: Vec::new(),
            children: Vec::new(),
            met: 0,
        }
    }

    /// What is found, and after how many positions.
    fn run(&mut self, position: &NaivePosition) -> (Found, u64) {
        self.known.clear();
        self.known.shrink_to(KEPT_ENTRIES);
        self.frames.clear();
        self.children.clear();
        self.met = 0;
        let mut met = self.meet(Stones::of(position), true, false);
        let found = loop {
            met = match met {
                Met::TooLarge => break Found::TooLarge,
                Met::Open => self.try_next(),
                Met::Known(won) => match self.frames.last() {
                    None if won => break Found::Won,
                    None => break Found::NotWon,
                    Some(frame) if frame.is_winners == won => self.close(won),
                    Some(_) => self.try_next(),
                },
            };
        };
        (found, self.met)
    }

    fn meet(&mut self, stones: Stones<P>, is_winners: bool, is_single: bool) -> Met {
        let Stones { own, other } = stones;
        if own == P::NONE || other == P::NONE {
            return Met::Known(is_winners == (other == P::NONE));
        }
        let is_single = is_single
            || [own, other]
                .iter()
                .all(|&side| self.rules.is_one_root(side));
        if is_single && let Some(won) = self.rules.decides(stones) {
            return Met::Known(won == is_winners);
        }
        if is_winners {
            if let Some(won) = self.known.get(&stones) {
                return Met::Known(*won);
            }
            if self.met == self.limit {
                return Met::TooLarge;
            }
            self.met += 1;
        }
        let first = self.children.len();
        let rules = &self.rules;
        let moves = rules.legal(own, other).each();
        self.children.extend(moves.map(|at| {
            let after = rules.play(stones, at);
            (rules.lead(after.other, after.own), after)
        }));
        // The largest lead first, then the first point.
        self.children[first..].sort_by_key(|&(lead, _)| Reverse(lead));
        self.frames.push(Frame {
            stones,
            is_winners,
            is_single,
            first,
            next: first,
        });
        Met::Open
    }

    /// Tries the next move of the last frame.
    fn try_next(&mut self) -> Met {
        let Some(frame) = self.frames.last_mut() else {
            return Met::Known(false);
        };
        let (is_winners, is_single) = (frame.is_winners, frame.is_single);
        match self.children.get(frame.next) {
            Some(&(_, child)) => {
                frame.next += 1;
                self.meet(child, !is_winners, is_single)
            }
            // No move of the winner wins, or every move of the other side loses.
            None => self.close(!is_winners),
        }
    }

    /// Ends the last frame.
    fn close(&mut self, won: bool) -> Met {
        if let Some(frame) = self.frames.pop() {
            self.children.truncate(frame.first);
            if frame.is_winners {
                self.known.insert(frame.stones, won);
            }
        }
        Met::Known(won)
    }
}
