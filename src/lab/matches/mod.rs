//! Matches between engines: programs that speak GTP, and settings of this build.
//!
//! A *unit* is one opening played in all rotations of the seats; with two seats it is a *pair*.
//! It is what all statistics count, since its games depend on the same opening. The runner holds
//! the position of every game itself, so that nothing depends on what engines claim.
//!
//! | file | what it does |
//! |---|---|
//! | `limit`, `engine` | how long a player may think, and what it is |
//! | `opening`, `plan`, `request` | openings; from settings to games; what was asked for by flags or file |
//! | `balance` | balanced openings, made before any match |
//! | `end`, `record` | how games end; their records |
//! | `channel`, `pipe`, `process` | a line out and an answer in; the pipes of a program; programs |
//! | `identity`, `player` | who an engine is; engines that run |
//! | `game` | one game |
//! | `folder`, `runner` | records on disk; workers, and the early end |
//! | `tally`, `report` | what the games add up to, and how it is told |

pub mod balance;
mod channel;
mod end;
pub mod engine;
pub(crate) mod folder;
mod game;
mod identity;
pub mod limit;
pub mod opening;
mod pipe;
mod plan;
mod player;
mod process;
mod record;
mod report;
mod request;
mod runner;
mod tally;

pub use channel::LongWait;
pub use end::{End, EndKind};
pub use engine::{EngineError, EngineSpec, Program};
pub use folder::{Folder, FolderError};
pub use identity::Identity;
pub use limit::{Limit, LimitError};
pub use opening::{OpeningError, Openings};
pub use plan::{Fixture, Format, Plan, PlanError, Settings};
pub use player::StartError;
pub use record::{MatchGame, MoveRecord, PlayerRecord};
pub use request::{EngineRequest, Request, RequestError, Text};
pub use runner::{Observer, RunError, Runner, Running};
pub use tally::{Meeting, RATING_PRIOR, Share, Standing, Tally};
