//! Records in plain text.

use super::told;

const START: &str = "\
dmfabes
htc....
.......
.......
.......
....CTH
SEBAFMD
turn 1, white to move, 1 step left
";

/// What a text says, without the board.
fn read(text: &str) -> Result<String, String> {
    told("taratibu", text.as_bytes())
}

#[test]
fn records_are_read_whole() {
    let text = format!(
        "# Taratibu\n# name: 7\n# event: Cup\n# round: 2\n# date: 2025-01-31\n# place: here\n\
         # result: W+\n# main time: 600\n# overtime: none\n# white: Ann: A.\n# black: Ben\n#\n\
         # date: no head any more\n#\n#  Taratibu\n{START}1 white 5262 12.5s\n2 black 1425 # one\n\
         # two\n2 black 2433\n"
    );
    let expected = "7 0W|W5262@12.5 B1425{one/two} B2433|white=\"Ann: A.\"|black=\"Ben\"|name=\"7\"\
                    |event=\"Cup\"|round=\"2\"|date=\"2025-01-31\"|place=\"here\"|result=\"W+\"\
                    |time=\"600\"|overtime=\"none\"|comment=\"date: no head any more\\n\\n Taratibu\"";
    assert_eq!(read(&text).as_deref(), Ok(expected));
    let crlf = text.replace('\n', "\r\n");
    assert_eq!(read(&crlf).as_deref(), Ok(expected));
    assert_eq!(read(&text.replace('\n', "\r")).as_deref(), Ok(expected));
    let marked = format!("\u{feff}\n{text}");
    assert_eq!(read(&marked).as_deref(), Ok(expected));
    let twice = format!("{text}\n{text}");
    let both = format!("{expected}\n{expected}");
    assert_eq!(read(&twice).as_deref(), Ok(both.as_str()));
}

#[test]
fn almost_everything_may_be_left_out() {
    for (text, expected) in [
        ("1 white 5262\n", "7 0W|W5262"),
        (
            "1. White 5262\n\n2. BLACK 1425-2433 # c",
            "7 0W|W5262 B1425 B2433{c}",
        ),
        (
            "# Taratibu\n# played at home\n1 white 5262",
            "7 0W|W5262|comment=\"played at home\"",
        ),
        ("1 white 5262\n#said later\n", "7 0W|W5262{said later}"),
        ("# Taratibu\n", "7 0W|"),
        (START, "7 0W|"),
    ] {
        assert_eq!(read(text).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn bad_records_are_explained() {
    for (text, part) in [
        (
            "",
            "line 1, column 1: the file holds no game: expected `# Taratibu` and moves",
        ),
        (
            "1 white 5262\n2 green 1425",
            "line 2, column 1: invalid turn `2 green 1425`: expected a number, white or black, and moves",
        ),
        (
            "1 white 5262\nresigned",
            "line 2, column 1: invalid turn `resigned`",
        ),
        ("1 white 5262-99", "line 1, column 9: invalid step `99`"),
        (
            "# Taratibu\n1 white 5262\n2 black é 1425",
            "line 3, column 9: invalid step `é`",
        ),
        (
            "1 white 5262\n2 black # hm",
            "line 2, column 9: `2 black # hm` has no moves",
        ),
        ("# Taratibu\nxyz\n1 white 5262", "line 2, column 1: "),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(part), "{text:?}: {error}");
    }
    let error = told("taratibu", b"# Taratibu\n1 white \xff").unwrap_err();
    assert_eq!(error, "line 2, column 9: this is not UTF-8 text");
}

/// What fuzzing found: each was written otherwise than it was read.
#[test]
fn odd_headers_and_comments_are_written_as_they_were_read() {
    let game = tanada::games::find("taratibu").unwrap();
    for (head, comment) in [
        ("# Taratibu\n#\n#\u{18}\0one\ttwo\0\n", " one two"),
        ("# Taratibu\n# Tanada:\n# said\n", "said"),
        (
            "# Taratibu\n#\n # Taratibu\n# Tanada: x\n",
            "Taratibu\nTanada: x",
        ),
    ] {
        let records = game
            .read_games(format!("{head}{START}").as_bytes())
            .unwrap();
        assert_eq!(records[0].comment.as_deref(), Some(comment));
        assert_eq!(records[0].version, env!("CARGO_PKG_VERSION"));
        let text = game.write_game(records[0].clone());
        assert_eq!(game.read_games(text.as_bytes()), Ok(records));
    }
}
