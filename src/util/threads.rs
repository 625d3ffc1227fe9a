//! The number of cores, and scoped threads with large stacks. The package `models` has the threads of
//! `shuttle` in their place.

use std::io;
use std::sync::LazyLock;
use std::thread::{self, Builder, ScopedJoinHandle};

pub(crate) use std::thread::{Scope, scope};

/// The stack of a thread, in bytes: enough for a solver's recursion of some hundred plies. Unused
/// stack takes no memory.
pub(crate) const STACK: usize = 64 << 20;

/// The number of cores, at least 1. Asked once, because on Linux this reads several files.
pub(crate) fn cores() -> usize {
    static CORES: LazyLock<usize> =
        LazyLock::new(|| thread::available_parallelism().map_or(1, |cores| cores.get()));
    *CORES
}

/// Starts a thread with a stack of [`STACK`] bytes.
///
/// # Errors
/// The system starts no more threads.
pub(crate) fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    Builder::new().stack_size(STACK).spawn_scoped(scope, work)
}
