//! Evaluation that serves every game: random playouts.

pub mod playout;
