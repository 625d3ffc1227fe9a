//! How long to think about a move.

use std::time::{Duration, Instant};

use super::{Clock, TimeControl};

/// The shortest budget, for a clock that is nearly empty.
pub(crate) const SMALLEST_BUDGET: Duration = Duration::from_millis(1);

/// The fewest future moves that a budget allows for, because games run longer than estimated.
const FEWEST_MOVES: u32 = 4;

/// Main time that is kept in reserve for stalls of the machine, or a quarter of it if that is less.
const RESERVE: Duration = Duration::from_millis(100);

/// The limit of a move as a multiple of its target.
const STRETCH: u32 = 3;

/// The limit is at most this fraction of the time on the clock: 1 / 4.
const LARGEST_PART: u32 = 4;

/// With fewer margins than this on the clock no move goes beyond its target.
const SHORT: u32 = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    /// The time that the move should take on average.
    pub(crate) target: Duration,
    /// The most that it may take where more time helps; at least the target.
    pub(crate) limit: Duration,
    /// Whether time that is not used stays on the clock.
    pub(crate) is_kept: bool,
}

/// When the next move of a turn has to be made after `played` of its moves, if each of `moves` gets an
/// equal share of `time`.
pub(crate) fn end_of_move(
    began: Instant,
    time: Duration,
    played: u32,
    moves: u32,
) -> Option<Instant> {
    let share = f64::from(played + 1) / f64::from(moves.max(played + 1));
    began.checked_add(time.mul_f64(share))
}

impl Clock {
    /// The budget of the next move; `None` without a time limit.
    ///
    /// `moves_left` estimates the player's remaining moves, this one included; fewer than 4 count
    /// as 4. `margin` is the time that a move costs beyond its thinking.
    ///
    /// Let `n` be the moves left, and `spendable` the main time less a reserve of a tenth of a
    /// second (at most a quarter of it). The share of the move is
    ///
    /// - absolute: `spendable / n`;
    /// - Fischer: `0.9 * i + (spendable - i) / n`, with the increment `i` (at most `spendable`),
    ///   and at least what the limit of the clock would take away again;
    /// - byo-yomi: `main / n + period`, then what is left of the period; no period is used up;
    /// - Canadian: `main / n + period / stones`, then what is left of the period for each stone
    ///   left in it.
    ///
    /// The target is the share less the margin, or half the share if that is less than two margins.
    /// Target and margin together stay within the time on the clock, but the target is at least
    /// [`SMALLEST_BUDGET`].
    ///
    /// The limit is three targets, but at most a quarter of the time on the clock. It is the target
    /// itself in a period of byo-yomi, for the last stone of a Canadian period, and with fewer than
    /// 20 margins on the clock.
    pub(crate) fn budget(&self, moves_left: u32, margin: Duration) -> Option<Budget> {
        let target = self.target(moves_left, margin)?;
        let most = self.remaining_in_period()?.saturating_sub(margin);
        let is_short = most < margin.saturating_mul(SHORT);
        let is_kept = match (self.control, self.overtime) {
            (TimeControl::ByoYomi { .. }, Some(_)) => false,
            (TimeControl::Canadian { .. }, Some(overtime)) => overtime.count > 1,
            _ => true,
        };
        let mut limit = target;
        if is_kept && !is_short {
            let reach = target.saturating_mul(STRETCH).min(most / LARGEST_PART);
            limit = reach.max(target);
        }
        Some(Budget {
            target,
            limit,
            is_kept,
        })
    }

    fn target(&self, moves_left: u32, margin: Duration) -> Option<Duration> {
        let most = self.remaining_in_period()?;
        let share = self.share(moves_left.max(FEWEST_MOVES)).min(most);
        let wanted = if share >= margin.saturating_mul(2) {
            share - margin
        } else {
            share / 2
        };
        Some(wanted.min(most.saturating_sub(margin)).max(SMALLEST_BUDGET))
    }

    fn share(&self, moves: u32) -> Duration {
        let main = self.main / moves;
        let spendable = self.main - RESERVE.min(self.main / 4);
        let fischer = |increment: Duration| {
            let kept = increment.min(spendable);
            kept.mul_f64(0.9).saturating_add((spendable - kept) / moves)
        };
        match self.control {
            TimeControl::Unlimited | TimeControl::Absolute { .. } => spendable / moves,
            TimeControl::Fischer { increment, .. } => fischer(increment),
            TimeControl::FischerCapped {
                increment,
                main_limit,
                ..
            } => {
                let limit = main_limit.unwrap_or(Duration::MAX);
                let lost = self.main.saturating_add(increment).saturating_sub(limit);
                fischer(increment).max(lost)
            }
            TimeControl::ByoYomi { period, .. } => match self.overtime {
                Some(overtime) => overtime.left,
                None => main.saturating_add(period),
            },
            TimeControl::Canadian { period, stones, .. } => match self.overtime {
                Some(overtime) => overtime.left / overtime.count,
                None => main.saturating_add(period / stones.max(1)),
            },
        }
    }
}
