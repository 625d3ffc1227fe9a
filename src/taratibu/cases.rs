//! The positions of the bench: the start, and the sample game on the inventor's page.

use crate::variant::Case;

const fn case(name: &'static str, moves: &'static str) -> Case {
    Case::new(name, 7, "start", 2, moves)
}

pub(super) const CASES: &[Case] = &[
    case("start", ""),
    case("turn 3", "7264 4765-6564"),
    case("turn 4", "7264 4765-6564 3153-5364-5232"),
    case(
        "turn 5",
        "7264 4765-6564 3153-5364-5232 1735-7765-3533-3311",
    ),
    case(
        "turn 6",
        "7264 4765-6564 3153-5364-5232 1735-7765-3533-3311 4163-6345-4527-5131-3111",
    ),
];
