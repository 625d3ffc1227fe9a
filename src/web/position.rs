//! Positions as the page shows them.

use serde::Serialize;

use super::error::ApiError;
use super::line::Line;
use crate::game::{Outcome, Seat};
use crate::review::{self, Board, LineMove, PositionView, ReplayedMove, SpaceReview};
use crate::variant::{GameRecord, MoveCode, RunningGame};

/// The answer to `position`.
#[derive(Serialize)]
pub(super) struct Position {
    line: Line,
    text: String,
    board: Option<Board>,
    players: Vec<&'static str>,
    #[serde(flatten)]
    state: State,
}

/// The answer to `replay`.
#[derive(Serialize)]
pub(super) struct Replay {
    line: Line,
    board: Option<Board>,
    players: Vec<&'static str>,
    positions: Vec<State>,
}

/// What a position shows. A player is an index into the players.
#[derive(Serialize)]
struct State {
    number: usize,
    to_move: Option<usize>,
    over: bool,
    winner: Option<usize>,
    rows: Vec<String>,
    legal: Vec<LegalMove>,
    spaces: Vec<SpaceReview>,
    map: Vec<String>,
    change: Option<LineMove>,
    turn: Option<String>,
}

#[derive(Serialize)]
struct LegalMove {
    #[serde(rename = "move")]
    name: String,
    from: Option<usize>,
    to: Option<usize>,
}

impl State {
    fn new(
        number: usize,
        game: &dyn RunningGame,
        step: Option<&ReplayedMove>,
        players: &[Seat],
    ) -> Self {
        let PositionView {
            seat,
            outcome,
            rows,
            spaces,
            map,
        } = review::view(game, players);
        let winner = match outcome {
            Some(Outcome::Winner(seat)) => Some(review::place(players, seat)),
            _ => None,
        };
        let is_over = outcome.is_some();
        let legal = game.legal().into_iter().map(|code| legal_move(game, code));
        Self {
            number,
            to_move: (!is_over).then(|| review::place(players, seat)),
            over: is_over,
            winner,
            rows,
            legal: legal.collect(),
            spaces,
            map,
            change: step.map(|step| line_move(step, players)),
            turn: game.position().turn_in_words().filter(|_| !is_over),
        }
    }
}

fn legal_move(game: &dyn RunningGame, code: MoveCode) -> LegalMove {
    let ends = game.position().board_view().map(|drawn| drawn.ends(code));
    LegalMove {
        name: game.position().write_moves(&[code]),
        from: ends.and_then(|(from, _)| from),
        to: ends.map(|(_, to)| to),
    }
}

fn line_move(step: &ReplayedMove, players: &[Seat]) -> LineMove {
    LineMove {
        name: step.name.clone(),
        player: review::place(players, step.seat),
        change: step.change.clone(),
    }
}

fn colours(record: &GameRecord) -> Vec<&'static str> {
    let variant = record.start.variant();
    let players = record.start.players().iter();
    players.map(|&seat| variant.colour(seat)).collect()
}

/// The position at the end of a line.
pub(super) fn position(line: &Line) -> Result<Position, ApiError> {
    let record = line.read()?;
    let players = record.start.players();
    let mut names = Vec::new();
    let mut last = None;
    let game = review::follow(&record, &mut |_, step| {
        names.extend(step.map(|step| step.name.clone()));
        last = step.cloned();
    });
    let game = game.map_err(ApiError::content)?;
    Ok(Position {
        text: game.position().position_text(),
        board: review::board(&*game, players),
        players: colours(&record),
        state: State::new(names.len(), &*game, last.as_ref(), players),
        line: Line::of(&record, names),
    })
}

/// All positions of a line.
pub(super) fn replay(line: &Line) -> Result<Replay, ApiError> {
    let record = line.read()?;
    let players = record.start.players();
    let mut names = Vec::new();
    let mut positions = Vec::new();
    let game = review::follow(&record, &mut |game, step| {
        names.extend(step.map(|step| step.name.clone()));
        positions.push(State::new(names.len(), game, step, players));
    });
    let game = game.map_err(ApiError::content)?;
    Ok(Replay {
        board: review::board(&*game, players),
        players: colours(&record),
        line: Line::of(&record, names),
        positions,
    })
}
