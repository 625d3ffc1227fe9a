//! Opening and saving games. The bytes come from the page, and the text goes to it: no file of this
//! machine is read or written.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};

use super::error::ApiError;
use super::header::Header;
use super::line::{Line, MOST_MOVES};
use super::tree::Tree;
use crate::games;
use crate::review;
use crate::variant::{GameRecord, Variant};

/// The most games of a file.
const MOST_GAMES: usize = 1000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AskOpen {
    base64: String,
}

/// The answer to `open`.
#[derive(Serialize)]
pub(super) struct Opened {
    game: &'static str,
    games: Vec<OpenedGame>,
    /// What of the file cannot be opened, and why.
    faults: Vec<String>,
}

#[derive(Serialize)]
struct OpenedGame {
    line: Line,
    header: Header,
    comment: Option<String>,
    comments: Vec<Option<String>>,
    tree: Tree,
}

/// Reads the games or the position of a file.
pub(super) fn open(asked: &AskOpen) -> Result<Opened, ApiError> {
    let bytes = BASE64_STANDARD.decode(&asked.base64);
    let bytes = bytes.map_err(|_| ApiError::content("the file is not in base64"))?;
    let mut known = games::GAMES.iter().copied();
    let Some(variant) = known.find(|variant| variant.records().is_record(&bytes)) else {
        return position(&bytes);
    };
    let records = variant
        .records()
        .read_with_variations(&bytes, MOST_GAMES, &|side| {
            variant.start(side, None, None).ok()
        });
    let (mut games, mut faults) = (Vec::new(), Vec::new());
    let count = records.len();
    for (number, record) in (1..).zip(records) {
        let found = record.and_then(|record| opened(&record));
        match found {
            Ok((game, illegal)) => {
                games.push(game);
                if illegal > 0 {
                    let text =
                        format!("game {number}: variations with illegal moves were left out");
                    faults.push(text);
                }
            }
            Err(why) if count == 1 => return Err(ApiError::content(why)),
            Err(why) => faults.push(format!("game {number}: {why}")),
        }
    }
    if let ([], [first, ..]) = (games.as_slice(), faults.as_slice()) {
        return Err(ApiError::content(first));
    }
    Ok(Opened {
        game: variant.name(),
        games,
        faults,
    })
}

/// Reads a position without moves, of whichever game it is.
fn position(bytes: &[u8]) -> Result<Opened, ApiError> {
    let read = |variant: &dyn Variant| {
        let text = variant.records().decode(bytes.to_vec())?;
        variant.read(&text, None)
    };
    let mut starts = games::GAMES.iter().map(|&variant| read(variant));
    let first = starts.next().unwrap_or(Err(String::new()));
    let others = starts.find_map(Result::ok);
    let start = first.or_else(|why| others.ok_or(why));
    let start = start.map_err(|why| {
        ApiError::content(format!("the file is neither a game nor a position: {why}"))
    })?;
    let game = start.variant().name();
    let (only, _) = opened(&GameRecord::new(start)).map_err(ApiError::content)?;
    Ok(Opened {
        game,
        games: vec![only],
        faults: Vec::new(),
    })
}

