//! Time controls and the clock of one player. Nothing here reads
//! the time, and nothing reads or writes a stream.

mod control;

use std::time::Duration;

pub use control::{ClockParseError, MAX_SECONDS, TIME_CONTROL_NAMES, TimeControl};

use control::Overtime;

/// The shortest budget, given when the clock is all but empty.
pub const SMALLEST_BUDGET: Duration = Duration::from_millis(1);

/// No move plans for fewer own moves to come than this: games run longer than
/// guessed.
const FEWEST_MOVES: u32 = 4;

/// What is kept back of a main time, as far as a quarter of it reaches: machines stall.
const RESERVE: Duration = Duration::from_millis(100);

/// How far beyond its target a move may think.
const STRETCH: u32 = 3;

/// The part of the time on the clock that no move goes beyond for being undecided.
const LARGEST_PART: u32 = 4;

/// With fewer margins than this on the clock no move goes beyond its target.
const SHORT: u32 = 20;

/// How long a move should think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// What it should take on the whole.
    pub target: Duration,
    /// What it may take where more time is worth having; at least the target.
    pub limit: Duration,
    /// Whether time that is not used stays on the clock.
    pub is_kept: bool,
}

/// The clock of one player. It runs by what it is told: the time that moves
/// took, or what a client says is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    control: TimeControl,
    main: Duration,
    overtime: Option<Overtime>,
    out_of_time: bool,
}

impl Clock {
    /// A full clock.
    pub fn new(control: TimeControl) -> Self {
        let main = control.main().unwrap_or_default();
        let mut clock = Self {
            control,
            main,
            overtime: None,
            out_of_time: false,
        };
        clock.enter_overtime();
        clock
    }

    /// Back to a full clock of the same control, for a new game.
    pub fn reset(&mut self) {
        *self = Self::new(self.control);
    }

    /// The control that the clock follows.
    pub fn control(&self) -> TimeControl {
        self.control
    }

    /// Whether time is limited.
    pub fn is_limited(&self) -> bool {
        self.control != TimeControl::Unlimited
    }

    /// What GTP's `time_left` says: `stones` of 0 means that the main time runs;
    /// else `time` is left of the period, for that many stones (Canadian) or
    /// with that many periods, this one included (byo-yomi). A control without
    /// overtime takes `time` in any case; one without a limit takes nothing.
    pub fn set_left(&mut self, time: Duration, stones: u32) {
        match self.control.overtime() {
            _ if !self.is_limited() => return,
            Some(full) if stones > 0 => {
                self.main = Duration::ZERO;
                self.overtime = Some(Overtime {
                    left: time,
                    count: stones.min(full.count),
                });
            }
            _ => {
                self.main = time;
                self.overtime = None;
                self.enter_overtime();
            }
        }
        self.out_of_time = false;
    }

    /// A move has been made that took `elapsed`. A move that took longer than it
    /// might is noted ([`Clock::is_out_of_time`]); the clock then goes on as if
    /// the player had been let off: with the last period, a new one, or nothing.
    pub fn spend(&mut self, elapsed: Duration) {
        match self.control {
            TimeControl::Unlimited => {}
            TimeControl::Absolute { .. } => {
                self.spend_main(elapsed);
            }
            TimeControl::Fischer { increment, .. } => {
                self.spend_main(elapsed);
                self.main = self.main.saturating_add(increment);
            }
            TimeControl::FischerCapped {
                increment,
                main_limit,
                max_per_move,
                ..
            } => {
                self.spend_main(elapsed);
                self.main = self.main.saturating_add(increment);
                self.main = self.main.min(main_limit.unwrap_or(Duration::MAX));
                self.out_of_time |= max_per_move.is_some_and(|most| elapsed > most);
            }
            TimeControl::ByoYomi { period, .. } => {
                if let Some((rest, overtime)) = self.spend_to_overtime(elapsed) {
                    self.spend_periods(rest, overtime, period);
                }
            }
            TimeControl::Canadian { period, stones, .. } => {
                if let Some((rest, overtime)) = self.spend_to_overtime(elapsed) {
                    let left = overtime.left.checked_sub(rest);
                    self.out_of_time |= left.is_none();
                    self.overtime = Some(match left {
                        Some(left) if overtime.count > 1 => Overtime {
                            left,
                            count: overtime.count - 1,
                        },
                        _ => Overtime {
                            left: period,
                            count: stones.max(1),
                        },
                    });
                }
            }
        }
    }

