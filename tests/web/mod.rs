//! The board in the browser: its server from outside, as a page and as an attacker see it.

mod attacks;
mod client;
mod commands;
mod jobs;
mod matches;
mod program;
#[cfg(unix)]
mod signals;

use client::{PATIENCE, Server, Stream, head, line, rest};
