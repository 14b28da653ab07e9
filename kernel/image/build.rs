//! Checks the system file and writes it as tables; hands the linker its scripts.

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    println!("cargo::rerun-if-env-changed=RENGA_SYSTEM");
    println!("cargo::rerun-if-changed=link.ld");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("none") {
        println!("cargo::rustc-link-arg-bins=-T{}", folder.join("link.ld").display());
        println!("cargo::rustc-link-arg-bins=-Tdefmt.x");
    }
    let file =
        env::var_os("RENGA_SYSTEM").map_or_else(|| folder.join("../../sysprocs/systems/pair.toml"), PathBuf::from);
    println!("cargo::rerun-if-changed={}", file.display());
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let checked = renga_placement::parse(&text)
        .and_then(|system| renga_placement::check(&system, &renga_placement::code_kinds()));
    let checked = checked.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it")).join("system.rs");
    fs::write(&out, checked.to_rust()).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
}
