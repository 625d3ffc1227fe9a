//! A running game of any variant, with its history and its search.
//!
//! A start position makes the game: it chooses the board width, the number of seats and the
//! evaluator once, outside every hot loop. Users of an [`Engine`] need not know them, nor the
//! game.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::game::{IllegalMove, Outcome, Seat};
use crate::params::{Effect, Params};
use crate::search::{Report, SearchLimits};
use crate::util::random::Random;
use crate::variant::{
    BoardView, Capabilities, Exact, ExactSettings, GameRecord, MoveCode, Notation, Progress,
    RecordedMove, RunningGame, SharedStart, Stones, TrainingFeatures, Variant,
};

/// What a player did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A move.
    Move(MoveCode),
    /// It left the game.
    Leave,
}

/// A bound that leaves no legal move to choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NothingLeft;

/// A running game: its start, what was played, and the position with its search.
pub struct Engine {
    start: SharedStart,
    params: Params,
    /// Weights of the evaluation other than the embedded ones.
    weights: Option<Arc<str>>,
    events: Vec<(Seat, Event)>,
    game: Box<dyn RunningGame>,
}

impl Engine {
    /// A game at its start.
    pub fn new(start: impl Into<SharedStart>, params: Params) -> Self {
        Self::with_weights(start, params, None)
    }

    /// A game at its start, with other weights of the evaluation than the embedded ones, as the
    /// game's files of weights have them; a text that is none stands for the embedded ones.
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

