//! What follows from the searches: exact results carried back along the game, the loss of each
//! move, and its mark.

use serde::Serialize;

use crate::game::{Outcome, PerSeat, Seat};
use crate::variant::MoveCode;

/// A loss is worth a word if it is certainly no smaller.
pub const CERTAIN_LOSS: f64 = 0.005;

/// A marked move certainly lost at least this much, and [`Mark::least`] in the mean. A bound of 0.05
/// for both would leave marks to chance: whether the interval of a loss of 0.06 begins above or below
/// it differs from run to run.
pub const CERTAIN_MISTAKE: f64 = 0.04;

/// How bad a mistake is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Mark {
    /// A loss of at least [`Mark::least`], 0.05.
    #[serde(rename = "?!")]
    Doubtful,
    /// A loss of at least 0.1.
    #[serde(rename = "?")]
    Mistake,
    /// A loss of at least 0.2.
    #[serde(rename = "??")]
    Blunder,
}

impl Mark {
    /// All marks, the mildest first.
    pub const ALL: [Mark; 3] = [Mark::Doubtful, Mark::Mistake, Mark::Blunder];

    /// The loss of winning chance, 0 to 1, from which on a move has the mark.
    pub const fn least(self) -> f64 {
        match self {
            Mark::Doubtful => 0.05,
            Mark::Mistake => 0.1,
            Mark::Blunder => 0.2,
        }
    }

    /// The mark of a move that certainly lost so much, if it has any.
    pub fn of(loss: f64) -> Option<Mark> {
        Mark::ALL.into_iter().rfind(|mark| loss >= mark.least())
    }

    /// The mark of a move that seems to have lost so much: only if the searches leave no doubt
    /// that it deserves one.
    pub fn beyond_noise(loss: f64, interval: Option<LossInterval>) -> Option<Mark> {
        let is_certain = interval.is_some_and(|i| i.low >= CERTAIN_MISTAKE);
        Mark::of(loss).filter(|_| is_certain)
    }

    /// The mark as records of games have it: `?!`, `?`, `??`.
    pub const fn sign(self) -> &'static str {
        match self {
            Mark::Doubtful => "?!",
            Mark::Mistake => "?",
            Mark::Blunder => "??",
        }
    }

    /// The mark as what a move is.
    pub const fn phrase(self) -> &'static str {
        match self {
            Mark::Doubtful => "a doubtful move",
            Mark::Mistake => "a mistake",
            Mark::Blunder => "a blunder",
        }
    }

    /// The mark in a word.
    pub const fn word(self) -> &'static str {
        match self {
            Mark::Doubtful => "doubtful",
            Mark::Mistake => "mistake",
            Mark::Blunder => "blunder",
        }
    }
}

/// How much a move lost, with a 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossInterval {
    /// The least loss that the searches allow.
    pub low: f64,
    /// The greatest.
    pub high: f64,
    /// Searches after each of the two moves; 0 if both results are exact.
    pub searches: usize,
}

impl LossInterval {
    /// Whether more searches could decide whether the move is marked.
    pub fn is_open(&self) -> bool {
        let least = Mark::Doubtful.least();
        self.low < least && self.high >= least
    }
}

/// A move that was looked at, from the view of the side to move.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The move.
    pub code: MoveCode,
    /// Winning chance after it, 0 to 1; exact if proven.
    pub value: f32,
    /// Visits.
    pub visits: u32,
    /// The evaluator's probability that the move is the best, if it has priors.
    pub prior: Option<f32>,
    /// The evaluator's winning chance after the move, if it evaluates moves without priors.
    pub initial_value: Option<f32>,
    /// The exact result, if it is known.
    pub proof: Option<Outcome>,
    /// The move and the best play after it.
    pub line: Vec<MoveCode>,
}

impl Candidate {
    /// Whether more is known of it than what was thought of it before the search.
    pub fn is_searched(&self) -> bool {
        self.visits > 0 || self.proof.is_some()
    }
}

