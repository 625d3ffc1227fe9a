//! Complete searches of one Taratibu turn: can the mover win in it, and in how few steps?
//!
//! On the rules of the naive oracle, in a state small enough to be searched in great numbers, which
//! the self test holds to the oracle's board. Kinds are numbers here, by their place in [`KINDS`].

use std::sync::OnceLock;

use ahash::{AHashMap, AHashSet};

use super::taratibu::{Board, KINDS, Order, Square, Step, TURNS, orders, squares, targets};

/// Instead of the square of a piece that is gone, or of the kind on a square without one.
const NONE: u8 = 255;

/// More steps than any turn has.
const NEVER: u32 = TURNS + 1;

/// What all turns have in common.
struct Tables {
    squares: Vec<Square>,
    /// By kind and square: where one step goes on an empty board.
    reach: Vec<Vec<Vec<u8>>>,
    /// By kind and square: the steps to every square on an empty board.
    distances: Vec<Vec<Vec<u32>>>,
    /// For each way to win, the kinds that must all be captured.
    sets: [u16; 3],
}

/// The steps from a square to every other one.
fn walk(reach: &[Vec<u8>], from: usize) -> Vec<u32> {
    let mut distances = vec![NEVER; reach.len()];
    distances[from] = 0;
    let mut layer = vec![from];
    for steps in 1..NEVER {
        let mut next = Vec::new();
        for &to in layer.iter().flat_map(|&at| &reach[at]) {
            if distances[usize::from(to)] == NEVER {
                distances[usize::from(to)] = steps;
                next.push(usize::from(to));
            }
        }
        layer = next;
    }
    distances
}

fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| {
        let squares = squares();
        let place = |at| squares.iter().position(|&square| square == at).unwrap() as u8;
        let kinds = KINDS.iter().map(|&(kind, _)| kind);
        let reach: Vec<Vec<Vec<u8>>> = kinds
            .map(|kind| {
                let from = |&from| targets(kind, from).into_iter().map(place).collect();
                squares.iter().map(from).collect()
            })
            .collect();
        let needed = |order: Order| {
            let belongs = |&(_, &(kind, _)): &(usize, &(char, _))| {
                kind == 'M' || orders(kind).contains(&order)
            };
            let kinds = KINDS.iter().enumerate().filter(belongs);
            kinds.fold(0, |set, (kind, _)| set | 1 << kind)
        };
        let every = |reach: &Vec<Vec<u8>>| (0..49).map(|from| walk(reach, from)).collect();
        Tables {
            distances: reach.iter().map(every).collect(),
            sets: Order::DECISIVE.map(needed),
            reach,
            squares,
        }
    })
}

/// All that steps of the turn change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State {
    /// Where the mover's pieces stand, by kind.
    own: [u8; KINDS.len()],
    /// Those of them that captured, as bits.
    spent: u16,
    /// The enemy's kinds that are left, as bits.
    alive: u16,
}

/// A turn, or what is left of it.
pub(crate) struct Turn {
    /// The state at its start.
    pub(crate) start: State,
    /// The steps left.
    pub(crate) steps_left: u32,
    /// By square, the enemy's kind that stood there at the start: the enemy does not move.
    enemies: [u8; 49],
}

impl Turn {
    /// What is left of a turn.
    pub(crate) fn new(board: &Board) -> Turn {
        assert_eq!(board.outcome(), None);
        let mut turn = Turn {
            start: State {
                own: [NONE; KINDS.len()],
                spent: 0,
                alive: 0,
            },
            steps_left: board.steps_left,
            enemies: [NONE; 49],
        };
        for (place, square) in tables().squares.iter().enumerate() {
            let Some(piece) = board.pieces.get(square) else {
                continue;
            };
            let kind = KINDS.iter().position(|&(k, _)| k == piece.kind).unwrap();
            if piece.side != board.to_move() {
                turn.enemies[place] = kind as u8;
                turn.start.alive |= 1 << kind;
                continue;
            }
            turn.start.own[kind] = place as u8;
            turn.start.spent |= u16::from(board.spent.contains(square)) << kind;
        }
        turn
    }

    /// Tells every legal step and the state after it.
    fn each(&self, state: &State, mut tell: impl FnMut(u8, u8, State)) {
        let occupied = state.own.iter().filter(|&&at| at != NONE);
        let occupied = occupied.fold(0u64, |all, at| all | 1 << at);
        for (kind, &from) in state.own.iter().enumerate() {
            if from == NONE || state.spent & 1 << kind != 0 {
                continue;
            }
            for &to in &tables().reach[kind][usize::from(from)] {
                if occupied & 1 << to != 0 {
                    continue;
                }
                let mut after = *state;
                after.own[kind] = to;
                let enemy = self.enemies[usize::from(to)];
                if enemy != NONE && state.alive & 1 << enemy != 0 {
                    after.alive &= !(1 << enemy);
                    after.spent |= 1 << kind;
                }
                tell(from, to, after);
            }
        }
    }

