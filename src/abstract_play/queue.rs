//! The turns that wait for a search, and whose turn it is among them.
//!
//! The queue is start-time fair (Goyal, Vin and Cheng 1996) with games as flows and equal weights: each
//! game has a virtual time, which its turns move forward. A game that asks often does not delay one that
//! asks rarely, and no game waits for ever.

use std::collections::{BTreeMap, HashMap};

/// A turn: its game and the number of moves before it.
pub(super) type TurnId = (String, usize);

/// The order of a turn: its virtual time, then the order of arrival.
type Place = (u64, u64);

pub(super) struct Queue {
    waiting: BTreeMap<Place, TurnId>,
    /// The virtual time at which the next turn of a game may start.
    next: HashMap<String, u64>,
    /// The virtual time of the turn that was taken last.
    now: u64,
    arrivals: u64,
}

impl Default for Queue {
    fn default() -> Self {
        Self {
            waiting: BTreeMap::new(),
            next: HashMap::new(),
            // 0 is the time of urgent turns.
            now: 1,
            arrivals: 0,
        }
    }
}

impl Queue {
    /// Adds a turn. An urgent one goes before all others, in the order of arrival.
    pub(super) fn push(&mut self, turn: TurnId, is_urgent: bool) {
        self.arrivals += 1;
        if is_urgent {
            self.waiting.insert((0, self.arrivals), turn);
            return;
        }
        let start = self
            .next
            .get(&turn.0)
            .map_or(self.now, |next| self.now.max(*next));
        self.next.insert(turn.0.clone(), start + 1);
        self.waiting.insert((start, self.arrivals), turn);
    }

    pub(super) fn pop(&mut self) -> Option<TurnId> {
        let ((start, _), turn) = self.waiting.pop_first()?;
        self.now = self.now.max(start);
        // Games that are not ahead need no entry.
        if self.waiting.is_empty() {
            self.next.retain(|_, next| *next > self.now);
        }
        Some(turn)
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(queue: &mut Queue, count: usize) -> String {
        let names = (0..count).filter_map(|_| queue.pop()).map(|(game, _)| game);
        names.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn turns_come_in_their_order() {
        let mut queue = Queue::default();
        for name in ["a", "b", "c"] {
            queue.push((name.to_string(), 0), false);
        }
        assert_eq!((queue.len(), taken(&mut queue, 4).as_str()), (3, "a b c"));
    }

    #[test]
    fn an_urgent_turn_goes_first() {
        let mut queue = Queue::default();
        for (name, is_urgent) in [("a", false), ("b", true), ("c", false), ("d", true)] {
            queue.push((name.to_string(), 0), is_urgent);
        }
        assert_eq!(taken(&mut queue, 4), "b d a c");
    }

    #[test]
    fn a_game_that_asks_often_delays_none() {
        let mut queue = Queue::default();
        // `quick` moves again as soon as it has its answer; the others have all come before.
        for name in ["quick", "a", "b", "c"] {
            queue.push((name.to_string(), 0), false);
        }
        let mut order = Vec::new();
        for ply in 1..20 {
            let Some((game, _)) = queue.pop() else { break };
            if game == "quick" {
                queue.push((game.clone(), 2 * ply), false);
            }
            order.push(game);
            if ply == 5 {
                queue.push(("late".to_string(), 0), false);
            }
        }
        let place = |name| order.iter().position(|game| game == name).unwrap();
        assert!(place("c") <= 4 && place("late") <= 6, "{order:?}");
        let quick = order.iter().filter(|game| *game == "quick").count();
        assert!(quick >= 14, "{order:?}");
        assert!(queue.next.len() <= 2);
    }
}
