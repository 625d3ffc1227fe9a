//! Why a move is illegal, for a page to show.

use serde::{Deserialize, Serialize};

use super::error::ApiError;
use super::line::Line;
use crate::review;
use crate::variant::Refusal;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AskWhy {
    line: Line,
    to: usize,
    from: Option<usize>,
}

/// The answer to `why`.
#[derive(Serialize)]
pub(super) struct Why {
    legal: bool,
    rule: Option<&'static str>,
    text: Option<String>,
    cells: Vec<usize>,
}

impl From<Option<Refusal>> for Why {
    fn from(refusal: Option<Refusal>) -> Self {
        match refusal {
            None => Self {
                legal: true,
                rule: None,
                text: None,
                cells: Vec::new(),
            },
            Some(Refusal { rule, text, cells }) => Self {
                legal: false,
                rule: Some(rule),
                text: Some(text),
                cells,
            },
        }
    }
}

/// Whether the side to move may move to a cell, and if not, which rule forbids it.
pub(super) fn why(asked: &AskWhy) -> Result<Why, ApiError> {
    let record = asked.line.read()?;
    let game = review::follow(&record, &mut |_, _| ()).map_err(ApiError::content)?;
    let Some(drawn) = game.position().board_view() else {
        return Err(ApiError::content("the game has no board"));
    };
    let cells = drawn.side() * drawn.side();
    for cell in [Some(asked.to), asked.from].into_iter().flatten() {
        if cell >= cells {
            let text = format!("invalid cell `{cell}`: expected a number below {cells}");
            return Err(ApiError::content(text));
        }
    }
    if game.outcome().is_some() {
        return Ok(Why::from(Some(Refusal {
            rule: "game-over",
            text: "The game is over.".to_string(),
            cells: Vec::new(),
        })));
    }
    Ok(Why::from(drawn.refusal(asked.from, asked.to)))
}
