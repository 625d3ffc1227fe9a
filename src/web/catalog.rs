//! What there is to play: the games and their start positions.

use std::sync::OnceLock;

use serde::Serialize;

use super::server::Shared;
use crate::board::BoardSize;
use crate::game::Seat;
use crate::games;
use crate::params::{LEVELS, Level, Params};
use crate::variant::{SharedStart, Variant};

/// The answer to `catalog`.
#[derive(Serialize)]
pub(super) struct Catalog {
    version: &'static str,
    games: &'static [GameEntry],
    levels: Vec<LevelEntry>,
    threads: usize,
    pages: usize,
    matches: bool,
}

#[derive(Serialize)]
struct LevelEntry {
    name: &'static str,
    title: &'static str,
    meaning: &'static str,
    elo: u32,
}

impl LevelEntry {
    fn of(level: &Level) -> Self {
        Self {
            name: level.name,
            title: level.title,
            meaning: level.meaning,
            elo: level.elo,
        }
    }
}

#[derive(Serialize)]
struct GameEntry {
    name: &'static str,
    title: &'static str,
    credit: &'static str,
    summary: &'static str,
    rules: String,
    pieces: Option<String>,
    colours: &'static [&'static str],
    setups: &'static [&'static str],
    boards: Vec<BoardEntry>,
    extension: &'static str,
    has_editor: bool,
    has_groups: bool,
    has_threats: bool,
}

#[derive(Serialize)]
struct BoardEntry {
    size: usize,
    setup: &'static str,
    players: usize,
    default: bool,
}

pub(super) fn catalog(shared: &Shared) -> Catalog {
    Catalog {
        version: env!("CARGO_PKG_VERSION"),
        games: entries(),
        levels: LEVELS.iter().map(LevelEntry::of).collect(),
        threads: shared.params.workers(),
        pages: shared.pages.most(),
        matches: shared.has_match,
    }
}

/// The games never change.
fn entries() -> &'static [GameEntry] {
    static ENTRIES: OnceLock<Vec<GameEntry>> = OnceLock::new();
    ENTRIES.get_or_init(|| {
        let games = games::GAMES.iter();
        games.map(|&variant| GameEntry::of(variant)).collect()
    })
}

impl GameEntry {
    fn of(variant: &'static dyn Variant) -> Self {
        let start = variant.start(None, None, None).ok();
        let has = |what: fn(&SharedStart) -> bool| start.as_ref().is_some_and(what);
        Self {
            name: variant.name(),
            title: variant.title(),
            credit: variant.credit(),
            summary: variant.summary(),
            rules: variant.rules(),
            pieces: variant.pieces(),
            colours: variant.colours(),
            setups: variant.setups(),
            boards: boards(variant),
            extension: variant.records().extension(),
            has_editor: has(|start| start.editor().is_some()),
            has_groups: has(|start| {
                let game = start.new_game(&Params::default(), None);
                let drawn = game.position().board_view();
                drawn.is_some_and(|drawn| !drawn.spaces().is_empty())
            }),
            has_threats: has(|start| {
                let other = |seat: &&Seat| **seat != start.to_move();
                let other = start.players().iter().find(other);
                other.is_some_and(|&seat| start.with_to_move(seat).is_some())
            }),
        }
    }
}

/// All built-in start positions. The defaults are those for a size alone.
fn boards(variant: &'static dyn Variant) -> Vec<BoardEntry> {
    let mut boards = Vec::new();
    for size in 1..=BoardSize::MAX {
        let usual = variant.start(Some(size), None, None).ok();
        for &setup in variant.setups() {
            for players in 1..=Seat::ALL.len() {
                if let Ok(start) = variant.start(Some(size), Some(setup), Some(players)) {
                    boards.push(BoardEntry {
                        size,
                        setup,
                        players,
                        default: usual.as_ref() == Some(&start),
                    });
                }
            }
        }
    }
    boards
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_has_boards_and_each_size_one_default() {
        for entry in entries() {
            assert!(!entry.boards.is_empty(), "{}", entry.name);
            let defaults = entry.boards.iter().filter(|board| board.default);
            let mut sizes: Vec<usize> = defaults.map(|board| board.size).collect();
            let count = sizes.len();
            sizes.dedup();
            assert_eq!(count, sizes.len(), "{}", entry.name);
        }
        let tanbo = &entries()[0];
        let nine = tanbo.boards.iter().filter(|board| board.size == 9);
        assert!(nine.clone().any(|board| board.players == 4));
        assert!(
            nine.filter(|board| board.default)
                .all(|board| board.setup == "classic")
        );
        assert!(tanbo.has_editor && tanbo.has_groups && tanbo.has_threats);
        let other = &entries()[1];
        assert!(!other.has_groups && !other.has_threats && other.pieces.is_some());
    }
}
