//! Game records in SGF (FF\[4\], <https://www.red-bean.com/sgf/>): [`parse`] and [`games`] read,
//! [`write()`] writes.
//!
//! Files of FF\[3\] and FF\[4\] are read, and the long names of FF\[1\], in any encoding, with any
//! line ends, and with text before, between and after the games. The reader takes size, stones,
//! side to move, the moves of the main line, on demand those of the variations, players, times,
//! result and all comments. It skips all other properties, whatever `GM` and `FF` say.
//!
//! Passes at the end are left out, because programs write them when a game ends in another way.
//! Stones set up between moves must agree with the position by the rules.
//!
//! # Red and green
//! SGF has two colours. A third and a fourth player use private properties, which other programs
//! skip: the standard name with `RED` or `GREEN` in place of `B`, and `TURN` in place of `PL` if
//! one of the two is to move. Other programs then show the moves of Black and White.
//!
//! | | black | white | red | green |
//! |---|---|---|---|---|
//! | stones of the first node | `AB` | `AW` | `ARED` | `AGREEN` |
//! | to move at the start | `PL[B]` | `PL[W]` | `TURN[R]` | `TURN[G]` |
//! | a move | `B` | `W` | `RED` | `GREEN` |
//! | player's name | `PB` | `PW` | `PRED` | `PGREEN` |
//! | seconds left | `BL` | `WL` | `REDL` | `GREENL` |
//!
//! Single letters would be ambiguous: in old files `Result[..]` reads as `R`, and `AR` is an arrow.
//!
//! # The files
//! The reader needs one pass without recursion, and reports where it stops.
//!
//! | file | what it does |
//! |---|---|
//! | `decode` | bytes to text |
//! | `lexer` | text to tokens |
//! | `read`, `property` | tokens to the relevant values |
//! | `game` | an [`SgfGame`], with the check of stones set up between moves |
//! | `interpret` | values to an [`SgfGame`] |
//! | `fault` | faults with line and column |
//! | `write`, `gogui` | a record to text, with a line for GoGui |

#![cfg_attr(not(test), deny(clippy::indexing_slicing))]

mod decode;
mod fault;
mod game;
mod gogui;
mod interpret;
mod lexer;
mod property;
mod read;
mod write;

pub(crate) use decode::decode;
pub(crate) use fault::LineIndex;
pub use game::SgfGame;
pub use write::GameRecord;
pub(crate) use write::{is_own, write};

use fault::Located;
use interpret::interpret;
use lexer::Lexer;
use read::{RawGame, Reader};

/// Whether a text holds a game record.
pub(crate) fn has_game(text: &str) -> bool {
    Lexer::new(text).skip_to_game()
}

/// Reads the first game of a text.
///
/// # Errors
/// The first fault, with its line and column.
pub fn parse(text: &str) -> Result<SgfGame, String> {
    let text = without_mark(text);
    let mut reader = Reader::new(text);
    let game = reader.main_line().and_then(|raw| match raw {
        Some(raw) => interpret(raw),
        None => Err(reader.no_game()),
    });
    game.map_err(|fault| LineIndex::new(text).error(fault))
}

/// Reads the main line of every game of a text, lazily. An item is an error if [`parse`] would fail
/// on the game, or if the brackets of its other variations do not match. There is at least one
/// item; after a fault of brackets or properties the iterator ends.
pub(crate) fn games(text: &str) -> impl Iterator<Item = Result<SgfGame, String>> {
    read_games(text, Reader::game)
}

/// As [`games`], with the variations.
pub(crate) fn games_with_variations(text: &str) -> impl Iterator<Item = Result<SgfGame, String>> {
    read_games(text, Reader::game_with_variations)
}

fn read_games<'a>(
    text: &'a str,
    read: fn(&mut Reader<'a>) -> Located<Option<RawGame>>,
) -> impl Iterator<Item = Result<SgfGame, String>> {
    let text = without_mark(text);
    let (mut reader, mut index) = (Reader::new(text), LineIndex::new(text));
    let (mut is_first, mut is_over) = (true, false);
    std::iter::from_fn(move || {
        if is_over {
            return None;
        }
        let game = match read(&mut reader) {
            Ok(Some(raw)) => interpret(raw),
            Ok(None) if is_first => Err(reader.no_game()),
            Ok(None) => return None,
            Err(fault) => {
                is_over = true;
                Err(fault)
            }
        };
        is_first = false;
        Some(game.map_err(|fault| index.error(fault)))
    })
}

fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::board::{BoardSize, vertex};
    use crate::game::Seat;
    use crate::tanbo::colour;
    use proptest::prelude::*;

    /// All games of a text, if all are right.
    pub(super) fn parse_all(text: &str) -> Result<Vec<SgfGame>, String> {
        games(text).collect()
    }

    fn vertices(record: &SgfGame) -> String {
        let moves = record.record.moves.iter();
        let texts: Vec<String> = moves
            .map(|played| {
                let point = vertex::name(played.mv, record.size);
                format!("{} {point}", colour::letter(played.seat))
            })
            .collect();
        texts.join(" ")
    }

    /// Moves with the numbers of the moves before them.
    fn branches(record: &SgfGame) -> String {
        let variations = record.record.variations.iter();
        let texts = variations.map(|each| {
            let point = vertex::name(each.played.mv, record.size);
            let comment = each.played.comment.as_deref().unwrap_or_default();
            format!("{}:{point}{comment}", each.follows)
        });
        texts.collect::<Vec<_>>().join(" ")
    }

    fn with_variations(text: &str) -> SgfGame {
        games_with_variations(text).next().unwrap().unwrap()
    }

    #[test]
    fn variations_are_read_on_demand() {
        let stones = "SZ[9]AB[bh][hb]AW[bb][hh]";
        for (moves, expected) in [
            // A branch at the second move, one in it, and one at the start.
            (
                "(;B[bg];W[bc](;B[bf];W[bd])(;B[aa]C[a](;W[ab])(;W[ac])))(;B[cc])",
                "2:A9a 5:A8 5:A7 0:C7",
            ),
            (";B[bg](;W[bc])(;W[bd];B[be])(;W[bf])", "1:B6 3:B5 1:B4"),
            // Passes are skipped, and points off the board end their line.
            ("(;B[bg];W[])(;B[];W[cc];B[dd])(;B[zz];W[ee])", "0:C7 2:D6"),
            (";B[bg];W[bc]", ""),
        ] {
            let text = format!("(;{stones}{moves})");
            assert_eq!(branches(&with_variations(&text)), expected, "{text}");
            assert_eq!(branches(&parse(&text).unwrap()), "", "{text}");
        }
        let two = format!("(;{stones}(;B[bg])(;B[bf]))(;{stones};B[be])");
        let all: Vec<_> = games_with_variations(&two)
            .collect::<Result<_, _>>()
            .unwrap();
        assert_eq!(all.len(), 2);
        assert!(all[1].record.variations.is_empty());
        let open = format!("(;{stones}(;B[bg])(;B[bf])");
        assert!(games_with_variations(&open).next().unwrap().is_err());
    }

    #[test]
    fn variations_are_written_as_they_were_read() {
        let text = "(;SZ[9]AB[bh][hb]AW[bb][hh](;B[bg];W[bc](;B[bf];W[bd])(;B[aa]C[a](;W[ab])(;W[ac])))(;B[cc]))";
        let read = with_variations(text);
        let setup = read.setup.clone().unwrap();
        let written = write(&read.record.clone().map(setup, |point| point));
        let tree = written
            .split_once("tanada --size")
            .unwrap()
            .1
            .split_once('\n')
            .unwrap()
            .1;
        let flat: String = tree.split_whitespace().collect();
        assert_eq!(
            flat,
            "(;B[bg];W[bc](;B[bf];W[bd])(;B[aa]C[a](;W[ab])(;W[ac])))(;B[cc]))"
        );
        let again = with_variations(&written);
        assert_eq!(again.record.variations, read.record.variations);
        assert_eq!(again.record.moves, read.record.moves);
    }

    #[test]
    fn a_plain_record_is_read() {
        let record = parse(
            "\u{feff} (;FF[4]GM[1]CA[UTF-8]AP[x:1]SZ[9]RU[Tanbo]C[a \\] ; ( b]\n\
             AB[bh][hb]AW[bb][hh]PL[B];B[bg]C[good];W[bc](;B[bf];W[bd])(;B[aa]))(;SZ[5])",
        )
        .unwrap();
        assert_eq!(record.size.side(), 9);
        assert_eq!(record.to_move, Some(colour::BLACK));
        let setup = record.setup.clone().unwrap();
        assert_eq!(setup.stones.len(), 4);
        let start = crate::tanbo::NamedSetup::Classic
            .setup(record.size, 2)
            .unwrap();
        assert_eq!(setup, start);
        assert_eq!(vertices(&record), "B B3 W B7 B B4 W B6");
    }

    #[test]
    fn a_game_begins_with_a_bracket_and_a_node() {
        for (text, expected) in [
            ("", false),
            ("A hill of rice (green)", false),
            ("(FF[4];)", false),
            ("rice (green)\n( (\n;)", true),
        ] {
            assert_eq!(has_game(text), expected, "{text}");
        }
    }

    #[test]
    fn the_first_value_outside_the_rules_counts() {
        let game = parse("(;EV[][Spring]EV[Autumn];BL[][7][5]B[bg]BL[3]WL[9])").unwrap();
        assert_eq!(game.record.event.as_deref(), Some("Spring"));
        assert_eq!(game.record.moves[0].time_left, Some(7.0));
    }

    #[test]
    fn almost_everything_may_be_missing() {
        let record = parse("(;)").unwrap();
        assert_eq!((record.size.side(), record.setup), (19, None));
        assert_eq!((record.to_move, record.record.moves), (None, vec![]));
        for text in ["(;GM[11]SZ[9:9])", "(;GM[]FF[3]SiZe[9])", "(;GM[x]SZ[ 9 ])"] {
            assert_eq!(parse(text).unwrap().size.side(), 9, "{text}");
        }
    }

    #[test]
    fn who_is_to_move() {
        let to_move = |text| parse(text).unwrap().setup.unwrap().to_move;
        assert_eq!(to_move("(;SZ[5]AB[aa]AW[ee])"), colour::BLACK);
        assert_eq!(to_move("(;SZ[5]AB[aa]AW[ee]PL[white])"), colour::WHITE);
        assert_eq!(to_move("(;SZ[5]AB[aa]AW[ee];W[ed])"), colour::WHITE);
        assert_eq!(to_move("(;SZ[5]AB[aa]AW[ee]PL[b];W[ed])"), colour::BLACK);
        assert_eq!(to_move("(;SZ[5]AB[aa];AW[ee]PL[W];C[x])"), colour::WHITE);
    }

    #[test]
    fn beside_a_move_the_turn_after_it_is_told() {
        // As GoGui writes a game with rules attached.
        for (text, first, moves) in [
            (
                "(;FF[4]SZ[9];B[ch]PL[W];W[bc]PL[B])",
                colour::BLACK,
                "B C2 W B7",
            ),
            ("(;SZ[9];W[bc]PL[B];B[ch]PL[W])", colour::WHITE, "W B7 B C2"),
            // In the root as well, and in any order within a node.
            ("(;SZ[9]PL[W]B[ch];W[bc])", colour::BLACK, "B C2 W B7"),
            // A node without a move sets who begins, and a comment does not.
            ("(;SZ[9]PL[W];C[x];W[bc]PL[B])", colour::WHITE, "W B7"),
            ("(;SZ[9]PL[B];PL[W];W[bc]PL[B])", colour::WHITE, "W B7"),
            // Where somebody is skipped, or the record errs, the rules say whose turn it is.
            ("(;SZ[9];B[ch]PL[B];W[bc]PL[x])", colour::BLACK, "B C2 W B7"),
            ("(;SZ[9];B[ch];PL[B];W[bc])", colour::BLACK, "B C2 W B7"),
            (
                "(;SZ[9];GREEN[ch]PL[B];B[bc]TURN[R];RED[aa]TURN[G])",
                colour::GREEN,
                "G C2 B B7 R A9",
            ),
        ] {
            let record = parse(text).unwrap();
            assert_eq!(record.to_move, Some(first), "{text}");
            assert_eq!(vertices(&record), moves, "{text}");
        }
        let record = parse("(;SZ[5]AB[aa]AW[ee]PL[W]W[ed];B[ab]PL[W])").unwrap();
        assert_eq!(record.setup.unwrap().to_move, colour::WHITE);
    }

    #[test]
    fn lists_may_be_compressed() {
        let record = parse("(;SZ[5]AB[aa:ca][ea]AW[cc:cd][ee]AE[bb])").unwrap();
        let points: Vec<String> = record
            .setup
            .unwrap()
            .stones
            .iter()
            .map(|(&p, &seat)| format!("{}{}", vertex::name(p, record.size), colour::stone(seat)))
            .collect();
        assert_eq!(points.join(" "), "E1O C2O C3O A5X B5X C5X E5X");
    }

    #[test]
    fn red_and_green_are_read() {
        let record = parse(
            "(;SZ[5]AB[aa]AW[ea]ARED[ae]AGREEN[ee]TURN[green]\
             R[x]G[]AR[aa:bb]Result[B+];GREEN[de]GREENL[1];B[ba];W[da];RED[be])",
        )
        .unwrap();
        let setup = record.setup.clone().unwrap();
        assert_eq!(setup.players(), Seat::ALL);
        assert_eq!(setup.to_move, colour::GREEN);
        assert_eq!(record.to_move, Some(colour::GREEN));
        assert_eq!(vertices(&record), "G D1 B B5 W D5 R B1");
        let first = parse("(;SZ[5]ARED[aa:ca];RED[da])").unwrap().setup.unwrap();
        assert_eq!((first.to_move, first.stones.len()), (colour::RED, 3));
    }

    #[test]
    fn all_games_are_read() {
        // Sizes and numbers of moves.
        for (text, games) in [
            ("(;)", vec![(19, 0)]),
            ("(;SZ[5];B[aa])\n\n", vec![(5, 1)]),
            (
                "\u{feff}(;SZ[5];B[aa])(;SZ[6]) (;;W[bb];B[cc])\n",
                vec![(5, 1), (6, 0), (19, 2)],
            ),
            (
                "(;SZ[5](;B[aa](;W[bb];B[cc])(;B[x]))(;W[]W[]SZ[1](;)(;)))(;SZ[6])",
                vec![(5, 3), (6, 0)],
            ),
            (
                "(;SZ[5](;B[aa])(;C[)(;\\]))(;]W[)]))(;SZ[6];B[bb]C[(;])",
                vec![(5, 1), (6, 1)],
            ),
            ("((;SZ[5])(;SZ[7]))(((;SZ[6])))", vec![(5, 0), (6, 0)]),
        ] {
            let found: Vec<(usize, usize)> = parse_all(text)
                .unwrap()
                .iter()
                .map(|game| (game.size.side(), game.record.moves.len()))
                .collect();
            assert_eq!(found, games, "{text}");
            assert_eq!(parse(text).unwrap(), parse_all(text).unwrap()[0], "{text}");
        }
    }

    #[test]
    fn a_fault_is_that_of_its_game() {
        let games: Vec<_> = games("(;SZ[5])(;SZ[3])(;SZ[6])(;SZ)(;SZ[7])").collect();
        let found: Vec<Option<usize>> = games
            .iter()
            .map(|game| Some(game.as_ref().ok()?.size.side()))
            .collect();
        assert_eq!(found, [Some(5), None, Some(6), None], "the rest is lost");
        let games: Vec<_> = super::games("(;SZ[5])(;SZ[6](;B[aa])(;C[x)").collect();
        assert!(games[0].is_ok() && games[1].is_err() && games.len() == 2);
    }

    #[test]
    fn faults_of_any_game_are_named_with_their_place() {
        // The texts of the faults are tested below.
        for (text, part) in [
            ("", "line 1, column 1: ``"),
            (" \n", "line 2, column 1: "),
            ("\u{feff};", "line 1, column 1: `;`"),
            ("(;SZ[3])(", "line 1, column 5: invalid board size `SZ[3]`"),
            (
                "(;)\n (;SZ[3])",
                "line 2, column 6: invalid board size `SZ[3]`",
            ),
            ("(;)\n(;SZ[5];B[é])", "line 2, column 10: `B[é]`"),
            ("(;)\n(;SZ[5];B[];W[aa])", "line 2, column 10: `B[]`"),
            ("(;)(;SZ)", "line 1, column 6: `SZ`"),
            (
                "(;)\r\n\n\r\r(;SZ[3])",
                "line 4, column 5: invalid board size `SZ[3]`",
            ),
            ("(;)\n(;", "line 2, column 3: the record ends"),
            ("(;(;)", "line 1, column 6: the record ends"),
            ("(;(;)(;C[)])", "line 1, column 13: the record ends"),
            ("(;(;)\n5)", "line 2, column 1: `5`"),
            ("(;(;)(;C[))", "line 1, column 9: the value `[))`"),
        ] {
            let error = parse_all(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text:?}: {error}");
        }
    }

    #[test]
    fn faults_are_named_with_their_place() {
        for (text, part) in [
            ("", "line 1, column 1: `` does not begin a game record"),
            (
                "hello",
                "`hello` does not begin a game record: expected `(;`",
            ),
            ("\n ;B[aa]", "line 2, column 2: `;B[aa]` does not begin"),
            (
                "(;SZ[9]",
                "line 1, column 8: the record ends inside the game",
            ),
            ("(;SZ[9]C[abc", "the value `[abc` is not closed"),
            ("(;SZ[9]\n5)", "line 2, column 1: `5` is out of place"),
            ("(SZ[9])", "`(SZ[9])` does not begin a game record"),
            ("(;SZ)", "`SZ` is out of place"),
            ("(;[9])", "`[9]` is out of place"),
            ("()", "`()` does not begin a game record"),
            ("(;SZ[9][13])", "`SZ` has more than one value"),
            ("(;SZ[9]PL[B]PL[W])", "`PL` has more than one value"),
            (
                "(;SZ[9:13])",
                "invalid board size `SZ[9:13]`: expected 4 to 21",
            ),
            ("(;SZ[3])", "`SZ[3]`"),
            ("(;SZ[22])", "`SZ[22]`"),
            ("(;SZ[99999999999999999999])", "`SZ[99999999999999999999]`"),
            (
                "(;PL[R])",
                "`PL[R]` does not name a side to move: expected B or W",
            ),
            (
                "(;TURN[x])",
                "`TURN[x]` does not name a side to move: expected B, W, R or G",
            ),
            ("(;PL[B]TURN[R])", "`TURN` has more than one value"),
            ("(;SZ[9];RED[jj])", "`RED[jj]` is not a point"),
            ("(;SZ[9];GREEN[tt];B[aa])", "`GREEN[tt]` is a pass"),
            ("(;SZ[9]ARED[aa]AB[aa])", "`AB[aa]` puts a stone"),
            ("(;SZ[9];B[aa][bb])", "`B` has more than one value"),
            (
                "(;SZ[9];B[jj])",
                "`B[jj]` is not a point of the 9x9 board: expected two letters from a to i",
            ),
            ("(;SZ[9];B[a])", "`B[a]` is not a point"),
            ("(;SZ[9];B[aa:cc])", "`B[aa:cc]` is not a point"),
            ("(;SZ[9]AB[aa:])", "`AB[aa:]` is not a point"),
            (
                "(;SZ[19];W[tt];W[];B[aa])",
                "`W[tt]` is a pass before the last move, but Tanbo has no passes",
            ),
            (
                "(;SZ[9]AB[aa]AW[aa])",
                "`AW[aa]` puts a stone on an occupied point",
            ),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text:?}: {error}");
        }
        assert_eq!(parse("(;SZ[21];W[tt])").unwrap().record.moves.len(), 1);
    }

    #[test]
    fn deep_and_long_texts_are_no_trouble() {
        let many = format!("({})", ";".repeat(500_000));
        assert!(parse(&many).is_ok());
        assert!(parse(&"(;".repeat(250_000)).is_err());
        assert!(parse(&format!("(;C[{}])", "é".repeat(250_000))).is_ok());
        let deep = "(;".repeat(250_000);
        assert!(parse_all(&deep).is_err());
        assert!(parse_all(&format!("{deep}{}", ")".repeat(249_999))).is_err());
        let whole = format!("{deep}{}", ")".repeat(250_000));
        assert_eq!(parse_all(&whole).unwrap().len(), 1);
        let wide = format!("(;{})(;)", "(;C[)])".repeat(100_000));
        assert_eq!(parse_all(&wide).unwrap().len(), 2);
        assert_eq!(parse_all(&"(;)".repeat(100_000)).unwrap().len(), 100_000);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[();BWAESZPL\\[\\]a-f0-9:\\\\ \n\u{e9}]{0,80}") {
            let _ = parse(&text);
            let text = format!("(;SZ[5]{text}");
            let _ = parse(&text);
            if let Ok(games) = parse_all(&text) {
                prop_assert_eq!(&parse(&text).unwrap(), &games[0]);
            }
        }
    }

    #[test]
    fn a_later_node_may_put_another_stone_where_one_is() {
        let text = "(;SZ[5]AB[aa][ee]AW[ea][ae];AW[aa]AB[ae];AE[ee];B[ab])";
        let setup = parse(text).unwrap().setup.unwrap();
        let size = BoardSize::new(5).unwrap();
        let at = |column, row| {
            let point = vertex::from_sgf(column, row, size).unwrap();
            setup.stones.get(&point).copied()
        };
        let (black, white) = (Some(colour::BLACK), Some(colour::WHITE));
        assert_eq!([at(0, 0), at(0, 4), at(4, 0)], [white, black, white]);
        assert_eq!((at(4, 4), setup.stones.len()), (None, 3));
        let error = parse("(;SZ[5]AB[aa];AB[bb]AW[bb])")
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("`AW[bb]` puts a stone on an occupied point"),
            "{error}"
        );
    }
}
