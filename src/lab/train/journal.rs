//! The finished games of an unfinished self-play run. `FILE.tanada-selfplay` has their samples and
//! becomes `FILE` at the end; `FILE.tanada-selfplay-games` has the settings and one line a game. A
//! run that was killed at any moment resumes from them.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::selfplay::{KIND, SelfplaySettings};
use crate::games;
use crate::lab::matches::FolderError;
use crate::params;
use crate::util::files::{self, Kind, with_end};
use crate::util::math::{FNV, fnv};
use crate::variant::SharedStart;

/// The beginning of the first line of a list of games.
const LIST: &str = "tanada selfplay ";

const LIST_KIND: Kind<'_> = Kind {
    maker: KIND.maker,
    is_own: &|header| header.starts_with(LIST.as_bytes()),
};

/// Everything that the samples depend on.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct RunDescription {
    version: String,
    start: String,
    seed: u64,
    iterations: u64,
    plies: usize,
    drawn: usize,
    parameters: Vec<(String, String)>,
    weights: Option<String>,
}

impl RunDescription {
    fn new(start: &SharedStart, settings: &SelfplaySettings) -> Self {
        let value = |parameter: &params::Parameter| {
            let value = parameter.get(&settings.params);
            (parameter.name.to_string(), value.to_string())
        };
        let sum = |text: &str| format!("{:016x}", fnv(FNV, text.as_bytes()));
        Self {
            version: env!("CARGO_PKG_VERSION").to_string(),
            start: games::write_start(start),
            seed: settings.seed,
            iterations: settings.iterations,
            plies: settings.opening_plies,
            drawn: settings.drawn_plies,
            parameters: params::PARAMETERS.iter().map(value).collect(),
            weights: settings.weights.as_deref().map(sum),
        }
    }

    /// The first option in which another run differs.
    fn difference(&self, other: &Self) -> Option<String> {
        let fields = [
            ("--size, --setup or --players", self.start != other.start),
            ("--seed", self.seed != other.seed),
            ("--iterations", self.iterations != other.iterations),
            ("--plies", self.plies != other.plies),
            ("--drawn", self.drawn != other.drawn),
            ("--set", self.parameters != other.parameters),
            ("--weights", self.weights != other.weights),
            ("version", self.version != other.version),
        ];
        let differs = fields.into_iter().find(|(_, differs)| *differs);
        differs.map(|(name, _)| name.to_string())
    }
}

/// A game in the list.
struct Line {
    bytes: u64,
    samples: usize,
    sum: u64,
}

impl Line {
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.strip_suffix('\n')?.split(' ');
        let found = Self {
            bytes: words.next()?.parse().ok()?,
            samples: words.next()?.parse().ok()?,
            sum: u64::from_str_radix(words.next()?, 16).ok()?,
        };
        words.next().is_none().then_some(found)
    }
}

/// The journal of a run, locked.
#[derive(Debug)]
pub(crate) struct SampleJournal {
    data: File,
    data_path: PathBuf,
    list: File,
    list_path: PathBuf,
    games: usize,
    samples: usize,
    /// The bytes of whole games in both files.
    lengths: (u64, u64),
}

fn at(path: &Path) -> impl Fn(io::Error) -> FolderError {
    move |error| FolderError(format!("cannot write `{}`: {error}", path.display()))
}

impl SampleJournal {
    /// Begins a run whose samples become the file `out`, or resumes one that was interrupted.
    /// `header` is the first line of the samples.
    ///
    /// # Errors
    /// Files that cannot be written, belong to another run, or are in use.
    pub(crate) fn open(
        out: &Path,
        header: &str,
        start: &SharedStart,
        settings: &SelfplaySettings,
        resume: bool,
        force: bool,
    ) -> Result<Self, FolderError> {
        let out = files::resolve(out).map_err(at(out))?;
        let data_path = with_end(&out, ".tanada-selfplay");
        let list_path = with_end(&out, ".tanada-selfplay-games");
        for (path, kind) in [(&data_path, &KIND), (&list_path, &LIST_KIND)] {
            if !force && files::is_foreign(path, kind).map_err(at(path))? {
                let problem = "exists and was not written by `tanada selfplay`; choose another name \
                               for `--out`";
                return Err(FolderError::new(path, problem));
            }
        }
        let open = |path: &Path| {
            let mut options = OpenOptions::new();
            let options = options.read(true).write(true).create(true).truncate(false);
            options.open(path).map_err(at(path))
        };
        let data = open(&data_path)?;
        // Some file systems have no locks; that is another error.
        if let Err(TryLockError::WouldBlock) = data.try_lock() {
            let problem = "is in use by another run";
            return Err(FolderError::new(&data_path, problem));
        }
        let mut journal = Self {
            data,
            list: open(&list_path)?,
            data_path,
            list_path,
            games: 0,
            samples: 0,
            lengths: (0, 0),
        };
        let stored = journal.read(header).map_err(at(&journal.list_path))?;
        let games = journal.games;
        let refuse = |problem: String| Err(FolderError::new(&journal.data_path, problem));
        let asked = RunDescription::new(start, settings);
        match stored.filter(|_| games > 0) {
            Some(_) if !resume && !force => {
                return refuse(format!(
                    "holds {games} games of an interrupted run; `--resume` continues it, `--force` \
                     starts over"
                ));
            }
            Some(stored) if resume => {
                if let Some(field) = stored.difference(&asked) {
                    return refuse(format!(
                        "is from a run with another `{field}`; repeat its settings, or start over \
                         with `--force`"
                    ));
                }
                if games > settings.games {
                    return refuse(format!(
                        "holds {games} games already: expected `--games {games}` or more"
                    ));
                }
            }
            _ => {
                if resume && !force && fs::metadata(&out).is_ok_and(|out| out.len() > 0) {
                    journal.discard();
                    let problem = "exists already, and there is no interrupted run; leave out \
                                   `--resume` to start over";
                    return Err(FolderError::new(&out, problem));
                }
                let begun = journal.begin(header, &asked);
                begun.map_err(at(&journal.data_path))?;
            }
        }
        journal.cut().map_err(at(&journal.data_path))?;
        Ok(journal)
    }

