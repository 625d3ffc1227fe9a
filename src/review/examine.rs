//! The search of each position of a game.
//!
//! Forwards each position gets a full search, on top of what the search of the one before knows
//! of it. Backwards each move that was played takes the value of the position after it, which
//! was looked at far longer than the move among others. Where that shows that the
//! move thought best was not so good, the other moves get a search of their own, so that the loss
//! compares like with like.

use std::sync::Arc;

use thiserror::Error;

use super::data::{
    BestMove, Head, Incomplete, LineMove, MoveReview, Player, PositionReview, Review,
    SearchSettings, Summary, Thresholds,
};
use super::second_look::second_look;
use super::settle::{After, Candidate, Judged, Mark, largest_first, loss, rounded};
use super::walk::{self, Step, Walk};
use crate::game::{Outcome, Seat};
use crate::params::Params;
use crate::search::{Report, SearchLimits};
use crate::variant::{GameRecord, MoveCode, RunningGame};

/// How long and how widely is looked.
pub struct Effort<'a> {
    /// The settings of the search.
    pub params: Params,
    /// The limits of a search that begins now.
    pub limits: &'a dyn Fn() -> SearchLimits,
    /// How many of the best moves are kept of each position, at least 1.
    pub best: usize,
    /// How many moves of a variation are kept, at least 1.
    pub line: usize,
}

/// How far a review is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// So many positions are searched, of so many.
    Searched(usize, usize),
    /// The moves other than this one, by its number, get a second look.
    Again(usize),
}

/// Why a game cannot be examined.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReviewError {
    /// A move that the rules do not allow.
    #[error("move {number}: `{found}` is illegal, expected {expected}")]
    Illegal {
        /// The number of the move.
        number: usize,
        /// The move.
        found: String,
        /// What would be legal.
        expected: String,
    },
    /// A move by somebody whose turn it is not.
    #[error("move {number} is made by {found}, expected one by {expected}, whose turn it is")]
    Seat {
        /// The number of the move.
        number: usize,
        /// Who made it.
        found: &'static str,
        /// Whose turn it was.
        expected: &'static str,
    },
    /// A move after the end of the game.
    #[error("move {number} comes after the end of the game, expected no more than {} moves", .number - 1)]
    AfterEnd {
        /// The number of the move.
        number: usize,
    },
    /// It was stopped before the first position was searched.
    #[error("the analysis was stopped before the first position was searched")]
    Stopped,
}