    /// The legal steps with the states after them, as the board has its steps.
    pub(crate) fn steps(&self, state: &State) -> Vec<(Step, State)> {
        let mut steps = Vec::new();
        let square = |at| tables().squares[usize::from(at)];
        self.each(state, |from, to, after| {
            steps.push(((square(from), square(to)), after));
        });
        steps.sort_by_key(|&(step, _)| step);
        steps
    }

    /// Whether the mover has won.
    pub(crate) fn won(state: &State) -> bool {
        tables().sets.iter().any(|set| set & state.alive == 0)
    }

    /// The fewest steps that win, by trying all sequences of steps: layer by layer, and a state
    /// that an earlier or the same layer holds is not gone into again.
    pub(crate) fn plain(&self) -> Option<u32> {
        let mut seen = AHashSet::from([self.start]);
        let mut layer = vec![self.start];
        for steps in 1..=self.steps_left {
            let (mut next, mut won) = (Vec::new(), false);
            for state in &layer {
                self.each(state, |_, _, after| {
                    won |= Self::won(&after);
                    if steps < self.steps_left && seen.insert(after) {
                        next.push(after);
                    }
                });
                if won {
                    return Some(steps);
                }
            }
            layer = next;
        }
        None
    }

    /// Steps that a win from here takes at least; [`NEVER`] if it takes more than a turn has.
    ///
    /// Proof. A win needs all living enemies of one of the three sets captured. The capturer of
    /// one is not spent before, and makes no step after: so each of them has a capturer of its own
    /// among the pieces not spent now. That piece walks to where its victim stands now, as the
    /// enemy does not move in this turn, and each of its steps is a step on an empty board, as
    /// other pieces only forbid steps: it needs the distance on the empty board at least. A step
    /// moves one piece, so that the sum over the victims of a set, least over all ways to give
    /// each a capturer of its own, is a lower bound for the set, and the least of the three sets'
    /// for a win.
    pub(crate) fn bound(&self, state: &State) -> u32 {
        let sets = tables().sets.map(|set| self.set_bound(state, set));
        sets.into_iter().min().unwrap()
    }

    /// The bound for one set.
    fn set_bound(&self, state: &State, set: u16) -> u32 {
        let mut victims = [0; 5];
        let mut count = 0;
        for (place, &kind) in self.enemies.iter().enumerate() {
            if kind != NONE && set & state.alive & 1 << kind != 0 {
                victims[count] = place;
                count += 1;
            }
        }
        // By set of victims, the least steps by the pieces looked at so far.
        let mut least = [NEVER; 1 << 5];
        least[0] = 0;
        for (kind, &from) in state.own.iter().enumerate() {
            if from == NONE || state.spent & 1 << kind != 0 {
                continue;
            }
            let distances = &tables().distances[kind][usize::from(from)];
            let before = least;
            for (taken, &steps) in before.iter().enumerate().take(1 << count) {
                for (i, &place) in victims[..count].iter().enumerate() {
                    let with = taken | 1 << i;
                    if with != taken && steps < NEVER {
                        least[with] = least[with].min(steps + distances[place]);
                    }
                }
            }
        }
        least[(1 << count) - 1].min(NEVER)
    }

    /// What [`Turn::plain`] finds, by limits on the number of steps from small to large, leaving
    /// out only what [`Turn::bound`] excludes and what was in vain with as many steps before.
    /// `None` if more than `most` states were gone into.
    pub(crate) fn pruned(&self, most: usize) -> Option<Option<u32>> {
        let mut failed = AHashMap::new();
        for limit in self.bound(&self.start)..=self.steps_left {
            if self.wins(&self.start, limit, &mut failed) {
                return Some(Some(limit));
            }
            if failed.len() > most {
                return None;
            }
        }
        Some(None)
    }

    /// Whether a win takes `left` steps at most; the steps with which states failed are noted.
    fn wins(&self, state: &State, left: u32, failed: &mut AHashMap<State, u32>) -> bool {
        if left == 0 || failed.get(state).is_some_and(|&steps| steps >= left) {
            return false;
        }
        let mut won = false;
        self.each(state, |_, _, after| {
            won = won
                || Self::won(&after)
                || self.bound(&after) < left && self.wins(&after, left - 1, failed);
        });
        if !won {
            failed.insert(*state, left);
        }
        won
    }
}
