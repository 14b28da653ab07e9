//! Many seeds: workers that run them, the figures of all, and what to do about one that fails.
//!
//! Seeds run in processes of their own, each a few of them one after the other: what a run leaks goes
//! with its process, and one that ends badly ends no other. Invariant: which seeds there are and what
//! each does depends on the options alone, not on how many workers there are or how fast.

mod crash;
mod options;
mod parent;
mod progress;
mod shrink;
mod summary;
mod worker;

pub use options::Options;

/// Does what the command line says; the exit status is 0 only if every seed was good.
pub fn run(options: &Options) -> u8 {
    if options.worker {
        worker::run(options);
        return 0;
    }
    let good = match (options.crash, options.replay) {
        (Some(seed), _) => crash::run(options, seed),
        (None, Some(seed)) => shrink::replay(options, seed),
        (None, None) => parent::run(options),
    };
    u8::from(!good)
}
