//! The log of a proof: one line for each position that was searched, only ever appended.
//!
//! ```text
//! tanada prove 1 4 b O2X/4/4/X2O 4f1c2d3e
//! 4 b OX1X/4/4/X2O p312 16402 5e6f7a8b
//! 4 b OX1X/4/4/X2O w 1234 9a8b7c6d
//! ```
//!
//! The first line names the question as it was asked. Each other line has a position in canonical form (see
//! [`canonical`](crate::lab::endings::canonical)), what was found, the nodes that the solver searched,
//! and the CRC-32 of the line before the last space. A log that ends within a line, as after a loss of
//! power, is valid without it.
//!
//! | word | what was found |
//! |---|---|
//! | `b`, `w` | the side to move wins (Black in canonical form), or the other side |
//! | `?` | nothing: the solver gave up |
//! | `p312` | nothing soon; the side to move has a winning chance of 0.312, as the engine sees it |
//! | `q312` | the winning chance after a longer search of the engine; instead of nodes there are its iterations |

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use flate2::Crc;
use thiserror::Error;

const NAME: &str = "tanada prove 1 ";

/// What a search found out about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    /// Whether the side to move wins, and the nodes that it took.
    Result(bool, u64),
    /// The solver gave up after this many nodes.
    GivenUp(u64),
    /// The winning chance of the side to move, in thousandths, and the nodes that the solver searched
    /// before the engine was asked.
    Chance(u16, u64),
    /// The winning chance as the engine sees it after more iterations, and their number.
    DeepChance(u16, u64),
}

/// The chance 1 in thousandths.
const CERTAIN: u16 = 1000;

/// A chance in thousandths, as the log has it.
pub(super) fn thousandths(chance: f64) -> u16 {
    (chance * f64::from(CERTAIN)).round() as u16
}

/// The chance that thousandths stand for.
pub(super) fn chance(thousandths: u16) -> f64 {
    f64::from(thousandths) / f64::from(CERTAIN)
}

impl Finding {
    /// Whether the side to move wins, if that is known.
    pub(crate) fn won(self) -> Option<bool> {
        match self {
            Finding::Result(won, _) => Some(won),
            Finding::GivenUp(_) | Finding::Chance(..) | Finding::DeepChance(..) => None,
        }
    }

    /// The nodes that the solver searched.
    pub(crate) fn nodes(self) -> u64 {
        match self {
            Finding::Result(_, nodes) | Finding::GivenUp(nodes) | Finding::Chance(_, nodes) => {
                nodes
            }
            Finding::DeepChance(..) => 0,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// In canonical form, as a line.
    pub(crate) position: String,
    pub(crate) finding: Finding,
}

impl Entry {
    /// Its line without the check.
    fn text(&self) -> String {
        let found = match self.finding {
            Finding::Result(true, nodes) => format!("b {nodes}"),
            Finding::Result(false, nodes) => format!("w {nodes}"),
            Finding::GivenUp(nodes) => format!("? {nodes}"),
            Finding::Chance(chance, nodes) => format!("p{chance} {nodes}"),
            Finding::DeepChance(chance, iterations) => format!("q{chance} {iterations}"),
        };
        format!("{} {found}", self.position)
    }
}

#[derive(Debug, Error)]
pub(crate) enum LogError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("there is no proof in it yet; give the position to prove")]
    Missing,
    #[error("it is not a log of `tanada prove`")]
    Foreign,
    #[error("it belongs to another position: `{0}`")]
    Other(String),
    #[error("line {0} is damaged")]
    Damaged(usize),
    #[error("another program writes to it")]
    Busy,
}

/// A log that is open for appending; it is locked meanwhile.
pub(crate) struct Log {
    file: File,
    /// The bytes of its lines.
    bytes: u64,
}

fn check(text: &str) -> u32 {
    let mut crc = Crc::new();
    crc.update(text.as_bytes());
    crc.sum()
}

/// A line with its check.
fn line(text: &str) -> String {
    format!("{text} {:08x}\n", check(text))
}

/// The text of a line without its check, if that is right.
fn checked(line: &[u8]) -> Option<&str> {
    let (text, sum) = std::str::from_utf8(line).ok()?.rsplit_once(' ')?;
    (sum == format!("{:08x}", check(text))).then_some(text)
}

