//! Plays one game. The runner keeps the position itself: it decides what is legal and when the game
//! is over, whatever the engines say.

use std::time::{Duration, Instant};

use super::channel::{Fault, Supervisor};
use super::client::{EngineClient, EngineStartError, GenmoveError};
use super::end::{End, EndKind};
use super::limit::Limit;
use super::plan::{Plan, ScheduledGame};
use super::record::MoveRecord;
use crate::clock::{Clock, TimeControl};
use crate::engine::Engine;
use crate::game::{Outcome, Seat};
use crate::params::Params;
use crate::util::quote::shorten;
use crate::variant::MoveCode;

#[derive(Debug, Default)]
pub(super) struct GameResult {
    /// The moves, those of the opening first.
    pub(super) moves: Vec<MoveRecord>,
    /// The only winner, if there is one.
    pub(super) winner: Option<Seat>,
    /// The places of those who share the point, if several do but not all.
    pub(super) sharing: Vec<usize>,
    pub(super) end: End,
    /// Whether the engine that caused the end needs a new process: it is gone, or its next line may
    /// answer an earlier command.
    pub(super) unusable: bool,
    pub(super) remarks: Vec<String>,
}

/// What a game needs besides its players.
pub(super) struct GameContext<'a> {
    pub(super) plan: &'a Plan,
    pub(super) scheduled: &'a ScheduledGame,
    pub(super) supervisor: &'a Supervisor<'a>,
    /// Called with every position.
    pub(super) watch: &'a dyn Fn(&Engine),
}

struct Game<'a, 'p> {
    context: &'a GameContext<'a>,
    players: &'a mut [&'p mut EngineClient],
    referee: Engine,
    clocks: Vec<Clock>,
    moves: Vec<MoveRecord>,
    remarks: Vec<String>,
}

/// Plays a game; `players` are in the order of play.
pub(super) fn play(context: &GameContext<'_>, players: &mut [&mut EngineClient]) -> GameResult {
    let start = context.plan.configuration().start().clone();
    let clock = |player: &&mut EngineClient| match player.spec.limit {
        Limit::Clock(control) => Clock::new(control),
        _ => Clock::new(TimeControl::Unlimited),
    };
    let clocks = players.iter().map(clock).collect();
    let mut game = Game {
        context,
        players,
        referee: Engine::new(start, Params::default()),
        clocks,
        moves: Vec::new(),
        remarks: Vec::new(),
    };
    let (end, unusable) = match game.set_up() {
        Err(end) => (end, true),
        Ok(()) => game.run(),
    };
    let (winner, sharing) = game.winners(&end);
    if end.kind == EndKind::Normal {
        game.check_claims();
    }
    GameResult {
        moves: game.moves,
        winner,
        sharing,
        end,
        unusable,
        remarks: game.remarks,
    }
}

impl Game<'_, '_> {
    /// Sets up all engines and plays the opening.
    fn set_up(&mut self) -> Result<(), End> {
        let context = self.context;
        let (scheduled, supervisor) = (context.scheduled, context.supervisor);
        for (place, player) in self.players.iter_mut().enumerate() {
            let seed = scheduled.seeds[place];
            player
                .new_game(context.plan.configuration(), seed, supervisor)
                .map_err(|error| match error {
                    EngineStartError::Interrupted => interrupted(),
                    error => End::by(EndKind::Void, place, error.to_string()),
                })?;
        }
        for &code in &scheduled.opening {
            let name = self.referee.name(code);
            let seat = self.referee.to_move();
            // The plan has checked that it is legal.
            let _ = self.referee.play(code);
            for (place, player) in self.players.iter_mut().enumerate() {
                match player.play(seat, &name, supervisor) {
                    Ok(reply) if reply.is_ok => {}
                    Ok(reply) => {
                        let text = shorten(&reply.text, 80);
                        let detail = format!("refuses {name} of the opening: {text}");
                        return Err(End::by(EndKind::Void, place, detail));
                    }
                    Err(Fault::Interrupted) => return Err(interrupted()),
                    Err(fault) => return Err(End::by(EndKind::Void, place, fault.to_string())),
                }
            }
            self.moves.push(MoveRecord {
                vertex: name,
                ..MoveRecord::default()
            });
        }
        Ok(())
    }

