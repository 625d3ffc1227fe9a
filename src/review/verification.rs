//! Verification searches of moves that may be mistakes.
//!
//! The first search gives the played move and the best move unequal visits, and does not tell the
//! error of its values. Verification searches the positions after both moves several times more:
//! short, independent searches with equal visits. The loss is the difference of the two means, with
//! an interval from their spread ([`mean_difference`]). While the interval contains the threshold
//! of the mildest mark, the number of searches is doubled. A move that stays undecided gets no
//! mark.

use super::mark::LossInterval;
use super::replay::ReplayedMove;
use super::searched::{Candidate, SearchedPosition};
use crate::game::{Outcome, Seat};
use crate::lab::stats::{PriorVariance, Sample, mean_difference};
use crate::variant::{MoveCode, RunningGame};

/// The least loss after the first searches that is verified.
const LEAST_LOSS: f64 = 0.015;

/// Searches after each of the two moves in the first round. With two, values that were close by
/// chance made intervals too narrow.
const FIRST_SEARCHES: usize = 4;

/// The most searches after each of the two moves.
const MOST_SEARCHES: usize = 16;

/// A verification search has the visits of the first search divided by this.
const SHORTER: u64 = 2;

/// The prior for the spread of short searches of one position: a standard deviation of 0.01,
/// measured in games on 7x7 and 9x9.
const SPREAD: PriorVariance = PriorVariance {
    variance: 0.01 * 0.01,
    degrees: 4.0,
};

/// Searches the present position of a game with a number of iterations. `None` if it was stopped.
pub(super) type Search<'a> = dyn FnMut(&mut dyn RunningGame, u64) -> Option<SearchedPosition> + 'a;

struct ComparedMove {
    code: MoveCode,
    sample: Sample,
    proof: Option<Outcome>,
    line: Vec<MoveCode>,
}

/// A move that may be a mistake.
struct Suspect {
    /// The number of moves before it.
    number: usize,
    seat: Seat,
    played: ComparedMove,
    best: ComparedMove,
    visits: u64,
    found: Option<LossInterval>,
}

impl ComparedMove {
    fn new(candidate: &Candidate) -> Self {
        Self {
            code: candidate.mv,
            sample: match candidate.proof {
                Some(_) => Sample::Exact(f64::from(candidate.value)),
                None => Sample::Measured(Vec::new()),
            },
            proof: candidate.proof,
            line: candidate.principal_variation.clone(),
        }
    }

    fn searches(&self) -> usize {
        match &self.sample {
            Sample::Exact(_) => 0,
            Sample::Measured(values) => values.len(),
        }
    }

    /// Adds a search of the position after the move.
    fn add(&mut self, after: &SearchedPosition, seat: Seat, players: &[Seat]) {
        let value = f64::from(after.values(players)[seat]);
        match (&mut self.sample, after.proof) {
            (sample, Some(outcome)) => {
                *sample = Sample::Exact(value);
                self.proof = Some(outcome);
                self.line.truncate(1);
                self.line.extend(after.best_line());
            }
            (Sample::Measured(values), None) => values.push(value),
            (Sample::Exact(_), None) => (),
        }
    }
}

impl Suspect {
    /// The iterations until both moves have this many searches.
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

    /// Searches until both moves have this many searches; false if it was stopped.
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
                // Searches must be independent.
                game.clear_tree();
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

/// Verifies the moves of a game that may be mistakes, and writes the results into `positions`.
/// `game` is at its start, before and after. `first` has the iterations of the first search of
/// each position; all verification together uses at most their sum. `on_progress` is called with
/// the number of each move.
///
/// Returns false if it was stopped; results so far are kept.
pub(super) fn verify_mistakes(
    game: &mut dyn RunningGame,
    steps: &[ReplayedMove],
    positions: &mut [SearchedPosition],
    first: &[u64],
    players: &[Seat],
    search: &mut Search<'_>,
    on_progress: &mut dyn FnMut(usize),
) -> bool {
    let pairs = steps.iter().zip(&*positions).enumerate();
    let suspects = pairs.filter_map(|(number, (step, at))| suspect(number, step, at, first));
    let mut suspects: Vec<Suspect> = suspects.collect();
    let total: u64 = first.iter().sum();
    let spent: u64 = positions.iter().map(|p| p.iterations).sum();
    let mut left = total.saturating_sub(spent - total);
    let mut verified = vec![false; positions.len()];
    let mut is_complete = true;
    let mut at = 0;
    while is_complete && !suspects.is_empty() {
        shorten(&mut suspects, left);
        let mut searches = FIRST_SEARCHES;
        'rounds: while searches <= MOST_SEARCHES && suspects.iter().any(Suspect::is_open) {
            for suspect in suspects.iter_mut().filter(|suspect| suspect.is_open()) {
                let cost = suspect.cost(searches);
                if cost > left {
                    break 'rounds;
                }
                on_progress(suspect.number + 1);
                go(game, steps, &mut at, suspect.number);
                if !suspect.search(game, players, searches, search) {
                    is_complete = false;
                    break 'rounds;
                }
                left -= cost;
            }
            // If the iterations run out, the largest losses are verified first.
            suspects.sort_by(|a, b| b.loss().total_cmp(&a.loss()).then(a.number.cmp(&b.number)));
            searches *= 2;
        }
        for suspect in suspects {
            let number = suspect.number;
            if let Some(position) = positions.get_mut(number) {
                verified[number] = true;
                store(position, suspect, players.len());
            }
        }
        suspects = revised(steps, positions, first, &verified, players);
    }
    go(game, steps, &mut at, 0);
    is_complete
}

