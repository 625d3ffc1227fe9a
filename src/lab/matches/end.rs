//! How games end.

use serde::{Deserialize, Serialize};

/// The kind of an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndKind {
    /// By the rules.
    Normal,
    /// The side to move gave up.
    Resigned,
    /// The answer came after the time was up.
    Time,
    /// The answer was no legal move: another point, a pass, a claim, an error, garbage; or the
    /// engine refused a legal move of another.
    IllegalMove,
    /// The process ended.
    Crash,
    /// No answer.
    Stall,
    /// The output was closed while the process runs on.
    Disconnected,
    /// The match was stopped; the game counts nowhere and is played again.
    Interrupted,
    /// An engine could not be brought to the position of the opening; the game counts nowhere.
    Void,
}

impl EndKind {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Normal,
        Self::Resigned,
        Self::Time,
        Self::IllegalMove,
        Self::Crash,
        Self::Stall,
        Self::Disconnected,
        Self::Interrupted,
        Self::Void,
    ];

    /// The kind in words.
    pub fn words(self) -> &'static str {
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

    /// Whether somebody won or lost.
    pub fn is_scored(self) -> bool {
        !matches!(self, Self::Interrupted | Self::Void)
    }

    /// Whether an engine lost by a fault: late, illegal, gone and the like.
    pub fn is_forfeit(self) -> bool {
        self.is_scored() && !matches!(self, Self::Normal | Self::Resigned)
    }

    /// Whether the engine is gone, or of no use, so that another game needs a new one.
    pub fn is_broken(self) -> bool {
        matches!(self, Self::Crash | Self::Stall | Self::Disconnected)
    }
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// The kind.
    pub kind: EndKind,
    /// Whose doing it was, by place in the order of play; none for a normal end.
    pub by: Option<usize>,
    /// What happened, in words; may be empty.
    pub detail: String,
}

impl End {
    /// An end by the rules.
    pub fn normal() -> Self {
        Self {
            kind: EndKind::Normal,
            by: None,
            detail: String::new(),
        }
    }

    /// An end for which the player at `place` is to blame.
    pub fn by(kind: EndKind, place: usize, detail: impl Into<String>) -> Self {
        Self {
            kind,
            by: Some(place),
            detail: detail.into(),
        }
    }

    /// In the words of fastchess, `Black loses on time (12 ms late)`; `colour` names who did it.
    pub fn sentence(&self, colour: &str) -> String {
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
