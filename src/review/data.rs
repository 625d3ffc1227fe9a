//! The result of a review, as `tanada analyze --json` prints it; `docs/guide/review.md` explains
//! each field.

use serde::Serialize;

use super::settle::{CERTAIN_LOSS, Mark, rounded};
use super::walk::place;
use crate::game::Seat;
use crate::variant::Space;

/// A game examined move by move. Players are named by their place in `players`, from 0; cells
/// are numbered row by row from the upper left, from 0; chances run from 0 to 1.
#[derive(Clone, Debug, Serialize)]
pub struct Review {
    /// Tanada's version.
    pub version: &'static str,
    /// The game's name, one word.
    pub game: &'static str,
    /// The game's name as people write it.
    pub title: &'static str,
    /// Who plays, in the order of play.
    pub players: Vec<Player>,
    /// What the record says of the game.
    #[serde(flatten)]
    pub head: Head,
    /// The search of each position.
    pub search: SearchSettings,
    /// Only where the analysis was stopped: later moves are missing, or a second look at some is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<Incomplete>,
    /// The losses from which on a move is marked.
    pub thresholds: Thresholds,
    /// The board, where it can be drawn.
    pub board: Option<Board>,
    /// The positions from the start on, one more than the moves.
    pub positions: Vec<PositionReview>,
    /// The moves.
    pub moves: Vec<MoveReview>,
    /// The numbers of the marked moves, the largest loss first.
    pub mistakes: Vec<usize>,
}

impl Review {
    /// How many moves it holds: `7 moves`, or `the first 3 of 7 moves, analysis stopped`.
    pub fn extent(&self) -> String {
        let (judged, length) = (self.moves.len(), self.length());
        let plural = if length == 1 { "" } else { "s" };
        match (self.incomplete.is_some(), judged < length) {
            (false, _) => format!("{length} move{plural}"),
            (true, true) => {
                format!("the first {judged} of {length} move{plural}, analysis stopped")
            }
            (true, false) => format!("{length} move{plural}, analysis stopped"),
        }
    }

    /// The moves of the whole game.
    pub fn length(&self) -> usize {
        self.incomplete
            .as_ref()
            .map_or(self.moves.len(), |all| all.moves)
    }
}

/// An analysis that was stopped.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Incomplete {
    /// The moves of the whole game.
    pub moves: usize,
}

/// A player.
#[derive(Clone, Debug, Serialize)]
pub struct Player {
    /// The word of the colour.
    pub colour: &'static str,
    /// The name in the record.
    pub name: Option<String>,
    /// How well it played.
    pub summary: Summary,
}

/// How well a player played.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// The moves it made.
    pub moves: usize,
    /// The mean loss of a move, where what is within the uncertainty of the search counts as 0;
    /// none without moves.
    pub mean_loss: Option<f64>,
    /// Moves marked `?!`.
    pub doubtful: usize,
    /// Moves marked `?`.
    pub mistakes: usize,
    /// Moves marked `??`.
    pub blunders: usize,
}

impl Summary {
    /// That of the player at a place.
    pub fn of(moves: &[MoveReview], player: usize) -> Self {
        let own: Vec<&MoveReview> = moves.iter().filter(|mv| mv.player == player).collect();
        let count = |mark| own.iter().filter(|mv| mv.mark == Some(mark)).count();
        let sure = own.iter().filter(|mv| mv.is_sure());
        // An empty sum is a negative zero.
        let lost = 0.0 + sure.map(|mv| mv.loss).sum::<f64>();
        Self {
            moves: own.len(),
            mean_loss: (!own.is_empty()).then(|| rounded(lost / own.len() as f64)),
            doubtful: count(Mark::Doubtful),
            mistakes: count(Mark::Mistake),
            blunders: count(Mark::Blunder),
        }
    }
}

/// What the record says of the game.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Head {
    /// The game's own name.
    pub name: Option<String>,
    /// The tournament or match.
    pub event: Option<String>,
    /// The round of it.
    pub round: Option<String>,
    /// The day.
    pub date: Option<String>,
    /// Where it was played.
    pub place: Option<String>,
    /// The result.
    pub result: Option<String>,
    /// What was said before the first move.
    pub comment: Option<String>,
}

/// What each position was given.
#[derive(Clone, Debug, Serialize)]
pub struct SearchSettings {
    /// Iterations at most.
    pub iterations: Option<u64>,
    /// Seconds at most.
    pub seconds: Option<f64>,
    /// Threads.
    pub threads: usize,
    /// Where the random stream started.
    pub seed: u64,
}

/// The losses from which on a move is marked.
#[derive(Clone, Debug, Serialize)]
pub struct Thresholds {
    /// Marked `?!`.
    pub doubtful: f64,
    /// Marked `?`.
    pub mistake: f64,
    /// Marked `??`.
    pub blunder: f64,
    /// A loss is beyond the uncertainty of the search if its interval begins here or later.
    pub certain: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            doubtful: Mark::Doubtful.least(),
            mistake: Mark::Mistake.least(),
            blunder: Mark::Blunder.least(),
            certain: CERTAIN_LOSS,
        }
    }
}

/// The board.
#[derive(Clone, Debug, Serialize)]
pub struct Board {
    /// Cells a row.
    pub side: usize,
    /// `points` or `squares`.
    pub ground: &'static str,
    /// The names of the columns from the left.
    pub columns: Vec<String>,
    /// The names of the rows from the top.
    pub rows: Vec<String>,
    /// What stands for which piece in the rows of positions.
    pub pieces: Vec<BoardPiece>,
}

