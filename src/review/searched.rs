//! The searched positions of a game, and how results are carried back along it: a move takes the
//! value of the position after it, and exact results make the position before exact.

use super::mark::{LossInterval, Mark};
use crate::game::{Outcome, PerSeat, Seat};
use crate::search::{MoveReport, Report};
use crate::variant::MoveCode;

/// A move of a searched position, from the view of the side to move.
pub(crate) type Candidate = MoveReport<MoveCode>;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SearchedPosition {
    pub(crate) seat: Seat,
    /// The moves, the best first; empty in a finished game.
    pub(crate) candidates: Vec<Candidate>,
    /// The exact result, if known.
    pub(crate) proof: Option<Outcome>,
    /// The mean winning chances by the search. They divide the chance that the mover does not have.
    pub(crate) means: PerSeat<f32>,
    pub(crate) iterations: u64,
    /// The interval of the loss of the played move, if it was verified.
    pub(crate) loss: Option<LossInterval>,
}

impl SearchedPosition {
    /// A position after a search.
    pub(crate) fn of(seat: Seat, report: Report<MoveCode>) -> Self {
        Self {
            seat,
            candidates: report.moves,
            proof: report.proof,
            means: report.values,
            iterations: report.iterations,
            loss: None,
        }
    }

    /// A position before its search.
    pub(crate) fn unknown(seat: Seat) -> Self {
        Self {
            seat,
            candidates: Vec::new(),
            proof: None,
            means: PerSeat::default(),
            iterations: 0,
            loss: None,
        }
    }

    /// Replaces the played move's value by that of `next`, the position after it, which was
    /// searched longer. Returns whether the other moves need their own search: the move was best
    /// and fell far, or an unsearched move now ranks first.
    pub(crate) fn revise(&mut self, played: MoveCode, next: &Self, players: &[Seat]) -> bool {
        let value = next.values(players)[self.seat];
        let players = players.len();
        let (place, mut own) = self.take(played).unwrap_or_else(|| {
            let unsearched = Candidate {
                mv: played,
                value,
                visits: 0,
                symmetry_of: None,
                prior: None,
                initial_value: None,
                proof: None,
                principal_variation: Vec::new(),
                variation_visits: Vec::new(),
            };
            (self.candidates.len(), vec![unsearched])
        });
        let has_others = !self.candidates.is_empty();
        let mut fell = false;
        for candidate in &mut own {
            let before = candidate.value;
            if candidate.proof.is_none() || next.proof.is_some() {
                candidate.proof = next.proof;
                candidate.value = match next.proof {
                    Some(outcome) => outcome.value_for(self.seat, players),
                    None => value,
                };
                if candidate.mv == played {
                    candidate.principal_variation = vec![played];
                    candidate.principal_variation.extend(next.best_line());
                }
                let visits = u32::try_from(next.iterations).unwrap_or(u32::MAX);
                candidate.visits = candidate.visits.max(visits);
            }
            fell |= f64::from(before - candidate.value) >= Mark::Doubtful.least();
        }
        // The best move keeps its place over moves with few visits.
        if place > 0 || fell {
            self.insert(own);
        } else {
            self.candidates.splice(0..0, own);
        }
        self.rank(players);
        // A move that comes first without a visit is unknown.
        let first = self.candidates.first();
        let unknown = first.is_some_and(|c| c.mv != played && !c.is_searched());
        place == 0 && (fell || unknown) && has_others && self.proof.is_none()
    }

    /// A move and its twins.
    pub(crate) fn with_twins(&mut self, code: MoveCode) -> impl Iterator<Item = &mut Candidate> {
        let own = self.candidate(code).map(MoveReport::searched_move);
        let all = self.candidates.iter_mut();
        all.filter(move |c| Some(c.searched_move()) == own)
    }

    /// The moves that are neither this one nor one of its twins.
    pub(crate) fn others(&self, code: MoveCode) -> impl Iterator<Item = MoveCode> {
        let own = self.candidate(code).map(MoveReport::searched_move);
        let others = self.candidates.iter();
        others
            .filter(move |c| c.mv != code && Some(c.searched_move()) != own)
            .map(|c| c.mv)
    }

