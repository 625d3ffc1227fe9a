//! The second look at moves that may be mistakes.
//!
//! A first search gives the move that was played and the best move unequal visits, and a value
//! from one search has an error that the search itself does not tell. So the positions after both
//! moves are searched again: several short searches each, independent of each other and with the
//! same number of visits. Their spread tells how far the difference of the two means can be
//! trusted. As long as the interval of the loss holds the threshold of the mildest mark the number
//! of searches is doubled; what is undecided at the end gets no mark.

use super::settle::{After, Candidate, Judged, LossInterval};
use super::walk::Step;
use crate::game::{Outcome, Seat};
use crate::lab::stats::{PriorVariance, Sample, mean_difference};
use crate::variant::{MoveCode, RunningGame};

/// The least loss after the first searches that deserves a second look.
const LEAST_LOSS: f64 = 0.015;

/// Searches after each of the two moves in the first round. Two that lie close together by chance
/// passed for certainty too often.
const FIRST_SEARCHES: usize = 4;

/// The most searches after each of the two moves.
const MOST_SEARCHES: usize = 16;

/// How much shorter than a first search each of them is.
const SHORTER: u64 = 2;

/// The spread of short searches of one position, as seen in games on 7x7 and 9x9: a standard
/// deviation of 0.01.
const SPREAD: PriorVariance = PriorVariance {
    variance: 0.01 * 0.01,
    degrees: 4.0,
};

/// How the second look searches: the current position with so many iterations. None if it was
/// stopped.
pub(super) type Search<'a> = dyn FnMut(&mut dyn RunningGame, u64) -> Option<Judged> + 'a;

/// One of the two moves.
struct Side {
    code: MoveCode,
    sample: Sample,
    proof: Option<Outcome>,
    line: Vec<MoveCode>,
}

/// A move that may be a mistake.
struct Case {
    /// The moves before it.
    number: usize,
    seat: Seat,
    played: Side,
    best: Side,
    /// Iterations of each search.
    visits: u64,
    found: Option<LossInterval>,
}

impl Side {
    fn new(candidate: &Candidate) -> Self {
        Self {
            code: candidate.code,
            sample: match candidate.proof {
                Some(_) => Sample::Exact(f64::from(candidate.value)),
                None => Sample::Measured(Vec::new()),
            },
            proof: candidate.proof,
            line: candidate.line.clone(),
        }
    }

    fn searches(&self) -> usize {
        match &self.sample {
            Sample::Exact(_) => 0,
            Sample::Measured(values) => values.len(),
        }
    }

    /// Takes the result of a search of the position after the move.
    fn add(&mut self, after: &Judged, seat: Seat, players: &[Seat]) {
        let value = f64::from(after.values(players)[seat]);
        match (&mut self.sample, after.proof) {
            (sample, Some(outcome)) => {
                *sample = Sample::Exact(value);
                self.proof = Some(outcome);
                let rest = after.candidates.first().map(|c| c.line.as_slice());
                self.line.truncate(1);
                self.line.extend(rest.unwrap_or_default());
            }
            (Sample::Measured(values), None) => values.push(value),
            (Sample::Exact(_), None) => (),
        }
    }
}

impl Case {
    /// The move that was played at a position, if it may be a mistake.
    fn of(number: usize, played: MoveCode, position: &Judged, visits: u64) -> Option<Self> {
        let (own, best) = (position.candidate(played)?, position.candidates.first()?);
        let loss = f64::from(best.value - own.value);
        (best.code != played && loss >= LEAST_LOSS).then(|| Self {
            number,
            seat: position.seat,
            played: Side::new(own),
            best: Side::new(best),
            visits,
            found: None,
        })
    }

    /// The iterations that it takes until both sides have so many searches.
    fn cost(&self, searches: usize) -> u64 {
        let missing = [&self.played, &self.best].map(|side| match side.sample {
            Sample::Exact(_) => 0,
            Sample::Measured(_) => searches.saturating_sub(side.searches()),
        });
        self.visits * missing.iter().sum::<usize>() as u64
    }

    fn estimate(&mut self) {
        let difference = mean_difference(&self.best.sample, &self.played.sample, SPREAD);
        self.found = difference.map(|difference| {
            let (low, high) = difference.interval();
            LossInterval {
                low,
                high,
                searches: self.played.searches().max(self.best.searches()),
            }
        });
    }

    fn is_open(&self) -> bool {
        self.found.is_none_or(|found| found.is_open())
    }

    fn loss(&self) -> f64 {
        let means = (self.best.sample.mean(), self.played.sample.mean());
        means.0.zip(means.1).map_or(0.0, |(best, own)| best - own)
    }

    /// Searches until both sides have so many searches; false if it was stopped.
    fn search(
        &mut self,
        game: &mut dyn RunningGame,
        players: &[Seat],
        searches: usize,
        search: &mut Search<'_>,
    ) -> bool {
        for side in [&mut self.best, &mut self.played] {
            if game.play(side.code).is_err() {
                continue;
            }
            let mut is_stopped = false;
            while side.proof.is_none() && side.searches() < searches && !is_stopped {
                // Independent of the searches before it.
                game.forget();
                match search(game, self.visits) {
                    Some(after) => side.add(&after, self.seat, players),
                    None => is_stopped = true,
                }
            }
            game.undo();
            if is_stopped {
                return false;
            }
        }
        self.estimate();
        true
    }
}

