//! libFuzzer's entry to the target `elf`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| renga_fuzz::elf::run(bytes));
