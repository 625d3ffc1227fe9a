//! Oddities of FF[4] files.

use tanada::board::vertex;
use tanada::engine::Engine;
use tanada::games;
use tanada::params::Params;
use tanada::util::random::Random;
use tanada::variant::SharedStart;

use super::{GAME, check, told};

/// A text in UTF-16 with the low or the high byte first.
fn wide(text: &str, low_first: bool) -> Vec<u8> {
    let bytes = |unit: u16| {
        if low_first {
            unit.to_le_bytes()
        } else {
            unit.to_be_bytes()
        }
    };
    text.encode_utf16().flat_map(bytes).collect()
}

#[test]
fn ff4_files_are_read() {
    let text = "(;FF[4]CA[UTF-8]SZ[9]PB[田];B[bg];W[bc];B[bf];W[bd])";
    let named = "9 4B|BB3 WB7 BB4 WB6|black=\"田\"";
    let marked = [b"\xef\xbb\xbf", text.as_bytes()].concat();
    let low = [b"\xff\xfe".to_vec(), wide(text, true)].concat();
    let high = [b"\xfe\xff".to_vec(), wide(text, false)].concat();
    let bare = wide(text, false);
    let mislabelled = text.replace("UTF-8", "ISO-8859-1");
    let deep = format!(
        "(;FF[4]SZ[9]{}{};B[bg];W[bc];B[bf];W[bd]{}",
        ";".repeat(1000),
        "(;".repeat(50_000),
        ")".repeat(50_001)
    );
    check(&[
        ("UTF-8 with a mark", &marked, named),
        ("UTF-16, low byte first", &low, named),
        ("UTF-16, high byte first", &high, named),
        ("UTF-16 without a mark", &bare, named),
        ("UTF-8 under another name", mislabelled.as_bytes(), named),
        (
            "Shift_JIS with a bracket's byte in a name",
            // The second byte of each letter is a backslash or a bracket.
            b"(;FF[4]CA[Shift_JIS]SZ[9]PB[\x83\x5c\x83\x5d];B[bg])",
            "9 4B|BB3|black=\"\u{30bd}\u{30be}\"",
        ),
        (
            "a code page by its number",
            b"(;FF[4]CA[cp936]SZ[9]PB[\xc5\xef\xcc\xef];B[bg])",
            "9 4B|BB3|black=\"\u{68da}\u{7530}\"",
        ),
        (
            "an encoding for each game",
            b"(;FF[4]CA[KOI8-R]SZ[9]PB[\xe1])(;FF[4]CA[UTF-8]SZ[9]PB[\xd0\x90])",
            "9 4B||black=\"\u{410}\"\n9 4B||black=\"\u{410}\"",
        ),
        (
            "an encoding that does not exist",
            b"(;FF[4]CA[x-mine]SZ[9];B[bg];W[bc];B[bf];W[bd])",
            GAME,
        ),
        (
            "bytes that are not what CA says",
            b"(;FF[4]CA[UTF-8]SZ[9]PB[Zo\xeb];B[bg])",
            "9 4B|BB3|black=\"Zo\u{eb}\"",
        ),
        (
            "compressed points",
            b"(;FF[4]SZ[9]AB[aa:ac][ea:ca]AW[ig:ii];B[ad])",
            "9 9B|BA6",
        ),
        (
            "escapes",
            b"(;FF[4]SZ[9]AP[tanada:1\\:2]GN[a\\]b\\\\c\\:d];B[bg]C[\\(\\;\\)])",
            "9 4B|BB3{(;)}|version=\"1:2\"|name=\"a]b\\\\c:d\"",
        ),
        (
            "brackets and nodes in a comment",
            b"(;FF[4]SZ[9]C[(;B[aa\\]) ;W];B[bg])",
            "9 4B|BB3|comment=\"(;B[aa]) ;W\"",
        ),
        (
            "a line end in a name",
            b"(;FF[4]SZ[9]PB[Ann\nBee]PW[a\\\nb];B[bg])",
            "9 4B|BB3|black=\"Ann Bee\"|white=\"ab\"",
        ),
        ("a size of two parts", b"(;FF[4]SZ[9:9];B[bg];W[bc];B[bf];W[bd])", GAME),
        (
            "variations",
            b"(;FF[4]SZ[9];B[bg](;W[bc];B[bf](;W[bd])(;W[zz]))(;W[]C[)];B[aa])(;))",
            GAME,
        ),
        ("variations within variations", deep.as_bytes(), GAME),
        (
            "passes and a word at the end",
            b"(;FF[4]SZ[9];B[bg];W[bc];B[bf];W[bd]C[good];B[];W[]C[thanks];C[bye])",
            "9 4B|BB3 WB7 BB4 WB6{good/thanks/bye}",
        ),
        ("nothing but passes", b"(;FF[4]SZ[9];B[]C[no];W[])", "9 4B||comment=\"no\""),
        ("no size", b"(;FF[4])", "19 16B|"),
        (
            "empty values",
            b"(;FF[4]GM[]SZ[9]PL[]PB[]C[]AB[]AW[]KM[];B[bg]C[];W[bc];B[bf];W[bd])",
            GAME,
        ),
        (
            "White to move without stones",
            b"(;FF[4]SZ[9]PL[W];W[bc])",
            "9 4W|WB7",
        ),
        (
            "four players",
            b"(;FF[4]SZ[5]AB[aa]AW[ea]ARED[ae]AGREEN[ee]TURN[R]PRED[Cay];RED[be]REDL[5];GREEN[de];B[ba])",
            "5 4R|RB1@5 GD1 BB5|red=\"Cay\"",
        ),
        (
            "private properties",
            b"(;FF[4]SZ[9]KGSDE[1]MULTIGOGM[1]X_1[y]B2[z]SBKV[50.1];B[bg];W[bc];B[bf];W[bd])",
            GAME,
        ),
        (
            "marks, labels and figures",
            b"(;FF[4]SZ[9]LB[aa:1][bb:2]TR[cc]AR[aa:bb]FG[257:x]PM[1]VW[aa:ii]ST[2];B[bg]KO[]MN[7]DM[1];W[bc];B[bf];W[bd])",
            GAME,
        ),
        (
            "all that is known of a game",
            b"(;FF[4]SZ[9]GN[7]EV[Cup]RO[2 (final)]DT[1996-05,06]PC[here]RE[B+R]TM[600]OT[5x30 byo-yomi]PB[Ann]PW[Ben]AP[GoGui:1.5.1]C[hi];B[bg]BL[12,5])",
            "9 4B|BB3@12.5|black=\"Ann\"|white=\"Ben\"|name=\"7\"|event=\"Cup\"|round=\"2 (final)\"|date=\"1996-05,06\"|place=\"here\"|result=\"B+R\"|time=\"600\"|overtime=\"5x30 byo-yomi\"|comment=\"hi\"",
        ),
        (
            "the same stone twice",
            b"(;FF[4]SZ[9]AB[bh][hb][bh]AW[bb][hh]AB[hb];B[bg];W[bc];B[bf];W[bd])",
            GAME,
        ),
        (
            "as GoGui writes it",
            b"(;FF[4]CA[UTF-8]AP[GoGui:1.5.1]SZ[9]\nKM[6.5]PB[me]PW[tanada]DT[2026-01-31]AB[hb][bh]AW[bb][hh]PL[B]\n;B[bg]BL[59];W[bc]WL[58];B[bf]BL[57];W[bd]WL[56])\n",
            "9 4B|BB3@59 WB7@58 BB4@57 WB6@56|black=\"me\"|white=\"tanada\"|date=\"2026-01-31\"",
        ),
        (
            "as Sabaki writes it",
            b"(;GM[1]FF[4]CA[UTF-8]AP[Sabaki:0.60.2]KM[6.5]SZ[9]DT[2026-01-31]AB[bh][hb]AW[bb][hh]\n;B[bg](;W[bc];B[bf];W[bd]SBKV[51];B[])\n(;W[cb]))",
            "9 4B|BB3 WB7 BB4 WB6|date=\"2026-01-31\"",
        ),
    ]);
}

