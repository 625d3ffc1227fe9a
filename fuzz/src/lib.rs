//! Fuzz targets: each takes any bytes and panics if Tanada does something wrong with them.
//!
//! `scripts/hard/fuzz.sh` fuzzes the targets; `cargo test -p tanada-fuzz` replays the inputs that are
//! kept in `corpus`.

mod targets;

/// A fuzz target.
pub struct Target {
    /// Its name, which is that of its folder in `corpus`.
    pub name: &'static str,
    /// What it asserts, besides the absence of panics.
    pub asserts: &'static str,
    /// Executes one input.
    pub run: fn(&[u8]),
}

/// All targets, in the order of their names.
pub const TARGETS: &[Target] = targets::TARGETS;

/// The target with this name.
pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
