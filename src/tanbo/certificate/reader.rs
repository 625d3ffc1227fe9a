//! Reads a certificate: the header, then choice by choice, then the end.

use std::io::Read;

use super::body::Body;
use super::error::{Defect, VerifyError};
use super::header::{self, Header};
use super::naive_position::word;
use super::traversal::{Choice, TraversalStats};

/// The byte that begins a part.
pub(super) const PART: u8 = 255;

/// A certificate up to where it is read.
pub(super) struct Reader<R> {
    pub(super) header: Header,
    body: Body<R>,
    /// Choices so far.
    read: u64,
}

impl<R: Read> Reader<R> {
    /// Reads the header.
    pub(super) fn open(file: R) -> Result<Self, VerifyError> {
        let mut body = Body::new(file);
        let header = header::read(&mut || body.plain())?;
        Ok(Self {
            header,
            body,
            read: 0,
        })
    }

    /// The next choice, in a position with `legal` moves.
    #[inline]
    pub(super) fn choose(&mut self, legal: usize) -> Result<Choice, VerifyError> {
        if self.read == self.header.positions {
            return Err(Defect::More(self.read).into());
        }
        self.read += 1;
        let mut byte = self.byte()?;
        let begins_part = byte == PART && self.header.parts.is_some();
        if begins_part {
            byte = self.byte()?;
            if byte == PART {
                return Err(Defect::PartMove.into());
            }
        }
        let (number, last) = (usize::from(byte), legal.saturating_sub(1));
        if number > last {
            return Err(Defect::Illegal { number, last }.into());
        }
        Ok(Choice {
            number,
            begins_part,
        })
    }

    fn byte(&mut self) -> Result<u8, VerifyError> {
        let byte = self.body.next_move()?;
        byte.ok_or_else(|| Defect::Missing(word(self.header.winner)).into())
    }

    /// Checks that the certificate ends here, and that its numbers are those that were found.
    pub(super) fn end(&mut self, found: &TraversalStats) -> Result<(), VerifyError> {
        self.body.end()?;
        let claimed = (self.header.positions, self.header.plies);
        let numbers = (found.positions, found.plies);
        if claimed != numbers {
            let found = numbers;
            return Err(Defect::Numbers { claimed, found }.into());
        }
        match self.header.parts {
            Some(claimed) if claimed != found.parts => {
                let found = found.parts;
                Err(Defect::Parts { claimed, found }.into())
            }
            _ => Ok(()),
        }
    }
}
