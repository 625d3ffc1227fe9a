//! A session: the game, its clocks and its history, as the commands change them.

use std::sync::Arc;

use super::parse::GtpError;
use crate::clock::{Clock, TimeControl};
use crate::engine::Engine;
use crate::game::{PerSeat, Seat};
use crate::params::Params;
use crate::search::{Report, SearchLimits};
use crate::start::Configuration;
use crate::variant::{GameRecord, MoveCode, SharedStart, Stones};

/// An entry of the history, which `undo` takes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    /// A move, or a player who left.
    Event,
    /// Nothing changed: a pass in a finished game, a null move, or the echo of a start stone.
    Nothing,
}

/// The report of a search and the position that it is about.
#[derive(Clone, Debug)]
pub(super) struct LastReport {
    pub(super) report: Report<MoveCode>,
    /// The number of events of the game before the position.
    pub(super) events: usize,
}

/// A move as a command names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// The moves that one side makes in a row.
    Turn(Vec<MoveCode>),
    Pass,
    /// `null`: a node without a move in a record, as GoGui sends it.
    Null,
}

/// A session of the protocol: lines in, text out. It uses no stream; all that it takes from outside
/// is the time and the files that commands name.
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
///
/// ```
/// let configuration = tanada::Configuration::new(Some(9), None, None)?;
/// let mut session = tanada::GtpSession::new(configuration, tanada::Params::default());
/// let mut output = Vec::new();
/// tanada::serve_gtp(&mut session, &b"name\nquit\n"[..], &mut output, None)?;
/// assert!(output.starts_with(b"= Tanada"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Session {
    configuration: Configuration,
    engine: Engine,
    history: Vec<Entry>,
    pub(super) clocks: PerSeat<Clock>,
    /// For each colour, the number of consecutive moves with a winning chance below `resign`.
    weak_moves: PerSeat<u32>,
    /// The last search of this game, summarised in a line.
    pub(super) last_search: Option<String>,
    /// Its report, until its position is taken back.
    pub(super) last_report: Option<LastReport>,
    pub(super) overwrites: bool,
    /// The front end shows graphics while the engine thinks.
    pub(super) is_gogui: bool,
    pub(super) loaded: Option<GameRecord>,
    /// The position to ponder on, as [`Session::place`] gives it.
    pondered: Option<(usize, u64)>,
}

impl Session {
    /// A session at the configured start, without clocks.
    pub fn new(configuration: Configuration, params: Params) -> Self {
        Self::with_weights(configuration, params, None)
    }