/// Examines a game. `watch` hears how far it is; `stop` ends it soon, with the moves that were judged
/// until then ([`Review::incomplete`]).
///
/// With one thread, a seed and iterations as the only limit the result is the same each time.
///
/// # Errors
/// A move that cannot be played, told before anything is searched; [`ReviewError::Stopped`].
pub fn examine(
    record: &GameRecord,
    effort: &Effort<'_>,
    watch: &mut dyn FnMut(Progress),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Review, ReviewError> {
    examine_from(record, 0, effort, watch, stop)
}

/// The same judgement of the last moves of a game only: those after the first `from`.
///
/// # Errors
/// Those of [`examine`].
pub fn examine_end(
    record: &GameRecord,
    from: usize,
    effort: &Effort<'_>,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<MoveReview>, ReviewError> {
    let mut review = examine_from(record, from, effort, &mut |_| (), stop)?;
    Ok(review.moves.split_off(from.min(review.moves.len())))
}

fn examine_from(
    record: &GameRecord,
    from: usize,
    effort: &Effort<'_>,
    watch: &mut dyn FnMut(Progress),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Review, ReviewError> {
    let mut walk = walk::walk(record)?;
    let players = record.start.players();
    let mut game = record.start.new_game(&effort.params, None);
    let mut judged = Vec::new();
    let count = walk.positions.len();
    for number in 0..count {
        watch(Progress::Searched(number, count));
        let found = if number < from {
            Judged::unknown(game.to_move())
        } else {
            judge(&mut *game, &(effort.limits)(), stop)
        };
        if stop() {
            // A search that was cut short judges nothing.
            break;
        }
        judged.push(found);
        if let Some(step) = walk.steps.get(number) {
            // The walk went this way.
            let _ = game.play(step.code);
        }
    }
    if judged.is_empty() {
        return Err(ReviewError::Stopped);
    }
    watch(Progress::Searched(judged.len(), count));
    let first: Vec<u64> = judged.iter().map(|position| position.iterations).collect();
    let mut complete = judged.len() == count;
    if !complete {
        walk.positions.truncate(judged.len());
        walk.steps.truncate(judged.len() - 1);
        // Each step is taken back below.
        game.undo();
    }
    for (number, step) in walk.steps.iter().enumerate().rev() {
        game.undo();
        if number < from {
            continue;
        }
        let Some([position, next]) = judged.get_mut(number..number + 2) else {
            continue;
        };
        let after = After::of(next, step.seat, players);
        if position.learn(step.code, after, players.len()) {
            watch(Progress::Again(number + 1));
            let open = |c: &&Candidate| c.code != step.code;
            let others = position.candidates.iter().filter(open);
            let codes: Arc<[u16]> = others.map(|c| c.code.number()).collect();
            let limits = SearchLimits {
                root_moves: Some(codes),
                ..(effort.limits)()
            };
            let others = judge(&mut *game, &limits, stop);
            complete &= !stop();
            if complete {
                position.compare(step.code, others, players.len());
            }
        }
    }
    let mut search = |game: &mut dyn RunningGame, iterations: u64| {
        let limits = SearchLimits {
            iterations: Some(iterations),
            ..(effort.limits)()
        };
        let found = judge(game, &limits, stop);
        (!stop()).then_some(found)
    };
    // Stopped here, the moves that are not settled have no marks.
    complete &= second_look(
        &mut *game,
        &walk.steps,
        &mut judged,
        &first,
        players,
        &mut search,
        &mut |number| watch(Progress::Again(number)),
    );
    Ok(review(record, effort, walk, &judged, complete))
}

/// Searches the current position of a game.
fn judge(
    game: &mut dyn RunningGame,
    limits: &SearchLimits,
    stop: &(dyn Fn() -> bool + Sync),
) -> Judged {
    let seat = game.to_move();
    if game.outcome().is_some() {
        return Judged {
            proof: game.outcome(),
            ..Judged::unknown(seat)
        };
    }
    let report: Report<MoveCode> = game.search(limits, stop);
    let candidates = report.moves.into_iter().map(|found| Candidate {
        code: found.mv,
        value: found.value,
        visits: found.visits,
        prior: found.prior,
        initial_value: found.initial_value,
        proof: found.proof,
        line: found.principal_variation,
    });
    Judged {
        seat,
        candidates: candidates
            .filter(|c| limits.allows(c.code.number()))
            .collect(),
        proof: report.proof,
        means: report.values,
        iterations: report.iterations,
        loss: None,
    }
}

/// Puts the result together.
fn review(
    record: &GameRecord,
    effort: &Effort<'_>,
    walk: Walk,
    judged: &[Judged],
    complete: bool,
) -> Review {
    let variant = record.start.variant();
    let players = record.start.players();
    let place = |seat: Seat| walk::place(players, seat);
    let mut game = walk::replay(record);
    let mut positions = Vec::new();
    let mut steps = walk.steps.iter();
    for (number, (seen, judged)) in walk.positions.into_iter().zip(judged).enumerate() {
        let values = judged.values(players);
        let played = walk.steps.get(number).map(|step| step.code);
        let listed = judged.candidates.iter().enumerate();
        let is_listed = |rank: usize, c: &Candidate| rank < effort.best && c.is_searched();
        let best =
            listed.filter(|(rank, c)| *rank == 0 || is_listed(*rank, c) || Some(c.code) == played);
        positions.push(PositionReview {
            number,
            to_move: seen.outcome.is_none().then(|| place(seen.seat)),
            values: players.iter().map(|&p| chance(values[p])).collect(),
            exact: judged.proof.is_some(),
            over: seen.outcome.is_some(),
            iterations: judged.iterations,
            rows: seen.rows,
            best: best
                .map(|(_, c)| best_move(&mut *game, c, seen.seat, effort.line, &place))
                .collect(),
            spaces: seen.spaces,
            map: seen.map,
        });
        if let Some(step) = steps.next() {
            let _ = game.play(step.code);
        }
    }
    let moves = moves(record, &walk.steps, judged, &place);
    let losses: Vec<(f64, Option<Mark>)> = moves.iter().map(|mv| (mv.loss, mv.mark)).collect();
    let names = players.iter().enumerate().map(|(player, &seat)| Player {
        colour: variant.colour(seat),
        name: record.players[seat].clone(),
        summary: Summary::of(&moves, player),
    });
    let limits = (effort.limits)();
    Review {
        version: env!("CARGO_PKG_VERSION"),
        game: variant.name(),
        title: variant.title(),
        players: names.collect(),
        head: Head {
            name: record.name.clone(),
            event: record.event.clone(),
            round: record.round.clone(),
            date: record.date.clone(),
            place: record.place.clone(),
            result: record.result.clone(),
            comment: record.comment.clone(),
        },
        search: SearchSettings {
            iterations: limits.iterations,
            seconds: limits.deadline.map(|_| effort.params.time_per_move),
            threads: effort.params.workers(),
            seed: effort.params.seed,
        },
        incomplete: (!complete).then_some(Incomplete {
            moves: record.moves.len(),
        }),
        thresholds: Thresholds::default(),
        board: walk.board,
        positions,
        mistakes: largest_first(&losses),
        moves,
    }
}

fn moves(
    record: &GameRecord,
    steps: &[Step],
    judged: &[Judged],
    place: &dyn Fn(Seat) -> usize,
) -> Vec<MoveReview> {
    let mut turn = 0;
    let mut last = None;
    let mut list = Vec::new();
    let mut game = walk::replay(record);
    for (index, (step, position)) in steps.iter().zip(judged).enumerate() {
        if last.replace(step.seat) != Some(step.seat) {
            turn += 1;
        }
        let own = position.candidate(step.code);
        let value = own.map_or(0.0, |c| chance(c.value));
        let best = position.candidates.first();
        let best_value = best.map_or(value, |c| chance(c.value));
        let loss = loss(best_value, value);
        list.push(MoveReview {
            number: index + 1,
            turn,
            player: place(step.seat),
            name: step.name.clone(),
            value,
            proven: own.and_then(|c| proven(c, step.seat)),
            best: best.map_or_else(String::new, |c| game.notation().write_moves(&[c.code])),
            best_value,
            loss,
            mark: Mark::beyond_noise(loss, position.loss),
            loss_interval: position.loss.map(|found| {
                [
                    rounded(found.low.clamp(0.0, 1.0)),
                    rounded(found.high.clamp(0.0, 1.0)),
                ]
            }),
            comment: record
                .moves
                .get(index)
                .and_then(|played| played.comment.clone()),
            change: step.change.clone(),
        });
        let _ = game.play(step.code);
    }
    list
}

fn best_move(
    game: &mut dyn RunningGame,
    candidate: &Candidate,
    seat: Seat,
    most: usize,
    place: &dyn Fn(Seat) -> usize,
) -> BestMove {
    let mut line = Vec::new();
    for &code in candidate.line.iter().take(most) {
        if !game.is_legal(code) {
            break;
        }
        let player = place(game.to_move());
        let name = game.notation().write_moves(&[code]);
        let change = walk::play(game, code);
        line.push(LineMove {
            name,
            player,
            change,
        });
    }
    for _ in &line {
        game.undo();
    }
    BestMove {
        name: game.notation().write_moves(&[candidate.code]),
        value: chance(candidate.value),
        visits: candidate.visits,
        prior: candidate.prior.map(chance),
        initial_value: candidate.initial_value.map(chance),
        proven: proven(candidate, seat),
        line,
    }
}

fn proven(candidate: &Candidate, seat: Seat) -> Option<&'static str> {
    candidate.proof.map(|outcome| match outcome {
        Outcome::Winner(winner) if winner == seat => "win",
        Outcome::Winner(_) => "loss",
        Outcome::Draw => "draw",
    })
}

fn chance(value: f32) -> f64 {
    rounded(f64::from(value))
}
