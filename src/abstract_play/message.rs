//! What the server sends: a challenge, or a game in which the bot is to move.

#![cfg_attr(not(test), deny(clippy::indexing_slicing))]

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::util::quote::shorten;

/// The longest id of a game, in bytes. It is also the name of a file.
const LONGEST_ID: usize = 64;

/// Why a body is no message.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum MessageError {
    #[error("the body is no message: {0}")]
    Json(String),
    #[error("invalid `verb` `{0}`: expected `challenge` or `move`")]
    Verb(String),
    #[error("invalid `{name}` `{found}`: expected {expected}")]
    Field {
        name: &'static str,
        found: String,
        expected: &'static str,
    },
}

#[derive(Debug, PartialEq)]
pub(super) enum Message {
    Challenge(Challenge),
    Turn(TurnMessage),
}

/// A game that somebody wants to play. Times are in hours.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Challenge {
    pub(super) meta_game: String,
    #[serde(default)]
    pub(super) variants: Vec<String>,
    /// At the beginning.
    pub(super) clock_start: f64,
    /// Added for each move.
    pub(super) clock_inc: f64,
    /// The most that a clock may have.
    pub(super) clock_max: f64,
    #[serde(default)]
    pub(super) challengers: Vec<String>,
    #[serde(default = "two")]
    pub(super) num_players: u32,
}

/// A game in which the bot is to move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TurnMessage {
    pub(super) meta_game: String,
    #[serde(default)]
    pub(super) variants: Vec<String>,
    #[serde(rename = "gameid")]
    pub(super) game: String,
    /// What the bot's clock has, in hours.
    #[serde(rename = "clockCurr")]
    pub(super) clock: f64,
    #[serde(default = "two")]
    pub(super) num_players: u32,
    /// All moves so far, in rounds.
    pub(super) moves: Vec<Vec<Value>>,
}

fn two() -> u32 {
    2
}

impl Message {
    /// Reads a body whose signature was checked.
    pub(super) fn read(body: &[u8]) -> Result<Self, MessageError> {
        let json = |error: serde_json::Error| MessageError::Json(shorten(&error.to_string(), 200));
        // By hand and not by a tag, for better errors.
        let value: Value = serde_json::from_slice(body).map_err(json)?;
        match value.get("verb").and_then(Value::as_str) {
            Some("challenge") => {
                let challenge: Challenge = serde_json::from_value(value).map_err(json)?;
                challenge.check()?;
                Ok(Self::Challenge(challenge))
            }
            Some("move") => {
                let turn: TurnMessage = serde_json::from_value(value).map_err(json)?;
                turn.check()?;
                Ok(Self::Turn(turn))
            }
            _ => {
                let found = value
                    .get("verb")
                    .map_or("nothing".to_string(), Value::to_string);
                Err(MessageError::Verb(shorten(&found, 60)))
            }
        }
    }
}

/// What a body means, for the fuzz targets: the game in which the bot is to move, or nothing if it is
/// a challenge.
pub(crate) fn outline(body: &[u8]) -> Result<Option<Value>, String> {
    match Message::read(body).map_err(|error| error.to_string())? {
        Message::Challenge(_) => Ok(None),
        Message::Turn(turn) => serde_json::to_value(turn)
            .map(Some)
            .map_err(|error| error.to_string()),
    }
}

impl Challenge {
    /// The most that a clock of the game can hold, in hours.
    pub(super) fn longest_clock(&self) -> f64 {
        self.clock_max.max(self.clock_start)
    }

    fn check(&self) -> Result<(), MessageError> {
        hours("clockStart", self.clock_start)?;
        hours("clockInc", self.clock_inc)?;
        hours("clockMax", self.clock_max)
    }
}

impl TurnMessage {
    /// The number of moves so far.
    pub(super) fn plies(&self) -> usize {
        let moves = self.moves.iter().flatten();
        moves.filter(|mv| !mv.is_null()).count()
    }

