//! Searches of a small invented game for two seats in which many paths lead to one position.

use std::collections::HashSet;

use parking_lot::Mutex;

use super::node::NodeIndex;
use super::perspective::Perspective;
use super::tree::Tree;
use super::*;
use crate::game::{
    Evaluation, Evaluator, Game, MoveEvaluation, MultiplayerUtility, Outcome, PerSeat, Playout,
    Seat,
};
use crate::params::Params;
use crate::util::random::Random;

const ITEMS: usize = 9;

/// The seats take items in turn; once all are taken, the items of the first seat decide who wins.
#[derive(Clone)]
pub(super) struct Picks {
    taken: [u16; 2],
    ply: usize,
    secret: u64,
}

impl Picks {
    fn new(secret: u64) -> Self {
        Self {
            taken: [0; 2],
            ply: 0,
            secret,
        }
    }

    /// Whether the side to move wins, found without the search.
    fn is_won(&mut self, known: &mut std::collections::HashMap<u64, bool>) -> bool {
        if let Some(outcome) = self.outcome() {
            return outcome == Outcome::Winner(self.to_move());
        }
        if let Some(&won) = known.get(&self.hash()) {
            return won;
        }
        let mut moves = Vec::new();
        self.moves(&mut moves);
        let won = moves.into_iter().any(|mv| {
            self.play(mv);
            let lost = !self.is_won(known);
            self.undo(mv);
            lost
        });
        known.insert(self.hash(), won);
        won
    }
}

/// Games that are never played at random have this.
#[derive(Clone, Copy)]
pub(super) struct NoPlayout;

impl Playout for NoPlayout {
    fn finish(&mut self, _: u64, _: &mut Random, _: impl FnMut(Seat, u16)) -> Outcome {
        Outcome::Draw
    }
}

impl Game for Picks {
    type Move = u16;
    type Undo = u16;
    type Playout = NoPlayout;
    const SEATS: usize = 2;
    const MOVE_CODES: usize = ITEMS;

    fn to_move(&self) -> Seat {
        Seat::new(self.ply % 2)
    }
    fn outcome(&self) -> Option<Outcome> {
        let has = u64::from(self.taken[0]);
        // Who moves second has the last choice: so few wins make up for it.
        let loses = Random::part(self.secret, has).below(9) < 4;
        (self.ply == ITEMS).then(|| Outcome::Winner(Seat::new(usize::from(loses))))
    }
    fn moves(&self, moves: &mut Vec<u16>) {
        moves.extend((0..ITEMS as u16).filter(|&mv| self.is_legal(mv)));
    }
    fn is_legal(&self, mv: u16) -> bool {
        (self.taken[0] | self.taken[1]) >> mv & 1 == 0
    }
    fn play(&mut self, mv: u16) -> u16 {
        self.taken[self.ply % 2] |= 1 << mv;
        self.ply += 1;
        mv
    }
    fn undo(&mut self, mv: u16) {
        self.ply -= 1;
        self.taken[self.ply % 2] &= !(1 << mv);
    }
    fn hash(&self) -> u64 {
        let taken = u64::from(self.taken[0]) << 16 | u64::from(self.taken[1]);
        Random::new(taken).bits()
    }
    fn code(mv: u16) -> u16 {
        mv
    }
    fn decode(code: u16) -> u16 {
        code
    }
    fn playout(&self) -> NoPlayout {
        NoPlayout
    }
}

/// Gives every position the same value for the side to move and all moves equal priors. Records
/// the positions that it evaluates.
#[derive(Default)]
pub(super) struct Even {
    evaluated: Mutex<Vec<u64>>,
    /// The value minus 0.5.
    hope: f32,
}

impl Evaluator<Picks> for Even {
    const HAS_MOVE_EVALUATIONS: bool = true;
    const HAS_PRIORS: bool = true;

    fn evaluate(
        &self,
        position: &mut Picks,
        moves: &[u16],
        _: &MultiplayerUtility,
        _: &mut Random,
        evaluation: &mut Evaluation,
    ) {
        self.evaluated.lock().push(position.hash());
        let value = 0.5 + self.hope;
        evaluation.values = PerSeat([1.0 - value; 4]);
        evaluation.values[position.to_move()] = value;
        let unknown = MoveEvaluation {
            value,
            outcome: None,
        };
        evaluation.moves = vec![unknown; moves.len()];
        evaluation.priors = vec![1.0 / moves.len() as f32; moves.len()];
    }
}

