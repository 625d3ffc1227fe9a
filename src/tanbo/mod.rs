//! Tanbo, Mark Steere's game of roots (1993), for two to four players.
//!
//! Players put one stone of theirs in turn on an empty point that touches
//! exactly one own stone. A *root* is a maximal connected group of one colour;
//! by the rule for moves it is a tree and never meets another root of its colour.
//! The *root space* of a root is the set of points where its owner could extend
//! it; a root without any is *bounded*. If a move bounds the root that it
//! extended, that root alone is taken off; otherwise every other bounded root
//! is. Whoever has no stones is out, and the last one with stones wins.

pub mod colour;
pub mod diagram;
pub mod position;
pub mod setup;

pub use position::Position;
pub use setup::{Named, Setup, Start};
