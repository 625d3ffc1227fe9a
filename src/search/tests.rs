//! Searches of a small invented game for three seats, where the utility of the others matters.

use super::graph_tests::NoPlayout;
use super::*;
use crate::game::{
    Evaluation, Evaluator, Game, MAX_SEATS, MoveEvaluation, MultiplayerUtility, Outcome, PerSeat,
    Seat,
};
use crate::params::Params;
use crate::util::random::Random;

/// The first seat chooses between two moves, then the second one does. Later moves change nothing,
/// and the game never ends, unless it has an end: then the third seat wins if the others chose 0
/// and 1.
#[derive(Clone)]
pub(super) struct Choice {
    path: Vec<u8>,
    has_end: bool,
}

impl Choice {
    fn new(has_end: bool) -> Self {
        Self {
            path: Vec::new(),
            has_end,
        }
    }

    /// After 0 the second seat can do well for itself, or badly for all but the third.
    fn values(&self) -> PerSeat<f32> {
        PerSeat(match self.path[..] {
            [1, ..] => [0.4, 0.3, 0.3, 0.0],
            [_, 0, ..] => [0.6, 0.3, 0.1, 0.0],
            [_, _, ..] => [0.2, 0.1, 0.7, 0.0],
            _ => [0.4, 0.3, 0.3, 0.0],
        })
    }
}

impl Game for Choice {
    type Move = u8;
    type Undo = ();
    type Playout = NoPlayout;
    const SEATS: usize = 3;
    const MOVE_CODES: usize = 2;

    fn to_move(&self) -> Seat {
        Seat::new(self.path.len() % 3)
    }
    fn outcome(&self) -> Option<Outcome> {
        let over = self.has_end && self.path.starts_with(&[0, 1]);
        over.then_some(Outcome::Winner(Seat::ALL[2]))
    }
    fn moves(&self, moves: &mut Vec<u8>) {
        moves.extend(match self.path.len() {
            0 | 1 => 0..2,
            _ => 0..1,
        });
    }
    fn is_legal(&self, mv: u8) -> bool {
        mv == 0 || self.path.len() < 2
    }
    fn play(&mut self, mv: u8) {
        self.path.push(mv);
    }
    fn undo(&mut self, (): ()) {
        self.path.pop();
    }
    fn hash(&self) -> u64 {
        let digit = |hash: u64, &mv: &u8| hash * 3 + u64::from(mv) + 1;
        self.path.iter().take(30).fold(0, digit) + self.path.len() as u64
    }
    fn code(mv: u8) -> u16 {
        u16::from(mv)
    }
    fn decode(code: u16) -> u8 {
        code as u8
    }
    fn playout(&self) -> NoPlayout {
        NoPlayout
    }
}

/// Returns the values of [`Choice`], and those of the moves if `MOVES`.
pub(super) struct Scripted<const MOVES: bool>;

impl<const MOVES: bool> Evaluator<Choice> for Scripted<MOVES> {
    const HAS_MOVE_EVALUATIONS: bool = MOVES;

    fn evaluate(
        &self,
        position: &mut Choice,
        moves: &[u8],
        utility: &MultiplayerUtility,
        _: &mut Random,
        evaluation: &mut Evaluation,
    ) {
        let seat = position.to_move();
        evaluation.values = position.values();
        evaluation.moves.clear();
        for &mv in moves.iter().filter(|_| MOVES) {
            position.play(mv);
            let outcome = position.outcome();
            let values = outcome.map_or(position.values(), |o| o.values(3));
            let value = utility.value(seat, &values, 3);
            evaluation.moves.push(MoveEvaluation { value, outcome });
            position.undo(());
        }
    }
}

fn searcher<const MOVES: bool>(paranoia: f64) -> Searcher<Choice, Scripted<MOVES>> {
    let params = Params {
        threads: 1,
        memory: 1,
        paranoia,
        ..Params::default()
    };
    Searcher::new(&params, Scripted)
}

