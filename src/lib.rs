//! Tanada: an engine for Tanbo, Mark Steere's game of roots on a Go board.
#![doc = ""]

pub mod cpu;
pub mod engine;
pub mod eval;
pub mod game;
pub mod grid;
pub mod math;
pub mod params;
pub mod random;
pub mod search;
pub mod tanbo;
pub mod vertex;
