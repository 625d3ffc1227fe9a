//! The features of the linear evaluation, some of which are inputs of the network too. Weights of both hold only
//! for the features that they were fitted to.

use std::sync::LazyLock;

use super::capture::{TurnView, quick_bound};
use super::piece::{KINDS, Kind, MAN, Rings};
use super::position::{LAST_TURN, Position};
use super::square::bits;
use super::turn::winning_sets;

/// Features of what a side can capture in one turn.
const TACTICS: usize = 12;

/// Features of a seat.
pub(crate) const COUNT: usize = KINDS + 6 + 4 * TACTICS;

/// Rows of weights: one for all turns, and one for each turn.
pub(crate) const ROWS: usize = LAST_TURN as usize + 1;

/// The length of [`inputs`]; each has a weight.
pub(crate) const INPUTS: usize = ROWS * COUNT;

/// The names of the features. `now` is the current turn of the side to move, `next` its turn after
/// that. `soon` is the coming turn of the other side, weighted by the share of the current turn's
/// steps that are left; `then` is the same turn with the remaining weight.
pub(crate) static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let kinds = Kind::ALL.map(|kind| format!("{kind:?}").to_lowercase());
    let pieces = ["tempo", "left1", "left2", "left3", "left4", "left_sum"].map(str::to_string);
    let tactics = ["now", "next", "soon", "then"].map(|turn| {
        const NAMES: &str =
            "captures near1 near2 near3 near4 win0 win1 win2 win3 margin second man";
        let names = NAMES.split(' ').map(|name| format!("{turn}_{name}"));
        names.collect::<Vec<_>>()
    });
    let tactics = tactics.into_iter().flatten();
    kinds.into_iter().chain(pieces).chain(tactics).collect()
});

/// The features of one seat, in the order of [`NAMES`].
pub(crate) type Row = [f32; COUNT];

pub(crate) const TEMPO: usize = KINDS;
pub(crate) const LEFT: usize = TEMPO + 1;
pub(crate) const NOW: usize = LEFT + 5;
const NEXT: usize = NOW + TACTICS;
pub(crate) const SOON: usize = NEXT + TACTICS;
const THEN: usize = SOON + TACTICS;

/// The turns whose captures are features: the current one of the side to move, its next one, and the
/// next one of the other side.
pub(crate) const TURNS: usize = 3;

/// The features of both seats in a position that is not finished.
#[inline(always)]
pub(crate) fn features(position: &Position) -> [Row; 2] {
    with_rings(position).0
}

/// The same, and what the attackers of each of the [`TURNS`] reach.
#[inline(always)]
pub(crate) fn with_rings(position: &Position) -> ([Row; 2], [Rings; TURNS]) {
    let mut rows = [[0.0; COUNT]; 2];
    let mover = position.mover();
    let turn = position.turn();
    let steps_left = position.steps_left();
    let steps_of = |turn: u8| if turn > LAST_TURN { 0 } else { u32::from(turn) };
    rows[mover][TEMPO] = 1.0;
    for (seat, row) in rows.iter_mut().enumerate() {
        for kind in bits(position.alive(seat)) {
            row[kind] = 1.0;
        }
        let mut least = 5;
        let mut sum = 0;
        for set in winning_sets(position.alive(1 - seat)) {
            least = least.min(set.count_ones());
            sum += set.count_ones();
        }
        if (1..=4).contains(&least) {
            row[LEFT + least as usize - 1] = 1.0;
        }
        row[LEFT + 4] = sum as f32 * (1.0 / 15.0);
    }
    let views = [
        TurnView::new(position, mover),
        TurnView::whole(position, mover),
        TurnView::whole(position, 1 - mover),
    ];
    let rings = std::array::from_fn(|turn| views[turn].rings());
    let now = tactics(&views[0], &rings[0], u32::from(steps_left));
    let next = tactics(&views[1], &rings[1], steps_of(turn + 2));
    let other = tactics(&views[2], &rings[2], steps_of(turn + 1));
    rows[mover][NOW..NEXT].copy_from_slice(&now);
    rows[mover][NEXT..SOON].copy_from_slice(&next);
    let share = f32::from(steps_left - 1) / f32::from((turn - 1).max(1));
    for (i, number) in other.into_iter().enumerate() {
        rows[1 - mover][SOON + i] = share * number;
        rows[1 - mover][THEN + i] = (1.0 - share) * number;
    }
    (rows, rings)
}