fn search<E: Evaluator<Choice>>(searcher: &mut Searcher<Choice, E>, game: &Choice) -> Report<u8> {
    let limits = SearchLimits::of_iterations(300);
    searcher.search(game, &limits, &|| false)
}

fn choice<const MOVES: bool>(paranoia: f64, has_end: bool) -> (u8, f32, Report<u8>) {
    let report = search(&mut searcher::<MOVES>(paranoia), &Choice::new(has_end));
    let best = report.best().unwrap();
    (best.mv, best.value, report.clone())
}

#[test]
fn the_others_play_for_themselves_or_against_the_root() {
    // The second seat's utilities of its two moves are equal at a paranoia of 1/3.
    for (paranoia, mv, value) in [(0.0, 0, 0.6), (0.2, 0, 0.6), (0.6, 1, 0.4), (1.0, 1, 0.4)] {
        for (found, mean, report) in [
            choice::<true>(paranoia, false),
            choice::<false>(paranoia, false),
        ] {
            assert_eq!(found, mv, "paranoia {paranoia}");
            assert!((mean - value).abs() < 0.05, "paranoia {paranoia}: {mean}");
            let sum: f32 = report.values.0.iter().sum();
            assert!((sum - 1.0).abs() < 1e-4 && report.values.0[3] == 0.0);
            assert_eq!((report.proof, report.moves.len()), (None, 2));
        }
    }
}

#[test]
fn a_win_for_a_third_seat_is_feared_but_proves_nothing() {
    for (paranoia, mv) in [(0.0, 0), (1.0, 1)] {
        for (found, _, report) in [
            choice::<true>(paranoia, true),
            choice::<false>(paranoia, true),
        ] {
            assert_eq!(found, mv, "paranoia {paranoia}");
            assert_eq!(report.proof, None);
            assert!(report.moves.iter().all(|m| m.proof.is_none()));
            let feared = report.moves.iter().find(|m| m.mv == 0).unwrap();
            assert_eq!(feared.value < 0.3, paranoia == 1.0, "{}", feared.value);
        }
    }
}

#[test]
fn values_of_a_node_are_utilities_of_the_seat_that_moved_there() {
    for paranoia in [0.0f32, 0.5, 1.0] {
        let utility = MultiplayerUtility {
            root: Seat::ALL[0],
            paranoia,
        };
        let mut searcher = searcher::<true>(f64::from(paranoia));
        let mut game = Choice::new(false);
        search(&mut searcher, &game);
        searcher.advance(0, &game);
        game.play(0);
        // Both moves of the second seat, as the tree of the first holds them.
        let tree = searcher.tree.as_ref().unwrap();
        let nodes = tree.children(tree.root());
        assert_eq!(nodes.len(), 2);
        for (mv, node) in (0..).zip(nodes) {
            let mut after = game.clone();
            after.play(mv);
            let value = utility.value(Seat::ALL[1], &after.values(), MAX_SEATS);
            assert!((node.initial_value() - value).abs() < 1e-6);
            assert!((node.mean() - value).abs() < 1e-4);
        }
    }
}

#[test]
fn a_tree_is_kept_only_if_its_values_mean_the_same() {
    for (paranoia, first, kept) in [(0.0, 0, true), (1.0, 1, false)] {
        let mut searcher = searcher::<true>(paranoia);
        let mut game = Choice::new(false);
        let mut play = |searcher: &mut Searcher<Choice, Scripted<true>>, mv| {
            game.play(mv);
            searcher.advance(mv, &game);
            game.clone()
        };
        search(&mut searcher, &Choice::new(false));
        // A round later it is the same seat's turn.
        play(&mut searcher, first);
        play(&mut searcher, 0);
        let game = play(&mut searcher, 0);
        let report = search(&mut searcher, &game);
        assert!(u64::from(report.visits) > report.iterations);
        let mut next = game;
        next.play(0);
        searcher.advance(0, &next);
        let report = search(&mut searcher, &next);
        assert_eq!(u64::from(report.visits) > report.iterations, kept);
    }
}