    /// The game that is played.
    pub fn variant(&self) -> &'static dyn Variant {
        self.start.variant()
    }

    /// Who plays, in the order of play; those who are out included.
    pub fn players(&self) -> &[Seat] {
        self.start.players()
    }

    /// The settings.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// What was played, and by whom.
    pub fn events(&self) -> &[(Seat, Event)] {
        &self.events
    }

    /// The moves that were played, who made them included.
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

    /// The game as a record: start, moves and result. None if somebody left, which no record
    /// can say.
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

    /// The seat to move; in a finished game the winner, if there is one.
    pub fn to_move(&self) -> Seat {
        self.game.to_move()
    }

    /// How the game ended; none while it runs.
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

    /// Whether the side to move may play this; never in a finished game.
    pub fn is_legal(&self, mv: impl Into<MoveCode>) -> bool {
        self.game.is_legal(mv.into())
    }

    /// The legal moves of the side to move.
    pub fn legal(&self) -> Vec<MoveCode> {
        self.game.legal()
    }

    /// The texts of the position.
    pub fn notation(&self) -> &dyn Notation {
        self.game.notation()
    }

    /// How far the game has come.
    pub fn progress(&self) -> &dyn Progress {
        self.game.progress()
    }

    /// The board as it is drawn, in a game on a square board.
    pub fn board_view(&self) -> Option<&dyn BoardView> {
        self.game.board_view()
    }

    /// The inputs of the evaluations, in a game whose evaluation can be trained.
    pub fn training_features(&self) -> Option<&dyn TrainingFeatures> {
        self.game.training_features()
    }

    /// A solver that starts at the position.
    ///
    /// # Errors
    /// Why there is no solver for it, in one sentence.
    pub fn exact(&self, settings: &ExactSettings) -> Result<Box<dyn Exact>, String> {
        self.game.exact(settings)
    }

    /// The word for a move.
    pub fn name(&self, mv: impl Into<MoveCode>) -> String {
        self.notation().write_moves(&[mv.into()])
    }

    /// The stones, in a game of stones on points.
    pub fn stones(&self) -> Option<&dyn Stones> {
        self.game.stones()
    }

    /// The position before the last move, or before the last seat left; `None` at the start.
    pub fn previous(&self) -> Option<Box<dyn Capabilities>> {
        self.game.previous()
    }

    /// The hash of the position.
    pub fn hash(&self) -> u64 {
        self.game.hash()
    }

    /// Plays a move of the side to move. The search keeps what it knows about the new position.
    ///
    /// # Errors
    /// An illegal move; nothing is changed.
    pub fn play(&mut self, mv: impl Into<MoveCode>) -> Result<(), IllegalMove> {
        let (seat, code) = (self.to_move(), mv.into());
        self.game.play(code)?;
        self.events.push((seat, Event::Move(code)));
        Ok(())
    }

    /// Plays the moves that a word stands for, all by `seat`; how many they were.
    ///
    /// # Errors
    /// A word that is no move, a move that is not legal or not this side's; nothing is changed.
    pub fn play_word(&mut self, seat: Seat, word: &str) -> Result<usize, IllegalMove> {
        let codes = self.notation().read_moves(word).map_err(|_| IllegalMove)?;
        self.play_turn(seat, &codes)?;
        Ok(codes.len())
    }

    /// Plays moves in a row, all by `seat`.
    ///
    /// # Errors
    /// A move that is not legal or not this side's; nothing is changed.
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

    /// Takes a seat out of the running game.
    ///
    /// # Errors
    /// The seat is out, the game is over, or its rules know no leaving; nothing is changed.
    pub fn leave(&mut self, seat: Seat) -> Result<(), IllegalMove> {
        if !self.game.leave(seat) {
            return Err(IllegalMove);
        }
        self.events.push((seat, Event::Leave));
        Ok(())
    }

    /// Takes the last move or leave back; false if there is none.
    pub fn undo(&mut self) -> bool {
        self.events.pop();
        self.game.undo()
    }

    /// Another engine where this one was after so many of its events, with settings of its own;
    /// it shares neither the tree nor the random stream.
    pub fn aside(&self, params: Params, events: usize) -> Self {
        let mut other = Self::with_weights(self.start.clone(), params, self.weights.clone());
        for &(seat, event) in self.events.iter().take(events) {
            // The same was legal from the same start before.
            let _ = match event {
                Event::Move(code) => other.play(code),
                Event::Leave => other.leave(seat),
            };
        }
        other
    }

    /// Drops the tree; game, settings and the random stream stay.
    pub fn forget(&mut self) {
        self.game.forget();
    }

    /// Begins a new game from `start`. The tree is dropped, the random stream
    /// goes on.
    pub fn restart(&mut self, start: impl Into<SharedStart>) {
        let start = start.into();
        let random = self.game.random();
        if *start == *self.start {
            while self.undo() {}
            self.game.forget();
            return;
        }
        self.replace_game(start.new_game(&self.params, self.weights.as_deref()));
        self.game.set_random(random);
        self.start = start;
        self.events.clear();
    }

    /// Changes the settings. The game goes on; the random stream goes on unless the
    /// seed was changed; the tree is dropped if more than limits was changed.
    pub fn set_params(&mut self, params: Params) {
        if !params.differs(&self.params, |effect| effect != Effect::NextMove) {
            self.params = params;
            return;
        }
        let mut random = self.game.random();
        if params.seed != self.params.seed {
            random = Random::new(params.seed);
        }
        self.params = params;
        self.replace_game(self.start.new_game(&self.params, self.weights.as_deref()));
        self.game.set_random(random);
        for &(seat, event) in &self.events {
            // The same was legal from the same start before.
            match event {
                Event::Move(code) => {
                    let _ = self.game.play(code);
                }
                Event::Leave => {
                    self.game.leave(seat);
                }
            }
        }
    }

    /// Giving a large tree back takes long, so another thread does it; without one
    /// to be had, this one.
    fn replace_game(&mut self, game: Box<dyn RunningGame>) {
        let old = std::mem::replace(&mut self.game, game);
        let _ = std::thread::Builder::new().spawn(move || drop(old));
    }

    /// Starts the random stream anew, with the same seed too.
    pub fn reseed(&mut self, seed: u64) {
        self.params.seed = seed;
        self.game.reseed(seed);
        self.game.forget();
    }

    /// The codes for [`SearchLimits::root_moves`] where only moves that `may` are to be chosen: none if
    /// that leaves out no legal one.
    ///
    /// # Errors
    /// It leaves none of them.
    pub fn bound(
        &self,
        may: impl Fn(&MoveCode) -> bool,
    ) -> Result<Option<Arc<[u16]>>, NothingLeft> {
        let legal = self.legal();
        let left: Arc<[u16]> = legal
            .iter()
            .filter(|mv| may(mv))
            .map(|mv| mv.number())
            .collect();
        match left.is_empty() && !legal.is_empty() {
            true => Err(NothingLeft),
            false => Ok((left.len() < legal.len()).then_some(left)),
        }
    }

    /// Searches the position until a limit is reached, the result is proven or
    /// `stop` returns true.
    pub fn search(
        &mut self,
        limits: &SearchLimits,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Report<MoveCode> {
        self.game.search(limits, stop)
    }

    /// The same in slices of about `interval`, each of which goes on with the tree of the one
    /// before; `seen` gets what is known after each, and may end the search. Iterations, seconds
    /// and values of what it gets, and of the result, are those of all slices so far.
    ///
    /// Where the slices end depends on the time, so a seed does not repeat the result.
    pub fn watch(
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
                // Nothing was left to learn.
                || !at_end;
            if over {
                return report;
            }
            whole = Some(report);
        }
    }
}