    fn check(&self) -> Result<(), MessageError> {
        let is_plain = |c: u8| c.is_ascii_alphanumeric() || c == b'-';
        let is_id = !self.game.is_empty()
            && self.game.len() <= LONGEST_ID
            && self.game.bytes().all(is_plain);
        if !is_id {
            return Err(MessageError::Field {
                name: "gameid",
                found: shorten(&self.game, 60),
                expected: "at most 64 letters, digits and `-`",
            });
        }
        hours("clockCurr", self.clock)
    }
}

/// Refuses a time that no clock can have. A clock may be below 0 while the server has not noticed it.
fn hours(name: &'static str, hours: f64) -> Result<(), MessageError> {
    if hours.abs() <= 1e6 {
        return Ok(());
    }
    Err(MessageError::Field {
        name,
        found: hours.to_string(),
        expected: "hours",
    })
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    const CHALLENGE: &str = r#"{"verb":"challenge","metaGame":"tanbo","variants":["size-11"],
        "clockStart":72,"clockInc":24,"clockMax":168,"challengers":["ann"],"more":1}"#;
    const TURN: &str = r#"{"verb":"move","metaGame":"tanbo","variants":[],"gameid":"0f8fad5b-d9cb",
        "clockCurr":48.5,"numPlayers":2,"moves":[["a2","b1"],["c2"]],"context":[]}"#;

    #[test]
    fn both_kinds_are_read() {
        let Ok(Message::Challenge(challenge)) = Message::read(CHALLENGE.as_bytes()) else {
            panic!("no challenge");
        };
        assert_eq!(
            (challenge.clock_start, challenge.longest_clock()),
            (72.0, 168.0)
        );
        assert_eq!(
            (challenge.num_players, &*challenge.challengers),
            (2, &["ann".to_string()][..])
        );
        let Ok(Message::Turn(turn)) = Message::read(TURN.as_bytes()) else {
            panic!("no turn");
        };
        assert_eq!(
            (turn.plies(), turn.clock, &*turn.game),
            (3, 48.5, "0f8fad5b-d9cb")
        );
    }

    #[test]
    fn faults_name_what_is_wrong() {
        for (text, part) in [
            ("", "no message"),
            ("[]", "`nothing`"),
            (
                r#"{"verb":"resign"}"#,
                "`\"resign\"`: expected `challenge` or `move`",
            ),
            (r#"{"verb":7}"#, "`7`"),
            (r#"{"verb":"move","metaGame":"tanbo"}"#, "gameid"),
            (&TURN.replace("0f8fad5b-d9cb", "../x"), "`../x`"),
            (&TURN.replace("0f8fad5b-d9cb", ""), "`gameid`"),
            (&TURN.replace("0f8fad5b-d9cb", &"x".repeat(65)), "`gameid`"),
            (&TURN.replace("48.5", "1e300"), "`clockCurr`"),
            (&TURN.replace("48.5", "\"x\""), "expected f64"),
            (
                &TURN.replace("[[\"a2\",\"b1\"],", "[7,"),
                "expected a sequence",
            ),
            (&CHALLENGE.replace("72", "-1e9"), "`clockStart`"),
        ] {
            let error = Message::read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    /// A message in which bytes were changed, so that most of it still makes sense.
    pub(crate) fn changed() -> impl Strategy<Value = Vec<u8>> {
        let change = (
            0usize..400,
            proptest::sample::select(b"\"[]{}:,0ae\\ \xff".to_vec()),
        );
        let changes = proptest::collection::vec(change, 0..6);
        (any::<bool>(), changes).prop_map(|(is_turn, changes)| {
            let mut bytes = if is_turn { TURN } else { CHALLENGE }.as_bytes().to_vec();
            for (at, byte) in changes {
                let at = at % bytes.len();
                bytes[at] = byte;
            }
            bytes
        })
    }
}
