//! Arbitrary bytes on the input.

use std::io::Cursor;

use proptest::prelude::*;
use tanada::gtp::{COMMANDS, ExitReason, Session, serve};

use super::{answer, execute, session};

/// The only empty line of an answer is its last one.
fn is_well_formed(text: &str) -> bool {
    let body = text.strip_suffix("\n\n").unwrap_or("");
    body.starts_with(['=', '?']) && !body.contains("\n\n") && !body.ends_with('\n')
}

/// A command with arguments. One that writes a file gets a path that cannot exist.
fn with_arguments(name: &str, arguments: &str) -> String {
    let writes = ["printsgf", "tanada-print_record"].contains(&name);
    if writes && !arguments.is_empty() {
        format!("{name} /nowhere/{arguments}")
    } else {
        format!("{name} {arguments}")
    }
}

fn stream(session: &mut Session, input: Vec<u8>) -> (ExitReason, String) {
    let mut output = Vec::new();
    let reason = serve(session, Cursor::new(input), &mut output, None).unwrap();
    (reason, String::from_utf8(output).unwrap())
}

#[test]
fn ids_line_ends_and_control_characters() {
    let mut session = session(Some(9), None, None);
    for (line, text) in [
        (&b"name\r\n"[..], "= Tanada\n\n"),
        (b"0 name", "=0 Tanada\n\n"),
        (b"2147483647\tname", "=2147483647 Tanada\n\n"),
        (b"2147483648 name", "? unknown command\n\n"),
        (b"-1 name", "? unknown command\n\n"),
        (b"12", "?12 unknown command\n\n"),
        (b"NAME", "? unknown command\n\n"),
        (b"\x00n\x07a\x1bme\x7f", "= Tanada\n\n"),
        (b"name#quit", "= Tanada\n\n"),
        (b"5 PLAY b B3", "?5 unknown command\n\n"),
        (b"5 play B b3", "=5 \n\n"),
        (b"\xff\xfe", "? unknown command\n\n"),
        (b"play w \xc3\x28", "? syntax error\n\n"),
        ("play w Ｂ7".as_bytes(), "? syntax error\n\n"),
        (b"   \t ", ""),
        (b"# interrupt", ""),
    ] {
        assert_eq!(answer(&mut session, line), text, "{line:?}");
    }
}

#[test]
fn long_lines_are_answered() {
    let mut session = session(Some(9), None, None);
    let many = format!("3 gogui-play_sequence{}", " b B3".repeat(20_000));
    assert_eq!(answer(&mut session, many), "?3 illegal move\n\n");
    assert_eq!(
        answer(&mut session, vec![b'x'; 100_000]),
        "? unknown command\n\n"
    );
    for command in COMMANDS {
        let line = with_arguments(command.name, &"y".repeat(100_000));
        let text = answer(&mut session, line);
        assert!(
            is_well_formed(&text) && text.len() < 20_000,
            "{}",
            command.name
        );
    }
}

#[test]
fn every_command_stands_alone_and_with_nonsense() {
    for command in COMMANDS {
        for arguments in [
            "",
            "x",
            "b",
            "b x",
            "0 0 0",
            "-1",
            "\u{e9} ` \" '",
            "b A1 b",
        ] {
            let mut session = session(Some(5), None, None);
            let line = with_arguments(command.name, arguments);
            let text = answer(&mut session, &line);
            assert!(is_well_formed(&text), "{line}: {text:?}");
        }
    }
}

#[test]
fn a_stream_is_answered_in_order() {
    let input = b"1 boardsize 5\r\n\r\n2 genmove b\n# x\n3 genmove w\n4 nothing\n5 quit\n6 name\n";
    let (reason, output) = stream(&mut session(None, None, None), input.to_vec());
    assert_eq!(reason, ExitReason::Quit);
    let heads: Vec<&str> = output
        .split_terminator("\n\n")
        .map(|text| text.split(' ').next().unwrap())
        .collect();
    assert_eq!(heads, ["=1", "=2", "=3", "?4", "=5"]);
}

#[test]
fn ten_thousand_board_commands_are_quick() {
    let mut input = Vec::new();
    for _ in 0..2_000 {
        input.extend(
            b"clear_board\nplay b B3\nplay w B7\ngogui-rules_board\ngogui-rules_legal_moves\n",
        );
    }
    input.extend(b"quit\n");
    let begin = std::time::Instant::now();
    let (reason, output) = stream(&mut session(Some(9), None, None), input);
    assert_eq!(
        (reason, output.matches("\n= ").count()),
        (ExitReason::Quit, 10_000)
    );
    // Debug builds check the position after each move, so the limit is generous.
    assert!(begin.elapsed().as_secs() < 10);
}

/// Lines that resemble commands, and arbitrary bytes.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let names: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
    let words = prop::sample::select(vec![
        "b", "w", "r", "white", "A1", "B3", "c1", "B7", "pass", "E5", "5", "7", "0", "-3", "1.5",
        "nan", "x", "classic", "corners", "fischer", "none", "seed", "resign", "preset", "uct",
        "null", "alive", "#",
    ]);
    let command = (
        prop::option::of(0u32..20),
        prop::sample::select(names),
        prop::collection::vec(words, 0..5),
    )
        .prop_map(|(id, name, words)| {
            let id = id.map(|id| format!("{id} ")).unwrap_or_default();
            format!("{id}{}", with_arguments(name, &words.join(" "))).into_bytes()
        });
    prop_oneof![
        4 => command,
        1 => prop::collection::vec(any::<u8>(), 0..60),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn anything_is_answered_and_errors_change_nothing(
        lines in prop::collection::vec(line(), 1..40)
    ) {
        let mut session = session(Some(5), None, None);
        let state = |session: &mut Session| {
            ["showboard", "gogui-rules_side_to_move", "gogui-rules_board_size", "tanada-param"]
                .map(|line| answer(session, line))
        };
        for line in &lines {
            // A random limit on time would only make the test slow.
            answer(&mut session, "tanada-param iterations 5");
            answer(&mut session, "kata-time_settings none");
            let before = state(&mut session);
            let response = execute(&mut session, line);
            if let Some(text) = &response.text {
                prop_assert!(is_well_formed(text), "{:?}: {:?}", line, text);
                if text.starts_with('?') {
                    prop_assert_eq!(&before, &state(&mut session), "{:?}", line);
                }
            }
        }
    }

    #[test]
    fn any_stream_is_answered(input in prop::collection::vec(any::<u8>(), 0..400)) {
        let (_, output) = stream(&mut session(Some(5), None, None), input);
        let complete = output.is_empty() || output.ends_with("\n\n");
        prop_assert!(complete && !output.contains("\n\n\n"));
    }
}
