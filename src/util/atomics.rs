//! What threads share data with. The package `models` compiles the files that use it with the types
//! of `shuttle` and `loom` in its place, to explore the orders in which threads may run.

pub(crate) use std::sync::OnceLock;
pub(crate) use std::sync::atomic::{
    AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, fence,
};

pub(crate) use parking_lot::{Condvar, Mutex};

/// A vector of zeros. Zeroed memory takes no room until it is touched.
pub(crate) fn zeros(count: usize) -> Vec<AtomicU64> {
    bytemuck::zeroed_vec(count)
}
