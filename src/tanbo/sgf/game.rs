//! A game in a record, and the stones that the record sets up in the middle of it.
//!
//! Programs that only know Go leave removed roots on the board, people take them off by hand, and
//! the record gets `AE` there. That is accepted if the points are empty by the rules anyway.

use super::fault::Located;
use crate::board::vertex;
use crate::board::{BoardSize, Point};
use crate::game::{Game, Seat};
use crate::tanbo::{Position, Setup, Start, with_position};
use crate::variant;

/// A game in a record, not checked against the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct SgfGame {
    /// The board: `SZ`, 19x19 without it.
    pub size: BoardSize,
    /// The stones set up before the first move, if any. The side to move is that of `PL` or `TURN`,
    /// else that of the first move, else Black.
    pub setup: Option<Setup>,
    /// The side to move by `PL` or `TURN`, else the side of the first move.
    pub(crate) to_move: Option<Seat>,
    /// The moves of the main line (the first variation at each branch), names, comments.
    pub record: variant::GameRecord<(), Point>,
    pub(super) mid_game_setup: Vec<MidGameSetup>,
    /// The byte offset where the game begins.
    pub(in crate::tanbo) at: usize,
}

/// Points set up between moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MidGameSetup {
    pub(super) after: usize,
    pub(super) area: Rectangle,
    /// The owner of the stone there; `None` for an empty point.
    pub(super) seat: Option<Seat>,
    /// The byte offset in the record.
    pub(super) at: usize,
    pub(super) name: &'static str,
}

/// A rectangle of points: first and last column, first and last row from the top. It is not
/// expanded, because a file may name more points than fit into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rectangle {
    pub(super) columns: (usize, usize),
    pub(super) rows: (usize, usize),
}

impl Rectangle {
    pub(super) fn points(self, size: BoardSize) -> impl Iterator<Item = Point> {
        (self.rows.0..=self.rows.1).flat_map(move |row| {
            let columns = self.columns.0..=self.columns.1;
            columns.filter_map(move |column| vertex::from_sgf(column, row, size))
        })
    }
}

impl SgfGame {
    /// Checks that stones set up between moves are there by the rules, in a game from `start`.
    ///
    /// # Errors
    /// The first disagreement.
    pub(crate) fn check_mid_game_setup(&self, start: &Start) -> Located<()> {
        if self.mid_game_setup.is_empty() {
            return Ok(());
        }
        with_position!(start, |position| replay(self, position))
    }
}

fn replay<const W: usize, const SEATS: usize>(
    record: &SgfGame,
    mut position: Position<W, SEATS>,
) -> Located<()> {
    let wrong = |setup: &MidGameSetup| {
        let name = setup.name;
        let fault =
            format!("`{name}` changes the board between moves: expected the position by the rules");
        Err((setup.at, fault))
    };
    let mut moves = record.record.moves.iter();
    let mut played = 0;
    for setup in &record.mid_game_setup {
        while played < setup.after {
            // Passes at the end were left out.
            let Some(next) = moves.next() else { break };
            let legal = Game::outcome(&position).is_none()
                && Game::to_move(&position) == next.seat
                && Game::is_legal(&position, next.mv);
            if !legal {
                return wrong(setup);
            }
            Game::play(&mut position, next.mv);
            played += 1;
        }
        let mut points = setup.area.points(record.size);
        if points.any(|point| position.stone_at(point) != setup.seat) {
            return wrong(setup);
        }
    }
    Ok(())
}