    /// Counts the whole games, and reads the description of their run.
    fn read(&mut self, header: &str) -> io::Result<Option<RunDescription>> {
        let (mut data, mut list) = (BufReader::new(&self.data), BufReader::new(&self.list));
        let mut first = Vec::new();
        let mut head = (&mut data).take(header.len() as u64);
        head.read_to_end(&mut first)?;
        let mut text = String::new();
        let Ok(bytes) = list.read_line(&mut text) else {
            return Ok(None);
        };
        let request = text.strip_prefix(LIST).map(serde_json::from_str);
        let Some(Ok(request)) = request.filter(|_| first == header.as_bytes()) else {
            return Ok(None);
        };
        self.lengths = (header.len() as u64, bytes as u64);
        let mut game = Vec::new();
        loop {
            text.clear();
            // A line that is not UTF-8 ends the list too.
            let bytes = list.read_line(&mut text).unwrap_or(0) as u64;
            let Some(line) = Line::parse(&text) else {
                break;
            };
            game.clear();
            (&mut data).take(line.bytes).read_to_end(&mut game)?;
            if game.len() as u64 != line.bytes || fnv(FNV, &game) != line.sum {
                break;
            }
            self.games += 1;
            self.samples += line.samples;
            self.lengths.0 += line.bytes;
            self.lengths.1 += bytes;
        }
        Ok(Some(request))
    }

    /// Empties both files and begins anew.
    fn begin(&mut self, header: &str, request: &RunDescription) -> io::Result<()> {
        (self.games, self.samples, self.lengths) = (0, 0, (0, 0));
        self.cut()?;
        // Numbers and texts, which JSON can always express.
        let request = serde_json::to_string(request).unwrap_or_default();
        let line = format!("{LIST}{request}\n");
        self.data.write_all(header.as_bytes())?;
        self.list.write_all(line.as_bytes())?;
        self.lengths = (header.len() as u64, line.len() as u64);
        Ok(())
    }

    /// Cuts off everything after the last whole game, and moves there.
    fn cut(&mut self) -> io::Result<()> {
        for (file, length) in [
            (&mut self.data, self.lengths.0),
            (&mut self.list, self.lengths.1),
        ] {
            file.set_len(length)?;
            file.seek(SeekFrom::Start(length))?;
        }
        Ok(())
    }

    pub(crate) fn games(&self) -> usize {
        self.games
    }

    pub(crate) fn samples(&self) -> usize {
        self.samples
    }

    /// The file of the samples so far.
    pub(crate) fn path(&self) -> &Path {
        &self.data_path
    }

    /// Keeps the next game.
    ///
    /// # Errors
    /// An error of the system; the games before it stay.
    pub(crate) fn keep(&mut self, bytes: &[u8], samples: usize) -> io::Result<()> {
        let line = format!("{} {samples} {:016x}\n", bytes.len(), fnv(FNV, bytes));
        let written = self.data.write_all(bytes);
        let written = written.and_then(|()| self.list.write_all(line.as_bytes()));
        if written.is_err() {
            // If this fails too, the next run cuts it off.
            let _ = self.cut();
            return written;
        }
        self.games += 1;
        self.samples += samples;
        self.lengths.0 += bytes.len() as u64;
        self.lengths.1 += line.len() as u64;
        Ok(())
    }

    /// Renames the samples to `out` and removes the list.
    ///
    /// # Errors
    /// An error of the system; the run can then be resumed.
    pub(crate) fn finish(self, out: &Path) -> io::Result<()> {
        files::rename(&self.data, &self.data_path, out)?;
        let _ = fs::remove_file(&self.list_path);
        Ok(())
    }

