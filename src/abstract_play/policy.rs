//! What the bot plays, and how long it thinks.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::message::Challenge;
use crate::params::{ParamError, Parameter, Params};
use crate::search::Pace;
use crate::tanbo::abstract_play as records;

/// The limit of a move whose search is undecided, as a multiple of its target.
const STRETCH: u32 = 3;
/// Moves get quicker than this under no load, unless the clock wants it.
const SHORTEST: Duration = Duration::from_millis(20);

/// Why a policy makes no sense.
#[derive(Clone, Debug, PartialEq, Error)]
pub(crate) enum PolicyError {
    #[error("invalid `{name}` `{found}`: expected {expected}")]
    Value {
        name: &'static str,
        found: String,
        expected: &'static str,
    },
    #[error("invalid `{name}` `{found}`: expected {least} to {most}")]
    Count {
        name: &'static str,
        found: usize,
        least: usize,
        most: usize,
    },
    #[error(transparent)]
    Parameter(#[from] ParamError),
}

/// The part `[policy]` of the configuration. Times are in seconds, those of clocks in hours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Policy {
    /// The usual time for a move; up to three times as much while the search is undecided.
    pub(crate) seconds_per_move: f64,
    /// The largest part of what is left on the clock that a move may take.
    pub(crate) clock_share: f64,
    /// Moves get quicker if the queue would take longer than this.
    pub(crate) longest_wait: f64,
    /// Games at once, accepted challenges included; challenges beyond are declined.
    pub(crate) max_games: usize,
    /// The boards that are played.
    pub(crate) boards: Vec<usize>,
    /// The least that a clock may begin with.
    pub(crate) min_clock_hours: f64,
    /// The most that a clock may hold.
    pub(crate) max_clock_hours: f64,
    /// Only these players are accepted; empty accepts everybody.
    pub(crate) players: Vec<String>,
    /// These players are declined.
    pub(crate) not_players: Vec<String>,
    /// Moves that are searched for at once.
    pub(crate) searches: usize,
    /// Threads of each search; 0 is one for each core.
    pub(crate) threads: u64,
    /// Memory for the tree of each search, in MiB.
    pub(crate) memory: u64,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            seconds_per_move: 5.0,
            clock_share: 0.02,
            longest_wait: 600.0,
            max_games: 50,
            boards: vec![7, 11, 15, 19],
            min_clock_hours: 1.0,
            max_clock_hours: 24.0 * 60.0,
            players: Vec::new(),
            not_players: Vec::new(),
            searches: 1,
            threads: 1,
            memory: 256,
        }
    }
}

impl Policy {
    /// Refuses values that make no sense.
    pub(super) fn check(&self) -> Result<(), PolicyError> {
        let is_time = |x: f64| x > 0.0 && x <= 1e6;
        let wrong = |name, found: String, expected| {
            Err(PolicyError::Value {
                name,
                found,
                expected,
            })
        };
        let times = [
            ("seconds_per_move", self.seconds_per_move),
            ("longest_wait", self.longest_wait),
            ("max_clock_hours", self.max_clock_hours),
        ];
        if let Some((name, time)) = times.into_iter().find(|(_, time)| !is_time(*time)) {
            return wrong(name, time.to_string(), "a number above 0, at most 1000000");
        }
        if !(0.0..=self.max_clock_hours).contains(&self.min_clock_hours) {
            return wrong(
                "min_clock_hours",
                self.min_clock_hours.to_string(),
                "0 to `max_clock_hours`",
            );
        }
        if !(self.clock_share > 0.0 && self.clock_share <= 0.5) {
            return wrong(
                "clock_share",
                self.clock_share.to_string(),
                "a number above 0, at most 0.5",
            );
        }
        if let Some(side) = self
            .boards
            .iter()
            .find(|side| !records::SIDES.contains(side))
        {
            return wrong(
                "boards",
                side.to_string(),
                "7, 11, 15 and 19, or some of them",
            );
        }
        let counts = [
            ("searches", self.searches, 1..=64),
            ("max_games", self.max_games, 0..=1_000_000),
        ];
        match counts
            .into_iter()
            .find(|(_, count, range)| !range.contains(count))
        {
            Some((name, count, range)) => {
                let (least, most) = (range.start(), range.end());
                Err(PolicyError::Count {
                    name,
                    found: count,
                    least: *least,
                    most: *most,
                })
            }
            None => Ok(()),
        }
    }

