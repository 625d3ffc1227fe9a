//! The complete searches of a Taratibu turn, held to the oracle's board and to each other.

use super::SplitMix;
use super::taratibu::{Board, Outcome, Step};
use super::taratibu_turn::Turn;

/// A step of the board, a capture more often than not.
fn choose(board: &Board, rng: &mut SplitMix) -> Step {
    let mut steps = board.legal_steps();
    if rng.below(3) > 0 && steps.iter().any(|(_, to)| board.pieces.contains_key(to)) {
        steps.retain(|(_, to)| board.pieces.contains_key(to));
    }
    steps[rng.below(steps.len())]
}

#[test]
fn states_go_as_the_board_does() {
    let mut rng = SplitMix::new(11);
    let (mut states, mut won, mut spent) = (0, 0, 0);
    for _ in 0..40 {
        let mut board = Board::new_game();
        while board.outcome().is_none() {
            let turn = Turn::new(&board);
            let (mut state, mover, number) = (turn.start, board.to_move(), board.turn);
            // To the end of the turn, which finds the state of its start only then.
            while board.outcome().is_none() && board.turn == number {
                let again = Turn::new(&board);
                assert_eq!(again.start, state);
                assert_eq!(again.bound(&state), turn.bound(&state));
                let steps = turn.steps(&state);
                let names: Vec<Step> = steps.iter().map(|&(step, _)| step).collect();
                assert_eq!(names, board.legal_steps(), "{}", board.to_text());
                for &(step, after) in &steps {
                    let ended = board.after(step).outcome() == Some(Outcome::Won(mover));
                    assert_eq!(Turn::won(&after), ended, "{step:?} {}", board.to_text());
                }
                let chosen = choose(&board, &mut rng);
                state = steps.iter().find(|&&(step, _)| step == chosen).unwrap().1;
                board.play(chosen);
                states += 1;
                spent += u32::from(!board.spent.is_empty());
            }
            if board.outcome() == Some(Outcome::Won(mover)) {
                assert!(Turn::won(&state));
                assert_eq!(turn.bound(&state), 0);
                won += 1;
            }
        }
    }
    assert!(
        states > 1500 && won > 5 && spent > 300,
        "{states} states, {won} won, {spent} with spent pieces"
    );
}

/// Positions of random games, some with fewer steps left than the game has.
fn positions(seed: u64, count: usize) -> Vec<Board> {
    let mut rng = SplitMix::new(seed);
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut board = Board::new_game();
        while board.outcome().is_none() {
            let mut taken = board.clone();
            taken.steps_left = taken.steps_left.min(2 + rng.below(4) as u32);
            // Full boards take long, and few of them are won.
            let few = taken.pieces.len() < 8 + rng.below(10);
            if few && rng.below(3) == 0 {
                positions.push(taken);
            }
            board.play(choose(&board, &mut rng));
        }
    }
    positions.truncate(count);
    positions
}

#[test]
fn the_pruned_search_finds_what_the_plain_one_does() {
    let (mut wins, mut close) = ([0; 6], 0);
    for board in positions(12, 600) {
        let turn = Turn::new(&board);
        let plain = turn.plain();
        let pruned = turn.pruned(usize::MAX);
        assert_eq!(pruned, Some(plain), "{}", board.to_text());
        let bound = turn.bound(&turn.start);
        assert!(plain.is_none_or(|steps| bound <= steps));
        wins[plain.unwrap_or(0) as usize] += 1;
        close += u32::from(plain.is_none_or(|steps| steps > bound) && bound <= turn.steps_left);
    }
    assert!(
        wins[0] > 100 && wins[1..5].iter().all(|&n| n > 10) && close > 0,
        "{wins:?} by steps, {close} where the bound alone is wrong"
    );
}
