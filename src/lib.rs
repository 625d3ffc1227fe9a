//! Tanada plays Tanbo, the game of roots on a Go board that Mark Steere invented
//! in 1993, and Taratibu, Glenn Overby II's progressive game (2005): one parallel Monte-Carlo
//! search that names no game, behind a GTP-like line protocol.
//!
//! This page lists what you need to use Tanada as a library: a game ([`Engine`]), its search
//! ([`SearchLimits`], [`Report`]), exact results ([`ExactSolver`]), matches ([`MatchRunner`]), reviews
//! ([`examine()`]) and the protocol ([`GtpSession`]). Each item has an example; the folder `examples`
//! has four short programs. [`errors`] lists what can go wrong. The modules behind it are not a
//! stable interface.
//!
//! ```
//! use tanada::{Configuration, Engine, Params, SearchLimits};
//!
//! let configuration = Configuration::new(Some(9), None, None)?;
//! let params = Params { threads: 1, seed: 1, ..Params::default() };
//! let mut engine = Engine::new(configuration.start().clone(), params);
//! engine.play_word(engine.to_move(), "C2")?;
//! let limits = SearchLimits::of_iterations(100);
//! let report = engine.search(&limits, &|| false);
//! let best = report.best().ok_or("a running game has moves")?;
//! println!("{} {:.2}", engine.name(best.mv), best.value);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The map of the source
//! Lowest first: a module uses only those above it in this table. No two files of a module depend on each other in a cycle.
//!
//! | layer | module | what it does | begin with |
//! |---|---|---|---|
//! | base | `util` | arithmetic, randomness, text, files, threads, the system, Wilson's interval | `src/util/mod.rs` |
//! | | `cpu` | newer instructions where the machine has them; the only `unsafe` | `src/cpu/mod.rs` |
//! | | `board` | board sizes, points and their names, sets of points | `src/board/set.rs` |
//! | | `clock` | time controls, clocks, how long to think | `src/clock/mod.rs` |
//! | thinking | `game` | what a game and an evaluator offer to the search; perft | `src/game.rs` |
//! | | `params` | the table of parameters | `src/params/table.rs` |
//! | | `eval` | random playouts, for any game | `src/eval/playout.rs` |
//! | | `network` | a small residual network over the points of a board, and a perceptron | `src/network/model.rs` |
//! | | `search` | the Monte-Carlo search, for any game | `src/search/iteration.rs` |
//! | | `solver` | who wins with best play, for any game of two sides | `src/solver/worker.rs` |
//! | games | `variant` | what a game offers to be played by name | `src/variant/definition.rs` |
//! | | `tanbo` | Tanbo: position, records, evaluation, solver, certificates | `src/tanbo/position/mod.rs` |
//! | | `taratibu` | Taratibu: position, turns, evaluation, solver | `src/taratibu/position/mod.rs` |
//! | | `games` | the table of games | `src/games.rs` |
//! | | `engine` | a running game of any kind with its search | `src/engine.rs` |
//! | | `start` | the configured start position | `src/start/mod.rs` |
//! | protocols | `gtp` | the Go Text Protocol | `src/gtp/registry.rs` |
//! | | `analysis` | queries and answers as lines of JSON | `src/analysis/serve.rs` |
//! | laboratory | `lab` | matches, statistics, tuning, training, endings, accuracy, bench | `src/lab/matches/runner.rs` |
//! | | `review` | a game examined move by move; its page | `src/review/examine.rs` |
//! | servers | `http` | what the servers share | `src/http.rs` |
//! | | `web` | the board in the browser: its server and its page | `src/web/server.rs` |
//! | | `abstract_play` | a player for the server Abstract Play | `src/abstract_play/bot.rs` |
//! | program | `cli` | one file for each subcommand | `src/cli/mod.rs` |
//! | tests | `fuzzing` | entry points for the fuzz targets | `src/fuzzing/mod.rs` |
//!
//! Only `gtp`, `analysis` and `cli` use standard input and output; `abstract_play` logs to standard error.