fn entry(line: &[u8]) -> Option<Entry> {
    let text = checked(line)?;
    let mut words = text.rsplitn(3, ' ');
    let (nodes, found) = (words.next()?.parse().ok()?, words.next()?);
    let guess = |letter| found.strip_prefix(letter)?.parse().ok();
    let finding = match found {
        "b" => Finding::Result(true, nodes),
        "w" => Finding::Result(false, nodes),
        "?" => Finding::GivenUp(nodes),
        _ => match guess('p') {
            Some(chance) => Finding::Chance(chance, nodes),
            None => Finding::DeepChance(guess('q')?, nodes),
        },
    };
    if let Finding::Chance(chance, _) | Finding::DeepChance(chance, _) = finding
        && chance > CERTAIN
    {
        return None;
    }
    let position = words.next()?.to_string();
    let entry = Entry { position, finding };
    // Each entry has one text.
    (entry.text() == text).then_some(entry)
}

/// What a log holds.
#[derive(Debug, Default, PartialEq, Eq)]
struct Content {
    /// `None` if not even the first line is complete.
    question: Option<String>,
    entries: Vec<Entry>,
    /// The bytes of the complete lines.
    bytes: usize,
}

fn read(bytes: &[u8]) -> Result<Content, LogError> {
    let mut content = Content::default();
    for (number, line) in (1..).zip(bytes.split_inclusive(|&byte| byte == b'\n')) {
        let Some(text) = line.strip_suffix(b"\n") else {
            // The rest of a write that was cut off.
            break;
        };
        if number == 1 {
            let question = checked(text).and_then(|text| text.strip_prefix(NAME));
            content.question = Some(question.ok_or(LogError::Foreign)?.to_string());
        } else {
            let entry = entry(text).ok_or(LogError::Damaged(number))?;
            content.entries.push(entry);
        }
        content.bytes += line.len();
    }
    if content.question.is_none()
        && !NAME
            .as_bytes()
            .starts_with(&bytes[..bytes.len().min(NAME.len())])
    {
        return Err(LogError::Foreign);
    }
    Ok(content)
}

/// Reads a log and writes what it holds again, for the fuzz targets.
pub(crate) fn rewrite(bytes: &[u8]) -> Result<String, LogError> {
    let content = read(bytes)?;
    let question = content.question.map(|question| format!("{NAME}{question}"));
    let entries = content.entries.iter().map(Entry::text);
    Ok(question
        .into_iter()
        .chain(entries)
        .map(|text| line(&text))
        .collect())
}

impl Log {
    /// Opens the log, or begins one about `question`. Returns the question that it is about and what
    /// was found so far.
    ///
    /// # Errors
    /// The file cannot be used, and stays as it is.
    pub(crate) fn open(
        path: &Path,
        question: Option<&str>,
    ) -> Result<(Self, String, Vec<Entry>), LogError> {
        let is_new = !path.exists();
        if is_new && question.is_none() {
            return Err(LogError::Missing);
        }
        let mut options = File::options();
        let mut file = options.read(true).write(true).create(true).open(path)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(LogError::Busy),
            // Some file systems have no locks.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let mut content = read(&bytes)?;
        let known = content.question.take().or(question.map(str::to_string));
        let known = known.ok_or(LogError::Missing)?;
        let mut log = Self {
            file,
            bytes: content.bytes as u64,
        };
        log.cut()?;
        if content.bytes == 0 {
            log.append_line(&format!("{NAME}{known}"))?;
        }
        Ok((log, known, content.entries))
    }

    /// Appends what was found out about a position.
    pub(crate) fn append(&mut self, entry: &Entry) -> io::Result<()> {
        self.append_line(&entry.text())?;
        match entry.finding {
            // Cheap to find again.
            Finding::Chance(..) | Finding::DeepChance(..) => Ok(()),
            Finding::Result(..) | Finding::GivenUp(_) => self.file.sync_data(),
        }
    }

    fn append_line(&mut self, text: &str) -> io::Result<()> {
        let line = line(text);
        if let Err(error) = self.file.write_all(line.as_bytes()) {
            // Nothing may follow a part of a line.
            let _ = self.cut();
            return Err(error);
        }
        self.bytes += line.len() as u64;
        Ok(())
    }

