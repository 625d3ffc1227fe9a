//! The quick rules against the naive ones, move by move.

use super::quick::{Grid, LARGEST, Quick};
use super::{Board, Colour, SplitMix, default_setup};

/// Both must have the same stones, side to move, space of each side, roots, moves and winner.
fn compare(board: &Board, grid: &Grid, quick: &Quick) {
    assert_eq!(&Quick::new(board).1.stones, &quick.stones, "{board:?}");
    let side = |winner: usize| Colour::ALL[winner];
    assert_eq!(board.winner(), quick.winner().map(side), "{board:?}");
    assert_eq!(board.legal_points(), grid.points(quick.legal(grid)));
    for (side, colour) in [Colour::Black, Colour::White].into_iter().enumerate() {
        let mut points = board.points();
        points.retain(|&p| board.can_place(p, colour));
        assert_eq!(points, grid.points(quick.space(grid, side)), "{board:?}");
        assert_eq!(board.roots_of(colour).len(), quick.roots(grid)[side]);
    }
    if board.winner().is_none() {
        assert_eq!(board.to_move, side(quick.to_move));
        assert_eq!(&quick.board(grid), board);
        assert_eq!(
            quick.turned().legal(grid),
            quick.space(grid, 1 - quick.to_move)
        );
    }
}

/// Plays a random game and compares after each move, and also what each other move would do.
fn replay(mut board: Board, rng: &mut SplitMix, all_moves: bool) -> (usize, usize) {
    let (grid, mut quick) = Quick::new(&board);
    let (mut moves, mut removals) = (0, 0);
    compare(&board, &grid, &quick);
    while let Some(chosen) = board.random_move(rng) {
        for point in board.legal_points() {
            if !all_moves && point != chosen {
                continue;
            }
            let mut after = board.clone();
            let removed = after.play(point);
            let next = quick.after(&grid, grid.bit(point));
            compare(&after, &grid, &next);
            assert_eq!(removed, quick.removed(&grid, grid.bit(point), &next));
            moves += 1;
            removals += usize::from(!removed.is_empty());
        }
        board.play(chosen);
        quick = quick.after(&grid, grid.bit(chosen));
    }
    (moves, removals)
}

#[test]
fn quick_rules_are_the_naive_ones() {
    let mut rng = SplitMix::new(5);
    let (mut moves, mut removals) = (0, 0);
    for size in 4..=LARGEST {
        let mut names = vec!["corners"];
        if default_setup(size) != "corners" {
            names.push(default_setup(size));
        }
        for name in names {
            for round in 0..if size < 8 { 8 } else { 1 } {
                let board = Board::setup(name, size, 2).unwrap();
                let (more, taken) = replay(board, &mut rng, size < 6 || round == 0 && size < 8);
                moves += more;
                removals += taken;
            }
        }
    }
    assert!(
        moves > 3000 && removals > 400,
        "{moves} moves, {removals} removals"
    );
}

#[test]
fn quick_sets_know_the_edges_of_the_board() {
    for size in [4, 9, LARGEST] {
        let last = size - 1;
        let stones = [
            ((0, 0), Colour::Black),
            ((last, last), Colour::Black),
            ((last, 0), Colour::White),
            ((0, last), Colour::White),
        ];
        let board = Board::new(size, stones.into(), Colour::White);
        let (grid, quick) = Quick::new(&board);
        assert_eq!(grid.points(quick.legal(&grid)), board.legal_points());
        assert_eq!(board.legal_points().len(), 4);
        assert_eq!(quick.roots(&grid), [2, 2]);
        assert_eq!(quick.winner(), None);
    }
}
