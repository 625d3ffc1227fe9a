//! Tanada plays Tanbo, the game of roots on a Go board that Mark Steere invented
//! in 1993, and Taratibu, Glenn Overby II's progressive game (2005): one parallel Monte
//! Carlo tree search that names no game, behind a GTP-like line protocol.
//!
//! # The tour
//! A start position comes in as text or by name, and is checked; a [`Position`]
//! is played on; a [`Searcher`] looks for the best move; an [`Engine`] holds the
//! two together for a game.
//!
//! ```
//! use tanada::engine::Engine;
//! use tanada::params::Params;
//! use tanada::search::Limits;
//! use tanada::start::Configuration;
//!
//! let configuration = Configuration::new(Some(9), None, None)?;
//! let params = Params { threads: 1, seed: 1, ..Params::default() };
//! let mut engine = Engine::new(configuration.start().clone(), params);
//! engine.play_word(engine.to_move(), "C2")?;
//! let limits = Limits { iterations: Some(100), ..Limits::default() };
//! let report = engine.search(&limits, &|| false);
//! let best = report.best().expect("a running game has moves");
//! assert!(engine.is_legal(best.mv));
//! println!("{} {:.2}", engine.name(best.mv), best.value);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The map
//! Lowest first; a layer uses only what stands above it.
//!
//! | layer | module | what it does |
//! |---|---|---|
//! | base | [`cpu`] | newer instructions where the machine has them, tables without checks; the only `unsafe` |
//! | | [`grid`] | board sizes, points, sets of points, tables by point |
//! | | [`vertex`] | names of points: `A1`, SGF letters |
//! | | [`random`], [`math`] | seeded randomness; arithmetic that is the same everywhere |
//! | | [`quote`] | what somebody typed or a file holds, in a message or on a terminal |
//! | | [`nearest`] | the known name that a misspelt word meant |
//! | | [`files`] | files that are there in full or as they were |
//! | | [`spool`] | a queue of lines, in memory and beyond that in temporary files |
//! | | [`clock`] | time controls, clocks, how long to think |
//! | | [`jobs`] | numbered jobs on threads, results in their order |
//! | | [`stats`] | Elo, intervals, SPRT: pure functions |
//! | thinking | [`game`] | what a game and an evaluator must offer to be searched; perft |
//! | | [`params`] | the one table of parameters |
//! | | [`eval`] | playouts, for any game |
//! | | [`network`] | a small residual network over the points of a board |
//! | | [`search`] | the tree and its workers, for any game |
//! | | [`solver`] | who wins with best play, for any game between two sides |
//! | games | [`play`] | what a game must offer to be played by name: starts, texts, tables, exact results near the end |
//! | | [`tanbo`] | setups, diagrams, SGF, the position, its solver, features and weights, what its network is told |
//! | | [`taratibu`] | squares, pieces, the position, the searches of turns, features and weights |
//! | | [`games`] | the table of games |
//! | | [`engine`] | a running game of any kind with its searcher |
//! | protocol | [`start`] | the configured start position |
//! | | [`gtp`] | parser, command table, session, the loop over streams |
//! | | [`analysis`] | questions and answers as lines of JSON |
//! | laboratory | [`mod@matches`], [`train`], [`mod@bench`] | games between engines, fitting weights and games to learn from, signature and speeds |
//! | | [`review`] | a game examined move by move; its page |
//! | | [`endings`] | late positions from self-play, and how well they are solved |
//! | | [`accuracy`] | games on a small board, held against the exact solver |
//! | | [`tune`] | parameters by SPSA and by scans, on top of `matches` |
//! | | [`certificate`] | strategies of solved Tanbo positions in files that a stranger can check |
//!
//! The program adds `cli`, one file for each subcommand. Only `gtp` and `cli`
//! write to a terminal.
//!
//! [`Position`]: tanbo::Position
//! [`Searcher`]: search::Searcher
//! [`Engine`]: engine::Engine

pub mod accuracy;
pub mod analysis;
pub mod bench;
pub mod certificate;
pub mod clock;
pub mod cpu;
pub mod endings;
pub mod engine;
pub mod eval;
pub mod files;
pub mod game;
pub mod games;
pub mod grid;
pub mod gtp;
pub mod jobs;
pub mod matches;
pub mod math;
pub mod nearest;
pub mod network;
pub mod params;
pub mod play;
pub mod quote;
pub mod random;
pub mod review;
pub mod search;
pub mod solver;
pub mod spool;
pub mod start;
pub mod stats;
pub mod tanbo;
pub mod taratibu;
pub mod train;
pub mod tune;
pub mod vertex;