/// The moves that became suspect because verification changed the values of the positions after
/// them.
fn revised(
    steps: &[ReplayedMove],
    positions: &mut [SearchedPosition],
    first: &[u64],
    verified: &[bool],
    players: &[Seat],
) -> Vec<Suspect> {
    let mut suspects = Vec::new();
    for (number, step) in steps.iter().enumerate().rev() {
        let Some([false, true]) = verified.get(number..number + 2) else {
            continue;
        };
        if let Some([position, next]) = positions.get_mut(number..number + 2) {
            position.revise(step.code, next, players);
            suspects.extend(suspect(number, step, position, first));
        }
    }
    suspects.reverse();
    suspects
}

/// The move at a position, if it may be a mistake. With exact results it needs no search.
fn suspect(
    number: usize,
    step: &ReplayedMove,
    position: &SearchedPosition,
    first: &[u64],
) -> Option<Suspect> {
    let visits = first.get(number..number + 2)?.iter().max()? / SHORTER;
    let (own, best) = (position.candidate(step.code)?, position.candidates.first()?);
    if best.mv == step.code || f64::from(best.value - own.value) < LEAST_LOSS {
        return None;
    }
    let mut suspect = Suspect {
        number,
        seat: position.seat,
        played: ComparedMove::new(own),
        best: ComparedMove::new(best),
        visits: visits.max(1),
        found: None,
    };
    if suspect.cost(1) == 0 {
        suspect.estimate();
    }
    Some(suspect)
}

/// Shortens all searches if the first round would take too many iterations.
fn shorten(suspects: &mut [Suspect], left: u64) {
    let round: u64 = suspects.iter().map(|s| s.cost(FIRST_SEARCHES)).sum();
    if round > left {
        let share = left as f64 / round as f64;
        for suspect in suspects {
            suspect.visits = ((suspect.visits as f64 * share) as u64).max(1);
        }
    }
}

/// Moves to the position after `number` moves.
fn go(game: &mut dyn RunningGame, steps: &[ReplayedMove], at: &mut usize, number: usize) {
    while *at > number && game.undo() {
        *at -= 1;
    }
    for step in steps.iter().take(number).skip(*at) {
        let _ = game.play(step.code);
        *at += 1;
    }
}

fn store(position: &mut SearchedPosition, suspect: Suspect, players: usize) {
    let Some(found) = suspect.found else {
        return;
    };
    let visits = suspect.visits * found.searches as u64;
    for side in [&suspect.played, &suspect.best] {
        let Some(mean) = side.sample.mean() else {
            continue;
        };
        for candidate in position.with_twins(side.code) {
            candidate.value = mean as f32;
            candidate.proof = side.proof;
            if candidate.mv == side.code {
                candidate.principal_variation.clone_from(&side.line);
            }
            let visits = u32::try_from(visits).unwrap_or(u32::MAX);
            candidate.visits = candidate.visits.max(visits);
        }
    }
    position.iterations +=
        suspect.visits * (suspect.played.searches() + suspect.best.searches()) as u64;
    position.rank_pair(suspect.best.code, suspect.played.code, players);
    // An exact draw may have become the best move instead.
    let compared = [suspect.best.code, suspect.played.code];
    let first = position.candidates.first();
    position.loss = first
        .is_some_and(|c| compared.contains(&c.mv))
        .then_some(found);
}
