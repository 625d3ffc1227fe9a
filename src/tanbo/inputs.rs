//! The inputs of the linear evaluation, for the trainer.

use super::Position;
use super::features;
use super::weights;
use crate::game::Seat;
use crate::variant::Progress;

/// For each seat with stones: its features and the tempo, times the share of each row of weights
/// in this phase. The dot product with the weights is the seat's score.
pub(super) fn inputs<const W: usize, const SEATS: usize>(
    position: &Position<W, SEATS>,
) -> Vec<(Seat, Vec<f64>)> {
    let features = features::features(position);
    let shares = weights::shares(features.phase);
    let row = |seat: Seat| {
        let values = features.seats[seat.index() % SEATS];
        let tempo = i32::from(seat == position.to_move());
        let columns: Vec<f64> = values
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
