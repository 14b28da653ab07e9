//! libFuzzer's entry to the target `trace`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| renga_fuzz::trace::run(bytes));
