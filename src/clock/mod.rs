//! Time controls, the clock of one player and the time budget of a move. Nothing here reads the
//! system's clock: callers say how much time has passed.
//!
//! | file | what it is for |
//! |---|---|
//! | `control` | the time controls, and how GTP writes them |
//! | `mod` | the clock of one player |
//! | `budget` | how long to think about a move |
//! | `gtp/turn_budget`, `gtp/paced_search` | the budget of each move of a turn; the search that keeps to it |
//! | `search/pace` | whether a search under a clock may end |

pub(crate) mod budget;
mod control;

use std::time::Duration;

pub(crate) use budget::{Budget, end_of_move};
pub(crate) use control::{MAX_SECONDS, TIME_CONTROL_NAMES, TimeControl};

use control::Overtime;

/// The clock of one player. Callers tell it the time that each move took, or what a client says is
/// left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    control: TimeControl,
    main: Duration,
    overtime: Option<Overtime>,
}

impl Clock {
    pub(crate) fn new(control: TimeControl) -> Self {
        let main = control.main().unwrap_or_default();
        let mut clock = Self {
            control,
            main,
            overtime: None,
        };
        clock.enter_overtime();
        clock
    }

    /// Fills the clock up again, for a new game.
    pub(crate) fn reset(&mut self) {
        *self = Self::new(self.control);
    }

    pub(crate) fn is_limited(&self) -> bool {
        self.control != TimeControl::Unlimited
    }

    /// Corrects the clock, as GTP's `time_left` does. If `stones` is 0, `time` is left of the main
    /// time. Otherwise it is left of the period, for that many stones (Canadian) or with that many
    /// periods, this one included (byo-yomi). A control without overtime ignores `stones`; one
    /// without a limit ignores both.
    pub(crate) fn set_left(&mut self, time: Duration, stones: u32) {
        match self.control.overtime() {
            _ if !self.is_limited() => {}
            Some(full) if stones > 0 => {
                self.main = Duration::ZERO;
                let count = stones.min(full.count);
                self.overtime = Some(Overtime { left: time, count });
            }
            _ => {
                self.main = time;
                self.overtime = None;
                self.enter_overtime();
            }
        }
    }

    /// Takes the time of a move that was made. If the move took more than [`Clock::remaining`], the
    /// clock goes on as if the player had been forgiven: with the last period, a new one, or no time.
    pub(crate) fn spend(&mut self, elapsed: Duration) {
        match self.control {
            TimeControl::Unlimited => {}
            TimeControl::Absolute { .. } => self.main = self.main.saturating_sub(elapsed),
            TimeControl::Fischer { increment, .. } => {
                self.main = self.main.saturating_sub(elapsed).saturating_add(increment);
            }
            TimeControl::FischerCapped {
                increment,
                main_limit,
                ..
            } => {
                self.main = self.main.saturating_sub(elapsed).saturating_add(increment);
                self.main = self.main.min(main_limit.unwrap_or(Duration::MAX));
            }
            TimeControl::ByoYomi { period, .. } => {
                if let Some((rest, overtime)) = self.spend_to_overtime(elapsed) {
                    self.spend_periods(rest, overtime, period);
                }
            }
            TimeControl::Canadian { .. } => {
                if let Some((rest, Overtime { left, count })) = self.spend_to_overtime(elapsed) {
                    let (left, count) = (left.checked_sub(rest), count - 1);
                    self.overtime = match left {
                        Some(left) if count > 0 => Some(Overtime { left, count }),
                        _ => self.control.overtime(),
                    };
                }
            }
        }
    }

    /// Takes `elapsed` from the main time. If that is not enough, returns the rest and the period
    /// to take it from.
    fn spend_to_overtime(&mut self, elapsed: Duration) -> Option<(Duration, Overtime)> {
        if self.overtime.is_none() && elapsed <= self.main {
            self.main -= elapsed;
            self.enter_overtime();
            return None;
        }
        let rest = elapsed.saturating_sub(self.main);
        self.main = Duration::ZERO;
        self.enter_overtime();
        Some((rest, self.overtime?))
    }

    fn spend_periods(&mut self, elapsed: Duration, overtime: Overtime, period: Duration) {
        let mut count = overtime.count;
        if elapsed > overtime.left {
            let beyond = (elapsed - overtime.left).as_nanos();
            let used = beyond.div_ceil(period.as_nanos().max(1));
            let used = u32::try_from(used).unwrap_or(u32::MAX);
            count = count.saturating_sub(used).max(1);
        }
        self.overtime = Some(Overtime {
            left: period,
            count,
        });
    }

    /// Starts the overtime, if the control has one, once the main time is used up.
    fn enter_overtime(&mut self) {
        if self.main.is_zero() && self.overtime.is_none() {
            self.overtime = self.control.overtime();
        }
    }

    /// The arguments that GTP's `time_left` would have: the time left, and the stones or periods
    /// left, which are 0 while the main time runs. `None` without a limit.
    pub(crate) fn left(&self) -> Option<(Duration, u32)> {
        let left = self.overtime.map_or((self.main, 0), |o| (o.left, o.count));
        self.is_limited().then_some(left)
    }

    /// The most time that the next move may take without losing on time, all periods included.
    /// `None` without a limit.
    pub(crate) fn remaining(&self) -> Option<Duration> {
        match self.control {
            TimeControl::ByoYomi { period, .. } => {
                let overtime = self.overtime.or(self.control.overtime())?;
                let others = period.saturating_mul(overtime.count - 1);
                Some(self.remaining_in_period()?.saturating_add(others))
            }
            _ => self.remaining_in_period(),
        }
    }

    /// The most time that the next move may take without losing a period or the game.
    fn remaining_in_period(&self) -> Option<Duration> {
        match self.control {
            TimeControl::Unlimited => None,
            TimeControl::Absolute { .. } | TimeControl::Fischer { .. } => Some(self.main),
            TimeControl::FischerCapped { max_per_move, .. } => {
                Some(self.main.min(max_per_move.unwrap_or(Duration::MAX)))
            }
            TimeControl::ByoYomi { .. } | TimeControl::Canadian { .. } => {
                let overtime = self.overtime.or(self.control.overtime())?;
                Some(self.main.saturating_add(overtime.left))
            }
        }
    }
}

#[cfg(test)]
mod tests;
