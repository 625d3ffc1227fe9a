//! Positions of stones on points, as in Go.

use crate::board::{BoardSize, Point};
use crate::game::Seat;

/// A position of stones on the points of a square board. The code of a move is the number of
/// its point.
///
/// ```
/// # let configuration = tanada::Configuration::new(Some(7), None, None)?;
/// # let mut engine = tanada::Engine::new(configuration.start().clone(), tanada::Params::default());
/// let stones: Option<&dyn tanada::Stones> = engine.stones();
/// assert_eq!(stones.map(|stones| stones.size().side()), Some(7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Stones {
    /// The board.
    fn size(&self) -> BoardSize;
    /// The owner of the stone on a point.
    fn stone_at(&self, point: Point) -> Option<Seat>;
    /// The points that a seat could play if it were its turn; empty in a finished game.
    fn legal(&self, seat: Seat) -> Vec<Point>;
    /// How many groups a seat has on the board.
    fn groups(&self, seat: Seat) -> u32;
    /// The groups on the board, grouped by seat, in the order of play.
    #[doc(hidden)]
    fn all_groups(&self) -> Vec<Group>;
    /// The stones that a move would remove. The new stone is among them if it goes, too. Empty
    /// where the move is illegal.
    fn removed_by(&self, seat: Seat, point: Point) -> Vec<Point>;
    /// An upper bound on the points that a seat can reach with its own moves while no stone is
    /// removed.
    fn playable(&self, seat: Seat) -> Vec<Point>;
}

/// A group of stones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub(crate) seat: Seat,
    /// The stones, in ascending order.
    pub(crate) stones: Vec<Point>,
    /// The points where its owner could extend it.
    pub(crate) space: Vec<Point>,
}
