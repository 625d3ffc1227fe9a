//! A certificate as bytes: the file with its check number, the moves unpacked.

use std::io::{self, Read};

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::refusal::{Reason, Unverified};

const CHUNK: usize = 1 << 16;

/// Reads a certificate from its first byte to its last, a chunk at a time.
pub(super) struct Body<R> {
    file: R,
    /// Bytes of the file that wait at `packed[taken..filled]`.
    packed: Vec<u8>,
    taken: usize,
    filled: usize,
    /// Over the bytes of the file taken so far.
    crc: Crc,
    unpack: Decompress,
    /// Moves that wait at `moves[given..made]`.
    moves: Vec<u8>,
    given: usize,
    made: usize,
    /// Whether the compressed part is over.
    over: bool,
    /// Whether it cannot be unpacked after the moves that wait.
    damaged: bool,
}

impl<R: Read> Body<R> {
    pub(super) fn new(file: R) -> Self {
        Self {
            file,
            packed: vec![0; CHUNK],
            taken: 0,
            filled: 0,
            crc: Crc::new(),
            unpack: Decompress::new(true),
            moves: vec![0; CHUNK],
            given: 0,
            made: 0,
            over: false,
            damaged: false,
        }
    }

    /// The bytes of the file that wait, none only at its end.
    fn waiting(&mut self) -> io::Result<&[u8]> {
        if self.taken == self.filled {
            self.taken = 0;
            self.filled = loop {
                match self.file.read(&mut self.packed) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                    read => break read?.min(CHUNK),
                }
            };
        }
        Ok(&self.packed[self.taken..self.filled])
    }

    /// Counts `count` of the waiting bytes as taken and checked.
    fn take(&mut self, count: usize) {
        let to = self.filled.min(self.taken + count);
        self.crc.update(&self.packed[self.taken..to]);
        self.taken = to;
    }

    /// The next byte of the file as it is.
    pub(super) fn plain(&mut self) -> Result<Option<u8>, Unverified> {
        let byte = self.waiting()?.first().copied();
        self.take(byte.iter().len());
        Ok(byte)
    }

    /// The next byte of what is compressed.
    #[inline]
    pub(super) fn next_move(&mut self) -> Result<Option<u8>, Unverified> {
        if self.given == self.made {
            self.unpack()?;
        }
        let found = self.moves[self.given..self.made].first().copied();
        self.given += found.iter().len();
        Ok(found)
    }

    /// Unpacks at least one move, unless there is none.
    fn unpack(&mut self) -> Result<(), Unverified> {
        self.given = 0;
        self.made = 0;
        while self.made == 0 && !self.over {
            if self.damaged {
                return Err(Reason::Damaged.into());
            }
            if self.waiting()?.is_empty() {
                return Err(Reason::Truncated.into());
            }
            let (read, made) = (self.unpack.total_in(), self.unpack.total_out());
            let waiting = &self.packed[self.taken..self.filled];
            let status = self
                .unpack
                .decompress(waiting, &mut self.moves, FlushDecompress::None);
            let read = (self.unpack.total_in() - read) as usize;
            self.made = ((self.unpack.total_out() - made) as usize).min(CHUNK);
            self.take(read);
            match status {
                Ok(Status::StreamEnd) => self.over = true,
                Ok(_) if read > 0 || self.made > 0 => (),
                _ => self.damaged = true,
            }
        }
        Ok(())
    }

    /// Checks that the compressed part is over, that the check number follows it,
    /// and nothing that.
    pub(super) fn end(&mut self) -> Result<(), Unverified> {
        if self.next_move()?.is_some() {
            return Err(Reason::Leftover.into());
        }
        let expected = self.crc.sum();
        let mut found = 0;
        for _ in 0..4 {
            let byte = self.plain()?.ok_or(Reason::Truncated)?;
            found = found << 8 | u32::from(byte);
        }
        if found != expected {
            return Err(Reason::Checksum { found, expected }.into());
        }
        match self.plain()? {
            Some(_) => Err(Reason::Trailing.into()),
            None => Ok(()),
        }
    }
}
