//! libFuzzer's entry to the target `placement`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| renga_fuzz::placement::run(bytes));
