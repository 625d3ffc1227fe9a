//! What the solver keeps: checkpoints, and the logs of proofs by parts.

use std::fs;

use arbitrary::Unstructured;
use flate2::Crc;
use tanada::fuzzing::files;

use super::{folder, next, sentence};

/// The question of checkpoints whose own is too short.
const QUESTION: [u64; 2] = [1, 2];

/// The first byte chooses whether the rest is a file of any bytes, or the results of a checkpoint and then changes of its
/// bytes.
pub(super) fn checkpoint(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else {
        return;
    };
    if first & 0x80 == 0 {
        return read_checkpoint(rest);
    }
    let mut choices = Unstructured::new(rest);
    let mut entries: Vec<(u32, u64)> = Vec::new();
    for _ in 0..first & 0x1f {
        let Ok((bucket, word)) = choices.arbitrary::<(u16, u64)>() else {
            return;
        };
        entries.push((u32::from(bucket), word));
    }
    let Ok((question, nodes)) = choices.arbitrary::<([u64; 2], u64)>() else {
        return;
    };
    let bytes = files::write_checkpoint(question, nodes, &entries);
    // Buckets have 14 bits, and the low five bits of a word are its effort.
    let are_valid = entries
        .iter()
        .all(|&(bucket, word)| bucket < 1 << 14 && word & 31 != 0);
    match files::checkpoint(&bytes, question) {
        Ok(read) => assert!(are_valid && read == (nodes, entries)),
        Err(reason) => {
            assert!(!are_valid, "{reason}");
            sentence(&reason);
        }
    }
    let other = [question[0], question[1].wrapping_add(1)];
    assert!(files::checkpoint(&bytes, other).is_err());
    let mut altered = bytes;
    while let Some((place, value)) = next::<(u16, u8)>(&mut choices) {
        let place = usize::from(place) % altered.len();
        altered[place] = value;
    }
    read_checkpoint(&altered);
}

/// What is read is written again as it was.
fn read_checkpoint(bytes: &[u8]) {
    let word = |at: usize| {
        bytes
            .get(at..at + 8)
            .map(|word| u64::from_le_bytes(word.try_into().expect("8 bytes")))
    };
    let question = match [word(24), word(32)] {
        [Some(low), Some(high)] => [low, high],
        _ => QUESTION,
    };
    match files::checkpoint(bytes, question) {
        Ok((nodes, entries)) => {
            assert_eq!(files::write_checkpoint(question, nodes, &entries), bytes)
        }
        Err(reason) => sentence(&reason),
    }
}

const POSITIONS: [&str; 4] = ["4 b O2X/4/4/X2O", "4 b OX1X/4/4/X2O", "", "5 b 1 2"];
const FINDINGS: [&str; 12] = [
    "b 1234",
    "w 1",
    "? 5000",
    "p312 16402",
    "q498 2000",
    "p1000 0",
    "p1001 1",
    "p0312 1",
    "b +1",
    "q 1",
    "x 1",
    "w 18446744073709551615",
];

/// The first byte chooses whether the rest is a file of any bytes, or lines of a log that have their checks.
pub(super) fn frontier(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else {
        return;
    };
    if first & 0x80 == 0 {
        return read_log(rest);
    }
    let mut choices = Unstructured::new(rest);
    let mut log = line("tanada prove 1 4 b O2X/4/4/X2O");
    for _ in 0..first & 0x1f {
        let Ok((position, finding)) = choices.arbitrary::<(u8, u8)>() else {
            break;
        };
        let any = || format!("{finding} {position}");
        let position = POSITIONS[usize::from(position) % POSITIONS.len()];
        let finding = FINDINGS
            .get(usize::from(finding))
            .map_or_else(any, |text| (*text).to_string());
        log += &line(&format!("{position} {finding}"));
    }
    let mut log = log.into_bytes();
    if first & 0x40 != 0 {
        while let Some((place, value)) = next::<(u16, u8)>(&mut choices) {
            let place = usize::from(place) % (log.len() + 1);
            log.truncate(place.max(log.len() / 2));
            log.push(value);
        }
    }
    read_log(&log);
}

fn line(text: &str) -> String {
    let mut crc = Crc::new();
    crc.update(text.as_bytes());
    format!("{text} {:08x}\n", crc.sum())
}

/// Whether each complete line is one of a log, by its description.
fn is_log(bytes: &[u8]) -> bool {
    let name = b"tanada prove 1 ";
    let whole = bytes
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |last| last + 1);
    let is_right = |(number, bytes): (usize, &[u8])| {
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        let Some((text, _)) = text
            .rsplit_once(' ')
            .filter(|(start, _)| line(start).as_bytes() == bytes)
        else {
            return false;
        };
        if number == 0 {
            return text.as_bytes().starts_with(name);
        }
        let words: Vec<&str> = text.rsplitn(3, ' ').collect();
        let is_number = |text: &str, most: u64| {
            text.parse()
                .is_ok_and(|n: u64| n <= most && n.to_string() == text)
        };
        let [nodes, found, _] = words[..] else {
            return false;
        };
        let guess = found.strip_prefix(['p', 'q']);
        is_number(nodes, u64::MAX)
            && (["b", "w", "?"].contains(&found)
                || guess.is_some_and(|chance| is_number(chance, 1000)))
    };
    let begins = whole > 0 || name.starts_with(&bytes[..bytes.len().min(name.len())]);
    begins
        && bytes[..whole]
            .split_inclusive(|&byte| byte == b'\n')
            .enumerate()
            .all(is_right)
}

fn read_log(bytes: &[u8]) {
    let read = files::frontier(bytes);
    assert_eq!(read.is_ok(), is_log(bytes), "{read:?}");
    let folder = folder();
    let path = folder.path().join("log");
    fs::write(&path, bytes).expect("a file");
    let opened = files::open_frontier(&path, Some("4 b O2X/4/4/X2O"));
    let kept = fs::read(&path).expect("a file");
    match read {
        Ok(text) => {
            assert!(bytes.starts_with(text.as_bytes()));
            let question = opened.expect("a log");
            let begun = line(&format!("tanada prove 1 {question}"));
            assert_eq!(kept, if text.is_empty() { begun } else { text }.as_bytes());
        }
        Err(reason) => {
            sentence(&reason);
            assert_eq!(opened, Err(reason));
            assert_eq!(kept, bytes);
        }
    }
}
