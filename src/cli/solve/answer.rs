//! The answer of `tanada solve`, as JSON or as text.

use serde::Serialize;

use crate::cli::{columns, counted};

/// A move and who wins after it: a colour, `draw`, or null if unknown.
#[derive(Serialize)]
pub(super) struct Valued {
    #[serde(rename = "move")]
    pub(super) vertex: String,
    pub(super) winner: Option<&'static str>,
}

#[derive(Serialize)]
pub(super) struct Answer {
    /// A colour, `draw`, or null if unknown.
    pub(super) winner: Option<&'static str>,
    /// Whether the side to move wins within this turn, in games whose turns have several moves; left
    /// out if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) wins_this_turn: Option<bool>,
    pub(super) to_move: &'static str,
    #[serde(rename = "move")]
    pub(super) vertex: Option<String>,
    pub(super) line: Vec<String>,
    /// Plies until the end, or null if unknown; left out without `--length`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) length: Option<Option<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) moves: Option<Vec<Valued>>,
    pub(super) nodes: u64,
    pub(super) seconds: f64,
    /// Size of the table in MiB.
    pub(super) memory: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) certificate: Option<Written>,
}

#[derive(Serialize)]
pub(super) struct Written {
    /// Positions where the winner is to move.
    pub(super) positions: u64,
    /// Those that are left to the verifier; left out without `--endings`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) endings: Option<u64>,
    /// Plies of the longest game against the strategy.
    pub(super) plies: u64,
    pub(super) bytes: u64,
}

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
            "{} cannot win within this turn; the result beyond it is unknown: {end}\n",
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
        let endings = written.endings.map_or(String::new(), |endings| {
            format!(", of them {}", counted(endings, "ending", "endings"))
        });
        text += &format!(
            "certificate: {}{endings}, at most {}, {}\n",
            counted(written.positions, "position", "positions"),
            counted(written.plies, "ply", "plies"),
            counted(written.bytes, "byte", "bytes")
        );
    }
    if let Some(moves) = &answer.moves {
        let rows = moves.iter().map(|valued| {
            let winner = match valued.winner {
                None => "not decided".to_string(),
                Some("draw") => "draw".to_string(),
                Some(winner) => format!("{winner} wins"),
            };
            [valued.vertex.clone(), winner]
        });
        text += &columns(&rows.collect::<Vec<_>>(), &[]);
    }
    text
}
