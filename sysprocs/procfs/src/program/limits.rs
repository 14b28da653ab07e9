//! The limits of a program, as a table.

use crate::window::{TextWindow, put};
use renga_rt::proc_info::LIMITS;

/// Names and units, by Linux's numbers.
const NAMES: [(&str, &str); LIMITS] = [
    ("Max cpu time", "seconds"),
    ("Max file size", "bytes"),
    ("Max data size", "bytes"),
    ("Max stack size", "bytes"),
    ("Max core file size", "bytes"),
    ("Max resident set", "bytes"),
    ("Max processes", "processes"),
    ("Max open files", "files"),
    ("Max locked memory", "bytes"),
    ("Max address space", "bytes"),
    ("Max file locks", "locks"),
    ("Max pending signals", "signals"),
    ("Max msgqueue size", "bytes"),
    ("Max nice priority", ""),
    ("Max realtime priority", ""),
    ("Max realtime timeout", "us"),
];

fn column(out: &mut TextWindow<'_>, limit: u64) {
    match limit {
        u64::MAX => put!(out, "{:<20} ", "unlimited"),
        limit => put!(out, "{limit:<20} "),
    }
}

/// Puts the table of `limits`.
pub(super) fn put(limits: &[[u64; 2]; LIMITS], out: &mut TextWindow<'_>) {
    put!(out, "{:<25} {:<20} {:<20} {:<10}\n", "Limit", "Soft Limit", "Hard Limit", "Units");
    for ((name, unit), [soft, hard]) in NAMES.iter().zip(limits) {
        put!(out, "{name:<25} ");
        column(out, *soft);
        column(out, *hard);
        // Linux leaves the blank behind the hard limit where there is no unit.
        match *unit {
            "" => out.push(b"\n"),
            unit => put!(out, "{unit:<10}\n"),
        }
    }
}
