//! Commands that search for a move, and usually play it.

use std::time::{Duration, Instant};

use super::call::{Answer, Call, Reply, Signal};
use super::live_gfx;
use super::paced_search::{SearchObserver, paced_search};
use super::parse::GtpError;
use super::search_info;
use super::session::{LastReport, Move, Session};
use super::turn_budget::TurnBudget;
use crate::engine::Engine;
use crate::game::{Outcome, Seat};
use crate::search::Report;
use crate::variant::MoveCode;

/// The engine resigns at this many weak moves in a row.
const WEAK_MOVES: u32 = 3;

pub(super) fn genmove(session: &mut Session, call: &Call<'_>) -> Reply {
    let seat = seat(session, call)?;
    let mut drawn = false;
    let mut draw = |engine: &Engine, report: &Report<MoveCode>| {
        if let Some(picture) = live_gfx::picture(engine, report) {
            (call.control.draw)(&picture);
            drawn = true;
        }
    };
    let mut observer = SearchObserver {
        interval: live_gfx::INTERVAL,
        show: &mut draw,
    };
    let observer = session.is_gogui.then_some(&mut observer);
    let found = move_of(session, seat, call, observer)?;
    if drawn {
        (call.control.draw)(live_gfx::CLEAR);
    }
    Ok(found.map_or(Answer::Abandoned, Answer::Text))
}

/// The seat that a command is to move for. It must be the side to move while the game runs.
pub(super) fn seat(session: &Session, call: &Call<'_>) -> Result<Seat, GtpError> {
    let engine = session.engine();
    let seat = call.colour(0, engine.variant())?;
    if engine.is_over() || seat == engine.to_move() {
        Ok(seat)
    } else {
        Err(GtpError::WrongColor)
    }
}

/// The answer in a finished game, except to a player who has lost.
const PASS: &str = "pass";
/// The answer in a lost position, and in a finished game to a player who has lost.
const RESIGN: &str = "resign";

/// The answer in a finished game: `resign` if another player has won, else `pass`.
pub(super) fn word_at_end(session: &Session, seat: Seat) -> Option<&'static str> {
    session.engine().outcome().map(|outcome| match outcome {
        Outcome::Winner(winner) if winner != seat => RESIGN,
        _ => PASS,
    })
}

/// Searches for a move, or for the remaining moves of a turn, and plays it. Returns the move,
/// `pass` or `resign`, or `None` if the client is gone.
pub(super) fn move_of(
    session: &mut Session,
    seat: Seat,
    call: &Call<'_>,
    observer: Option<&mut SearchObserver<'_>>,
) -> Result<Option<String>, GtpError> {
    if let Some(word) = word_at_end(session, seat) {
        if word == PASS {
            session.play(seat, &Move::Pass)?;
        }
        return Ok(Some(word.into()));
    }
    let begin = session.played();
    let signal = call.control.signal;
    let stop = || signal() != Signal::GoOn;
    let found = turn(session, seat, call, &stop, observer, Notes::Kept);
    match found {
        // The client does not know about the moves that were played, so they are taken back.
        Ok(None) | Err(_) => session.go_back_to(begin),
        Ok(Some(_)) => {
            session.clocks[seat].spend(call.control.received.elapsed());
            session.allow_pondering(true);
        }
    }
    found
}

pub(super) fn search_cancellable(session: &mut Session, call: &Call<'_>) -> Reply {
    let seat = seat(session, call)?;
    if let Some(word) = word_at_end(session, seat) {
        return Ok(word.into());
    }
    let begin = session.played();
    let (signal, has_news) = (call.control.signal, call.control.has_news);
    let stop = || signal() != Signal::GoOn || has_news();
    let found = turn(session, seat, call, &stop, None, Notes::None);
    session.go_back_to(begin);
    Ok(match found? {
        None => Answer::Abandoned,
        Some(_) if has_news() => "cancelled".into(),
        Some(word) => word.into(),
    })
}

/// Whether a search counts for resigning and for `tanada-last_search`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Notes {
    Kept,
    None,
}

/// Searches for each move of a turn and plays it, until another side is to move. Returns the moves,
/// `resign` if the position is lost, or `None` if the client is gone.
fn turn(
    session: &mut Session,
    seat: Seat,
    call: &Call<'_>,
    stop: &(dyn Fn() -> bool + Sync),
    mut observer: Option<&mut SearchObserver<'_>>,
    notes: Notes,
) -> Result<Option<String>, GtpError> {
    let signal = call.control.signal;
    let abandoned = || signal() == Signal::Abandon;
    let received = call.control.received;
    let budget = TurnBudget::new(session, seat);
    let mut summary = Summary::default();
    let mut moves: Vec<MoveCode> = Vec::new();
    let mut begin = received;
    while !session.engine().is_over() && session.engine().to_move() == seat {
        if abandoned() {
            return Ok(None);
        }
        let budget = budget.next(session, moves.len() as u32, received, begin);
        let report = paced_search(session.engine_mut(), &budget, stop, observer.as_deref_mut());
        if abandoned() {
            return Ok(None);
        }
        if notes == Notes::Kept {
            session.last_report = Some(LastReport {
                events: session.engine().events().len(),
                report: report.clone(),
            });
        }
        // A running game always has a legal move.
        let best = report.best().ok_or(GtpError::IllegalMove)?;
        let (mv, chance) = (best.mv, f64::from(best.value));
        summary.add(&report, session.engine());
        if notes == Notes::Kept
            && moves.is_empty()
            && session.note_chance(seat, chance) >= WEAK_MOVES
        {
            session.last_search = Some(summary.line());
            return Ok(Some(RESIGN.into()));
        }
        session.play(seat, &Move::Turn(vec![mv]))?;
        moves.push(mv);
        begin = Instant::now();
    }
    if notes == Notes::Kept {
        session.last_search = Some(summary.line());
    }
    Ok(Some(session.engine().notation().write_moves(&moves)))
}

