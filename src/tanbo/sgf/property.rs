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
    /// Stones added, or taken off.
    Stones(Option<Seat>),
    Move(Seat),
    TimeLeft(Seat),
    Player(Seat),
    About(About),
    Comment,
}

/// What a record says of the whole game, in one line each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
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
            (Self::About(About::Application), "AP"),
            (Self::About(About::Name), "GN"),
            (Self::About(About::Event), "EV"),
            (Self::About(About::Round), "RO"),
            (Self::About(About::Date), "DT"),
            (Self::About(About::Place), "PC"),
            (Self::About(About::Result), "RE"),
            (Self::About(About::MainTime), "TM"),
            (Self::About(About::Overtime), "OT"),
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
