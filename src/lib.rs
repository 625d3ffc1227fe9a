//! Tanada: an engine for Tanbo, Mark Steere's game of roots on a Go board.
#![doc = ""]

pub mod bench;
pub mod clock;
pub mod cpu;
pub mod engine;
pub mod eval;
pub mod game;
pub mod grid;
pub mod gtp;
pub mod matches;
pub mod math;
pub mod params;
pub mod random;
pub mod search;
pub mod sgf;
pub mod start;
pub mod stats;
pub mod tanbo;
pub mod train;
pub mod vertex;