fn searcher(graph_search: bool, threads: u64, memory: u64) -> Searcher<Picks, Even> {
    let params = Params {
        threads,
        memory,
        graph_search,
        cpuct: 1.0,
        ..Params::default()
    };
    Searcher::new(&params, Even::default())
}

#[test]
fn results_are_those_of_the_game_and_need_fewer_nodes_than_a_tree() {
    let mut results = [0; 2];
    for secret in 0..6 {
        let mut game = Picks::new(secret);
        let won = game.is_won(&mut Default::default());
        results[usize::from(won)] += 1;
        let winner = Outcome::Winner(Seat::new(usize::from(!won)));
        let limits = SearchLimits::of_iterations(400_000);
        let report = |graph_search, threads| {
            searcher(graph_search, threads, 64).search(&game, &limits, &|| false)
        };
        let (graph, many) = (report(true, 1), report(true, 4));
        assert_eq!((graph.proof, many.proof), (Some(winner), Some(winner)));
        let mut again = report(true, 1);
        again.elapsed = graph.elapsed;
        assert_eq!(graph, again);
        let tree = report(false, 1);
        assert!(tree.proof.is_none_or(|proof| proof == winner));
        let nodes = (graph.nodes, tree.nodes);
        assert!(2 * nodes.0 < nodes.1, "{nodes:?}");
    }
    assert!(results[0] > 0 && results[1] > 0, "{results:?}");
}

#[test]
fn positions_are_evaluated_once_on_whatever_path() {
    let mut searcher = searcher(true, 1, 64);
    let report = searcher.search(&Picks::new(9), &SearchLimits::default(), &|| false);
    assert!(report.proof.is_some());
    let mut evaluated = std::mem::take(&mut *searcher.evaluator.evaluated.lock());
    let count = evaluated.len();
    evaluated.sort_unstable();
    evaluated.dedup();
    assert!(count > 500);
    assert_eq!(evaluated.len(), count);
}

#[test]
fn a_graph_that_fills_its_memory_goes_on_from_move_to_move() {
    let mut most = 0;
    for (secret, threads) in [(0, 1), (1, 1), (2, 3), (3, 3)] {
        let mut game = Picks::new(secret);
        let mut known = Default::default();
        let mut searcher = searcher(true, threads, 1);
        while game.outcome().is_none() {
            let report = searcher.search(&game, &SearchLimits::of_iterations(20_000), &|| false);
            most = most.max(report.nodes);
            if let Some(Outcome::Winner(seat)) = report.proof {
                assert_eq!(seat == game.to_move(), game.is_won(&mut known));
            }
            let best = report.best().unwrap();
            for found in &report.moves {
                assert!((0.0..=1.0).contains(&found.value));
                let mut after = game.clone();
                after.play(found.mv);
                if let Some(Outcome::Winner(seat)) = found.proof {
                    assert_eq!(seat == after.to_move(), after.is_won(&mut known));
                }
            }
            game.play(best.mv);
            searcher.advance(best.mv, &game);
        }
    }
    // There is room for about 12,000.
    assert!(most > 7_000, "{most}");
}

/// Gives moves different priors, and knows the results of some of the last ones.
#[derive(Clone, Copy)]
struct Uneven;

impl Evaluator<Picks> for Uneven {
    const HAS_MOVE_EVALUATIONS: bool = true;
    const HAS_PRIORS: bool = true;

    fn evaluate(
        &self,
        position: &mut Picks,
        moves: &[u16],
        _: &MultiplayerUtility,
        random: &mut Random,
        evaluation: &mut Evaluation,
    ) {
        evaluation.values = PerSeat([0.5; 4]);
        evaluation.moves.clear();
        evaluation.priors.clear();
        for &mv in moves {
            position.play(mv);
            let is_known = position.ply + 3 > ITEMS && position.hash().is_multiple_of(2);
            let outcome = is_known.then(|| {
                let won = position.is_won(&mut Default::default());
                Outcome::Winner(Seat::new((position.ply + usize::from(!won)) % 2))
            });
            position.undo(mv);
            evaluation.moves.push(MoveEvaluation {
                value: 0.5,
                outcome,
            });
            // Some priors are equal, some are 0.
            evaluation.priors.push(random.below(5) as f32 / 8.0);
        }
    }
}

