//! A move as a number, for code that does not know the game.

use crate::board::Point;
use crate::game::Game;

/// A move as the number that its game gives it ([`Game::code`]).
///
/// ```
/// # let configuration = tanada::Configuration::new(Some(7), None, None)?;
/// # let mut engine = tanada::Engine::new(configuration.start().clone(), tanada::Params::default());
/// let code: tanada::MoveCode = engine.legal()[0];
/// println!("{}", engine.name(code));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MoveCode(u16);

impl MoveCode {
    /// The move with this number.
    pub fn new(number: u16) -> Self {
        Self(number)
    }

    /// The code of a game's move.
    pub(super) fn of<G: Game>(mv: G::Move) -> Self {
        Self(G::code(mv))
    }

    /// The number.
    pub fn number(self) -> u16 {
        self.0
    }

    /// The point of the move, in a game whose moves are points.
    pub fn point(self) -> Point {
        Point::from_number(self.0)
    }
}

impl From<Point> for MoveCode {
    fn from(point: Point) -> Self {
        Self(point.number())
    }
}
