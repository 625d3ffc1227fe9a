//! The record of a game: one line of JSON with all that is needed to replay it, and the record for
//! people made from it.

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

/// A move with what its player thought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveRecord {
    /// The move's word.
    pub vertex: String,
    /// Wall clock from the question to the answer; none for moves of the opening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Winning chance of the side that moved, 0 to 1, where its engine tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Visits of the move, where its engine tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visits: Option<u64>,
    /// What the mover's clock shows after the move, in seconds, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<f64>,
}

/// A player of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerRecord {
    /// The colour's word.
    pub colour: String,
    /// Which engine of the match, from 0.
    pub engine: usize,
    /// Its name in the match.
    pub name: String,
    /// What it says of itself.
    pub identity: Identity,
    /// The program with its directory and environment; none for this build.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<Program>,
    /// Lines that were sent to it after the start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub send: Vec<String>,
    /// Its limit.
    pub limit: String,
    /// Its seed.
    pub seed: u64,
}

/// A game that was played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchGame {
    /// Its number in the match, from 1.
    pub game: usize,
    /// Its sampling unit, from 1: one opening of one pairing in all rotations.
    pub unit: usize,
    /// Its round, from 1.
    pub round: usize,
    /// Points or squares a row.
    pub size: usize,
    /// The start position as text.
    pub start: String,
    /// Who played, in the order of play.
    pub players: Vec<PlayerRecord>,
    /// How many of the moves belong to the opening.
    pub opening: usize,
    /// All moves.
    pub moves: Vec<MoveRecord>,
    /// The winner's colour in a word; none if several share the win, or the game counts nowhere.
    pub winner: Option<String>,
    /// The places of those who share the point, where it is not one winner's alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sharing: Vec<usize>,
    /// In the manner of SGF: `B+`, `W+R`, `B+T`, `B+F`, `0`, `Void`.
    pub result: String,
    /// How it ended.
    pub end: End,
    /// How it ended, in words.
    pub ending: String,
    /// When it began, in UTC.
    pub started: String,
    /// Its wall clock.
    pub seconds: f64,
    /// Processor, cores and system.
    pub machine: String,
    /// The last lines of the standard error of an engine that failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stderr: Vec<String>,
    /// What is worth knowing beside: an engine that claims another result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

impl MatchGame {
    /// What the player at `place` scored, 0 to 1; none if the game counts nowhere. All
    /// share a draw. Who is to blame for the end gets nothing, and those who are still in the game
    /// share the point.
    pub fn score(&self, place: usize) -> Option<f64> {
        if !self.end.kind.is_scored() {
            return None;
        }
        let player = self.players.get(place)?;
        Some(match &self.winner {
            Some(winner) if *winner == player.colour => 1.0,
            Some(_) => 0.0,
            None if !self.sharing.is_empty() => match self.sharing.contains(&place) {
                true => 1.0 / self.sharing.len() as f64,
                false => 0.0,
            },
            None if self.end.kind == EndKind::Normal => 1.0 / self.players.len() as f64,
            None if self.end.by == Some(place) => 0.0,
            None => 1.0 / (self.players.len() - 1) as f64,
        })
    }

    /// The place of an engine in the order of play: the first one where it has several.
    pub fn place_of(&self, engine: usize) -> Option<usize> {
        self.players
            .iter()
            .position(|player| player.engine == engine)
    }

    /// The game as it was played, at its end.
    ///
    /// # Errors
    /// One sentence about what the rules cannot replay.
    pub fn replay(&self) -> Result<Engine, String> {
        let game = self.game;
        let start =
            games::read_start(&self.start).map_err(|error| format!("game {game}: {error}"))?;
        let mut engine = Engine::new(start, Params::default());
        for (index, record) in self.moves.iter().enumerate() {
            let seat = engine.to_move();
            // One word a move.
            if engine.play_word(seat, &record.vertex) != Ok(1) {
                let number = index + 1;
                let vertex = shorten(&record.vertex, 20);
                return Err(format!(
                    "game {game}: `{vertex}` is no legal move, as move {number}"
                ));
            }
        }
        Ok(engine)
    }

    /// The game as a text of its own kind of record. Comments of moves hold value, visits and time.
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
        game_record.moves = played
            .map(|((seat, code), record)| RecordedMove {
                seat,
                mv: code,
                comment: record.comment(),
                time_left: record.left,
            })
            .collect();
        Ok(variant.records().write(game_record))
    }
}

impl MoveRecord {
    /// A move of an opening.
    pub fn of_opening(vertex: String) -> Self {
        Self {
            vertex,
            seconds: None,
            value: None,
            visits: None,
            left: None,
        }
    }

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

/// `B+`, `B+R`, `B+T` or `B+F`, `0` for a draw; `Void` where the game counts nowhere, `?` where
/// several win.
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
