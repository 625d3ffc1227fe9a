//! Oddities of files before FF[4].

use super::{GAME, check};

#[test]
fn ff3_files_are_read() {
    check(&[
        (
            "long names",
            b"(;GaMe[1]FileFormat[3]SiZe[9]AddBlack[bh][hb]AddWhite[bb][hh]\n;Black[bg];White[bc]\n;Black[bf];White[bd])",
            GAME,
        ),
        (
            "lower-case names",
            b"(;ff[3]gm[1]sz[9]ab[bh][hb]aw[bb][hh];b[bg];w[bc];b[bf];w[bd])",
            GAME,
        ),
        (
            "CR line ends",
            b"(;FF[3]\rGM[1]\rSZ[9]C[one\rtwo]\r;B[bg]\r;W[bc]\r;B[bf]\r;W[bd]\r)\r",
            "9 4B|BB3 WB7 BB4 WB6|comment=\"one\\ntwo\"",
        ),
        (
            "LFCR line ends",
            b"(;FF[3]\n\rSZ[9]C[one\n\rtwo]\n\r;B[bg];W[bc];B[bf]\n\r;W[bd])",
            "9 4B|BB3 WB7 BB4 WB6|comment=\"one\\ntwo\"",
        ),
        (
            "a mail before the game",
            b"From: Ann (ann@example.org)\nSubject: our game (won!)\n\n(see below)\n\n(;FF[3]SZ[9];B[bg];W[bc];B[bf];W[bd])",
            GAME,
        ),
        (
            "text between and behind games",
            b"1.\n(;FF[3]SZ[9];B[bg])\n2. (better)\n(;FF[3]SZ[9];W[bc])\nBye (",
            "9 4B|BB3\n9 4W|WB7",
        ),
        (
            "no GM",
            b"(;FF[3]SZ[9];B[bg];W[bc];B[bf];W[bd])",
            GAME,
        ),
        (
            "GM of another game",
            b"(;FF[3]GM[2]SZ[9];B[bg];W[bc];B[bf];W[bd])",
            GAME,
        ),
        (
            "GM in words",
            b"(;FF[3]GM[Tanbo]SZ[9];B[bg];W[bc];B[bf];W[bd])",
            GAME,
        ),
        (
            "blanks everywhere",
            b" ( ; FF [3]\n\tSZ\n[ 9 ] AB\t[bh] \n [ hb ]AW[bb] [hh]\n; B [ bg ] ; W\n[bc];B[bf];W[bd] ) ",
            GAME,
        ),
        (
            "a move in the first node",
            b"(;FF[3]SZ[9]B[bg];W[bc];B[bf];W[bd])",
            GAME,
        ),
        (
            "stones in the second node",
            b"(;FF[3]SZ[9];AB[aa]AW[ii];C[now]B[ab])",
            "9 2B|BA8{now}",
        ),
        (
            "stones changed before the first move",
            b"(;FF[3]SZ[9]AB[aa][cc]AW[ii];AE[cc]AB[ea]PL[W];W[ih])",
            "9 3W|WJ2",
        ),
        (
            "AE in the first node",
            b"(;FF[3]SZ[9]AE[aa][ab]AB[bh][hb]AW[bb][hh];B[bg];W[bc];B[bf];W[bd])",
            GAME,
        ),
        (
            "passes as tt at the end",
            b"(;FF[3]SZ[9];B[bg];W[bc];B[bf];W[bd];B[tt];W[tt])",
            GAME,
        ),
        (
            "Western European letters without a label",
            b"(;FF[3]SZ[9]PB[Zo\xeb]PW[M\xfcller];B[bg])",
            "9 4B|BB3|black=\"Zo\u{eb}\"|white=\"M\u{fc}ller\"",
        ),
        (
            "time in words",
            b"(;FF[3]SZ[9]TM[20 minutes each];B[bg])",
            "9 4B|BB3|overtime=\"20 minutes each\"",
        ),
        (
            "the end of file mark of old systems",
            b"(;FF[3]SZ[9];B[bg];W[bc];B[bf];W[bd])\r\n\x1a\0\0\0",
            GAME,
        ),
        (
            "a soft line break",
            b"(;FF[3]SZ[9]C[a comment that is \\\r\nlong];B[bg])",
            "9 4B|BB3|comment=\"a comment that is long\"",
        ),
        (
            "a comment before its move",
            b"(;FF[3]SZ[9];C[why]BL[9]B[bg];C[and]W[bc]WL[8.5])",
            "9 4B|BB3@9{why} WB7@8.5{and}",
        ),
        (
            "properties that no longer exist",
            b"(;FF[3]SZ[9]BS[0]WS[1]EL[3]EX[aa]LT[]SI[x]ID[7]OM[1]OP[Ann]OV[y];CH[1]L[aa][bb]M[cc]B[bg])",
            "9 4B|BB3",
        ),
        (
            "the same size twice",
            b"(;SZ[9]FF[3]SZ[9];B[bg];W[bc];B[bf];W[bd])",
            GAME,
        ),
        (
            "handicap and komi",
            b"(;FF[3]SZ[9]HA[2]KM[5.5]AB[bh][hb]AW[bb][hh]PL[Black];B[bg];W[bc];B[bf];W[bd])",
            GAME,
        ),
        (
            "two moves in one node",
            b"(;FF[3]SZ[9];B[bg]W[bc];B[bf]W[bd])",
            GAME,
        ),
        (
            "brackets around everything",
            b"(((;FF[3]SZ[9](((;B[bg];W[bc](;B[bf];W[bd])))))))",
            GAME,
        ),
        (
            "players in the second node",
            b"(;FF[3]SZ[9];PB[Ann]PW[Ben]EV[Cup]B[bg])",
            "9 4B|BB3|black=\"Ann\"|white=\"Ben\"|event=\"Cup\"",
        ),
        (
            "both clocks at every move",
            b"(;FF[3]SZ[9];B[bg]BL[58]WL[60];W[bc]BL[58]WL[57])",
            "9 4B|BB3@58 WB7@57",
        ),
        (
            "several comments",
            b"(;FF[3]SZ[9]C[a]C[b];B[bg]C[c];C[d];W[bc])",
            "9 4B|BB3{c/d} WB7|comment=\"a\\nb\"",
        ),
        (
            "no stones, White first",
            b"(;FF[3]SZ[9];W[bc];B[bg])",
            "9 4W|WB7 BB3",
        ),
    ]);
}
