//! What differs between operating systems. `unix` and `windows` offer the same items; what Windows
//! lacks is said there, at the item.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::*;
#[cfg(windows)]
pub(crate) use windows::*;
