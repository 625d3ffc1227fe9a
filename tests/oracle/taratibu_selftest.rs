//! The Taratibu oracle, held to the rules and to what the game's page says.

use std::collections::{BTreeMap, BTreeSet};

use super::SplitMix;
use super::taratibu::{
    Board, KINDS, Order, Outcome, Piece, Side, Square, TURNS, name, orders, square, squares, step,
    targets,
};

/// The lines of a data file without its comments.
fn lines(file: &str) -> Vec<String> {
    let path = format!("{}/tests/data/taratibu/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(str::to_owned).collect()
}

/// The squares that blanks separate.
fn named(text: &str) -> Vec<Square> {
    text.split_whitespace().map(square).collect()
}

/// Plays steps that hyphens separate.
fn play(board: &mut Board, turn: &str) -> Vec<Option<Piece>> {
    turn.split('-').map(|text| board.play(step(text))).collect()
}

/// The names of the legal steps.
fn legal(board: &Board) -> Vec<String> {
    board.legal_steps().into_iter().map(name).collect()
}

/// A board with a few pieces, in the middle of the game.
fn few(pieces: &[(&str, char, Side)], status: (u32, u32)) -> Board {
    let pieces = pieces
        .iter()
        .map(|&(at, kind, side)| (square(at), Piece { side, kind }));
    Board {
        pieces: pieces.collect(),
        spent: BTreeSet::new(),
        turn: status.0,
        steps_left: status.1,
    }
}

#[test]
fn pieces_orders_and_setup_are_the_pages() {
    let board = Board::new_game();
    let (mut kinds, mut placed) = (BTreeMap::new(), 0);
    for line in lines("pieces.txt") {
        let fields: Vec<&str> = line.split(' ').collect();
        let kind = fields[0].chars().next().unwrap();
        let words = |order: &Order| format!("{order:?}").to_lowercase();
        let expected: BTreeSet<String> = orders(kind).iter().map(words).collect();
        let given: BTreeSet<String> = fields[2..4].iter().map(|&word| word.to_owned()).collect();
        assert_eq!(given, expected, "{line}");
        assert!(fields[1].starts_with(kind), "{line}");
        for (side, at) in Side::ALL.into_iter().zip(&fields[4..]) {
            assert_eq!(board.pieces[&square(at)], Piece { side, kind }, "{line}");
            placed += 1;
        }
        kinds.insert(given, kind);
    }
    // The ten pairs of the five orders, each once.
    assert_eq!((kinds.len(), KINDS.len(), placed), (10, 10, 20));
    assert_eq!(board.pieces.len(), 20);
    for order in Order::ALL {
        let members = KINDS.iter().filter(|(_, orders)| orders.contains(&order));
        assert_eq!(members.count(), 4, "{order:?}");
    }
}

#[test]
fn each_order_moves_in_its_way() {
    let from_44 = |order| match order {
        Order::Human => "43 45 34 54",
        Order::Basic => "33 35 53 55",
        Order::Aquatic => "42 46 24 64",
        Order::Quadruped => "23 25 32 36 52 56 63 65",
        Order::Winged => "22 26 62 66",
    };
    for (kind, orders) in KINDS {
        let mut expected = orders.map(|order| named(from_44(order))).concat();
        expected.sort();
        assert_eq!(targets(kind, (4, 4)), expected, "{kind}");
    }
    assert_eq!(targets('S', (1, 1)), named("23 32 33"));
    assert_eq!(targets('M', (7, 4)), named("63 64 65 73 75"));
    assert_eq!(targets('T', (6, 7)), named("46 47 55 65 75"));
}

#[test]
fn two_square_moves_leap_and_own_pieces_are_in_the_way() {
    use Side::{Black, White};
    let pieces = [
        ("11", 'D', White),
        ("33", 'M', White),
        ("21", 'E', White),
        ("12", 'B', Black),
        ("22", 'F', Black),
        ("77", 'M', Black),
    ];
    let board = few(&pieces, (3, 3));
    let of_duck: Vec<String> = legal(&board)
        .into_iter()
        .filter(|s| s.starts_with("11"))
        .collect();
    assert_eq!(of_duck, ["1113", "1131"]);
}

#[test]
fn who_captured_may_not_step_again_in_the_turn() {
    use Side::{Black, White};
    let pieces = [
        ("11", 'H', White),
        ("61", 'M', White),
        ("12", 'B', Black),
        ("77", 'M', Black),
        ("67", 'C', Black),
        ("13", 'S', Black),
    ];
    let mut board = few(&pieces, (3, 3));
    assert_eq!(
        play(&mut board, "1112")[0],
        Some(Piece {
            side: Black,
            kind: 'B'
        })
    );
    assert_eq!(board.spent, BTreeSet::from([(1, 2)]));
    assert!(legal(&board).iter().all(|s| s.starts_with("61")));
    play(&mut board, "6162-6261");
    // The next turn, and then the Hero is free again.
    assert_eq!((board.turn, board.steps_left), (4, 4));
    assert!(board.spent.is_empty());
    play(&mut board, "7776-7677-7776-7677");
    assert_eq!((board.turn, board.to_move()), (5, White));
    assert!(legal(&board).contains(&"1213".to_owned()));
    // A piece may step often as long as it captures nothing.
    play(&mut board, "1222-2223-2322-2212-1213");
    assert_eq!((board.turn, board.to_move()), (6, Black));
}

#[test]
fn a_turn_without_a_step_left_ends_early() {
    use Side::{Black, White};
    let pieces = [
        ("11", 'C', White),
        ("61", 'M', White),
        ("12", 'B', Black),
        ("72", 'E', Black),
        ("77", 'M', Black),
    ];
    let mut board = few(&pieces, (5, 5));
    play(&mut board, "1112");
    assert_eq!((board.turn, board.steps_left), (5, 4));
    play(&mut board, "6172");
    assert_eq!((board.turn, board.steps_left), (6, 6));
    assert_eq!(board.to_move(), Black);
    assert!(board.spent.is_empty());
    // In the last turn the game is over so.
    let pieces = [
        ("77", 'M', Black),
        ("66", 'B', White),
        ("11", 'M', White),
        ("12", 'D', White),
    ];
    let mut board = few(&pieces, (10, 9));
    play(&mut board, "7766");
    assert_eq!(board.outcome(), Some(Outcome::Drawn));
    assert!(board.legal_steps().is_empty());
}

/// Whether a set of pieces with every step of theirs on a piece of the set can grow from this one.
fn grows_closed(set: &mut BTreeMap<Square, char>) -> bool {
    let reached = set.iter().flat_map(|(&at, &kind)| targets(kind, at));
    let open: BTreeSet<Square> = reached.filter(|at| !set.contains_key(at)).collect();
    let Some(&at) = open.first() else {
        return true;
    };
    if set.len() + open.len() > KINDS.len() {
        return false;
    }
    KINDS.iter().any(|&(kind, _)| {
        let fresh = !set.values().any(|&k| k == kind);
        fresh && {
            set.insert(at, kind);
            let found = grows_closed(set);
            set.remove(&at);
            found
        }
    })
}

/// Passing a whole turn is in the rules, but ten different pieces cannot block each other so.
#[test]
fn no_side_is_ever_without_a_step_at_the_start_of_a_turn() {
    for (kind, _) in KINDS {
        for at in squares() {
            assert!(!grows_closed(&mut BTreeMap::from([(at, kind)])), "{kind}");
        }
    }
}

#[test]
fn white_has_1_step_black_2_and_so_on_to_10() {
    let mut rng = SplitMix::new(5);
    let mut full = 0;
    for _ in 0..20 {
        let mut board = Board::new_game();
        let mut made = Vec::new();
        while let Some(step) = board.random_step(&mut rng) {
            made.push((board.turn, board.to_move()));
            board.play(step);
        }
        if made.len() == 55 {
            let sides = Side::ALL.into_iter().cycle();
            let expected = (1..=TURNS)
                .zip(sides)
                .flat_map(|(turn, side)| vec![(turn, side); turn as usize]);
            assert_eq!(made, Vec::from_iter(expected));
            full += 1;
        }
    }
    assert!(full > 15, "{full}");
}

/// The three sets of captures that the page names.
fn winning_sets() -> Vec<BTreeSet<char>> {
    let letters = |line: &String| line.chars().filter(|c| *c != ' ').collect();
    lines("winning_captures.txt").iter().map(letters).collect()
}

#[test]
fn exactly_three_sets_of_captures_win() {
    let sets = winning_sets();
    assert_eq!(sets.len(), 3);
    let mut won = 0;
    for chosen in 0..1u32 << KINDS.len() {
        let kinds = KINDS.iter().map(|&(kind, _)| kind).enumerate();
        let captured: BTreeSet<char> = kinds
            .filter(|(bit, _)| chosen >> bit & 1 == 1)
            .map(|(_, kind)| kind)
            .collect();
        for side in Side::ALL {
            let mut board = Board::new_game();
            board
                .pieces
                .retain(|_, p| p.side != side || !captured.contains(&p.kind));
            let beaten = sets.iter().any(|set| set.is_subset(&captured));
            assert_eq!(board.beaten(side), beaten, "{captured:?}");
            let outcome = beaten.then_some(Outcome::Won(side.other()));
            assert_eq!(board.outcome(), outcome, "{captured:?}");
            won += u32::from(beaten);
        }
    }
    // By inclusion and exclusion: three sets of 5, pairs that make 8, 8 and 8, and one of 10.
    assert_eq!(won, 2 * (3 * 32 - 3 * 4 + 1));
    // "The Turtle, the Duck, and the Sphinx each figure in two winning sets."
    for (kind, _) in KINDS {
        let figures = sets.iter().filter(|set| set.contains(&kind)).count();
        let expected = match kind {
            'M' => 3,
            'T' | 'D' | 'S' => 2,
            _ => 1,
        };
        assert_eq!(figures, expected, "{kind}");
    }
}

#[test]
fn either_side_wins_in_the_middle_of_a_turn() {
    use Side::{Black, White};
    let pieces = [
        ("42", 'M', White),
        ("36", 'S', White),
        ("62", 'F', White),
        ("53", 'B', Black),
        ("15", 'H', Black),
        ("34", 'M', Black),
    ];
    let mut board = few(&pieces, (6, 5));
    play(&mut board, "5342");
    assert_eq!(board.outcome(), None);
    let mut black = board.clone();
    play(&mut black, "1536");
    assert_eq!(black.outcome(), Some(Outcome::Won(Black)));
    assert!(black.legal_steps().is_empty());
    // The same with the colours changed.
    for piece in board.pieces.values_mut() {
        piece.side = piece.side.other();
    }
    board.turn = 7;
    play(&mut board, "1536");
    assert_eq!(board.outcome(), Some(Outcome::Won(White)));
}

#[test]
fn the_sample_game_is_won_by_white_with_two_steps_of_turn_7_left() {
    let mut board = Board::new_game();
    let mut lines = lines("sample_game.txt");
    assert_eq!(lines.pop().as_deref(), Some("1:0"));
    for (number, line) in (1..).zip(&lines) {
        let (turn, steps) = line.split_once(' ').unwrap();
        assert_eq!((turn, board.turn), (&*number.to_string(), number));
        let captures = play(&mut board, steps).into_iter().flatten().count();
        assert_eq!(captures, [0, 1, 1, 1, 2, 3, 2][number as usize - 1]);
        if number == 5 {
            // "Black has lost only three pieces, they are all from a single winning set."
            assert_eq!(board.lost(Side::Black), ['A', 'D', 'M']);
            let open: Vec<usize> = winning_sets()
                .iter()
                .map(|set| set.iter().filter(|&&k| board.has(Side::Black, k)).count())
                .collect();
            assert_eq!(open.into_iter().min(), Some(2));
        }
        assert_eq!(board.outcome().is_some(), number == 7);
    }
    assert_eq!(board.outcome(), Some(Outcome::Won(Side::White)));
    assert_eq!((board.turn, board.steps_left), (7, 2));
    assert_eq!(board.lost(Side::Black), ['A', 'B', 'D', 'M', 'S']);
}

/// The fewest steps in which one piece alone gets to `to` in this turn.
fn alone(board: &Board, from: Square, to: Square) -> Option<u32> {
    let mut found = BTreeSet::from([(from, board.clone())]);
    for steps in 1..=board.steps_left {
        let mut next = BTreeSet::new();
        for (at, board) in found {
            for step in board.legal_steps() {
                if step == (at, to) {
                    return Some(steps);
                }
                if step.0 == at {
                    next.insert((step.1, board.after(step)));
                }
            }
        }
        found = next;
    }
    None
}

/// "Several other pieces might have been used to target the Sphinx (the Captain, Fish, Hero, and
/// Turtle can all get there)"; "send the Elk after the White Man".
#[test]
fn the_page_knows_who_reaches_the_sphinx_on_turn_4_of_the_sample_game() {
    let mut board = Board::new_game();
    for line in &lines("sample_game.txt")[..3] {
        play(&mut board, &line[2..]);
    }
    let who = |from| board.pieces[&square(from)].kind;
    for (from, kind, steps) in [
        ("36", 'C', 4),
        ("37", 'F', 4),
        ("16", 'H', 3),
        ("26", 'T', 3),
    ] {
        assert_eq!(who(from), kind);
        assert_eq!(alone(&board, square(from), (1, 1)), Some(steps), "{kind}");
    }
    assert_eq!(who("67"), 'E');
    assert_eq!(alone(&board, (6, 7), (6, 1)), Some(4));
    assert_eq!(who("27"), 'M');
    assert_eq!(alone(&board, (2, 7), (1, 1)), None);
}

#[test]
fn bird_duck_and_fish_keep_to_the_colour_of_the_corners() {
    let even = |(file, rank): Square| (file + rank) % 2 == 0;
    for (kind, _) in KINDS {
        let bound = squares()
            .into_iter()
            .all(|from| targets(kind, from).iter().all(|&to| even(to) == even(from)));
        assert_eq!(bound, "BDF".contains(kind), "{kind}");
    }
    for (&at, piece) in &Board::new_game().pieces {
        assert!(even(at) || !"BDF".contains(piece.kind));
    }
}

#[test]
fn whatever_white_moves_on_turn_1_black_can_capture_on_turn_2() {
    let start = Board::new_game();
    assert_eq!(start.legal_steps().len(), 31);
    for first in start.legal_steps() {
        let board = start.after(first);
        let takes = |board: &Board| board.legal_steps().iter().any(|step| step.1 == first.1);
        let captured = takes(&board)
            || board
                .legal_steps()
                .into_iter()
                .any(|step| takes(&board.after(step)));
        assert!(captured, "{}", name(first));
    }
}

#[test]
fn random_games_are_nearly_always_drawn() {
    let mut rng = SplitMix::new(1);
    let mut drawn = 0;
    for _ in 0..300 {
        let mut board = Board::new_game();
        let mut steps = 0;
        while let Some(step) = board.random_step(&mut rng) {
            board.play(step);
            steps += 1;
        }
        assert!(steps <= 55);
        drawn += u32::from(board.outcome() == Some(Outcome::Drawn));
    }
    assert!((290..300).contains(&drawn), "{drawn}");
}

#[test]
fn what_is_written_reads_back() {
    let mut rng = SplitMix::new(2);
    let mut spent = 0;
    for _ in 0..20 {
        let mut board = Board::new_game();
        while let Some(step) = board.random_step(&mut rng) {
            assert_eq!(Board::parse(&board.to_text()), board);
            spent += u32::from(!board.spent.is_empty());
            board.play(step);
        }
    }
    assert!(spent > 50, "{spent}");
}

/// The counts of deeper lines were found once, with equal positions counted together.
#[test]
fn perft_tables_are_the_oracles() {
    let folder = format!("{}/tests/data/taratibu/perft", env!("CARGO_MANIFEST_DIR"));
    let mut tables = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let lines = lines(&format!("perft/{file}"));
        let counted = lines.iter().position(|l| l.starts_with("perft ")).unwrap();
        let board = Board::parse(&lines[..counted].join("\n"));
        assert_eq!(board.outcome(), None, "{file}");
        for (depth, count) in (1..).zip(lines[counted].split(' ').skip(1)) {
            assert_eq!(
                board.perft(depth).to_string(),
                count,
                "{file} depth {depth}"
            );
        }
        tables += 1;
    }
    assert!(tables >= 17, "{tables}");
}