/// Looks again at the moves of a game that may be mistakes and writes what it found into
/// `judged`, the positions. `game` stands at the start of the game, and does so afterwards.
/// `first` are the iterations of the first search of each position; together the second looks
/// take no more than these. `watch` hears the number of the move.
///
/// False if it was stopped; what was found until then is kept.
pub(super) fn second_look(
    game: &mut dyn RunningGame,
    steps: &[Step],
    judged: &mut [Judged],
    first: &[u64],
    players: &[Seat],
    search: &mut Search<'_>,
    watch: &mut dyn FnMut(usize),
) -> bool {
    let mut cases = cases(steps, judged, first);
    let total: u64 = first.iter().sum();
    let extra = judged
        .iter()
        .map(|position| position.iterations)
        .sum::<u64>()
        - total;
    let mut left = total.saturating_sub(extra);
    let mut seen = vec![false; judged.len()];
    let mut is_complete = true;
    let mut at = 0;
    while is_complete && !cases.is_empty() {
        shorten(&mut cases, left);
        let mut searches = FIRST_SEARCHES;
        'rounds: while searches <= MOST_SEARCHES && cases.iter().any(Case::is_open) {
            for case in cases.iter_mut().filter(|case| case.is_open()) {
                let cost = case.cost(searches);
                if cost > left {
                    break 'rounds;
                }
                watch(case.number + 1);
                go(game, steps, &mut at, case.number);
                if !case.search(game, players, searches, search) {
                    is_complete = false;
                    break 'rounds;
                }
                left -= cost;
            }
            // Where the time ends first, the largest losses have been settled.
            cases.sort_by(|a, b| b.loss().total_cmp(&a.loss()).then(a.number.cmp(&b.number)));
            searches *= 2;
        }
        for case in cases {
            if let (Some(position), Some(seen)) =
                (judged.get_mut(case.number), seen.get_mut(case.number))
            {
                *seen = true;
                settle(position, case, players.len());
            }
        }
        cases = revised(steps, judged, first, &seen, players);
    }
    go(game, steps, &mut at, 0);
    is_complete
}

/// The moves that became suspicious because the second look has changed what the positions after
/// them are worth.
fn revised(
    steps: &[Step],
    judged: &mut [Judged],
    first: &[u64],
    seen: &[bool],
    players: &[Seat],
) -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, step) in steps.iter().enumerate().rev() {
        let Some([false, true]) = seen.get(number..number + 2) else {
            continue;
        };
        if let Some([position, next]) = judged.get_mut(number..number + 2) {
            position.learn(
                step.code,
                After::of(next, step.seat, players),
                players.len(),
            );
            cases.extend(case(number, step, position, first));
        }
    }
    cases.reverse();
    cases
}

/// The moves that deserve a second look, in the order of the game; those whose results are exact
/// are settled.
fn cases(steps: &[Step], judged: &[Judged], first: &[u64]) -> Vec<Case> {
    let pairs = steps.iter().zip(judged).enumerate();
    let cases = pairs.filter_map(|(number, (step, position))| case(number, step, position, first));
    cases.collect()
}

/// The move that was made at a position, if it deserves a second look; settled if both results are
/// exact.
fn case(number: usize, step: &Step, position: &Judged, first: &[u64]) -> Option<Case> {
    let visits = first.get(number..number + 2)?.iter().max()? / SHORTER;
    let mut case = Case::of(number, step.code, position, visits.max(1))?;
    if case.cost(1) == 0 {
        case.estimate();
    }
    Some(case)
}

/// Makes all searches shorter if the first round would take more than there is.
fn shorten(cases: &mut [Case], left: u64) {
    let round: u64 = cases.iter().map(|case| case.cost(FIRST_SEARCHES)).sum();
    if round > left {
        let share = left as f64 / round as f64;
        for case in cases {
            case.visits = ((case.visits as f64 * share) as u64).max(1);
        }
    }
}

/// Steps to the position after so many moves.
fn go(game: &mut dyn RunningGame, steps: &[Step], at: &mut usize, number: usize) {
    while *at > number && game.undo() {
        *at -= 1;
    }
    for step in steps.iter().take(number).skip(*at) {
        // The walk went this way.
        let _ = game.play(step.code);
        *at += 1;
    }
}

/// Takes the result over into the position.
fn settle(position: &mut Judged, case: Case, players: usize) {
    let Some(found) = case.found else {
        return;
    };
    let visits = case.visits * found.searches as u64;
    for side in [&case.played, &case.best] {
        let candidate = position.candidates.iter_mut().find(|c| c.code == side.code);
        if let (Some(candidate), Some(mean)) = (candidate, side.sample.mean()) {
            candidate.value = mean as f32;
            candidate.proof = side.proof;
            candidate.line.clone_from(&side.line);
            let visits = u32::try_from(visits).unwrap_or(u32::MAX);
            candidate.visits = candidate.visits.max(visits);
        }
    }
    position.iterations += case.visits * (case.played.searches() + case.best.searches()) as u64;
    position.rank_again(case.best.code, case.played.code, players);
    // A certain draw may have come first in place of both.
    let compared = [case.best.code, case.played.code];
    let first = position.candidates.first();
    position.loss = first
        .is_some_and(|c| compared.contains(&c.code))
        .then_some(found);
}
