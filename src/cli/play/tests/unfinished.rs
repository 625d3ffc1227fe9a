//! Games that are left and resumed.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;

/// A dialogue as `tanada play` begins it, with the game in the file.
fn resumed(path: &Path) -> (Dialogue, String) {
    let file = UnfinishedGameFile::at(Some(path.to_path_buf()));
    let mut asked = wishes(start("tanbo", 9));
    match file.load() {
        Ok(offer) => asked.offer = offer,
        Err(note) => asked.notes = vec![note],
    }
    begin(PlayRequest { file, ..asked })
}

fn wishes_on(path: &Path, start: SharedStart) -> PlayRequest {
    PlayRequest {
        file: UnfinishedGameFile::at(Some(path.to_path_buf())),
        ..wishes(start)
    }
}

/// Leaves a game on 9x9 after a move of each side.
fn left(path: &Path) {
    let mut dialogue = after(wishes_on(path, start("tanbo", 9)), &["black", "B3"]);
    leave(&mut dialogue).unwrap();
}

fn leave(dialogue: &mut Dialogue) -> Option<String> {
    dialogue.leave(Instant::now()).unwrap()
}

fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state/tanada/unfinished-game");
    (folder, path)
}

#[test]
fn all_of_a_game_is_kept() {
    let game = games::default();
    let four = game
        .read(".....\n.X.O.\n.....\n.R.G.\n.....\n", None)
        .unwrap();
    let made_up = game
        .read("to move: white\nX...O\n.....\n..X..\n.....\nO....\n", None)
        .unwrap();
    for (start, colour) in [
        (start("tanbo", 9), "black"),
        (start("tanbo", 9), "white"),
        (start("taratibu", 7), "black"),
        (four, "red"),
        (made_up, "black"),
    ] {
        let (_folder, path) = place();
        let asked = PlayRequest {
            level: Level::find("medium").unwrap(),
            ..with_clocks("600+2.5", wishes_on(&path, start))
        };
        let mut dialogue = after(asked, &[colour]);
        for _ in 0..2 {
            let word = dialogue.engine.name(dialogue.engine.legal()[0]);
            say_after(&mut dialogue, &word, 20);
        }
        let said = leave(&mut dialogue).unwrap();
        assert!(said.contains("the next `tanada play` offers"), "{said}");

        let (mut again, text) = resumed(&path);
        has(&text, &[&format!("you play {colour}, level medium")]);
        assert_eq!(again.prompt(), "continue? ");
        assert!(say(&mut again, "perhaps").contains("yes or no"));
        expect(&mut again, "yes", &format!("You play {colour}."));
        assert!(**again.engine.start() == **dialogue.engine.start());
        assert_eq!(again.engine.events(), dialogue.engine.events());
        assert_eq!(again.seat(), dialogue.seat());
        assert_eq!(
            (again.level, again.control),
            (dialogue.level, dialogue.control)
        );
        assert_eq!(again.how, dialogue.how);
        assert_eq!(again.prompt(), dialogue.prompt());
        let shown = |dialogue: &mut Dialogue| {
            let text = say(dialogue, "time");
            text.replace("used", "")
        };
        assert_eq!(shown(&mut again), shown(&mut dialogue));
        // In Taratibu the second step does not end the turn.
        let time = shown(&mut again);
        assert!(time.contains("0:40") || time.contains("0:20"), "{time}");
        // The file is an ordinary record.
        let bytes = fs::read(&path).unwrap();
        let games = again.engine.variant().read_games(&bytes).unwrap();
        assert_eq!(games[0].moves.len(), again.engine.events().len());
        // The documents name the line.
        let comment = games[0].comment.as_deref().unwrap();
        let lines = comment.lines();
        let named = lines.filter(|line| line.starts_with("tanada play:"));
        assert_eq!(named.count(), 1, "{comment}");
    }
}

#[test]
fn the_time_of_a_move_that_is_not_made_is_spent() {
    let (_folder, path) = place();
    let asked = with_clocks("60", wishes_on(&path, start("tanbo", 9)));
    let mut dialogue = after(asked, &["black", "B3"]);
    dialogue
        .leave(Instant::now() + Duration::from_secs(25))
        .unwrap();
    let (mut again, _) = resumed(&path);
    say(&mut again, "y");
    expect(&mut again, "time", "black 0:25 used, 0:34 left");
    // A clock that ran out meanwhile has ended the game, and there is nothing to keep.
    again
        .leave(Instant::now() + Duration::from_secs(50))
        .unwrap();
    assert!(!path.exists());
}

#[test]
fn a_pie_may_be_left_on_the_table() {
    let (_folder, path) = place();
    let mut dialogue = after(wishes_on(&path, start("tanbo", 9)), &["pie"]);
    leave(&mut dialogue).unwrap();
    let (mut again, text) = resumed(&path);
    assert!(text.contains("after 1 move (you choose a colour"), "{text}");
    assert!(say(&mut again, "yes").contains("Which colour do you take"));
    say(&mut again, "black");
    assert_eq!(again.engine.events().len(), 2);
    assert!(say(&mut again, "undo").contains("no move of yours"));
}

