//! Evaluation for every game: random playouts.

pub mod playout;
