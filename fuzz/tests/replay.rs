//! Replays the inputs that are kept.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use tanada_fuzz::TARGETS;

fn corpus() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

#[test]
fn each_kept_input_passes_its_target() {
    let mut failed = Vec::new();
    for target in TARGETS {
        let mut inputs: Vec<PathBuf> = fs::read_dir(corpus().join(target.name))
            .unwrap_or_else(|error| panic!("corpus/{}: {error}", target.name))
            .map(|entry| entry.unwrap().path())
            .collect();
        inputs.sort();
        assert!(!inputs.is_empty(), "corpus/{} is empty", target.name);
        for path in inputs {
            let bytes = fs::read(&path).unwrap();
            if catch_unwind(AssertUnwindSafe(|| (target.run)(&bytes))).is_err() {
                failed.push(path);
            }
        }
    }
    assert!(failed.is_empty(), "these inputs fail: {failed:#?}");
}

#[test]
fn each_folder_of_the_corpus_has_a_target() {
    for entry in fs::read_dir(corpus()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(tanada_fuzz::find(&name).is_some(), "{name}");
    }
    assert!(TARGETS.is_sorted_by_key(|target| target.name));
}
