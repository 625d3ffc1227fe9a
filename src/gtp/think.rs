//! How long a command may think, and how what is found meanwhile is shown.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::session::Session;
use crate::clock::Budget;
use crate::engine::Engine;
use crate::game::Seat;
use crate::search::{Pace, Report, SearchLimits};
use crate::variant::MoveCode;

/// A search for a fixed time ends so much before its limit, so that the answer is
/// out in time.
const ANSWER_MARGIN: Duration = Duration::from_millis(2);

/// What a move costs on a clock beyond the time of its search: a client measures
/// its own share, too.
const CLOCK_MARGIN: Duration = Duration::from_millis(10);

/// How many looks at the search the second half of a move's target has.
const LOOKS: u32 = 4;

/// Searches that end early spare about a fifth of their time (0.111 against 0.137 s a move on
/// 9x9 at 4+0.04), so targets may be as much longer.
const SPARED: f64 = 1.25;

/// A move without a choice takes the target divided by this.
const FORCED_PART: u32 = 20;

/// The shortest time between two looks.
const SHORTEST_SLICE: Duration = Duration::from_millis(3);

/// How long to think about one move.
#[derive(Clone, Debug, Default)]
pub(super) struct Thinking {
    /// What holds in any case.
    pub(super) limits: SearchLimits,
    /// The pace under a clock, and when the move began.
    pub(super) pace: Option<(Pace, Instant)>,
}

/// What is done with what is known after each interval.
pub(super) struct Show<'a> {
    pub(super) interval: Duration,
    pub(super) show: &'a mut dyn FnMut(&Engine, &Report<MoveCode>),
}

