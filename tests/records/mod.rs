//! Game records: files of every oddity are read, bad ones are explained, and what is written is
//! read back.

mod abstract_play;
mod faults;
mod ff3;
mod ff4;
mod plain;
mod round_trip;
mod size;

use tanada::games;
use tanada::variant::{GameRecord, RecordedMove};

/// What the games of a file say, one line each, the parts separated by `|`: size, stones and side
/// to move, the moves, and everything else that is there.
fn told(game: &str, bytes: &[u8]) -> Result<String, String> {
    let records = games::find(game).unwrap().read_games(bytes)?;
    Ok(records.iter().map(tell).collect::<Vec<_>>().join("\n"))
}

fn tell(record: &GameRecord) -> String {
    let start = &record.start;
    let variant = start.variant();
    let stones = start.text();
    let rows = stones.lines().filter(|line| !line.contains(':'));
    let count = rows.flat_map(str::chars).filter(|c| "XORG".contains(*c));
    let mut parts = vec![
        format!(
            "{} {}{}",
            start.side(),
            count.count(),
            variant.letter(start.to_move())
        ),
        moves(record),
    ];
    let players = start.players().iter().map(|&seat| {
        let name = record.players[seat].clone();
        (variant.colour(seat), name)
    });
    let seconds = record.main_time.map(|seconds| seconds.to_string());
    let own = env!("CARGO_PKG_VERSION");
    let version = Some(record.version.clone()).filter(|version| version != own);
    let about = [
        ("version", version),
        ("name", record.name.clone()),
        ("event", record.event.clone()),
        ("round", record.round.clone()),
        ("date", record.date.clone()),
        ("place", record.place.clone()),
        ("result", record.result.clone()),
        ("time", seconds),
        ("overtime", record.overtime.clone()),
        ("comment", record.comment.clone()),
    ];
    for (name, value) in players.chain(about) {
        parts.extend(value.map(|value| format!("{name}={value:?}")));
    }
    parts.join("|")
}

/// The moves with their colours, comments and times.
fn moves(record: &GameRecord) -> String {
    let variant = record.start.variant();
    let params = tanada::params::Params::default();
    let table = record.start.new_game(&params, None);
    let word = |played: &RecordedMove| {
        let name = table.position().write_moves(&[played.mv]);
        let mut word = format!("{}{name}", variant.letter(played.seat));
        if let Some(left) = played.time_left {
            word += &format!("@{left}");
        }
        if let Some(comment) = &played.comment {
            word += &format!("{{{}}}", comment.replace('\n', "/"));
        }
        word
    };
    let words: Vec<String> = record.moves.iter().map(word).collect();
    words.join(" ")
}

/// The game that most of the odd files hold.
const GAME: &str = "9 4B|BB3 WB7 BB4 WB6";

/// Reads each file of a table and compares what it says.
fn check(table: &[(&str, &[u8], &str)]) {
    for (name, bytes, expected) in table {
        let found = told("tanbo", bytes);
        assert_eq!(found.as_deref(), Ok(*expected), "{name}");
    }
    let mut names: Vec<&str> = table.iter().map(|(name, ..)| *name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), table.len());
    assert!(names.len() >= 20);
}
