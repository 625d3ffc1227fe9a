//! Replays a game without any search: checks its moves, and collects its boards and what each move
//! changed on them.

use thiserror::Error;

use super::data::{Board, BoardPiece, Change, SpaceReview};
use crate::game::{Outcome, Seat};
use crate::params::Params;
use crate::util::quote::shorten;
use crate::variant::{GameRecord, Ground, GroupReach, MoveCode, Piece, RunningGame, SharedStart};

/// Why a game cannot be reviewed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReviewError {
    #[error("move {number}: illegal move `{found}`: expected {expected}")]
    Illegal {
        number: usize,
        found: String,
        expected: String,
    },
    #[error("move {number} is by {found}, but it is {expected}'s turn")]
    Seat {
        number: usize,
        found: &'static str,
        expected: &'static str,
    },
    #[error("move {number} comes after the end of the game: expected at most {} moves", .number - 1)]
    AfterEnd { number: usize },
    #[error("the analysis was stopped before the first position was searched")]
    Stopped,
}

/// What a position shows.
pub(crate) struct PositionView {
    /// The side to move; in a finished game the winner, if there is one.
    pub(crate) seat: Seat,
    pub(crate) outcome: Option<Outcome>,
    /// The rows from the top, or the game's own text if it has no board.
    pub(crate) rows: Vec<String>,
    pub(crate) spaces: Vec<SpaceReview>,
    pub(crate) map: Vec<String>,
}

#[derive(Clone)]
pub(crate) struct ReplayedMove {
    pub(crate) seat: Seat,
    pub(crate) code: MoveCode,
    pub(crate) name: String,
    pub(crate) change: Change,
}

pub(super) struct Replay {
    pub(super) positions: Vec<PositionView>,
    pub(super) steps: Vec<ReplayedMove>,
    pub(super) board: Option<Board>,
}

/// The place of a seat among the players.
pub(crate) fn place(players: &[Seat], seat: Seat) -> usize {
    players.iter().position(|&p| p == seat).unwrap_or(0)
}

/// A new game to follow moves on, without a search.
pub(crate) fn new_game(start: &SharedStart) -> Box<dyn RunningGame> {
    let params = Params {
        threads: 1,
        ..Params::default()
    };
    start.new_game(&params, None)
}

pub(super) fn replay(record: &GameRecord) -> Result<Replay, ReviewError> {
    let players = record.start.players();
    let mut board = None;
    let mut positions = Vec::new();
    let mut steps = Vec::new();
    follow(record, &mut |game, step| {
        positions.push(view(game, players));
        match step {
            Some(step) => steps.push(step.clone()),
            None => board = self::board(game, players),
        }
    })?;
    Ok(Replay {
        positions,
        steps,
        board,
    })
}

/// Plays the moves of a record, each of which is checked. `visit` sees the start, and the position after
/// each move with the move.
pub(crate) fn follow(
    record: &GameRecord,
    visit: &mut dyn FnMut(&dyn RunningGame, Option<&ReplayedMove>),
) -> Result<Box<dyn RunningGame>, ReviewError> {
    let variant = record.start.variant();
    let mut game = new_game(&record.start);
    visit(&*game, None);
    for (index, played) in record.moves.iter().enumerate() {
        let number = index + 1;
        let seat = game.to_move();
        if game.outcome().is_some() {
            return Err(ReviewError::AfterEnd { number });
        }
        if played.seat != seat {
            return Err(ReviewError::Seat {
                number,
                found: variant.colour(played.seat),
                expected: variant.colour(seat),
            });
        }
        if !game.is_legal(played.mv) {
            return Err(ReviewError::Illegal {
                number,
                found: shorten(&game.position().write_moves(&[played.mv]), 60),
                expected: game.position().expected_move(),
            });
        }
        let name = game.position().write_moves(&[played.mv]);
        let change = play(&mut *game, played.mv);
        let step = ReplayedMove {
            seat,
            code: played.mv,
            name,
            change,
        };
        visit(&*game, Some(&step));
    }
    Ok(game)
}