/// What a side can capture in a turn of `steps` steps, by distances on an empty board: the number
/// of pieces (`captures`); those 1 to 4 steps from an attacker (`near1` to `near4`); whether a
/// win lacks 0 to 3 steps (`win0` to `win3`); how many it lacks (`margin`); whether a second
/// winning set needs at most one step more (`second`); how near the Man is (`man`).
#[inline(always)]
fn tactics(view: &TurnView, rings: &Rings, steps: u32) -> [f32; TACTICS] {
    let mut captures = 0;
    let mut rest = steps;
    let mut values = [0.0; TACTICS];
    for distance in 1..7 {
        let here = (view.enemy_set & rings[distance] & !rings[distance - 1]).count_ones();
        if distance < 5 {
            values[distance] = here as f32 * 0.1;
        }
        let fit = here.min(rest / distance as u32);
        captures += fit;
        rest -= fit * distance as u32;
    }
    values[0] = captures.min(view.attacker_kinds.count_ones()) as f32 * 0.1;
    let (mut least, mut second) = (u32::MAX, u32::MAX);
    for set in winning_sets(view.enemy_kinds) {
        let needed = quick_bound(rings, view.squares_of(set));
        second = second.min(needed.max(least));
        least = least.min(needed);
    }
    let lacking = least.saturating_sub(steps).min(8);
    if lacking < 4 {
        values[5 + lacking as usize] = 1.0;
    }
    values[9] = lacking as f32 * 0.125;
    values[10] = f32::from(u8::from(second <= steps + 1));
    values[11] = match view.squares_of(view.enemy_kinds & MAN) {
        0 => 1.0,
        man => INVERSE[quick_bound(rings, man).min(7) as usize],
    };
    values
}

/// 1 / distance, for distances 1 to 6.
static INVERSE: [f32; 8] = [0.0, 1.0, 0.5, 1.0 / 3.0, 0.25, 0.2, 1.0 / 6.0, 0.0];

/// The inputs that a trainer fits weights to: each seat's features twice, in the row for all turns
/// and in the row of the position's turn; all other rows are 0. A seat's score is the dot product
/// with the weights; the winning chance is the logistic function of the difference of the scores.
pub(crate) fn inputs(position: &Position) -> [[f32; INPUTS]; 2] {
    let turn = usize::from(position.turn());
    features(position).map(|row| {
        let mut inputs = [0.0; INPUTS];
        inputs[..COUNT].copy_from_slice(&row);
        inputs[turn * COUNT..][..COUNT].copy_from_slice(&row);
        inputs
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(row: &Row, name: &str) -> f32 {
        row[NAMES.iter().position(|n| *n == name).unwrap()]
    }

    #[test]
    fn names_are_unique() {
        assert_eq!(NAMES.len(), COUNT);
        for (i, name) in NAMES.iter().enumerate() {
            assert!(!NAMES[..i].contains(name), "{name}");
        }
    }

    #[test]
    fn the_start_is_seen_the_same_from_both_sides() {
        let rows = features(&Position::new_game());
        for row in &rows {
            assert_eq!(row[..KINDS], [1.0; KINDS]);
            assert_eq!(row[LEFT..LEFT + 4], [0.0; 4]);
            assert_eq!(number(row, "left_sum"), 1.0);
        }
        assert_eq!(rows[0][TEMPO] - rows[1][TEMPO], 1.0);
        // White has one step now and three next, Black two in between.
        assert_eq!(rows[0][NEXT + 1..NEXT + 5], rows[1][THEN + 1..THEN + 5]);
        assert_eq!(rows[1][SOON..THEN], [0.0; TACTICS]);
    }

    #[test]
    fn a_win_that_lacks_three_steps() {
        // The Hero is four steps from the Man, which is all Black has.
        let text = "H.....M/......./......./......./......./......./......m / turn 5, 1 step left";
        let position = Position::parse(text).unwrap();
        let [white, black] = features(&position);
        assert_eq!(number(&white, "left1"), 1.0);
        assert_eq!(number(&white, "now_win3"), 1.0);
        assert_eq!(number(&white, "now_margin"), 0.375);
        assert_eq!(number(&white, "next_win0"), 1.0);
        assert_eq!(number(&white, "next_captures"), 0.1);
        // White has no aquatic piece, so its Man, six steps away, is all that Black needs.
        assert_eq!(number(&black, "then_win0"), 1.0);
        assert_eq!(number(&black, "left2"), 0.0);
    }
}