    /// The only winner, or the places of those who share the point. After a fault or a resignation
    /// everybody still in the game wins, except the player who caused the end.
    fn winners(&self, end: &End) -> (Option<Seat>, Vec<usize>) {
        let by = match (end.kind, end.by) {
            (EndKind::Normal, _) => return (self.referee.winner(), Vec::new()),
            (kind, Some(by)) if kind.is_scored() => by,
            _ => return (None, Vec::new()),
        };
        let seats = self.context.plan.seats();
        let in_play = self.referee.progress().in_play();
        let is_left = |place: &usize| *place != by && in_play.contains(&seats[*place]);
        let left: Vec<usize> = (0..seats.len()).filter(is_left).collect();
        match left[..] {
            [place] => (Some(seats[place]), Vec::new()),
            _ => (None, left),
        }
    }

    /// Plays to the end. Returns it, and whether the engine that caused it is unusable.
    fn run(&mut self) -> (End, bool) {
        while !self.referee.is_over() {
            (self.context.watch)(&self.referee);
            let seat = self.referee.to_move();
            // Only players come to move.
            let mut seats = self.context.plan.seats().iter();
            let place = seats.position(|&s| s == seat).unwrap_or(0);
            if let Err(end) = self.turn(seat, place) {
                return end;
            }
        }
        (self.context.watch)(&self.referee);
        (End::normal(), false)
    }

    /// Asks for a move (or for the rest of a turn), checks it, and tells the others.
    fn turn(&mut self, seat: Seat, place: usize) -> Result<(), (End, bool)> {
        let supervisor = self.context.supervisor;
        let spec = &self.players[place].spec;
        let (limit, margin, grace) = (spec.limit, spec.margin(), spec.grace());
        let time = match limit {
            Limit::Iterations(_) => None,
            Limit::TimePerMove(time) => Some(time),
            Limit::Clock(_) => self.clocks[place].remaining(),
        };
        let stall = Duration::try_from_secs_f64(self.context.plan.settings().stall);
        // A limit a move holds for each move of a turn; a clock covers the whole turn.
        let in_turn = |moves: u32| match limit {
            Limit::TimePerMove(time) => Some(time.saturating_mul(moves)),
            _ => time,
        };
        let moves_in_turn = self.referee.progress().moves_in_turn().max(1);
        let allowed = in_turn(moves_in_turn).map(|time| time.saturating_add(margin));
        let patience = match allowed {
            Some(time) => time.saturating_add(grace),
            None => stall.unwrap_or(Duration::MAX),
        };
        let left = self.clocks[place].left();
        let answer = self.players[place]
            .genmove(seat, left, allowed, patience, supervisor)
            .map_err(|error| no_move(&error, place))?;
        let judged = self.read_legal(seat, &answer.text);
        let judged_moves = judged.as_ref().map(|codes| codes.len() as u32);
        let moves = judged_moves.unwrap_or(moves_in_turn);
        let time = in_turn(moves);
        if let Some(time) = time
            && answer.elapsed > time + margin
        {
            let late = (answer.elapsed - time).as_millis();
            let end = End::by(EndKind::Time, place, format!("{late} ms late"));
            return Err((end, false));
        }
        // An answer within the margin costs the whole time, but no more.
        self.clocks[place].spend(answer.elapsed.min(time.unwrap_or(Duration::MAX)));
        if answer.text.eq_ignore_ascii_case("resign") {
            return Err((End::by(EndKind::Resigned, place, ""), false));
        }
        let codes = judged.ok_or_else(|| (illegal(place, &answer.text), false))?;
        let name = self.referee.notation().write_moves(&codes);
        let left = self.clocks[place].left();
        for &code in &codes {
            let name = self.referee.name(code);
            // Checked above.
            let _ = self.referee.play(code);
            self.moves.push(MoveRecord {
                vertex: name,
                seconds: Some(round(answer.elapsed.as_secs_f64() / f64::from(moves))),
                value: answer.value,
                visits: answer.visits,
                left: left.map(|(left, _)| round(left.as_secs_f64())),
            });
        }
        self.tell(seat, place, &name)
    }

