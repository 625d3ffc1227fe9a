//! The types of loom in place of those of `src/util/atomics.rs`.

use std::ops::Deref;
use std::sync::atomic::AtomicBool as AtomicFlag;

use loom::sync::atomic;
pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, Ordering, fence};

/// Whether `SeqCst` fences stand after writes or before all accesses.
static AFTER_WRITES: AtomicFlag = AtomicFlag::new(false);

/// Loom takes a `SeqCst` access for an `AcqRel` one, but knows `SeqCst` fences. Here such fences stand
/// where machines need them: after each `SeqCst` write, as on x86, or before each `SeqCst` access, as on
/// Power. What is right must be right with either. A fence orders more than the accesses that it stands
/// for, so what is right with both need not be right in the memory model of Rust.
pub(crate) fn put_fences_after_writes(is_after: bool) {
    AFTER_WRITES.store(is_after, Ordering::Relaxed);
}

/// A fence, if one stands here for an access of this ordering.
fn stand(ordering: Ordering, is_after_write: bool) {
    if matches!(ordering, Ordering::SeqCst)
        && AFTER_WRITES.load(Ordering::Relaxed) == is_after_write
    {
        fence(Ordering::SeqCst);
    }
}

macro_rules! with_fences {
    ($name:ident, $number:ty) => {
        #[derive(Debug, Default)]
        pub(crate) struct $name(atomic::$name);

        impl $name {
            pub(crate) fn new(value: $number) -> Self {
                Self(atomic::$name::new(value))
            }

            pub(crate) fn load(&self, ordering: Ordering) -> $number {
                stand(ordering, false);
                self.0.load(ordering)
            }

            pub(crate) fn store(&self, value: $number, ordering: Ordering) {
                stand(ordering, false);
                self.0.store(value, ordering);
                stand(ordering, true);
            }

            pub(crate) fn compare_exchange(
                &self,
                old: $number,
                new: $number,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$number, $number> {
                stand(success, false);
                let found = self.0.compare_exchange(old, new, success, failure);
                stand(success, true);
                found
            }
        }

        /// No other `SeqCst` access stands in a file that is modelled.
        impl Deref for $name {
            type Target = atomic::$name;
            fn deref(&self) -> &atomic::$name {
                &self.0
            }
        }
    };
}

with_fences!(AtomicU32, u32);
with_fences!(AtomicU64, u64);

/// Loom does not see initialization: chunks exist before the threads begin, and a segment of the
/// solver's table is used only after its number was stored.
pub(crate) use std::sync::OnceLock;

pub(crate) fn zeros(count: usize) -> Vec<AtomicU64> {
    (0..count).map(|_| AtomicU64::new(0)).collect()
}

/// The interface of `parking_lot`.
#[derive(Debug)]
pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(loom::sync::Mutex::new(value))
    }

    pub(crate) fn try_lock(&self) -> Option<loom::sync::MutexGuard<'_, T>> {
        self.0.try_lock().ok()
    }
}
