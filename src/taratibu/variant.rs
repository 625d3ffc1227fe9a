//! Taratibu as a game that can be selected by name.

use std::sync::Arc;
use std::time::Duration;

use super::cases;
use super::editor::Editor;
use super::linear::Linear;
use super::network::{Network, NetworkModel};
use super::piece::{Kind, Order};
use super::player::{SureOfWins, greedy_player};
use super::position::{COLOURS, Position};
use super::square::SIDE;
use super::weights::{self, Weights};
use crate::eval::playout::{self, Playout, PlayoutCounts};
use crate::game::{Evaluator, Game, Seat, perft};
use crate::network::is_network;
use crate::params::{Leaf, Params};
use crate::search::Searcher;
use crate::util::quote::shorten;
use crate::util::random::Random;
use crate::variant::{
    Arrangement, Case, EvaluationWeights, RecordFormat, RunningGame, SetupEditor, SharedStart,
    StartPosition, TextRecords, Variant, running_game,
};

/// Taratibu, for two players.
pub struct Taratibu;

/// The name of the one built-in start position.
const START: &str = "start";

impl Variant for Taratibu {
    fn name(&self) -> &'static str {
        "taratibu"
    }

    fn title(&self) -> &'static str {
        "Taratibu"
    }

    fn credit(&self) -> &'static str {
        "Taratibu, Glenn Overby II's game of ten pieces and ten turns (2005)"
    }

    fn summary(&self) -> &'static str {
        "White makes one step, Black two, White three, and so on to Black's ten. Whoever captures\n\
         the enemy Man and all enemy pieces of an order (aquatic, quadruped, winged) wins."
    }

    fn rules(&self) -> String {
        "White makes one step, Black two, White three, and so on to Black's ten, which end the game.\n\
         A step moves a piece to an empty square or captures an enemy piece there; a piece that has\n\
         captured makes no more steps in that turn. All moves of two squares leap.\n\
         Whoever has captured the enemy Man and all enemy pieces of one of the orders aquatic,\n\
         quadruped and winged wins at once. If nobody has after Black's ten steps, it is a draw.\n\
         A step is written as two squares, file then rank: 3133 goes from 31 to 33. Steps of one\n\
         turn may be typed together, joined by hyphens, or one by one.\n"
            .to_string()
    }

    fn pieces(&self) -> Option<String> {
        let mut text = String::from(
            "Each piece moves in the ways of its two orders; capital letters are White's.\n",
        );
        for kind in Kind::ALL {
            let (name, letter) = (format!("{kind:?}"), kind.letter(Seat::new(0)));
            let [one, other] = kind.orders().map(Order::name);
            text += &format!("  {letter}  {name:8}  {one}, {other}\n");
        }
        for order in Order::ALL {
            text += &format!("{}: {}.\n", order.name(), order.movement().0);
        }
        Some(text)
    }

    fn colours(&self) -> &'static [&'static str] {
        &COLOURS
    }

    fn setups(&self) -> &'static [&'static str] {
        &[START]
    }

    fn start(
        &self,
        side: Option<usize>,
        setup: Option<&str>,
        players: Option<usize>,
    ) -> Result<SharedStart, String> {
        match (side, setup) {
            (Some(side), _) if side != SIDE => Err(format!(
                "Taratibu has no board of size `{side}`: expected {SIDE}"
            )),
            (_, Some(name)) if name != START => Err(format!(
                "unknown setup `{}`: expected {START} or the name of a file",
                shorten(name, 60)
            )),
            _ => for_two(players),
        }?;
        Ok(Arc::new(Position::new_game()))
    }

    fn read(&self, text: &str, players: Option<usize>) -> Result<SharedStart, String> {
        for_two(players)?;
        Ok(Arc::new(Position::parse(text)?))
    }

    fn cases(&self) -> &'static [Case] {
        cases::CASES
    }

    fn records(&self) -> &dyn RecordFormat {
        &TextRecords(&Taratibu)
    }
}

fn for_two(players: Option<usize>) -> Result<(), String> {
    match players {
        None | Some(2) => Ok(()),
        Some(n) => Err(format!("Taratibu is for 2 players, not for `{n}`")),
    }
}

impl StartPosition for Position {
    fn variant(&self) -> &'static dyn Variant {
        &Taratibu
    }

    fn side(&self) -> usize {
        SIDE
    }

    fn players(&self) -> &[Seat] {
        &Seat::ALL[..2]
    }

    fn to_move(&self) -> Seat {
        Game::to_move(self)
    }

    fn text(&self) -> String {
        self.to_text()
    }

    fn new_game(&self, params: &Params, weights: Option<&str>) -> Box<dyn RunningGame> {
        let network = weights.filter(|text| is_network(text));
        let table = weights.and_then(|text| Weights::parse(text).ok());
        match params.leaf.with_file(network.is_some(), table.is_some()) {
            Leaf::Network => searched(*self, params, Network::new(network, params)),
            Leaf::Linear => {
                let weights = table.as_ref().unwrap_or(weights::embedded());
                searched(*self, params, Linear::new(weights, params.evaluation_noise))
            }
            Leaf::Playout => {
                let playout = Playout::new(params);
                running_game::with_searcher(
                    *self,
                    params,
                    SureOfWins(Searcher::new(params, playout)),
                )
            }
            Leaf::Greedy => running_game::with_searcher(*self, params, greedy_player(params.seed)),
        }
    }

    fn perft(&self, depth: u32) -> u64 {
        perft(&mut self.clone(), depth)
    }

    fn playouts(&self, random: &mut Random, time: Duration) -> (PlayoutCounts, Duration) {
        playout::for_a_while(self, random, time)
    }

    fn arrangement(&self) -> Arrangement {
        Arrangement {
            shown: vec![("showboard", self.show())],
            lines: vec![format!("tanada-position {}", self.to_line())],
            is_default: *self == Position::new_game(),
        }
    }

    fn editor(&self) -> Option<Box<dyn SetupEditor>> {
        Some(Box::new(Editor::new(self)))
    }

    fn weights(&self) -> Option<&dyn EvaluationWeights> {
        Some(self)
    }
}

/// A game that is searched with this evaluation.
fn searched<E: Evaluator<Position> + Send + 'static>(
    position: Position,
    params: &Params,
    evaluator: E,
) -> Box<dyn RunningGame> {
    let searcher = Searcher::new(params, evaluator);
    if params.may_overlook_wins() {
        running_game::with_searcher(position, params, searcher)
    } else {
        running_game::with_searcher(position, params, SureOfWins(searcher))
    }
}

impl EvaluationWeights for Position {
    fn embedded(&self) -> Vec<f64> {
        let rows = weights::embedded().rows;
        rows.into_iter().flatten().map(f64::from).collect()
    }

    fn to_text(&self, weights: &[f64], _beside: Option<&str>) -> String {
        Weights::from_inputs(weights).to_text()
    }

    fn check(&self, text: &str) -> Result<(), String> {
        if is_network(text) {
            return NetworkModel::parse(text).map(|_| ());
        }
        Weights::parse(text).map(|_| ())
    }

    fn is_network(&self, text: &str) -> bool {
        is_network(text)
    }
}
