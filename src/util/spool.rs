//! A queue of lines that may be long: it keeps the first lines in memory and the rest in temporary
//! files.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions, remove_file};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use super::system;

/// The memory that a line takes in addition to its bytes.
const LINE_COST: usize = 64;

/// The bytes of the length before each line in a batch.
const PREFIX: usize = size_of::<u64>();

/// The bytes that are written or read at once; more only for a longer line.
const BATCH: usize = 256 << 10;

/// The bytes of a file. A file is removed once it is read, so the disk holds at most this much
/// beyond the lines that wait.
const FILE: u64 = 64 << 20;

/// A first-in, first-out queue of lines. The first lines are in memory, the others in files without
/// a name, which end with the process. Files are made only when the memory is full.
pub(crate) struct Spool {
    folder: PathBuf,
    /// The most bytes that [`Self::front`] may take.
    memory: usize,
    /// The next lines.
    front: VecDeque<Vec<u8>>,
    /// The bytes that [`Self::front`] takes.
    front_bytes: usize,
    /// The lines after them.
    files: VecDeque<Batches>,
    /// The last lines, as a batch that is not written yet.
    back: Vec<u8>,
    /// The bytes that wait in [`Self::files`] and [`Self::back`].
    rest_bytes: u64,
}

impl Spool {
    /// An empty queue with this much memory, plus a few batches. Its files are in the system's
    /// temporary folder.
    #[must_use]
    pub(crate) fn new(memory_bytes: usize) -> Self {
        Self::within(std::env::temp_dir(), memory_bytes)
    }

    fn within(folder: PathBuf, memory: usize) -> Self {
        Self {
            folder,
            memory,
            front: VecDeque::new(),
            front_bytes: 0,
            files: VecDeque::new(),
            back: Vec::new(),
            rest_bytes: 0,
        }
    }

    /// Appends a line.
    ///
    /// # Errors
    /// A file cannot be written. Nothing has changed then; the call may succeed after lines are
    /// taken.
    pub(crate) fn push(&mut self, line: &[u8]) -> io::Result<()> {
        let cost = line.len() + LINE_COST;
        if self.rest_bytes == 0 && self.front_bytes + cost <= self.memory {
            self.front.push_back(line.to_vec());
            self.front_bytes += cost;
            return Ok(());
        }
        if !self.back.is_empty() && self.back.len() + line.len() > BATCH {
            self.store()?;
        }
        self.back
            .extend_from_slice(&(line.len() as u64).to_le_bytes());
        self.back.extend_from_slice(line);
        self.rest_bytes += (PREFIX + line.len()) as u64;
        Ok(())
    }

    /// Writes the last lines to a file.
    fn store(&mut self) -> io::Result<()> {
        match self.files.back_mut() {
            Some(file) if file.end < FILE => file.append(&self.back)?,
            _ => {
                let mut file = Batches::create(&self.folder)?;
                file.append(&self.back)?;
                self.files.push_back(file);
            }
        }
        self.back = Vec::new();
        Ok(())
    }

    /// Takes the first line; `None` if the queue is empty.
    ///
    /// # Errors
    /// A file cannot be read. The line stays there.
    pub(crate) fn pop(&mut self) -> io::Result<Option<Vec<u8>>> {
        if self.front.is_empty() {
            self.load()?;
        }
        let line = self.front.pop_front();
        if let Some(line) = &line {
            self.front_bytes -= line.len() + LINE_COST;
        }
        Ok(line)
    }

    /// Takes the next batch into memory.
    fn load(&mut self) -> io::Result<()> {
        let batch = match self.files.front_mut() {
            Some(file) => file.take()?,
            None => std::mem::take(&mut self.back),
        };
        let is_read = |file: &mut Batches| file.lengths.is_empty();
        self.files.pop_front_if(is_read);
        self.rest_bytes -= batch.len() as u64;
        let mut rest = batch.as_slice();
        while let Some((prefix, after)) = rest.split_first_chunk() {
            let length = usize::try_from(u64::from_le_bytes(*prefix)).ok();
            let parts = length.and_then(|length| after.split_at_checked(length));
            let (line, after) = parts.ok_or(io::ErrorKind::InvalidData)?;
            self.front.push_back(line.to_vec());
            self.front_bytes += line.len() + LINE_COST;
            rest = after;
        }
        Ok(())
    }

    /// The bytes that the waiting lines take, in memory and in files.
    #[must_use]
    pub(crate) fn bytes(&self) -> u64 {
        self.front_bytes as u64 + self.rest_bytes
    }
}

/// A file of batches that are read in the order in which they were written.
struct Batches {
    file: File,
    /// The lengths of the batches that were not read yet.
    lengths: VecDeque<usize>,
    /// The place of the next batch to read.
    begin: u64,
    /// The place where the next batch is written.
    end: u64,
}

