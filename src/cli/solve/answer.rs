//! What `tanada solve` says: one JSON object, or text.

use serde::Serialize;

use crate::cli::{columns, counted};

/// The value of a move, or null while it is not known: the word of who wins.
#[derive(Serialize)]
pub(super) struct Valued {
    #[serde(rename = "move")]
    pub(super) vertex: String,
    pub(super) winner: Option<&'static str>,
}

/// The answer as JSON.
#[derive(Serialize)]
pub(super) struct Answer {
    /// Who wins, `draw`, or null while that is not known.
    pub(super) winner: Option<&'static str>,
    /// Where turns have several moves: whether the side to move can win before the other moves;
    /// left out while that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) wins_this_turn: Option<bool>,
    pub(super) to_move: &'static str,
    #[serde(rename = "move")]
    pub(super) vertex: Option<String>,
    pub(super) line: Vec<String>,
    /// Plies that the game lasts, or null while that is not known; left out if it was not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) length: Option<Option<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) moves: Option<Vec<Valued>>,
    pub(super) nodes: u64,
    pub(super) seconds: f64,
    /// MiB of the table.
    pub(super) memory: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) certificate: Option<Written>,
}

/// What the certificate holds.
#[derive(Serialize)]
pub(super) struct Written {
    /// Positions where the winner moves.
    pub(super) positions: u64,
    /// The moves of the longest game that the loser can make of it.
    pub(super) plies: u64,
    pub(super) bytes: u64,
}

/// The answer for people.
pub(super) fn text(answer: &Answer) -> String {
    let end = format!(
        "{} in {:.3} s, {:.0} MiB",
        counted(answer.nodes, "node", "nodes"),
        answer.seconds,
        answer.memory
    );
    let within = match answer.length {
        Some(Some(plies)) => format!(", in {}", counted(plies, "ply", "plies")),
        Some(None) => ", length not decided".to_string(),
        None => String::new(),
    };
    let mut text = match (answer.winner, &answer.vertex) {
        (None, _) if answer.wins_this_turn == Some(false) => format!(
            "{} cannot win within this turn; not decided beyond it: {end}\n",
            answer.to_move
        ),
        (None, _) => format!("Not decided: {end}\n"),
        (Some("draw"), None) => format!("A draw: {end}\n"),
        (Some("draw"), Some(vertex)) => format!("A draw, as with {vertex}: {end}\n"),
        (Some(winner), Some(vertex)) if winner == answer.to_move => {
            format!("{winner} wins with {vertex}{within}: {end}\n")
        }
        (Some(winner), _) => format!("{winner} wins, {} to move{within}: {end}\n", answer.to_move),
    };
    if !answer.line.is_empty() {
        text += &format!("line: {}\n", answer.line.join(" "));
    }
    if let Some(written) = &answer.certificate {
        text += &format!(
            "certificate: {}, at most {}, {}\n",
            counted(written.positions, "position", "positions"),
            counted(written.plies, "ply", "plies"),
            counted(written.bytes, "byte", "bytes")
        );
    }
    if let Some(moves) = &answer.moves {
        let rows: Vec<Vec<String>> = moves
            .iter()
            .map(|valued| {
                let winner =
                    valued
                        .winner
                        .map_or("not decided".to_string(), |winner| match winner {
                            "draw" => "draw".to_string(),
                            winner => format!("{winner} wins"),
                        });
                vec![valued.vertex.clone(), winner]
            })
            .collect();
        text += &columns(&rows, &[]);
    }
    text
}