#[test]
fn games_without_moves_and_finished_ones_are_not_kept() {
    let (_folder, path) = place();
    for lines in [
        &[][..],
        &["black"],
        &["setup"],
        &["black", "B3", "resign"],
        &["black", "B3", "undo"],
    ] {
        let mut dialogue = after(wishes_on(&path, start("tanbo", 9)), lines);
        assert_eq!(leave(&mut dialogue), None, "{lines:?}");
        assert!(!path.exists());
    }
    // Nor is a game that was kept and then ended.
    left(&path);
    let (mut again, _) = resumed(&path);
    assert_eq!(leave(&mut again), None);
    assert!(path.exists(), "the question was not answered");
    let (mut again, _) = resumed(&path);
    say(&mut again, "yes");
    say(&mut again, "resign");
    assert_eq!(leave(&mut again), None);
    assert!(!path.exists());
}

#[test]
fn another_game_does_not_cost_the_kept_one() {
    let (_folder, path) = place();
    let aside = path.with_file_name("unfinished-game-before");
    left(&path);
    let first = fs::read(&path).unwrap();
    let (mut dialogue, _) = resumed(&path);
    let text = say(&mut dialogue, "no");
    has(&text, &[aside.to_str().unwrap(), "Which colour"]);
    assert!(!path.exists());
    assert_eq!(fs::read(&aside).unwrap(), first);
    // A game of other options takes the place, and the one that lay there moves aside.
    left(&path);
    let second = fs::read(&path).unwrap();
    let mut dialogue = after(wishes_on(&path, start("tanbo", 13)), &["black", "A2"]);
    leave(&mut dialogue).unwrap();
    assert_eq!(fs::read(&aside).unwrap(), second);
    // So does `new`.
    let (mut dialogue, _) = resumed(&path);
    say(&mut dialogue, "yes");
    let text = say(&mut dialogue, "new");
    has(&text, &[aside.to_str().unwrap(), "Which colour"]);
    assert_eq!(
        (dialogue.prompt(), dialogue.engine.start().side()),
        ("your colour> ".into(), 13)
    );
    assert!(dialogue.engine.events().is_empty() && !path.exists());
}

#[test]
fn a_damaged_file_is_told_of_and_stops_nothing() {
    let (_folder, path) = place();
    left(&path);
    let whole = fs::read_to_string(&path).unwrap();
    let damaged = [
        String::new(),
        "\x1b[31m\u{0}".to_string(),
        whole[..whole.len() / 2].to_string(),
        whole.replace("tanada play: ", ""),
        whole.replace("\"player\":\"black\"", "\"player\":\"red\""),
        whole.replace("\"level\":\"full\"", "\"level\":\"\x1b[31m\""),
        whole.replace("\"used\":[", "\"used\":[1,"),
        whole.replace("\"left\":[", "\"left\":[18446744073709551615,"),
        whole.replace("\"clock\":null", "\"clock\":\"1e400\""),
        whole.replace(";B[bg]", ";B[ee]"),
    ];
    for text in damaged {
        assert_ne!(text, whole);
        fs::write(&path, &text).unwrap();
        let (mut dialogue, shown) = resumed(&path);
        let told = shown.lines().next().unwrap();
        assert!(
            told.starts_with("Cannot read the unfinished game in `") && told.ends_with('.'),
            "{told}"
        );
        assert!(
            !shown.contains('\x1b') && shown.contains("Which colour"),
            "{shown}"
        );
        say(&mut dialogue, "black");
    }
    // A folder in its place can neither be read nor replaced.
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let (mut dialogue, shown) = resumed(&path);
    begins(&shown, "Cannot read the unfinished game in `");
    say(&mut dialogue, "black");
    say(&mut dialogue, "B3");
    let told = dialogue.leave(Instant::now()).unwrap_err();
    begins(&told, "The game is not kept: cannot write `");
    let mut dialogue = playing("tanbo", 9, "black");
    say(&mut dialogue, "B3");
    assert!(dialogue.leave(Instant::now()).is_err());
}

#[test]
fn a_level_that_is_asked_for_holds_in_the_kept_game() {
    let (_folder, path) = place();
    left(&path);
    let file = UnfinishedGameFile::at(Some(path.clone()));
    let asked = PlayRequest {
        offer: file.load().unwrap(),
        file,
        level: Level::find("hard").unwrap(),
        level_asked: true,
        ..wishes(start("tanbo", 9))
    };
    assert_eq!(after(asked, &["yes"]).level.name, "hard");
}

#[test]
fn a_game_of_a_file_is_kept_once_it_is_another() {
    let (_folder, path) = place();
    for (lines, is_kept) in [
        (&[][..], false),
        (&["white"], false),
        (&["white", "undo"], false),
        (&["white", "legal", "C8"], true),
        // Shorter than the file, but different.
        (&["black", "undo", "undo", "A2"], true),
        (&["pie"], true),
    ] {
        let file = UnfinishedGameFile::at(Some(path.clone()));
        let mut dialogue = after(PlayRequest { file, ..loaded() }, lines);
        assert_eq!(leave(&mut dialogue).is_some(), is_kept, "{lines:?}");
        assert_eq!(path.exists(), is_kept, "{lines:?}");
        if is_kept {
            let (mut again, _) = resumed(&path);
            say(&mut again, "yes");
            assert_eq!(again.engine.events(), dialogue.engine.events());
            std::fs::remove_file(&path).unwrap();
        }
    }
}
