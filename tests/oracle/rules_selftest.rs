//! What must hold in every game, checked on random games of the oracle.

use std::collections::BTreeMap;

use super::{Board, Colour, SplitMix, default_setup, parse_vertex, vertex};

#[test]
fn setups_are_playable_and_have_the_stones_the_rules_name() {
    for (name, size, players) in Board::all_setups() {
        let board = Board::setup(name, size, players).unwrap();
        assert_eq!(board.refusals(), [], "{name} {size}");
        let stones = match (name, size) {
            ("classic", _) if players == 3 => 12,
            ("classic", _) if players == 4 => 16,
            ("corners", _) | ("classic", 9) => 4,
            ("classic", 13 | 19) | ("dense", 7) => 16,
            ("classic", 21) | ("dense", 11) => 36,
            ("dense", 15) => 64,
            _ => 100,
        };
        assert_eq!(board.stones.len(), stones, "{name} {size}");
        assert_eq!(board.alive().len(), players);
        let first = if name == "dense" {
            (Colour::White, Colour::Black)
        } else {
            (Colour::Black, Colour::White)
        };
        if (name, size) != ("classic", 9) && players == 2 {
            assert_eq!(board.stones[&(0, 0)], first.0);
            let top_left = board.stones[&(0, size - 1)];
            assert_eq!(top_left, first.1, "{name} {size}");
        }
        assert_eq!(board.players, Colour::ALL[..players]);
    }
    for size in 4..=21 {
        assert!(Board::setup(default_setup(size), size, 2).is_some());
    }
}

#[test]
fn four_players_have_every_colour_once_in_each_row_and_column() {
    let many = Board::all_setups().into_iter().filter(|setup| setup.2 == 4);
    for (name, size, players) in many {
        let board = Board::setup(name, size, players).unwrap();
        for swap in [false, true] {
            let mut lines = BTreeMap::<i32, Vec<Colour>>::new();
            for (&(column, row), &colour) in &board.stones {
                let line = if swap { column } else { row };
                lines.entry(line).or_default().push(colour);
            }
            assert_eq!(lines.len(), players);
            for mut colours in lines.into_values() {
                colours.sort();
                assert_eq!(colours, Colour::ALL[..players], "{size} {players}");
            }
        }
    }
}

#[test]
fn random_games_end_and_keep_what_the_rules_promise() {
    let mut rng = SplitMix::new(1);
    for (name, size) in [
        ("corners", 4),
        ("corners", 5),
        ("corners", 6),
        ("corners", 7),
        ("dense", 7),
        ("classic", 9),
    ] {
        for _ in 0..5 {
            let mut board = Board::setup(name, size, 2).unwrap();
            while let Some(point) = board.random_move(&mut rng) {
                let (stones, roots) = (board.stones.len(), board.roots().len());
                let removed = board.play(point);
                if removed.is_empty() {
                    assert_eq!(board.stones.len(), stones + 1);
                    assert_eq!(board.roots().len(), roots);
                } else {
                    assert!(board.roots().len() < roots);
                }
                assert!(board.bounded_roots().is_empty());
                assert!(board.roots().iter().all(|r| !board.has_loop(r)));
                for &colour in &board.players {
                    let space = board.playable_space(colour);
                    assert!(
                        board
                            .points()
                            .iter()
                            .all(|p| space.contains(p) || !board.can_place(*p, colour))
                    );
                }
            }
            assert!(board.winner().is_some());
        }
    }
}

#[test]
fn a_player_who_leaves_bounds_nobody_and_is_skipped() {
    let mut rng = SplitMix::new(2);
    let mut board = Board::setup("classic", 19, 4).unwrap();
    board.random_game(&mut rng, 60);
    assert_eq!(board.to_move, Colour::Black);
    board.leave(Colour::Black);
    assert_eq!(board.to_move, Colour::White);
    assert!(board.bounded_roots().is_empty());
    board.leave(Colour::Green);
    assert_eq!(board.to_move, Colour::White);
    let line = board.random_game(&mut rng, 2);
    assert_eq!((line.len(), board.to_move), (2, Colour::White));
    board.leave(Colour::White);
    assert_eq!(board.winner(), Some(Colour::Red));
    assert_eq!(board.legal_points(), []);
}

#[test]
fn vertices_go_there_and_back() {
    for point in Board::setup("corners", 21, 2).unwrap().points() {
        assert_eq!(parse_vertex(&vertex(point)), Some(point));
    }
    for bad in ["", "A", "I5", "A0", "A01", "5A", "A-1", "W1", "é1"] {
        assert_eq!(parse_vertex(bad), None, "{bad}");
    }
}
