//! Searches for steps that bring pieces to given squares in exactly the steps left of a turn.

use ahash::AHashSet;

use super::context::TurnContext;
use super::plan::pack;
use crate::taratibu::piece::{KINDS, REACH, squares_of};
use crate::taratibu::position::Step;
use crate::taratibu::square::{SQUARES, Square, bits};

struct StepSearch<'a> {
    context: &'a TurnContext,
    goal: [u8; KINDS],
    /// By kind and square: the steps to the goal.
    fields: [[u8; SQUARES]; KINDS],
    squares: [u8; KINDS],
    /// The kinds that may step, as bits.
    free: u16,
    path: Vec<Step>,
    /// Packed squares and steps left from which the goal cannot be reached.
    failed: AHashSet<(u64, u8)>,
}

/// The steps that bring the pieces to the squares `goal` by the end of this turn, which ends when
/// all its steps are made or no piece can step; `None` if there are none. They capture the enemy
/// pieces on these squares and no others.
pub(super) fn find_steps(context: &TurnContext, goal: &[u8; KINDS]) -> Option<Vec<Step>> {
    let mut search = StepSearch {
        context,
        goal: *goal,
        fields: [[0; SQUARES]; KINDS],
        squares: context.home,
        free: context.free,
        path: Vec::new(),
        failed: AHashSet::new(),
    };
    for kind in bits(context.free) {
        search.fields[kind] = context.distances_around(kind, usize::from(goal[kind]));
    }
    search.search(context.left).then_some(search.path)
}

impl StepSearch<'_> {
    fn search(&mut self, left: u8) -> bool {
        if left == 0 {
            return self.squares == self.goal;
        }
        let key = (pack(&self.squares), left);
        if self.failed.contains(&key) {
            return false;
        }
        let alive = self.context.position.alive(self.context.position.mover());
        let own = squares_of(alive, &self.squares);
        let distance = |kind: usize, square: usize| u32::from(self.fields[kind][square % SQUARES]);
        let here = |kind: usize| distance(kind, usize::from(self.squares[kind]));
        let sum: u32 = bits(self.free).map(here).sum();
        // Steps with the number that remains after them, the smallest first.
        let mut steps = Vec::new();
        let mut has_step = false;
        for kind in bits(self.free) {
            let from = usize::from(self.squares[kind]);
            let open = REACH[kind][from] & !own;
            has_step |= open != 0;
            for to in bits(open) {
                let is_goal = usize::from(self.goal[kind]) == to;
                let is_capture = self.context.enemy >> to & 1 != 0;
                let rest = sum - here(kind) + distance(kind, to);
                if rest < u32::from(left) && (is_goal || !is_capture) {
                    steps.push((rest, kind, from, to, is_capture));
                }
            }
        }
        if !has_step {
            return self.squares == self.goal;
        }
        steps.sort_by_key(|&(rest, kind, ..)| (rest, kind));
        for (_, kind, from, to, is_capture) in steps {
            self.squares[kind] = to as u8;
            self.free ^= u16::from(is_capture) << kind;
            self.path.push(Step {
                from: Square::wrapped(from),
                to: Square::wrapped(to),
            });
            if self.search(left - 1) {
                return true;
            }
            self.path.pop();
            self.free ^= u16::from(is_capture) << kind;
            self.squares[kind] = from as u8;
        }
        self.failed.insert(key);
        false
    }
}
