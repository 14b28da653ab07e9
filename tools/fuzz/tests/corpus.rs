//! Every input that was kept is tried again, on every target that it was kept for.

use renga_fuzz::TARGETS;
use std::fs;
use std::path::{Path, PathBuf};

fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target)
}

fn inputs(target: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder(target)).unwrap_or_else(|error| panic!("corpus of {target}: {error}"));
    let mut inputs: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    inputs.sort();
    inputs
}

/// Largest corpus of a target, bytes: what a clone of the repository should bear.
const CORPUS_BYTES_MAX: usize = 128 << 10;

/// Holds: fuzz-kept.
#[test]
fn fuzz_corpus_inputs_are_survived() {
    for target in TARGETS {
        let (mut tried, mut bytes) = (0, 0);
        for path in inputs(target.name) {
            let input = fs::read(&path).unwrap();
            println!("{}", path.display()); // printed if it fails
            (target.run)(&input);
            (tried, bytes) = (tried + 1, bytes + input.len());
        }
        println!("{}: {tried} inputs of {bytes} bytes in all", target.name);
        assert!(tried > 0, "{} has no inputs", target.name);
        assert!(bytes <= CORPUS_BYTES_MAX, "the corpus of {} has {bytes} bytes", target.name);
    }
}

/// Holds: fuzz-kept.
#[test]
fn fuzz_targets_have_programs() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("libfuzzer/fuzz_targets");
    let mut found: Vec<String> = fs::read_dir(programs)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    found.sort();
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    assert_eq!(found, names);
}
