//! The search for one move within its budget, which may stop early once its result is settled.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::turn_budget::MoveBudget;
use crate::engine::Engine;
use crate::search::{Report, SearchLimits};
use crate::util::break_if;
use crate::variant::MoveCode;

/// How often the second half of a move's target is checked for an early stop.
const CHECKS: u32 = 4;

/// The shortest time between two checks.
const SHORTEST_SLICE: Duration = Duration::from_millis(3);

/// The first check comes after half of the target, or after this fraction of it for a forced move.
const FORCED_PART: u32 = 20;

/// A function that is called with the report of a running search after each interval.
pub(super) struct SearchObserver<'a> {
    pub(super) interval: Duration,
    pub(super) show: &'a mut dyn FnMut(&Engine, &Report<MoveCode>),
}

/// Searches within fixed limits.
fn search(
    engine: &mut Engine,
    limits: &SearchLimits,
    stop: &(dyn Fn() -> bool + Sync),
    observer: Option<&mut SearchObserver<'_>>,
) -> Report<MoveCode> {
    let Some(observer) = observer else {
        return engine.search(limits, stop);
    };
    engine.search_in_slices(limits, observer.interval, stop, &mut |engine, report| {
        (observer.show)(engine, report);
        ControlFlow::Continue(())
    })
}

pub(super) fn paced_search(
    engine: &mut Engine,
    budget: &MoveBudget,
    stop: &(dyn Fn() -> bool + Sync),
    mut observer: Option<&mut SearchObserver<'_>>,
) -> Report<MoveCode> {
    let MoveBudget { limits, pace } = budget;
    let Some((pace, since)) = *pace else {
        return search(engine, limits, stop, observer);
    };
    // A search is hardly ever settled in the first half of its time. A forced move only needs a value.
    let part = match engine.legal().len() {
        ..=1 => FORCED_PART,
        _ => 2,
    };
    let early = SearchLimits {
        deadline: since.checked_add(pace.target),
        slice: since.checked_add(pace.target / part),
        ..limits.clone()
    };
    let first = search(engine, &early, stop, observer.as_deref_mut());
    let is_through = limits
        .iterations
        .is_some_and(|most| first.iterations >= most);
    if is_through || pace.is_enough(&first, since.elapsed()) || stop() {
        return first;
    }
    let wanted = observer
        .as_ref()
        .map_or(Duration::MAX, |observer| observer.interval);
    let slice = (pace.target / (2 * CHECKS)).min(wanted).max(SHORTEST_SLICE);
    let rest = SearchLimits {
        deadline: since.checked_add(pace.limit),
        iterations: limits.iterations.map(|most| most - first.iterations),
        ..limits.clone()
    };
    let mut shown = Instant::now();
    let second = engine.search_in_slices(&rest, slice, stop, &mut |engine, report| {
        if let Some(observer) = &mut observer
            && shown.elapsed() >= observer.interval
        {
            shown = Instant::now();
            (observer.show)(engine, report);
        }
        break_if(pace.is_enough(report, since.elapsed()))
    });
    second.after(&first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gtp::session::tests::session;
    use crate::search::Pace;

    #[test]
    fn a_paced_search_adds_its_parts_up_and_keeps_to_its_limit() {
        let mut session = session(9);
        session.check("tanada-param iterations none", "= ");
        session.check("play b C2", "= ");
        let ms = Duration::from_millis;
        let now = Instant::now();
        let (target, limit) = (ms(60), ms(90));
        let budget = MoveBudget {
            limits: SearchLimits::default(),
            pace: Some((Pace { target, limit }, now)),
        };
        let mut shown = 0;
        let mut observer = SearchObserver {
            interval: ms(0),
            show: &mut |_, _| shown += 1,
        };
        let engine = session.engine_mut();
        let report = paced_search(engine, &budget, &|| false, Some(&mut observer));
        assert_eq!(u64::from(report.visits), report.iterations);
        assert!(now.elapsed() >= ms(30) && shown > 0, "{report:?}");
        let long = MoveBudget {
            limits: SearchLimits::default(),
            pace: Some((
                Pace {
                    target: ms(60_000),
                    limit: ms(90_000),
                },
                Instant::now(),
            )),
        };
        let stopped = paced_search(engine, &long, &|| true, None);
        assert!(stopped.elapsed < ms(30_000), "{stopped:?}");
        let few = MoveBudget {
            limits: SearchLimits::of_iterations(7),
            ..budget
        };
        assert!(paced_search(engine, &few, &|| false, None).iterations <= 7);
    }
}
