//! The types of loom in place of those of `src/util/atomics.rs`.

pub(crate) use loom::sync::atomic::{
    AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, fence,
};

/// Chunks exist before the threads begin, so their initialization is no part of the models.
pub(crate) use std::sync::OnceLock;