/// What is known of one position.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Whose turn it is.
    pub seat: Seat,
    /// The moves, the best first; none in a finished game.
    pub candidates: Vec<Candidate>,
    /// The exact result, if it is known.
    pub proof: Option<Outcome>,
    /// Mean winning chances of the search, which share out what is not the mover's.
    pub means: PerSeat<f32>,
    /// Iterations that were spent on it.
    pub iterations: u64,
    /// What the move that was played lost, where it had a second look.
    pub loss: Option<LossInterval>,
}

/// What the position after a move taught about the move.
#[derive(Clone, Debug, PartialEq)]
pub struct After {
    /// What it is worth to who made the move, 0 to 1.
    pub value: f32,
    /// Its exact result, if it is known.
    pub proof: Option<Outcome>,
    /// The best play there.
    pub line: Vec<MoveCode>,
    /// Iterations that were spent on it.
    pub visits: u32,
}

impl After {
    /// What the position after a move says about it to the side that made it.
    pub fn of(next: &Judged, seat: Seat, players: &[Seat]) -> Self {
        let best = next.candidates.first();
        Self {
            value: next.values(players)[seat],
            proof: next.proof,
            visits: u32::try_from(next.iterations).unwrap_or(u32::MAX),
            line: best.map_or_else(Vec::new, |candidate| candidate.line.clone()),
        }
    }
}

impl Judged {
    /// A position that was not searched.
    pub fn unknown(seat: Seat) -> Self {
        Self {
            seat,
            candidates: Vec::new(),
            proof: None,
            means: PerSeat::default(),
            iterations: 0,
            loss: None,
        }
    }

    /// Takes over what is known of the position after the move that was played, which was looked
    /// at longer than this move among others. True if the move was thought best and fell so
    /// far, or behind one that was not searched, that the others deserve a second look.
    pub fn learn(&mut self, played: MoveCode, after: After, players: usize) -> bool {
        let place = self.candidates.iter().position(|c| c.code == played);
        let place = place.unwrap_or_else(|| {
            self.candidates.push(Candidate {
                code: played,
                value: after.value,
                visits: 0,
                prior: None,
                initial_value: None,
                proof: None,
                line: Vec::new(),
            });
            self.candidates.len() - 1
        });
        let Some(candidate) = self.candidates.get_mut(place) else {
            return false;
        };
        let before = candidate.value;
        if candidate.proof.is_none() || after.proof.is_some() {
            candidate.proof = after.proof;
            candidate.value = match after.proof {
                Some(outcome) => outcome.value_for(self.seat, players),
                None => after.value,
            };
            candidate.line = std::iter::once(played).chain(after.line).collect();
            candidate.visits = candidate.visits.max(after.visits);
        }
        let fell = f64::from(before - candidate.value) >= Mark::Doubtful.least();
        // The best move keeps its place over what was hardly looked at.
        if place > 0 || fell {
            let candidate = self.candidates.remove(place);
            self.insert(candidate);
        }
        self.settle(players);
        // Of a move that comes first without a visit nothing is known.
        let first = self.candidates.first();
        let unknown = first.is_some_and(|c| c.code != played && !c.is_searched());
        place == 0 && (fell || unknown) && self.candidates.len() > 1 && self.proof.is_none()
    }

    /// Takes the second look at all moves but the one that was played.
    pub fn compare(&mut self, played: MoveCode, others: Judged, players: usize) {
        let own = self.candidates.iter().position(|c| c.code == played);
        let own = own.map(|place| self.candidates.remove(place));
        self.candidates = others.candidates;
        self.iterations += others.iterations;
        if let Some(own) = own {
            self.insert(own);
        }
        self.settle(players);
    }

