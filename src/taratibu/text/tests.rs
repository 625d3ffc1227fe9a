//! Texts that read back, and wrong ones.

use super::*;
use crate::game::Playout as _;
use crate::util::random::Random;

const PAGE: &str = "10 20 30 40 50 60 70
+---+---+---+---+---+---+---+
7 | d | m | f | a | b | e | s | 7
+---+---+---+---+---+---+---+
6 | h | t | c | | | | | 6
+---+---+---+---+---+---+---+
5 | | | | | | | | 5
+---+---+---+---+---+---+---+
4 |   |   |   |   |   |   |   | 4
+---+---+---+---+---+---+---+
3 | | | | | | | | 3
+---+---+---+---+---+---+---+
2 | | | | | C | T | H | 2
+---+---+---+---+---+---+---+
1 | S | E | B | A | F | M | D | 1
+---+---+---+---+---+---+---+
10 20 30 40 50 60 70";

#[test]
fn the_drawing_of_the_original_is_the_start() {
    let start = Position::new_game();
    assert_eq!(Position::parse(PAGE), Ok(start));
    assert_eq!(Position::parse(&PAGE.replace('\n', " ")), Ok(start));
    assert_eq!(Position::parse("  Start\n"), Ok(start));
    assert_eq!(Position::parse(&start.show()), Ok(start));
    let bare = "dmfabes/htc..../......./......./......./....CTH/SEBAFMD";
    assert_eq!(Position::parse(bare), Ok(start));
    assert_eq!(
        start.to_line(),
        "d m f a b e s / h t c . . . . / . . . . . . . / . . . . . . . / . . . . . . . / \
         . . . . C T H / S E B A F M D / turn 1, white to move, 1 step left"
    );
}

#[test]
fn what_is_written_reads_back() {
    let mut random = Random::new(7);
    for _ in 0..40 {
        let mut moves = Vec::new();
        Position::new_game()
            .playout()
            .finish(0, &mut random, |_, code| moves.push(code));
        let mut position = Position::new_game();
        for code in moves {
            for text in [position.to_text(), position.to_line(), position.show()] {
                assert_eq!(Position::parse(&text), Ok(position), "{text}");
                assert!(text.lines().all(|line| !line.trim().is_empty()));
            }
            position.play(Position::decode(code));
        }
        let error = Position::parse(&position.to_text());
        assert!(error.is_err(), "{}", position.to_text());
    }
}

#[test]
fn a_turn_passes_when_the_mover_has_no_step() {
    // White's only piece has captured.
    let rows = "......./...m.../......./......./......./......./M.d....";
    let text = format!("{rows} / turn 3, 1 step left / spent 11");
    let position = Position::parse(&text).unwrap();
    assert_eq!((position.turn(), position.steps_left()), (4, 4));
    assert_eq!(position.spent(), []);
    assert_eq!(position.to_move().index(), 1);
}

#[test]
fn wrong_texts_are_explained() {
    let rows = "dmfabes/htc..../......./......./......./....CTH/SEBAFMD/";
    let with = |rest: &str| format!("{rows}{rest}");
    let won = "d...b../......./......./......./......./....CTH/SEBAFMD/";
    for (text, parts) in [
        (String::new(), &["0 rows"] as &[&str]),
        ("dmfabes/htc....".into(), &["2 rows"]),
        (with("......."), &["8 rows"]),
        (rows.replacen("dmf", "dm", 1), &["`dmabes` has 6 squares"]),
        (rows.replacen('d', "x", 1), &["unknown letter `x`"]),
        (
            rows.replacen("....C", "C...C", 1),
            &["white has more than one Captain"],
        ),
        (with("turn 11"), &["no turn `11`"]),
        (with("turn 0"), &["no turn `0`"]),
        (with("turn one"), &["invalid turn `turn one`"]),
        (with("turn 3, soon"), &["invalid turn `turn 3, soon`"]),
        (
            with("turn 3, black to move"),
            &["turn 3 belongs to white, not to `black`"],
        ),
        (
            with("turn 3, 4 steps left"),
            &["cannot have `4` steps left"],
        ),
        (
            with("turn 3, 0 steps left"),
            &["cannot have `0` steps left"],
        ),
        (with("turn 3/turn 4"), &["`turn 4` is a second line"]),
        (with("turn 3/spent 18"), &["invalid square `18`"]),
        (with("turn 3/spent 31-44"), &["invalid square `31-44`"]),
        (
            with("turn 3, 1 step left/spent 33"),
            &["the piece on `33` cannot be spent", "no white piece"],
        ),
        (with("turn 3, 1 step left/spent 77"), &["no white piece"]),
        (
            with("turn 3, 1 step left/spent 11"),
            &["at most 0 captures"],
        ),
        (format!("{won}turn 3"), &["white has won already"]),
        (
            "......./......./......./......./......./......./.......".into(),
            &["won already"],
        ),
        (
            with("turn 3, black to move, 9 steps left/spent 99"),
            &["belongs to white", "`9` steps", "`99`"],
        ),
        // Nobody has a step: Black's only piece is spent, on the last turn.
        (
            "M....../......./......./......./......./......./......m/\
             turn 10, 1 step left/spent 71"
                .into(),
            &["nobody can step"],
        ),
    ] {
        let error = Position::parse(&text).unwrap_err();
        for part in parts {
            assert!(error.contains(part), "{text}\n{error}");
        }
    }
    let error = Position::parse(&"x\n".repeat(100_000)).unwrap_err();
    assert!(error.contains("100000 rows"), "{error}");
}
