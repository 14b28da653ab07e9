//! libFuzzer's entry to the target `path`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| renga_fuzz::fs::path::run(bytes));
