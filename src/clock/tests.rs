use std::time::Instant;

use super::budget::SMALLEST_BUDGET;
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

/// Takes the time of a move, and returns what is left: the time, and the stones or periods.
fn after(clock: &mut Clock, elapsed: Duration) -> (Duration, u32) {
    clock.spend(elapsed);
    clock.left().unwrap()
}

#[test]
fn no_limit_is_no_limit() {
    let mut clock = clock("none");
    clock.set_left(s(1), 0);
    clock.spend(s(1_000_000));
    assert!(!clock.is_limited());
    assert_eq!(clock.budget(20, ms(50)), None);
    assert_eq!(clock.remaining(), None);
    assert_eq!(clock.left(), None);
}

#[test]
fn absolute_time_runs_out() {
    let mut clock = clock("absolute 60");
    assert_eq!(after(&mut clock, s(59)), (s(1), 0));
    assert_eq!(after(&mut clock, ms(1001)), (s(0), 0));
    clock.reset();
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
    assert_eq!(after(&mut clock, s(65)), (s(10), 3));
    assert_eq!(after(&mut clock, s(10)), (s(10), 3));
    assert_eq!(after(&mut clock, ms(10_001)), (s(10), 2));
    assert_eq!(clock.remaining(), Some(s(20)));
    assert_eq!(after(&mut clock, s(20)), (s(10), 1));
    assert_eq!(after(&mut clock, ms(10_001)), (s(10), 1));
}

#[test]
fn canadian_periods_start_anew() {
    let mut clock = clock("canadian 60 30 3");
    assert_eq!(after(&mut clock, s(60)), (s(30), 3));
    assert_eq!(after(&mut clock, s(10)), (s(20), 2));
    assert_eq!(after(&mut clock, s(20)), (s(0), 1));
    assert_eq!(after(&mut clock, s(0)), (s(30), 3));
    assert_eq!(after(&mut clock, s(31)), (s(30), 3));
}

#[test]
fn the_stone_that_enters_a_period_counts_in_it() {
    let mut clock = clock("canadian 60 30 3");
    assert_eq!(after(&mut clock, s(62)), (s(28), 2));
}

#[test]
fn fischer_adds_and_caps() {
    let mut plain = clock("fischer 10 2");
    assert_eq!(after(&mut plain, s(1)), (s(11), 0));
    assert_eq!(after(&mut plain, s(12)), (s(2), 0));
    let mut capped = clock("fischer-capped 10 2 11 5");
    assert_eq!(capped.remaining(), Some(s(5)));
    assert_eq!(after(&mut capped, s(0)), (s(11), 0));
    assert_eq!(after(&mut capped, ms(5001)), (ms(7999), 0));
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
    assert_eq!(after(&mut byo, s(31)), (s(10), 1));
    byo.set_left(s(5), 1);
    assert_eq!(byo.left(), Some((s(5), 1)));
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

#[test]
fn a_limit_is_longer_than_its_target_from_20_margins_on() {
    let budget = |left: u64| {
        let mut clock = clock("absolute 60");
        clock.set_left(ms(left), 0);
        clock.budget(20, ms(50)).unwrap()
    };
    // The margin of this move is not counted.
    for left in [100, 500, 1049] {
        assert_eq!(budget(left).limit, budget(left).target, "{left}");
    }
    for left in [1050, 1051, 60_000] {
        assert!(budget(left).limit > budget(left).target, "{left}");
    }
}

#[test]
fn time_that_the_clock_takes_away_is_not_saved() {
    let budget = |kata: &str, count: u32| {
        let mut clock = clock(kata);
        clock.set_left(s(30), count);
        let budget = clock.budget(20, ms(50)).unwrap();
        (budget.is_kept, budget.limit > budget.target)
    };
    assert_eq!(budget("canadian 60 30 10", 10), (true, true));
    assert!(budget("canadian 60 30 10", 2).0);
    assert_eq!(budget("canadian 60 30 10", 1), (false, false));
    assert_eq!(budget("byoyomi 60 30 3", 3), (false, false));
    assert!(budget("byoyomi 60 30 3", 0).0);
}

#[test]
fn the_moves_of_a_turn_share_its_time() {
    let began = Instant::now();
    let end = |played, moves| end_of_move(began, s(8), played, moves).unwrap() - began;
    assert_eq!(
        [0, 1, 2, 3].map(|played| end(played, 4)),
        [2, 4, 6, 8].map(s)
    );
    assert_eq!(end(0, 1), s(8));
    // A turn that is longer than expected still ends in time.
    assert_eq!([end(4, 4), end(0, 0)], [s(8), s(8)]);
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
        let spent = thought + ms(2);
        assert!(Some(spent) <= clock.remaining(), "{kata}: move {played}");
        clock.spend(spent);
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
    // Games that run much longer than estimated.
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
            if ms(elapsed) > most {
                break;
            }
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
