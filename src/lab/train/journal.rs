//! The games of an unfinished self-play run, in `FILE.tanada-selfplay`: the plain lines that become
//! the compressed `FILE` at the end. A run that was killed at any moment resumes from them.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::games::{self, GameLine, Header, UNFINISHED};
use super::selfplay::SelfplaySettings;
use crate::lab::matches::FolderError;
use crate::util::files::{self, with_end};
use crate::variant::SharedStart;

/// The journal of a run, locked.
#[derive(Debug)]
pub(crate) struct GameJournal {
    file: File,
    path: PathBuf,
    kept: Kept,
}

/// The whole games in the file.
#[derive(Debug, Default)]
struct Kept {
    games: usize,
    positions: usize,
    /// The bytes of the header and the games.
    length: u64,
    /// Whether the line after them is damaged and not the last. A killed run damages only its last line.
    is_damaged: bool,
}

impl Kept {
    fn add(&mut self, game: &GameLine, bytes: usize) {
        self.games += 1;
        self.positions += game.moves.len();
        self.length += bytes as u64;
    }
}

fn at(path: &Path) -> impl Fn(io::Error) -> FolderError {
    move |error| FolderError(format!("cannot write `{}`: {error}", path.display()))
}

impl GameJournal {
    /// Begins a run whose games become the file `out`, or resumes one that was interrupted.
    ///
    /// # Errors
    /// A file that cannot be written, belongs to another run, or is in use.
    pub(crate) fn open(
        out: &Path,
        start: &SharedStart,
        settings: &SelfplaySettings,
        resume: bool,
        force: bool,
    ) -> Result<Self, FolderError> {
        let out = files::resolve(out).map_err(at(out))?;
        let path = with_end(&out, ".tanada-selfplay");
        let mut journal = Self::lock(path, force)?;
        let asked = Header::new(start, settings);
        let stored = journal.read().map_err(at(&journal.path))?;
        let games = journal.kept.games;
        let refuse = |problem: String| Err(FolderError::new(&journal.path, problem));
        match stored {
            Some(Err(error)) if !force => {
                return refuse(format!(
                    "has a header that cannot be read: {error}; `--force` starts over"
                ));
            }
            Some(Ok(_)) if journal.kept.is_damaged && (resume || !force) => {
                return refuse(format!(
                    "is damaged in line {}; delete that line and all below it to resume from \
                     there, or start over with `--force` alone",
                    games + 2
                ));
            }
            Some(Ok(_)) if games > 0 && !resume && !force => {
                return refuse(format!(
                    "holds {games} games of an interrupted run; `--resume` continues it, `--force` \
                     starts over"
                ));
            }
            Some(Ok(stored)) if resume && games > 0 => {
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
                journal.begin(&asked).map_err(at(&journal.path))?;
            }
        }
        journal.cut().map_err(at(&journal.path))?;
        Ok(journal)
    }

