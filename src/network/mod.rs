//! A small residual convolutional network in int8 arithmetic, for boards of any size.
//!
//! Its inputs are 16 binary planes and some global features of the position. Its outputs are the
//! logit of the winning chance of the side to move and a policy logit for each move. Nothing here
//! names a game.

mod model;

pub use model::{Model, Scratch};