/// Searches the position.
pub(super) fn think(
    engine: &mut Engine,
    thinking: &Thinking,
    stop: &(dyn Fn() -> bool + Sync),
    show: Option<&mut Show<'_>>,
) -> Report<MoveCode> {
    let Thinking { limits, pace } = thinking;
    let Some((pace, since)) = *pace else {
        return match show {
            None => engine.search(limits, stop),
            Some(show) => engine.watch(limits, show.interval, stop, &mut |engine, report| {
                (show.show)(engine, report);
                ControlFlow::Continue(())
            }),
        };
    };
    // Hardly ever is a search decided before half of its time; what has to be played needs no more
    // than a value.
    let part = match engine.legal().len() {
        ..=1 => FORCED_PART,
        _ => 2,
    };
    let early = SearchLimits {
        deadline: since.checked_add(pace.target),
        slice: since.checked_add(pace.target / part),
        ..limits.clone()
    };
    let mut show = show;
    let first = match &mut show {
        None => engine.search(&early, stop),
        Some(show) => engine.watch(&early, show.interval, stop, &mut |engine, report| {
            (show.show)(engine, report);
            ControlFlow::Continue(())
        }),
    };
    let is_through = limits
        .iterations
        .is_some_and(|most| first.iterations >= most);
    if is_through || pace.is_enough(&first, since.elapsed()) || stop() {
        return first;
    }
    let wanted = show.as_ref().map_or(Duration::MAX, |show| show.interval);
    let slice = (pace.target / (2 * LOOKS)).min(wanted).max(SHORTEST_SLICE);
    let rest = SearchLimits {
        deadline: since.checked_add(pace.limit),
        iterations: limits.iterations.map(|most| most - first.iterations),
        ..limits.clone()
    };
    let mut shown = Instant::now();
    let second = engine.watch(&rest, slice, stop, &mut |engine, report| {
        if let Some(show) = &mut show
            && shown.elapsed() >= show.interval
        {
            shown = Instant::now();
            (show.show)(engine, report);
        }
        match pace.is_enough(report, since.elapsed()) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    second.after(&first)
}

/// The time that a clock leaves for a turn.
pub(super) struct TurnBudget {
    on_clock: Option<Budget>,
    moves: u32,
}

impl TurnBudget {
    pub(super) fn new(session: &mut Session, seat: Seat) -> Self {
        let progress = session.engine().progress();
        let moves = progress.moves_in_turn().max(1);
        let turns_left = progress.moves_left().div_ceil(moves);
        Self {
            on_clock: session.clock(seat).budget(turns_left, CLOCK_MARGIN),
            moves,
        }
    }

    /// How long to think about the next move, after so many of the turn: `received` is when
    /// the turn began, `begin` when this move did.
    pub(super) fn next(
        &self,
        session: &Session,
        played: u32,
        received: Instant,
        begin: Instant,
    ) -> Thinking {
        let (params, is_timed) = (session.engine().params(), session.has_explicit_time());
        let limits = SearchLimits::of(params, is_timed, begin, ANSWER_MARGIN);
        let Some(budget) = self.on_clock else {
            return Thinking { limits, pace: None };
        };
        // Of a clock's time each move gets the same part, with what the earlier ones left.
        let part = f64::from(played + 1) / f64::from(self.moves.max(played + 1));
        let spent = begin.saturating_duration_since(received);
        let left = |time: Duration| time.mul_f64(part).saturating_sub(spent);
        let pace = Pace {
            target: left(budget.target.mul_f64(SPARED).min(budget.limit)),
            limit: left(budget.limit),
        };
        Thinking {
            limits: SearchLimits {
                deadline: begin.checked_add(pace.limit),
                ..limits
            },
            pace: budget.is_kept.then_some((pace, begin)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gtp::session::tests::{answer, session};

    #[test]
    fn limits_hold_as_they_were_asked_for() {
        let mut session = session(9);
        let now = Instant::now();
        let seat = session.engine().to_move();
        let mut thinking = |lines: &[&str]| {
            for line in lines {
                assert_eq!(answer(&mut session, line), "= ", "{line}");
            }
            let thinking = TurnBudget::new(&mut session, seat).next(&session, 0, now, now);
            let SearchLimits {
                deadline,
                iterations,
                ..
            } = thinking.limits;
            let target = thinking.pace.map(|(pace, _)| pace.target);
            (deadline.map(|at| at - now), iterations, target)
        };
        let ms = Duration::from_millis;
        assert_eq!(thinking(&[]), (None, Some(50), None));
        assert_eq!(
            thinking(&["tanada-param iterations 0"]),
            (Some(ms(998)), None, None)
        );
        let both = [
            "tanada-param iterations 9",
            "tanada-param time_per_move 0.5",
        ];
        assert_eq!(thinking(&both), (Some(ms(498)), Some(9), None));
        // What is not used of such a period is lost.
        let clock = thinking(&["time_settings 0 30 1"]);
        assert_eq!(clock, (Some(ms(29_990)), Some(9), None));
        let left = thinking(&["time_left b 5.5 1"]);
        assert_eq!(left, (Some(ms(5_490)), Some(9), None));
        assert_eq!(thinking(&["clear_board"]), clock);
        let unlimited = thinking(&["time_settings 0 1 0"]);
        assert_eq!(unlimited, (Some(ms(498)), Some(9), None));
        let (limit, _, target) = thinking(&["kata-time_settings absolute 60"]);
        assert!(
            limit > target && target > Some(ms(1000)),
            "{limit:?} {target:?}"
        );
        let fischer = thinking(&["kata-time_settings fischer 0 10"]);
        assert_eq!(fischer.0, Some(crate::clock::SMALLEST_BUDGET));
        assert_eq!(thinking(&["kata-time_settings none"]).0, Some(ms(498)));
        let long = thinking(&["tanada-param time_per_move 1000000"]);
        assert_eq!(long.1, Some(9));
    }

    #[test]
    fn a_paced_search_adds_its_parts_up_and_keeps_to_its_limit() {
        let mut session = session(9);
        answer(&mut session, "tanada-param iterations 0");
        let ms = Duration::from_millis;
        let now = Instant::now();
        let pace = Pace {
            target: ms(60),
            limit: ms(90),
        };
        let thinking = Thinking {
            limits: SearchLimits::default(),
            pace: Some((pace, now)),
        };
        let mut shown = 0;
        let mut show = Show {
            interval: ms(0),
            show: &mut |_, _| shown += 1,
        };
        let report = think(session.engine_mut(), &thinking, &|| false, Some(&mut show));
        assert_eq!(u64::from(report.visits), report.iterations);
        assert!(
            report.elapsed >= ms(30) && shown > 0,
            "{:?}",
            report.elapsed
        );
        let stopped = think(session.engine_mut(), &thinking, &|| true, None);
        assert!(stopped.iterations < report.iterations);
        let few = Thinking {
            limits: SearchLimits {
                iterations: Some(7),
                ..SearchLimits::default()
            },
            ..thinking
        };
        assert!(think(session.engine_mut(), &few, &|| false, None).iterations <= 7);
    }
}
