//! What a Taratibu position offers beyond its rules.

use super::network::inputs;
use super::notation::{parse_turn, write_turn};
use super::position::{COLOURS, LAST_TURN, Position, Step};
use super::{exact, features};
use crate::game::{Game, Seat};
use crate::variant::{
    BoardView, Capabilities, ExactSettings, ExactSolver, GameProgress, MoveCode, Notation,
    TrainingFeatures,
};

impl Capabilities for Position {
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

fn step(code: &MoveCode) -> Step {
    Position::decode(code.number())
}

impl Notation for Position {
    fn show(&self) -> String {
        Position::show(self)
    }

    fn position_text(&self) -> String {
        self.to_text()
    }

    fn read_moves(&self, word: &str) -> Result<Vec<MoveCode>, String> {
        let codes = parse_turn(word)?.into_iter().map(Position::code);
        Ok(codes.map(MoveCode::new).collect())
    }

    fn write_moves(&self, moves: &[MoveCode]) -> String {
        write_turn(&moves.iter().map(step).collect::<Vec<_>>())
    }

    fn expected_move(&self) -> String {
        let colour = COLOURS[self.mover()];
        format!("a step of a {colour} piece that has not captured in this turn")
    }
}

impl GameProgress for Position {
    fn moves_in_turn(&self) -> u32 {
        u32::from(self.steps_left())
    }

    fn turn_in_words(&self) -> Option<String> {
        let (turn, left) = (self.turn(), self.steps_left());
        let steps = if left == 1 { "step" } else { "steps" };
        Some(format!("turn {turn}, {left} {steps} left"))
    }

    fn moves_left(&self) -> u32 {
        let later = (self.turn() + 2..=LAST_TURN).step_by(2);
        u32::from(self.steps_left()) + later.map(u32::from).sum::<u32>()
    }

    fn in_play(&self) -> Vec<Seat> {
        Seat::ALL[..2].to_vec()
    }
}

impl TrainingFeatures for Position {
    fn linear_features(&self) -> Vec<(Seat, Vec<f64>)> {
        let seats = Seat::ALL.into_iter().zip(features::inputs(self));
        let numbers = |inputs: [f32; features::INPUTS]| inputs.map(f64::from).to_vec();
        seats
            .map(|(seat, inputs)| (seat, numbers(inputs)))
            .collect()
    }

    fn input_planes(&self) -> Option<Vec<u32>> {
        Some(inputs::planes(self))
    }

    fn plane_count(&self) -> usize {
        inputs::PLANES
    }

    fn policy_size(&self) -> usize {
        inputs::POLICY
    }

    fn policy_place(&self, code: MoveCode) -> Option<usize> {
        let step = Position::decode(code.number());
        Game::is_legal(self, step).then(|| inputs::policy_place(self, step))
    }

    fn global_features(&self) -> Option<Vec<f32>> {
        Some(inputs::globals(self))
    }
}
