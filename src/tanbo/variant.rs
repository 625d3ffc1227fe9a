//! Tanbo as a game that can be selected by name.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use super::certificate;
use super::linear::Linear;
use super::network::{ForFour, ForTwo, Network};
use super::records::{SgfRecords, is_sgf, start_or, tanbo_start};
use super::setup::{NamedSetup, Setup, Start};
use super::sgf;
use super::weights::{WeightTable, Weights, weights_for};
use super::{NAME, cases, colour, diagram, line, with_position};
use crate::board::vertex;
use crate::board::{BoardSize, Point};
use crate::eval::playout::{self, Playout, PlayoutCounts};
use crate::game::{Seat, perft};
use crate::network::is_network;
use crate::params::{Leaf, Params};
use crate::search::one_ply;
use crate::util::files::Kind;
use crate::util::random::Random;
use crate::variant::{
    Arrangement, Case, CertificateSummary, CertificateWriter, EvaluationWeights, RecordFormat,
    RunningGame, SetupEditor, SharedStart, StartPosition, StoneSetup, Stones, Strategy, Variant,
    running_game,
};

/// The default side of the board: the tournament board.
pub(crate) const DEFAULT_SIDE: usize = 19;

/// Tanbo, for two to four players.
pub(crate) struct Tanbo;

impl Variant for Tanbo {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        "Tanbo"
    }

    fn credit(&self) -> &'static str {
        "Tanbo, Mark Steere's game of roots (1993)"
    }

    fn summary(&self) -> &'static str {
        "A stone goes beside exactly one of its own colour. A root that cannot grow is removed;\n\
         whoever owns the last root wins."
    }

    fn rules(&self) -> String {
        "The connected stones of one colour are a root.\n\
         On your turn, put a stone on an empty point beside exactly one stone of your own; enemy\n\
         stones do not matter. You cannot pass.\n\
         The points where its owner could extend a root are its root space. A root without root\n\
         space is bounded.\n\
         If your move bounds the root that it extends, that root is removed, and nothing else.\n\
         Otherwise every other bounded root is removed, whoever owns it.\n\
         A player without stones is out. Whoever owns the last root wins; there are no draws.\n"
            .to_string()
    }

    fn colours(&self) -> &'static [&'static str] {
        &colour::NAMES
    }

    fn setups(&self) -> &'static [&'static str] {
        &NamedSetup::NAMES
    }

    fn start(
        &self,
        side: Option<usize>,
        setup: Option<&str>,
        players: Option<usize>,
    ) -> Result<SharedStart, String> {
        let size = BoardSize::new(side.unwrap_or(DEFAULT_SIDE)).map_err(|e| e.to_string())?;
        let named = match setup {
            None => NamedSetup::default_for(size),
            Some(name) => name.parse()?,
        };
        let setup = named.setup(size, players.unwrap_or(2))?;
        check(setup, None)
    }

    fn read(&self, text: &str, players: Option<usize>) -> Result<SharedStart, String> {
        check(position(text)?, players)
    }

    fn cases(&self) -> &'static [Case] {
        cases::CASES
    }

    fn records(&self) -> &dyn RecordFormat {
        &SgfRecords
    }

    fn stone_setup(&self) -> Option<&dyn StoneSetup> {
        Some(self)
    }
}

impl StoneSetup for Tanbo {
    fn start(
        &self,
        size: BoardSize,
        stones: BTreeMap<Point, Seat>,
        to_move: Seat,
        players: Option<usize>,
    ) -> Result<SharedStart, String> {
        let setup = Setup {
            size,
            stones,
            to_move,
        };
        check(setup, players)
    }
}

/// The checked start from a setup.
fn check(setup: Setup, players: Option<usize>) -> Result<SharedStart, String> {
    match setup.check(players) {
        Ok(start) => Ok(Arc::new(start)),
        Err(error) => Err(error.to_string()),
    }
}

/// The position in the text of a file: a diagram, a line, or the start of an SGF record.
fn position(text: &str) -> Result<Setup, String> {
    if !is_sgf(text) {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if line::is_line(text) {
            let found = line::parse(text).map_err(|error| error.to_string());
            return found.map(|(setup, _)| setup);
        }
        return diagram::parse(text).map_err(|error| error.to_string());
    }
    let game = sgf::parse(text)?;
    if let Some(setup) = game.setup {
        // The caller checks it, together with the number of players.
        return Ok(setup);
    }
    let default = Variant::start(&Tanbo, Some(game.size.side()), None, None).ok();
    let default = default.and_then(tanbo_start);
    Ok(start_or(&game, default.as_ref())?.setup().clone())
}

impl From<Start> for SharedStart {
    fn from(start: Start) -> Self {
        Arc::new(start)
    }
}

