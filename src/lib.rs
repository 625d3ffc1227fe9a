//! Tanada: an engine for Tanbo, Mark Steere's game of roots on a Go board.
#![doc = ""]

pub mod cpu;
pub mod game;
pub mod grid;
pub mod random;
pub mod tanbo;
pub mod vertex;