/// The searches of a turn, as `tanada-last_search` shows them: value, visits and variation of the
/// first, iterations and seconds of all.
#[derive(Default)]
struct Summary {
    first: Option<(f32, u32, String)>,
    iterations: u64,
    elapsed: Duration,
}

impl Summary {
    fn add(&mut self, report: &Report<MoveCode>, engine: &Engine) {
        self.iterations += report.iterations;
        self.elapsed += report.elapsed;
        if let (None, Some(best)) = (&self.first, report.best()) {
            let variation = search_info::names(engine, &best.principal_variation);
            self.first = Some((best.value, best.visits, variation));
        }
    }

    fn line(&self) -> String {
        let (value, visits, variation) = self.first.clone().unwrap_or_default();
        let (iterations, seconds) = (self.iterations, self.elapsed.as_secs_f64());
        format!(
            "value {value:.4} visits {visits} iterations {iterations} seconds {seconds:.4} \
             pv {variation}"
        )
    }
}

pub(super) fn last_search(session: &mut Session, _: &Call<'_>) -> Reply {
    let line = session.last_search.clone();
    Ok(line.ok_or_else(search_info::no_search)?.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gtp::call::Control;
    use crate::gtp::session::tests::session;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    #[test]
    fn the_last_search_is_told_until_the_next_game() {
        let mut session = session(9);
        let none = "? no search in this game yet";
        session.check("tanada-last_search", none);
        let played = session.answer("genmove b");
        let told = session.answer("tanada-last_search");
        let words: Vec<&str> = told.split(' ').collect();
        let value: f64 = words[2].parse().unwrap();
        let keys = [1, 3, 5, 7, 9].map(|place| words[place]);
        assert_eq!(keys.join(" "), "value visits iterations seconds pv");
        assert!((0.0..=1.0).contains(&value) && words[6] == "50", "{told}");
        assert_eq!(format!("= {}", words[10]), played);
        session.check("clear_board", "= ");
        session.check("tanada-last_search", none);
    }

    #[test]
    fn the_clock_runs_while_the_engine_thinks() {
        let mut session = session(9);
        session.check("kata-time_settings absolute 60", "= ");
        session.answer("genmove b");
        let black = session.clocks[Seat::ALL[0]].left().unwrap().0;
        let white = session.clocks[Seat::ALL[1]].left().unwrap().0;
        assert!(black < white && white == Duration::from_secs(60));
    }

    #[test]
    fn a_search_answers_or_is_abandoned_when_told() {
        let mut session = session(9);
        session.accept("tanada-param iterations none; tanada-param time_per_move 100");
        let begin = Instant::now();
        for (signal, text) in [(Signal::Abandon, false), (Signal::AnswerNow, true)] {
            for first in [0, 50] {
                let moves = session.engine().events().len();
                let asked = AtomicU32::new(0);
                let signals = || match asked.fetch_add(1, Relaxed) {
                    n if n < first => Signal::GoOn,
                    _ => signal,
                };
                let control = Control::new(begin, &signals);
                let line = [b"genmove b", b"genmove w"][moves % 2];
                let response = session.execute(line, &control);
                assert_eq!((response.text.is_some(), response.abandoned), (text, !text));
                assert_eq!(session.engine().events().len() > moves, text);
            }
        }
        assert!(begin.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn three_weak_moves_running_are_resigned() {
        let mut session = session(9);
        session.check("tanada-param resign 1", "= ");
        for colour in ["b", "w", "b", "w"] {
            assert_ne!(session.answer(format!("genmove {colour}")), "= resign");
        }
        session.check("genmove b", "= resign");
        let board = session.answer("showboard");
        session.check("genmove b", "= resign");
        session.check("showboard", board);
        session.check("undo", "= ");
        assert_ne!(session.answer("genmove w"), "= resign");
        session.check("tanada-param resign 0", "= ");
        assert_ne!(session.answer("genmove b"), "= resign");
    }

    #[test]
    fn a_seed_repeats_the_moves_and_a_new_game_does_not_start_it_anew() {
        let mut session = session(9);
        session.check("tanada-param evaluation_noise 0.2", "= ");
        let mut game = |lines: &[&str]| {
            let mut moves = String::new();
            for line in lines
                .iter()
                .chain(&["genmove b", "genmove w", "genmove b", "genmove w"])
            {
                moves.push_str(&session.answer(line));
            }
            moves
        };
        let first = game(&["clear_board", "tanada-param seed 5"]);
        let others: Vec<String> = (0..8).map(|_| game(&["clear_board", "komi 0"])).collect();
        assert!(others.iter().any(|other| *other != first));
        assert_eq!(game(&["clear_board", "tanada-param seed 5"]), first);
    }
}
