//! Thinking about a move under the limits that hold.

use std::time::{Duration, Instant};

use super::command::{Answer, Call};
use super::parse::GtpError;
use super::session::{Move, Session, Signal};
use crate::engine::Engine;
use crate::game::{Outcome, Seat};
use crate::params::Params;
use crate::play::Code;
use crate::search::{Limits, Report};

/// A search for a fixed time ends so much before its limit, so that the answer is
/// out in time.
const ANSWER_MARGIN: Duration = Duration::from_millis(2);

/// What a move costs on a clock beyond the time of its search: a client measures
/// its own share, too.
const CLOCK_MARGIN: Duration = Duration::from_millis(10);

/// A resignation takes this many weak moves running.
const WEAK_MOVES: u32 = 3;

pub(super) fn genmove(session: &mut Session, call: &Call<'_>) -> Result<Answer, GtpError> {
    let seat = call.colour(0, session.engine().ruleset())?;
    if let Some(outcome) = session.engine().outcome() {
        if matches!(outcome, Outcome::Winner(winner) if winner != seat) {
            return Ok("resign".into());
        }
        session.play(seat, &Move::Pass)?;
        return Ok("pass".into());
    }
    if seat != session.engine().to_move() {
        return Err(GtpError::WrongColor);
    }
    let begin = session.played();
    let word = turn(session, seat, call);
    match word {
        // What was played of the turn is taken back: nobody was told of it.
        Ok(Turn::Abandoned) | Err(_) => session.go_back_to(begin),
        Ok(_) => session.clock(seat).spend(call.control.received.elapsed()),
    }
    Ok(match word? {
        Turn::Moves(word) => word.into(),
        Turn::Resigned => "resign".into(),
        Turn::Abandoned => Answer::Abandoned,
    })
}

/// What came of thinking about a turn.
enum Turn {
    /// The moves that are left of it, played.
    Moves(String),
    /// None of them is worth it.
    Resigned,
    /// The client is gone.
    Abandoned,
}

/// Thinks about each move of a turn and plays it, until another side is to move.
fn turn(session: &mut Session, seat: Seat, call: &Call<'_>) -> Result<Turn, GtpError> {
    let signal = call.control.signal;
    let abandoned = || signal() == Signal::Abandon;
    let received = call.control.received;
    let budget = TurnBudget::new(session, seat);
    let mut line = Described::default();
    let mut moves: Vec<Code> = Vec::new();
    while !session.engine().is_over() && session.engine().to_move() == seat {
        if abandoned() {
            return Ok(Turn::Abandoned);
        }
        let begin = if moves.is_empty() {
            received
        } else {
            Instant::now()
        };
        let limits = budget.limits(session, moves.len() as u32, received, begin);
        let report = session.search(&limits, &|| signal() != Signal::GoOn);
        if abandoned() {
            return Ok(Turn::Abandoned);
        }
        // There is a move in every running game.
        let best = report.best().ok_or(GtpError::IllegalMove)?;
        let (mv, chance) = (best.mv, f64::from(best.value));
        line.add(&report, session.engine());
        if moves.is_empty() && session.note_chance(seat, chance) >= WEAK_MOVES {
            session.note_search(line.to_string());
            return Ok(Turn::Resigned);
        }
        session.play(seat, &Move::Turn(vec![mv]))?;
        moves.push(mv);
    }
    session.note_search(line.to_string());
    Ok(Turn::Moves(session.engine().notation().write_moves(&moves)))
}

/// What `tanada-last_search` says of the searches of a turn: value, visits and variation of the
/// first, iterations and seconds of all.
#[derive(Default)]
struct Described {
    first: Option<(f32, u32, String)>,
    iterations: u64,
    elapsed: Duration,
}

impl Described {
    fn add(&mut self, report: &Report<Code>, engine: &Engine) {
        self.iterations += report.iterations;
        self.elapsed += report.elapsed;
        if let (None, Some(best)) = (&self.first, report.best()) {
            let names = best
                .principal_variation
                .iter()
                .map(|&code| engine.name(code));
            let variation = names.collect::<Vec<_>>().join(" ");
            self.first = Some((best.value, best.visits, variation));
        }
    }
}

