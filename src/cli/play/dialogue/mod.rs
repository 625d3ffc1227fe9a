//! The talk with the player: lines in, text out. It reads no stream, so that tests can lead it.

mod begin;
mod later;
mod turns;

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::clock::TimeControl;
use crate::engine::Engine;
use crate::game::{Outcome, Seat};
use crate::search::{Report, SearchLimits};
use crate::util::random::Random;
use crate::variant::{GameRecord, MoveCode, SetupEditor};

use super::super::counted;
use super::super::failure::shorten;
use super::super::game;
use super::super::options::Settings;
use super::board;
use super::keep::{Kept, Shelf};
use super::levels::{self, Level};
use super::screen::Screen;
use super::times::Times;
use super::told;
use super::words;

/// What was asked for.
pub(super) struct Wishes {
    /// The game so far; its moves can be played.
    pub(super) game: GameRecord,
    /// How Tanada thinks.
    pub(super) settings: Settings,
    /// How strong it plays.
    pub(super) level: Level,
    /// The clocks.
    pub(super) control: TimeControl,
    /// Whether boards have colours.
    pub(super) colours: bool,
    /// Set when the program is to end.
    pub(super) stop: Arc<AtomicBool>,
    /// Where an unfinished game is kept.
    pub(super) shelf: Shelf,
    /// An unfinished game to go on with, if the player likes.
    pub(super) offer: Option<Kept>,
    /// Whether the level was asked for, and holds in that game, too.
    pub(super) level_asked: bool,
    /// What is to be said first.
    pub(super) notes: Vec<String>,
}

/// What the next line is an answer to.
enum Stage {
    /// Does the player go on with this game?
    GoOn(Box<Kept>),
    /// Who plays what?
    Choose,
    /// Tanada has made the first move: which colour does the player take?
    Pie,
    /// What is the start position?
    Edit(Box<dyn SetupEditor>),
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
    loaded: GameRecord,
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
    last: Vec<MoveCode>,
    /// How the colours came about, for the record.
    how: String,
    /// What Tanada thought at its last move.
    thought: Option<String>,
    /// Which moves are drawn at random.
    random: Random,
    stop: Arc<AtomicBool>,
    shelf: Shelf,
    level_asked: bool,
    notes: Vec<String>,
    /// The file that was saved last, which may be written again.
    pub(super) saved: Option<String>,
}

type Talk = io::Result<()>;
type Out<'a> = Screen<'a>;

impl Dialogue {
    /// Before the first line.
    pub(super) fn new(wishes: Wishes) -> Self {
        let Wishes {
            game,
            settings,
            level,
            control,
            colours,
            stop,
            shelf,
            offer,
            level_asked,
            notes,
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
            stage: offer.map_or(Stage::Choose, |kept| Stage::GoOn(Box::new(kept))),
            loss: None,
            kept: 0,
            began: Instant::now(),
            last: last.into_iter().collect(),
            how: String::new(),
            thought: None,
            random,
            stop,
            shelf,
            level_asked,
            notes,
            saved: None,
        }
    }

    /// Says what is to be said first, and asks the first question.
    ///
    /// # Errors
    /// Output that cannot be written.
    pub(super) fn begin(&mut self, to: &mut dyn Write) -> Talk {
        let out = &mut Screen::new(to);
        for note in std::mem::take(&mut self.notes) {
            writeln!(out, "{note}")?;
        }
        match &self.stage {
            Stage::GoOn(kept) => offer(kept, out),
            _ => self.introduce(out),
        }
    }

