//! A session: the state behind the protocol, over lines in and text out.

use std::sync::Arc;
use std::time::Instant;

use super::command::{Answer, Call, find};
use super::parse::{GtpError, format_reply, parse_line};
use crate::clock::{Clock, TimeControl};
use crate::engine::Engine;
use crate::game::{PerSeat, Seat};
use crate::params::Params;
use crate::search::{Report, SearchLimits};
use crate::start::Configuration;
use crate::variant::{GameRecord, MoveCode, SharedStart, Stones};

/// What a running search is told when it asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Go on to the limit.
    GoOn,
    /// Answer at once with the best move so far.
    AnswerNow,
    /// Nobody waits for the answer any more: give none.
    Abandon,
}

/// When a command came, and what ends its search early.
pub struct Control<'a> {
    /// The moment from which time limits count.
    pub received: Instant,
    /// Asked again and again while a search runs, by all its workers.
    pub signal: &'a (dyn Fn() -> Signal + Sync),
    /// Whether another line has come since, which ends an analysis; asked likewise.
    pub has_news: &'a (dyn Fn() -> bool + Sync),
    /// Takes text that is sent before the answer is complete.
    pub send: &'a dyn Fn(&str),
    /// Takes what is drawn beside the answer while the engine thinks.
    pub draw: &'a dyn Fn(&str),
}

impl<'a> Control<'a> {
    /// Control of a command after which another one waits already; what is sent before the
    /// answer is complete is lost.
    pub fn new(received: Instant, signal: &'a (dyn Fn() -> Signal + Sync)) -> Self {
        Self {
            received,
            signal,
            has_news: &|| true,
            send: &|_| {},
            draw: &|_| {},
        }
    }
}

/// What a line led to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The text to send, empty line included; none for lines without a command,
    /// and for a search that was abandoned.
    pub text: Option<String>,
    /// The session is over: `quit` was received.
    pub quit: bool,
    /// A search was abandoned, or not begun, as [`Signal::Abandon`] said.
    pub abandoned: bool,
}

/// An entry of the history, which `undo` takes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    /// Something was played, or somebody left.
    RecordedMove,
    /// What changed nothing: a pass in a finished game, a null move, the echo of a start stone.
    Nothing,
}

/// What a search found, and where.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The moves of the position that was searched.
    pub(super) report: Report<MoveCode>,
    /// The position: how many events of the game came before it.
    pub(super) events: usize,
}

/// What the argument of a move stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// Moves that one side makes in a row.
    Turn(Vec<MoveCode>),
    /// `pass`.
    Pass,
    /// `null`, which stands for a node without a move in somebody's record.
    Null,
}

/// A session over the protocol. It reads and writes no stream; the only things
/// from outside that it reads are the files that commands name, and the time.
///
/// ```
/// use std::time::Instant;
/// use tanada::gtp::{Control, Session, Signal};
/// use tanada::{params::Params, start::Configuration};
///
/// let nine = Configuration::new(Some(9), None, None)?;
/// let mut session = Session::new(nine, Params::default());
/// let control = Control::new(Instant::now(), &|| Signal::GoOn);
/// let response = session.execute(b"7 play b B3", &control);
/// assert_eq!(response.text.as_deref(), Some("=7 \n\n"));
/// # Ok::<(), tanada::start::StartError>(())
/// ```
pub struct Session {
    configuration: Configuration,
    engine: Engine,
    history: Vec<Entry>,
    clocks: PerSeat<Clock>,
    explicit_time: bool,
    /// Moves running at which each colour's winning chance was below `resign`.
    weak_moves: PerSeat<u32>,
    /// What the last search of this game found, as a line.
    last_search: Option<String>,
    /// What it found in full, until the position it was about is taken back.
    last_report: Option<Found>,
    /// Whether files that this program did not write may be written over.
    overwrites: bool,
    /// The front end draws what it is sent while the engine thinks.
    is_gogui: bool,
    /// The record that the game was loaded from.
    pub(super) loaded: Option<GameRecord>,
    /// The position to think on about while nobody asks, as [`Session::place`] gives it.
    pondered: Option<(usize, u64)>,
}

impl Session {
    /// A session at the configured start, without clocks.
    pub fn new(configuration: Configuration, params: Params) -> Self {
        Self::with_weights(configuration, params, None)
    }