/// A piece.
#[derive(Clone, Debug, Serialize)]
pub struct BoardPiece {
    /// Its letter.
    pub symbol: char,
    /// Whose it is.
    pub player: usize,
    /// What it is called, where pieces differ.
    pub name: Option<String>,
}

/// What a move changed on the board.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The cell that the piece came from, where pieces move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<usize>,
    /// The cell of the stone or piece.
    pub to: Option<usize>,
    /// The cells of what went off the board.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<usize>,
}

/// A position.
#[derive(Clone, Debug, Serialize)]
pub struct PositionReview {
    /// The moves before it.
    pub number: usize,
    /// Whose turn it is; none in a finished game.
    pub to_move: Option<usize>,
    /// The winning chance of each player; together 1.
    pub values: Vec<f64>,
    /// Whether the values are exact.
    pub exact: bool,
    /// Whether the game is over.
    pub over: bool,
    /// Iterations that were spent on it.
    pub iterations: u64,
    /// The rows of the board from the top, `.` for an empty cell.
    pub rows: Vec<String>,
    /// The best moves, the best first.
    pub best: Vec<BestMove>,
    /// The groups with their spaces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spaces: Vec<SpaceReview>,
    /// Rows: who alone can come to each empty cell.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub map: Vec<String>,
}

/// A move from the view of the side to move.
#[derive(Clone, Debug, Serialize)]
pub struct BestMove {
    /// Its name.
    #[serde(rename = "move")]
    pub name: String,
    /// Winning chance after it.
    pub value: f64,
    /// Visits.
    pub visits: u32,
    /// The evaluator's probability that the move is the best, if it has priors.
    pub prior: Option<f64>,
    /// The evaluator's winning chance after the move, if it evaluates moves without priors.
    pub initial_value: Option<f64>,
    /// `win`, `loss` or `draw`, if the result is exact.
    pub proven: Option<&'static str>,
    /// The move and the best play after it.
    pub line: Vec<LineMove>,
}

/// A move of a variation.
#[derive(Clone, Debug, Serialize)]
pub struct LineMove {
    /// Its name.
    #[serde(rename = "move")]
    pub name: String,
    /// Who makes it.
    pub player: usize,
    /// What it changes.
    #[serde(flatten)]
    pub change: Change,
}

/// A move that was played, from the view of who played it.
#[derive(Clone, Debug, Serialize)]
pub struct MoveReview {
    /// From 1.
    pub number: usize,
    /// The turn, from 1: moves that one side makes in a row are one turn.
    pub turn: usize,
    /// Who moved.
    pub player: usize,
    /// Its name.
    #[serde(rename = "move")]
    pub name: String,
    /// Winning chance after it.
    pub value: f64,
    /// `win`, `loss` or `draw`, if the result is exact.
    pub proven: Option<&'static str>,
    /// The name of the best move.
    pub best: String,
    /// Winning chance after the best move.
    pub best_value: f64,
    /// `best_value` less `value`, at least 0.
    pub loss: f64,
    /// The 95 % interval of the loss, where the move had a second look or both values are exact.
    pub loss_interval: Option<[f64; 2]>,
    /// The mark of the loss, if it is beyond the uncertainty of the search.
    pub mark: Option<Mark>,
    /// What the record says of it.
    pub comment: Option<String>,
    /// What it changed.
    #[serde(flatten)]
    pub change: Change,
}

impl MoveReview {
    /// Whether the loss is beyond the uncertainty of the search.
    pub fn is_sure(&self) -> bool {
        self.loss_interval
            .is_some_and(|[low, _]| low >= CERTAIN_LOSS)
    }
}

/// A group with its space.
#[derive(Clone, Debug, Serialize)]
pub struct SpaceReview {
    /// Whose it is.
    pub player: usize,
    /// Its first stone.
    pub cell: usize,
    /// Its stones.
    pub stones: usize,
    /// Where it can grow now.
    pub now: Vec<usize>,
    /// The number of cells that it would come to if it alone grew.
    pub reach: usize,
    /// How many of these no other group comes to.
    pub own: usize,
}

/// How many groups come to each cell, and whose they are.
pub(super) struct Cells(Vec<(usize, Option<usize>)>);

impl Cells {
    pub(super) fn count(spaces: &[Space], cells: usize, players: &[Seat]) -> Self {
        let mut counts = vec![(0, None); cells];
        for space in spaces {
            let seat = place(players, space.seat);
            for &cell in &space.reach {
                if let Some((count, owner)) = counts.get_mut(cell) {
                    *owner = (*count == 0 || *owner == Some(seat)).then_some(seat);
                    *count += 1;
                }
            }
        }
        Self(counts)
    }

    pub(super) fn roots(&self, cell: usize) -> usize {
        self.0.get(cell).map_or(0, |&(count, _)| count)
    }

    /// `-` for nobody, the digit of a player of whom one group comes there, the letter of one
    /// of whom several do (`a` for 0), `*` for several players.
    pub(super) fn sign(&self, cell: usize) -> char {
        let letter = |seat: usize, first: u8| char::from(first + (seat & 3) as u8);
        match self.0.get(cell) {
            None | Some((0, _)) => '-',
            Some((1, Some(seat))) => letter(*seat, b'0'),
            Some((_, Some(seat))) => letter(*seat, b'a'),
            Some((_, None)) => '*',
        }
    }
}