    /// Takes out a move and, behind it, its twins; and says at which place the first of them was.
    fn take(&mut self, code: MoveCode) -> Option<(usize, Vec<Candidate>)> {
        let searched = self.candidate(code)?.searched_move();
        let is_own = |c: &Candidate| c.searched_move() == searched;
        let place = self.candidates.iter().position(is_own)?;
        let mut own: Vec<Candidate> = self.candidates.extract_if(.., |c| is_own(c)).collect();
        own.sort_by_key(|c| c.mv != code);
        Some((place, own))
    }

    /// Replaces all moves except the played one by those of another search.
    pub(crate) fn replace_others(
        &mut self,
        played: MoveCode,
        others: SearchedPosition,
        players: usize,
    ) {
        let own = self.take(played);
        self.candidates = others.candidates;
        self.iterations += others.iterations;
        if let Some((_, own)) = own {
            self.insert(own);
        }
        self.rank(players);
    }

    /// Ranks two compared moves: the better one first, the other before the first that is worth
    /// less.
    pub(crate) fn rank_pair(&mut self, best: MoveCode, played: MoveCode, players: usize) {
        for code in [played, best] {
            let Some((_, own)) = self.take(code) else {
                continue;
            };
            if code == best {
                let value = own.first().map_or(0.0, |c| c.value);
                let first = self.candidates.first();
                let ahead = first.filter(|c| c.mv == played && c.value >= value);
                let ahead = ahead.map(MoveReport::searched_move);
                let is_ahead = |c: &&Candidate| Some(c.searched_move()) == ahead;
                let place = self.candidates.iter().take_while(is_ahead).count();
                self.candidates.splice(place..place, own);
            } else {
                self.insert(own);
            }
        }
        self.rank(players);
    }

    /// Inserts a well-searched move with its twins before the first that is worth less.
    fn insert(&mut self, own: Vec<Candidate>) {
        let value = own.first().map_or(0.0, |c| c.value);
        let place = self.candidates.iter().position(|c| c.value <= value);
        let place = place.unwrap_or(self.candidates.len());
        self.candidates.splice(place..place, own);
    }

    /// Sorts the moves, and makes the position exact if they determine its result.
    fn rank(&mut self, players: usize) {
        order(&mut self.candidates);
        let Some(best) = self.candidates.first() else {
            return;
        };
        let won = best.proof.is_some() && best.value >= 1.0;
        // With more than two players, equal moves may differ for the others.
        let closed = players == 2 && self.candidates.iter().all(|c| c.proof.is_some());
        if won || closed {
            self.proof = best.proof;
        }
    }
}

/// Sorts exact wins first, exact losses last, and an exact draw before moves that seem worse. The
/// sort is stable.
pub(crate) fn order(candidates: &mut [Candidate]) {
    let known = candidates.iter().filter(|c| c.proof.is_some());
    let certain = known.map(|c| c.value).filter(|v| *v > 0.0 && *v < 1.0);
    let certain = certain.reduce(f32::max);
    let class = |c: &Candidate| match c.proof {
        Some(_) if c.value >= 1.0 => 0,
        Some(_) if c.value <= 0.0 => 4,
        Some(_) if Some(c.value) == certain => 2,
        _ if certain.is_some_and(|certain| c.value < certain) => 3,
        _ => 1,
    };
    candidates.sort_by_key(class);
}

