//! The review of a game, as `tanada analyze --json` prints it. `docs/guide/review.md` explains
//! every field.

use serde::Serialize;

use super::mark::{CERTAIN_LOSS, Mark, rounded};

/// A game examined move by move. A player is an index into `players`; cells are numbered from 0,
/// row by row from the upper left; chances are 0 to 1.
///
/// ```
/// fn marked(review: &tanada::Review) -> usize {
///     review.moves.iter().filter(|reviewed| reviewed.mark.is_some()).count()
/// }
/// # let _ = marked;
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct Review {
    /// Tanada's version.
    pub version: &'static str,
    /// The name of the game, one word.
    pub game: &'static str,
    /// The title of the game.
    pub title: &'static str,
    /// The players in the order of play.
    pub players: Vec<PlayerReview>,
    /// The header of the record.
    #[serde(flatten)]
    pub header: RecordHeader,
    /// The search settings of each position.
    pub search: SearchSettings,
    /// Present if the analysis was stopped: later moves, or verification searches, are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<Incomplete>,
    /// The thresholds of the marks.
    pub thresholds: Thresholds,
    /// The board, if it can be drawn.
    pub board: Option<Board>,
    /// The positions, from the start: one more than the moves.
    pub positions: Vec<PositionReview>,
    /// The moves.
    pub moves: Vec<MoveReview>,
    /// The numbers of the marked moves by descending loss.
    pub mistakes: Vec<usize>,
}

impl Review {
    /// The extent in words: `7 moves`, or `the first 3 of 7 moves, analysis stopped`.
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

    /// The number of moves of the whole game.
    pub fn length(&self) -> usize {
        self.incomplete
            .as_ref()
            .map_or(self.moves.len(), |all| all.moves)
    }
}

/// An analysis that was stopped.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Incomplete {
    /// The number of moves of the whole game.
    pub moves: usize,
}

/// A player.
#[derive(Clone, Debug, Serialize)]
pub struct PlayerReview {
    /// The colour.
    pub colour: &'static str,
    /// The name in the record.
    pub name: Option<String>,
    /// Statistics of its moves.
    pub summary: Summary,
}

/// Statistics of the moves of a player.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// The number of moves.
    pub moves: usize,
    /// The mean loss of a move. Losses within the noise of the search count as 0. `None` without
    /// moves.
    pub mean_loss: Option<f64>,
    /// Moves marked `?!`.
    pub doubtful: usize,
    /// Moves marked `?`.
    pub mistakes: usize,
    /// Moves marked `??`.
    pub blunders: usize,
}

impl Summary {
    /// The statistics of a player.
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

/// The header of a game record.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RecordHeader {
    /// The game's own name.
    pub name: Option<String>,
    /// The tournament or match.
    pub event: Option<String>,
    /// The round of it.
    pub round: Option<String>,
    /// The date.
    pub date: Option<String>,
    /// The place.
    pub place: Option<String>,
    /// The result.
    pub result: Option<String>,
    /// The comment before the first move.
    pub comment: Option<String>,
}

/// The search settings of each position.
#[derive(Clone, Debug, Serialize)]
pub struct SearchSettings {
    /// The most iterations.
    pub iterations: Option<u64>,
    /// The most seconds.
    pub seconds: Option<f64>,
    /// Threads.
    pub threads: usize,
    /// The seed.
    pub seed: u64,
}

/// The least losses of the marks.
#[derive(Clone, Debug, Serialize)]
pub struct Thresholds {
    /// Marked `?!`.
    pub doubtful: f64,
    /// Marked `?`.
    pub mistake: f64,
    /// Marked `??`.
    pub blunder: f64,
    /// A loss is beyond the noise of the search if its interval begins here or above.
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
    /// The pieces by the letters in the rows of positions.
    pub pieces: Vec<BoardPiece>,
}

/// A piece.
#[derive(Clone, Debug, Serialize)]
pub struct BoardPiece {
    /// Its letter.
    pub(crate) symbol: char,
    /// Its player.
    pub(crate) player: usize,
    /// Its name, if there are several kinds.
    pub(crate) name: Option<String>,
}

/// The changes of a move on the board.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The origin of the piece, in games where pieces move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<usize>,
    /// The cell of the stone or piece.
    pub to: Option<usize>,
    /// The cells of removed stones or pieces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<usize>,
}

/// A position.
#[derive(Clone, Debug, Serialize)]
pub struct PositionReview {
    /// The number of moves before it.
    pub number: usize,
    /// The side to move; `None` in a finished game.
    pub to_move: Option<usize>,
    /// The winning chance of each player; their sum is 1.
    pub values: Vec<f64>,
    /// Whether the values are exact.
    pub exact: bool,
    /// Whether the game is over.
    pub over: bool,
    /// The iterations spent on it.
    pub iterations: u64,
    /// The rows of the board from the top, `.` for an empty cell.
    pub rows: Vec<String>,
    /// The best moves, the best first.
    pub best: Vec<BestMove>,
    /// The groups and their spaces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spaces: Vec<SpaceReview>,
    /// Rows that tell for each empty cell who can reach it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub map: Vec<String>,
}

/// A move from the view of the side to move.
#[derive(Clone, Debug, Serialize)]
pub struct BestMove {
    /// Its name.
    #[serde(rename = "move")]
    pub name: String,
    /// The winning chance after it.
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
    /// Its changes.
    #[serde(flatten)]
    pub change: Change,
}

/// A played move, from the view of its player.
#[derive(Clone, Debug, Serialize)]
pub struct MoveReview {
    /// The number, from 1.
    pub number: usize,
    /// The turn, from 1. Consecutive moves of one side are a single turn.
    pub turn: usize,
    /// The player.
    pub player: usize,
    /// Its name.
    #[serde(rename = "move")]
    pub name: String,
    /// The winning chance after it.
    pub value: f64,
    /// `win`, `loss` or `draw`, if the result is exact.
    pub proven: Option<&'static str>,
    /// The name of the best move.
    pub best: String,
    /// The winning chance after the best move.
    pub best_value: f64,
    /// `best_value - value`, at least 0.
    pub loss: f64,
    /// The 95 % interval of the loss, if it was verified or both values are exact.
    pub loss_interval: Option<[f64; 2]>,
    /// The mark, if the loss is beyond the noise of the search.
    pub mark: Option<Mark>,
    /// The comment in the record.
    pub comment: Option<String>,
    /// Its changes.
    #[serde(flatten)]
    pub change: Change,
}

impl MoveReview {
    /// Whether the loss is beyond the noise of the search.
    pub fn is_sure(&self) -> bool {
        self.loss_interval
            .is_some_and(|[low, _]| low >= CERTAIN_LOSS)
    }
}

/// A group and its space.
#[derive(Clone, Debug, Serialize)]
pub struct SpaceReview {
    /// Its player.
    pub player: usize,
    /// Its first stone.
    pub cell: usize,
    /// The number of its stones.
    pub stones: usize,
    /// The cells where it can grow now.
    pub now: Vec<usize>,
    /// The number of cells it could reach if it grew alone.
    pub reach: usize,
    /// The number of these that no other group can reach.
    pub own: usize,
}