/// Checks that no child that selection should see stands behind the first untouched one, and
/// counts the nodes below this one in `seen`.
fn check_order(tree: &Tree, index: NodeIndex, seat: Seat, seen: &mut HashSet<u32>) {
    let utility = MultiplayerUtility {
        root: seat,
        paranoia: 0.0,
    };
    let perspective = Perspective::new::<Picks>(seat, &utility);
    let mut least = None;
    for (place, child) in tree.children(index).iter().enumerate() {
        if let Some(least) = least {
            let is_behind = child.is_untouched() && child.prior() <= least;
            assert!(is_behind || perspective.is_lost(child), "{child:?}");
        }
        if child.is_untouched() {
            least = Some(child.prior());
        }
        let next = tree.child(index, place);
        if seen.insert(next.0) {
            check_order(tree, next, seat.other(), seen);
        }
    }
}

#[test]
fn behind_an_open_child_without_visits_nothing_is_missed() {
    let mut most = 0;
    for (secret, threads, memory, virtual_loss, graph_search) in [
        (0, 1, 64, 1, true),
        (1, 3, 64, 1, true),
        (2, 1, 1, 1, true),
        (3, 3, 1, 1, true),
        (4, 3, 64, 0, true),
        (5, 3, 64, 1, false),
    ] {
        let mut game = Picks::new(secret);
        let params = Params {
            threads,
            memory,
            virtual_loss,
            graph_search,
            forced_playouts: 2.0 * (secret % 2) as f64,
            root_noise: if secret % 3 == 0 { 0.0 } else { 0.5 },
            ..Params::default()
        };
        let mut searcher = Searcher::new(&params, Uneven);
        while game.outcome().is_none() {
            let mut moves = Vec::new();
            game.moves(&mut moves);
            moves.retain(|mv| mv % 3 != secret as u16 % 3);
            for root_moves in [None, Some(moves.into())] {
                let limits = SearchLimits {
                    root_moves,
                    ..SearchLimits::of_iterations(3_000)
                };
                searcher.search(&game, &limits, &|| false);
                let tree = searcher.tree.as_ref().unwrap();
                let mut seen = HashSet::new();
                check_order(tree, tree.root(), game.to_move(), &mut seen);
                most = most.max(seen.len());
            }
            let report = searcher.search(&game, &SearchLimits::of_iterations(3_000), &|| false);
            let best = report.best().unwrap().mv;
            game.play(best);
            searcher.advance(best, &game);
        }
    }
    assert!(most > 1_000, "{most}");
}

#[test]
fn errors_of_evaluations_are_learnt_and_forgotten_with_the_tree() {
    let game = Picks::new(1);
    let hopeful = |hope| Even {
        hope,
        ..Even::default()
    };
    let searcher = |value_bias_factor, threads, hope| {
        let params = Params {
            threads,
            memory: 64,
            value_bias_factor,
            ..Params::default()
        };
        Searcher::new(&params, hopeful(hope))
    };
    let search = |searcher: &mut Searcher<Picks, Even>| Report {
        elapsed: Default::default(),
        ..searcher.search(&game, &SearchLimits::of_iterations(300), &|| false)
    };
    for threads in [1, 3] {
        for hope in [-0.2, 0.0, 0.2] {
            let mut corrected = searcher(0.5, threads, hope);
            search(&mut corrected);
            for mv in 0..ITEMS as u16 {
                let correction = corrected.bias.correction(mv).amount;
                if hope == 0.0 {
                    assert_eq!(correction, 0.0);
                } else {
                    // Half of the mean error, reduced by the prior visits. Threads may lose updates of
                    // each other, but not all of them.
                    let least = if threads == 1 { 0.02 } else { 0.004 };
                    let found = -correction * hope.signum();
                    assert!((least..=0.2).contains(&found), "{threads}, {mv}: {found}");
                }
            }
            // The table is kept with the tree.
            let mut after = game.clone();
            after.play(0);
            corrected.advance(0, &after);
            corrected.search(&after, &SearchLimits::of_iterations(1), &|| false);
            assert_eq!(corrected.bias.correction(1).amount != 0.0, hope != 0.0);
        }
    }
    let (mut corrected, mut other) = (searcher(0.5, 1, 0.2), searcher(0.0, 1, 0.2));
    let (first, without) = (search(&mut corrected), search(&mut other));
    assert_ne!(first.values, without.values);
    for searcher in [&mut corrected, &mut other] {
        searcher.clear();
        searcher.random = Random::new(0);
    }
    assert_eq!(search(&mut corrected), search(&mut searcher(0.5, 1, 0.2)));
    assert_eq!(search(&mut other), search(&mut searcher(0.0, 1, 0.2)));
    // Only a graph has the correction.
    let [one, two] = [0.0, 0.5].map(|value_bias_factor| {
        let params = Params {
            threads: 1,
            memory: 64,
            graph_search: false,
            value_bias_factor,
            ..Params::default()
        };
        search(&mut Searcher::new(&params, hopeful(0.2)))
    });
    assert_eq!(one, two);
    let (mut none, mut even) = (searcher(0.0, 1, 0.0), searcher(0.5, 1, 0.0));
    assert_eq!(search(&mut none).values, search(&mut even).values);
}

