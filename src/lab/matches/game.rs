//! One game: the runner holds the position, so that it knows at once what is legal and when the
//! game is over, whatever the engines say.

use std::time::{Duration, Instant};

use super::channel::{Fault, Supervisor};
use super::end::{End, EndKind};
use super::limit::Limit;
use super::plan::{Fixture, Plan};
use super::player::{Player, Silence, StartError, describe};
use super::record::MoveRecord;
use crate::clock::Clock;
use crate::engine::Engine;
use crate::game::{Outcome as Ended, Seat};
use crate::params::Params;
use crate::util::quote::shorten;
use crate::variant::MoveCode;

/// What came of a game.
#[derive(Debug)]
pub(super) struct Outcome {
    /// The moves, those of the opening first.
    pub(super) moves: Vec<MoveRecord>,
    /// Who won; none if nobody did alone.
    pub(super) winner: Option<Seat>,
    /// The places of those who share the point, where several do and not all.
    pub(super) sharing: Vec<usize>,
    /// How it ended.
    pub(super) end: End,
    /// Whether the engine that is to blame has to be started anew: it is gone, or nobody knows
    /// what its next line answers.
    pub(super) unusable: bool,
    /// What is worth knowing beside.
    pub(super) remarks: Vec<String>,
}

impl Outcome {
    /// A game that did not begin.
    pub(super) fn void(end: End) -> Self {
        Self {
            moves: Vec::new(),
            winner: None,
            sharing: Vec::new(),
            end,
            unusable: true,
            remarks: Vec::new(),
        }
    }
}

/// What a game is played with.
pub(super) struct GameSetting<'a> {
    pub(super) plan: &'a Plan,
    pub(super) fixture: &'a Fixture,
    pub(super) supervisor: &'a Supervisor<'a>,
    /// Told of every move.
    pub(super) watch: &'a dyn Fn(&Engine),
}

struct Game<'a, 'p> {
    table: &'a GameSetting<'a>,
    players: &'a mut [&'p mut Player],
    referee: Engine,
    clocks: Vec<Clock>,
    moves: Vec<MoveRecord>,
    remarks: Vec<String>,
}

