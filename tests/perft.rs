//! The numbers of move sequences from the start and in late positions.

use tanada::game;
use tanada::tanbo::setup::NamedSetup;
use tanada::tanbo::{Position, Start, diagram};

use super::{files, size, text};

/// Longer counts are left to optimised builds, which compare all of them.
const LEAVES: u64 = if cfg!(debug_assertions) {
    60_000
} else {
    u64::MAX
};

/// The start position that a table names, and its counts from depth 1.
fn table(file: &str) -> (Start, Vec<u64>) {
    let text = text(&format!("perft/{file}"));
    let line = text.lines().find(|line| !line.starts_with('#')).unwrap();
    let fields: Vec<&str> = line.split_whitespace().collect();
    let (side, players) = (fields[0].parse().unwrap(), fields[2].parse().unwrap());
    let setup = if fields[1].ends_with(".txt") {
        diagram::parse(&super::text(&format!("perft/{}", fields[1]))).unwrap()
    } else {
        let named: NamedSetup = fields[1].parse().unwrap();
        named.setup(size(side), players).unwrap()
    };
    assert_eq!(setup.size, size(side), "{file}");
    let counts = fields[3..].iter().map(|n| n.parse().unwrap()).collect();
    (setup.check(Some(players)).unwrap(), counts)
}

#[test]
fn every_table_is_met() {
    let mut compared = 0;
    for file in files("perft") {
        let (start, counts) = table(&file);
        with_position!(&start, |position| {
            let mut position = position;
            let before = position.clone();
            for (depth, &leaves) in (1..).zip(&counts) {
                if leaves <= LEAVES {
                    let found = game::perft(&mut position, depth);
                    assert_eq!(found, leaves, "{file} depth {depth}");
                    compared += 1;
                }
            }
            assert_eq!(position, before, "{file}");
        });
    }
    assert!(compared > 250, "{compared} numbers compared");
}

#[test]
fn depth_0_counts_the_position_itself() {
    let (start, _) = table("corners_04.txt");
    assert_eq!(game::perft(&mut Position::<2, 2>::new(&start), 0), 1);
}

#[test]
fn wider_types_than_needed_count_the_same() {
    for file in files("perft") {
        let (start, counts) = table(&file);
        let two = start.players().iter().all(|seat| seat.index() < 2);
        for (depth, &leaves) in (1..).zip(&counts) {
            if leaves > 700 || !two {
                break;
            }
            let wide = game::perft(&mut Position::<8, 2>::new(&start), depth);
            let four = game::perft(&mut Position::<8, 4>::new(&start), depth);
            assert_eq!((wide, four), (leaves, leaves), "{file} depth {depth}");
        }
    }
}