    /// Puts the better one of two moves that were compared first, and the other one behind it,
    /// before the first that is worth less.
    pub fn rank_again(&mut self, best: MoveCode, played: MoveCode, players: usize) {
        for code in [played, best] {
            let place = self.candidates.iter().position(|c| c.code == code);
            let Some(place) = place else { continue };
            let candidate = self.candidates.remove(place);
            if code == best {
                let first = self.candidates.first();
                let is_behind =
                    first.is_some_and(|c| c.code == played && c.value >= candidate.value);
                self.candidates.insert(usize::from(is_behind), candidate);
            } else {
                self.insert(candidate);
            }
        }
        self.settle(players);
    }

    /// Puts a move that is well known before the first one that is worth less.
    fn insert(&mut self, candidate: Candidate) {
        let less = |other: &Candidate| other.value <= candidate.value;
        let place = self.candidates.iter().position(less);
        let place = place.unwrap_or(self.candidates.len());
        self.candidates.insert(place, candidate);
    }

    /// Puts the moves in order; what is exact of them is exact of the position.
    fn settle(&mut self, players: usize) {
        order(&mut self.candidates);
        let Some(best) = self.candidates.first() else {
            return;
        };
        let won = best.proof.is_some() && best.value >= 1.0;
        // Among more than two it is open which of equal moves the mover takes.
        let closed = players == 2 && self.candidates.iter().all(|c| c.proof.is_some());
        if won || closed {
            self.proof = best.proof;
        }
    }
}

/// Exact wins come first and exact losses last, what is certain before what seems worse than it;
/// the rest stays in its order.
pub fn order(candidates: &mut [Candidate]) {
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

impl Judged {
    /// What the position is worth to each seat; together 1.
    pub fn values(&self, players: &[Seat]) -> PerSeat<f32> {
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
            values[seat] = match sum > 0.0 {
                true => rest * self.means[seat] / sum,
                false => rest / others().count().max(1) as f32,
            };
        }
        values[self.seat] = best.value;
        values
    }

    /// The move as it was judged.
    pub fn candidate(&self, code: MoveCode) -> Option<&Candidate> {
        self.candidates.iter().find(|c| c.code == code)
    }
}

/// The loss of a move: the value of the best one less its own, at least 0.
pub fn loss(best: f64, played: f64) -> f64 {
    rounded((best - played).max(0.0))
}

