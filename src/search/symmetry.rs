//! Twins: moves that are images of each other under a symmetry of the position. They lead to equal
//! positions, so the tree holds one of them.

use super::report::MoveReport;
use crate::board::{Symmetries, Symmetry};
use crate::game::Game;

/// Removes the moves with a twin further ahead. The symmetries are those of the position.
#[cold]
pub(super) fn remove_twins<G: Game>(
    position: &G,
    symmetries: Symmetries,
    moves: &mut Vec<G::Move>,
) {
    let mut kept = 0;
    for at in 0..moves.len() {
        let mv = moves[at];
        let mut images = symmetries.iter().map(|s| position.image(mv, s));
        if !images.any(|image| moves[..kept].contains(&image)) {
            moves[kept] = mv;
            kept += 1;
        }
    }
    moves.truncate(kept);
}

/// The symmetries of the position that are symmetries of the position after `mv` too, because they
/// leave the move in place. Others may arise, but seldom do.
#[cold]
pub(super) fn kept<G: Game>(position: &G, symmetries: Symmetries, mv: G::Move) -> Symmetries {
    let keeps = |&symmetry: &Symmetry| position.image(mv, symmetry) == mv;
    symmetries.iter().filter(keeps).collect()
}

/// The twins of a move, each with a symmetry that leads to it.
pub(super) fn twins<G: Game>(
    position: &G,
    symmetries: Symmetries,
    mv: G::Move,
) -> Vec<(G::Move, Symmetry)> {
    let mut twins: Vec<(G::Move, Symmetry)> = Vec::new();
    for symmetry in symmetries.iter() {
        let image = position.image(mv, symmetry);
        if image != mv && twins.iter().all(|(twin, _)| *twin != image) {
            twins.push((image, symmetry));
        }
    }
    twins
}

/// Inserts the twins that were not searched behind the moves that were searched for them.
pub(super) fn add_twins<G: Game>(
    position: &G,
    symmetries: Symmetries,
    moves: Vec<MoveReport<G::Move>>,
) -> Vec<MoveReport<G::Move>> {
    if symmetries.is_empty() {
        return moves;
    }
    let searched = Vec::from_iter(moves.iter().map(|found| found.mv));
    let mut all = Vec::new();
    for found in moves {
        let mut twins = twins(position, symmetries, found.mv);
        twins.retain(|(twin, _)| !searched.contains(twin));
        let turned = twins.into_iter().map(|(twin, symmetry)| {
            let line = found.principal_variation.iter();
            MoveReport {
                mv: twin,
                symmetry_of: Some(found.mv),
                principal_variation: line.map(|&mv| position.image(mv, symmetry)).collect(),
                ..found.clone()
            }
        });
        let turned = Vec::from_iter(turned);
        all.push(found);
        all.extend(turned);
    }
    // The priors are those of all moves now.
    let sum: f32 = all.iter().filter_map(|found| found.prior).sum();
    if all.len() > searched.len() && sum > 0.0 {
        for prior in all.iter_mut().filter_map(|found| found.prior.as_mut()) {
            *prior /= sum;
        }
    }
    all
}
