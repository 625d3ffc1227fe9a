//! In place of the queue that continues in files; a lock guards either.

use std::collections::VecDeque;
use std::io;

pub(crate) struct Spool(VecDeque<Vec<u8>>);

impl Spool {
    pub(crate) fn new(_: usize) -> Self {
        Self(VecDeque::new())
    }

    pub(crate) fn push(&mut self, line: &[u8]) -> io::Result<()> {
        self.0.push_back(line.to_vec());
        Ok(())
    }

    pub(crate) fn pop(&mut self) -> io::Result<Option<Vec<u8>>> {
        Ok(self.0.pop_front())
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.0.iter().map(|line| line.len() as u64).sum()
    }
}
