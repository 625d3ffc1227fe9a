//! One game between two players.

use std::time::{Duration, Instant};

use thiserror::Error;

use super::Player;
use crate::engine::Engine;
use crate::game::Seat;
use crate::grid::{BoardSize, Point};
use crate::params::Params;
use crate::random::Random;
use crate::search::Limits;
use crate::tanbo::setup::Start;
use crate::vertex;

/// A finished game.
#[derive(Clone, Debug)]
pub struct Game {
    /// Who won.
    pub winner: Seat,
    /// All moves, those of the opening first.
    pub moves: Vec<Point>,
    /// How many of them belong to the opening.
    pub opening: usize,
    /// What each player thought of each own move, in order: value and iterations.
    pub thoughts: Vec<Thought>,
}

/// What the player to move found before a move.
#[derive(Clone, Copy, Debug)]
pub struct Thought {
    /// Who thought.
    pub seat: Seat,
    /// The winning chance of `seat` with the move that was played, 0 to 1.
    pub value: f32,
    /// Iterations of the search.
    pub iterations: u64,
    /// Wall clock of the search.
    pub elapsed: Duration,
}

/// Why a game could not be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlayError {
    /// Random openings of that length end the game.
    #[error("`{plies}` random plies outlast the game on {size}x{size}, expected fewer")]
    Opening {
        /// The number of plies.
        plies: usize,
        /// The board.
        size: BoardSize,
    },
    /// A move that the rules refuse: a fault of this program, since players search
    /// legal moves only.
    #[error("{player} played {point} as move {number}, which is illegal")]
    Illegal {
        /// The player's name.
        player: String,
        /// The vertex, or `nothing`.
        point: String,
        /// The number of the move, from 1.
        number: usize,
    },
}

fn limits(params: &Params) -> Limits {
    if params.iterations > 0 {
        return Limits {
            deadline: None,
            iterations: Some(params.iterations),
        };
    }
    let time = Duration::try_from_secs_f64(params.time_per_move).unwrap_or(Duration::MAX);
    Limits {
        deadline: Instant::now().checked_add(time),
        iterations: None,
    }
}

/// Plays a game from `start` after `opening`; `players` by seat: Black, White.
///
/// # Errors
/// An illegal move by a player.
pub fn play(
    start: &Start,
    players: [&Player; 2],
    opening: &[Point],
    seed: u64,
) -> Result<Game, PlayError> {
    let mut random = Random::new(seed);
    let mut engines = players.map(|player| {
        let mut params = player.params.clone();
        params.seed = random.bits();
        Engine::with_weights(start.clone(), params, player.weights)
    });
    let mut game = Game {
        winner: Seat::ALL[0],
        moves: Vec::new(),
        opening: opening.len(),
        thoughts: Vec::new(),
    };
    loop {
        if let Some(winner) = engines[0].winner() {
            game.winner = winner;
            return Ok(game);
        }
        let number = game.moves.len();
        let seat = engines[0].to_move();
        let player = seat.index() % 2;
        let point = match opening.get(number) {
            Some(&point) => Some(point),
            None => {
                let limits = limits(&players[player].params);
                let report = engines[player].search(&limits, &|| false);
                report.best().map(|best| {
                    game.thoughts.push(Thought {
                        seat,
                        value: best.value,
                        iterations: report.iterations,
                        elapsed: report.elapsed,
                    });
                    best.mv
                })
            }
        };
        let refused = |point: Option<Point>| PlayError::Illegal {
            player: players[player].name.clone(),
            point: point.map_or("nothing".to_string(), |p| vertex::name(p, start.size())),
            number: number + 1,
        };
        let Some(played) = point else {
            return Err(refused(None));
        };
        for engine in &mut engines {
            engine.play(played).map_err(|_| refused(point))?;
        }
        game.moves.push(played);
    }
}