    /// Reads the moves of an answer; `None` if one of them is illegal.
    fn read_legal(&mut self, seat: Seat, answer: &str) -> Option<Vec<MoveCode>> {
        let codes = self.referee.notation().read_moves(answer).ok()?;
        self.referee.play_turn(seat, &codes).ok()?;
        for _ in &codes {
            self.referee.undo();
        }
        Some(codes)
    }

    /// Tells the others of a legal move. An engine that refuses it loses.
    fn tell(&mut self, seat: Seat, mover: usize, name: &str) -> Result<(), (End, bool)> {
        for (place, player) in self.players.iter_mut().enumerate() {
            if place == mover {
                continue;
            }
            match player.play(seat, name, self.context.supervisor) {
                Ok(reply) if reply.is_ok => {}
                Ok(reply) => {
                    let text = shorten(&reply.text, 80);
                    let detail = format!("refuses the legal {name}: {text}");
                    return Err((End::by(EndKind::IllegalMove, place, detail), true));
                }
                Err(fault) => return Err(no_move(&GenmoveError::Fault(fault), place)),
            }
        }
        Ok(())
    }

    /// Notes engines that claim a result other than the one that the rules give.
    fn check_claims(&mut self) {
        let expected = match self.referee.outcome() {
            None => return,
            Some(Outcome::Winner(seat)) => format!("{}+", self.referee.variant().letter(seat)),
            Some(Outcome::Draw) => "0".to_string(),
        };
        for player in self.players.iter_mut() {
            let claim = player.query("final_score", self.context.supervisor);
            if let Some(claim) = claim
                && claim.chars().next().map(|c| c.to_ascii_uppercase()) != expected.chars().next()
            {
                self.remarks.push(format!(
                    "{} claims `{}`; by the rules the result is `{expected}`",
                    player.spec.name,
                    shorten(&claim, 40),
                ));
            }
        }
    }
}

fn interrupted() -> End {
    End {
        kind: EndKind::Interrupted,
        ..End::default()
    }
}

fn illegal(place: usize, answer: &str) -> End {
    let detail = format!("it answered `{}`", shorten(answer, 60));
    End::by(EndKind::IllegalMove, place, detail)
}

/// The end of a game in which an engine made no move, and that its process is unusable.
fn no_move(error: &GenmoveError, place: usize) -> (End, bool) {
    let end = match error {
        GenmoveError::Refused(text) => illegal(place, &format!("? {text}")),
        GenmoveError::Fault(fault) => {
            let kind = match fault {
                Fault::Interrupted => return (interrupted(), true),
                Fault::Crash(_) => EndKind::Crash,
                Fault::Disconnected => EndKind::Disconnected,
                Fault::Timeout | Fault::Deaf | Fault::Unasked(_) => EndKind::Stall,
                Fault::Garbage(_) => EndKind::IllegalMove,
            };
            End::by(kind, place, fault.to_string())
        }
    };
    (end, true)
}

/// Seconds to the tenth of a millisecond, the precision of a runner.
fn round(seconds: f64) -> f64 {
    (seconds * 1e4).round() / 1e4
}

/// The present time in UTC, to the second.
pub(super) fn now() -> String {
    humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string()
}

/// Seconds since `start`.
pub(super) fn since(start: Instant) -> f64 {
    round(start.elapsed().as_secs_f64())
}
