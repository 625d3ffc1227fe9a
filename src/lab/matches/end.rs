//! How a game ended.

use serde::{Deserialize, Serialize};

/// The kinds of ends, in the order of reports.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EndKind {
    /// By the rules.
    #[default]
    Normal,
    /// The side to move gave up.
    Resigned,
    /// The answer came too late.
    Time,
    /// The answer was not a legal move (an illegal point, a pass, a claim, an error, garbage), or
    /// the engine refused a legal move of another one.
    IllegalMove,
    /// The process ended.
    Crash,
    /// No answer came.
    Stall,
    /// The engine closed its output and runs on.
    Disconnected,
    /// The match was stopped; the game does not count and is played again.
    Interrupted,
    /// An engine could not be set up with the opening; the game does not count.
    Void,
}

impl EndKind {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Resigned => "resigned",
            Self::Time => "time",
            Self::IllegalMove => "illegal move",
            Self::Crash => "crash",
            Self::Stall => "stall",
            Self::Disconnected => "disconnected",
            Self::Interrupted => "interrupted",
            Self::Void => "void",
        }
    }

    /// Whether the game counts.
    pub(crate) fn is_scored(self) -> bool {
        !matches!(self, Self::Interrupted | Self::Void)
    }

    /// Whether an engine forfeited the game: too late, an illegal move, a crash.
    pub(crate) fn is_forfeit(self) -> bool {
        self.is_scored() && !matches!(self, Self::Normal | Self::Resigned)
    }

    /// Whether the next game needs a new process.
    pub(crate) fn is_broken(self) -> bool {
        matches!(self, Self::Crash | Self::Stall | Self::Disconnected)
    }
}

/// How a game ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct End {
    pub kind: EndKind,
    /// The place in the order of play of the player who caused it; `None` for a normal end.
    pub by: Option<usize>,
    /// Details; may be empty.
    pub detail: String,
}

impl End {
    /// An end by the rules.
    pub(crate) fn normal() -> Self {
        Self::default()
    }

    /// An end caused by the player at `place`.
    pub(crate) fn by(kind: EndKind, place: usize, detail: impl Into<String>) -> Self {
        Self {
            kind,
            by: Some(place),
            detail: detail.into(),
        }
    }

    /// A sentence as fastchess writes it: `Black loses on time (12 ms late)`. `colour` caused the
    /// end.
    pub(crate) fn sentence(&self, colour: &str) -> String {
        let verb = match self.kind {
            EndKind::Normal => return "Normal".to_string(),
            EndKind::Resigned => "resigns",
            EndKind::Time => "loses on time",
            EndKind::IllegalMove => "makes an illegal move",
            EndKind::Crash => "crashes",
            EndKind::Stall => "stalls",
            EndKind::Disconnected => "disconnects",
            EndKind::Interrupted => return "Interrupted".to_string(),
            EndKind::Void => "cannot be set up",
        };
        match self.detail.as_str() {
            "" => format!("{colour} {verb}"),
            detail => format!("{colour} {verb} ({detail})"),
        }
    }
}
