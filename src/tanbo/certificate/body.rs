//! The bytes of a certificate: decompresses the moves and computes the checksum.

use std::io::{self, BufRead, BufReader, Read};

use flate2::{CrcReader, Decompress, FlushDecompress, Status};

use super::error::{Defect, VerifyError};

const CHUNK: usize = 1 << 16;

/// Reads a certificate from its first byte to its last, in chunks.
pub(super) struct Body<R> {
    /// The file, with the checksum of the bytes used so far.
    file: CrcReader<BufReader<R>>,
    inflate: Decompress,
    /// Moves that are decompressed but not returned yet: `moves[returned..inflated]`.
    moves: Vec<u8>,
    returned: usize,
    inflated: usize,
    /// Whether the compressed part has ended.
    over: bool,
    /// Whether what follows the decompressed moves is damaged.
    damaged: bool,
}

impl<R: Read> Body<R> {
    pub(super) fn new(file: R) -> Self {
        Self {
            file: CrcReader::new(BufReader::with_capacity(CHUNK, file)),
            inflate: Decompress::new(true),
            moves: vec![0; CHUNK],
            returned: 0,
            inflated: 0,
            over: false,
            damaged: false,
        }
    }

    /// The next byte outside the compressed part.
    pub(super) fn plain(&mut self) -> Result<Option<u8>, VerifyError> {
        Ok(self.file.by_ref().bytes().next().transpose()?)
    }

    /// The next byte of the compressed part.
    #[inline]
    pub(super) fn next_move(&mut self) -> Result<Option<u8>, VerifyError> {
        if self.returned == self.inflated {
            self.refill()?;
        }
        let found = self.moves[self.returned..self.inflated].first().copied();
        self.returned += found.iter().len();
        Ok(found)
    }

    /// Decompresses at least one move, unless none is left.
    fn refill(&mut self) -> Result<(), VerifyError> {
        self.returned = 0;
        self.inflated = 0;
        while self.inflated == 0 && !self.over {
            if self.damaged {
                return Err(Defect::Damaged.into());
            }
            let unused = loop {
                match self.file.fill_buf() {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                    read => break read?,
                }
            };
            if unused.is_empty() {
                return Err(Defect::Truncated.into());
            }
            let before = (self.inflate.total_in(), self.inflate.total_out());
            let status = self
                .inflate
                .decompress(unused, &mut self.moves, FlushDecompress::None);
            let read = (self.inflate.total_in() - before.0) as usize;
            self.inflated = ((self.inflate.total_out() - before.1) as usize).min(CHUNK);
            self.file.consume(read);
            match status {
                Ok(Status::StreamEnd) => self.over = true,
                Ok(_) if read > 0 || self.inflated > 0 => (),
                _ => self.damaged = true,
            }
        }
        Ok(())
    }

    /// Checks that the compressed part ends here, followed by the checksum and nothing else.
    pub(super) fn end(&mut self) -> Result<(), VerifyError> {
        if self.next_move()?.is_some() {
            return Err(Defect::Leftover.into());
        }
        let expected = self.file.crc().sum();
        let mut found = 0;
        for _ in 0..4 {
            let byte = self.plain()?.ok_or(Defect::Truncated)?;
            found = found << 8 | u32::from(byte);
        }
        if found != expected {
            return Err(Defect::Checksum { found, expected }.into());
        }
        match self.plain()? {
            Some(_) => Err(Defect::Trailing.into()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::*;

    /// A few bytes may hold more moves than there is room for at once.
    #[test]
    fn many_moves_in_few_bytes_are_read() {
        for count in CHUNK - 2..CHUNK + 300 {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
            encoder.write_all(&vec![7; count]).unwrap();
            let file = [encoder.finish().unwrap(), vec![0; 4]].concat();
            let mut body = Body::new(&*file);
            let mut read = 0;
            while let Some(mv) = body.next_move().unwrap() {
                assert_eq!(mv, 7);
                read += 1;
            }
            assert_eq!(read, count);
        }
    }
}
