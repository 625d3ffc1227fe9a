//! Reads a certificate: the header, then choice by choice, then the end.

use std::io::Read;

use super::body::Body;
use super::ending::{EndingSearch, Found};
use super::error::{Defect, VerifyError};
use super::header::{self, Header};
use super::naive_position::word;
use super::traversal::{Choice, Decision, TraversalStats};

/// The byte that begins a part, from version 2 on.
pub(super) const PART: u8 = 255;
/// The byte of an ending, from version 3 on.
pub(super) const ENDING: u8 = 254;

/// A certificate up to where it is read.
pub(super) struct Reader<R> {
    pub(super) header: Header,
    body: Body<R>,
    /// Choices so far.
    read: u64,
    /// From version 3 on.
    search: Option<EndingSearch>,
}

impl<R: Read> Reader<R> {
    /// Reads the header.
    pub(super) fn open(file: R) -> Result<Self, VerifyError> {
        let mut body = Body::new(file);
        let header = header::read(&mut || body.plain())?;
        let size = header.start.size();
        let endings = header.endings.as_ref();
        Ok(Self {
            search: endings.map(|endings| EndingSearch::new(size, endings.limit)),
            header,
            body,
            read: 0,
        })
    }

    /// The next choice; an ending is searched.
    #[inline]
    pub(super) fn choose(&mut self, decision: &Decision) -> Result<Choice, VerifyError> {
        if self.read == self.header.positions {
            return Err(Defect::More(self.read).into());
        }
        self.read += 1;
        let byte = self.byte()?;
        match &mut self.search {
            Some(search) if byte == ENDING => {
                check(search.search(decision.position), &self.header)?;
                return Ok(Choice::Ending);
            }
            _ => (),
        }
        if byte != PART || self.header.parts.is_none() {
            return Ok(Choice::Move(number(byte, decision)?));
        }
        let byte = self.byte()?;
        if byte == PART || (byte == ENDING && self.search.is_some()) {
            return Err(Defect::PartMove(byte).into());
        }
        Ok(Choice::Part(number(byte, decision)?))
    }

    /// Positions that the searches of endings needed so far; `None` before version 3.
    pub(super) fn searched(&self) -> Option<u64> {
        self.search.as_ref().map(|search| search.searched)
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
        let counts = [
            ("parts", self.header.parts, found.parts),
            (
                "endings",
                self.header.endings.map(|endings| endings.count),
                found.endings,
            ),
        ];
        for (what, claimed, found) in counts {
            if let Some(claimed) = claimed.filter(|claimed| *claimed != found) {
                return Err(Defect::Count {
                    what,
                    claimed,
                    found,
                }
                .into());
            }
        }
        Ok(())
    }
}

/// The index of a move among the legal ones.
fn number(byte: u8, decision: &Decision) -> Result<usize, VerifyError> {
    let (number, last) = (usize::from(byte), decision.legal.len().saturating_sub(1));
    if number > last {
        return Err(Defect::Illegal { number, last }.into());
    }
    Ok(number)
}

/// Refuses an ending that the search did not find to be won.
fn check(found: Found, header: &Header) -> Result<(), VerifyError> {
    match found {
        Found::Won => Ok(()),
        Found::NotWon => Err(Defect::EndingLost(word(header.winner)).into()),
        Found::TooLarge => {
            let limit = header.endings.map_or(0, |endings| endings.limit);
            Err(Defect::EndingSize(limit).into())
        }
    }
}
