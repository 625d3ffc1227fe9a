//! Start positions: unchecked ([`Setup`]) and checked ([`Start`]).

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use thiserror::Error;

use super::colour;
use crate::board::vertex;
use crate::board::{BoardSize, Point};
use crate::game::Seat;
use crate::util::nearest::hint;
use crate::util::quote::shorten;

/// Stones on a board and a side to move, not checked against the rules.
///
/// ```
/// use tanada::{BoardSize, Seat, TanboSetup};
///
/// let size = BoardSize::new(9)?;
/// let mut setup = TanboSetup::empty(size);
/// setup.stones.extend(size.point(2, 2).map(|point| (point, Seat::new(0))));
/// // White has no stones.
/// assert!(setup.clone().check(None).is_err());
/// setup.stones.extend(size.point(6, 6).map(|point| (point, Seat::new(1))));
/// assert!(setup.check(None).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The board.
    pub size: BoardSize,
    /// The stones.
    pub stones: BTreeMap<Point, Seat>,
    /// Whose turn it is.
    pub to_move: Seat,
}

/// A start position that the rules can play from; only [`Setup::check`] makes one.
///
/// ```
/// # let mut setup = tanada::TanboSetup::empty(tanada::BoardSize::new(9)?);
/// # setup.stones.extend(setup.size.point(2, 2).map(|point| (point, tanada::Seat::new(0))));
/// # setup.stones.extend(setup.size.point(6, 6).map(|point| (point, tanada::Seat::new(1))));
/// let start: tanada::TanboStart = setup.check(None)?;
/// let engine = tanada::Engine::new(start, tanada::Params::default());
/// assert_eq!(engine.players().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    setup: Setup,
    players: Vec<Seat>,
    density: Density,
}

/// How crowded a start is. Games from sparse and dense starts differ so much that each has
/// evaluation weights of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Density {
    /// Fewer than one root per eight points.
    Sparse,
    /// At least one root per eight points.
    Dense,
}

/// A start position with a name.
///
/// ```
/// use tanada::{BoardSize, tanbo::NamedSetup};
///
/// let setup = NamedSetup::Classic.setup(BoardSize::new(9)?, 2)?;
/// assert!(!setup.stones.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedSetup {
    /// The inventor's setups: 9x9, 13x13, 19x19 and 21x21 for two players, 19x19 for four. Those
    /// for three on 9x9, 13x13 and 19x19 and for four on 9x9 and 13x13 are Tanada's own.
    Classic,
    /// A stone on every second point: 7x7, 11x11, 15x15, 19x19.
    Dense,
    /// A stone in each corner, any size.
    Corners,
}

/// A reason why the rules cannot play from a setup.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SetupFault {
    /// A root holds a loop.
    #[error("the {1} root at {0} holds a loop: a root must be a tree")]
    NotATree(String, &'static str),
    /// A root has no root space.
    #[error("the {1} root at {0} is bounded: it needs a point to grow to")]
    Bounded(String, &'static str),
    /// Fewer than two colours have stones.
    #[error(
        "{} colour has stones: expected stones of 2 or more",
        if *.0 == 0 { "no" } else { "only one" }
    )]
    TooFewPlayers(usize),
    /// The side to move has no stones.
    #[error("{0} is to move but has no stones")]
    NobodyToMove(&'static str),
    /// Another number of players was requested.
    #[error("{announced} players were requested but {found} colours have stones")]
    Players {
        /// The number that was requested.
        announced: usize,
        /// The number of colours on the board.
        found: usize,
    },
}

/// All reasons why the rules cannot play from a setup. Its text has the first few.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", first_few(.0))]
pub struct IllegalSetup(pub Vec<SetupFault>);

/// A full board has a hundred faults, which nobody reads.
const SHOWN_FAULTS: usize = 8;