impl StartPosition for Start {
    fn variant(&self) -> &'static dyn Variant {
        &Tanbo
    }

    fn side(&self) -> usize {
        self.size().side()
    }

    fn players(&self) -> &[Seat] {
        Start::players(self)
    }

    fn to_move(&self) -> Seat {
        self.setup().to_move
    }

    fn text(&self) -> String {
        diagram::write(self.setup())
    }

    fn new_game(&self, params: &Params, weights: Option<&str>) -> Box<dyn RunningGame> {
        let network = weights.filter(|text| is_network(text));
        let table = weights.and_then(|text| WeightTable::parse(text).ok());
        let leaf = params.leaf.with_file(network.is_some(), table.is_some());
        let weights = table.map_or_else(|| weights_for(self), |table| table.for_size(self.size()));
        let linear = Linear::new(weights, params);
        with_position!(self, |position| match leaf {
            Leaf::Network => {
                let network = Network::new(network, self.size(), params);
                running_game::with_tree_search(position, params, network)
            }
            Leaf::Linear => running_game::with_tree_search(position, params, linear),
            Leaf::Playout => {
                running_game::with_tree_search(position, params, Playout::new(params))
            }
            Leaf::Greedy => {
                running_game::with_searcher(position, params, one_ply(linear, params.seed))
            }
        })
    }

    fn perft(&self, depth: u32) -> u64 {
        with_position!(self, |position| perft(&mut position.clone(), depth))
    }

    fn playouts(&self, random: &mut Random, time: Duration) -> (PlayoutCounts, Duration) {
        with_position!(self, |position| playout::for_a_while(
            &position, random, time
        ))
    }

    fn arrangement(&self) -> Arrangement {
        let setup = self.setup();
        let token = |seat| colour::letter(seat).to_ascii_lowercase();
        let stone = |point: Point| setup.stones.get(&point).copied();
        let mut line = "gogui-setup".to_string();
        for (&point, &seat) in &setup.stones {
            let vertex = vertex::name(point, setup.size);
            line.push_str(&format!(" {} {vertex}", token(seat)));
        }
        let mut lines = vec![line];
        if setup.to_move != colour::BLACK {
            lines.push(format!("gogui-setup_player {}", token(setup.to_move)));
        }
        let default = NamedSetup::default_for(setup.size).setup(setup.size, 2);
        Arrangement {
            shown: vec![
                (
                    "gogui-rules_board",
                    diagram::rows(setup.size, stone).concat(),
                ),
                (
                    "gogui-rules_side_to_move",
                    colour::word(setup.to_move).to_string(),
                ),
            ],
            lines,
            is_default: default.as_ref() == Ok(setup),
        }
    }

    fn stones(&self) -> Option<&BTreeMap<Point, Seat>> {
        Some(&self.setup().stones)
    }

    fn with_to_move(&self, seat: Seat) -> Option<SharedStart> {
        let setup = Setup {
            to_move: seat,
            ..self.setup().clone()
        };
        check(setup, None).ok()
    }

    fn editor(&self) -> Option<Box<dyn SetupEditor>> {
        Some(Box::new(self.setup().clone()))
    }

    fn weights(&self) -> Option<&dyn EvaluationWeights> {
        Some(self)
    }

    fn certificate(&self) -> Result<&dyn CertificateWriter, String> {
        if Start::players(self) == [colour::BLACK, colour::WHITE] {
            return Ok(self);
        }
        let colours = Start::players(self).iter().map(|&seat| colour::word(seat));
        let colours = colours.collect::<Vec<_>>().join(" and ");
        Err(format!(
            "there are no certificates for {colours}: expected a position of black and white"
        ))
    }
}

impl EvaluationWeights for Start {
    fn embedded(&self) -> Vec<f64> {
        let rows = weights_for(self).rows;
        rows.into_iter().flatten().map(f64::from).collect()
    }

    fn to_text(&self, weights: &[f64], beside: Option<&str>) -> String {
        let weights = Weights::from_inputs(weights);
        let table = beside.and_then(|text| WeightTable::parse(text).ok());
        let mut table = table.unwrap_or_default();
        table.insert(self.size(), weights);
        let names = super::features::NAMES.join(", ");
        let header = format!("# size phase, then the weights of {names}, tempo\n");
        header + &table.to_text()
    }

    fn check(&self, text: &str) -> Result<(), String> {
        if is_network(text) {
            return match Start::players(self).len() {
                2 => ForTwo::parse(text).map(|_| ()),
                _ => ForFour::parse(text).map(|_| ()),
            };
        }
        WeightTable::parse(text).map(|_| ())
    }

    fn is_network(&self, text: &str) -> bool {
        is_network(text)
    }
}

impl CertificateWriter for Start {
    fn kind(&self) -> Kind<'static> {
        certificate::KIND
    }

    fn write(
        &self,
        winner: Seat,
        strategy: &mut dyn Strategy,
        ending_limit: Option<u64>,
        out: &mut dyn Write,
    ) -> Result<CertificateSummary, String> {
        certificate::write(self, winner, strategy, ending_limit, out)
    }
}

/// The stones of a position with a side to move.
pub fn setup(stones: &dyn Stones, to_move: Seat) -> Setup {
    let size = stones.size();
    let mut setup = Setup::empty(size);
    setup.to_move = to_move;
    for point in size.points() {
        if let Some(seat) = stones.stone_at(point) {
            setup.stones.insert(point, seat);
        }
    }
    setup
}
