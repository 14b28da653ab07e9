//! libFuzzer's entry to the target `frame`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| renga_fuzz::frame::run(bytes));