impl std::fmt::Display for Described {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (value, visits, variation) = self.first.clone().unwrap_or_default();
        let (iterations, seconds) = (self.iterations, self.elapsed.as_secs_f64());
        write!(
            f,
            "value {value:.4} visits {visits} iterations {iterations} seconds {seconds:.4} \
             pv {variation}"
        )
    }
}

pub(super) fn last_search(session: &mut Session, _: &Call<'_>) -> Result<Answer, GtpError> {
    match session.last_search() {
        Some(line) => Ok(line.into()),
        None => Err(GtpError::Other("no search in this game yet".into())),
    }
}

/// The time that a clock leaves for a turn.
struct TurnBudget {
    on_clock: Option<Duration>,
    moves: u32,
}

impl TurnBudget {
    fn new(session: &mut Session, seat: Seat) -> Self {
        let notation = session.engine().notation();
        let moves = notation.moves_in_turn().max(1);
        let turns_left = notation.moves_left().div_ceil(moves);
        Self {
            on_clock: session.clock(seat).budget(turns_left, CLOCK_MARGIN),
            moves,
        }
    }

    /// The limits of the search for the next move, after so many of the turn: `received` is when
    /// the turn began, `begin` when this move did.
    fn limits(&self, session: &Session, played: u32, received: Instant, begin: Instant) -> Limits {
        let params = session.engine().params();
        let iterations = (params.iterations > 0).then_some(params.iterations);
        let by_iterations_alone = iterations.is_some() && !session.has_explicit_time();
        // Of a clock's time each move gets the same part, with what the earlier ones left.
        let part = f64::from(played + 1) / f64::from(self.moves.max(played + 1));
        let end = match self.on_clock {
            Some(time) => received.checked_add(time.mul_f64(part)),
            None if by_iterations_alone => None,
            // A moment beyond what the system can say is no limit.
            None => begin.checked_add(time_per_move(params)),
        };
        Limits {
            deadline: end,
            iterations,
            ..Limits::default()
        }
    }
}

