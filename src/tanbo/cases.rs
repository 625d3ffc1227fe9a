//! The positions of the bench.

use crate::variant::Case;

/// The positions; none of the games is over.
pub(super) const CASES: &[Case] = &[
    Case::new("9x9 start", 9, "classic", 2, ""),
    Case::new("9x9 middle", 9, "classic", 2, NINE_MIDDLE),
    Case::new("9x9 late", 9, "classic", 2, NINE_LATE),
    Case::new("13x13 start", 13, "classic", 2, ""),
    Case::new("13x13 middle", 13, "classic", 2, THIRTEEN_MIDDLE),
    Case::new("19x19 start", 19, "classic", 2, ""),
    Case::new("19x19 middle", 19, "classic", 2, NINETEEN_MIDDLE),
    Case::new("19x19 four players", 19, "classic", 4, ""),
    Case::new("7x7 dense", 7, "dense", 2, ""),
    Case::new("11x11 dense", 11, "dense", 2, ""),
    Case::new("5x5 corners", 5, "corners", 2, ""),
    Case::new("6x6 ending", 6, "corners", 2, SIX_ENDING),
];

const NINE_MIDDLE: &str = "H7 B7 H6 B6 C2 B5 D2 H3 E2 G3 E3 B4 E4 B9 E5 B3 E6 G4 H5 A3";
const NINE_LATE: &str = "\
    H7 B7 H6 B6 C2 B5 D2 H3 E2 G3 E3 B4 E4 B9 E5 B3 E6 G4 H5 A3 A2 J3 E7 G5 E8 J4 J5 \
    H1 D8 G1 C8 G6 C3 C9 F2 F1 E1 G7 H9 D9 E9 C5 G8 C7";
const THIRTEEN_MIDDLE: &str = "\
    B9 E2 M5 E3 J10 J6 J8 D9 J7 E4 C9 J12 J2 M9 D5 L9 E12 J11 F5 K9 C5 B5 F4 F9 L5 \
    J4 K10 G9 J3 A12 F3 N2 L10 A11 E11 A10 F2 N3 M10 N4 N10 F1 B1 G1 K5 G2 C1 K4 M13 \
    K3";
const NINETEEN_MIDDLE: &str = "\
    B13 N18 N2 G12 N3 S13 C13 B7 S7 N6 G6 N17 G5 G2 D13 N8 O13 N16 E13 G3 M13 N9 G4 \
    G14 P13 G11 F13 N5 G18 N15 G8 N10 N4 N11 G9 G15 Q13 G10 R13 G16 G17 N12 M12 C7 \
    M11 D7 M10 E7 M9 N14 M14 T2 M8 B19 M7 C19 M15 D19 R7 E19 Q7 T3 M16 T4 P7 T5 O7 \
    T6 T18 M17";
const SIX_ENDING: &str = "B1 A5 C1 A4 E6 F2 D6 F3 C6 A3 D1 B3";