/// Plays a legal move and returns what it changed.
pub(crate) fn play(game: &mut dyn RunningGame, code: MoveCode) -> Change {
    let seats = |game: &dyn RunningGame| -> Vec<Option<Seat>> {
        let drawn = game.position().board_view();
        drawn.map_or_else(Vec::new, |drawn| {
            let cells = 0..drawn.side() * drawn.side();
            let seat = |cell| drawn.piece_on(cell).map(|piece| piece.seat);
            cells.map(seat).collect()
        })
    };
    let seat = game.to_move();
    let ends = game.position().board_view().map(|drawn| drawn.ends(code));
    let before = seats(game);
    // Callers checked that it is legal.
    let _ = game.play(code);
    let after = seats(game);
    let Some((from, to)) = ends else {
        return Change::default();
    };
    let went = |cell: usize| {
        let (old, new) = (before.get(cell).copied(), after.get(cell).copied());
        if cell == to {
            // A capture, or a stone that was removed with its own group.
            old.flatten().is_some() || new.flatten() != Some(seat)
        } else {
            Some(cell) != from && old.flatten().is_some() && old != new
        }
    };
    Change {
        from,
        to: Some(to),
        removed: (0..before.len()).filter(|&cell| went(cell)).collect(),
    }
}

/// The board of a game, if it can be drawn, with all pieces of the players.
pub(crate) fn board(game: &dyn RunningGame, players: &[Seat]) -> Option<Board> {
    let drawn = game.position().board_view()?;
    let (columns, rows) = drawn.labels();
    let own = |piece: &Piece| players.contains(&piece.seat);
    let pieces = drawn.pieces().into_iter().filter(own);
    let pieces = pieces.map(|piece| BoardPiece {
        symbol: piece.symbol,
        player: place(players, piece.seat),
        name: piece.name,
    });
    let mut pieces: Vec<BoardPiece> = pieces.collect();
    pieces.sort_by_key(|piece| (piece.player, piece.symbol));
    Some(Board {
        side: drawn.side(),
        ground: match drawn.ground() {
            Ground::Points => "points",
            Ground::Squares => "squares",
        },
        columns,
        rows,
        pieces,
    })
}

/// What the present position of a game shows.
pub(crate) fn view(game: &dyn RunningGame, players: &[Seat]) -> PositionView {
    let mut view = PositionView {
        seat: game.to_move(),
        outcome: game.outcome(),
        rows: Vec::new(),
        spaces: Vec::new(),
        map: Vec::new(),
    };
    let Some(drawn) = game.position().board_view() else {
        view.rows = game.position().show().lines().map(str::to_string).collect();
        return view;
    };
    let side = drawn.side();
    let symbol = |cell: usize| drawn.piece_on(cell).map_or('.', |piece| piece.symbol);
    let row = |row: usize| (row * side..(row + 1) * side).map(symbol).collect();
    view.rows = (0..side).map(row).collect();
    let spaces = drawn.spaces();
    if spaces.is_empty() {
        return view;
    }
    let reach = Reach::new(&spaces, side * side, players);
    let sign = |cell: usize| match drawn.piece_on(cell) {
        Some(_) => ' ',
        None => reach.sign(cell),
    };
    let row = |row: usize| (row * side..(row + 1) * side).map(sign).collect();
    view.map = (0..side).map(row).collect();
    let is_own = |cell: &&usize| reach.groups(**cell) == 1;
    let review = |space: &GroupReach| SpaceReview {
        player: place(players, space.seat),
        cell: space.stones.first().copied().unwrap_or(0),
        stones: space.stones.len(),
        now: space.now.clone(),
        reach: space.reach.len(),
        own: space.reach.iter().filter(is_own).count(),
    };
    view.spaces = spaces.iter().map(review).collect();
    view
}

/// For each cell, how many groups can reach it, and their player if all have the same.
struct Reach(Vec<(usize, Option<usize>)>);

impl Reach {
    fn new(spaces: &[GroupReach], cells: usize, players: &[Seat]) -> Self {
        let mut counts = vec![(0, None); cells];
        for space in spaces {
            let seat = place(players, space.seat);
            for &cell in &space.reach {
                if let Some((count, owner)) = counts.get_mut(cell) {
                    *owner = (*count == 0 || *owner == Some(seat)).then_some(seat);
                    *count += 1;
                }
            }
        }
        Self(counts)
    }

    fn groups(&self, cell: usize) -> usize {
        self.0.get(cell).map_or(0, |&(count, _)| count)
    }

    /// `-` if nobody can reach the cell, the digit of a player with one group that can, the letter
    /// (`a` for 0) of a player with several, `*` for several players.
    fn sign(&self, cell: usize) -> char {
        let letter = |seat: usize, first: u8| char::from(first + (seat & 3) as u8);
        match self.0.get(cell) {
            None | Some((0, _)) => '-',
            Some((1, Some(seat))) => letter(*seat, b'0'),
            Some((_, Some(seat))) => letter(*seat, b'a'),
            Some((_, None)) => '*',
        }
    }
}
