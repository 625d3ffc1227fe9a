//! What the linear evaluation weighs, as a trainer sees it.

use super::Position;
use super::features;
use super::weights;
use crate::game::Seat;
use crate::variant::Progress;

/// For each seat with stones its features and the tempo, times the share of each row of weights
/// at the phase: the weighted sum of these numbers is the seat's score.
pub(super) fn inputs<const W: usize, const SEATS: usize>(
    position: &Position<W, SEATS>,
) -> Vec<(Seat, Vec<f64>)> {
    let features = features::features(position);
    let shares = weights::shares(features.phase);
    let row = |seat: Seat| {
        let numbers = features.seats[seat.index() % SEATS];
        let tempo = i32::from(seat == position.to_move());
        let columns: Vec<f64> = numbers
            .iter()
            .chain([&tempo])
            .map(|&x| f64::from(x))
            .collect();
        let shared = |share: f32| columns.iter().map(move |x| f64::from(share) * x);
        shares.into_iter().flat_map(shared).collect()
    };
    let seats = position.in_play().into_iter();
    seats.map(|seat| (seat, row(seat))).collect()
}