    /// Removes what follows the last complete line.
    fn cut(&mut self) -> io::Result<()> {
        self.file.set_len(self.bytes)?;
        self.file.seek(SeekFrom::Start(self.bytes)).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const QUESTION: &str = "4 b O2X/4/4/X2O";

    fn entries() -> Vec<Entry> {
        let entry = |position: &str, finding| Entry {
            position: position.to_string(),
            finding,
        };
        vec![
            entry("4 b OX1X/4/4/X2O", Finding::Result(false, 1234)),
            entry("4 b OXXX/4/4/X2O", Finding::Result(true, 1)),
            entry("4 b O1XX/4/4/X2O", Finding::Chance(531, 16402)),
            entry("4 b O1XX/4/4/X2O", Finding::DeepChance(498, 2000)),
            entry("4 b O1XX/4/4/X2O", Finding::GivenUp(5000)),
        ]
    }

    /// A log with five entries.
    fn whole(folder: &tempfile::TempDir) -> Vec<u8> {
        let path = folder.path().join("whole");
        let (mut log, question, known) = Log::open(&path, Some(QUESTION)).unwrap();
        assert_eq!((question.as_str(), known), (QUESTION, Vec::new()));
        for entry in entries() {
            log.append(&entry).unwrap();
        }
        drop(log);
        fs::read(path).unwrap()
    }

    #[test]
    fn a_log_cut_at_any_byte_keeps_its_complete_lines_and_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let whole = whole(&folder);
        let path = folder.path().join("cut");
        for length in 0..=whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let lines = whole[..length].iter().filter(|&&b| b == b'\n').count();
            let complete = lines.saturating_sub(1);
            let (mut log, question, known) = Log::open(&path, Some(QUESTION)).unwrap();
            assert_eq!(question, QUESTION);
            assert_eq!(known, entries()[..complete], "{length}");
            for entry in &entries()[complete..] {
                log.append(entry).unwrap();
            }
            drop(log);
            assert!(fs::read(&path).unwrap() == whole, "{length}");
            if lines > 0 {
                fs::write(&path, &whole[..length]).unwrap();
                assert_eq!(Log::open(&path, None).unwrap().1, QUESTION);
            }
        }
    }

    #[test]
    fn damage_within_is_refused_and_the_file_stays() {
        let folder = tempfile::tempdir().unwrap();
        let whole = whole(&folder);
        let path = folder.path().join("damaged");
        for at in 0..whole.len() - 1 {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&path, &damaged).unwrap();
            let error = Log::open(&path, Some(QUESTION)).err();
            let line = 1 + whole[..at].iter().filter(|&&b| b == b'\n').count();
            match error {
                Some(LogError::Foreign) => assert_eq!(line, 1, "{at}"),
                Some(LogError::Damaged(found)) => assert_eq!(found, line, "{at}"),
                other => panic!("{at}: {other:?}"),
            }
            assert!(fs::read(&path).unwrap() == damaged, "{at}");
        }
    }

    #[test]
    fn each_entry_has_one_text() {
        let entry_of = |text: &str| entry(line(text).trim_end().as_bytes());
        for found in ["b 1", "w 0", "? 5000", "p0 1", "p1000 1", "q498 2000"] {
            let text = format!("{QUESTION} {found}");
            assert_eq!(entry_of(&text).map(|entry| entry.text()), Some(text));
        }
        for found in [
            "p1001 1", "q65535 1", "p0312 1", "p+1 1", "b +1", "b 01", "q 1", "x 1", "b",
        ] {
            assert_eq!(entry_of(&format!("{QUESTION} {found}")), None, "{found}");
        }
    }

    #[test]
    fn what_is_no_log_of_this_question_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let open = |question| Log::open(&path, question).err().map(|e| e.to_string());
        let missing = "there is no proof in it yet; give the position to prove";
        assert_eq!(open(None).as_deref(), Some(missing));
        assert!(!path.exists());
        fs::write(&path, "my notes\n").unwrap();
        let foreign = Some("it is not a log of `tanada prove`");
        assert_eq!(open(Some(QUESTION)).as_deref(), foreign);
        fs::write(&path, "my notes").unwrap();
        assert_eq!(open(Some(QUESTION)).as_deref(), foreign);
        fs::write(&path, whole(&folder)).unwrap();
        let held = Log::open(&path, None).unwrap();
        assert_eq!(open(None).as_deref(), Some("another program writes to it"));
        drop(held);
        assert_eq!(open(None), None);
    }
}