    /// Opens and locks the file, unless somebody else wrote it.
    fn lock(path: PathBuf, force: bool) -> Result<Self, FolderError> {
        if !force && files::is_foreign(&path, &UNFINISHED).map_err(at(&path))? {
            let problem = "exists and was not written by `tanada selfplay`; choose another name \
                           for `--out`";
            return Err(FolderError::new(&path, problem));
        }
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let file = options.open(&path).map_err(at(&path))?;
        // Some file systems have no locks; that is another error.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(FolderError::new(&path, "is in use by another run"));
        }
        Ok(Self {
            file,
            path,
            kept: Kept::default(),
        })
    }

    /// Reads the header, and counts the games up to the first line that is incomplete or damaged.
    /// `None` without a whole header.
    fn read(&mut self) -> io::Result<Option<Result<Header, String>>> {
        let mut lines = BufReader::new(&self.file);
        let mut bytes = Vec::new();
        lines.read_until(b'\n', &mut bytes)?;
        if bytes.pop() != Some(b'\n') {
            return Ok(None);
        }
        let header = match Header::parse(&String::from_utf8_lossy(&bytes)) {
            Ok(header) => header,
            Err(error) => return Ok(Some(Err(error))),
        };
        let first = header.first();
        self.kept.length = bytes.len() as u64 + 1;
        loop {
            bytes.clear();
            lines.read_until(b'\n', &mut bytes)?;
            let whole = bytes.strip_suffix(b"\n");
            let game = whole.and_then(|line| serde_json::from_slice::<GameLine>(line).ok());
            let Some(game) = game.filter(|game| game.game == first + self.kept.games) else {
                self.kept.is_damaged = !lines.fill_buf()?.is_empty();
                return Ok(Some(Ok(header)));
            };
            self.kept.add(&game, bytes.len());
        }
    }

    /// Empties the file and begins anew.
    fn begin(&mut self, header: &Header) -> io::Result<()> {
        self.kept = Kept::default();
        self.cut()?;
        let line = games::line(header);
        self.file.write_all(line.as_bytes())?;
        self.kept.length = line.len() as u64;
        Ok(())
    }

    /// Cuts off everything after the last whole game, and moves there.
    fn cut(&mut self) -> io::Result<()> {
        self.file.set_len(self.kept.length)?;
        self.file.seek(SeekFrom::Start(self.kept.length))?;
        Ok(())
    }

    pub(crate) fn games(&self) -> usize {
        self.kept.games
    }

    /// The moves of all games after their openings.
    pub(crate) fn positions(&self) -> usize {
        self.kept.positions
    }

    /// The file of the games so far.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps the next game.
    ///
    /// # Errors
    /// An error of the system; the games before it stay.
    pub(crate) fn keep(&mut self, game: &GameLine) -> io::Result<()> {
        let line = games::line(game);
        let written = self.file.write_all(line.as_bytes());
        if written.is_err() {
            // If this fails too, the next run cuts it off.
            let _ = self.cut();
            return written;
        }
        self.kept.add(game, line.len());
        Ok(())
    }

    /// Writes the compressed games.
    ///
    /// # Errors
    /// An error of the system; the run can then be resumed.
    pub(crate) fn compress(&mut self, out: impl Write) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        games::compress(BufReader::new(&self.file), out)
    }

    /// Removes the file, of a run without games or after [`GameJournal::compress`].
    pub(crate) fn discard(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::params::Params;

    fn settings(seed: u64) -> SelfplaySettings {
        SelfplaySettings {
            seed,
            first: 5,
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

    fn start() -> SharedStart {
        crate::games::default().start(Some(5), None, None).unwrap()
    }

    fn open(out: &Path, seed: u64, resume: bool, force: bool) -> Result<GameJournal, FolderError> {
        GameJournal::open(out, &start(), &settings(seed), resume, force)
    }

    fn complaint(out: &Path, seed: u64, resume: bool) -> String {
        open(out, seed, resume, false).unwrap_err().to_string()
    }

    fn game(number: usize) -> GameLine {
        GameLine {
            game: number,
            opening: vec!["A1".to_string(); number],
            moves: Vec::new(),
            winner: None,
        }
    }

    /// A run with three games.
    fn three(out: &Path) -> GameJournal {
        let mut journal = open(out, 1, false, false).unwrap();
        (5..8).for_each(|number| journal.keep(&game(number)).unwrap());
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
        assert_eq!(journal.games(), 3);
        journal.keep(&game(8)).unwrap();
        journal.compress(File::create(&out).unwrap()).unwrap();
        journal.discard();
        let bytes = fs::read(&out).unwrap();
        assert!((games::KIND.is_own)(&bytes[..bytes.len().min(512)]));
        let mut text = String::new();
        let mut decoder = flate2::read::GzDecoder::new(&bytes[..]);
        decoder.read_to_string(&mut text).unwrap();
        let lines = [games::line(&Header::new(&start(), &settings(1)))];
        let games = (5..9).map(|number| games::line(&game(number)));
        assert_eq!(text, lines.into_iter().chain(games).collect::<String>());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(complaint(&out, 1, true).contains("no interrupted run"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn half_games_are_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        drop(three(&out));
        let path = with_end(&out, ".tanada-selfplay");
        let bytes = fs::read(&path).unwrap();
        let ninth = games::line(&game(9));
        let header = bytes.iter().position(|&byte| byte == b'\n').unwrap();
        // The bytes that stay, what follows, and the games that are read.
        let cases = [
            (bytes.len(), &b""[..], 3),
            (bytes.len(), b"{\"game\":8,", 3),
            (bytes.len(), b"{\"game\":8,\n", 3),
            (bytes.len(), ninth.as_bytes(), 3),
            (bytes.len() - 1, b"", 2),
            // A power failure may leave zeros.
            (bytes.len() - 1, b"\0", 2),
            (bytes.len() - 2, b"\xff\n", 2),
            (header + 1, b"", 0),
            (header, b"", 0),
            (0, b"", 0),
        ];
        for (number, (kept, more, games)) in (1..).zip(cases) {
            fs::write(&path, [&bytes[..kept], more].concat()).unwrap();
            let mut journal = open(&out, 1, true, false).unwrap();
            assert_eq!(journal.games(), games, "{number}");
            journal.keep(&game(5 + games)).unwrap();
            drop(journal);
            let again = open(&out, 1, true, false).unwrap();
            assert_eq!(again.games(), games + 1, "{number}");
        }
    }

    #[test]
    fn games_behind_a_damaged_line_stay() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        drop(three(&out));
        let path = with_end(&out, ".tanada-selfplay");
        let bytes = fs::read(&path).unwrap();
        let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
        let [header, fifth, sixth, seventh] = lines[..] else {
            panic!("a header and three games")
        };
        let cases = [
            ([header, b"\xff\n", sixth, seventh], 2),
            ([header, fifth, b"\n", seventh], 3),
            ([header, fifth, seventh, sixth], 3),
            ([header, fifth, fifth, b"{\"game\":7,"], 3),
        ];
        for (lines, damaged) in cases {
            let bytes = lines.concat();
            fs::write(&path, &bytes).unwrap();
            for resume in [false, true] {
                let error = complaint(&out, 1, resume);
                let line = format!("damaged in line {damaged}; delete that line");
                assert!(error.contains(&line), "{error}");
                assert_eq!(fs::read(&path).unwrap(), bytes);
            }
        }
        assert!(open(&out, 1, true, true).is_err());
        assert_eq!(open(&out, 1, false, true).unwrap().games(), 0);
    }

    #[test]
    fn what_is_not_of_a_run_stays() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let path = with_end(&out, ".tanada-selfplay");
        fs::write(&path, "theirs").unwrap();
        assert!(complaint(&out, 1, true).contains("not written by `tanada selfplay`"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
        let newer = games::line(&Header::new(&start(), &settings(1)));
        let newer = newer.replace("\"version\":1", "\"version\":2");
        fs::write(&path, &newer).unwrap();
        let error = complaint(&out, 1, true);
        assert!(error.contains("unknown version `2`"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), newer);
        open(&out, 1, false, true).unwrap().keep(&game(5)).unwrap();
        // Force begins anew.
        assert_eq!(open(&out, 1, false, true).unwrap().games(), 0);
        open(&out, 1, false, true).unwrap().discard();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn another_option_is_another_run() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        drop(three(&out));
        let error = |change: fn(&mut SelfplaySettings)| {
            let mut settings = settings(1);
            change(&mut settings);
            let opened = GameJournal::open(&out, &start(), &settings, true, false);
            opened.unwrap_err().to_string()
        };
        type Change = fn(&mut SelfplaySettings);
        let cases: [(Change, &str); 8] = [
            (|s| s.first = 6, "`--first`"),
            (|s| s.iterations = 2, "`--iterations`"),
            (|s| s.quick_iterations = 2, "`--quick-iterations`"),
            (|s| s.full_share = 0.5, "`--full-share`"),
            (|s| s.opening_plies = 2, "`--plies`"),
            (|s| s.drawn_plies = 2, "`--drawn`"),
            (|s| s.params.cpuct = 1.0, "`--set`"),
            (|s| s.weights = Some("".into()), "`--weights`"),
        ];
        for (change, option) in cases {
            let error = error(change);
            assert!(error.contains(option), "{option}: {error}");
        }
        // More games are no other run.
        let fewer = error(|s| s.games = 2);
        assert!(fewer.contains("`--games 3` or more"), "{fewer}");
        assert_eq!(open(&out, 1, true, false).unwrap().games(), 3);
    }
}
