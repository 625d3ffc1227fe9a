//! Stones that a record sets up in the middle of a game.
//!
//! Programs that only know Go leave removed roots on the board, people take them off by hand, and
//! the record gets `AE` there. That is accepted if the points are empty by the rules anyway.

use super::fault::Located;
use super::{MidGameSetup, SgfGame};
use crate::game::Game;
use crate::tanbo::{Position, Start, with_position};

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
            format!("`{name}` changes the board between moves, expected the position by the rules");
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
