//! What is known about the machine.

use crate::util::system;

/// The memory of the machine in MiB, at least 16, if the system tells.
pub(super) fn memory() -> Option<usize> {
    let bytes = system::memory()?;
    Some((bytes >> 20).max(16) as usize)
}