    /// What stands before the next line.
    pub(super) fn prompt(&self) -> String {
        match &self.stage {
            Stage::GoOn(_) => "go on? ".to_string(),
            Stage::Choose | Stage::Pie => "your colour> ".to_string(),
            Stage::Edit(_) => "start position> ".to_string(),
            Stage::Play(_) if self.is_over() => "game over> ".to_string(),
            Stage::Play(seat) => format!("{}> ", self.engine.variant().colour(*seat)),
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
        to: &mut dyn Write,
    ) -> io::Result<bool> {
        let out = &mut Screen::new(to);
        let words: Vec<&str> = line.split_whitespace().collect();
        let first = words.first().map_or(String::new(), |w| w.to_lowercase());
        match (first.as_str(), words.len()) {
            ("", _) => return Ok(true),
            ("quit" | "exit" | "q", 1) => return Ok(false),
            ("rules" | "pieces", 1) => words::rules(self, &first, out)?,
            _ => self.answer(&first, &words, received, out)?,
        }
        Ok(true)
    }

    fn answer(&mut self, first: &str, words: &[&str], received: Instant, out: &mut Out) -> Talk {
        match &self.stage {
            Stage::GoOn(_) => self.go_on(first, words, out),
            Stage::Choose => self.choose(first, words, out),
            Stage::Pie => self.take_colour(words, out),
            Stage::Edit(_) => self.edit(first, words, out),
            Stage::Play(seat) => {
                let seat = *seat;
                self.play(seat, first, words, received, out)
            }
        }
    }

    fn change_level(&mut self, words: &[&str], out: &mut Out) -> Talk {
        let name = words.get(1..).unwrap_or_default().join(" ");
        if name.is_empty() {
            return write!(
                out,
                "The level is {}.\n{}",
                self.level.name,
                levels::list(&self.settings)
            );
        }
        match Level::find(&name) {
            Ok(level) => {
                self.level = level;
                writeln!(out, "{}", level.describe(&self.settings))
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
        out: &mut Out,
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
            ("save", _) => writeln!(out, "`save` needs a file name, such as `save game.sgf`."),
            ("level", _) => self.change_level(words, out),
            ("board", 1) => self.draw(out),
            ("help", 1) if self.is_over() => self.help(words::OVER, out),
            ("help", 1) => {
                self.help(words::PLAY, out)?;
                let expected = self.engine.notation().expected_move();
                writeln!(out, "  a move      {expected}")
            }
            ("time" | "clock", 1) => {
                let running = (!self.is_over()).then_some((seat, thought));
                self.tell_times(running, out)
            }
            ("undo", 1) => self.undo(seat, out),
            ("new", 1) => self.start_anew(out),
            ("hint" | "why" | "legal" | "resign", 1) if self.is_over() => {
                writeln!(out, "The game is over; `help` lists what still works.")
            }
            ("hint", 1) => words::hint(self, out),
            ("why", 1) => words::why(self, out),
            ("legal", 1) => words::legal(self, out),
            ("resign", 1) => {
                self.times.spend(seat, thought);
                self.loss = Some(Loss::Resigned(seat));
                self.tell_end(out)
            }
            _ if self.is_over() => {
                writeln!(out, "The game is over; `help` lists what still works.")
            }
            (_, 1) => self.player_move(seat, words.concat().as_str(), thought, out),
            _ => {
                let text = shorten(&words.join(" "));
                writeln!(
                    out,
                    "`{text}` is neither a move nor a command; `help` lists the commands."
                )
            }
        }
    }

    /// Lists the words that can be typed.
    fn help(&self, text: &str, out: &mut Out) -> Talk {
        write!(out, "{}", words::help(text, self.engine.variant()))
    }

    /// Whether nothing can be played any more.
    pub(super) fn is_over(&self) -> bool {
        self.loss.is_some() || self.engine.is_over()
    }

    fn draw(&self, out: &mut Out) -> Talk {
        let board = board::drawing(&self.engine, &self.last, self.colours);
        out.draw(&format!("\n{}\n\n", board.trim_end_matches('\n')))
    }

    /// A side may be at its turn for so long.
    fn tell_times(&self, running: Option<(Seat, Duration)>, out: &mut Out) -> Talk {
        let (variant, players) = (self.engine.variant(), self.engine.players());
        writeln!(out, "Time: {}.", self.times.tell(variant, players, running))
    }

    fn tell_end(&self, out: &mut Out) -> Talk {
        let name = |seat: Seat| told::name(&self.engine, seat);
        let text = match (self.loss, self.engine.outcome()) {
            (Some(Loss::Time(seat)), _) => format!("{} has lost on time", name(seat)),
            (Some(Loss::Resigned(seat)), _) => format!("{} has resigned", name(seat)),
            (None, Some(Outcome::Winner(seat))) => format!("{} has won", name(seat)),
            (None, _) => "The game is drawn".to_string(),
        };
        let moves = counted(self.engine.moves().count(), "move", "moves");
        writeln!(out, "{text} after {moves}.")?;
        self.tell_times(None, out)?;
        writeln!(
            out,
            "`new` begins another game; `help` lists what still works."
        )
    }

    /// The result as records have it; of more than two players nobody has won who was left.
    pub(super) fn result(&self) -> Option<String> {
        let (loser, letter) = match self.loss {
            None => return self.engine.game_record()?.result,
            Some(Loss::Time(seat)) => (seat, 'T'),
            Some(Loss::Resigned(seat)) => (seat, 'R'),
        };
        match self.engine.players() {
            [a, b] => {
                let winner = if loser == *a { *b } else { *a };
                Some(format!("{}+{letter}", self.engine.variant().letter(winner)))
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
    pub(super) fn loaded(&self) -> &GameRecord {
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

    /// Whether the program is to end, so that a search was cut short.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Searches the position at full strength.
    pub(super) fn search(&mut self) -> Report<MoveCode> {
        let limits = self.limits();
        self.search_within(&limits)
    }

    /// What ends Tanada's thinking.
    pub(super) fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// The limits of a search that begins now, whatever the level.
    pub(super) fn limits(&self) -> SearchLimits {
        self.settings.limits()
    }

    fn search_within(&mut self, limits: &SearchLimits) -> Report<MoveCode> {
        let stop = self.stop_flag();
        self.engine.search(limits, &|| stop.load(Relaxed))
    }
}

fn offer(kept: &Kept, out: &mut Out) -> Talk {
    writeln!(
        out,
        "You left {}.\nGo on with it, yes or no?",
        kept.describe()
    )
}
