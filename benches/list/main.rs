//! The yardstick for playout speed: a list-based incremental Tanbo position.
//!
//! It plays uniformly random games from the standard setups and prints how many moves a second it
//! made. It uses only the standard library and nothing of this crate, which keeps it an independent
//! program:
//!
//! ```text
//! list --size 7|9|13|19 [--seconds S] [--seed N]    one JSON object
//! list --check [--size N] [--seed N]                compares every step with naive rules
//! ```
//!
//! `scripts/lab/playout_speed.sh` compiles it for the machine at hand and measures the engine
//! against it.
//!
//! The position keeps what such a position usually keeps: a board in an array with guard points;
//! for each colour a list of its legal points, with the slot of every point in it; a linked list of
//! the stones of each root; and the number of points each root can grow to. It is the design you
//! would write first, made as fast as possible. Indices are checked in debug builds only.
//!
//! A second design with the same lists but without branches (occupancy, neighbour count and root in
//! one 16-bit word a point) was more than twice as fast as this one; the engine's playouts were
//! 1.05 to 1.20 times as fast as that (`docs/lab/speed.md`). It was removed after that comparison.
#![allow(unsafe_code, clippy::print_stdout, clippy::print_stderr)]

use std::time::Instant;

use crate::plain::Plain;
use crate::shared::{Position, Random, Tally, setup};

mod naive;
mod plain;
mod shared;

fn measure<P: Position>(seconds: f64, seed: u64) {
    let start = P::new(&setup(P::SIZE));
    let mut random = Random::new(seed);
    let mut tally = Tally::default();
    let clock = Instant::now();
    while clock.elapsed().as_secs_f64() < seconds {
        for _ in 0..256 {
            let mut position = start;
            tally.add(position.play_out(&mut random));
        }
    }
    let elapsed = clock.elapsed().as_secs_f64();
    println!(
        "{{\"size\":{},\"playouts\":{},\"moves\":{},\"seconds\":{elapsed:.6},\
         \"playout_moves_per_second\":{:.0},\"black_wins\":{}}}",
        P::SIZE,
        tally.games,
        tally.moves,
        tally.moves as f64 / elapsed,
        tally.black_wins
    );
}

/// What the command line asks for.
struct Request {
    check: bool,
    seconds: f64,
    seed: u64,
}

impl Request {
    /// False if a check failed.
    fn run<P: Position>(&self, games: u64) -> bool {
        if self.check {
            return naive::check::<P>(games, self.seed);
        }
        measure::<P>(self.seconds, self.seed);
        true
    }

    fn run_one(&self, size: usize) -> bool {
        match size {
            7 => self.run::<Plain<8, 72>>(3000),
            9 => self.run::<Plain<10, 110>>(2000),
            13 => self.run::<Plain<14, 210>>(500),
            19 => self.run::<Plain<20, 420>>(200),
            _ => usage(),
        }
    }
}

fn usage() -> ! {
    eprintln!("usage: list --size 7|9|13|19 [--seconds S] [--seed N]");
    eprintln!("       list --check [--size 7|9|13|19] [--seed N]");
    std::process::exit(2)
}

fn value<T: std::str::FromStr>(arguments: &mut impl Iterator<Item = String>) -> T {
    arguments
        .next()
        .and_then(|text| text.parse().ok())
        .unwrap_or_else(|| usage())
}

fn main() {
    let mut request = Request {
        check: false,
        seconds: 1.0,
        seed: 1,
    };
    let mut size = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--size" => size = Some(value::<usize>(&mut arguments)),
            "--seconds" => request.seconds = value(&mut arguments),
            "--seed" => request.seed = value(&mut arguments),
            "--check" => request.check = true,
            "--bench" => {} // what `cargo bench` adds
            _ => usage(),
        }
    }
    if !request.check && size.is_none() {
        usage();
    }
    let mut agree = true;
    for size in size.map_or(vec![7, 9, 13, 19], |size| vec![size]) {
        agree &= request.run_one(size);
    }
    if !agree {
        eprintln!("the random games differ from naive ones");
        std::process::exit(1);
    }
}