/// A chance with four decimals, so that texts of it are short.
pub fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// The numbers of the moves with a mark from 1, the largest loss first, the earlier one of equal
/// losses.
pub fn largest_first(moves: &[(f64, Option<Mark>)]) -> Vec<usize> {
    let marked = moves
        .iter()
        .enumerate()
        .filter(|(_, (_, mark))| mark.is_some());
    let mut marked: Vec<(usize, f64)> = marked.map(|(i, (loss, _))| (i + 1, *loss)).collect();
    marked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    marked.into_iter().map(|(number, _)| number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Seat = Seat::ALL[0];
    const SECOND: Seat = Seat::ALL[1];

    fn candidate(code: u16, value: f32, proof: Option<Outcome>) -> Candidate {
        Candidate {
            code: MoveCode::new(code),
            value,
            visits: 1,
            prior: None,
            initial_value: None,
            proof,
            line: vec![MoveCode::new(code)],
        }
    }

    fn judged(seat: Seat, candidates: Vec<Candidate>) -> Judged {
        Judged {
            seat,
            candidates,
            proof: None,
            means: PerSeat([0.0, 0.3, 0.1, 0.0]),
            iterations: 1,
            loss: None,
        }
    }

    fn codes(position: &Judged) -> Vec<u16> {
        let candidates = position.candidates.iter();
        candidates.map(|c| c.code.number()).collect()
    }

    #[test]
    fn marks_begin_at_their_thresholds() {
        let marks = [0.0, 0.0499, 0.05, 0.0999, 0.1, 0.1999, 0.2, 1.0].map(Mark::of);
        use Mark::{Blunder, Doubtful, Mistake};
        let expected = [
            None,
            None,
            Some(Doubtful),
            Some(Doubtful),
            Some(Mistake),
            Some(Mistake),
            Some(Blunder),
            Some(Blunder),
        ];
        assert_eq!(marks, expected);
    }

    #[test]
    fn losses_are_never_negative() {
        assert_eq!(loss(0.6, 0.5), 0.1);
        assert_eq!(loss(0.5, 0.6), 0.0);
        assert_eq!(
            largest_first(&[0.04, 0.3, 0.05, 0.3, 0.9, 0.0].map(|loss| (loss, Mark::of(loss)))),
            [5, 2, 4, 3]
        );
    }

    fn after(value: f32, proof: Option<Outcome>) -> After {
        let line = vec![MoveCode::new(9)];
        After {
            value,
            proof,
            line,
            visits: 7,
        }
    }

    #[test]
    fn what_was_not_searched_gets_a_second_look_before_it_comes_first() {
        let lost = Some(Outcome::Winner(SECOND));
        let mut other = candidate(2, 0.3, None);
        other.visits = 0;
        let mut position = judged(FIRST, vec![candidate(1, 0.04, None), other.clone()]);
        assert!(position.learn(MoveCode::new(1), after(0.0, lost), 2));
        let mut position = judged(FIRST, vec![candidate(1, 0.04, None), other]);
        assert!(!position.learn(MoveCode::new(1), after(0.03, None), 2));
    }

    #[test]
    fn a_lost_end_makes_the_best_move_the_last_choice() {
        let lost = Some(Outcome::Winner(SECOND));
        let moves = || vec![candidate(1, 0.6, None), candidate(2, 0.5, None)];
        let mut position = judged(FIRST, moves());
        assert!(position.learn(MoveCode::new(1), after(0.0, lost), 2));
        assert_eq!((codes(&position), position.proof), (vec![2, 1], None));
        let played = position.candidate(MoveCode::new(1)).unwrap();
        assert_eq!((played.value, played.proof), (0.0, lost));
        assert_eq!(played.line, [1, 9].map(MoveCode::new));
        // The other move loses as well: nobody made a mistake.
        let others = judged(FIRST, vec![candidate(2, 0.0, lost)]);
        position.compare(MoveCode::new(1), others, 2);
        assert_eq!((position.proof, position.iterations), (lost, 2));
        assert_eq!(position.candidates[0].value, 0.0);
        // Whoever makes a move that wins has won before it.
        let mut position = judged(SECOND, moves());
        assert!(!position.learn(MoveCode::new(2), after(0.4, lost), 2));
        assert_eq!((codes(&position), position.proof), (vec![2, 1], lost));
    }

    #[test]
    fn a_move_that_falls_asks_for_a_second_look_at_the_others() {
        let moves = || vec![candidate(1, 0.6, None), candidate(2, 0.5, None)];
        let mut position = judged(FIRST, moves());
        assert!(!position.learn(MoveCode::new(1), after(0.56, None), 2));
        assert_eq!(position.candidates[0].value, 0.56);
        assert!(position.learn(MoveCode::new(1), after(0.3, None), 2));
        for (other, first) in [(0.4, 2), (0.2, 1)] {
            let mut position = position.clone();
            let others = judged(FIRST, vec![candidate(2, other, None)]);
            position.compare(MoveCode::new(1), others, 2);
            assert_eq!(codes(&position)[0], first);
            assert_eq!(position.candidates.len(), 2);
        }
        // A move that turns out better than the best one takes its place.
        let mut position = judged(FIRST, moves());
        assert!(!position.learn(MoveCode::new(2), after(0.7, None), 2));
        assert_eq!(codes(&position), [2, 1]);
        // One that was not among them is put there.
        assert!(!position.learn(MoveCode::new(5), after(0.1, None), 2));
        assert_eq!(codes(&position), [2, 1, 5]);
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
        assert_eq!(codes(&judged(FIRST, list)), [4, 3, 1, 2]);
    }

    #[test]
    fn values_of_all_players_are_one_together() {
        let players = &Seat::ALL[..3];
        let mut position = judged(FIRST, vec![candidate(1, 0.2, None)]);
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
