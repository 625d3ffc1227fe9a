//! A running game of any variant, with its history and its search.
//!
//! A start position makes the game: it chooses the board width, the number of seats and the
//! evaluator once, outside every hot loop. Users of an [`Engine`] need not know them, nor the
//! game.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::board::Symmetry;
use crate::game::{IllegalMove, Outcome, Seat};
use crate::params::{Effect, Params};
use crate::search::{Report, SearchLimits};
use crate::util::quote::shorten;
use crate::util::random::{Random, mix};
use crate::variant::{
    BoardView, Capabilities, ExactSettings, ExactSolver, GameProgress, GameRecord, MoveCode,
    Notation, RecordedMove, RunningGame, SharedStart, Stones, TrainingFeatures, Variant,
};

/// An action of a player.
///
/// ```
/// # let configuration = tanada::Configuration::new(Some(7), None, None)?;
/// # let params = tanada::Params { threads: 1, seed: 1, ..tanada::Params::default() };
/// # let mut engine = tanada::Engine::new(configuration.start().clone(), params);
/// engine.play_word(engine.to_move(), "C2")?;
/// let (_, event) = engine.events()[0];
/// assert!(matches!(event, tanada::Event::Move(_)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A move.
    Move(MoveCode),
    /// The player left the game.
    Leave,
}

/// Why [`Engine::play_word`] played nothing; its text quotes the word.
///
/// ```
/// # let configuration = tanada::Configuration::new(Some(7), None, None)?;
/// # let params = tanada::Params { threads: 1, seed: 1, ..tanada::Params::default() };
/// # let mut engine = tanada::Engine::new(configuration.start().clone(), params);
/// let black = engine.to_move();
/// let error: tanada::errors::PlayError = engine.play_word(black, "Z99").unwrap_err();
/// assert_eq!(error.to_string(), "invalid point `Z99`: expected A1 to G7 on the 7x7 board");
/// engine.play_word(black, "C2")?;
/// let error = engine.play_word(black, "C3").unwrap_err();
/// assert_eq!(error.to_string(), "illegal move `C3`: it is the turn of white");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlayError {
    /// The notation does not read it as moves, for this reason.
    #[error("{0}")]
    Unreadable(String),
    /// The move is illegal: the word and the reason.
    #[error("illegal move `{0}`: {1}")]
    Illegal(String, String),
}

/// No legal move is left to choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NothingLeft;

/// A running game: its start, what was played, and the position with its search.
///
/// ```
/// # let configuration = tanada::Configuration::new(Some(7), None, None)?;
/// # let params = tanada::Params { threads: 1, seed: 1, ..tanada::Params::default() };
/// # let mut engine = tanada::Engine::new(configuration.start().clone(), params);
/// engine.play_word(engine.to_move(), "C2")?;
/// assert!(engine.undo());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Engine {
    start: SharedStart,
    params: Params,
    /// Weights of the evaluation, unless the embedded ones are used.
    weights: Option<Arc<str>>,
    events: Vec<(Seat, Event)>,
    game: Box<dyn RunningGame>,
}

impl Engine {
    /// A game at its start.
    pub fn new(start: impl Into<SharedStart>, params: Params) -> Self {
        Self::with_weights(start, params, None)
    }

    /// A game at its start, with the content of a file of weights instead of the embedded weights.
    /// Text that holds no weights is ignored.
    pub fn with_weights(
        start: impl Into<SharedStart>,
        params: Params,
        weights: Option<Arc<str>>,
    ) -> Self {
        let start = start.into();
        let game = start.new_game(&params, weights.as_deref());
        Self {
            start,
            params,
            weights,
            events: Vec::new(),
            game,
        }
    }

    /// The start position of the game.
    pub fn start(&self) -> &SharedStart {
        &self.start
    }

