//! What is written is read back, and written again the same.

use proptest::prelude::*;
use tanada::engine::Engine;
use tanada::game::PerSeat;
use tanada::games;
use tanada::params::Params;
use tanada::util::random::Random;
use tanada::variant::GameRecord;

/// A game of random moves.
pub(super) fn game(name: &str, setup: &str, moves: usize, seed: u64) -> GameRecord {
    let variant = games::find(name).unwrap();
    let start = match setup.parse() {
        Ok(side) => variant.start(Some(side), None, None),
        Err(_) => variant.read(setup, None),
    };
    let start = start.unwrap();
    let mut engine = Engine::new(start, Params::default());
    let mut random = Random::new(seed);
    while !engine.is_over() && engine.events().len() < moves {
        let legal = engine.legal();
        let code = legal[random.below(legal.len() as u32) as usize];
        engine.play(code).unwrap();
    }
    engine.game_record().unwrap()
}

fn line() -> impl Strategy<Value = Option<String>> + Clone {
    prop::option::of("([\\[\\]();:\\\\#BW a-c0-9]|\\PC){0,20}[a-z\\]\\\\é]")
}

fn text() -> impl Strategy<Value = Option<String>> + Clone {
    prop::option::of(
        "(([\\[\\]();:\\\\#BW a-c0-9]|\\PC){0,20}[a-z\\]\\\\é]\n){0,2}\n?[a-z#:\\]\\\\]{1,5}",
    )
}

fn records() -> impl Strategy<Value = GameRecord> {
    let setups = prop::sample::select(vec![
        ("tanbo", "5"),
        ("tanbo", "9"),
        ("tanbo", "X....O\n......\n......\n..R...\n......\n......"),
        (
            "tanbo",
            "to move: green\nX....O\n......\n......\n..R...\n......\n.....G",
        ),
        ("taratibu", "7"),
    ]);
    let lines = prop::collection::vec(line(), 12);
    let texts = prop::collection::vec((text(), prop::option::of(0..1_000_000_u32)), 61);
    (setups, 0..60_usize, any::<u64>(), lines, texts).prop_map(
        |((name, setup), moves, seed, mut lines, mut texts)| {
            let mut record = game(name, setup, moves, seed);
            let mut line = || lines.pop().flatten();
            let seconds = |time: Option<u32>| time.map(|time| f64::from(time) / 1000.0);
            record.version = line().unwrap_or_else(|| "1".to_string());
            for text in [
                &mut record.name,
                &mut record.event,
                &mut record.round,
                &mut record.date,
                &mut record.place,
                &mut record.result,
                &mut record.overtime,
            ] {
                *text = line();
            }
            let mut players = PerSeat::default();
            for &seat in record.start.players() {
                players[seat] = line();
            }
            record.players = players;
            for played in &mut record.moves {
                let (comment, time) = texts.pop().unwrap();
                (played.comment, played.time_left) = (comment, seconds(time));
            }
            let (comment, time) = texts.pop().unwrap();
            (record.comment, record.main_time) = (comment, seconds(time));
            record
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn records_say_the_same(record in records()) {
        let variant = record.start.variant();
        let text = variant.write_game(record.clone());
        prop_assert!(variant.records().is_record(text.as_bytes()));
        let read = variant.read_games(text.as_bytes()).unwrap();
        prop_assert_eq!(&read, std::slice::from_ref(&record));
        let again = variant.write_game(read[0].clone());
        prop_assert_eq!(&again, &text);
        let twice = variant.read_games(format!("{text}\n{text}").as_bytes()).unwrap();
        prop_assert_eq!(twice, [record.clone(), record]);
    }
}
