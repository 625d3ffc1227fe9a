//! What a Tanbo position offers beyond its rules.

use super::position::Root;
use super::{Position, colour, diagram, exact, features, network, variant, weights};
use crate::board::vertex;
use crate::board::{BoardSize, Point};
use crate::game::{Game, Seat};
use crate::variant::{
    BoardView, Capabilities, ExactSettings, ExactSolver, GameProgress, Group, MoveCode, Notation,
    Stones, TrainingFeatures,
};

impl<const W: usize, const SEATS: usize> Capabilities for Position<W, SEATS> {
    fn stones(&self) -> Option<&dyn Stones> {
        Some(self)
    }

    fn board_view(&self) -> Option<&dyn BoardView> {
        Some(self)
    }

    fn training_features(&self) -> Option<&dyn TrainingFeatures> {
        Some(self)
    }

    fn exact(&self, settings: &ExactSettings) -> Result<Box<dyn ExactSolver>, String> {
        exact::of_position(self, settings)
    }
}

impl<const W: usize, const SEATS: usize> Notation for Position<W, SEATS> {
    fn show(&self) -> String {
        diagram::with_coordinates(self.size(), |point| self.stone_at(point))
    }

    fn position_text(&self) -> String {
        diagram::write(&variant::setup(self, self.to_move()))
    }

    fn read_moves(&self, word: &str) -> Result<Vec<MoveCode>, String> {
        match vertex::parse(word, self.size()) {
            Ok(point) => Ok(vec![point.into()]),
            Err(error) => Err(error.to_string()),
        }
    }

    fn write_moves(&self, moves: &[MoveCode]) -> String {
        let names = moves
            .iter()
            .map(|code| vertex::name(code.point(), self.size()));
        names.collect::<Vec<_>>().join(" ")
    }

    fn expected_move(&self) -> String {
        let colour = colour::word(self.to_move());
        format!("an empty point with exactly one {colour} stone beside it")
    }
}

impl<const W: usize, const SEATS: usize> GameProgress for Position<W, SEATS> {
    fn in_play(&self) -> Vec<Seat> {
        let seats = Seat::ALL.into_iter();
        seats.filter(|&seat| self.root_count(seat) > 0).collect()
    }

    /// Three quarters of the side's share of the empty points, as in quick games on 9x9.
    fn moves_left(&self) -> u32 {
        3 * self.empty().len() / (4 * self.in_play().len().max(1) as u32)
    }
}

impl<const W: usize, const SEATS: usize> TrainingFeatures for Position<W, SEATS> {
    /// For each seat with stones: its features and the tempo, times the share of each row of
    /// weights in this phase.
    fn linear_features(&self) -> Vec<(Seat, Vec<f64>)> {
        let features = features::features(self);
        let shares = weights::shares(features.phase);
        let row = |seat: Seat| {
            let values = features.seats[seat.index() % SEATS];
            let tempo = i32::from(seat == self.to_move());
            let columns = values.iter().chain([&tempo]);
            let columns: Vec<f64> = columns.map(|&x| f64::from(x)).collect();
            let shared = |share: f32| columns.iter().map(move |x| f64::from(share) * x);
            (seat, shares.into_iter().flat_map(shared).collect())
        };
        self.in_play().into_iter().map(row).collect()
    }

    fn input_planes(&self) -> Option<Vec<u32>> {
        network::inputs(self).map(|inputs| inputs.planes)
    }

    fn plane_count(&self) -> usize {
        network::plane_count(self)
    }

    fn policy_size(&self) -> usize {
        Position::size(self).area()
    }

    fn policy_place(&self, code: MoveCode) -> Option<usize> {
        Position::size(self)
            .points()
            .position(|point| MoveCode::from(point) == code)
    }

    fn global_features(&self) -> Option<Vec<f32>> {
        network::inputs(self).map(|inputs| inputs.global_features)
    }
}

impl<const W: usize, const SEATS: usize> Stones for Position<W, SEATS> {
    fn size(&self) -> BoardSize {
        Position::size(self)
    }

    fn stone_at(&self, point: Point) -> Option<Seat> {
        Position::stone_at(self, point)
    }

    fn legal(&self, seat: Seat) -> Vec<Point> {
        match self.outcome() {
            Some(_) => Vec::new(),
            None => Position::legal(self, seat).iter().collect(),
        }
    }

    fn groups(&self, seat: Seat) -> u32 {
        self.root_count(seat)
    }

    fn all_groups(&self) -> Vec<Group> {
        let group = |root: Root<W>| Group {
            seat: root.seat,
            stones: root.stones.iter().collect(),
            space: root.space.iter().collect(),
        };
        self.roots().into_iter().map(group).collect()
    }

    fn removed_by(&self, seat: Seat, point: Point) -> Vec<Point> {
        if self.outcome().is_some() || !Position::legal(self, seat).contains(point) {
            return Vec::new();
        }
        let mut after = self.with_to_move(seat);
        after.play(point);
        let taken = |p: &Point| *p == point || Position::stone_at(self, *p).is_some();
        let points = Position::size(self).points().filter(taken);
        points.filter(|&p| after.stone_at(p).is_none()).collect()
    }

    fn playable(&self, seat: Seat) -> Vec<Point> {
        let sets = features::playable(self);
        sets.get(seat.index())
            .map_or_else(Vec::new, |set| set.iter().collect())
    }
}
