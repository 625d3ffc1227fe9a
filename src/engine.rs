//! A running game of Tanbo with the searcher that thinks about it.
//!
//! Board width, number of seats and evaluator are chosen here, once for each
//! start position, outside every hot loop; what uses an [`Engine`] need not know
//! them.

use crate::eval::playout::Playout;
use crate::game::{Game, IllegalMove, MAX_SEATS, Seat};
use crate::grid::{BoardSize, Point};
use crate::params::{Leaf, Params};
use crate::random::Random;
use crate::search::{Limits, Report, Searcher};
use crate::tanbo::features::{self, Features};
use crate::tanbo::linear::Linear;
use crate::tanbo::position::Undo;
use crate::tanbo::setup::{Setup, Start};
use crate::tanbo::weights::{Weights, weights_for};
use crate::tanbo::{Position, with_position};

/// A game in progress: a position, the moves that led to it, and a searcher.
pub struct Engine {
    start: Start,
    params: Params,
    /// Weights of the linear evaluation other than the embedded ones.
    weights: Option<Weights>,
    moves: Vec<(Seat, Point)>,
    table: Box<dyn Table>,
}

/// What depends on board width, number of seats and evaluator.
trait Table: Send {
    fn play(&mut self, point: Point) -> Result<(), IllegalMove>;
    fn undo(&mut self) -> bool;
    fn to_move(&self) -> Seat;
    fn winner(&self) -> Option<Seat>;
    fn is_legal(&self, point: Point) -> bool;
    fn legal(&self, seat: Seat) -> Vec<Point>;
    fn stone_at(&self, point: Point) -> Option<Seat>;
    fn root_count(&self, seat: Seat) -> u32;
    fn hash(&self) -> u64;
    fn features(&self) -> Features<MAX_SEATS>;
    fn search(&mut self, limits: &Limits, stop: &(dyn Fn() -> bool + Sync)) -> Report<Point>;
    fn forget(&mut self);
    fn reseed(&mut self, seed: u64);
    fn random(&self) -> Random;
    fn set_random(&mut self, random: Random);
}

impl Engine {
    /// A game at its start.
    pub fn new(start: Start, params: Params) -> Self {
        Self::with_weights(start, params, None)
    }

    /// A game at its start, with other weights of the linear evaluation than the
    /// embedded ones.
    pub fn with_weights(start: Start, params: Params, weights: Option<Weights>) -> Self {
        let table = table(&start, &params, weights);
        Self {
            start,
            params,
            weights,
            moves: Vec::new(),
            table,
        }
    }

    /// The start position of the game.
    pub fn start(&self) -> &Start {
        &self.start
    }

    /// The board.
    pub fn size(&self) -> BoardSize {
        self.start.size()
    }

    /// Who plays, in the order of play; those who are out included.
    pub fn players(&self) -> &[Seat] {
        self.start.players()
    }

    /// The settings.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The moves that were played, who made them included.
    pub fn moves(&self) -> &[(Seat, Point)] {
        &self.moves
    }

    /// The seat to move; in a finished game the winner.
    pub fn to_move(&self) -> Seat {
        self.table.to_move()
    }

    /// The winner of a finished game.
    pub fn winner(&self) -> Option<Seat> {
        self.table.winner()
    }

    /// Whether the side to move may play at `point`; never in a finished game.
    pub fn is_legal(&self, point: Point) -> bool {
        self.table.is_legal(point)
    }

    /// Where `seat` could play if it were its turn; empty in a finished game.
    pub fn legal(&self, seat: Seat) -> Vec<Point> {
        self.table.legal(seat)
    }

    /// Whose stone lies on `point`.
    pub fn stone_at(&self, point: Point) -> Option<Seat> {
        self.table.stone_at(point)
    }

    /// How many roots a colour has on the board; 0 if it is out.
    pub fn root_count(&self, seat: Seat) -> u32 {
        self.table.root_count(seat)
    }

    /// The hash of the position.
    pub fn hash(&self) -> u64 {
        self.table.hash()
    }

    /// What the linear evaluation looks at; zeros for seats that the game lacks.
    pub fn features(&self) -> Features<MAX_SEATS> {
        self.table.features()
    }

    /// The stones and the side to move.
    pub fn setup(&self) -> Setup {
        let mut setup = Setup::empty(self.size());
        setup.to_move = self.to_move();
        for point in self.size().points() {
            if let Some(seat) = self.stone_at(point) {
                setup.stones.insert(point, seat);
            }
        }
        setup
    }

    /// Plays at `point` for the side to move. The search keeps what it knows
    /// about the new position.
    ///
    /// # Errors
    /// An illegal point; nothing is changed.
    pub fn play(&mut self, point: Point) -> Result<(), IllegalMove> {
        let seat = self.to_move();
        self.table.play(point)?;
        self.moves.push((seat, point));
        Ok(())
    }

    /// Takes the last move back; false if there is none.
    pub fn undo(&mut self) -> bool {
        self.moves.pop();
        self.table.undo()
    }

