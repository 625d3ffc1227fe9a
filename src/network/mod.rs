//! A small residual network over the points of a board, in whole numbers.
//!
//! It is told sixteen facts of each point as bits and some numbers of the whole position, and
//! answers with the chance of the side to move and a weight for each move. Nothing here names a
//! game. The same weights serve every board.

mod model;

pub use model::{Answer, Model, Scratch};
