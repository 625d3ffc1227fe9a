//! Searches every position of a game and judges every move.
//!
//! The forward pass gives each position a full search, with the tree of the search before. The
//! backward pass gives each played move the value of the position after it, which was searched far
//! longer than the move itself was. If the best move turns out worse that way, the other moves
//! get a search of their own, and the loss compares values of similar searches. Moves that may be
//! mistakes are then verified ([`verification`](super::verification)).

use super::data::{
    BestMove, Incomplete, LineMove, MoveReview, PlayerReview, PositionReview, RecordHeader, Review,
    SearchSettings, Summary, Thresholds,
};
use super::mark::{Mark, largest_first, loss, rounded};
use super::replay::{self, Replay, ReplayedMove, ReviewError};
use super::searched::{Candidate, SearchedPosition};
use super::verification::verify_mistakes;
use crate::game::{Outcome, Seat};
use crate::params::Params;
use crate::search::{Report, SearchLimits};
use crate::variant::{GameRecord, MoveCode, RunningGame};

/// The settings of a review.
///
/// ```
/// let settings = tanada::ReviewSettings {
///     params: tanada::Params::default(),
///     limits: &|| tanada::SearchLimits { iterations: Some(100), ..tanada::SearchLimits::default() },
///     best: 3,
///     line: 6,
/// };
/// # let _ = settings;
/// ```
pub struct ReviewSettings<'a> {
    /// The parameters of the search.
    pub params: Params,
    /// The limits of a search that begins now.
    pub limits: &'a dyn Fn() -> SearchLimits,
    /// The number of best moves kept of each position, at least 1.
    pub best: usize,
    /// The number of moves kept of a variation, at least 1.
    pub line: usize,
}

/// The progress of an analysis.
///
/// ```
/// use tanada::ReviewProgress;
///
/// let mut on_progress = |progress| match progress {
///     ReviewProgress::Searched(done, all) => println!("{done} of {all}"),
///     ReviewProgress::Verifying(number) => println!("move {number} again"),
/// };
/// on_progress(ReviewProgress::Searched(1, 20));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewProgress {
    /// The positions searched, and their total.
    Searched(usize, usize),
    /// The move with this number is searched again.
    Verifying(usize),
}

/// Examines a game and reports progress to `on_progress`. `stop` ends it soon, with the moves
/// searched until then ([`Review::incomplete`]).
///
/// With one thread, a seed and iterations as the only limit, the result is reproducible.
///
/// # Errors
/// A move that cannot be played, reported before any search; [`ReviewError::Stopped`].
///
/// ```
/// # let configuration = tanada::Configuration::new(Some(7), None, None)?;
/// # let params = tanada::Params { threads: 1, seed: 1, ..tanada::Params::default() };
/// # let mut engine = tanada::Engine::new(configuration.start().clone(), params);
/// # engine.play_word(engine.to_move(), "C2")?;
/// # let record = engine.game_record().ok_or("no record")?;
/// # let params = tanada::Params { threads: 1, seed: 1, ..tanada::Params::default() };
/// # let limits = || tanada::SearchLimits { iterations: Some(20), ..tanada::SearchLimits::default() };
/// # let settings = tanada::ReviewSettings { params, limits: &limits, best: 1, line: 2 };
/// let review: tanada::Review = tanada::examine(&record, &settings, &mut |_| (), &|| false)?;
/// assert_eq!(review.moves.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn examine(
    record: &GameRecord,
    settings: &ReviewSettings<'_>,
    on_progress: &mut dyn FnMut(ReviewProgress),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Review, ReviewError> {
    examine_from(record, 0, settings, on_progress, stop)
}

/// Judges only the moves after the first `from`, in the same way.
pub fn examine_end(
    record: &GameRecord,
    from: usize,
    settings: &ReviewSettings<'_>,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<MoveReview>, ReviewError> {
    let mut review = examine_from(record, from, settings, &mut |_| (), stop)?;
    Ok(review.moves.split_off(from.min(review.moves.len())))
}

