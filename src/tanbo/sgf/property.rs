//! The properties that are read, and their names.

use crate::game::{PerSeat, Seat};

/// The names of the properties of one colour.
#[derive(Clone, Copy)]
pub(super) struct Names {
    /// Stones set up.
    pub(super) stones: &'static str,
    /// A move.
    pub(super) mv: &'static str,
    /// The player's name.
    pub(super) player: &'static str,
    /// Seconds left after a move.
    pub(super) time_left: &'static str,
}

/// The names by seat. Those of red and green are private properties.
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
    /// Stones added or removed.
    Stones(Option<Seat>),
    Move(Seat),
    TimeLeft(Seat),
    Player(Seat),
    GameInfo(GameInfo),
    Comment,
}

/// Properties of the whole game (SGF: game info), one line each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GameInfo {
    Application,
    Name,
    Event,
    Round,
    Date,
    Place,
    Result,
    MainTime,
    Overtime,
}

impl Property {
    /// The property of that name, with the name.
    pub(super) fn find(name: &str) -> Option<(Self, &'static str)> {
        let general = [
            (Self::Size, "SZ"),
            (Self::ToMove, "PL"),
            (Self::ToMove, "TURN"),
            (Self::Stones(None), "AE"),
            (Self::Comment, "C"),
            (Self::GameInfo(GameInfo::Application), "AP"),
            (Self::GameInfo(GameInfo::Name), "GN"),
            (Self::GameInfo(GameInfo::Event), "EV"),
            (Self::GameInfo(GameInfo::Round), "RO"),
            (Self::GameInfo(GameInfo::Date), "DT"),
            (Self::GameInfo(GameInfo::Place), "PC"),
            (Self::GameInfo(GameInfo::Result), "RE"),
            (Self::GameInfo(GameInfo::MainTime), "TM"),
            (Self::GameInfo(GameInfo::Overtime), "OT"),
        ];
        let colours = Seat::ALL.into_iter().flat_map(|seat| {
            let names = NAMES[seat];
            [
                (Self::Stones(Some(seat)), names.stones),
                (Self::Move(seat), names.mv),
                (Self::TimeLeft(seat), names.time_left),
                (Self::Player(seat), names.player),
            ]
        });
        general
            .into_iter()
            .chain(colours)
            .find(|&(_, known)| known == name)
    }
}
