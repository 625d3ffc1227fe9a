//! Matches of a game whose turns have several moves: Taratibu.

use serde_json::Value;

use super::{Folder, failure, play, vertices, words};
use crate::oracle::taratibu::{Board, Outcome, name, step};

fn arguments(folder: &Folder, engines: &[&str]) -> Vec<String> {
    let mut arguments = words(
        "--game taratibu --pairs 3 --plies 3 --seed 5 --iterations 30 --records",
        &[&folder.text()],
    );
    for engine in engines {
        arguments.extend(["--engine".to_string(), engine.to_string()]);
    }
    arguments
}

/// The oracle's board after the game.
fn replayed(game: &Value) -> Board {
    let mut board = Board::new_game();
    for word in vertices(game) {
        assert!(board.outcome().is_none(), "steps after the end");
        let legal: Vec<String> = board.legal_steps().into_iter().map(name).collect();
        assert!(legal.contains(&word.to_string()), "{word}");
        board.play(step(word));
    }
    board
}

#[test]
fn turns_are_recorded_step_by_step_and_replay() {
    let folder = Folder::new();
    let report = play(&arguments(
        &folder,
        &["name=tree", "name=greedy,preset=greedy"],
    ));
    assert!(report.contains("Taratibu 7x7, 3 random plies"), "{report}");
    let games = folder.games();
    assert_eq!(games.len(), 6);
    for (number, game) in &games {
        let start = game["start"].as_str().unwrap();
        assert!(start.starts_with("game: taratibu\n"), "{start}");
        let result = match replayed(game).outcome().expect("a game that is over") {
            Outcome::Drawn => "0".to_string(),
            Outcome::Won(side) => format!("{}+", side.word()[..1].to_uppercase()),
        };
        assert_eq!(game["result"], result.as_str(), "game {number}");
        let text = folder.read(&format!("games/{number:06}.txt"));
        assert!(text.contains(&format!("# result: {result}\n")), "{text}");
        // The same steps, a line for each turn.
        let turns: Vec<&str> = text
            .lines()
            .filter(|line| line.contains(" white ") || line.contains(" black "))
            .filter_map(|line| line.split(' ').nth(2))
            .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
            .collect();
        let steps: Vec<&str> = turns.iter().flat_map(|turn| turn.split('-')).collect();
        assert_eq!(steps, vertices(game));
    }
}

#[test]
fn programs_play_whole_turns_over_pipes() {
    let inside = Folder::new();
    play(&arguments(
        &inside,
        &["name=a", "name=b,initial_value_visits=5"],
    ));
    let outside = Folder::new();
    let program = format!(
        "command={} gtp --game taratibu",
        env!("CARGO_BIN_EXE_tanada")
    );
    let [a, b] = ["name=a", "name=b,initial_value_visits=5"]
        .map(|settings| format!("{settings},{program} --threads 1,memory=256,threads=1"));
    play(&arguments(&outside, &[&a, &b]));
    let moves = |folder: &Folder| -> Vec<String> {
        folder
            .games()
            .values()
            .map(|game| vertices(game).join(" "))
            .collect()
    };
    assert_eq!(moves(&inside), moves(&outside));
}

#[test]
fn openings_have_turns_and_wrong_ones_are_quoted() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path()).unwrap();
    let book = folder.path().join("book");
    let openings = |text: &str| {
        std::fs::write(&book, text).unwrap();
        let records = Folder::new();
        let mut all = words("--game taratibu --pairs 1 --iterations 10 --openings", &[]);
        all.push(book.to_str().unwrap().to_string());
        all.extend(words(
            "--engine name=a --engine name=b,initial_value_visits=3 --records",
            &[],
        ));
        all.push(records.text());
        (all, records)
    };
    let (right, records) = openings("7264 4765-6564 # the sample game\n");
    play(&right);
    for game in records.games().values() {
        assert_eq!(vertices(game)[..3], ["7264", "4765", "6564"]);
        assert_eq!(game["opening"], 3);
    }
    let (wrong, _records) = openings("7264 4765-6561\n");
    let complaint = failure(&wrong, 2);
    assert!(
        complaint.contains("move 2: illegal move `4765-6561`: expected a step of"),
        "{complaint}"
    );
}

#[test]
fn draws_are_half_a_point_each() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path()).unwrap();
    let start = folder.path().join("start");
    // Black has one step left in the game, and cannot win by it.
    let text = "...m.../......./......./......./......./......./...M.../turn 10, 1 step left";
    std::fs::write(&start, text.replace('/', "\n")).unwrap();
    let mut arguments = words(
        "--game taratibu --pairs 3 --plies 0 --iterations 20 --setup",
        &[],
    );
    arguments.push(start.to_str().unwrap().to_string());
    arguments.extend(words(
        "--engine name=a --engine name=b,preset=greedy --json",
        &[],
    ));
    let report: Value = serde_json::from_str(&play(&arguments)).unwrap();
    let meeting = &report["meetings"][0];
    let counts = ["wins", "draws", "losses"].map(|key| meeting[key].as_u64().unwrap());
    assert_eq!(counts, [0, 6, 0]);
    assert_eq!(
        (&meeting["score"], &meeting["los"]),
        (&0.5.into(), &0.5.into())
    );
    assert_eq!(meeting["pentanomial"], serde_json::json!([0, 0, 3, 0, 0]));
    assert_eq!(report["engines"][1]["points"], 3.0);
}

#[test]
fn who_is_out_gets_nothing_when_somebody_gives_up() {
    let folder = Folder::new();
    let start = super::data_path("perft/positions/four_7_a.txt");
    let mut arguments = words("--pairs 3 --plies 0 --iterations 30 --seed 2 --setup", &[]);
    arguments.push(start);
    arguments.extend(words(
        "--engine name=a,resign=0.4 --engine name=b,resign=0.2 --records",
        &[&folder.text()],
    ));
    play(&arguments);
    let mut resigned = 0;
    for game in folder
        .games()
        .values()
        .filter(|game| game["end"]["kind"] == "resigned")
    {
        let board = super::records::replayed(game);
        let by = game["end"]["by"].as_u64().unwrap();
        let players = game["players"].as_array().unwrap();
        let is_left = |place: &u64| {
            let colour = players[*place as usize]["colour"].as_str().unwrap();
            let colour = crate::Colour::ALL.into_iter().find(|c| c.word() == colour);
            *place != by && !board.roots_of(colour.unwrap()).is_empty()
        };
        let left: Vec<u64> = (0..players.len() as u64).filter(is_left).collect();
        match left[..] {
            [one] => assert_eq!(game["winner"], players[one as usize]["colour"]),
            _ => assert_eq!(game["sharing"], serde_json::json!(left)),
        }
        resigned += 1;
    }
    assert!(resigned > 3);
}
