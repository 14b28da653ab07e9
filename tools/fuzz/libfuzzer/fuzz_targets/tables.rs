//! libFuzzer's entry to the target `tables`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| renga_fuzz::tables::run(bytes));
