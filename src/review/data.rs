//! The review of a game, as `tanada analyze --json` prints it. `docs/guide/review.md` explains
//! every field.

use serde::Serialize;

use super::mark::{CERTAIN_LOSS, Mark, rounded};

/// A game examined move by move. A player is an index into `players`; cells are numbered from 0,
/// row by row from the upper left; chances are 0 to 1.
///
/// Only the fields that programs need most are documented here; the JSON has all.
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
    #[doc(hidden)]
    pub players: Vec<PlayerReview>,
    /// The header of the record.
    #[serde(flatten)]
    #[doc(hidden)]
    pub header: RecordHeader,
    /// The search settings of each position.
    #[doc(hidden)]
    pub search: SearchSettings,
    /// Present if the analysis was stopped: later moves, or verification searches, are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[doc(hidden)]
    pub incomplete: Option<Incomplete>,
    /// The thresholds of the marks.
    #[doc(hidden)]
    pub thresholds: Thresholds,
    /// The board, if it can be drawn.
    #[doc(hidden)]
    pub board: Option<Board>,
    /// The positions, from the start: one more than the moves.
    #[doc(hidden)]
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

    /// The word for the colour of a player.
    pub(super) fn colour(&self, player: usize) -> &'static str {
        self.players.get(player).map_or("", |p| p.colour)
    }

    /// The marked moves by descending loss.
    pub(super) fn marked_moves(&self) -> impl Iterator<Item = &MoveReview> {
        let numbers = self.mistakes.iter();
        numbers.filter_map(|number| self.moves.get(number - 1))
    }

    /// The number of moves of the whole game.
    pub fn length(&self) -> usize {
        let whole = self.incomplete.as_ref();
        whole.map_or(self.moves.len(), |all| all.moves)
    }
}

#[derive(Clone, Copy, Debug, Serialize)]
pub struct Incomplete {
    /// The number of moves of the whole game.
    pub moves: usize,
}

#[derive(Clone, Debug, Serialize)]
pub struct PlayerReview {
    pub colour: &'static str,
    /// The name in the record.
    pub name: Option<String>,
    pub summary: Summary,
}

/// Statistics of the moves of a player.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    pub moves: usize,
    /// The mean loss of a move. Losses within the noise of the search count as 0. `None` without
    /// moves.
    pub mean_loss: Option<f64>,
    pub doubtful: usize,
    pub mistakes: usize,
    pub blunders: usize,
}

impl Summary {
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

#[derive(Clone, Debug, Default, Serialize)]
pub struct RecordHeader {
    /// The game's own name.
    pub name: Option<String>,
    pub event: Option<String>,
    pub round: Option<String>,
    pub date: Option<String>,
    pub place: Option<String>,
    pub result: Option<String>,
    /// The comment before the first move.
    pub comment: Option<String>,
}

/// The search settings of each position: the most iterations and seconds, if they are limited.
#[derive(Clone, Debug, Serialize)]
pub struct SearchSettings {
    pub iterations: Option<u64>,
    pub seconds: Option<f64>,
    pub threads: usize,
    pub seed: u64,
}

/// The least losses of the marks.
#[derive(Clone, Debug, Serialize)]
pub struct Thresholds {
    pub doubtful: f64,
    pub mistake: f64,
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

#[derive(Clone, Debug, Serialize)]
pub struct BoardPiece {
    pub(crate) symbol: char,
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
    pub to: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<usize>,
}

#[derive(Clone, Debug, Serialize)]
pub struct PositionReview {
    /// The number of moves before it.
    pub number: usize,
    /// The side to move; `None` in a finished game.
    pub to_move: Option<usize>,
    /// The winning chance of each player; their sum is 1.
    pub values: Vec<f64>,
    pub exact: bool,
    pub over: bool,
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
    #[serde(rename = "move")]
    pub name: String,
    /// The winning chance after it.
    pub value: f64,
    pub visits: u32,
    pub prior: Option<f64>,
    pub initial_value: Option<f64>,
    /// `win`, `loss` or `draw`, if the result is exact.
    pub proven: Option<&'static str>,
    /// The move and the best play after it.
    pub line: Vec<LineMove>,
}

#[derive(Clone, Debug, Serialize)]
pub struct LineMove {
    #[serde(rename = "move")]
    pub name: String,
    pub player: usize,
    #[serde(flatten)]
    pub change: Change,
}

/// A played move, from the view of its player.
///
/// ```
/// fn show(reviewed: &tanada::MoveReview) {
///     println!("{}: {} lost {:.2}", reviewed.number, reviewed.name, reviewed.loss);
/// }
/// # let _ = show;
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct MoveReview {
    /// The number, from 1.
    pub number: usize,
    /// The turn, from 1. Consecutive moves of one side are a single turn.
    pub turn: usize,
    pub player: usize,
    #[serde(rename = "move")]
    pub name: String,
    /// The winning chance after it.
    pub value: f64,
    pub proven: Option<&'static str>,
    pub best: String,
    pub best_value: f64,
    /// `best_value - value`, at least 0.
    pub loss: f64,
    /// The 95 % interval of the loss, if it was verified or both values are exact.
    pub loss_interval: Option<[f64; 2]>,
    /// The mark, if the loss is beyond the noise of the search.
    pub mark: Option<Mark>,
    pub comment: Option<String>,
    #[doc(hidden)]
    #[serde(flatten)]
    pub change: Change,
}

impl MoveReview {
    /// Whether the loss is beyond the noise of the search.
    pub fn is_sure(&self) -> bool {
        let interval = self.loss_interval;
        interval.is_some_and(|[low, _]| low >= CERTAIN_LOSS)
    }
}

/// A group and its space.
#[derive(Clone, Debug, Serialize)]
pub struct SpaceReview {
    pub player: usize,
    /// Its first stone.
    pub cell: usize,
    pub stones: usize,
    /// The cells where it can grow now.
    pub now: Vec<usize>,
    /// The number of cells it could reach if it grew alone.
    pub reach: usize,
    /// The number of these that no other group can reach.
    pub own: usize,
}
