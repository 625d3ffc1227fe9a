//! Games of self-play: the journal of an unfinished run, and the file that training reads.

use std::cell::OnceCell;
use std::fs;
use std::io::Write;
use std::sync::atomic::AtomicBool;

use arbitrary::Unstructured;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use tanada::fuzzing::files;
use tanada::lab::train::samples::SampleWriter;
use tanada::lab::train::selfplay::SelfplaySettings;
use tanada::{GAMES, Params, SharedStart};

use super::json::{alter, alter_some};
use super::{folder, sentence};

fn start() -> SharedStart {
    let start = GAMES[0].start(Some(5), None, None);
    start.expect("a built-in start")
}

fn run() -> SelfplaySettings {
    SelfplaySettings {
        seed: 1,
        first: 1,
        games: 4,
        iterations: 1,
        quick_iterations: 1,
        full_share: 1.0,
        opening_plies: 1,
        drawn_plies: 1,
        params: Params::default(),
        weights: None,
    }
}

thread_local! {
    static HEADER: OnceCell<Value> = const { OnceCell::new() };
}

/// The first line of a run.
fn header() -> Value {
    let begin = || {
        let folder = folder();
        let out = folder.path().join("games");
        files::resume_selfplay(&out, &start(), &run()).expect("a new run");
        let text = fs::read(folder.path().join("games.tanada-selfplay")).expect("a journal");
        serde_json::from_slice(&text).expect("a header")
    };
    HEADER.with(|header| header.get_or_init(begin).clone())
}

/// A whole game on 5x5.
fn game(number: usize) -> Value {
    const WORDS: [&str; 25] = [
        "B1", "B5", "D5", "C5", "C1", "C4", "D1", "C3", "D2", "E2", "A2", "D3", "A3", "E3", "E2",
        "A4", "B3", "E4", "B4", "E2", "D4", "B1", "B2", "A1", "C2",
    ];
    let mv = |word: &&str| {
        json!({"move": word, "full": true, "values": [0.5, 0.5], "proof": false,
        "next": [[word, 5, 0.5, 5], ["C2", 4, 0.25, 0]]})
    };
    json!({"game": number, "opening": [WORDS[0]], "moves": WORDS[1..21].iter().map(mv).collect::<Vec<_>>(),
        "winner": "white"})
}

/// The lines of a run: any bytes, or altered from valid ones.
fn lines(bytes: &[u8]) -> Option<Vec<u8>> {
    let (&first, rest) = bytes.split_first()?;
    if first & 0x80 == 0 {
        return Some(rest.to_vec());
    }
    let mut choices = Unstructured::new(rest);
    let mut header = header();
    if first & 1 != 0 {
        alter(&mut header, &mut choices).ok()?;
    }
    let count = usize::from(first >> 1 & 7);
    let mut games: Vec<Value> = (1..=count).map(game).collect();
    alter_some(&mut games, &mut choices);
    let mut text = with_order(&header) + "\n";
    games.iter().for_each(|game| text += &format!("{game}\n"));
    if first & 0x10 != 0 {
        text.pop();
    }
    Some(text.into_bytes())
}

/// A header begins with its format.
fn with_order(header: &Value) -> String {
    let format = &header["format"];
    let text = header.to_string();
    let rest = text.replacen(&format!("\"format\":{format},"), "", 1);
    match rest.strip_prefix('{') {
        Some(rest) => format!("{{\"format\":{format},{rest}"),
        None => text,
    }
}

/// What is whole in a journal stays, and what is refused too.
pub(super) fn journal(bytes: &[u8]) {
    let Some(lines) = lines(bytes) else {
        return;
    };
    let folder = folder();
    let out = folder.path().join("games");
    let path = folder.path().join("games.tanada-selfplay");
    fs::write(&path, &lines).expect("a file");
    let opened = files::resume_selfplay(&out, &start(), &run());
    let kept = fs::read(&path).expect("a file");
    match opened {
        Ok((games, positions)) => {
            // At most the last line is lost; without games, the header is written anew.
            let lost = lines.strip_prefix(&kept[..]).unwrap_or_else(|| {
                assert_eq!(games, 0);
                let below_header = lines.splitn(2, |&byte| byte == b'\n').nth(1);
                below_header.unwrap_or(&lines)
            });
            assert!(lost.split_inclusive(|&byte| byte == b'\n').count() <= 1);
            assert!(kept.ends_with(b"\n"));
            assert_eq!(
                kept.split_inclusive(|&byte| byte == b'\n').count(),
                1 + games
            );
            assert_eq!(
                files::resume_selfplay(&out, &start(), &run()),
                Ok((games, positions))
            );
        }
        Err(reason) => {
            sentence(&reason.replace(&folder.path().display().to_string(), "F"));
            assert_eq!(kept, lines);
        }
    }
}

/// Samples are complete, and there is one at least for each move.
pub(super) fn samples(bytes: &[u8]) {
    let Some(lines) = lines(bytes) else {
        return;
    };
    let folder = folder();
    let path = folder.path().join("games");
    let mut packed = GzEncoder::new(Vec::new(), Compression::none());
    packed.write_all(&lines).expect("memory");
    let packed = packed.finish().expect("memory");
    fs::write(&path, &packed).expect("a file");
    let stop = AtomicBool::new(false);
    let mut out = Vec::new();
    let mut writer = SampleWriter::new(&mut out, 1, &stop);
    let added = writer.add(&path.to_string_lossy());
    let (games, samples) = writer.counts();
    if let Err(reason) = &added {
        sentence(&reason.to_string().replace(&path.display().to_string(), "F"));
    } else {
        assert_eq!(
            games as usize + 1,
            lines
                .split(|&byte| byte == b'\n')
                .filter(|line| !line.is_empty())
                .count()
        );
    }
    if let Some(end) = out.iter().position(|&byte| byte == b'\n') {
        let head = String::from_utf8_lossy(&out[..end]);
        let size: usize = head
            .rsplit(' ')
            .next()
            .and_then(|word| word.parse().ok())
            .expect("bytes");
        assert_eq!(out.len(), end + 1 + samples * size);
    } else {
        assert!(added.is_err() && out.is_empty());
    }
    // A file that is cut off is refused.
    let half = &packed[..packed.len() - 1 - bytes.len() % 16];
    fs::write(&path, half).expect("a file");
    assert!(
        SampleWriter::new(Vec::new(), 1, &stop)
            .add(&path.to_string_lossy())
            .is_err()
    );
}