fn time_per_move(params: &Params) -> Duration {
    let time = Duration::try_from_secs_f64(params.time_per_move).unwrap_or(Duration::MAX);
    time.saturating_sub(ANSWER_MARGIN.min(time / 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gtp::session::Control;
    use crate::gtp::session::tests::{answer, session};
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    #[test]
    fn the_wrong_colour_is_refused() {
        let mut session = session(9);
        assert_eq!(answer(&mut session, "genmove w"), "? wrong color to move");
        assert_eq!(answer(&mut session, "genmove r"), "? wrong color to move");
        assert_eq!(answer(&mut session, "genmove"), "? syntax error");
        assert_eq!(answer(&mut session, "genmove x"), "? syntax error");
        assert!(session.engine().events().is_empty());
    }

    #[test]
    fn the_last_search_is_told_until_the_next_game() {
        let mut session = session(9);
        let none = "? no search in this game yet";
        assert_eq!(answer(&mut session, "tanada-last_search"), none);
        let played = answer(&mut session, "genmove b");
        let told = answer(&mut session, "tanada-last_search");
        let words: Vec<&str> = told.split(' ').collect();
        let value: f64 = words[2].parse().unwrap();
        assert_eq!(
            (words[1], words[3], words[5]),
            ("value", "visits", "iterations")
        );
        assert!((0.0..=1.0).contains(&value) && words[6] == "50", "{told}");
        assert_eq!((words[7], words[9]), ("seconds", "pv"));
        assert_eq!(format!("= {}", words[10]), played);
        assert_eq!(answer(&mut session, "clear_board"), "= ");
        assert_eq!(answer(&mut session, "tanada-last_search"), none);
    }

    #[test]
    fn limits_hold_as_they_were_asked_for() {
        let mut session = session(9);
        let now = Instant::now();
        let seat = session.engine().to_move();
        let mut limits = |lines: &[&str]| {
            for line in lines {
                assert_eq!(answer(&mut session, line), "= ", "{line}");
            }
            let limits = TurnBudget::new(&mut session, seat).limits(&session, 0, now, now);
            (limits.deadline.map(|at| at - now), limits.iterations)
        };
        let ms = Duration::from_millis;
        assert_eq!(limits(&[]), (None, Some(50)));
        assert_eq!(
            limits(&["tanada-param iterations 0"]),
            (Some(ms(998)), None)
        );
        let both = [
            "tanada-param iterations 9",
            "tanada-param time_per_move 0.5",
        ];
        assert_eq!(limits(&both), (Some(ms(498)), Some(9)));
        let clock = limits(&["time_settings 0 30 1"]);
        assert_eq!(clock, (Some(ms(29_990)), Some(9)));
        let left = limits(&["time_left b 5.5 1"]);
        assert_eq!(left, (Some(ms(5_490)), Some(9)));
        assert_eq!(limits(&["clear_board"]), clock);
        assert_eq!(limits(&["time_settings 0 1 0"]), (Some(ms(498)), Some(9)));
        let fischer = limits(&["kata-time_settings fischer 0 10"]);
        assert_eq!(fischer.0, Some(crate::clock::SMALLEST_BUDGET));
        assert_eq!(limits(&["kata-time_settings none"]).0, Some(ms(498)));
        assert_eq!(limits(&["tanada-param time_per_move 1000000"]).1, Some(9));
    }

    #[test]
    fn the_clock_runs_while_the_engine_thinks() {
        let mut session = session(9);
        answer(&mut session, "kata-time_settings absolute 60");
        answer(&mut session, "genmove b");
        let black = session.clock(Seat::ALL[0]).left().unwrap().0;
        let white = session.clock(Seat::ALL[1]).left().unwrap().0;
        assert!(black < white && white == Duration::from_secs(60));
    }

    #[test]
    fn a_search_answers_or_is_abandoned_when_told() {
        let mut session = session(9);
        answer(&mut session, "tanada-param iterations 0");
        answer(&mut session, "tanada-param time_per_move 100");
        let begin = Instant::now();
        for (signal, text) in [(Signal::Abandon, false), (Signal::AnswerNow, true)] {
            for first in [0, 50] {
                let moves = session.engine().events().len();
                let asked = AtomicU32::new(0);
                let control = Control {
                    received: begin,
                    signal: &|| match asked.fetch_add(1, Relaxed) {
                        n if n < first => Signal::GoOn,
                        _ => signal,
                    },
                };
                let line = if moves.is_multiple_of(2) {
                    "genmove b"
                } else {
                    "genmove w"
                };
                let response = session.execute(line.as_bytes(), &control);
                assert_eq!((response.text.is_some(), response.abandoned), (text, !text));
                assert_eq!(session.engine().events().len() > moves, text);
            }
        }
        assert!(begin.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn three_weak_moves_running_are_resigned() {
        let mut session = session(9);
        answer(&mut session, "tanada-param resign 1");
        let mut said = Vec::new();
        for line in [
            "genmove b",
            "genmove w",
            "genmove b",
            "genmove w",
            "genmove b",
        ] {
            said.push(answer(&mut session, line));
        }
        assert_eq!(said.iter().filter(|text| *text == "= resign").count(), 1);
        assert_eq!(said[4], "= resign");
        let board = answer(&mut session, "showboard");
        assert_eq!(answer(&mut session, "genmove b"), "= resign");
        assert_eq!(answer(&mut session, "showboard"), board);
        assert_eq!(answer(&mut session, "undo"), "= ");
        assert_ne!(answer(&mut session, "genmove w"), "= resign");
        answer(&mut session, "tanada-param resign 0");
        assert_ne!(answer(&mut session, "genmove b"), "= resign");
    }

    #[test]
    fn a_seed_repeats_the_moves_and_a_new_game_does_not_start_it_anew() {
        let mut session = session(9);
        let mut game = |lines: &[&str]| {
            let mut moves = String::new();
            for line in lines
                .iter()
                .chain(&["genmove b", "genmove w", "genmove b", "genmove w"])
            {
                moves.push_str(&answer(&mut session, line));
            }
            moves
        };
        let first = game(&["clear_board", "tanada-param seed 5"]);
        let others: Vec<String> = (0..8).map(|_| game(&["clear_board", "komi 0"])).collect();
        assert!(others.iter().any(|other| *other != first));
        assert_eq!(game(&["clear_board", "tanada-param seed 5"]), first);
    }
}
