//! A fuzz target as a program of libFuzzer. The environment variable `FUZZ_TARGET` names it.

#![no_main]

use std::sync::LazyLock;

static RUN: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
    match tanada_fuzz::find(&name) {
        Some(target) => target.run,
        None => {
            let names = tanada_fuzz::TARGETS.iter().map(|target| target.name);
            eprintln!(
                "FUZZ_TARGET is `{name}`; expected one of: {}",
                names.collect::<Vec<_>>().join(", ")
            );
            std::process::exit(2)
        }
    }
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| RUN(bytes));