    /// The same with other weights of the evaluation than the embedded ones.
    pub fn with_weights(
        configuration: Configuration,
        params: Params,
        weights: Option<Arc<str>>,
    ) -> Self {
        let start = configuration.start().clone();
        Self {
            engine: Engine::with_weights(start, params, weights),
            configuration,
            history: Vec::new(),
            clocks: clocks(TimeControl::Unlimited),
            explicit_time: false,
            weak_moves: PerSeat::default(),
            last_search: None,
            last_report: None,
            overwrites: false,
            is_gogui: false,
            loaded: None,
            pondered: None,
        }
    }

    /// Whether the time for each move was asked for: only then it holds beside a
    /// limit of iterations. Setting `time_per_move` by command asks for it as well.
    #[must_use]
    pub fn with_explicit_time(mut self, explicit: bool) -> Self {
        self.explicit_time = explicit;
        self
    }

    /// Whether `printsgf FILE` may write over a file that this program did not write.
    #[must_use]
    pub fn with_overwriting(mut self, overwrites: bool) -> Self {
        self.overwrites = overwrites;
        self
    }

    /// Whether files that this program did not write may be written over.
    pub(super) fn overwrites(&self) -> bool {
        self.overwrites
    }

    /// The game and the searcher.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The configured start.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// Executes one line: a command, a comment, anything.
    pub fn execute(&mut self, line: &[u8], control: &Control<'_>) -> Response {
        let Some(line) = parse_line(line) else {
            return Response::default();
        };
        let call = Call {
            line: &line,
            control,
        };
        let answer = match find(&line.name, &self.engine) {
            Some(command) => command.execute(self, &call),
            None => Err(GtpError::UnknownCommand),
        };
        let (reply, quit) = match answer {
            Ok(Answer::Text(text)) => (Ok(text), false),
            Ok(Answer::Quit) => (Ok(String::new()), true),
            // The beginning has been sent.
            Ok(Answer::Rest(text)) => {
                return Response {
                    text: Some(text),
                    ..Response::default()
                };
            }
            Ok(Answer::Abandoned) => {
                return Response {
                    abandoned: true,
                    ..Response::default()
                };
            }
            Err(error) => (Err(error.to_string()), false),
        };
        Response {
            text: Some(format_reply(line.id, &reply)),
            quit,
            abandoned: false,
        }
    }

    /// A new game from the configured start, with full clocks.
    pub(super) fn new_game(&mut self) {
        self.begin(self.configuration.start().clone());
        for clock in &mut self.clocks.0 {
            clock.reset();
        }
    }

    /// A new game from a start that need not be the configured one. The clocks run
    /// on.
    pub(super) fn begin(&mut self, start: SharedStart) {
        self.engine.restart(start);
        self.loaded = None;
        self.history.clear();
        self.weak_moves = PerSeat::default();
        self.last_search = None;
        self.last_report = None;
    }

    /// Another configuration and a new game from it.
    pub(super) fn configure(&mut self, configuration: Configuration) {
        self.configuration = configuration;
        self.new_game();
    }

    /// Other clocks for everyone, full ones.
    pub(super) fn set_clocks(&mut self, control: TimeControl) {
        self.clocks = clocks(control);
    }

    /// The clock of a colour.
    pub(super) fn clock(&mut self, seat: Seat) -> &mut Clock {
        &mut self.clocks[seat]
    }

    /// Takes over settings of which `changed` was set.
    pub(super) fn set_params(&mut self, params: Params, changed: &str) {
        let seed = params.seed;
        self.engine.set_params(params);
        match changed {
            // The same seed starts the stream anew, too.
            "seed" => self.engine.reseed(seed),
            "time_per_move" => self.explicit_time = true,
            _ => {}
        }
    }

    /// Whether the time for each move was asked for.
    pub(super) fn has_explicit_time(&self) -> bool {
        self.explicit_time
    }

    /// The game, and what thinks about it.
    pub(super) fn engine_mut(&mut self) -> &mut Engine {
        &mut self.engine
    }

    /// Whether graphics are drawn while the engine thinks.
    pub(super) fn is_gogui(&self) -> bool {
        self.is_gogui
    }

    /// Draws graphics from now on.
    pub(super) fn set_gogui(&mut self) {
        self.is_gogui = true;
    }

    /// Where the game is: the number of entries and the position's hash.
    fn place(&self) -> (usize, u64) {
        (self.history.len(), self.engine.hash())
    }

    /// From now on the time until something else is played may be used to think on, or not.
    pub(super) fn allow_pondering(&mut self, allowed: bool) {
        self.pondered = allowed.then(|| self.place());
    }

