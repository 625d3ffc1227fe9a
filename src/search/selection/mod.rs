//! Selection: which child an iteration visits next, and how its value is backed up.
//!
//! There are two implementations of [`Selection`]: [`Priors`] (PUCT with priors, on a graph or a
//! tree) and [`Values`] (PUCT or UCB1 without priors, with or without RAVE, on a tree).
//! A [`Run`](super::run::Run) picks one by [`SelectionConfig`], once per search.

mod config;
mod priors;
mod rule;
pub(super) mod stats;
mod values;

pub(super) use config::SelectionConfig;
pub(super) use priors::Priors;
pub(super) use rule::Selection;
pub(super) use stats::ChildStats;
pub(super) use values::Values;
