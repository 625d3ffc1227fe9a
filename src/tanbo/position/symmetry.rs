//! Symmetries of a position.

use super::Position;
use crate::board::{Symmetries, Symmetry};

impl<const W: usize, const SEATS: usize> Position<W, SEATS> {
    /// The symmetries other than the identity that leave the stones of every colour as they are.
    pub fn symmetries(&self) -> Symmetries {
        let keeps = |symmetry: &Symmetry| {
            let mut sets = self.stones.iter();
            // Images of different points differ, so a set that contains its image is its image.
            sets.all(|set| {
                let mut points = set.iter();
                points.all(|point| set.contains(symmetry.image(point, self.size)))
            })
        };
        Symmetry::ALL.into_iter().skip(1).filter(keeps).collect()
    }

    /// The image of the position under a symmetry.
    #[must_use]
    pub fn image(&self, symmetry: Symmetry) -> Self {
        let roots = self.roots().into_iter().map(|root| {
            let stones = root.stones.iter();
            let stones = stones.map(|point| symmetry.image(point, self.size));
            (root.seat, stones.collect())
        });
        Self::of_roots(self.size, self.to_move, roots.collect())
    }
}