    /// Thinks on about the position that a `genmove` left, if the parameter `ponder` says so,
    /// until `stop` returns true.
    pub(super) fn ponder(&mut self, stop: &(dyn Fn() -> bool + Sync)) {
        let params = self.engine.params();
        // Among several the search is one side's view, and another's would replace the tree.
        let is_one_view = params.paranoia > 0.0 && self.engine.start().players().len() > 2;
        let is_wanted = params.ponder > 0
            && !is_one_view
            && self.pondered.is_some_and(|place| place == self.place())
            && !self.engine.is_over();
        if is_wanted && !stop() {
            self.engine.search(&SearchLimits::default(), stop);
        }
    }

    /// Keeps what a search of the position found.
    pub(super) fn keep_report(&mut self, report: &Report<MoveCode>) {
        self.last_report = Some(Found {
            report: report.clone(),
            events: self.engine.events().len(),
        });
    }

    /// What the last search of this game found; none if its position was taken back.
    pub(super) fn last_report(&self) -> Option<&Found> {
        self.last_report.as_ref()
    }

    /// Drops the tree.
    pub(super) fn forget(&mut self) {
        self.engine.forget();
    }

    /// Keeps what a search found, for [`Session::last_search`].
    pub(super) fn note_search(&mut self, line: String) {
        self.last_search = Some(line);
    }

    /// What the last search of this game found.
    pub(super) fn last_search(&self) -> Option<&str> {
        self.last_search.as_deref()
    }

    /// Notes the winning chance at a move of `seat`; how many moves running it was
    /// below the limit now.
    pub(super) fn note_chance(&mut self, seat: Seat, chance: f64) -> u32 {
        let weak = &mut self.weak_moves[seat];
        let below = chance < self.engine.params().resign;
        *weak = if below { weak.saturating_add(1) } else { 0 };
        *weak
    }

    /// Plays moves of a colour, all or none.
    pub(super) fn play(&mut self, seat: Seat, mv: &Move) -> Result<(), GtpError> {
        match mv {
            Move::Pass if self.engine.is_over() => self.history.push(Entry::Nothing),
            Move::Null => self.history.push(Entry::Nothing),
            Move::Turn(codes) if self.is_echo(seat, codes) => self.history.push(Entry::Nothing),
            Move::Pass => return Err(GtpError::IllegalMove),
            Move::Turn(codes) => {
                let played = self.engine.play_turn(seat, codes);
                played.map_err(|_| GtpError::IllegalMove)?;
                self.history
                    .extend(codes.iter().map(|_| Entry::RecordedMove));
            }
        }
        Ok(())
    }

    /// Whether a move only repeats a stone of the start, before the first move, to a session
    /// that was asked to bear with that.
    fn is_echo(&self, seat: Seat, codes: &[MoveCode]) -> bool {
        let bears = self.engine.params().setup_echo == 1 && self.engine.events().is_empty();
        let lies_there = |stones: &dyn Stones| {
            let [code] = codes else { return false };
            let mut points = stones.size().points();
            points.any(|p| MoveCode::from(p) == *code && stones.stone_at(p) == Some(seat))
        };
        bears && self.engine.stones().is_some_and(lies_there)
    }

    /// Takes a player out of the game.
    pub(super) fn leave(&mut self, seat: Seat) -> Result<(), GtpError> {
        self.engine.leave(seat).map_err(|_| GtpError::IllegalMove)?;
        self.history.push(Entry::RecordedMove);
        Ok(())
    }

    /// Plays all moves, or none if one of them is illegal.
    pub(super) fn play_all(&mut self, moves: &[(Seat, Move)]) -> Result<(), GtpError> {
        let before = self.history.len();
        for (seat, mv) in moves {
            if let Err(error) = self.play(*seat, mv) {
                self.go_back_to(before);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Takes the last `number` moves back.
    pub(super) fn undo(&mut self, number: usize) -> Result<(), GtpError> {
        let left = self.history.len().checked_sub(number);
        self.go_back_to(left.ok_or(GtpError::CannotUndo)?);
        self.weak_moves = PerSeat::default();
        Ok(())
    }

    /// How many entries the history has.
    pub(super) fn played(&self) -> usize {
        self.history.len()
    }

    /// Takes back what came after that many entries.
    pub(super) fn go_back_to(&mut self, length: usize) {
        while self.history.len() > length {
            if self.history.pop() == Some(Entry::RecordedMove) {
                self.engine.undo();
            }
        }
        let events = self.engine.events().len();
        let is_there = |found: &Found| found.events <= events;
        self.last_report = self.last_report.take().filter(is_there);
    }
}

fn clocks(control: TimeControl) -> PerSeat<Clock> {
    PerSeat(std::array::from_fn(|_| Clock::new(control)))
}

#[cfg(test)]
pub(super) mod tests;
