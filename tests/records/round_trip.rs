//! What is written is read back, and written again the same.

use proptest::prelude::*;
use tanada::engine::Engine;
use tanada::game::PerSeat;
use tanada::games;
use tanada::params::Params;
use tanada::util::random::Random;
use tanada::variant::Sheet;

/// A game of random moves.
fn game(name: &str, setup: &str, moves: usize, seed: u64) -> Sheet {
    let ruleset = games::find(name).unwrap();
    let start = match setup.parse() {
        Ok(side) => ruleset.start(Some(side), None, None),
        Err(_) => ruleset.read(setup, None),
    };
    let start = start.unwrap();
    let mut engine = Engine::new(start, Params::default());
    let mut random = Random::new(seed);
    while !engine.is_over() && engine.events().len() < moves {
        let legal = engine.legal();
        let code = legal[random.below(legal.len() as u32) as usize];
        engine.play(code).unwrap();
    }
    engine.sheet().unwrap()
}

fn line() -> impl Strategy<Value = Option<String>> + Clone {
    prop::option::of("([\\[\\]();:\\\\#BW a-c0-9]|\\PC){0,20}[a-z\\]\\\\é]")
}

fn text() -> impl Strategy<Value = Option<String>> + Clone {
    prop::option::of(
        "(([\\[\\]();:\\\\#BW a-c0-9]|\\PC){0,20}[a-z\\]\\\\é]\n){0,2}\n?[a-z#:\\]\\\\]{1,5}",
    )
}

fn sheets() -> impl Strategy<Value = Sheet> {
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
            let mut sheet = game(name, setup, moves, seed);
            let mut line = || lines.pop().flatten();
            let seconds = |time: Option<u32>| time.map(|time| f64::from(time) / 1000.0);
            sheet.version = line().unwrap_or_else(|| "1".to_string());
            for text in [
                &mut sheet.name,
                &mut sheet.event,
                &mut sheet.round,
                &mut sheet.date,
                &mut sheet.place,
                &mut sheet.result,
                &mut sheet.overtime,
            ] {
                *text = line();
            }
            let mut players = PerSeat::default();
            for &seat in sheet.start.players() {
                players[seat] = line();
            }
            sheet.players = players;
            for played in &mut sheet.moves {
                let (comment, time) = texts.pop().unwrap();
                (played.comment, played.time_left) = (comment, seconds(time));
            }
            let (comment, time) = texts.pop().unwrap();
            (sheet.comment, sheet.main_time) = (comment, seconds(time));
            sheet
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn records_say_the_same(sheet in sheets()) {
        let ruleset = sheet.start.ruleset();
        let text = ruleset.record(sheet.clone());
        prop_assert!(ruleset.is_record(text.as_bytes()));
        let read = ruleset.read_games(text.as_bytes()).unwrap();
        prop_assert_eq!(&read, std::slice::from_ref(&sheet));
        let again = ruleset.record(read[0].clone());
        prop_assert_eq!(&again, &text);
        let twice = ruleset.read_games(format!("{text}\n{text}").as_bytes()).unwrap();
        prop_assert_eq!(twice, [sheet.clone(), sheet]);
    }
}