    /// The variant of the game.
    pub fn variant(&self) -> &'static dyn Variant {
        self.start.variant()
    }

    /// All players in the order of play, including those who are out.
    pub fn players(&self) -> &[Seat] {
        self.start.players()
    }

    /// The settings.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// All events so far, with their players.
    pub fn events(&self) -> &[(Seat, Event)] {
        &self.events
    }

    /// All moves so far, with their players.
    pub fn moves(&self) -> impl Iterator<Item = (Seat, MoveCode)> {
        self.events.iter().filter_map(|&(seat, event)| match event {
            Event::Move(code) => Some((seat, code)),
            Event::Leave => None,
        })
    }

    /// The last event, if it was a move.
    pub fn last_move(&self) -> Option<MoveCode> {
        match self.events.last() {
            Some(&(_, Event::Move(code))) => Some(code),
            _ => None,
        }
    }

    /// The game record: start, moves and result. `None` if somebody left, which records cannot
    /// express.
    pub fn game_record(&self) -> Option<GameRecord> {
        let mut record = GameRecord::new(self.start.clone());
        for &(seat, event) in &self.events {
            match event {
                Event::Move(code) => record.moves.push(RecordedMove::new(seat, code)),
                Event::Leave => return None,
            }
        }
        record.result = self.outcome().map(|outcome| match outcome {
            Outcome::Winner(seat) => format!("{}+", self.variant().letter(seat)),
            Outcome::Draw => "0".to_string(),
        });
        Some(record)
    }

    /// The seat to move; in a finished game, the winner if there is one.
    pub fn to_move(&self) -> Seat {
        self.game.to_move()
    }

    /// The result; `None` while the game runs.
    pub fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    /// Whether the game is over.
    pub fn is_over(&self) -> bool {
        self.outcome().is_some()
    }

    /// The winner of a finished game.
    pub fn winner(&self) -> Option<Seat> {
        match self.outcome() {
            Some(Outcome::Winner(seat)) => Some(seat),
            _ => None,
        }
    }

    /// Whether the move is legal for the side to move; never in a finished game.
    pub fn is_legal(&self, mv: impl Into<MoveCode>) -> bool {
        self.game.is_legal(mv.into())
    }

    /// The legal moves of the side to move.
    pub fn legal(&self) -> Vec<MoveCode> {
        self.game.legal()
    }

    /// The notation of the position.
    pub fn notation(&self) -> &dyn Notation {
        self.game.position()
    }

    /// How far the game has come.
    pub(crate) fn progress(&self) -> &dyn GameProgress {
        self.game.position()
    }

    /// The board as it is drawn, in a game on a square board.
    pub(crate) fn board_view(&self) -> Option<&dyn BoardView> {
        self.game.position().board_view()
    }

    /// The inputs of the evaluations, in a game whose evaluation can be trained.
    #[doc(hidden)]
    pub fn training_features(&self) -> Option<&dyn TrainingFeatures> {
        self.game.position().training_features()
    }

    /// A solver that starts at the position.
    ///
    /// # Errors
    /// Why there is no solver for it, in one sentence.
    pub fn exact(&self, settings: &ExactSettings) -> Result<Box<dyn ExactSolver>, String> {
        self.game.position().exact(settings)
    }

    /// The text of a move.
    pub fn name(&self, mv: impl Into<MoveCode>) -> String {
        self.notation().write_moves(&[mv.into()])
    }

    /// The stones, in a game of stones on points.
    pub fn stones(&self) -> Option<&dyn Stones> {
        self.game.position().stones()
    }

    /// The position before the last move, or before the last seat left; `None` at the start.
    pub(crate) fn previous(&self) -> Option<Box<dyn Capabilities>> {
        self.game.previous()
    }

    /// The hash of the position.
    pub fn hash(&self) -> u64 {
        self.game.hash()
    }

    /// A hash of the game, its board and its position.
    pub(crate) fn game_hash(&self) -> u64 {
        let step = |hash: u64, byte: u8| mix(hash ^ u64::from(byte));
        let name = self.variant().name().bytes();
        mix(name.fold(self.start.side() as u64, step) ^ self.hash())
    }

    /// A hash of the stones and the side to move, equal for all rotations and reflections; `None` in a
    /// game without stones.
    pub(crate) fn symmetric_hash(&self) -> Option<u64> {
        let stones = self.stones()?;
        let size = stones.size();
        let turned = |symmetry: Symmetry| {
            let begin = mix((size.side() as u64) << 8 | self.to_move().index() as u64);
            size.points_from_top().fold(begin, |hash, point| {
                let stone = stones.stone_at(symmetry.image(point, size));
                let stone = stone.map_or(0, |seat| seat.index() as u64 + 1);
                mix(hash ^ stone)
            })
        };
        Symmetry::ALL.into_iter().map(turned).min()
    }

    /// Plays a move of the side to move. The search keeps the part of its tree below the move.
    ///
    /// # Errors
    /// An illegal move; nothing is changed.
    pub fn play(&mut self, mv: impl Into<MoveCode>) -> Result<(), IllegalMove> {
        let (seat, code) = (self.to_move(), mv.into());
        self.game.play(code)?;
        self.events.push((seat, Event::Move(code)));
        Ok(())
    }

    /// Plays the moves of a text, all by `seat`; returns their number.
    ///
    /// # Errors
    /// The text is not a move, or a move is illegal or not this side's; nothing is changed.
    pub fn play_word(&mut self, seat: Seat, word: &str) -> Result<usize, PlayError> {
        let codes = self.notation().read_moves(word);
        let codes = codes.map_err(PlayError::Unreadable)?;
        self.play_turn(seat, &codes).map_err(|IllegalMove| {
            let mover = self.to_move();
            let reason = if self.is_over() {
                "the game is over".to_string()
            } else if seat != mover {
                format!("it is the turn of {}", self.variant().colour(mover))
            } else {
                format!("expected {}", self.notation().expected_move())
            };
            PlayError::Illegal(shorten(word, 60), reason)
        })?;
        Ok(codes.len())
    }

    /// Plays moves in a row, all by `seat`.
    ///
    /// # Errors
    /// A move is illegal or not this side's; nothing is changed.
    pub fn play_turn(&mut self, seat: Seat, codes: &[MoveCode]) -> Result<(), IllegalMove> {
        for (played, &code) in codes.iter().enumerate() {
            if self.is_over() || self.to_move() != seat || self.play(code).is_err() {
                for _ in 0..played {
                    self.undo();
                }
                return Err(IllegalMove);
            }
        }
        Ok(())
    }

    /// Removes a seat from the running game.
    ///
    /// # Errors
    /// The seat is out, the game is over, or the rules do not allow leaving; nothing is changed.
    pub fn leave(&mut self, seat: Seat) -> Result<(), IllegalMove> {
        if !self.game.leave(seat) {
            return Err(IllegalMove);
        }
        self.events.push((seat, Event::Leave));
        Ok(())
    }

    /// Takes the last event back; false if there is none.
    pub fn undo(&mut self) -> bool {
        self.events.pop();
        self.game.undo()
    }

    /// Another engine at the position after the first `events` events, with settings of its own. It
    /// shares neither the tree nor the random stream.
    pub fn fork(&self, params: Params, events: usize) -> Self {
        let mut other = Self::with_weights(self.start.clone(), params, self.weights.clone());
        other.replay(self.events.iter().take(events).copied());
        other
    }

    /// Events that were legal before, from the same start.
    fn replay(&mut self, events: impl IntoIterator<Item = (Seat, Event)>) {
        for (seat, event) in events {
            let _ = match event {
                Event::Move(code) => self.play(code),
                Event::Leave => self.leave(seat),
            };
        }
    }

    /// Brings the game to the position after these moves from its start, all of which are legal. The
    /// search keeps what it knows where play goes on.
    pub(crate) fn go_to(&mut self, moves: &[MoveCode]) {
        let same = |((_, event), mv): &(&(Seat, Event), &MoveCode)| *event == Event::Move(**mv);
        let common = self.events.iter().zip(moves).take_while(same).count();
        while self.events.len() > common {
            self.undo();
        }
        for &mv in moves.iter().skip(common) {
            let _ = self.play(mv);
        }
    }

    /// Drops the tree. Game, settings and random stream stay.
    pub fn clear_tree(&mut self) {
        self.game.clear_tree();
    }

    /// Begins a new game from `start`. The tree is dropped; the random stream goes on.
    pub fn restart(&mut self, start: impl Into<SharedStart>) {
        let start = start.into();
        let random = self.game.random().clone();
        if *start == *self.start {
            while self.undo() {}
            self.game.clear_tree();
            return;
        }
        self.replace_game(start.new_game(&self.params, self.weights.as_deref()));
        *self.game.random() = random;
        self.start = start;
        self.events.clear();
    }

    /// Changes the settings; the game goes on. The [`Effect`] of the changed ones decides whether
    /// the tree is dropped. The random stream goes on unless the seed has changed.
    pub fn set_params(&mut self, params: Params) {
        if !params.differs(&self.params, |effect| effect != Effect::NextMove) {
            self.params = params;
            return;
        }
        let mut random = self.game.random().clone();
        if params.seed != self.params.seed {
            random = Random::new(params.seed);
        }
        self.params = params;
        self.replace_game(self.start.new_game(&self.params, self.weights.as_deref()));
        *self.game.random() = random;
        let events = std::mem::take(&mut self.events);
        self.replay(events);
    }

    /// Freeing a large tree takes a long time. Another thread does it, if one can be started.
    fn replace_game(&mut self, game: Box<dyn RunningGame>) {
        let old = std::mem::replace(&mut self.game, game);
        let _ = std::thread::Builder::new().spawn(move || drop(old));
    }

    /// Restarts the random stream, even with the same seed, and drops the tree.
    pub fn reseed(&mut self, seed: u64) {
        self.params.seed = seed;
        *self.game.random() = Random::new(seed);
        self.game.clear_tree();
    }

    /// The codes for [`SearchLimits::root_moves`] if only moves for which `allows` holds may be
    /// chosen: `None` if those are all legal moves.
    ///
    /// # Errors
    /// No legal move is allowed.
    pub(crate) fn root_moves_where(
        &self,
        allows: impl Fn(&MoveCode) -> bool,
    ) -> Result<Option<Arc<[u16]>>, NothingLeft> {
        let legal = self.legal();
        let left = legal.iter().filter(|mv| allows(mv));
        let left: Arc<[u16]> = left.map(|mv| mv.number()).collect();
        if left.is_empty() && !legal.is_empty() {
            return Err(NothingLeft);
        }
        Ok((left.len() < legal.len()).then_some(left))
    }

    /// Searches the position until a limit is reached, the result is proven or `stop` returns true.
    pub fn search(
        &mut self,
        limits: &SearchLimits,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Report<MoveCode> {
        self.game.search(limits, stop)
    }

    /// Searches in slices of about `interval`, which share the tree. After each slice `seen` gets a
    /// report, and may end the search. The reports and the result cover all slices so far.
    ///
    /// The slices depend on the time: the same seed does not repeat the result.
    pub fn search_in_slices(
        &mut self,
        limits: &SearchLimits,
        interval: Duration,
        stop: &(dyn Fn() -> bool + Sync),
        seen: &mut dyn FnMut(&Self, &Report<MoveCode>) -> ControlFlow<()>,
    ) -> Report<MoveCode> {
        let mut whole: Option<Report<MoveCode>> = None;
        loop {
            let done = whole.as_ref().map_or(0, |report| report.iterations);
            let end = Instant::now().checked_add(interval);
            let slice = SearchLimits {
                iterations: limits
                    .iterations
                    .map(|most| most.saturating_sub(done).max(1)),
                ..limits.sliced(end)
            };
            let found = self.search(&slice, stop);
            let at_end = end.is_some_and(|end| Instant::now() >= end);
            let report = match whole {
                Some(before) => found.after(&before),
                None => found,
            };
            let over = seen(self, &report).is_break()
                || limits.end().is_some_and(|end| Instant::now() >= end)
                || limits.iterations.is_some_and(|most| report.iterations >= most)
                || stop()
                // The slice ended early: there is nothing left to learn.
                || !at_end;
            if over {
                return report;
            }
            whole = Some(report);
        }
    }
}
