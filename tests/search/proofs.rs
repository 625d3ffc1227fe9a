//! What a search claims to be proven, against the whole tree of moves.

use std::collections::HashMap;

use tanada::board::Point;
use tanada::game::Outcome;
use tanada::search::Report;

use super::{TREES, best, check_report, engine, params, play, search};
use crate::oracle::{Board, Colour, SplitMix};
use crate::{place, seat, size};

/// Solves positions by brute force.
#[derive(Default)]
struct Solver {
    /// What is known of positions, by their diagrams.
    known: HashMap<String, Solution>,
}

/// What the whole tree of moves under a position says.
#[derive(Clone, Copy)]
struct Solution {
    /// Who can force a win against all others together; with two players one
    /// of them always can.
    winner: Option<Colour>,
    /// Nodes of the tree.
    nodes: u64,
}

type Ending = (Board, Solution);

impl Solver {
    /// Solves a position unless more than `most` positions would be known then.
    fn solve(&mut self, board: &Board, most: usize) -> Option<Solution> {
        let diagram = board.to_text();
        if let Some(&solution) = self.known.get(&diagram) {
            return Some(solution);
        }
        let mut nodes = 1;
        let mut winners = Vec::new();
        for at in board.legal_points() {
            let mut next = board.clone();
            next.play(at);
            let solution = self.solve(&next, most)?;
            nodes += solution.nodes;
            winners.push(solution.winner);
        }
        let mover = Some(board.to_move);
        let winner = match winners[..] {
            [] => board.winner(),
            _ if winners.contains(&mover) => mover,
            [first, ..] => first.filter(|_| winners.iter().all(|&w| w == first)),
        };
        let solution = Solution { winner, nodes };
        self.known.insert(diagram, solution);
        (self.known.len() <= most).then_some(solution)
    }

    /// The earliest position of a random game that can be solved so, if any can.
    fn ending(&mut self, from: &Board, rng: &mut SplitMix, most: usize) -> Option<Ending> {
        let mut board = from.clone();
        let mut past = vec![board.clone()];
        for at in board.clone().random_game(rng, usize::MAX) {
            board.play(at);
            past.push(board.clone());
        }
        // The last one, where the game is over, tells nothing.
        past.pop();
        self.known.clear();
        let solved = past.into_iter().rev().map_while(|board| {
            let solution = self.solve(&board, most)?;
            Some((board, solution))
        });
        solved.last()
    }

    /// Holds every proof of a report against the solutions; whether the position
    /// itself is proven.
    fn check_proofs(&mut self, report: &Report<Point>, board: &Board) -> bool {
        check_report(report, board);
        let mut check = |outcome: Outcome, board: &Board| {
            let winner = self.solve(board, usize::MAX).unwrap().winner;
            let expected = winner.map(|c| Outcome::Winner(seat(c)));
            assert_eq!(Some(outcome), expected, "{board:?}");
        };
        for found in &report.moves {
            if let Some(outcome) = found.proof {
                let mut after = board.clone();
                after.play(place(found.mv, size(board.size)));
                check(outcome, &after);
            }
        }
        let Some(outcome) = report.proof else {
            return false;
        };
        check(outcome, board);
        if outcome == Outcome::Winner(seat(board.to_move)) {
            assert_eq!(report.best().unwrap().proof, Some(outcome));
            assert_eq!(report.best().unwrap().value, 1.0);
        }
        true
    }
}

#[test]
fn two_player_endings_are_proven_as_brute_force_solves_them() {
    let (mut rng, mut solver) = (SplitMix::new(4), Solver::default());
    let (mut endings, mut nodes, mut won) = (0, 0, 0);
    for side in [4, 5, 6] {
        let from = Board::setup("corners", side, 2).unwrap();
        for _ in 0..20 {
            let Some((board, solution)) = solver.ending(&from, &mut rng, 250) else {
                continue;
            };
            endings += 1;
            for preset in TREES {
                for threads in [1, 2] {
                    let mut params = params(preset, 1);
                    params.threads = threads;
                    // Each iteration of one worker adds a node of the tree or proves one; of two
                    // workers one may do in vain what the other, long asleep, has begun.
                    let most = (2 * solution.nodes + 2) * if threads == 1 { 1 } else { 50 };
                    let report = search(&mut engine(&board, params), most);
                    let proven = solver.check_proofs(&report, &board);
                    assert!(proven, "{preset}, {threads} threads: {board:?}");
                }
            }
            nodes += solution.nodes;
            won += u64::from(solution.winner == Some(board.to_move));
        }
    }
    assert!(endings > 30 && nodes > 100 * endings);
    assert!(won > 5 && endings > won + 5);
}

#[test]
fn a_won_ending_is_won_against_any_reply() {
    let (mut rng, mut solver) = (SplitMix::new(6), Solver::default());
    let from = Board::setup("corners", 6, 2).unwrap();
    let mut plies = 0;
    for _ in 0..20 {
        let Some((start, solution)) = solver.ending(&from, &mut rng, 200) else {
            continue;
        };
        let winner = solution.winner.unwrap();
        for preset in ["network", "linear"] {
            let mut board = start.clone();
            let mut engine = engine(&board, params(preset, 3));
            while board.winner().is_none() {
                let at = if board.to_move == winner {
                    let report = search(&mut engine, 2 * solution.nodes + 2);
                    assert_eq!(report.proof, Some(Outcome::Winner(seat(winner))));
                    best(&report, &board)
                } else {
                    board.random_move(&mut rng).unwrap()
                };
                play(&mut engine, &mut board, at);
                plies += 1;
            }
            assert_eq!(board.winner(), Some(winner), "{preset}");
        }
    }
    assert!(plies > 100, "{plies}");
}

/// Positions of three or four on 4x4, some from which nobody can force a win.
#[test]
fn proofs_among_three_are_wins_against_all_others() {
    use Colour::{Black, Green, Red, White};
    let (mut rng, mut solver) = (SplitMix::new(8), Solver::default());
    let (mut provable, mut proven, mut by_others, mut open) = (0, 0, 0, 0);
    for corners in [[Black, White, Red, Black], [Black, White, Red, Green]] {
        let stones = [(0, 0), (0, 3), (3, 3), (3, 0)].into_iter().zip(corners);
        let from = Board::new(4, stones.collect(), Black);
        for (i, preset) in TREES.repeat(10).into_iter().enumerate() {
            let most = [50, 250, 1250][3 * i / (10 * TREES.len())];
            let Some((board, solution)) = solver.ending(&from, &mut rng, most) else {
                continue;
            };
            // What the others are expected to play for must not make a proof wrong.
            let mut params = params(preset, 1);
            params.paranoia = f64::from((i / TREES.len()) as u32 % 3) / 2.0;
            let mut engine = engine(&board, params);
            let report = search(&mut engine, (2 * solution.nodes + 2).min(500));
            let found = solver.check_proofs(&report, &board);
            proven += u32::from(found);
            by_others += u32::from(found && solution.winner != Some(board.to_move));
            provable += u32::from(solution.winner.is_some());
            open += u32::from(solution.winner.is_none());
        }
    }
    assert!(open > 3 && proven > 10 && by_others > 3 && proven + 6 > provable);
}
