//! The time that each side has used, and its clock if there is one.

use std::time::Duration;

use crate::clock::{Clock, TimeControl};
use crate::game::{PerSeat, Seat};
use crate::variant::Variant;

use super::super::values::Expected;

#[derive(Clone)]
pub(super) struct Clocks {
    used: PerSeat<Duration>,
    clocks: PerSeat<Clock>,
}

/// The time control of `--clock MAIN+INC`, both in seconds.
pub(super) fn parse(text: &str) -> Result<TimeControl, Expected> {
    let wrong = || Expected("seconds such as 300 or 300+2".to_string());
    let (main, increment) = text.split_once('+').unwrap_or((text, "0"));
    let plain = |text: &str| {
        let mut bytes = text.bytes();
        !text.is_empty() && bytes.all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    if !plain(main) || !plain(increment) {
        return Err(wrong());
    }
    let control = TimeControl::from_kata(&["fischer", main, increment]).map_err(|_| wrong())?;
    match control.main() {
        Some(main) if main > Duration::ZERO => Ok(control),
        _ => Err(wrong()),
    }
}

/// The control in the form that [`parse`] reads; `None` without clocks.
pub(super) fn write(control: TimeControl) -> Option<String> {
    let TimeControl::Fischer { main, increment } = control else {
        return None;
    };
    let (main, increment) = (main.as_secs_f64(), increment.as_secs_f64());
    Some(format!("{main}+{increment}"))
}

impl Clocks {
    pub(super) fn restored(
        control: TimeControl,
        used: PerSeat<Duration>,
        left: PerSeat<Option<Duration>>,
    ) -> Self {
        let mut clocks = Self::new(control);
        clocks.used = used;
        for (clock, left) in clocks.clocks.0.iter_mut().zip(left.0) {
            if let Some(left) = left {
                clock.set_left(left, 0);
            }
        }
        clocks
    }

    /// The time that a side has used, and what is left on its clock.
    pub(super) fn of(&self, seat: Seat) -> (Duration, Option<Duration>) {
        let left = self.clocks[seat].left();
        (self.used[seat], left.map(|(left, _)| left))
    }

    /// Counts the time for a move that is not made yet.
    pub(super) fn pause(&mut self, seat: Seat, thought: Duration) {
        self.used[seat] += thought;
        if let Some((left, _)) = self.clocks[seat].left() {
            self.clocks[seat].set_left(left.saturating_sub(thought), 0);
        }
    }

    pub(super) fn new(control: TimeControl) -> Self {
        Self {
            used: PerSeat::default(),
            clocks: PerSeat(std::array::from_fn(|_| Clock::new(control))),
        }
    }

    pub(super) fn is_limited(&self) -> bool {
        self.clocks.0.iter().any(Clock::is_limited)
    }

    /// How long a side may think about the next of this many moves.
    pub(super) fn budget(&self, seat: Seat, moves: u32, margin: Duration) -> Option<Duration> {
        let budget = self.clocks[seat].budget(moves, margin);
        budget.map(|budget| budget.target)
    }

    /// Whether a side that has thought this long has lost on time.
    pub(super) fn is_over(&self, seat: Seat, thought: Duration) -> bool {
        let left = self.clocks[seat].remaining();
        left.is_some_and(|left| thought > left)
    }

    /// Counts the time of a turn; returns whether it was too long.
    pub(super) fn spend(&mut self, seat: Seat, time: Duration) -> bool {
        // Do not ask the clock: it remembers losses in turns that were taken back.
        let is_over = self.is_over(seat, time);
        self.used[seat] += time;
        self.clocks[seat].spend(time);
        is_over
    }

    /// The time of every side in one line; `running` is the side to move and how long it has
    /// thought.
    pub(super) fn tell(
        &self,
        variant: &dyn Variant,
        seats: &[Seat],
        running: Option<(Seat, Duration)>,
    ) -> String {
        let side = |&seat: &Seat| {
            let thought = running.filter(|(mover, _)| *mover == seat);
            let thought = thought.map_or(Duration::ZERO, |(_, thought)| thought);
            let used = minutes(self.used[seat] + thought);
            let left = self.clocks[seat].left();
            let left = left.map_or(String::new(), |(left, _)| {
                format!(", {} left", minutes(left.saturating_sub(thought)))
            });
            format!("{} {used} used{left}", variant.colour(seat))
        };
        seats.iter().map(side).collect::<Vec<_>>().join("; ")
    }
}

/// `1:05`, in whole seconds, rounded down.
fn minutes(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read_and_run() {
        for text in [
            "", "+", "5+", "+5", "x", "-5", "1e3", "nan", "0", "5 + 1", "5+1+1",
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains("300+2"), "{text}: {error}");
        }
        let mut clocks = Clocks::new(parse("60+1.5").unwrap());
        let [first, second, ..] = Seat::ALL;
        let variant = crate::games::default();
        assert!(clocks.is_limited() && !clocks.is_over(first, Duration::from_secs(60)));
        assert!(clocks.is_over(first, Duration::from_secs(61)));
        assert!(!clocks.spend(first, Duration::from_millis(10_500)));
        assert_eq!(
            clocks.tell(variant, &[first, second], None),
            "black 0:10 used, 0:51 left; white 0:00 used, 1:00 left"
        );
        assert_eq!(
            clocks.tell(
                variant,
                &[first, second],
                Some((first, Duration::from_secs(20)))
            ),
            "black 0:30 used, 0:31 left; white 0:00 used, 1:00 left"
        );
        assert!(clocks.spend(first, Duration::from_secs(52)));
        let none = Clocks::new(TimeControl::Unlimited);
        assert!(!none.is_limited() && !none.is_over(first, Duration::from_secs(9_999_999)));
        assert_eq!(none.tell(variant, &[second], None), "white 0:00 used");
    }
}