impl Batches {
    fn create(folder: &Path) -> io::Result<Self> {
        Ok(Self {
            file: unnamed(folder)?,
            lengths: VecDeque::new(),
            begin: 0,
            end: 0,
        })
    }

    /// Writes a batch. After an error the next batch overwrites what was written of it.
    fn append(&mut self, batch: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(batch)?;
        self.end += batch.len() as u64;
        self.lengths.push_back(batch.len());
        Ok(())
    }

    /// Reads the next batch; it is empty if there is none.
    fn take(&mut self) -> io::Result<Vec<u8>> {
        let Some(&length) = self.lengths.front() else {
            return Ok(Vec::new());
        };
        let mut batch = vec![0; length];
        self.file.seek(SeekFrom::Start(self.begin))?;
        self.file.read_exact(&mut batch)?;
        self.begin += length as u64;
        self.lengths.pop_front();
        Ok(batch)
    }
}

/// Makes a file and removes its name at once: only the handle leads to it.
fn unnamed(folder: &Path) -> io::Result<File> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    // Nobody else may open it before its name is gone.
    system::make_private(&mut options);
    let mut tries = 0;
    loop {
        let number = NUMBER.fetch_add(1, SeqCst);
        let name = format!("tanada-{}-{number}.spool", std::process::id());
        let path = folder.join(name);
        match options.open(&path) {
            Ok(file) => {
                remove_file(&path)?;
                return Ok(file);
            }
            // A process with the same number may have been killed before it removed its file.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < 100 => tries += 1,
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    fn rest(spool: &mut Spool) -> Vec<Vec<u8>> {
        std::iter::from_fn(|| spool.pop().unwrap()).collect()
    }

    #[test]
    fn lines_come_in_order_from_memory_and_files() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = Spool::within(folder.path().to_path_buf(), 1000);
        let lines: Vec<_> = (0..3000)
            .map(|n: usize| n.to_string().repeat(n % 300).into_bytes())
            .collect();
        for line in &lines {
            spool.push(line).unwrap();
        }
        assert!(spool.front_bytes <= 1000 && !spool.files.is_empty());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert_eq!(rest(&mut spool), lines);
        assert!(spool.bytes() == 0 && spool.files.is_empty());
    }

    #[test]
    fn no_file_is_made_while_memory_suffices() {
        let mut spool = Spool::within("/nowhere".into(), 3 * (LINE_COST + 4));
        for _ in 0..5 {
            for line in [b"1234", b"5678", b"9012"] {
                spool.push(line).unwrap();
            }
            assert_eq!(spool.bytes(), 3 * (LINE_COST as u64 + 4));
            assert_eq!(rest(&mut spool), [b"1234", b"5678", b"9012"]);
        }
    }

    #[test]
    fn a_file_that_is_read_is_given_back() {
        let mut spool = Spool::new(0);
        let line = vec![b'x'; 1 << 20];
        for _ in 0..140 {
            spool.push(&line).unwrap();
        }
        assert_eq!(spool.files.len(), 3);
        assert!(spool.bytes() >= 140 << 20 && spool.back.len() <= line.len() + PREFIX);
        for _ in 0..70 {
            assert!(spool.pop().unwrap().is_some_and(|found| found == line));
            // While others come.
            spool.push(b"y").unwrap();
        }
        assert!(spool.front_bytes <= line.len() + LINE_COST);
        assert_eq!(spool.files.len(), 2);
        assert_eq!(rest(&mut spool).len(), 140);
    }

    #[test]
    fn what_cannot_be_written_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("below");
        let mut spool = Spool::within(below.clone(), 0);
        let line = vec![b'x'; BATCH];
        spool.push(b"first").unwrap();
        let bytes = spool.bytes();
        assert!(spool.push(&line).is_err() && spool.push(&line).is_err());
        assert_eq!(spool.bytes(), bytes);
        fs::create_dir(&below).unwrap();
        spool.push(&line).unwrap();
        spool.push(b"last").unwrap();
        assert_eq!(
            rest(&mut spool),
            [b"first".to_vec(), line, b"last".to_vec()]
        );
    }

    proptest! {
        #[test]
        fn it_is_a_queue(memory in 0usize..2000, steps in prop::collection::vec((any::<bool>(), 0usize..150_000), 0..60)) {
            let mut spool = Spool::new(memory);
            let mut queue = VecDeque::new();
            for (place, (comes, length)) in steps.into_iter().enumerate() {
                if comes {
                    let line = vec![u8::try_from(place).unwrap(); length];
                    spool.push(&line).unwrap();
                    queue.push_back(line);
                } else {
                    prop_assert_eq!(spool.pop().unwrap(), queue.pop_front());
                }
                prop_assert_eq!(spool.bytes() == 0, queue.is_empty());
            }
            prop_assert_eq!(rest(&mut spool), Vec::from(queue));
        }
    }
}
