//! Files that are no records.

use proptest::prelude::*;
use tanada::games;

use super::told;

#[test]
fn bad_files_are_explained_in_one_sentence() {
    let sgf: [(&str, &[u8], &str); 23] = [
        (
            "empty",
            b"",
            "line 1, column 1: `` does not begin a game record: expected `(;`",
        ),
        (
            "no game",
            b"\r\n\r\n B3 B7",
            "line 3, column 2: `B3 B7` does not begin a game record",
        ),
        (
            "no node",
            b"(SZ[9])",
            "line 1, column 1: `(SZ[9])` does not begin a game record",
        ),
        (
            "cut off",
            b"(;FF[4]SZ[9]\r;B[bg]\r;W[bc]",
            "line 3, column 7: the record ends inside the game: expected `)`",
        ),
        (
            "an open value",
            b"(;SZ[9]\n;B[bg]C[hm)",
            "line 2, column 8: the value `[hm)` is not closed",
        ),
        (
            "an open value in a variation",
            b"(;SZ[9](;B[bg])(;C[)))",
            "line 1, column 19: the value `[)))` is not closed",
        ),
        (
            "a stray word",
            b"(;SZ[9]\n;B[bg] 2 ;W[bc])",
            "line 2, column 8: `2` is out of place",
        ),
        (
            "a name without a value",
            b"(;SZ[9]PB;B[bg])",
            "line 1, column 8: `PB` is out of place",
        ),
        (
            "a value without a name",
            b"(;[9])",
            "line 1, column 3: `[9]` is out of place",
        ),
        (
            "no board",
            b"(;\nSZ[3])",
            "line 2, column 3: invalid board size `SZ[3]`: expected 4 to 21",
        ),
        (
            "an oblong board",
            b"(;SZ[9:13])",
            "line 1, column 5: invalid board size `SZ[9:13]`",
        ),
        (
            "two sizes",
            b"(;SZ[9]SZ[13])",
            "line 1, column 10: `SZ` has more than one value",
        ),
        (
            "no point",
            b"(;SZ[9];B[jj])",
            "line 1, column 10: `B[jj]` is not a point of the 9x9 board: expected two letters from a to i",
        ),
        (
            "a point of other notation",
            b"(;SZ[9];B[C3])",
            "line 1, column 10: `B[C3]` is not a point",
        ),
        (
            "points off the board",
            b"(;SZ[9]AB[ha:jb])",
            "line 1, column 10: `AB[ha:jb]` is not a point",
        ),
        (
            "stones on each other",
            b"(;SZ[9]AB[aa]AW[aa])",
            "line 1, column 16: `AW[aa]` puts a stone on an occupied point",
        ),
        (
            "a pass in the game",
            b"(;SZ[9];B[bg];W[];B[bf])",
            "line 1, column 16: `W[]` is a pass before the last move",
        ),
        (
            "no colour",
            b"(;SZ[9]PL[R])",
            "line 1, column 10: `PL[R]` does not name a side to move: expected B or W",
        ),
        (
            "stones in the middle",
            b"(;SZ[9];B[bg]\n;AB[cc])",
            "line 2, column 4: `AB` changes the board between moves",
        ),
        (
            "stones after an illegal move",
            b"(;SZ[9];B[ee];AE[aa])",
            "line 1, column 17: `AE` changes the board",
        ),
        (
            "stones after a move out of turn",
            b"(;SZ[9];B[bg];B[bc];AE[aa])",
            "line 1, column 23: `AE` changes the board",
        ),
        (
            "a start that is none",
            b"(;)\n (;SZ[5]AB[aa][ab][ba][bb]AW[ee])",
            "line 2, column 2: the black root at A4 holds a loop",
        ),
        ("one player", b"(;SZ[5]AB[aa])", "line 1, column 1: "),
    ];
    for (name, bytes, expected) in sgf {
        let error = told("tanbo", bytes).unwrap_err();
        assert!(error.contains(expected), "{name}: {error}");
        assert!(!error.contains('\n'), "{name}: {error}");
    }
}

#[test]
fn hostile_files_are_no_trouble() {
    let many = 100_000;
    for text in [
        "(".repeat(10 * many),
        "(;".repeat(many),
        format!("{}{}", "(;".repeat(many), ")".repeat(many - 1)),
        format!("(;SZ[9]{}", "AE[aa]".repeat(many)),
        format!("(;SZ[21]AB[aa]AW[cc];B[ab];AE{}", "[aa:uu]".repeat(many)),
        "CA[gbk]".repeat(many),
        "CA[".repeat(many),
        format!("(;{}", "\\[".repeat(many)),
    ] {
        for game in games::GAMES {
            let error = game.read_games(text.as_bytes()).unwrap_err();
            assert!(error.len() < 1000, "{error}");
        }
    }
    let nested = format!("{}{}", "(;".repeat(many), ")".repeat(many));
    let long = format!("({})", ";C[x]".repeat(many));
    for text in [nested, long] {
        let records = games::default().read_games(text.as_bytes()).unwrap();
        assert_eq!(records.len(), 1);
    }
}

/// Parts of records of either kind, right and wrong.
const PARTS: [&[u8]; 34] = [
    b"(;",
    b"(",
    b")",
    b";",
    b"SZ[5]",
    b"SZ[9",
    b"AB[aa]",
    b"AW[ee]",
    b"AE[aa]",
    b"B[ab]",
    b"W[ed]",
    b"B[]",
    b"W[tt]",
    b"PL[W]",
    b"C[x\\]",
    b"]",
    b"\\",
    b"CA[gbk]",
    b"CA[utf-16]",
    b"\xff\xfe",
    b"\xc5\xef",
    b"\r\n",
    b"\0",
    b"BL[1e9]",
    b"# Taratibu\n",
    b"# white: x\n",
    b"#\n",
    b"1 white ",
    b"2 black 4163-6345 ",
    b"4765",
    b" # c\n",
    b"9.5s\n",
    b"turn 1, white to move\n",
    b"dmfabes\n",
];

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for game in games::GAMES {
            let _ = game.read_games(&bytes);
            let _ = game.records().is_record(&bytes);
            let _ = game.records().decode(bytes.clone());
        }
    }

    #[test]
    fn no_parts_of_records_panic(parts in prop::collection::vec(0..PARTS.len(), 0..40)) {
        let bytes: Vec<u8> = parts.into_iter().flat_map(|part| PARTS[part]).copied().collect();
        for game in games::GAMES {
            if let Err(error) = game.read_games(&bytes) {
                prop_assert!(error.starts_with("line "), "{}", error);
            }
        }
    }
}