// Whatever the input, the program does not panic. Modules that read untrusted text do not index
// either; each says so at its top.
#![cfg_attr(
    not(test),
    deny(clippy::panic, clippy::unwrap_used, clippy::expect_used)
)]

mod abstract_play;
#[doc(hidden)]
pub mod analysis;
#[doc(hidden)]
pub mod board;
pub mod cli;
mod clock;
mod cpu;
#[doc(hidden)]
pub mod engine;
#[doc(hidden)]
pub mod eval;
#[doc(hidden)]
pub mod fuzzing;
#[doc(hidden)]
pub mod game;
#[doc(hidden)]
pub mod games;
#[doc(hidden)]
pub mod gtp;
mod http;
#[doc(hidden)]
pub mod lab;
#[doc(hidden)]
pub mod network;
#[doc(hidden)]
pub mod params;
#[doc(hidden)]
pub mod review;
#[doc(hidden)]
pub mod search;
#[doc(hidden)]
pub mod solver;
#[doc(hidden)]
pub mod start;
#[doc(hidden)]
pub mod tanbo;
#[doc(hidden)]
pub mod taratibu;
#[doc(hidden)]
pub mod util;
#[doc(hidden)]
pub mod variant;
mod web;

// A game
#[doc(inline)]
pub use engine::{Engine, Event};
#[doc(inline)]
pub use game::{Outcome, PerSeat, Seat};
#[doc(inline)]
pub use games::GAMES;
#[doc(inline)]
pub use start::Configuration;
#[doc(inline)]
pub use variant::{
    GameRecord, MoveCode, Notation, RecordedMove, SharedStart, StartPosition, Stones, Variant,
};

// A position of Tanbo
#[doc(inline)]
pub use board::{BoardSize, Point};
#[doc(inline)]
pub use tanbo::{Setup as TanboSetup, Start as TanboStart};

// A search
#[doc(inline)]
pub use params::{Exploration, LEVELS, Leaf, Level, PARAMETERS, Parameter, Params, Value};
#[doc(inline)]
pub use search::{MoveReport, Report, SearchLimits};

// An exact result
#[doc(inline)]
pub use solver::{SolverLimits, SolverProgress};
#[doc(inline)]
pub use variant::{ExactSettings, ExactSolver, Verdict};

// A match
#[doc(inline)]
pub use lab::matches::{
    MatchGame, MatchRequest, MatchResults, Observer as MatchObserver, Plan as MatchPlan,
    RunOptions as MatchOptions, Runner as MatchRunner, Standing as MatchStanding,
};

// A review
#[doc(inline)]
pub use review::{Mark, MoveReview, Review, ReviewProgress, ReviewSettings, examine, review_page};

// The protocol
#[doc(inline)]
pub use gtp::{ExitReason, Output as GtpOutput, Session as GtpSession, serve as serve_gtp};

/// The errors of the items above. Each is a sentence that quotes what is wrong.
///
/// ```
/// use tanada::{Configuration, errors::StartError};
///
/// let tiny: Result<Configuration, StartError> = Configuration::new(Some(3), None, None);
/// assert!(tiny.is_err_and(|error| error.to_string().contains("`3`")));
/// ```
pub mod errors {
    #[doc(inline)]
    pub use crate::board::BoardSizeError;
    #[doc(inline)]
    pub use crate::engine::PlayError;
    #[doc(inline)]
    pub use crate::game::IllegalMove;
    #[doc(inline)]
    pub use crate::lab::matches::{
        EngineError, EngineStartError, FolderError, OpeningError, PlanError, RequestError, RunError,
    };
    #[doc(inline)]
    pub use crate::params::ParamError;
    #[doc(inline)]
    pub use crate::review::ReviewError;
    #[doc(inline)]
    pub use crate::solver::Stopped;
    #[doc(inline)]
    pub use crate::start::{ReadError, StartError, WeightsError};
    #[doc(inline)]
    pub use crate::tanbo::setup::{IllegalSetup, SetupFault};
}
