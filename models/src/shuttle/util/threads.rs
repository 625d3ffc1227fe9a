//! The threads of shuttle in place of those of `src/util/threads.rs`.

use std::io;

use shuttle::thread::ScopedJoinHandle;
pub(crate) use shuttle::thread::{Scope, scope};

pub(crate) fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    Ok(scope.spawn(work))
}
