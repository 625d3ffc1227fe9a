//! Positions that are the same when turned, mirrored, or with colours exchanged.

use crate::board::{Point, Symmetry};
use crate::tanbo::{Setup, colour};

/// The position that stands for all that are equal under symmetry and exchange of colours: with
/// Black to move, the least of its eight images.
pub(crate) fn canonical(setup: &Setup) -> Setup {
    let cell = |point: Point| match setup.stones.get(&point) {
        None => 0,
        Some(&seat) if seat == setup.to_move => 1,
        Some(_) => 2,
    };
    let image = |symmetry: Symmetry| -> Vec<u8> {
        let points = setup.size.points();
        points
            .map(|point| cell(symmetry.image(point, setup.size)))
            .collect()
    };
    let images = Symmetry::ALL.into_iter().map(image);
    let least = images.min().unwrap_or_default();
    let mut canonical = Setup::empty(setup.size);
    canonical.to_move = colour::BLACK;
    for (point, cell) in setup.size.points().zip(least) {
        let seat = match cell {
            0 => continue,
            1 => colour::BLACK,
            _ => colour::WHITE,
        };
        canonical.stones.insert(point, seat);
    }
    canonical
}

#[cfg(test)]
mod tests {
    use super::super::suite::Ending;
    use super::*;

    #[test]
    fn turned_and_recoloured_positions_are_one() {
        let form = |line: &str| canonical(Ending::parse(line).unwrap().start.setup());
        let first = form("4 b XX1O/4/4/O3 ?");
        assert_eq!(canonical(&first), first);
        for line in [
            "4 b O3/4/4/XX1O ?",
            "4 b O1XX/4/4/3O ?",
            "4 b 3O/4/4/O1XX ?",
            "4 b O2X/3X/4/3O ?",
            "4 b X2O/X3/4/O3 ?",
            "4 w OO1X/4/4/X3 ?",
        ] {
            assert_eq!(form(line), first, "{line}");
        }
        for line in ["4 w XX1O/4/4/O3 ?", "4 b XX1O/4/O3/4 ?"] {
            assert_ne!(form(line), first, "{line}");
        }
    }
}
