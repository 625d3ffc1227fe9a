//! Games of it examined move by move, held to the whole truth.

use std::sync::Arc;

use tanada::game::{Game, Outcome, Seat};
use tanada::params::Params;
use tanada::review::{self, Mark, ReviewSettings};
use tanada::search::SearchLimits;
use tanada::util::random::Random;
use tanada::variant::{GameRecord, MoveCode, RecordedMove, SharedStart};

use super::tests::{after, moves, solution};
use super::{Column, Position};

/// A random game, with its positions.
fn game(random: &mut Random) -> (GameRecord, Vec<Position>, Vec<Column>) {
    let mut position = Position::default();
    let start: SharedStart = Arc::new(position);
    let mut record = GameRecord::new(start);
    let mut positions = vec![position];
    let mut columns = Vec::new();
    while position.outcome().is_none() {
        let all = moves(&position);
        let column = all[random.below(all.len() as u32) as usize];
        let code = MoveCode::new(Position::code(column));
        record
            .moves
            .push(RecordedMove::new(position.to_move(), code));
        position = after(&position, column);
        positions.push(position);
        columns.push(column);
    }
    (record, positions, columns)
}

#[test]
fn what_is_called_exact_is_true_and_every_loss_is_that_of_the_truth() {
    let truth = solution();
    let worth =
        |position: &Position, seat: Seat| -> f64 { truth[position].value_for(seat, 2).into() };
    let mut random = Random::new(11);
    let (mut blunders, mut draws) = (0, 0);
    for _ in 0..30 {
        let (record, positions, columns) = game(&mut random);
        let settings = ReviewSettings {
            params: Params {
                threads: 1,
                seed: 3,
                ..Params::default()
            },
            limits: &|| SearchLimits {
                iterations: Some(4000),
                ..SearchLimits::default()
            },
            best: 3,
            line: 9,
        };
        let found = review::examine(&record, &settings, &mut |_| (), &|| false).unwrap();
        assert_eq!(found.positions.len(), positions.len());
        for (position, real) in found.positions.iter().zip(&positions) {
            assert!(position.exact, "{}", position.rows.join("\n"));
            let seats = [Seat::ALL[0], Seat::ALL[1]];
            assert_eq!(position.values, seats.map(|seat| worth(real, seat)));
            draws += usize::from(truth[real] == Outcome::Draw);
        }
        let mut losses = Vec::new();
        for ((mv, real), column) in found.moves.iter().zip(&positions).zip(columns) {
            let seat = real.to_move();
            let value = worth(&after(real, column), seat);
            assert_eq!(mv.value, value, "move {}", mv.number);
            assert_eq!(mv.best_value, worth(real, seat));
            assert_eq!(mv.loss, mv.best_value - mv.value);
            assert_eq!(mv.mark, Mark::of(mv.loss));
            let best = moves(real)
                .into_iter()
                .find(|&c| ["a", "b", "c"][usize::from(Position::code(c))] == mv.best);
            assert_eq!(worth(&after(real, best.unwrap()), seat), mv.best_value);
            blunders += usize::from(mv.mark == Some(Mark::Blunder));
            losses.push(mv.loss);
        }
        let marked: Vec<f64> = found.mistakes.iter().map(|&n| losses[n - 1]).collect();
        assert!(marked.is_sorted_by(|a, b| a >= b));
        let all = losses.iter().filter(|loss| Mark::of(**loss).is_some());
        assert_eq!(all.count(), marked.len());
        // A game without a board to draw has a page as well.
        let page = review::review_page(&found);
        assert!(page.contains("<pre>...\n...\n...</pre>"), "{page}");
    }
    assert!(blunders > 10 && draws > 10, "{blunders} {draws}");
}