    fn spend_main(&mut self, elapsed: Duration) {
        self.out_of_time |= elapsed > self.main;
        self.main = self.main.saturating_sub(elapsed);
    }

    /// Takes `elapsed` from the main time; where it does not suffice, or is gone,
    /// gives what is to be taken from which period.
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
            self.out_of_time |= used >= count;
            count = count.saturating_sub(used).max(1);
        }
        self.overtime = Some(Overtime {
            left: period,
            count,
        });
    }

    /// Starts the overtime, if the control has one, once the main time is gone.
    fn enter_overtime(&mut self) {
        if self.main.is_zero() && self.overtime.is_none() {
            self.overtime = self.control.overtime();
        }
    }

    /// What the clock shows, as `time_left` says it: the time left, and 0 while
    /// the main time runs, else the stones or periods left. None without a limit.
    pub fn left(&self) -> Option<(Duration, u32)> {
        self.is_limited().then(|| {
            self.overtime
                .map_or((self.main, 0), |overtime| (overtime.left, overtime.count))
        })
    }

    /// Whether the main time is gone and periods run.
    pub fn in_overtime(&self) -> bool {
        self.overtime.is_some()
    }

    /// Whether a move took longer than it might, since the last reset or since a
    /// client last said what is left.
    pub fn is_out_of_time(&self) -> bool {
        self.out_of_time
    }

    /// The longest that the next move may take without losing on time, all
    /// periods included. None without a limit.
    pub fn remaining(&self) -> Option<Duration> {
        match self.control {
            TimeControl::ByoYomi { period, .. } => {
                let overtime = self.overtime.or(self.control.overtime())?;
                let others = period.saturating_mul(overtime.count - 1);
                Some(self.remaining_in_period()?.saturating_add(others))
            }
            _ => self.remaining_in_period(),
        }
    }

    /// The longest that the next move may take without losing a period or the
    /// game.
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

    /// How long to think about the next move; none without a limit.
    ///
    /// `moves_left` is a guess of the own moves to come, this one included; fewer
    /// than 4 count as 4. `margin` is what a move may cost beyond its thinking.
    ///
    /// The share of the move, with `n` for the moves left and a tenth of a second, or a quarter
    /// of it, kept back of the main time of the first two:
    ///
    /// - absolute: `main / n`;
    /// - Fischer: nine tenths of the increment and `(main - increment) / n`, but
    ///   at least what the limit of the clock would take away again;
    /// - byo-yomi: `main / n + period`, then the period; no period is used up;
    /// - Canadian: `main / n + period / stones`, then what is left of the period
    ///   for each stone left in it.
    ///
    /// The target is the share less the margin, or half the share where that
    /// is less than two margins. With the margin it stays within what is on the
    /// clock; where that leaves less than [`SMALLEST_BUDGET`], it is that. The limit is three
    /// targets, but no more than a quarter of what is on the clock, and no more than the target
    /// in a period of byo-yomi, for the last stone of a Canadian one, and with fewer than 20 margins
    /// on the clock.
    pub fn budget(&self, moves_left: u32, margin: Duration) -> Option<Budget> {
        let target = self.target(moves_left, margin)?;
        let most = self.remaining_in_period()?.saturating_sub(margin);
        let is_short = most < margin.saturating_mul(SHORT);
        let is_kept = match (self.control, self.overtime) {
            (TimeControl::ByoYomi { .. }, Some(_)) => false,
            (TimeControl::Canadian { .. }, Some(overtime)) => overtime.count > 1,
            _ => true,
        };
        let reach = target.saturating_mul(STRETCH).min(most / LARGEST_PART);
        Some(Budget {
            target,
            limit: match is_kept && !is_short {
                true => reach.max(target),
                false => target,
            },
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn clock(kata: &str) -> Clock {
        let words: Vec<&str> = kata.split(' ').collect();
        Clock::new(TimeControl::from_kata(&words).unwrap())
    }

    #[test]
    fn no_limit_is_no_limit() {
        let mut clock = clock("none");
        clock.set_left(s(1), 0);
        clock.spend(s(1_000_000));
        assert!(!clock.is_limited() && !clock.is_out_of_time());
        assert_eq!(clock.budget(20, ms(50)), None);
        assert_eq!(clock.remaining(), None);
        assert_eq!(clock.left(), None);
    }

    #[test]
    fn absolute_time_runs_out() {
        let mut clock = clock("absolute 60");
        clock.spend(s(60));
        assert!(!clock.is_out_of_time());
        assert_eq!(clock.left(), Some((s(0), 0)));
        clock.spend(ms(1));
        assert!(clock.is_out_of_time());
        clock.reset();
        assert!(!clock.is_out_of_time());
        assert_eq!(clock.remaining(), Some(s(60)));
    }

    #[test]
    fn no_time_at_all_means_at_once() {
        assert_eq!(
            clock("absolute 0").budget(20, ms(50)),
            Some(Budget {
                target: SMALLEST_BUDGET,
                limit: SMALLEST_BUDGET,
                is_kept: true,
            })
        );
    }

    #[test]
    fn byo_yomi_uses_up_periods() {
        let mut clock = clock("byoyomi 60 10 3");
        assert_eq!(clock.remaining(), Some(s(90)));
        clock.spend(s(65));
        assert_eq!(clock.left(), Some((s(10), 3)));
        clock.spend(s(10));
        assert_eq!(clock.left(), Some((s(10), 3)));
        clock.spend(ms(10_001));
        assert_eq!(clock.left(), Some((s(10), 2)));
        assert_eq!(clock.remaining(), Some(s(20)));
        clock.spend(s(20));
        assert_eq!(clock.left(), Some((s(10), 1)));
        assert!(!clock.is_out_of_time());
        clock.spend(ms(10_001));
        assert!(clock.is_out_of_time());
        assert_eq!(clock.left(), Some((s(10), 1)));
    }

    #[test]
    fn canadian_periods_start_anew() {
        let mut clock = clock("canadian 60 30 3");
        clock.spend(s(60));
        assert!(clock.in_overtime());
        assert_eq!(clock.left(), Some((s(30), 3)));
        clock.spend(s(10));
        assert_eq!(clock.left(), Some((s(20), 2)));
        clock.spend(s(20));
        assert_eq!(clock.left(), Some((s(0), 1)));
        clock.spend(s(0));
        assert_eq!(clock.left(), Some((s(30), 3)));
        assert!(!clock.is_out_of_time());
        clock.spend(s(31));
        assert!(clock.is_out_of_time());
    }

    #[test]
    fn the_stone_that_enters_a_period_counts_in_it() {
        let mut clock = clock("canadian 60 30 3");
        clock.spend(s(62));
        assert_eq!(clock.left(), Some((s(28), 2)));
    }

    #[test]
    fn fischer_adds_and_caps() {
        let mut plain = clock("fischer 10 2");
        plain.spend(s(1));
        assert_eq!(plain.left(), Some((s(11), 0)));
        plain.spend(s(12));
        assert!(plain.is_out_of_time());
        let mut capped = clock("fischer-capped 10 2 11 5");
        assert_eq!(capped.remaining(), Some(s(5)));
        capped.spend(s(0));
        assert_eq!(capped.left(), Some((s(11), 0)));
        assert!(!capped.is_out_of_time());
        capped.spend(ms(5001));
        assert!(capped.is_out_of_time());
    }

    #[test]
    fn what_a_client_says_is_left_counts() {
        let mut byo = clock("byoyomi 60 10 3");
        byo.set_left(s(42), 0);
        assert_eq!(byo.left(), Some((s(42), 0)));
        byo.set_left(s(7), 2);
        assert_eq!(byo.remaining(), Some(s(17)));
        byo.set_left(s(0), 0);
        assert_eq!(byo.left(), Some((s(10), 3)));
        byo.spend(s(31));
        assert!(byo.is_out_of_time());
        byo.set_left(s(5), 1);
        assert!(!byo.is_out_of_time());
        let mut canadian = clock("canadian 60 30 3");
        canadian.set_left(s(9), 99);
        assert_eq!(canadian.left(), Some((s(9), 3)));
        let mut absolute = clock("absolute 60");
        absolute.set_left(s(9), 4);
        assert_eq!(absolute.left(), Some((s(9), 0)));
    }

    #[test]
    fn budgets_follow_the_formula() {
        let budget = |kata, n| clock(kata).budget(n, ms(100)).unwrap().target;
        assert_eq!(budget("absolute 60", 20), ms(2895));
        assert_eq!(budget("absolute 60", 0), ms(14_875));
        assert_eq!(budget("absolute 3", 20), Duration::from_micros(72_500));
        assert_eq!(budget("fischer 62 2", 20), ms(4695));
        assert_eq!(budget("fischer 1 2", 20), ms(710));
        assert_eq!(budget("fischer-capped 60 5 60 -1", 50), ms(5498));
        assert_eq!(budget("fischer-capped 60 5 60 -1", 1000), ms(4900));
        assert_eq!(budget("fischer-capped 6 5 6 -1", 60), ms(4900));
        assert_eq!(budget("fischer-capped 60 5 -1 1", 20), ms(900));
        assert_eq!(budget("byoyomi 60 10 3", 20), ms(12_900));
        assert_eq!(budget("byoyomi 0 10 3", 20), ms(9900));
        assert_eq!(budget("canadian 60 30 3", 20), ms(12_900));
        assert_eq!(budget("canadian 0 30 3", 20), ms(9900));
    }

    /// Plays 200 moves that take their target and 2 ms more; each `hard`th takes its limit.
    fn survives(kata: &str, hard: u32, guess: impl Fn(u32) -> u32) {
        let mut clock = clock(kata);
        for played in 0..200 {
            let budget = clock.budget(guess(played), ms(50)).unwrap();
            let thought = if played % hard == 0 {
                budget.limit
            } else {
                budget.target
            };
            clock.spend(thought + ms(2));
            assert!(!clock.is_out_of_time(), "{kata}: move {played}");
        }
    }

    #[test]
    fn games_end_in_time() {
        for kata in [
            "absolute 60",
            "absolute 5",
            "absolute 900",
            "byoyomi 60 10 3",
            "byoyomi 0 1 1",
            "byoyomi 1 0.1 1",
            "canadian 60 60 10",
            "canadian 0 10 25",
            "canadian 0 1 25",
            "canadian 2 10 1",
            "fischer 60 1",
            "fischer 1 0.1",
            "fischer 300 0",
            "fischer 2 10",
            "fischer-capped 60 5 60 -1",
            "fischer-capped 60 5 -1 6",
            "fischer-capped 10 1 12 0.5",
        ] {
            survives(kata, 3, |played| 200 - played);
        }
        // Games that run much longer than they are guessed to.
        for kata in [
            "absolute 300",
            "absolute 60",
            "byoyomi 60 10 3",
            "canadian 60 60 10",
            "fischer 60 1",
            "fischer 10 0.2",
            "fischer-capped 60 5 60 8",
        ] {
            survives(kata, 8, |played| 60u32.saturating_sub(played).max(20));
        }
        for kata in ["byoyomi 60 1 1", "canadian 60 20 10", "fischer 60 0.2"] {
            survives(kata, 8, |_| 1);
        }
    }

    fn any_control() -> impl Strategy<Value = TimeControl> {
        let time = (0u64..100_000).prop_map(ms);
        (0..5, time.clone(), time.clone(), time.clone(), 1u32..30).prop_map(
            |(kind, main, second, third, count)| {
                let period = second.max(ms(1));
                match kind {
                    0 => TimeControl::Absolute { main },
                    1 => TimeControl::ByoYomi {
                        main,
                        period,
                        periods: count,
                    },
                    2 => TimeControl::Canadian {
                        main,
                        period,
                        stones: count,
                    },
                    3 => TimeControl::Fischer {
                        main,
                        increment: second,
                    },
                    _ => TimeControl::FischerCapped {
                        main,
                        increment: second,
                        main_limit: (count % 2 == 0).then_some(main + third),
                        max_per_move: (count % 3 == 0).then_some(third),
                    },
                }
            },
        )
    }

    proptest! {
        #[test]
        fn budgets_stay_on_the_clock(
            control in any_control(),
            moves in prop::collection::vec((0u64..20_000, 0u32..100, 0u64..300), 1..40),
        ) {
            let mut clock = Clock::new(control);
            for (elapsed, guess, margin) in moves {
                let margin = ms(margin);
                let budget = clock.budget(guess, margin).unwrap();
                prop_assert!(budget.limit >= budget.target);
                let budget = budget.limit;
                let most = clock.remaining().unwrap();
                prop_assert!(
                    budget + margin <= most
                        || budget == SMALLEST_BUDGET && most < margin + SMALLEST_BUDGET
                );
                clock.spend(ms(elapsed));
                prop_assert!(clock.is_out_of_time() || ms(elapsed) <= most);
                if ms(elapsed) > most {
                    break;
                }
                prop_assert!(!clock.is_out_of_time());
            }
        }

        #[test]
        fn no_time_is_too_long(control in any_control(), secs in any::<u64>(), stones in any::<u32>()) {
            let mut clock = Clock::new(control);
            for _ in 0..2 {
                let _ = (clock.budget(stones, s(secs)), clock.remaining());
                clock.spend(s(secs));
                clock.set_left(s(secs), stones);
            }
        }
    }
}
