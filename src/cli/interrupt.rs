//! Signals that end the program: SIGINT (Ctrl-C), SIGTERM (a service manager or a cluster), SIGHUP (a
//! closed terminal). After each of them a command keeps what it has done.

use std::io;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use signal_hook::consts::SIGINT;
use signal_hook::flag;

use super::Failure;
use crate::util::system::ending_signals;

/// The last signal, 0 before the first.
static LAST: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

/// A flag that the signals set. A second Ctrl-C ends the program at once. A second SIGTERM or SIGHUP
/// does not, because some senders repeat them (`timeout` does); neither does the first Ctrl-C after
/// one, because a service manager may send both.
pub(super) fn stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    let interrupted = Arc::new(AtomicBool::new(false));
    // This order, so only the second Ctrl-C finds the flag set.
    flag::register_conditional_shutdown(SIGINT, status(SIGINT).into(), Arc::clone(&interrupted))
        .and_then(|_| flag::register(SIGINT, interrupted))
        .map_err(unhandled)?;
    patient_flag()
}

/// A flag that the signals set, however often they come.
pub(super) fn patient_flag() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let last = LAST.get_or_init(Arc::default);
    for signal in ending_signals() {
        flag::register_usize(signal, Arc::clone(last), signal as usize)
            .and_then(|_| flag::register(signal, Arc::clone(&stop)))
            .map_err(unhandled)?;
    }
    Ok(stop)
}

fn unhandled(error: io::Error) -> Failure {
    Failure::Other(format!("cannot handle signals: {error}"))
}

/// The exit status after the last signal, by the convention of shells: 130 after Ctrl-C.
pub(super) fn exit_status() -> u8 {
    let last = LAST.get().map_or(0, |last| last.load(Relaxed));
    match i32::try_from(last) {
        Ok(signal) if signal > 0 => status(signal),
        _ => status(SIGINT),
    }
}

fn status(signal: i32) -> u8 {
    128 + signal as u8
}
