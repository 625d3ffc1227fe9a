//! Game records of Tanbo: SGF, and those of Abstract Play, which are only read.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::setup::{Setup, Start};
use super::{NAME, abstract_play, sgf};
use crate::board::BoardSize;
use crate::variant::{
    DefaultStart, GameRecord, MoveCode, RecordFormat, SharedStart, StartPosition,
};

pub(super) struct SgfRecords;

impl RecordFormat for SgfRecords {
    fn extension(&self) -> &'static str {
        "sgf"
    }

    fn is_sgf(&self) -> bool {
        true
    }

    /// The text is empty if the record is of another game.
    fn write(&self, record: GameRecord) -> String {
        match setup_of(&*record.start) {
            Some(setup) => sgf::write(&record.map(setup, MoveCode::point)),
            None => String::new(),
        }
    }

    fn decode(&self, bytes: Vec<u8>) -> Result<String, String> {
        let text = sgf::decode(&bytes);
        if is_sgf(&text) || text.as_bytes() == bytes.as_slice() {
            return Ok(text);
        }
        String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_string())
    }

    fn is_record(&self, bytes: &[u8]) -> bool {
        let text = sgf::decode(bytes);
        is_sgf(&text) || abstract_play::games(&text).is_some()
    }

    fn is_own(&self, head: &[u8]) -> bool {
        sgf::is_own(head)
    }

    fn read_first(
        &self,
        bytes: &[u8],
        most: usize,
        default: &DefaultStart<'_>,
    ) -> Vec<Result<GameRecord, String>> {
        let text = sgf::decode(bytes);
        if let Some(games) = abstract_play::games(&text) {
            return games.take(most.max(1)).collect();
        }
        games_of(&text, sgf::games(&text).take(most.max(1)), default)
    }

    fn read_with_variations(
        &self,
        bytes: &[u8],
        most: usize,
        default: &DefaultStart<'_>,
    ) -> Vec<Result<GameRecord, String>> {
        let text = sgf::decode(bytes);
        if abstract_play::games(&text).is_some() {
            return self.read_first(bytes, most, default);
        }
        let games = sgf::games_with_variations(&text).take(most.max(1));
        games_of(&text, games, default)
    }
}

/// The games of a text with their starts checked.
fn games_of(
    text: &str,
    games: impl Iterator<Item = Result<sgf::SgfGame, String>>,
    default: &DefaultStart<'_>,
) -> Vec<Result<GameRecord, String>> {
    let mut index = sgf::LineIndex::new(text);
    // A file may hold very many records, most of them from the same start.
    let mut defaults = BTreeMap::new();
    let record = |game: Result<sgf::SgfGame, String>| {
        let game = game?;
        let default = defaults
            .entry(game.size)
            .or_insert_with(|| default(Some(game.size.side())).and_then(tanbo_start));
        let start =
            start_or(&game, default.as_ref()).map_err(|fault| index.error((game.at, fault)))?;
        game.check_mid_game_setup(&start)
            .map_err(|fault| index.error(fault))?;
        Ok(game.record.map(start as SharedStart, MoveCode::from))
    };
    games.map(record).collect()
}

/// A start as Tanbo knows it; `None` for a start of another game.
pub(super) fn tanbo_start(shared: SharedStart) -> Option<Arc<Start>> {
    setup_of(&*shared)?.check(None).ok().map(Arc::new)
}

/// The start of a record: its own stones, or else those of `default`, the start for its size.
pub(super) fn start_or(
    game: &sgf::SgfGame,
    default: Option<&Arc<Start>>,
) -> Result<Arc<Start>, String> {
    let checked = |setup: Setup| match setup.check(None) {
        Ok(start) => Ok(Arc::new(start)),
        Err(refusal) => Err(refusal.to_string()),
    };
    if let Some(setup) = &game.setup {
        return checked(setup.clone());
    }
    let Some(default) = default else {
        return Err(format!(
            "the game has no stones before its first move: expected `AB` and `AW` on {0}x{0}",
            game.size
        ));
    };
    match game.to_move {
        Some(to_move) if to_move != default.setup().to_move => checked(Setup {
            to_move,
            ..default.setup().clone()
        }),
        _ => Ok(default.clone()),
    }
}

/// Whether a text is to be read as SGF: it begins like SGF, or a record begins somewhere in it.
pub(super) fn is_sgf(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    text.starts_with('(') || sgf::has_game(text)
}

/// The stones of a start position; `None` for a start of another game.
fn setup_of(start: &dyn StartPosition) -> Option<Setup> {
    if start.variant().name() != NAME {
        return None;
    }
    Some(Setup {
        size: BoardSize::new(start.side()).ok()?,
        stones: start.stones()?.clone(),
        to_move: start.to_move(),
    })
}
