//! The moves: the player's, Tanada's, and taking them back.

use std::io::Write;
use std::time::{Duration, Instant};

use crate::game::Seat;
use crate::search::SearchLimits;
use crate::variant::MoveCode;

use super::super::super::counted;
use super::super::super::failure::shorten;
use super::super::told;
use super::{Dialogue, Loss, Out, Talk};

/// What a turn costs on the clock beyond the time of its searches.
const CLOCK_MARGIN: Duration = Duration::from_millis(20);

impl Dialogue {
    pub(super) fn player_move(
        &mut self,
        seat: Seat,
        word: &str,
        thought: Duration,
        out: &mut Out,
    ) -> Talk {
        let codes = match self.engine.notation().read_moves(word) {
            Ok(codes) => codes,
            Err(text) => return writeln!(out, "{text}, or see `help`."),
        };
        let Some(told) = self.play_all(seat, &codes) else {
            let (word, expected) = (shorten(word), self.engine.notation().expected_move());
            return writeln!(out, "`{word}` is illegal, expected {expected}.");
        };
        for text in told {
            writeln!(out, "{text}")?;
        }
        self.last = codes;
        if !self.is_over() && self.engine.to_move() == seat {
            // The turn goes on, and the time.
            return self.draw(out);
        }
        self.times.spend(seat, thought);
        self.others(seat, out)
    }

    /// Plays moves in a row, all by `seat`, and tells what they removed; none, and nothing played,
    /// if one of them is illegal.
    fn play_all(&mut self, seat: Seat, codes: &[MoveCode]) -> Option<Vec<String>> {
        let mut told = Vec::new();
        for (played, &code) in codes.iter().enumerate() {
            if self.engine.is_over()
                || self.engine.to_move() != seat
                || self.engine.play(code).is_err()
            {
                for _ in 0..played {
                    self.engine.undo();
                }
                return None;
            }
            told.extend(told::removals(&self.engine));
        }
        Some(told)
    }

    /// Lets Tanada play until it is the player's turn, and shows what came of it.
    pub(super) fn others(&mut self, player: Seat, out: &mut Out) -> Talk {
        let mut last = Vec::new();
        while !self.is_over() && self.engine.to_move() != player {
            let seat = self.engine.to_move();
            self.engine_turn(seat, out)?;
            if self.is_stopped() {
                return Ok(());
            }
            last.append(&mut self.last);
        }
        if !last.is_empty() {
            self.last = last;
        }
        self.draw(out)?;
        if self.is_over() {
            return self.tell_end(out);
        }
        self.tell_times(None, out)?;
        self.began = Instant::now();
        Ok(())
    }

    /// Tanada's moves of one turn.
    fn engine_turn(&mut self, seat: Seat, out: &mut Out) -> Talk {
        let colour = self.engine.variant().colour(seat);
        write!(out, "Tanada plays {colour} ")?;
        out.flush()?;
        let began = Instant::now();
        let steps = self.engine.progress().moves_in_turn().max(1);
        let turns = self.engine.progress().moves_left().div_ceil(steps);
        let budget = self.times.budget(seat, turns, CLOCK_MARGIN);
        let mut moves = Vec::new();
        let mut told = Vec::new();
        self.thought = None;
        while !self.engine.is_over() && self.engine.to_move() == seat {
            let played = moves.len() as u32 + 1;
            let part = f64::from(played) / f64::from(steps.max(played));
            let end = budget.and_then(|time| began.checked_add(time.mul_f64(part)));
            let found = self.decide(end);
            if self.is_stopped() {
                // The turn is thought about again, and whole, when the game goes on.
                for _ in &moves {
                    self.engine.undo();
                }
                self.thought = None;
                return writeln!(out);
            }
            let Some(code) = found else { break };
            if self.engine.play(code).is_err() {
                break;
            }
            moves.push(code);
            told.extend(told::removals(&self.engine));
        }
        writeln!(out, "{}", self.engine.notation().write_moves(&moves))?;
        for text in told {
            writeln!(out, "{text}")?;
        }
        self.last = moves;
        if self.times.spend(seat, began.elapsed()) && !self.engine.is_over() {
            self.loss = Some(Loss::Time(seat));
        }
        Ok(())
    }

    /// Tanada's next move, by the level.
    fn decide(&mut self, end: Option<Instant>) -> Option<MoveCode> {
        let legal = self.engine.legal();
        if self.random.below(100) < self.level.slips {
            let drawn = self.random.below(legal.len().max(1) as u32) as usize;
            self.thought
                .get_or_insert("It drew its last move at random.".to_string());
            return legal.get(drawn).copied();
        }
        let own = self.settings.limits();
        let limits = SearchLimits {
            iterations: self.level.iterations.or(own.iterations),
            deadline: match (end, self.level.iterations) {
                (Some(end), _) => Some(end),
                (None, Some(_)) => None,
                (None, None) => own.deadline,
            },
            ..SearchLimits::default()
        };
        let report = self.search_within(&limits);
        let best = report.best()?;
        let percent = 100.0 * best.value;
        self.thought.get_or_insert_with(|| {
            let name = self.engine.name(best.mv);
            let iterations = counted(report.iterations, "iteration", "iterations");
            format!("It gave itself {percent:.0} % with {name}, after {iterations}.")
        });
        Some(best.mv)
    }

    pub(super) fn undo(&mut self, seat: Seat, out: &mut Out) -> Talk {
        let mut since = self.engine.events().iter().skip(self.kept);
        if !since.any(|&(mover, _)| mover == seat) {
            return writeln!(out, "There is no move of yours to take back.");
        }
        if let Some(Loss::Time(late)) = self.loss
            && self.times.is_over(late, Duration::from_nanos(1))
        {
            return writeln!(
                out,
                "There is no time left to go on with; `new` begins another game."
            );
        }
        if self.is_over() {
            // Nobody's time ran since the end.
            self.began = Instant::now();
        }
        self.loss = None;
        while let Some(&(mover, _)) = self.engine.events().last() {
            self.engine.undo();
            if mover == seat {
                break;
            }
        }
        self.last = Vec::new();
        self.thought = None;
        self.draw(out)?;
        let limited = self.times.is_limited();
        writeln!(
            out,
            "Taken back{}.",
            if limited { "; the clocks are not" } else { "" }
        )
    }
}
