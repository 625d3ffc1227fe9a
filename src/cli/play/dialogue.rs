//! The talk with the player: lines in, text out. It reads no stream, so that tests can lead it.

mod begin;

use std::io::{self, Write};
use std::time::{Duration, Instant};

use tanada::clock::TimeControl;
use tanada::engine::Engine;
use tanada::game::{Outcome, Seat};
use tanada::play::{Code, Sheet};
use tanada::random::Random;
use tanada::search::Limits;

use super::super::failure::shorten;
use super::super::game;
use super::super::options::Settings;
use super::board::drawing;
use super::editor::Editor;
use super::levels::{self, Level};
use super::times::Times;
use super::words::{self, PLAY};

/// What a turn costs on the clock beyond the time of its searches.
const CLOCK_MARGIN: Duration = Duration::from_millis(20);

/// What was asked for.
pub(super) struct Wishes {
    /// The game so far; its moves can be played.
    pub(super) game: Sheet,
    /// How Tanada thinks.
    pub(super) settings: Settings,
    /// How strong it plays.
    pub(super) level: Level,
    /// The clocks.
    pub(super) control: TimeControl,
    /// Whether boards have colours.
    pub(super) colours: bool,
}

/// What the next line is an answer to.
enum Stage {
    /// Who plays what?
    Choose,
    /// Tanada has made the first move: which colour does the player take?
    Pie,
    /// What is the start position?
    Edit(Editor),
    /// What does the player, of this seat, do?
    Play(Seat),
}

/// How a game ended that the rules have not ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Loss {
    Time(Seat),
    Resigned(Seat),
}

/// A game between a person and Tanada, and the talk about it.
pub(super) struct Dialogue {
    pub(super) engine: Engine,
    /// The game as it was before the talk.
    loaded: Sheet,
    settings: Settings,
    level: Level,
    control: TimeControl,
    times: Times,
    colours: bool,
    stage: Stage,
    loss: Option<Loss>,
    /// So many moves cannot be taken back: those up to Tanada's with `pie`. Moves of a game that
    /// was loaded can.
    kept: usize,
    /// When the turn of the player began.
    began: Instant,
    /// The moves since the player's last one, or that one.
    last: Vec<Code>,
    /// How the colours came about, for the record.
    how: String,
    /// What Tanada thought at its last move.
    thought: Option<String>,
    /// Which moves are drawn at random.
    random: Random,
    /// The file that was saved last, which may be written again.
    pub(super) saved: Option<String>,
}

type Talk = io::Result<()>;

impl Dialogue {
    /// Before the first line.
    pub(super) fn new(wishes: Wishes) -> Self {
        let Wishes {
            game,
            settings,
            level,
            control,
            colours,
        } = wishes;
        let random = Random::part(settings.params.seed, 1);
        let last = game.moves.last().map(|played| played.mv);
        Self {
            engine: game::engine(&game, settings.params.clone()),
            loaded: game,
            settings,
            level,
            control,
            times: Times::new(control),
            colours,
            stage: Stage::Choose,
            loss: None,
            kept: 0,
            began: Instant::now(),
            last: last.into_iter().collect(),
            how: String::new(),
            thought: None,
            random,
            saved: None,
        }
    }

    /// Shows the start position, and asks who plays what.
    pub(super) fn begin(&mut self, out: &mut dyn Write) -> Talk {
        let ruleset = self.engine.ruleset();
        writeln!(out, "{}\n{}\n", ruleset.credit(), ruleset.summary())?;
        self.draw(out)?;
        self.tell_loaded(out)?;
        let level = self.level;
        writeln!(out, "Level {}: {}.", level.name, level.meaning())?;
        self.ask(out)
    }

    /// What stands before the next line.
    pub(super) fn prompt(&self) -> String {
        match &self.stage {
            Stage::Choose | Stage::Pie => "your colour> ".to_string(),
            Stage::Edit(_) => "start position> ".to_string(),
            Stage::Play(_) if self.is_over() => "game over> ".to_string(),
            Stage::Play(seat) => format!("{}> ", self.engine.ruleset().colour(*seat)),
        }
    }

