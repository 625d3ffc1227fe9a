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
//! use tanada::search::SearchLimits;
//! use tanada::start::Configuration;
//!
//! let configuration = Configuration::new(Some(9), None, None)?;
//! let params = Params { threads: 1, seed: 1, ..Params::default() };
//! let mut engine = Engine::new(configuration.start().clone(), params);
//! engine.play_word(engine.to_move(), "C2")?;
//! let limits = SearchLimits { iterations: Some(100), ..SearchLimits::default() };
//! let report = engine.search(&limits, &|| false);
//! let best = report.best().expect("a running game has moves");
//! assert!(engine.is_legal(best.mv));
//! println!("{} {:.2}", engine.name(best.mv), best.value);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The map
//! Lowest first; a room uses only what stands above it.
//!
//! | layer | room | what it does |
//! |---|---|---|
//! | base | [`cpu`] | newer instructions where the machine has them, tables without checks; the only `unsafe` |
//! | | [`util`] | arithmetic, randomness, quoting, hints, files, spools, threads, Wilson's interval |
//! | | [`board`] | board sizes, points and their names, sets of points, tables by point |
//! | | [`clock`] | time controls, clocks, how long to think |
//! | thinking | [`game`] | what a game and an evaluator must offer to be searched; perft |
//! | | [`params`] | the one table of parameters |
//! | | [`eval`] | playouts, for any game |
//! | | [`network`] | a small residual network over the points of a board |
//! | | [`search`] | the tree and its workers, for any game |
//! | | [`solver`] | who wins with best play, for any game between two sides |
//! | games | [`variant`] | what a game must offer to be played by name: starts, texts, running games, exact results near the end |
//! | | [`tanbo`] | setups, diagrams, SGF, the position, its solver and certificates, features and weights |
//! | | [`taratibu`] | squares, pieces, the position, the searches of turns, features and weights |
//! | | [`games`] | the table of games |
//! | | [`engine`] | a running game of any kind with its searcher |
//! | protocol | [`start`] | the configured start position |
//! | | [`gtp`] | parser, command table, session, the loop over streams |
//! | | [`analysis`] | questions and answers as lines of JSON |
//! | | [`review`] | a game examined move by move; its page |
//! | laboratory | [`lab`] | matches between engines, statistics, tuning, training, endings, accuracy, bench |
//! | program | [`cli`] | one file for each subcommand |
//!
//! Only `gtp` and `cli` write to a terminal.
//!
//! [`Position`]: tanbo::Position
//! [`Searcher`]: search::Searcher
//! [`Engine`]: engine::Engine

// Whatever the input, the program does not panic. Rooms that read other people's text do not index
// either; each says so at its top.
#![cfg_attr(
    not(test),
    deny(clippy::panic, clippy::unwrap_used, clippy::expect_used)
)]

pub mod analysis;
pub mod board;
pub mod cli;
pub mod clock;
pub mod cpu;
pub mod engine;
pub mod eval;
pub mod game;
pub mod games;
pub mod gtp;
pub mod lab;
pub mod network;
pub mod params;
pub mod review;
pub mod search;
pub mod solver;
pub mod start;
pub mod tanbo;
pub mod taratibu;
pub mod util;
pub mod variant;
