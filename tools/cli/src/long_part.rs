//! `renga test --long=PARTS`: the parts.

use clap::ValueEnum;

/// A part of `renga test --long`.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum LongPart {
    /// The pair's tests of clusters on four boards
    Quad,
    /// The same on eight boards
    Octet,
    /// The same on two boards of four cores each, and 10 seeds of link faults and deaths there
    Pair4,
    /// 250 more seeds of link faults and deaths on booted boards, each of them twice
    Chaos,
    /// `renga crash` with the shipped scripts, at up to 200 events of each kind
    Crash,
    /// The scripts of Debian's programs on board b, and the long ones on both, beside Linux; Linux' timed card
    Debian,
    /// Conformance suites of other projects (busybox' shell, with it and with dash; coreutils) on Linux, on a, on b
    Suites,
    /// Debian's packages in use (terminals, users, languages, servers, MPI) on Linux, on a, on b
    Packages,
    /// Boards of four cores, Renga's and Linux's: four runs each, some on a busy host
    Cores,
    /// The pair over four data wires, pin by pin
    Wires,
    /// The QEMU of each Debian suite that is supported, unpacked: the same hashes as with the installed one
    Qemu,
    /// The release made in two folders: equal bytes; one runs where there is no Rust and no checkout
    Release,
    /// A pair that brings itself another kernel over its pins
    Update,
    /// 100,000 seeds of whole systems in the simulator
    Systems,
    /// 100 seeds and clusters of the simulator in WebAssembly, by node and Chromium
    Wasm,
    /// 1,000,000 seeds of calls between boards in the simulator
    Calls,
    /// The token protocol's model with more faults and boards
    Models,
    /// 10,000,000 calls of a hostile board beside a whole one
    Hostile,
    /// Pages of `renga view` in headless Chromium, which is installed if it can be
    Browser,
    /// A board for each kind of damage of its disk that the host does not refuse; runs killed at more moments
    Damage,
    /// Each fuzz target for 20 minutes
    Fuzz,
    /// The core, the link's state machines and its formats under miri, where it is installed
    Miri,
}
