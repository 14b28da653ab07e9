//! libFuzzer's entry to the target `ext2`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| renga_fuzz::fs::ext2::run(bytes));
