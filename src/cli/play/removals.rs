//! What a move removed from the board, in words.

use crate::board::{Point, vertex};
use crate::engine::Engine;
use crate::game::Seat;
use crate::variant::{BoardView, Capabilities, MoveCode, Stones};

use super::super::counted;

/// What the last move of the game removed, a sentence for each.
pub(in crate::cli) fn removals(engine: &Engine) -> Vec<String> {
    let (Some(&(seat, _)), Some(code)) = (engine.events().last(), engine.last_move()) else {
        return Vec::new();
    };
    let Some(before) = engine.previous() else {
        return Vec::new();
    };
    match (before.stones(), engine.stones()) {
        (Some(stones), Some(now)) => roots(engine, seat, code, stones, now),
        _ => capture(engine, seat, code, &*before).into_iter().collect(),
    }
}

/// `Black` for `black`.
pub(in crate::cli) fn name(engine: &Engine, seat: Seat) -> String {
    let (letter, word) = (engine.variant().letter(seat), engine.variant().colour(seat));
    format!("{letter}{}", word.get(1..).unwrap_or_default())
}

fn roots(
    engine: &Engine,
    seat: Seat,
    code: MoveCode,
    before: &dyn Stones,
    now: &dyn Stones,
) -> Vec<String> {
    let size = before.size();
    let Some(point) = size.points().find(|&point| MoveCode::from(point) == code) else {
        return Vec::new();
    };
    let removed = before.removed_by(seat, point);
    let gone = |stones: &[Point]| stones.iter().any(|stone| removed.contains(stone));
    let mut sentences = Vec::new();
    for group in before.all_groups() {
        if !gone(&group.stones) {
            continue;
        }
        // The new stone belongs to the root that it extends.
        let grown = group.seat == seat && removed.contains(&point);
        let count = group.stones.len() + usize::from(grown);
        let stones = counted(count, "stone", "stones");
        let place = group.stones.first().map_or_else(String::new, |&first| {
            format!(" at {}", vertex::name(first, size))
        });
        sentences.push(format!(
            "{}'s root of {stones}{place} is bounded and removed.",
            name(engine, group.seat)
        ));
    }
    if engine.players().len() > 2 {
        for &player in engine.players() {
            if before.groups(player) > 0 && now.groups(player) == 0 {
                sentences.push(format!(
                    "{} has no root left and is out.",
                    name(engine, player)
                ));
            }
        }
    }
    sentences
}

fn capture(
    engine: &Engine,
    seat: Seat,
    code: MoveCode,
    before: &dyn Capabilities,
) -> Option<String> {
    let board: &dyn BoardView = before.board_view()?;
    let (from, to) = board.ends(code);
    let taken = board.piece_on(to)?;
    let piece = |name: Option<String>| name.unwrap_or_else(|| "piece".to_string()).to_lowercase();
    let taker = piece(from.and_then(|cell| board.piece_on(cell))?.name);
    let (columns, rows) = board.labels();
    let side = board.side().max(1);
    let column = columns.get(to % side).map_or("", String::as_str);
    let row = rows.get(to / side).map_or("", String::as_str);
    Some(format!(
        "{}'s {taker} captures {}'s {} on {column}{row}.",
        name(engine, seat),
        name(engine, taken.seat),
        piece(taken.name)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games;
    use crate::params::Params;

    fn after(game: &str, start: &str, moves: &[&str]) -> Vec<String> {
        let start = games::find(game).unwrap().read(start, None).unwrap();
        let mut engine = Engine::new(start, Params::default());
        for word in moves {
            engine.play_word(engine.to_move(), word).unwrap();
        }
        removals(&engine)
    }

    #[test]
    fn each_root_that_goes_is_named_with_its_size() {
        // White's root in the corner has one free point, which Black takes.
        let start = "....O\n.....\n.....\nX....\nO....\n";
        assert!(after("tanbo", start, &["B2"]).is_empty());
        let told = "White's root of 1 stone at A1 is bounded and removed.";
        assert_eq!(after("tanbo", start, &["B2", "E4", "B1"]), [told]);
        // Black's own root, with the stone that bounded it.
        let start = "....X\n.....\n.....\nOO...\nX.O..\n";
        let told = "Black's root of 2 stones at A1 is bounded and removed.";
        assert_eq!(after("tanbo", start, &["B1"]), [told]);
    }

    #[test]
    fn a_player_without_roots_is_out() {
        for start in [
            "....G\n.....\n..O..\nXX...\nR....\n",
            ".....\n.....\n..O..\nXX...\nR....\n",
        ] {
            let told = after("tanbo", start, &["B1"]);
            assert_eq!(
                told,
                [
                    "Red's root of 1 stone at A1 is bounded and removed.",
                    "Red has no root left and is out."
                ]
            );
        }
    }

    #[test]
    fn a_capture_names_both_pieces() {
        let game = games::find("taratibu").unwrap();
        let start = game.start(None, None, None).unwrap();
        let mut engine = Engine::new(start, Params::default());
        let mut captures = 0;
        while !engine.is_over() && captures < 3 {
            let legal = engine.legal();
            let seat = engine.to_move();
            let board = engine.board_view().unwrap();
            let taken = |&&code: &&MoveCode| board.piece_on(board.ends(code).1).is_some();
            let capture = legal.iter().find(taken).copied();
            let mine = name(&engine, seat);
            engine.play(capture.unwrap_or(legal[0])).unwrap();
            let told = removals(&engine);
            assert_eq!(told.len(), usize::from(capture.is_some()));
            let Some(text) = told.first() else { continue };
            captures += 1;
            let [black, white] = ["Black", "White"];
            let theirs = if mine == black { white } else { black };
            assert!(text.starts_with(&format!("{mine}'s ")), "{text}");
            assert!(text.contains(&format!(" captures {theirs}'s ")), "{text}");
            let word = engine.name(engine.last_move().unwrap());
            assert!(
                text.ends_with(&format!(" on {}.", &word[2..])),
                "{text} {word}"
            );
        }
        assert_eq!(captures, 3);
    }
}
