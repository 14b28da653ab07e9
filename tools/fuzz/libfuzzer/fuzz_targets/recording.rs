//! libFuzzer's entry to the target `recording`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| renga_fuzz::recording::run(bytes));
