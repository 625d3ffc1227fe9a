//! The properties that matter, and their names.

use crate::game::{PerSeat, Seat};

/// The names of the properties that each colour has for itself.
#[derive(Clone, Copy)]
pub(super) struct Names {
    /// Stones of the start.
    pub(super) stones: &'static str,
    /// A move.
    pub(super) mv: &'static str,
    /// The player's name.
    pub(super) player: &'static str,
    /// The seconds left after a move.
    pub(super) time_left: &'static str,
}

/// The names by seat. SGF has black and white; red and green are private.
pub(super) const NAMES: PerSeat<Names> = PerSeat([
    names("AB", "B", "PB", "BL"),
    names("AW", "W", "PW", "WL"),
    names("ARED", "RED", "PRED", "REDL"),
    names("AGREEN", "GREEN", "PGREEN", "GREENL"),
]);

const fn names(
    stones: &'static str,
    mv: &'static str,
    player: &'static str,
    time_left: &'static str,
) -> Names {
    Names {
        stones,
        mv,
        player,
        time_left,
    }
}

/// The properties that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Property {
    Size,
    ToMove,
    Stones(Seat),
    Empty,
    Move(Seat),
}

impl Property {
    /// The property of that name, with the name.
    pub(super) fn find(name: &str) -> Option<(Self, &'static str)> {
        let board = [
            (Self::Size, "SZ"),
            (Self::ToMove, "PL"),
            (Self::ToMove, "TURN"),
            (Self::Empty, "AE"),
        ];
        let colours = Seat::ALL.into_iter().flat_map(|seat| {
            let names = NAMES[seat];
            [
                (Self::Stones(seat), names.stones),
                (Self::Move(seat), names.mv),
            ]
        });
        board
            .into_iter()
            .chain(colours)
            .find(|&(_, known)| known == name)
    }
}
