//! Endings of Tanbo: suites of late positions that can be solved, made by self-play, kept as
//! lines of text, and what a solver and the engine make of them.
//!
//! | file | what it does |
//! |---|---|
//! | `line` | a position in one line of text, and files of them |
//! | `space` | the playable points of a position |
//! | `collect` | positions with a given number of playable points, from games of the engine |
//! | `solve` | the exact solver on them |
//! | `check` | a suite solved: results, time, nodes; what the engine keeps of it |

mod check;
mod collect;
mod line;
mod solve;
mod space;

pub use check::{Checked, Kept, Spread, check, keep};
pub use collect::{CollectError, MOST_ROOTS, Wanted};
pub use line::{Ending, EndingError, read, read_file};
pub use solve::solver;
pub use space::playable_points;

use crate::game::Seat;
use crate::tanbo::Start;

/// What a solver says of a position of two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solved {
    /// Who wins if both play well.
    pub winner: Seat,
    /// The positions it looked at.
    pub nodes: u64,
}

/// Solves a position; none where it is given up.
pub type Solve<'a> = dyn Fn(&Start) -> Option<Solved> + Sync + 'a;
