//! What threads share data with. The package `models` compiles the files that use it with the types
//! of `shuttle` and `loom` in its place, to explore the orders in which threads may run.

use std::alloc::{Layout, handle_alloc_error};

pub(crate) use std::sync::OnceLock;
pub(crate) use std::sync::atomic::{
    AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
};

pub(crate) use parking_lot::{Condvar, Mutex};

/// A vector of zeros. Zeroed memory takes no room until it is touched. If memory runs out, the
/// program aborts, as for any vector.
pub(crate) fn zeros(count: usize) -> Vec<AtomicU64> {
    let full = |()| {
        let layout = Layout::array::<AtomicU64>(count);
        handle_alloc_error(layout.unwrap_or(Layout::new::<AtomicU64>()))
    };
    bytemuck::try_zeroed_vec(count).unwrap_or_else(full)
}
