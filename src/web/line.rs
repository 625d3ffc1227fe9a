//! The position that a command is about: a start and moves.

use serde::{Deserialize, Serialize};

use super::error::ApiError;
use crate::engine::Engine;
use crate::games;
use crate::params::Params;
use crate::util::nearest::hint;
use crate::util::quote::shorten;
use crate::variant::{GameRecord, SharedStart, Variant};

/// The most moves of a line.
pub(super) const MOST_MOVES: usize = 5000;
/// The longest text of a start position, in bytes. In a record a few bytes may stand for many points.
const MOST_TEXT: usize = 1 << 16;

/// A line as a page sends it.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Line {
    game: Option<String>,
    start: Start,
    moves: Vec<String>,
}

/// A built-in start position, or the text of another one.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
struct Start {
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    setup: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    players: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl Line {
    /// The game, with all moves played.
    ///
    /// # Errors
    /// There is no such start position, or a move is illegal.
    pub(super) fn read(&self) -> Result<GameRecord, ApiError> {
        if self.moves.len() > MOST_MOVES {
            let count = self.moves.len();
            let text = format!("the line has `{count}` moves: expected at most {MOST_MOVES}");
            return Err(ApiError::content(text));
        }
        let params = Params {
            threads: 1,
            ..Params::default()
        };
        let mut engine = Engine::new(self.start()?, params);
        for (index, word) in self.moves.iter().enumerate() {
            let number = index + 1;
            let wrong = |why: String| ApiError::content(format!("move {number}: {why}"));
            let played = engine.play_word(engine.to_move(), word);
            match played.map_err(|error| wrong(error.to_string()))? {
                1 => {}
                count => {
                    let word = shorten(word, 60);
                    return Err(wrong(format!("`{word}` is {count} moves: expected one")));
                }
            }
        }
        engine
            .game_record()
            .ok_or_else(|| ApiError::content("a player has left the game"))
    }

    fn variant(&self) -> Result<&'static dyn Variant, ApiError> {
        let Some(name) = &self.game else {
            return Ok(games::default());
        };
        games::find(name).ok_or_else(|| {
            let hint = hint(name, &games::names());
            ApiError::content(format!("unknown game `{}`{hint}", shorten(name, 60)))
        })
    }

    /// The start position.
    ///
    /// # Errors
    /// There is none like this.
    pub(super) fn start(&self) -> Result<SharedStart, ApiError> {
        let variant = self.variant()?;
        let Start {
            size,
            setup,
            players,
            text,
        } = &self.start;
        if let Some(text) = text {
            if size.is_some() || setup.is_some() {
                let text = "a start with a `text` takes no `size` or `setup`";
                return Err(ApiError::content(text));
            }
            if text.len() > MOST_TEXT {
                let text = format!("the start is longer than {} KiB", MOST_TEXT >> 10);
                return Err(ApiError::content(text));
            }
            return variant.read(text, *players).map_err(ApiError::content);
        }
        // A name that is no setup could be taken for a file.
        if let Some(name) = setup
            .as_deref()
            .filter(|name| !variant.setups().contains(name))
        {
            let hint = hint(name, variant.setups());
            let text = format!("unknown setup `{}`{hint}", shorten(name, 60));
            return Err(ApiError::content(text));
        }
        variant
            .start(*size, setup.as_deref(), *players)
            .map_err(ApiError::content)
    }

    /// The line of a game whose moves are legal, with everything that a page may leave out.
    pub(super) fn of(record: &GameRecord, names: impl IntoIterator<Item = String>) -> Self {
        Self::from_start(&record.start, names)
    }

    /// The line from a start, with legal moves in the game's own spelling.
    pub(super) fn from_start(start: &SharedStart, names: impl IntoIterator<Item = String>) -> Self {
        Self {
            game: Some(start.variant().name().to_string()),
            start: Start::of(start),
            moves: names.into_iter().collect(),
        }
    }
}

impl Start {
    /// The name of a start position if it is built in, else its text.
    fn of(start: &SharedStart) -> Self {
        let (size, players) = (start.side(), start.players().len());
        let variant = start.variant();
        let is_it = |name: &&&str| {
            let named = variant.start(Some(size), Some(name), Some(players));
            named.is_ok_and(|named| *named == **start)
        };
        match variant.setups().iter().find(is_it) {
            Some(name) => Self {
                size: Some(size),
                setup: Some((*name).to_string()),
                players: Some(players),
                text: None,
            },
            None => Self {
                text: Some(start.text()),
                ..Self::default()
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(json: &str) -> Line {
        serde_json::from_str(json).unwrap()
    }

    fn resolved(json: &str) -> String {
        let record = line(json).read().unwrap();
        let line = Line::of(&record, line(json).moves);
        serde_json::to_string(&line).unwrap()
    }

    #[test]
    fn what_is_left_out_is_filled_in() {
        assert_eq!(
            resolved(r#"{"start":{"size":9},"moves":["C2"]}"#),
            r#"{"game":"tanbo","start":{"size":9,"setup":"classic","players":2},"moves":["C2"]}"#
        );
        assert_eq!(
            resolved(r#"{"game":"taratibu"}"#),
            r#"{"game":"taratibu","start":{"size":7,"setup":"start","players":2},"moves":[]}"#
        );
        let text = r#"{"start":{"text":"X...\n....\n....\n...O"}}"#;
        assert!(resolved(text).contains(r#""start":{"text":"to move: black\nX . . ."#));
        // A diagram of a built-in start gets its name.
        let start = games::default().start(Some(9), None, None).unwrap().text();
        let diagram = serde_json::json!({"start": {"text": start}}).to_string();
        assert!(resolved(&diagram).contains(r#""setup":"classic""#));
    }

    #[test]
    fn wrong_lines_are_explained() {
        for (json, part) in [
            (r#"{"game":"chess"}"#, "unknown game `chess`"),
            (
                r#"{"start":{"setup":"/etc/passwd"}}"#,
                "unknown setup `/etc/passwd`",
            ),
            (r#"{"start":{"setup":"clasic"}}"#, "did you mean `classic`"),
            (r#"{"start":{"size":3}}"#, "`3`"),
            (r#"{"start":{"size":9,"players":9}}"#, "`9`"),
            (r#"{"start":{"size":4,"text":"...."}}"#, "takes no `size`"),
            (r#"{"start":{"text":"...."}}"#, "size"),
            (
                r#"{"start":{"size":9},"moves":["A1"]}"#,
                "move 1: illegal move `A1`",
            ),
            (
                r#"{"start":{"size":9},"moves":["C2","Z9"]}"#,
                "move 2: invalid point `Z9`",
            ),
            (r#"{"game":"taratibu","moves":["1112-1314"]}"#, "move 1:"),
        ] {
            let error = line(json).read().unwrap_err();
            assert!(error.text.contains(part), "{json}: {}", error.text);
            assert_eq!(error.status.as_u16(), 422);
        }
        let long = Line {
            moves: vec!["C2".to_string(); MOST_MOVES + 1],
            ..Line::default()
        };
        assert!(long.read().is_err());
        let long = "a".repeat(MOST_TEXT + 1);
        let long = serde_json::json!({"start": {"text": long}}).to_string();
        assert!(line(&long).read().unwrap_err().text.contains("64 KiB"));
    }
}
