//! The record of a game: one line of JSON with everything needed to replay it, from which the
//! record for people is made.

use serde::{Deserialize, Serialize};

use super::end::{End, EndKind};
use super::engine::Program;
use super::identity::Identity;
use crate::engine::Engine;
use crate::game::Seat;
use crate::games;
use crate::params::Params;
use crate::util::quote::shorten;
use crate::variant::{GameRecord, RecordedMove, Variant};

/// A move, with time and evaluation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct MoveRecord {
    /// The move as written in records.
    pub vertex: String,
    /// Seconds from the command to the answer; `None` for moves of the opening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// The winning chance of the side that moved, 0 to 1, if its engine reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// The visits of the move, if its engine reports them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visits: Option<u64>,
    /// Seconds left on the mover's clock after the move, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct PlayerRecord {
    pub colour: String,
    /// The number of the engine in the match, from 0.
    pub engine: usize,
    /// Its name in the match.
    pub name: String,
    pub identity: Identity,
    /// The program with its directory and environment; `None` for this build.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<Program>,
    /// GTP commands that were sent to it after the start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub send: Vec<String>,
    pub limit: String,
    pub seed: u64,
}

/// A finished game of a match.
///
/// ```
/// fn show(game: &tanada::MatchGame) {
///     println!("game {}: {}, {}", game.game, game.result, game.ending);
/// }
/// # let _ = show;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MatchGame {
    /// Its number in the match, from 1.
    pub game: usize,
    /// Its unit, from 1: one opening of one pairing in all rotations.
    pub unit: usize,
    /// Its round, from 1.
    pub round: usize,
    /// Points or squares a row.
    pub size: usize,
    /// The start position as text.
    pub start: String,
    /// The players in the order of play.
    pub(crate) players: Vec<PlayerRecord>,
    /// The number of moves of the opening.
    pub opening: usize,
    /// All moves.
    pub(crate) moves: Vec<MoveRecord>,
    /// The winner's colour; `None` if several share the win, or the game does not count.
    pub winner: Option<String>,
    /// The places of those who share the point, if there is no single winner.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sharing: Vec<usize>,
    /// The result as in SGF: `B+`, `W+R`, `B+T`, `B+F`, `0`, `Void`.
    pub result: String,
    /// How it ended.
    pub(crate) end: End,
    /// How it ended, as a sentence.
    pub ending: String,
    /// When it began, in UTC.
    pub started: String,
    /// Its duration in seconds.
    pub seconds: f64,
    /// Processor, cores and system.
    pub machine: String,
    /// The last lines of the standard error of an engine that failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stderr: Vec<String>,
    /// Notes, such as an engine that claims another result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

impl MatchGame {
    /// The score of the player at `place`, 0 to 1; `None` if the game does not count. All players
    /// share a draw. Whoever caused the end gets nothing; the others still playing share the point.
    pub fn score(&self, place: usize) -> Option<f64> {
        if !self.end.kind.is_scored() {
            return None;
        }
        let player = self.players.get(place)?;
        Some(match &self.winner {
            Some(winner) if *winner == player.colour => 1.0,
            Some(_) => 0.0,
            None if self.sharing.contains(&place) => 1.0 / self.sharing.len() as f64,
            None if !self.sharing.is_empty() => 0.0,
            None if self.end.kind == EndKind::Normal => 1.0 / self.players.len() as f64,
            None if self.end.by == Some(place) => 0.0,
            None => 1.0 / (self.players.len() - 1) as f64,
        })
    }

    /// The names of the players, in the order of play.
    pub(crate) fn player_names(&self) -> Vec<String> {
        self.players
            .iter()
            .map(|player| player.name.clone())
            .collect()
    }

    /// The moves as written in records.
    pub(crate) fn words(&self) -> impl Iterator<Item = String> {
        self.moves.iter().map(|played| played.vertex.clone())
    }

    /// The first place of an engine in the order of play.
    pub fn place_of(&self, engine: usize) -> Option<usize> {
        self.players.iter().position(|p| p.engine == engine)
    }

    /// Replays the game to its end.
    ///
    /// # Errors
    /// Names the first illegal move.
    pub fn replay(&self) -> Result<Engine, String> {
        let game = self.game;
        let start = games::read_start(&self.start);
        let start = start.map_err(|error| format!("game {game}: {error}"))?;
        let mut engine = Engine::new(start, Params::default());
        for (index, record) in self.moves.iter().enumerate() {
            let seat = engine.to_move();
            let wrong = |why: String| Err(format!("game {game}, move {}: {why}", index + 1));
            match engine.play_word(seat, &record.vertex) {
                Ok(1) => {}
                // One move a record, also in games whose turns have several.
                Ok(moves) => {
                    let vertex = shorten(&record.vertex, 60);
                    return wrong(format!("`{vertex}` is {moves} moves: expected one"));
                }
                Err(error) => return wrong(error.to_string()),
            }
        }
        Ok(engine)
    }

    /// The game as a record of its own kind, such as SGF. Comments of moves hold value, visits and
    /// time.
    ///
    /// # Errors
    /// A record that cannot be replayed.
    pub fn text(&self, event: &str) -> Result<String, String> {
        let engine = self.replay()?;
        let variant = engine.variant();
        let mut game_record = GameRecord::new(engine.start().clone());
        game_record.event = Some(event.to_string());
        game_record.round = Some(format!("{} (game {})", self.round, self.game));
        game_record.date = self.started.split('T').next().map(str::to_string);
        game_record.place = Some(self.machine.clone());
        game_record.result = Some(self.result.clone());
        let mut comment = self.ending.clone();
        for player in &self.players {
            if let Some(seat) = variant.seat(&player.colour) {
                game_record.players[seat] = Some(player.name.clone());
            }
            let Identity { name, version, .. } = &player.identity;
            comment.push_str(&format!(
                "\n{}: {} ({name} {version}), {}, seed {}",
                player.colour, player.name, player.limit, player.seed
            ));
        }
        comment.push_str(&format!("\nopening: {} moves", self.opening));
        game_record.comment = Some(comment);
        let played = engine.moves().zip(&self.moves);
        let moves = played.map(|((seat, mv), record)| RecordedMove {
            seat,
            mv,
            comment: record.comment(),
            time_left: record.left,
        });
        game_record.moves = moves.collect();
        Ok(variant.write_game(game_record))
    }
}

impl MoveRecord {
    fn comment(&self) -> Option<String> {
        let notes = [
            self.value.map(|value| format!("value {value:.4}")),
            self.visits.map(|visits| format!("visits {visits}")),
            self.seconds.map(|seconds| format!("time {seconds:.3} s")),
        ];
        let notes: Vec<String> = notes.into_iter().flatten().collect();
        (!notes.is_empty()).then(|| notes.join(", "))
    }
}

/// The result as in SGF: `B+`, `B+R`, `B+T` or `B+F`; `0` for a draw, `Void` if the game does not
/// count, `?` if several win.
pub(super) fn result(variant: &dyn Variant, winner: Option<Seat>, kind: EndKind) -> String {
    let reason = match kind {
        EndKind::Normal => "",
        EndKind::Resigned => "R",
        EndKind::Time => "T",
        _ => "F",
    };
    match winner {
        _ if !kind.is_scored() => "Void".to_string(),
        Some(seat) => format!("{}+{reason}", variant.letter(seat)),
        None if kind == EndKind::Normal => "0".to_string(),
        None => "?".to_string(),
    }
}