    /// The parameters of a search.
    pub(super) fn params(&self) -> Result<Params, PolicyError> {
        let mut params = Params::default();
        for (name, value) in [("threads", self.threads), ("memory", self.memory)] {
            let (parameter, value) = Parameter::assignment(&format!("{name}={value}"))?;
            parameter.put(&mut params, value);
        }
        Ok(params)
    }

    /// Why a challenge on a board is declined, if it is; `running` games count against the limit.
    pub(super) fn objection(
        &self,
        challenge: &Challenge,
        side: usize,
        running: usize,
    ) -> Option<String> {
        let names = &challenge.challengers;
        let is_in = |list: &[String]| names.iter().any(|name| list.contains(name));
        let is_only_in =
            |list: &[String]| !names.is_empty() && names.iter().all(|name| list.contains(name));
        if challenge.num_players != 2 {
            Some(format!("{} players", challenge.num_players))
        } else if !self.boards.contains(&side) {
            Some(format!("the board {side}x{side}"))
        } else if challenge.clock_start < self.min_clock_hours {
            Some(format!("a clock of {} hours", challenge.clock_start))
        } else if challenge.longest_clock() > self.max_clock_hours {
            Some(format!(
                "a clock of up to {} hours",
                challenge.longest_clock()
            ))
        } else if is_in(&self.not_players) || !self.players.is_empty() && !is_only_in(&self.players)
        {
            Some("the player".to_string())
        } else if running >= self.max_games {
            Some(format!("{running} games are running"))
        } else {
            None
        }
    }

    /// Whether a turn with `left` on the clock goes before the others.
    pub(super) fn is_urgent(&self, left: Duration) -> bool {
        left.as_secs_f64() < 2.0 * self.longest_wait
    }

    /// The time for a move with `left` on the clock while `waiting` turns wait, this one included.
    pub(super) fn pace(&self, left: Duration, waiting: usize) -> Pace {
        let usual = Duration::from_secs_f64(self.seconds_per_move);
        let queue = usual.mul_f64(waiting as f64 / self.searches.max(1) as f64);
        let load = (self.longest_wait / queue.as_secs_f64().max(1e-9)).min(1.0);
        let most = left.mul_f64(self.clock_share);
        let target = usual.mul_f64(load).max(SHORTEST.min(usual)).min(most);
        let is_calm = (queue * STRETCH).as_secs_f64() <= self.longest_wait;
        let limit = if is_calm {
            (target * STRETCH).min(most)
        } else {
            target
        };
        Pace { target, limit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    #[test]
    fn a_move_takes_its_time_and_never_more_than_its_share_of_the_clock() {
        let policy = Policy::default();
        for (left, waiting, target, limit) in [
            // An idle bot with a full clock.
            (100_000.0, 1, 5.0, 15.0),
            // A clock of ten minutes, of one, and an empty one.
            (600.0, 1, 5.0, 12.0),
            (60.0, 1, 1.2, 1.2),
            (0.0, 1, 0.0, 0.0),
            // As many turns as fit into the longest wait, then four times as many.
            (100_000.0, 40, 5.0, 15.0),
            (100_000.0, 120, 5.0, 5.0),
            (100_000.0, 480, 1.25, 1.25),
            (100_000.0, 1_000_000, 0.02, 0.02),
        ] {
            let expected = Pace {
                target: seconds(target),
                limit: seconds(limit),
            };
            assert_eq!(
                policy.pace(seconds(left), waiting),
                expected,
                "{left} {waiting}"
            );
        }
        let two = Policy {
            searches: 2,
            ..policy
        };
        assert_eq!(two.pace(seconds(1e5), 480).target, seconds(2.5));
    }

    #[test]
    fn values_that_make_no_sense_are_refused() {
        let wrong = |change: &str| {
            let policy: Policy = toml::from_str(change).unwrap();
            let checked = policy.check().and_then(|()| policy.params().map(drop));
            checked.unwrap_err().to_string()
        };
        for (change, part) in [
            ("seconds_per_move = 0.0", "`seconds_per_move` `0`"),
            ("seconds_per_move = nan", "`NaN`"),
            ("longest_wait = -1", "`longest_wait`"),
            ("max_clock_hours = inf", "`max_clock_hours`"),
            ("min_clock_hours = -0.5", "`min_clock_hours`"),
            ("clock_share = 0.6", "at most 0.5"),
            ("boards = [7, 9]", "`boards` `9`: expected 7, 11, 15 and 19"),
            ("searches = 0", "1 to 64"),
            ("max_games = 1000001", "0 to 1000000"),
            ("threads = 5000", "`threads`"),
            ("memory = 0", "`memory`"),
        ] {
            let error = wrong(change);
            assert!(error.contains(part), "{change}: {error}");
        }
    }
}
