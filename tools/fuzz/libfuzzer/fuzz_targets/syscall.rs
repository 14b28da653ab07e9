//! libFuzzer's entry to the target `syscall`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| renga_fuzz::syscall::run(bytes));