    /// The same, with weights of the evaluation other than the embedded ones.
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
            weak_moves: PerSeat::default(),
            last_search: None,
            last_report: None,
            overwrites: false,
            is_gogui: false,
            loaded: None,
            pondered: None,
        }
    }

    /// Whether `printsgf FILE` may overwrite a file that Tanada did not write.
    #[must_use]
    pub fn with_overwriting(mut self, overwrites: bool) -> Self {
        self.overwrites = overwrites;
        self
    }

    /// The engine: the game and its search.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The configured start.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// Starts a new game from the configured start, with full clocks.
    pub(super) fn new_game(&mut self) {
        self.begin(self.configuration.start().clone());
        for clock in &mut self.clocks.0 {
            clock.reset();
        }
    }

    /// Starts a new game from any start. The clocks keep running.
    pub(super) fn begin(&mut self, start: SharedStart) {
        self.engine.restart(start);
        self.loaded = None;
        self.history.clear();
        self.weak_moves = PerSeat::default();
        self.last_search = None;
        self.last_report = None;
    }

    pub(super) fn configure(&mut self, configuration: Configuration) {
        self.configuration = configuration;
        self.new_game();
    }

    /// Gives every player a full clock of this kind.
    pub(super) fn set_clocks(&mut self, control: TimeControl) {
        self.clocks = clocks(control);
    }

    pub(super) fn engine_mut(&mut self) -> &mut Engine {
        &mut self.engine
    }

    /// The place in the game: the length of the history and the hash of the position.
    fn place(&self) -> (usize, u64) {
        (self.history.len(), self.engine.hash())
    }

    /// Allows or forbids pondering on the current position.
    pub(super) fn allow_pondering(&mut self, allowed: bool) {
        self.pondered = allowed.then(|| self.place());
    }

    /// Ponders on the position after a `genmove`, if the parameter `ponder` says so, until `stop`
    /// returns true.
    pub(super) fn ponder(&mut self, stop: &(dyn Fn() -> bool + Sync)) {
        let params = self.engine.params();
        // The paranoid search takes one side's view, and another side's would replace the tree.
        let is_one_view = params.paranoia > 0.0 && self.engine.start().players().len() > 2;
        let is_wanted = params.ponder
            && !is_one_view
            && self.pondered.is_some_and(|place| place == self.place())
            && !self.engine.is_over();
        if is_wanted && !stop() {
            self.engine.search(&SearchLimits::default(), stop);
        }
    }

    /// Notes the winning chance of a move by `seat`, and returns how many of its last moves in a
    /// row were below `resign`.
    pub(super) fn note_chance(&mut self, seat: Seat, chance: f64) -> u32 {
        let weak = &mut self.weak_moves[seat];
        let below = chance < self.engine.params().resign;
        *weak = if below { weak.saturating_add(1) } else { 0 };
        *weak
    }

    /// Plays the moves of a turn, all or none.
    pub(super) fn play(&mut self, seat: Seat, mv: &Move) -> Result<(), GtpError> {
        match mv {
            Move::Pass if self.engine.is_over() => self.history.push(Entry::Nothing),
            Move::Null => self.history.push(Entry::Nothing),
            Move::Turn(codes) if self.is_echo(seat, codes) => self.history.push(Entry::Nothing),
            Move::Pass => return Err(GtpError::IllegalMove),
            Move::Turn(codes) => {
                let played = self.engine.play_turn(seat, codes);
                played.map_err(|_| GtpError::IllegalMove)?;
                self.history.extend(codes.iter().map(|_| Entry::Event));
            }
        }
        Ok(())
    }

    /// Whether a move before the first one only repeats a stone of the start, which the parameter
    /// `setup_echo` allows.
    fn is_echo(&self, seat: Seat, codes: &[MoveCode]) -> bool {
        let is_allowed = self.engine.params().setup_echo && self.engine.events().is_empty();
        let lies_there = |stones: &dyn Stones| {
            let [code] = codes else { return false };
            let mut points = stones.size().points();
            points.any(|p| MoveCode::from(p) == *code && stones.stone_at(p) == Some(seat))
        };
        is_allowed && self.engine.stones().is_some_and(lies_there)
    }

    pub(super) fn leave(&mut self, seat: Seat) -> Result<(), GtpError> {
        self.engine.leave(seat).map_err(|_| GtpError::IllegalMove)?;
        self.history.push(Entry::Event);
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

    pub(super) fn undo(&mut self, number: usize) -> Result<(), GtpError> {
        let left = self.history.len().checked_sub(number);
        self.go_back_to(left.ok_or(GtpError::CannotUndo)?);
        self.weak_moves = PerSeat::default();
        Ok(())
    }

    pub(super) fn played(&self) -> usize {
        self.history.len()
    }

    pub(super) fn go_back_to(&mut self, length: usize) {
        while self.history.len() > length {
            if self.history.pop() == Some(Entry::Event) {
                self.engine.undo();
            }
        }
        let events = self.engine.events().len();
        self.last_report.take_if(|last| last.events > events);
    }
}

fn clocks(control: TimeControl) -> PerSeat<Clock> {
    PerSeat(std::array::from_fn(|_| Clock::new(control)))
}

#[cfg(test)]
pub(super) mod tests;