/// A search of a position whose priors differ, with these parameters of the root.
fn explored(forced_playouts: f64, root_noise: f64, plain_root: bool, seed: u64) -> Report<u16> {
    let params = Params {
        threads: 1,
        memory: 16,
        cpuct: 0.1,
        forced_playouts,
        root_noise,
        seed,
        ..Params::default()
    };
    let limits = SearchLimits {
        plain_root,
        ..SearchLimits::of_iterations(100)
    };
    let mut report = Searcher::new(&params, Uneven).search(&Picks::new(5), &limits, &|| false);
    report.elapsed = std::time::Duration::ZERO;
    report
}

#[test]
fn forced_playouts_change_the_visits_but_less_of_the_target() {
    let (plain, forced) = (explored(0.0, 0.0, false, 1), explored(8.0, 0.0, false, 1));
    assert_ne!(forced, plain);
    assert_eq!(explored(8.0, 0.5, true, 1), plain);
    // A proven move would be the only target.
    assert_eq!(forced.best().unwrap().proof, None, "{forced:?}");
    let sum = |target: Vec<u32>| target.iter().sum::<u32>();
    let all = sum(forced.policy_target(0.0, 0.1));
    assert!(sum(forced.policy_target(8.0, 0.1)) < all, "{forced:?}");
}

#[test]
fn noise_is_repeated_by_its_seed_and_mixed_in_once() {
    let prior = |report: &Report<u16>, mv: u16| {
        let mut moves = report.moves.iter();
        moves.find(|found| found.mv == mv).unwrap().prior.unwrap()
    };
    let (plain, noisy) = (explored(0.0, 0.0, false, 1), explored(0.0, 0.25, false, 1));
    assert_eq!(noisy, explored(0.0, 0.25, false, 1));
    assert_ne!(noisy, explored(0.0, 0.25, false, 2));
    let moves = 0..ITEMS as u16;
    let sum = |report| moves.clone().map(|mv| prior(report, mv)).sum::<f32>();
    assert!((sum(&noisy) - 0.75 * sum(&plain) - 0.25).abs() < 1e-4);
    assert!(
        moves
            .clone()
            .all(|mv| prior(&noisy, mv) >= 0.74 * prior(&plain, mv))
    );
    // A second search of the same position keeps the noise; after a move there is new one.
    let params = Params {
        threads: 1,
        memory: 16,
        root_noise: 0.25,
        ..Params::default()
    };
    let mut searcher = Searcher::new(&params, Even::default());
    let mut game = Picks::new(5);
    let limits = SearchLimits::of_iterations(50);
    let first = searcher.search(&game, &limits, &|| false);
    let second = searcher.search(&game, &limits, &|| false);
    assert!(second.visits > first.visits);
    assert!(
        moves
            .clone()
            .all(|mv| prior(&first, mv) == prior(&second, mv))
    );
    let mv = second.best().unwrap().mv;
    game.play(mv);
    searcher.advance(mv, &game);
    let third = searcher.search(&game, &limits, &|| false);
    let odd = |found: &&MoveReport<u16>| (found.prior.unwrap() - 0.125).abs() > 1e-3;
    assert!(third.moves.iter().filter(odd).count() > 4);
}