fn examine_from(
    record: &GameRecord,
    from: usize,
    settings: &ReviewSettings<'_>,
    on_progress: &mut dyn FnMut(ReviewProgress),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Review, ReviewError> {
    let mut replay = replay::replay(record)?;
    let players = record.start.players();
    let mut game = record.start.new_game(&settings.params, None);
    let mut searched = Vec::new();
    let count = replay.positions.len();
    for number in 0..count {
        on_progress(ReviewProgress::Searched(number, count));
        let found = if number < from {
            SearchedPosition::unknown(game.to_move())
        } else {
            search(&mut *game, &(settings.limits)(), stop)
        };
        if stop() {
            // The search was cut short.
            break;
        }
        searched.push(found);
        if let Some(step) = replay.steps.get(number) {
            let _ = game.play(step.code);
        }
    }
    if searched.is_empty() {
        return Err(ReviewError::Stopped);
    }
    on_progress(ReviewProgress::Searched(searched.len(), count));
    let first: Vec<u64> = searched.iter().map(|p| p.iterations).collect();
    let mut complete = searched.len() == count;
    if !complete {
        replay.positions.truncate(searched.len());
        replay.steps.truncate(searched.len() - 1);
        // The loop below takes back the others.
        game.undo();
    }
    for (number, step) in replay.steps.iter().enumerate().rev() {
        game.undo();
        if number < from {
            continue;
        }
        let Some([position, next]) = searched.get_mut(number..number + 2) else {
            continue;
        };
        if position.revise(step.code, next, players) {
            on_progress(ReviewProgress::Verifying(number + 1));
            let others = position.others(step.code);
            let limits = SearchLimits {
                root_moves: Some(others.map(MoveCode::number).collect()),
                ..(settings.limits)()
            };
            let others = search(&mut *game, &limits, stop);
            complete &= !stop();
            if complete {
                position.replace_others(step.code, others, players.len());
            }
        }
    }
    let mut verify = |game: &mut dyn RunningGame, iterations: u64| {
        let limits = SearchLimits {
            iterations: Some(iterations),
            ..(settings.limits)()
        };
        let found = search(game, &limits, stop);
        (!stop()).then_some(found)
    };
    // If it is stopped here, the moves that are not verified have no marks.
    complete &= verify_mistakes(
        &mut *game,
        &replay.steps,
        &mut searched,
        &first,
        players,
        &mut verify,
        &mut |number| on_progress(ReviewProgress::Verifying(number)),
    );
    Ok(review(record, settings, replay, &searched, complete))
}

/// Searches the present position of a game.
fn search(
    game: &mut dyn RunningGame,
    limits: &SearchLimits,
    stop: &(dyn Fn() -> bool + Sync),
) -> SearchedPosition {
    let seat = game.to_move();
    if game.outcome().is_some() {
        return SearchedPosition {
            proof: game.outcome(),
            ..SearchedPosition::unknown(seat)
        };
    }
    let mut report: Report<MoveCode> = game.search(limits, stop);
    report
        .moves
        .retain(|found| limits.allows(found.mv.number()));
    SearchedPosition::of(seat, report)
}

fn review(
    record: &GameRecord,
    settings: &ReviewSettings<'_>,
    replay: Replay,
    searched: &[SearchedPosition],
    complete: bool,
) -> Review {
    let variant = record.start.variant();
    let players = record.start.players();
    let place = |seat: Seat| replay::place(players, seat);
    let mut game = replay::new_game(&record.start);
    let mut positions = Vec::new();
    let mut steps = replay.steps.iter();
    for (number, (seen, searched)) in replay.positions.into_iter().zip(searched).enumerate() {
        let values = searched.values(players);
        let played = replay.steps.get(number).map(|step| step.code);
        let extent = (settings.best, settings.line);
        positions.push(PositionReview {
            number,
            to_move: seen.outcome.is_none().then(|| place(seen.seat)),
            values: players.iter().map(|&p| chance(values[p])).collect(),
            exact: searched.proof.is_some(),
            over: seen.outcome.is_some(),
            iterations: searched.iterations,
            rows: seen.rows,
            best: best_moves(&mut *game, searched, extent, played, players),
            spaces: seen.spaces,
            map: seen.map,
        });
        if let Some(step) = steps.next() {
            let _ = game.play(step.code);
        }
    }
    let moves = moves(record, &replay.steps, searched, &place);
    let losses: Vec<(f64, Option<Mark>)> = moves.iter().map(|mv| (mv.loss, mv.mark)).collect();
    let seats = players.iter().enumerate();
    let names = seats.map(|(player, &seat)| PlayerReview {
        colour: variant.colour(seat),
        name: record.players[seat].clone(),
        summary: Summary::of(&moves, player),
    });
    let limits = (settings.limits)();
    Review {
        version: env!("CARGO_PKG_VERSION"),
        game: variant.name(),
        title: variant.title(),
        players: names.collect(),
        header: RecordHeader {
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
            seconds: limits.deadline.and(settings.params.move_limits().seconds),
            threads: settings.params.workers(),
            seed: settings.params.seed,
        },
        incomplete: (!complete).then_some(Incomplete {
            moves: record.moves.len(),
        }),
        thresholds: Thresholds::default(),
        board: replay.board,
        positions,
        mistakes: largest_first(&losses),
        moves,
    }
}

fn moves(
    record: &GameRecord,
    steps: &[ReplayedMove],
    searched: &[SearchedPosition],
    place: &dyn Fn(Seat) -> usize,
) -> Vec<MoveReview> {
    let mut turn = 0;
    let mut last = None;
    let mut list = Vec::new();
    let mut game = replay::new_game(&record.start);
    let played = steps.iter().zip(&record.moves).zip(searched);
    for (number, ((step, recorded), position)) in (1..).zip(played) {
        if last.replace(step.seat) != Some(step.seat) {
            turn += 1;
        }
        let own = position.candidate(step.code);
        let value = own.map_or(0.0, |c| chance(c.value));
        let best = position.candidates.first();
        let best_value = best.map_or(value, |c| chance(c.value));
        let loss = loss(best_value, value);
        list.push(MoveReview {
            number,
            turn,
            player: place(step.seat),
            name: step.name.clone(),
            value,
            proven: own.and_then(|c| proven(c, step.seat)),
            best: best.map_or_else(String::new, |c| game.position().write_moves(&[c.mv])),
            best_value,
            loss,
            mark: Mark::beyond_noise(loss, position.loss),
            loss_interval: position.loss.map(|found| {
                let ends = [found.low, found.high];
                ends.map(|end| rounded(end.clamp(0.0, 1.0)))
            }),
            comment: recorded.comment.clone(),
            change: step.change.clone(),
        });
        let _ = game.play(step.code);
    }
    list
}

/// The best moves of the present position of `game`, the best first: `extent` is the number of
/// moves, and of moves of a variation. `played` is among them in any case.
pub(crate) fn best_moves(
    game: &mut dyn RunningGame,
    searched: &SearchedPosition,
    (most, line): (usize, usize),
    played: Option<MoveCode>,
    players: &[Seat],
) -> Vec<BestMove> {
    let is_listed = |rank: usize, c: &Candidate| {
        rank == 0 || rank < most && c.is_searched() || Some(c.mv) == played
    };
    let ranked = searched.candidates.iter().enumerate();
    let listed = ranked.filter(|(rank, c)| is_listed(*rank, c));
    let place = |seat: Seat| replay::place(players, seat);
    listed
        .map(|(_, c)| best_move(game, c, searched.seat, line, &place))
        .collect()
}

fn best_move(
    game: &mut dyn RunningGame,
    candidate: &Candidate,
    seat: Seat,
    most: usize,
    place: &dyn Fn(Seat) -> usize,
) -> BestMove {
    let mut line = Vec::new();
    for &code in candidate.principal_variation.iter().take(most) {
        if !game.is_legal(code) {
            break;
        }
        let player = place(game.to_move());
        let name = game.position().write_moves(&[code]);
        let change = replay::play(game, code);
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
        name: game.position().write_moves(&[candidate.mv]),
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

pub(crate) fn chance(value: f32) -> f64 {
    rounded(f64::from(value))
}