fn first_few(faults: &[SetupFault]) -> String {
    let shown = faults.iter().take(SHOWN_FAULTS);
    let mut words: Vec<String> = shown.map(ToString::to_string).collect();
    match faults.len().saturating_sub(SHOWN_FAULTS) {
        0 => {}
        1 => words.push("and one more fault".to_string()),
        more => words.push(format!("and {more} more faults")),
    }
    words.join("; ")
}

impl Setup {
    /// An empty board, Black to move.
    pub fn empty(size: BoardSize) -> Self {
        Self {
            size,
            stones: BTreeMap::new(),
            to_move: colour::BLACK,
        }
    }

    /// The colours that have stones, in the order of play.
    pub fn players(&self) -> Vec<Seat> {
        let present: BTreeSet<Seat> = self.stones.values().copied().collect();
        present.into_iter().collect()
    }

    /// Checks that the rules can play from here: every root is a tree with root space, at least two
    /// colours have stones, the side to move among them, and exactly `announced_players` if given.
    ///
    /// # Errors
    /// All reasons at once.
    pub fn check(self, announced_players: Option<usize>) -> Result<Start, IllegalSetup> {
        let mut faults = Vec::new();
        let all = roots(&self);
        for (seat, root) in &all {
            let at = || vertex::name(root[0], self.size);
            let own = |p: &Point| self.stones.get(p) == Some(seat);
            let touching: usize = root
                .iter()
                .map(|&p| self.size.neighbours(p).filter(own).count())
                .sum();
            if touching / 2 + 1 != root.len() {
                faults.push(SetupFault::NotATree(at(), colour::word(*seat)));
            }
            let has_space = root.iter().flat_map(|&p| self.size.neighbours(p)).any(|q| {
                !self.stones.contains_key(&q) && self.size.neighbours(q).filter(own).count() == 1
            });
            if !has_space {
                faults.push(SetupFault::Bounded(at(), colour::word(*seat)));
            }
        }
        let players = self.players();
        if players.len() < 2 {
            faults.push(SetupFault::TooFewPlayers(players.len()));
        }
        if !players.contains(&self.to_move) {
            faults.push(SetupFault::NobodyToMove(colour::word(self.to_move)));
        }
        let found = players.len();
        if let Some(announced) = announced_players.filter(|&announced| announced != found) {
            faults.push(SetupFault::Players { announced, found });
        }
        if !faults.is_empty() {
            return Err(IllegalSetup(faults));
        }
        let density = if all.len() * 8 < self.size.area() {
            Density::Sparse
        } else {
            Density::Dense
        };
        Ok(Start {
            setup: self,
            players,
            density,
        })
    }
}

impl Start {
    /// The stones and the side to move.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The board.
    pub fn size(&self) -> BoardSize {
        self.setup.size
    }

    /// The players in the order of the colours; the first to move may be any of them.
    pub fn players(&self) -> &[Seat] {
        &self.players
    }

    /// How crowded it is.
    pub(crate) fn density(&self) -> Density {
        self.density
    }
}

/// The roots, in the order of their lowest points; the points of each ascending.
pub(super) fn roots(setup: &Setup) -> Vec<(Seat, Vec<Point>)> {
    let mut seen = BTreeSet::new();
    let mut roots = Vec::new();
    for (&first, &seat) in &setup.stones {
        if !seen.insert(first) {
            continue;
        }
        let mut root = vec![first];
        let mut next = 0;
        while let Some(&p) = root.get(next) {
            next += 1;
            for q in setup.size.neighbours(p) {
                if setup.stones.get(&q) == Some(&seat) && seen.insert(q) {
                    root.push(q);
                }
            }
        }
        root.sort_unstable();
        roots.push((seat, root));
    }
    roots
}

impl NamedSetup {
    pub(super) const ALL: [NamedSetup; 3] =
        [NamedSetup::Classic, NamedSetup::Dense, NamedSetup::Corners];

