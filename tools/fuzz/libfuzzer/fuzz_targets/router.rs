//! libFuzzer's entry to the target `router`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| renga_fuzz::router::run(bytes));
