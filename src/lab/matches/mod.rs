//! Matches between engines: programs that speak GTP, and this build with different settings.
//!
//! A *unit* is one opening played in all rotations of the seats; with two seats it is a *pair*.
//! All statistics count units, because the games of a unit share their opening and are not
//! independent. The runner keeps the position of every game itself and believes no engine.
//!
//! | file | what it does |
//! |---|---|
//! | `limit`, `engine` | limits of thinking; the description of an engine |
//! | `opening`, `plan`, `request` | openings; from settings to games; flags and TOML files |
//! | `balance` | makes balanced openings |
//! | `end`, `record` | how a game ended; its record |
//! | `channel`, `pipe`, `process` | a command out and its answer in; pipes; child processes |
//! | `identity`, `client` | name and fingerprint of an engine; a running engine |
//! | `game` | plays one game |
//! | `run_folder`, `folder` | folders on disk: what tunings share, and what is a match's own |
//! | `runner` | workers that play the games; the early end by a test |
//! | `running`, `followed` | the games in progress; a match for those who only watch |
//! | `results`, `report`, `report_json` | the results added up; as text; as JSON |

pub(crate) mod balance;
mod channel;
mod client;
mod end;
mod engine;
mod folder;
mod followed;
mod game;
mod identity;
pub(crate) mod limit;
pub(crate) mod opening;
mod pipe;
mod plan;
mod process;
mod record;
mod report;
mod report_json;
mod request;
mod results;
pub(crate) mod run_folder;
mod runner;
mod running;

pub(crate) use channel::LongWait;
pub use client::EngineStartError;
pub use engine::EngineError;
pub(crate) use engine::EngineSpec;
pub(crate) use folder::Folder;
pub(crate) use followed::{FollowedMatch, rewrite};
pub(crate) use limit::Limit;
pub use opening::OpeningError;
pub(crate) use opening::Openings;
pub(crate) use plan::{Format, MatchSettings, ScheduledGame};
pub use plan::{Plan, PlanError};
pub use record::MatchGame;
pub(crate) use request::EngineRequest;
pub use request::{MatchRequest, RequestError};
pub(crate) use results::{EngineResults, Meeting, WinDrawLoss};
pub use results::{MatchResults, Standing};
pub use run_folder::FolderError;
pub use runner::{Observer, RunError, RunOptions, Runner};
pub(crate) use running::RunningGame;