impl SearchedPosition {
    /// The winning chance of each seat; their sum is 1.
    pub(crate) fn values(&self, players: &[Seat]) -> PerSeat<f32> {
        let mut values = PerSeat::default();
        let best = match (self.proof, self.candidates.first()) {
            (Some(Outcome::Winner(seat)), _) => {
                values[seat] = 1.0;
                return values;
            }
            (None, Some(best)) => best,
            (Some(Outcome::Draw), _) | (None, None) => {
                for &seat in players {
                    values[seat] = 1.0 / players.len() as f32;
                }
                return values;
            }
        };
        let others = || players.iter().filter(|&&seat| seat != self.seat);
        let sum: f32 = others().map(|&seat| self.means[seat]).sum();
        let rest = (1.0 - best.value).max(0.0);
        for &seat in others() {
            values[seat] = if sum > 0.0 {
                rest * self.means[seat] / sum
            } else {
                rest / others().count().max(1) as f32
            };
        }
        values[self.seat] = best.value;
        values
    }

    pub(crate) fn candidate(&self, code: MoveCode) -> Option<&Candidate> {
        self.candidates.iter().find(|c| c.mv == code)
    }

    /// The best play from here; empty if it is unknown.
    pub(crate) fn best_line(&self) -> &[MoveCode] {
        let best = self.candidates.first();
        best.map_or(&[], |best| &best.principal_variation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Seat = Seat::ALL[0];
    const SECOND: Seat = Seat::ALL[1];
    const BOTH: &[Seat] = &[FIRST, SECOND];

    fn candidate(code: u16, value: f32, proof: Option<Outcome>) -> Candidate {
        Candidate {
            mv: MoveCode::new(code),
            value,
            visits: 1,
            symmetry_of: None,
            prior: None,
            initial_value: None,
            proof,
            principal_variation: vec![MoveCode::new(code)],
            variation_visits: Vec::new(),
        }
    }

    fn searched(seat: Seat, candidates: Vec<Candidate>) -> SearchedPosition {
        SearchedPosition {
            seat,
            candidates,
            proof: None,
            means: PerSeat([0.0, 0.3, 0.1, 0.0]),
            iterations: 1,
            loss: None,
        }
    }

    fn codes(position: &SearchedPosition) -> Vec<u16> {
        let candidates = position.candidates.iter();
        candidates.map(|c| c.mv.number()).collect()
    }

    /// A position with this value for the first player.
    fn after(value: f32, proof: Option<Outcome>) -> SearchedPosition {
        SearchedPosition {
            proof,
            iterations: 7,
            ..searched(FIRST, vec![candidate(9, value, None)])
        }
    }

    #[test]
    fn an_unsearched_move_needs_a_search_before_it_comes_first() {
        let lost = Some(Outcome::Winner(SECOND));
        let mut other = candidate(2, 0.3, None);
        other.visits = 0;
        let mut position = searched(FIRST, vec![candidate(1, 0.04, None), other.clone()]);
        assert!(position.revise(MoveCode::new(1), &after(0.0, lost), BOTH));
        let mut position = searched(FIRST, vec![candidate(1, 0.04, None), other]);
        assert!(!position.revise(MoveCode::new(1), &after(0.03, None), BOTH));
    }

    #[test]
    fn a_losing_move_becomes_the_last_choice() {
        let lost = Some(Outcome::Winner(SECOND));
        let moves = || vec![candidate(1, 0.6, None), candidate(2, 0.5, None)];
        let mut position = searched(FIRST, moves());
        assert!(position.revise(MoveCode::new(1), &after(0.0, lost), BOTH));
        assert_eq!((codes(&position), position.proof), (vec![2, 1], None));
        let played = position.candidate(MoveCode::new(1)).unwrap();
        assert_eq!((played.value, played.proof), (0.0, lost));
        assert_eq!(played.principal_variation, [1, 9].map(MoveCode::new));
        // The other move loses too: there was no mistake.
        let others = searched(FIRST, vec![candidate(2, 0.0, lost)]);
        position.replace_others(MoveCode::new(1), others, 2);
        assert_eq!((position.proof, position.iterations), (lost, 2));
        assert_eq!(position.candidates[0].value, 0.0);
        // A winning move makes the position before it won.
        let mut position = searched(SECOND, moves());
        assert!(!position.revise(MoveCode::new(2), &after(0.4, lost), BOTH));
        assert_eq!((codes(&position), position.proof), (vec![2, 1], lost));
    }

    #[test]
    fn a_move_that_falls_needs_a_search_of_the_others() {
        let moves = || vec![candidate(1, 0.6, None), candidate(2, 0.5, None)];
        let mut position = searched(FIRST, moves());
        assert!(!position.revise(MoveCode::new(1), &after(0.56, None), BOTH));
        assert_eq!(position.candidates[0].value, 0.56);
        assert!(position.revise(MoveCode::new(1), &after(0.3, None), BOTH));
        for (other, first) in [(0.4, 2), (0.2, 1)] {
            let mut position = position.clone();
            let others = searched(FIRST, vec![candidate(2, other, None)]);
            position.replace_others(MoveCode::new(1), others, 2);
            assert_eq!(codes(&position)[0], first);
            assert_eq!(position.candidates.len(), 2);
        }
        // A move that turns out better than the best takes its place.
        let mut position = searched(FIRST, moves());
        assert!(!position.revise(MoveCode::new(2), &after(0.7, None), BOTH));
        assert_eq!(codes(&position), [2, 1]);
        // A move that was not listed is added.
        assert!(!position.revise(MoveCode::new(5), &after(0.1, None), BOTH));
        assert_eq!(codes(&position), [2, 1, 5]);
    }

    #[test]
    fn twins_are_worth_the_same() {
        let mut twin = candidate(2, 0.6, None);
        twin.symmetry_of = Some(MoveCode::new(1));
        let moves = vec![candidate(1, 0.6, None), twin, candidate(3, 0.5, None)];
        let mut position = searched(FIRST, moves);
        let played = MoveCode::new(2);
        let values = |position: &SearchedPosition| -> Vec<f32> {
            position.candidates.iter().map(|c| c.value).collect()
        };
        assert!(!position.revise(played, &after(0.58, None), BOTH));
        assert_eq!(codes(&position), [2, 1, 3]);
        assert_eq!(values(&position), [0.58, 0.58, 0.5]);
        assert!(position.revise(played, &after(0.3, None), BOTH));
        assert_eq!(codes(&position), [3, 2, 1]);
        assert!(position.others(played).eq([MoveCode::new(3)]));
        let others = searched(FIRST, vec![candidate(3, 0.2, None)]);
        position.replace_others(played, others, 2);
        assert_eq!(codes(&position), [2, 1, 3]);
        assert_eq!(values(&position), [0.3, 0.3, 0.2]);
        position.candidates[2].value = 0.4;
        position.rank_pair(MoveCode::new(3), played, 2);
        assert_eq!(codes(&position), [3, 2, 1]);
    }

    #[test]
    fn a_certain_draw_stands_between_what_seems_better_and_what_seems_worse() {
        let mut list = vec![
            candidate(1, 0.4, None),
            candidate(2, 0.0, Some(Outcome::Winner(SECOND))),
            candidate(3, 0.5, Some(Outcome::Draw)),
            candidate(4, 0.6, None),
        ];
        order(&mut list);
        assert_eq!(codes(&searched(FIRST, list)), [4, 3, 1, 2]);
    }

    #[test]
    fn the_values_of_all_players_add_up_to_one() {
        let players = &Seat::ALL[..3];
        let mut position = searched(FIRST, vec![candidate(1, 0.2, None)]);
        let PerSeat([a, b, c, _]) = position.values(players);
        assert!((a - 0.2).abs() < 1e-6 && (b - 0.6).abs() < 1e-6 && (c - 0.2).abs() < 1e-6);
        position.means = PerSeat::default();
        assert_eq!(position.values(players).0[1..3], [0.4, 0.4]);
        position.proof = Some(Outcome::Winner(SECOND));
        assert_eq!(position.values(players).0, [0.0, 1.0, 0.0, 0.0]);
        position.proof = None;
        position.candidates.clear();
        assert_eq!(position.values(&Seat::ALL[..2]).0, [0.5, 0.5, 0.0, 0.0]);
    }
}