/// A game to its end, as a program writes it that knows Go only: people took the removed stones
/// off by hand, and both passed.
fn by_hand(start: &SharedStart, seed: u64, wrong: bool) -> String {
    let mut random = Random::new(seed);
    let mut engine = Engine::new(start.clone(), Params::default());
    let mut text = format!("(;FF[4]SZ[{}]", start.side());
    let mut mistakes = 0;
    while !engine.is_over() {
        let size = engine.stones().unwrap().size();
        let letters = |p| {
            let letter = |n: usize| char::from(b'a' + n as u8);
            let row = size.side() - 1 - tanada::board::Point::row(p, size);
            format!(
                "{}{}",
                letter(tanada::board::Point::column(p, size)),
                letter(row)
            )
        };
        let before: Vec<_> = size
            .points()
            .filter(|&p| engine.stones().unwrap().stone_at(p).is_some())
            .collect();
        let legal = engine.legal();
        let code = legal[random.below(legal.len() as u32) as usize];
        let seat = engine.to_move();
        let point = vertex::parse(&engine.name(code), size).unwrap();
        engine.play(code).unwrap();
        text += &format!(";{}[{}]", engine.variant().letter(seat), letters(point));
        let stones = engine.stones().unwrap();
        let gone = before
            .iter()
            .chain([&point])
            .filter(|&&p| stones.stone_at(p).is_none());
        let gone: Vec<String> = gone.map(|&p| format!("[{}]", letters(p))).collect();
        if !gone.is_empty() {
            text += &format!(";AE{}", gone.concat());
            if wrong && mistakes == 0 {
                mistakes += 1;
                let left = before.iter().find(|&&p| stones.stone_at(p).is_some());
                text += &format!("\n;AE[{}]", letters(*left.unwrap()));
            }
        }
    }
    text + ";B[];W[])"
}

#[test]
fn stones_taken_off_by_hand_are_what_the_rules_say() {
    let tanbo = games::find("tanbo").unwrap();
    for side in [5, 7, 9] {
        let start = tanbo.start(Some(side), None, None).unwrap();
        let right = by_hand(&start, side as u64, false);
        let records = tanbo.read_games(right.as_bytes()).unwrap();
        assert_eq!(
            records[0].moves.len(),
            right.matches([';']).count() - 3 - right.matches("AE").count()
        );
        let wrong = by_hand(&start, side as u64, true);
        let error = told("tanbo", wrong.as_bytes()).unwrap_err();
        assert!(
            error.starts_with("line 2, column 4: `AE` changes the board between moves"),
            "{error}"
        );
    }
}