    /// Takes a line that came at `received`; whether the talk goes on.
    ///
    /// # Errors
    /// Output that cannot be written.
    pub(super) fn line(
        &mut self,
        line: &str,
        received: Instant,
        out: &mut dyn Write,
    ) -> io::Result<bool> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let first = words.first().map_or(String::new(), |w| w.to_lowercase());
        if ["quit", "exit", "q"].contains(&first.as_str()) && words.len() == 1 {
            return Ok(false);
        }
        if words.is_empty() {
            return Ok(true);
        }
        match &self.stage {
            Stage::Choose => self.choose(&first, &words, out)?,
            Stage::Pie => self.take_colour(&words, out)?,
            Stage::Edit(_) => self.edit(&first, &words, out)?,
            Stage::Play(seat) => {
                let seat = *seat;
                self.play(seat, &first, &words, received, out)?;
            }
        }
        Ok(true)
    }

    fn change_level(&mut self, words: &[&str], out: &mut dyn Write) -> Talk {
        let name = words.get(1..).unwrap_or_default().join(" ");
        if name.is_empty() {
            return write!(
                out,
                "The level is {}, of\n{}",
                self.level.name,
                levels::list()
            );
        }
        match Level::find(&name) {
            Ok(level) => {
                self.level = level;
                writeln!(out, "Level {}: {}.", level.name, level.meaning())
            }
            Err(error) => writeln!(out, "{error}."),
        }
    }

    /// A line while the game is played, or after its end.
    fn play(
        &mut self,
        seat: Seat,
        first: &str,
        words: &[&str],
        received: Instant,
        out: &mut dyn Write,
    ) -> Talk {
        let thought = received.saturating_duration_since(self.began);
        if !self.is_over() && self.times.is_over(seat, thought) {
            self.times.spend(seat, thought);
            self.loss = Some(Loss::Time(seat));
            return self.tell_end(out);
        }
        match (first, words.len()) {
            ("save", 2..) => {
                let path = words.get(1..).unwrap_or_default().join(" ");
                words::save(self, &path, out)
            }
            ("save", _) => writeln!(out, "`save` lacks a file, expected such as save game.sgf."),
            ("level", _) => self.change_level(words, out),
            ("board", 1) => self.draw(out),
            ("help", 1) => writeln!(
                out,
                "{PLAY}  a move      {}",
                self.engine.notation().expected_move()
            ),
            ("time" | "clock", 1) => {
                let running = (!self.is_over()).then_some((seat, thought));
                self.tell_times(running, out)
            }
            ("undo", 1) => self.undo(seat, out),
            ("hint" | "why" | "resign", 1) if self.is_over() => {
                writeln!(out, "The game is over.")
            }
            ("hint", 1) => words::hint(self, out),
            ("why", 1) => words::why(self, out),
            ("resign", 1) => {
                self.times.spend(seat, thought);
                self.loss = Some(Loss::Resigned(seat));
                self.tell_end(out)
            }
            _ if self.is_over() => {
                writeln!(
                    out,
                    "The game is over, expected undo, save FILE, board or quit."
                )
            }
            (_, 1) => self.player_move(seat, words.concat().as_str(), thought, out),
            _ => {
                let text = shorten(&words.join(" "));
                writeln!(out, "`{text}` is no move and no command, see `help`.")
            }
        }
    }

    fn player_move(
        &mut self,
        seat: Seat,
        word: &str,
        thought: Duration,
        out: &mut dyn Write,
    ) -> Talk {
        let codes = match self.engine.notation().read_moves(word) {
            Ok(codes) => codes,
            Err(text) => return writeln!(out, "{text}, or see `help`."),
        };
        if self.engine.play_turn(seat, &codes).is_err() {
            let (word, expected) = (shorten(word), self.engine.notation().expected_move());
            return writeln!(out, "`{word}` is illegal, expected {expected}.");
        }
        self.last = codes;
        if !self.is_over() && self.engine.to_move() == seat {
            // The turn goes on, and the time.
            return self.draw(out);
        }
        self.times.spend(seat, thought);
        self.others(seat, out)
    }

    /// Lets Tanada play until it is the player's turn, and shows what came of it.
    fn others(&mut self, player: Seat, out: &mut dyn Write) -> Talk {
        let mut last = Vec::new();
        while !self.is_over() && self.engine.to_move() != player {
            let seat = self.engine.to_move();
            self.engine_turn(seat, out)?;
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
    fn engine_turn(&mut self, seat: Seat, out: &mut dyn Write) -> Talk {
        let colour = self.engine.ruleset().colour(seat);
        write!(out, "Tanada plays {colour} ")?;
        out.flush()?;
        let began = Instant::now();
        let steps = self.engine.notation().moves_in_turn().max(1);
        let turns = self.engine.notation().moves_left().div_ceil(steps);
        let budget = self.times.budget(seat, turns, CLOCK_MARGIN);
        let mut moves = Vec::new();
        self.thought = None;
        while !self.engine.is_over() && self.engine.to_move() == seat {
            let played = moves.len() as u32 + 1;
            let part = f64::from(played) / f64::from(steps.max(played));
            let end = budget.and_then(|time| began.checked_add(time.mul_f64(part)));
            let Some(code) = self.decide(end) else { break };
            if self.engine.play(code).is_err() {
                break;
            }
            moves.push(code);
        }
        writeln!(out, "{}", self.engine.notation().write_moves(&moves))?;
        self.last = moves;
        if self.times.spend(seat, began.elapsed()) && !self.engine.is_over() {
            self.loss = Some(Loss::Time(seat));
        }
        Ok(())
    }

    /// Tanada's next move, by the level.
    fn decide(&mut self, end: Option<Instant>) -> Option<Code> {
        let legal = self.engine.legal();
        if self.random.below(100) < self.level.slips {
            let drawn = self.random.below(legal.len().max(1) as u32) as usize;
            self.thought
                .get_or_insert("It drew its last move at random.".to_string());
            return legal.get(drawn).copied();
        }
        let own = self.settings.limits();
        let limits = Limits {
            iterations: self.level.iterations.or(own.iterations),
            deadline: match (end, self.level.iterations) {
                (Some(end), _) => Some(end),
                (None, Some(_)) => None,
                (None, None) => own.deadline,
            },
            ..Limits::default()
        };
        let report = self.engine.search(&limits, &|| false);
        let best = report.best()?;
        let percent = 100.0 * best.value;
        self.thought.get_or_insert_with(|| {
            let (name, n) = (self.engine.name(best.mv), report.iterations);
            format!("It gave itself {percent:.0} % with {name}, after {n} iterations.")
        });
        Some(best.mv)
    }

    fn undo(&mut self, seat: Seat, out: &mut dyn Write) -> Talk {
        let mut since = self.engine.events().iter().skip(self.kept);
        if !since.any(|&(mover, _)| mover == seat) {
            return writeln!(out, "There is no move of yours to take back.");
        }
        if let Some(Loss::Time(late)) = self.loss
            && self.times.is_over(late, Duration::from_nanos(1))
        {
            return writeln!(
                out,
                "There is no time to go on with, expected save FILE, board or quit."
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

    /// Whether nothing can be played any more.
    pub(super) fn is_over(&self) -> bool {
        self.loss.is_some() || self.engine.is_over()
    }

    fn draw(&self, out: &mut dyn Write) -> Talk {
        let board = drawing(&self.engine, &self.last, self.colours);
        writeln!(out, "\n{}\n", board.trim_end_matches('\n'))
    }

    /// A side may be at its turn for so long.
    fn tell_times(&self, running: Option<(Seat, Duration)>, out: &mut dyn Write) -> Talk {
        let (ruleset, players) = (self.engine.ruleset(), self.engine.players());
        writeln!(out, "Time: {}.", self.times.tell(ruleset, players, running))
    }

    fn tell_end(&self, out: &mut dyn Write) -> Talk {
        let ruleset = self.engine.ruleset();
        let name = |seat: Seat| {
            let word = ruleset.colour(seat);
            format!(
                "{}{}",
                ruleset.letter(seat),
                word.get(1..).unwrap_or_default()
            )
        };
        let text = match (self.loss, self.engine.outcome()) {
            (Some(Loss::Time(seat)), _) => format!("{} has lost on time", name(seat)),
            (Some(Loss::Resigned(seat)), _) => format!("{} has resigned", name(seat)),
            (None, Some(Outcome::Winner(seat))) => format!("{} has won", name(seat)),
            (None, _) => "The game is drawn".to_string(),
        };
        let count = self.engine.moves().count();
        writeln!(out, "{text} after {count} moves.")?;
        self.tell_times(None, out)
    }

    /// The result as records have it; of more than two players nobody has won who was left.
    pub(super) fn result(&self) -> Option<String> {
        let (loser, letter) = match self.loss {
            None => return self.engine.sheet()?.result,
            Some(Loss::Time(seat)) => (seat, 'T'),
            Some(Loss::Resigned(seat)) => (seat, 'R'),
        };
        match self.engine.players() {
            [a, b] => {
                let winner = if loser == *a { *b } else { *a };
                Some(format!("{}+{letter}", self.engine.ruleset().letter(winner)))
            }
            _ => Some("?".to_string()),
        }
    }

    /// The player's seat, once it is known.
    pub(super) fn seat(&self) -> Option<Seat> {
        match self.stage {
            Stage::Play(seat) => Some(seat),
            _ => None,
        }
    }

    /// The game as it was before the talk.
    pub(super) fn loaded(&self) -> &Sheet {
        &self.loaded
    }

    /// How the colours came about.
    pub(super) fn how(&self) -> &str {
        &self.how
    }

    /// The level.
    pub(super) fn level(&self) -> Level {
        self.level
    }

    /// The clocks' control.
    pub(super) fn control(&self) -> TimeControl {
        self.control
    }

    /// What Tanada thought at its last move.
    pub(super) fn thought(&self) -> Option<&str> {
        self.thought.as_deref()
    }

    /// The limits of a search at full strength.
    pub(super) fn limits(&self) -> Limits {
        self.settings.limits()
    }
}
