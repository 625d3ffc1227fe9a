//! The properties that are read, and their names.

use crate::game::{PerSeat, Seat};

/// By seat: the names of the properties for stones set up, a move, the player's name, and the
/// seconds left after a move. Those of red and green are private properties.
pub(super) const NAMES: PerSeat<[&str; 4]> = PerSeat([
    ["AB", "B", "PB", "BL"],
    ["AW", "W", "PW", "WL"],
    ["ARED", "RED", "PRED", "REDL"],
    ["AGREEN", "GREEN", "PGREEN", "GREENL"],
]);

/// The properties of the whole game (SGF: game info), one line each.
const GAME_INFO: [&str; 9] = ["AP", "GN", "EV", "RO", "DT", "PC", "RE", "TM", "OT"];

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
    GameInfo,
    Comment,
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
        ];
        let game_info = GAME_INFO.map(|name| (Self::GameInfo, name));
        let colours = Seat::ALL.into_iter().flat_map(|seat| {
            let [stones, mv, player, time_left] = NAMES[seat];
            [
                (Self::Stones(Some(seat)), stones),
                (Self::Move(seat), mv),
                (Self::TimeLeft(seat), time_left),
                (Self::Player(seat), player),
            ]
        });
        let mut all = general.into_iter().chain(game_info).chain(colours);
        all.find(|&(_, known)| known == name)
    }
}
