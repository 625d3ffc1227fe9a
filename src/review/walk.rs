//! The boards of a game, from its start to its end, without any search.

use super::data::{Board, BoardPiece, Cells, Change, SpaceReview};
use super::examine::ReviewError;
use crate::game::{Outcome, Seat};
use crate::params::Params;
use crate::util::quote::shorten;
use crate::variant::{BoardView, GameRecord, Ground, MoveCode, RunningGame};

/// A position of the game as it looks.
pub(super) struct Seen {
    /// Whose turn it is; in a finished game the winner, if there is one.
    pub(super) seat: Seat,
    pub(super) outcome: Option<Outcome>,
    /// The rows from the top, or the game's own text where nothing can be drawn.
    pub(super) rows: Vec<String>,
    pub(super) spaces: Vec<SpaceReview>,
    pub(super) map: Vec<String>,
}

/// A move of the game as it looks.
pub(super) struct Step {
    pub(super) seat: Seat,
    pub(super) code: MoveCode,
    pub(super) name: String,
    pub(super) change: Change,
}

/// The whole game.
pub(super) struct Walk {
    pub(super) positions: Vec<Seen>,
    pub(super) steps: Vec<Step>,
    pub(super) board: Option<Board>,
}

/// The place of a seat among the players.
pub(super) fn place(players: &[Seat], seat: Seat) -> usize {
    players.iter().position(|&p| p == seat).unwrap_or(0)
}

/// The game of a record at its start, to follow its moves rather than to search.
pub(super) fn replay(record: &GameRecord) -> Box<dyn RunningGame> {
    record.start.new_game(&Params::default(), None)
}

/// Follows the moves of a game.
pub(super) fn walk(record: &GameRecord) -> Result<Walk, ReviewError> {
    let variant = record.start.variant();
    let mut game = replay(record);
    let mut board = game.board_view().map(board);
    let players = record.start.players();
    let mut positions = vec![seen(&*game, &mut board, players)];
    let mut steps = Vec::new();
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
                found: shorten(&game.notation().write_moves(&[played.mv]), 60),
                expected: game.notation().expected_move(),
            });
        }
        let name = game.notation().write_moves(&[played.mv]);
        let change = play(&mut *game, played.mv);
        steps.push(Step {
            seat,
            code: played.mv,
            name,
            change,
        });
        positions.push(seen(&*game, &mut board, players));
    }
    Ok(Walk {
        positions,
        steps,
        board,
    })
}

/// Plays a legal move and tells what it changed.
pub(super) fn play(game: &mut dyn RunningGame, code: MoveCode) -> Change {
    let seats = |game: &dyn RunningGame| -> Vec<Option<Seat>> {
        let drawn = game.board_view();
        drawn.map_or_else(Vec::new, |drawn| {
            let cells = 0..drawn.side() * drawn.side();
            let seat = |cell| drawn.piece_on(cell).map(|piece| piece.seat);
            cells.map(seat).collect()
        })
    };
    let seat = game.to_move();
    let ends = game.board_view().map(|drawn| drawn.ends(code));
    let before = seats(game);
    // Whoever calls has asked whether it is legal.
    let _ = game.play(code);
    let after = seats(game);
    let Some((from, to)) = ends else {
        return Change::default();
    };
    let went = |cell: usize| {
        let (old, new) = (before.get(cell).copied(), after.get(cell).copied());
        match cell == to {
            // A capture, or a stone that went off with its own group.
            true => old.flatten().is_some() || new.flatten() != Some(seat),
            false => Some(cell) != from && old.flatten().is_some() && old != new,
        }
    };
    Change {
        from,
        to: Some(to),
        removed: (0..before.len()).filter(|&cell| went(cell)).collect(),
    }
}

fn board(drawn: &dyn BoardView) -> Board {
    let (columns, rows) = drawn.labels();
    Board {
        side: drawn.side(),
        ground: match drawn.ground() {
            Ground::Points => "points",
            Ground::Squares => "squares",
        },
        columns,
        rows,
        pieces: Vec::new(),
    }
}

fn seen(game: &dyn RunningGame, board: &mut Option<Board>, players: &[Seat]) -> Seen {
    let mut seen = Seen {
        seat: game.to_move(),
        outcome: game.outcome(),
        rows: Vec::new(),
        spaces: Vec::new(),
        map: Vec::new(),
    };
    let (Some(board), Some(drawn)) = (board, game.board_view()) else {
        seen.rows = game.notation().show().lines().map(str::to_string).collect();
        return seen;
    };
    let side = drawn.side();
    for row in 0..side {
        let symbol = |column: usize| match drawn.piece_on(row * side + column) {
            None => '.',
            Some(piece) => {
                if board.pieces.iter().all(|p| p.symbol != piece.symbol) {
                    board.pieces.push(BoardPiece {
                        symbol: piece.symbol,
                        player: place(players, piece.seat),
                        name: piece.name,
                    });
                }
                piece.symbol
            }
        };
        seen.rows.push((0..side).map(symbol).collect());
    }
    board
        .pieces
        .sort_by_key(|piece| (piece.player, piece.symbol));
    let spaces = drawn.spaces();
    if spaces.is_empty() {
        return seen;
    }
    let cells = Cells::count(&spaces, side * side, players);
    let map: Vec<char> = (0..side * side)
        .map(|cell| match drawn.piece_on(cell) {
            Some(_) => ' ',
            None => cells.sign(cell),
        })
        .collect();
    seen.map = map
        .chunks(side.max(1))
        .map(|r| r.iter().collect())
        .collect();
    seen.spaces = spaces
        .iter()
        .map(|space| SpaceReview {
            player: place(players, space.seat),
            cell: space.stones.first().copied().unwrap_or(0),
            stones: space.stones.len(),
            now: space.now.clone(),
            reach: space.reach.len(),
            own: space.reach.iter().filter(|&&c| cells.roots(c) == 1).count(),
        })
        .collect();
    seen
}