    /// Their names, in the same order.
    pub(super) const NAMES: [&'static str; 3] = ["classic", "dense", "corners"];

    /// The default setup of a size: `classic` on 9, 13, 19 and 21, `dense` on 7, 11 and 15,
    /// `corners` on every other size.
    pub fn default_for(size: BoardSize) -> Self {
        match size.side() {
            9 | 13 | 19 | 21 => NamedSetup::Classic,
            7 | 11 | 15 => NamedSetup::Dense,
            _ => NamedSetup::Corners,
        }
    }

    /// The name.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The start on this board.
    #[cfg(test)]
    pub(super) fn start(self, side: usize, players: usize) -> Start {
        let size = BoardSize::new(side).unwrap();
        self.setup(size, players).unwrap().check(None).unwrap()
    }

    /// The stones of this setup.
    ///
    /// # Errors
    /// Says in one sentence that the setup lacks this size or number of players.
    pub fn setup(self, size: BoardSize, players: usize) -> Result<Setup, String> {
        let name = self.name();
        if players != 2 {
            let several = match self {
                NamedSetup::Classic => several(size, players),
                NamedSetup::Dense | NamedSetup::Corners => None,
            };
            return several.ok_or_else(|| {
                format!(
                    "no setup `{name}` of size `{size}` for `{players}` players is built in: \
                     expected 2 players, or 3 or 4 with `classic` on 9x9, 13x13 or 19x19; \
                     load a file for others"
                )
            });
        }
        let wrong = |sizes| {
            Err(format!(
                "the setup `{name}` has no board of size `{size}`: expected {sizes}"
            ))
        };
        let (first, step, corner) = match (self, size.side()) {
            (NamedSetup::Classic, 9) => (1, 6, colour::BLACK),
            (NamedSetup::Classic, 13 | 21) => (0, 4, colour::BLACK),
            (NamedSetup::Classic, 19) => (0, 6, colour::BLACK),
            (NamedSetup::Classic, _) => return wrong("9, 13, 19 or 21"),
            (NamedSetup::Dense, 7 | 11 | 15 | 19) => (0, 2, colour::WHITE),
            (NamedSetup::Dense, _) => return wrong("7, 11, 15 or 19"),
            (NamedSetup::Corners, side) => (0, side - 1, colour::BLACK),
        };
        Ok(lattice(size, first, step, |column, row| {
            // With two columns and rows of stones, opposite corners get the same colour.
            if (column + row) % 2 == 0 {
                corner
            } else {
                corner.other()
            }
        }))
    }
}

impl FromStr for NamedSetup {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut named = Self::ALL.into_iter();
        named.find(|named| named.name() == text).ok_or_else(|| {
            let hint = hint(text, &Self::NAMES);
            format!("unknown setup `{}`{hint}", shorten(text, 60))
        })
    }
}

/// A stone on every `step`th column and row from index `first` on, coloured by the column and row
/// among the stones.
fn lattice(
    size: BoardSize,
    first: usize,
    step: usize,
    colour: impl Fn(usize, usize) -> Seat,
) -> Setup {
    let mut setup = Setup::empty(size);
    let place = |at: usize| at.checked_sub(first).filter(|at| at.is_multiple_of(step));
    for p in size.points() {
        if let (Some(column), Some(row)) = (place(p.column(size)), place(p.row(size))) {
            setup.stones.insert(p, colour(column / step, row / step));
        }
    }
    setup
}

/// `classic` for three and four players. The one for four on 19x19 is the inventor's; the others
/// are Tanada's own.
fn several(size: BoardSize, players: usize) -> Option<Setup> {
    use colour::{BLACK as B, GREEN as G, RED as R, WHITE as W};
    // Rows from the bottom. Each row and each column has every colour once.
    const INVENTORS: [[Seat; 4]; 4] = [[G, R, W, B], [W, B, G, R], [R, G, B, W], [B, W, R, G]];
    // A quarter turn clockwise also moves each colour to the points of the next one, so the four
    // differ only by the order of play.
    const TURNED: [[Seat; 4]; 4] = [[G, B, W, R], [R, W, B, G], [W, R, G, B], [B, G, R, W]];
    let setup = match (players, size.side()) {
        (4, 19) => lattice(size, 0, 6, |column, row| INVENTORS[row][column]),
        (4, 13) => lattice(size, 0, 4, |column, row| TURNED[row][column]),
        (4, 9) => lattice(size, 1, 2, |column, row| TURNED[row][column]),
        (3, 9) => clock(size, 3, 2, 3),
        (3, 13) => clock(size, 5, 4, 4),
        (3, 19) => clock(size, 8, 6, 7),
        _ => return None,
    };
    Some(setup)
}