/// Plays a game; `players` by place in the order of play.
pub(super) fn play(table: &GameSetting<'_>, players: &mut [&mut Player]) -> Outcome {
    let start = table.plan.configuration().start().clone();
    let clock = |player: &&mut Player| {
        Clock::new(
            player
                .spec
                .limit
                .control()
                .unwrap_or(crate::clock::TimeControl::Unlimited),
        )
    };
    let clocks = players.iter().map(clock).collect();
    let mut game = Game {
        table,
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
    let (winner, sharing) = game.settle(&end);
    if end.kind == EndKind::Normal {
        game.hear_claims();
    }
    Outcome {
        moves: game.moves,
        winner,
        sharing,
        end,
        unusable,
        remarks: game.remarks,
    }
}

impl Game<'_, '_> {
    /// Brings all engines to the end of the opening.
    fn set_up(&mut self) -> Result<(), End> {
        let GameSetting {
            plan,
            fixture,
            supervisor,
            ..
        } = *self.table;
        for (place, player) in self.players.iter_mut().enumerate() {
            let seed = fixture.seeds[place];
            player
                .new_game(plan.configuration(), seed, supervisor)
                .map_err(|error| match error {
                    StartError::Interrupted => interrupted(),
                    error => End::by(EndKind::Void, place, error.to_string()),
                })?;
        }
        for &code in &fixture.opening {
            let name = self.referee.name(code);
            let seat = self.referee.to_move();
            // The plan checked that the rules allow it.
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
                    Err(fault) => return Err(End::by(EndKind::Void, place, describe(&fault))),
                }
            }
            self.moves.push(MoveRecord::of_opening(name));
        }
        Ok(())
    }

    /// Who won, and who shares the point where nobody did alone: after a fault or a resignation
    /// those who are still in the game, without the one who is to blame.
    fn settle(&self, end: &End) -> (Option<Seat>, Vec<usize>) {
        let by = match (end.kind, end.by) {
            (EndKind::Normal, _) => return (self.referee.winner(), Vec::new()),
            (kind, Some(by)) if kind.is_scored() => by,
            _ => return (None, Vec::new()),
        };
        let seats = self.table.plan.seats();
        let in_play = self.referee.progress().in_play();
        let is_left = |place: &usize| *place != by && in_play.contains(&seats[*place]);
        let left: Vec<usize> = (0..seats.len()).filter(is_left).collect();
        match left[..] {
            [place] => (Some(seats[place]), Vec::new()),
            _ => (None, left),
        }
    }

    /// Plays from the opening to the end, and whether the engine that is to blame is unusable.
    fn run(&mut self) -> (End, bool) {
        while !self.referee.is_over() {
            (self.table.watch)(&self.referee);
            let seat = self.referee.to_move();
            // A seat that is to move is one of the players.
            let place = self
                .table
                .plan
                .seats()
                .iter()
                .position(|&s| s == seat)
                .unwrap_or(0);
            if let Err(end) = self.turn(seat, place) {
                return end;
            }
        }
        (self.table.watch)(&self.referee);
        (End::normal(), false)
    }

    /// One answer, a move or those left of a turn: asked for, judged, and told to the others.
    fn turn(&mut self, seat: Seat, place: usize) -> Result<(), (End, bool)> {
        let supervisor = self.table.supervisor;
        let limit = self.players[place].spec.limit;
        let margin = self.players[place].spec.margin();
        let time = match limit {
            Limit::Iterations(_) => None,
            Limit::TimePerMove(time) => Some(time),
            Limit::Clock(_) => self.clocks[place].remaining(),
        };
        let stall = Duration::try_from_secs_f64(self.table.plan.settings().stall);
        let grace = self.players[place].spec.grace();
        // A limit for a move holds for each of a turn; a clock runs through it.
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
        let thought = self.players[place]
            .think(seat, left, allowed, patience, supervisor)
            .map_err(|silence| silent(silence, place))?;
        let judged = self.judge(seat, &thought.answer);
        let moves = judged
            .as_ref()
            .map_or(moves_in_turn, |codes| codes.len() as u32);
        let time = in_turn(moves);
        if let Some(time) = time
            && thought.elapsed > time + margin
        {
            let late = (thought.elapsed - time).as_millis();
            let end = End::by(EndKind::Time, place, format!("{late} ms late"));
            return Err((end, false));
        }
        // Within the margin nothing is lost.
        self.clocks[place].spend(thought.elapsed.min(time.unwrap_or(Duration::MAX)));
        if thought.answer.eq_ignore_ascii_case("resign") {
            return Err((End::by(EndKind::Resigned, place, ""), false));
        }
        let Some(codes) = judged else {
            let end = illegal(place, &thought.answer);
            return Err((end, false));
        };
        let answer = self.referee.notation().write_moves(&codes);
        let left = self.clocks[place].left();
        for &code in &codes {
            let name = self.referee.name(code);
            // It was found legal just now.
            let _ = self.referee.play(code);
            self.moves.push(MoveRecord {
                vertex: name,
                seconds: Some(round(thought.elapsed.as_secs_f64() / f64::from(moves))),
                value: thought.value,
                visits: thought.visits,
                left: left.map(|(left, _)| round(left.as_secs_f64())),
            });
        }
        self.tell(seat, place, &answer)
    }

    /// The moves of an answer, if all of them are legal.
    fn judge(&mut self, seat: Seat, answer: &str) -> Option<Vec<MoveCode>> {
        let codes = self.referee.notation().read_moves(answer).ok()?;
        self.referee.play_turn(seat, &codes).ok()?;
        for _ in &codes {
            self.referee.undo();
        }
        Some(codes)
    }

    /// Tells the others of a legal move. Who refuses it loses.
    fn tell(&mut self, seat: Seat, mover: usize, name: &str) -> Result<(), (End, bool)> {
        for (place, player) in self.players.iter_mut().enumerate() {
            if place == mover {
                continue;
            }
            match player.play(seat, name, self.table.supervisor) {
                Ok(reply) if reply.is_ok => {}
                Ok(reply) => {
                    let text = shorten(&reply.text, 80);
                    let detail = format!("refuses the legal {name}: {text}");
                    return Err((End::by(EndKind::IllegalMove, place, detail), true));
                }
                Err(fault) => return Err(silent(Silence::Fault(fault), place)),
            }
        }
        Ok(())
    }

    /// Engines that say another result than the rules.
    fn hear_claims(&mut self) {
        let expected = match self.referee.outcome() {
            None => return,
            Some(Ended::Winner(seat)) => format!("{}+", self.referee.variant().letter(seat)),
            Some(Ended::Draw) => "0".to_string(),
        };
        for player in self.players.iter_mut() {
            let claim = player.final_score(self.table.supervisor);
            if let Some(claim) = claim
                && claim.chars().next().map(|c| c.to_ascii_uppercase()) != expected.chars().next()
            {
                self.remarks.push(format!(
                    "{} claims `{}`, by the rules it is `{expected}`",
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
        by: None,
        detail: String::new(),
    }
}

fn illegal(place: usize, answer: &str) -> End {
    let answer = shorten(answer, 60);
    End::by(
        EndKind::IllegalMove,
        place,
        format!("it answered `{answer}`"),
    )
}

/// The end that no answer, or none of use, leads to.
fn silent(silence: Silence, place: usize) -> (End, bool) {
    match silence {
        Silence::Refused(text) => (illegal(place, &format!("? {text}")), true),
        Silence::Fault(fault) => {
            let kind = match &fault {
                Fault::Interrupted => return (interrupted(), true),
                Fault::Crash(_) => EndKind::Crash,
                Fault::Disconnected => EndKind::Disconnected,
                Fault::Timeout | Fault::Deaf | Fault::Unasked(_) => EndKind::Stall,
                Fault::Garbage(_) => EndKind::IllegalMove,
            };
            (End::by(kind, place, describe(&fault)), true)
        }
    }
}

/// Seconds to the tenth of a millisecond: what a runner can know.
fn round(seconds: f64) -> f64 {
    (seconds * 1e4).round() / 1e4
}

/// The moment now in UTC, to the second.
pub(super) fn now() -> String {
    humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string()
}

/// How long a game took that began at `start`.
pub(super) fn since(start: Instant) -> f64 {
    round(start.elapsed().as_secs_f64())
}
