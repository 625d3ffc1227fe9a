//! The yardstick for playout speed: list-based incremental Tanbo positions.
//!
//! It plays uniformly random games from the standard setups and prints how many moves a second it
//! made. It uses only the standard library and nothing of this crate, so that it stays an
//! independent program:
//!
//! ```text
//! list --design plain|packed --size 7|9|13|19 [--seconds S] [--seed N]    one JSON object
//! list --check [--design plain|packed] [--size N] [--seed N]    every step against naive rules
//! ```
//!
//! `scripts/lab/playout_speed.sh` compiles it for the machine at hand and measures the engine against
//! it.
//!
//! Both designs keep what such a position usually keeps: a board in an array with guard points, for
//! each colour a list of its legal points with the slot of every point in it, a linked list of
//! stones for each root, and a count of the space of each root. `plain` is the design as one writes
//! it down, as fast as that goes, and the yardstick. `packed` is what becomes of it when the
//! branches are taken out; it is more than twice as fast and measured beside the other. Indices are
//! checked in debug builds only.
#![allow(unsafe_code, clippy::print_stdout, clippy::print_stderr)]

use std::time::Instant;

use crate::packed::Packed;
use crate::plain::Plain;
use crate::shared::{Position, Random, Tally, setup};

mod naive;
mod packed;
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
        "{{\"design\":\"{}\",\"size\":{},\"playouts\":{},\"moves\":{},\"seconds\":{elapsed:.6},\
         \"playout_moves_per_second\":{:.0},\"black_wins\":{}}}",
        P::DESIGN,
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

    fn run_one(&self, design: &str, size: usize) -> bool {
        match (design, size) {
            ("plain", 7) => self.run::<Plain<u16, 8, 72>>(3000),
            ("plain", 9) => self.run::<Plain<u16, 10, 110>>(2000),
            ("plain", 13) => self.run::<Plain<u16, 14, 210>>(500),
            ("plain", 19) => self.run::<Plain<u16, 20, 420>>(200),
            ("packed", 7) => self.run::<Packed<u8, 8, 72>>(3000),
            ("packed", 9) => self.run::<Packed<u8, 10, 110>>(2000),
            ("packed", 13) => self.run::<Packed<u8, 14, 210>>(500),
            ("packed", 19) => self.run::<Packed<u16, 20, 420>>(200),
            _ => usage(),
        }
    }
}

fn usage() -> ! {
    eprintln!("usage: list --design plain|packed --size 7|9|13|19 [--seconds S] [--seed N]");
    eprintln!("       list --check [--design plain|packed] [--size 7|9|13|19] [--seed N]");
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
    let (mut design, mut size) = (None, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--design" => design = Some(value::<String>(&mut arguments)),
            "--size" => size = Some(value::<usize>(&mut arguments)),
            "--seconds" => request.seconds = value(&mut arguments),
            "--seed" => request.seed = value(&mut arguments),
            "--check" => request.check = true,
            "--bench" => {} // what `cargo bench` adds
            _ => usage(),
        }
    }
    if !request.check && (design.is_none() || size.is_none()) {
        usage();
    }
    let designs = design.map_or(vec!["plain".into(), "packed".into()], |design| vec![design]);
    let sizes = size.map_or(vec![7, 9, 13, 19], |size| vec![size]);
    let mut agree = true;
    for design in &designs {
        for &size in &sizes {
            agree &= request.run_one(design, size);
        }
    }
    if !agree {
        eprintln!("the random games differ from naive ones");
        std::process::exit(1);
    }
}