    /// Begins a new game from `start`. The tree is dropped, the random stream
    /// goes on.
    pub fn restart(&mut self, start: Start) {
        let random = self.table.random();
        if start == self.start {
            while self.undo() {}
            self.table.forget();
            return;
        }
        self.replace_table(table(&start, &self.params, self.weights));
        self.table.set_random(random);
        self.start = start;
        self.moves.clear();
    }

    /// Changes the settings. The game goes on; the random stream goes on unless the
    /// seed was changed; the tree is dropped if more than limits was changed.
    pub fn set_params(&mut self, params: Params) {
        let same_but_limits = Params {
            time_per_move: params.time_per_move,
            iterations: params.iterations,
            resign: params.resign,
            ..self.params.clone()
        };
        if same_but_limits == params {
            self.params = params;
            return;
        }
        let mut random = self.table.random();
        if params.seed != self.params.seed {
            random = Random::new(params.seed);
        }
        self.params = params;
        self.replace_table(table(&self.start, &self.params, self.weights));
        self.table.set_random(random);
        for &(_, point) in &self.moves {
            // The same moves were legal from the same start before.
            let _ = self.table.play(point);
        }
    }

    /// Giving a large tree back takes long, so another thread does it; without one
    /// to be had, this one.
    fn replace_table(&mut self, table: Box<dyn Table>) {
        let old = std::mem::replace(&mut self.table, table);
        let _ = std::thread::Builder::new().spawn(move || drop(old));
    }

    /// Starts the random stream anew, with the same seed too.
    pub fn reseed(&mut self, seed: u64) {
        self.params.seed = seed;
        self.table.reseed(seed);
        self.table.forget();
    }

    /// Searches the position until a limit is reached, the result is proven or
    /// `stop` returns true.
    pub fn search(&mut self, limits: &Limits, stop: &(dyn Fn() -> bool + Sync)) -> Report<Point> {
        self.table.search(limits, stop)
    }
}

fn table(start: &Start, params: &Params, weights: Option<Weights>) -> Box<dyn Table> {
    let weights = weights.unwrap_or_else(|| weights_for(start));
    with_position!(start, |position| match params.leaf {
        Leaf::Linear => {
            let linear = Linear::new(weights, params.prior_noise);
            Play::boxed(position, params, linear)
        }
        Leaf::Playout => {
            let record = params.rave_equivalence > 0.0;
            Play::boxed(
                position,
                params,
                Playout {
                    redraws: params.playout_redraws,
                    record,
                },
            )
        }
    })
}

struct Play<const W: usize, const SEATS: usize, E: crate::game::Evaluator<Position<W, SEATS>>> {
    position: Position<W, SEATS>,
    undos: Vec<Undo>,
    searcher: Searcher<Position<W, SEATS>, E>,
}

impl<const W: usize, const SEATS: usize, E> Play<W, SEATS, E>
where
    E: crate::game::Evaluator<Position<W, SEATS>> + Send + 'static,
{
    fn boxed(position: Position<W, SEATS>, params: &Params, evaluator: E) -> Box<dyn Table> {
        Box::new(Self {
            position,
            undos: Vec::new(),
            searcher: Searcher::new(params, evaluator),
        })
    }
}

impl<const W: usize, const SEATS: usize, E> Table for Play<W, SEATS, E>
where
    E: crate::game::Evaluator<Position<W, SEATS>> + Send,
{
    fn play(&mut self, point: Point) -> Result<(), IllegalMove> {
        let undo = self.position.try_play(point)?;
        self.undos.push(undo);
        self.searcher.advance(point, &self.position);
        Ok(())
    }

    fn undo(&mut self) -> bool {
        let Some(undo) = self.undos.pop() else {
            return false;
        };
        self.position.undo(undo);
        self.searcher.clear();
        true
    }

    fn to_move(&self) -> Seat {
        self.position.to_move()
    }

    fn winner(&self) -> Option<Seat> {
        self.position.winner()
    }

    fn is_legal(&self, point: Point) -> bool {
        self.position.is_legal(point)
    }

    fn legal(&self, seat: Seat) -> Vec<Point> {
        match self.position.winner() {
            Some(_) => Vec::new(),
            None => self.position.legal(seat).iter().collect(),
        }
    }

    fn stone_at(&self, point: Point) -> Option<Seat> {
        self.position.stone_at(point)
    }

    fn root_count(&self, seat: Seat) -> u32 {
        self.position.root_count(seat)
    }

    fn hash(&self) -> u64 {
        Game::hash(&self.position)
    }

    fn features(&self) -> Features<MAX_SEATS> {
        let features = features::features(&self.position);
        let mut seats = [[0; features::COUNT]; MAX_SEATS];
        seats[..SEATS].copy_from_slice(&features.seats);
        Features {
            seats,
            phase: features.phase,
        }
    }

    fn search(&mut self, limits: &Limits, stop: &(dyn Fn() -> bool + Sync)) -> Report<Point> {
        self.searcher.search(&self.position, limits, stop)
    }

    fn forget(&mut self) {
        self.searcher.clear();
    }

    fn reseed(&mut self, seed: u64) {
        self.searcher.reseed(seed);
    }

    fn random(&self) -> Random {
        self.searcher.random().clone()
    }

    fn set_random(&mut self, random: Random) {
        self.searcher.set_random(random);
    }
}
