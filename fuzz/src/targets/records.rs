//! Files of game records.

use tanada::variant::RecordFormat;
use tanada::{Engine, GAMES, GameRecord, SharedStart, Variant};

use super::{sentence, small_params};

/// Reads bytes as SGF records of the first game.
pub(super) fn sgf(bytes: &[u8]) {
    records(GAMES[0], bytes);
}

/// Reads bytes as plain records, the format of games without one of their own.
pub(super) fn plain(bytes: &[u8]) {
    records(GAMES[1], bytes);
}

fn records(variant: &'static dyn Variant, bytes: &[u8]) {
    let format: &dyn RecordFormat = variant.records();
    let _ = format.is_record(bytes);
    let _ = format.is_own(bytes);
    if let Err(reason) = format.decode(bytes.to_vec()) {
        sentence(&reason);
    }
    let default = |side| variant.start(side, None, None).ok();
    let each = variant.read_each(bytes);
    assert_eq!(format.read_first(bytes, 1, &default)[..], each[..1]);
    for read in &each {
        match read {
            Ok(record) => read_back(variant, record),
            Err(reason) => sentence(reason),
        }
    }
    let with_variations = format.read_with_variations(bytes, 1, &default);
    if let (Some(Ok(record)), Ok(main)) = (with_variations.first(), &each[0]) {
        assert_eq!(record.moves, main.moves);
        for (i, variation) in record.variations.iter().enumerate() {
            assert!(variation.follows <= record.moves.len() + i);
        }
    }
}

/// A record whose moves are legal is read again as it was written.
fn read_back(variant: &'static dyn Variant, record: &GameRecord) {
    let start: SharedStart = record.start.clone();
    assert!(
        variant
            .read(&start.text(), None)
            .is_ok_and(|read| *read == *start)
    );
    let mut engine = Engine::new(start, small_params());
    for played in &record.moves {
        if engine.to_move() != played.seat || engine.play(played.mv).is_err() {
            return;
        }
    }
    let text = variant.write_game(record.clone());
    let read = variant.read_games(text.as_bytes()).expect("its own record");
    assert_eq!(read, std::slice::from_ref(record), "{text}");
}
