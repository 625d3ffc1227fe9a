//! Closures on threads of their own.

use loom::sync::Arc;
use loom::thread;

/// Runs the closures on concurrent threads. The calling thread only waits, because loom does not
/// explore every order of its accesses.
pub(crate) fn together<T: Send + Sync + 'static, const N: usize>(
    shared: &Arc<T>,
    work: [fn(&T); N],
) {
    let threads = work.map(|work| {
        let shared = Arc::clone(shared);
        thread::spawn(move || work(&shared))
    });
    for thread in threads {
        thread.join().unwrap();
    }
}
