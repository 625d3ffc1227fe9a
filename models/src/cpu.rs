//! Hints to the processor, which change no result.

pub(crate) fn prefetch<T>(_: &[T]) {}
pub(crate) fn use_huge_pages<T>(_: &[T]) {}