    /// Removes the files of a run without games.
    pub(crate) fn discard(&self) {
        let _ = fs::remove_file(&self.data_path);
        let _ = fs::remove_file(&self.list_path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;

    const HEAD: &str = "tanada samples side 5\n";

    fn settings(seed: u64) -> SelfplaySettings {
        SelfplaySettings {
            seed,
            games: 4,
            iterations: 1,
            opening_plies: 1,
            drawn_plies: 1,
            params: Params::default(),
            weights: None,
        }
    }

    fn open(
        out: &Path,
        seed: u64,
        resume: bool,
        force: bool,
    ) -> Result<SampleJournal, FolderError> {
        let start = games::default().start(Some(5), None, None).unwrap();
        SampleJournal::open(out, HEAD, &start, &settings(seed), resume, force)
    }

    fn complaint(out: &Path, seed: u64, resume: bool) -> String {
        open(out, seed, resume, false).unwrap_err().to_string()
    }

    /// A run with three games.
    fn three(out: &Path) -> SampleJournal {
        let mut journal = open(out, 1, false, false).unwrap();
        for (bytes, samples) in [("one", 1), ("second", 2), ("3", 3)] {
            journal.keep(bytes.as_bytes(), samples).unwrap();
        }
        journal
    }

    #[test]
    fn a_run_goes_on_and_becomes_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let journal = three(&out);
        assert!(complaint(&out, 1, true).contains("in use by another run"));
        drop(journal);
        assert!(complaint(&out, 1, false).contains("holds 3 games"));
        assert!(complaint(&out, 2, true).contains("another `--seed`"));
        let mut journal = open(&out, 1, true, false).unwrap();
        assert_eq!((journal.games(), journal.samples()), (3, 6));
        journal.keep(b"four", 1).unwrap();
        journal.finish(&out).unwrap();
        let text = fs::read_to_string(&out).unwrap();
        assert_eq!(text, format!("{HEAD}onesecond3four"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(complaint(&out, 1, true).contains("no interrupted run"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn half_games_are_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        drop(three(&out));
        let [data, list] =
            ["", "-games"].map(|end| with_end(&out, &format!(".tanada-selfplay{end}")));
        let (bytes, lines) = (fs::read(&data).unwrap(), fs::read(&list).unwrap());
        let whole = [(bytes.len(), &b""[..]), (lines.len(), b"")];
        // The bytes that stay of each file, and what follows.
        let cases = [
            ([(bytes.len(), &b"half"[..]), whole[1]], 3),
            ([whole[0], (lines.len(), b"12 3")], 3),
            ([(bytes.len() - 2, b""), whole[1]], 1),
            ([whole[0], (lines.len() - 1, b"")], 2),
            ([whole[0], (lines.len(), b"99999999999 1 0\n")], 3),
            // A power failure may leave zeros.
            ([(bytes.len() - 1, b"\0"), whole[1]], 2),
        ];
        for (number, ([(kept, more), (kept_lines, more_lines)], games)) in (1..).zip(cases) {
            fs::write(&data, [&bytes[..kept], more].concat()).unwrap();
            fs::write(&list, [&lines[..kept_lines], more_lines].concat()).unwrap();
            let mut journal = open(&out, 1, true, false).unwrap();
            assert_eq!(journal.games(), games, "{number}");
            journal.keep(b"next", 1).unwrap();
            drop(journal);
            let again = open(&out, 1, true, false).unwrap();
            assert_eq!(again.games(), games + 1, "{number}");
            assert!(fs::read(&data).unwrap().ends_with(b"next"));
        }
        // Without the list the samples are unknown.
        fs::write(&list, "").unwrap();
        assert_eq!(open(&out, 1, true, false).unwrap().games(), 0);
    }

    #[test]
    fn what_is_not_of_a_run_stays() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let list = with_end(&out, ".tanada-selfplay-games");
        fs::write(&list, "theirs").unwrap();
        assert!(complaint(&out, 1, true).contains("not written by `tanada selfplay`"));
        assert_eq!(fs::read_to_string(&list).unwrap(), "theirs");
        open(&out, 1, false, true).unwrap().keep(b"one", 1).unwrap();
        // Force begins anew.
        assert_eq!(open(&out, 1, false, true).unwrap().games(), 0);
        open(&out, 1, false, true).unwrap().discard();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn more_games_are_no_other_run() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        drop(three(&out));
        let start = games::default().start(Some(5), None, None).unwrap();
        let open = |games| {
            let mut settings = settings(1);
            settings.games = games;
            SampleJournal::open(&out, HEAD, &start, &settings, true, false)
        };
        let error = open(2).unwrap_err().to_string();
        assert!(error.contains("`--games 3` or more"), "{error}");
        assert_eq!(open(9).unwrap().games(), 3);
    }
}