/// A game for the page, and the number of illegal moves of its variations.
fn opened(record: &GameRecord) -> Result<(OpenedGame, usize), String> {
    if record.moves.len() > MOST_MOVES {
        let count = record.moves.len();
        return Err(format!(
            "it has `{count}` moves: expected at most {MOST_MOVES}"
        ));
    }
    let mut names = Vec::new();
    let followed = review::follow(record, &mut |_, step| {
        names.extend(step.map(|step| step.name.clone()));
    });
    followed.map_err(|error| error.to_string())?;
    let comments = record.moves.iter().map(|played| played.comment.clone());
    let (tree, illegal) = Tree::of(record);
    let game = OpenedGame {
        line: Line::of(record, names),
        header: Header::of(record),
        comment: record.comment.clone(),
        comments: comments.collect(),
        tree,
    };
    Ok((game, illegal))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AskSave {
    line: Line,
    #[serde(default)]
    header: Header,
    tree: Option<Tree>,
    format: Format,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    Record,
    Position,
}

/// The answer to `save`.
#[derive(Serialize)]
pub(super) struct Saved {
    text: String,
    extension: &'static str,
}

/// Writes a game, or the position at the end of a line. A tree has the moves of the game; without one
/// they are those of the line.
pub(super) fn save(asked: AskSave) -> Result<Saved, ApiError> {
    if matches!(asked.format, Format::Position) {
        let record = asked.line.read()?;
        let game = review::follow(&record, &mut |_, _| ()).map_err(ApiError::content)?;
        return Ok(Saved {
            text: game.position().position_text(),
            extension: "txt",
        });
    }
    let mut record = match &asked.tree {
        None => asked.line.read()?,
        Some(tree) => {
            let start = asked.line.start()?;
            if !start.variant().records().is_sgf() && tree.has_variations() {
                let title = start.variant().title();
                let text = format!("the records of {title} have no variations");
                return Err(ApiError::content(text));
            }
            tree.record(&start)?
        }
    };
    asked.header.apply(&mut record)?;
    let variant = record.start.variant();
    Ok(Saved {
        text: variant.write_game(record),
        extension: variant.records().extension(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn open_text(text: &str) -> Result<Value, ApiError> {
        let base64 = BASE64_STANDARD.encode(text);
        open(&AskOpen { base64 }).map(|opened| serde_json::to_value(opened).unwrap())
    }

    fn save_json(asked: Value) -> Result<String, ApiError> {
        save(serde_json::from_value(asked).unwrap()).map(|saved| saved.text)
    }

    #[test]
    fn what_is_saved_opens_again() {
        let line = json!({"game": "tanbo", "start": {"size": 9, "setup": "classic", "players": 2}, "moves": ["C2", "B7"]});
        let tree = json!([
            {"parent": null, "move": null, "comment": "Begin."},
            {"parent": 0, "move": "C2", "comment": null},
            {"parent": 1, "move": "B7", "comment": "Hm."},
        ]);
        let header = json!({"name": null, "event": "Club", "round": null, "date": "2026-01-02",
            "place": null, "result": "B+R", "players": ["Ann", null]});
        let asked = json!({"line": line, "header": header, "tree": tree, "format": "record"});
        let text = save_json(asked).unwrap();
        let opened = open_text(&text).unwrap();
        let game = &opened["games"][0];
        assert_eq!(opened["game"], "tanbo");
        assert_eq!(
            (&game["line"], &game["header"], &game["tree"]),
            (&line, &header, &tree)
        );
        assert_eq!(game["comments"], json!([null, "Hm."]));
        // The same text as the library writes.
        let record = crate::games::default().read_games(text.as_bytes()).unwrap();
        let [record]: [GameRecord; 1] = record.try_into().unwrap();
        assert_eq!(crate::games::default().write_game(record), text);
        let asked = json!({"line": line, "format": "position"});
        let text = save_json(asked).unwrap();
        let opened = open_text(&text).unwrap();
        assert_eq!(opened["games"][0]["line"]["start"]["text"], text);
    }

    #[test]
    fn variations_are_saved_and_opened() {
        let tree = json!([
            {"parent": null, "move": null, "comment": null},
            {"parent": 0, "move": "C2", "comment": null},
            {"parent": 1, "move": "B7", "comment": null},
            {"parent": 1, "move": "C8", "comment": "or so"},
        ]);
        let asked = json!({"line": {"start": {"size": 9}}, "tree": tree, "format": "record"});
        let opened = open_text(&save_json(asked).unwrap()).unwrap();
        assert_eq!(opened["games"][0]["tree"], tree);
    }

    #[test]
    fn games_of_all_kinds_open() {
        let other = crate::games::GAMES[1];
        let game = crate::review::new_game(&other.start(None, None, None).unwrap());
        let step = game.position().write_moves(&game.legal()[..1]);
        let text = format!("# Taratibu\n# white: Ann\n1 white {step}\n");
        let opened = open_text(&text).unwrap();
        assert_eq!(opened["game"], "taratibu");
        assert_eq!(opened["games"][0]["line"]["moves"], json!([step]));
        let opened = open_text(r#"[["a2"]]"#).unwrap();
        assert_eq!(opened["games"][0]["line"]["start"]["setup"], "dense");
        let two = "(;SZ[9];B[cc])(;GM[1]SZ[9])";
        let opened = open_text(two).unwrap();
        assert_eq!(opened["games"].as_array().unwrap().len(), 1);
        assert!(
            opened["faults"][0]
                .as_str()
                .unwrap()
                .starts_with("game 1: move 1"),
            "{opened}"
        );
        let start = crate::games::GAMES[1]
            .start(None, None, None)
            .unwrap()
            .text();
        assert_eq!(open_text(&start).unwrap()["game"], "taratibu");
    }

    #[test]
    fn other_files_are_explained() {
        for (text, part) in [
            ("", "neither a game nor a position"),
            ("\u{0}\u{1}", "neither"),
            ("(;SZ[9];B[aa])", "move 1"),
            ("(;SZ[99])", "99"),
            ("{\"a\":1}", "neither"),
        ] {
            let error = open_text(text).unwrap_err();
            assert!(error.text.contains(part), "{text}: {}", error.text);
        }
        let base64 = "%".to_string();
        assert!(
            open(&AskOpen { base64 })
                .err()
                .unwrap()
                .text
                .contains("base64")
        );
        let forked = json!([{}, {"parent": 0, "move": "1122"}, {"parent": 0, "move": "1122"}]);
        let asked = json!({"line": {"game": "taratibu"}, "tree": forked, "format": "record"});
        assert!(save_json(asked).unwrap_err().text.contains("variations"));
    }
}
