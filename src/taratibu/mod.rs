//! Taratibu, Glenn Overby's progressive chess variant (2005), for two players.
//!
//! Each side has ten pieces on a 7x7 board. Every piece belongs to two of five orders and moves as
//! its orders do. White makes one step, Black two, White three, and so on until Black's ten, which
//! end the game. A piece that captures is *spent*: it may not step again in that turn. Whoever has
//! captured the enemy Man and all enemy pieces of the aquatic, quadruped or winged order wins at
//! once. If nobody has done so after ten turns, the game is drawn.

mod board_view;
mod capabilities;
mod capture;
mod cases;
mod certain;
mod editor;
mod exact;
mod features;
mod linear;
mod network;
pub mod notation;
mod piece;
mod player;
mod playout;
mod position;
mod square;
mod text;
pub mod turn;
mod variant;
mod weights;

pub(crate) use position::LAST_TURN;
pub use position::{Position, Step};
pub use variant::Taratibu;
