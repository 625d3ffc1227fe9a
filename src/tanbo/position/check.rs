//! Recomputes the incremental fields of a position.

use super::zobrist::{STONES, TO_MOVE};
use super::{CONTACT, Position, TAKEN, at};
use crate::board::{PerPoint, Point, PointSet};
use crate::game::Seat;

impl<const W: usize, const SEATS: usize> Position<W, SEATS> {
    /// Recomputes every incremental field from the stones.
    ///
    /// # Errors
    /// Names the first field that differs.
    pub fn check(&self) -> Result<(), String> {
        let fail = |what: &str, point: Point| {
            Err(format!(
                "{what} is wrong at {}",
                crate::board::vertex::name(point, self.size)
            ))
        };
        let mut hash = TO_MOVE[self.to_move.index()];
        let mut numbers = Vec::new();
        for &seat in &Seat::ALL[..SEATS] {
            let s = seat.index();
            for p in self.stones[s] {
                hash ^= STONES[s][p.index()];
                if Seat::ALL[..s]
                    .iter()
                    .any(|&other| self.stones(other).contains(p))
                {
                    return fail("a point with two stones", p);
                }
            }
            let mut number_at = PerPoint::<u16, W>::filled(0);
            let roots = self.check_roots(seat, &mut number_at)?;
            if roots.len() != usize::from(self.roots[s]) {
                return Err(format!(
                    "{} roots counted, {} kept",
                    roots.len(),
                    self.roots[s]
                ));
            }
            let mut space: Vec<u16> = vec![0; roots.len()];
            for p in self.size.points() {
                let own: Vec<u16> = self
                    .size
                    .neighbours(p)
                    .filter(|&q| self.stones[s].contains(q))
                    .map(|q| number_at[q])
                    .collect();
                let taken = self.stone_at(p).is_some();
                let word = own.iter().sum::<u16>()
                    + own.len() as u16 * CONTACT
                    + if taken { TAKEN } else { 0 };
                if word != self.contacts[s][p] {
                    return fail("the contact word", p);
                }
                let legal = !taken && own.len() == 1;
                if legal != self.legal[s].contains(p) {
                    return fail("legality", p);
                }
                if legal && let Some(i) = roots.iter().position(|&n| n == own[0]) {
                    space[i] += 1;
                }
            }
            if let Some(p) = self.legal[s]
                .without(PointSet::board(self.size))
                .iter()
                .next()
            {
                return Err(format!("{p:?} off the board is legal"));
            }
            for (&root, &count) in roots.iter().zip(&space) {
                if self.space[at(root)] != count || count == 0 {
                    return fail("the space of the root", at(self.newest[at(root)]));
                }
            }
            numbers.extend(roots);
        }
        if hash != self.hash {
            return Err(format!("hash {:x} kept, {hash:x} computed", self.hash));
        }
        numbers.sort_unstable();
        numbers.dedup();
        let total: u16 = self.roots.iter().sum();
        if numbers.len() != usize::from(total) || numbers.first() == Some(&0) {
            return Err("root numbers are not unique".to_string());
        }
        if total == 0 || self.roots[self.to_move.index()] == 0 {
            return Err("the side to move has no root".to_string());
        }
        Ok(())
    }

    /// Checks the lists of stones of a colour; returns its root numbers.
    fn check_roots(
        &self,
        seat: Seat,
        number_at: &mut PerPoint<u16, W>,
    ) -> Result<Vec<u16>, String> {
        let mut numbers = Vec::new();
        let mut listed = PointSet::<W>::EMPTY;
        for root in 1..(64 * W) as u16 {
            let mut stone = self.newest[at(root)];
            if stone == 0 || !self.stones[seat.index()].contains(at(stone)) {
                continue;
            }
            let mut members = PointSet::<W>::EMPTY;
            let first: PointSet<W> = [at(stone)].into_iter().collect();
            while stone != 0 {
                if members.contains(at(stone)) {
                    return Err(format!("the list of root {root} runs in a circle"));
                }
                members.insert(at(stone));
                number_at[at(stone)] = root;
                stone = self.older[at(stone)];
            }
            if members != first.flood(self.stones(seat), self.size.stride()) {
                return Err(format!("the list of root {root} is not its stones"));
            }
            listed |= members;
            numbers.push(root);
        }
        if listed == self.stones(seat) {
            Ok(numbers)
        } else {
            Err("a stone is in no root's list".to_string())
        }
    }
}