/// Twelve stones for three players, at the hours of a clock; the colours alternate clockwise. One
/// o'clock is `apart` points right of the centre and `radius` points above it, twelve o'clock is
/// `quarter` points above it.
///
/// No symmetry of a square permutes three colours. This arrangement comes close: a quarter turn
/// leaves every colour in place, and a reflection exchanges Black and White. Red, who plays last,
/// has the hours 3, 6, 9 and 12; their distance from the centre was chosen by playing games.
fn clock(size: BoardSize, radius: usize, apart: usize, quarter: usize) -> Setup {
    let mut setup = Setup::empty(size);
    let centre = size.side() / 2;
    let (low, high) = (centre - radius, centre + radius);
    let (before, after) = (centre - apart, centre + apart);
    let (near, far) = (centre - quarter, centre + quarter);
    let hours = [
        (centre, far),
        (after, high),
        (high, after),
        (far, centre),
        (high, before),
        (after, low),
        (centre, near),
        (before, low),
        (low, before),
        (near, centre),
        (low, after),
        (before, high),
    ];
    let colours = [colour::RED, colour::BLACK, colour::WHITE];
    for ((column, row), &seat) in hours.into_iter().zip(colours.iter().cycle()) {
        if let Some(point) = size.point(column, row) {
            setup.stones.insert(point, seat);
        }
    }
    setup
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(side: usize) -> BoardSize {
        BoardSize::new(side).unwrap()
    }

    #[test]
    fn every_named_setup_can_be_played() {
        let mut found = 0;
        for side in BoardSize::MIN..=BoardSize::MAX {
            for named in NamedSetup::ALL {
                for players in 1..=4 {
                    if let Ok(setup) = named.setup(size(side), players) {
                        let start = setup.check(Some(players)).unwrap();
                        assert_eq!(start.players().len(), players);
                        let is_crowded =
                            named == NamedSetup::Dense || side < 6 || (side == 9 && players > 2);
                        assert_eq!(start.density() == Density::Dense, is_crowded);
                        found += 1;
                    }
                }
            }
            NamedSetup::default_for(size(side))
                .setup(size(side), 2)
                .unwrap();
        }
        assert_eq!(found, 4 + 4 + 18 + 3 + 3);
    }

    #[test]
    fn the_number_of_stones_is_that_of_the_rules() {
        let stones = |named: NamedSetup, side| named.setup(size(side), 2).unwrap().stones.len();
        assert_eq!(stones(NamedSetup::Classic, 9), 4);
        assert_eq!(stones(NamedSetup::Classic, 13), 16);
        assert_eq!(stones(NamedSetup::Classic, 19), 16);
        assert_eq!(stones(NamedSetup::Classic, 21), 36);
        assert_eq!(stones(NamedSetup::Dense, 7), 16);
        assert_eq!(stones(NamedSetup::Dense, 19), 100);
        assert_eq!(stones(NamedSetup::Corners, 21), 4);
    }

    /// The stones after a quarter turn of the board, clockwise.
    fn turned(setup: &Setup) -> BTreeMap<Point, Seat> {
        let last = setup.size.side() - 1;
        let turn = |(point, &seat): (&Point, &Seat)| {
            let (column, row) = (point.column(setup.size), point.row(setup.size));
            (setup.size.point(row, last - column).unwrap(), seat)
        };
        setup.stones.iter().map(turn).collect()
    }

    fn recoloured(
        stones: BTreeMap<Point, Seat>,
        to: impl Fn(Seat) -> Seat,
    ) -> BTreeMap<Point, Seat> {
        let stone = |(point, seat)| (point, to(seat));
        stones.into_iter().map(stone).collect()
    }

    #[test]
    fn a_quarter_turn_puts_each_of_four_colours_where_the_next_was() {
        for side in [9, 13] {
            let setup = NamedSetup::Classic.setup(size(side), 4).unwrap();
            let next = |seat: Seat| Seat::new((seat.index() + 1) % 4);
            assert_eq!(recoloured(turned(&setup), next), setup.stones);
        }
    }

    #[test]
    fn three_colours_are_as_alike_as_a_square_allows() {
        for side in [9, 13, 19] {
            let setup = NamedSetup::Classic.setup(size(side), 3).unwrap();
            let (stones, size) = (setup.stones.clone(), setup.size);
            assert_eq!(turned(&setup), stones);
            let mirrored = stones.iter().map(|(point, &seat)| {
                let column = side - 1 - point.column(size);
                (size.point(column, point.row(size)).unwrap(), seat)
            });
            let exchanged = |seat: Seat| match seat {
                colour::BLACK => colour::WHITE,
                colour::WHITE => colour::BLACK,
                other => other,
            };
            assert_eq!(recoloured(mirrored.collect(), exchanged), stones);
            for seat in [colour::BLACK, colour::WHITE, colour::RED] {
                assert_eq!(stones.values().filter(|&&s| s == seat).count(), 4);
            }
        }
    }

    #[test]
    fn a_root_for_every_eight_points_is_dense() {
        let mut setup = Setup::empty(size(8));
        for (i, (column, row)) in (0..8).map(|i| (i, (i % 4 * 2, i / 4 * 3))) {
            let seat = [colour::BLACK, colour::WHITE][i % 2];
            let point = setup.size.point(column, row).unwrap();
            setup.stones.insert(point, seat);
        }
        let density = |setup: &Setup| setup.clone().check(None).unwrap().density();
        assert_eq!(density(&setup), Density::Dense);
        setup.stones.pop_last();
        assert_eq!(density(&setup), Density::Sparse);
    }

    #[test]
    fn all_faults_are_reported_at_once() {
        let size = size(5);
        let mut setup = Setup::empty(size);
        for text in ["A1", "B1", "A2", "B2"] {
            setup
                .stones
                .insert(vertex::parse(text, size).unwrap(), colour::RED);
        }
        let error = setup.check(Some(2)).unwrap_err();
        let text = error.to_string();
        for part in [
            "loop",
            "only one colour has stones",
            "black is to move",
            "2 players were requested",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn a_full_board_is_refused_in_one_short_sentence() {
        let mut setup = Setup::empty(size(21));
        for (point, i) in setup.size.points().zip(0..) {
            setup.stones.insert(point, Seat::ALL[i % 2]);
        }
        let refusal = setup.check(None).unwrap_err();
        assert_eq!(refusal.0.len(), 441);
        let text = refusal.to_string();
        assert!(text.ends_with("; and 433 more faults"), "{text}");
        assert_eq!(text.matches("is bounded").count(), SHOWN_FAULTS);
    }

    #[test]
    fn faults_beyond_those_shown_are_counted() {
        let fault = SetupFault::Players {
            announced: 3,
            found: 2,
        };
        let text = |count: usize| IllegalSetup(vec![fault.clone(); count]).to_string();
        for (count, end) in [
            (SHOWN_FAULTS, "colours have stones"),
            (SHOWN_FAULTS + 1, "colours have stones; and one more fault"),
            (SHOWN_FAULTS + 2, "colours have stones; and 2 more faults"),
        ] {
            assert_eq!(text(count).matches("requested").count(), SHOWN_FAULTS);
            assert!(text(count).ends_with(end), "{}", text(count));
        }
    }
}
