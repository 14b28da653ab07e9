//! A process's resource use, on its way from its end to the waiting parent.
//!
//! Invariant: as bytes it has one length, and any bytes are some `Used`. Not here: the accounting
//! (`renga_core::account`), its form for programs (`struct rusage`, in the caller's process).

use crate::in_slice::in_slice;

macro_rules! used { ($($(#[$doc:meta])* $field:ident,)*) => {
    in_slice! {
        /// What a process used, or several together.
        pub struct Used { $($(#[$doc])* $field: u64),* }
    }

    impl Used {
        /// Nothing.
        pub const NONE: Used = Used { $($field: 0),* };
        /// Both together.
        pub fn plus(self, other: Used) -> Used {
            let frames = self.frames.max(other.frames);
            Used { frames, ..Used { $($field: self.$field.saturating_add(other.$field)),* } }
        }
    }
} }
used! {
    /// Time of own instructions, ns.
    user_ns,
    /// Time of what others did for it, ns.
    system_ns,
    /// Faults served from memory.
    faults_minor,
    /// Faults that had to wait for a medium or another board.
    faults_major,
    /// Blocks read from the medium.
    blocks_read,
    /// Blocks written to the medium.
    blocks_written,
    /// Time slices that it ended by waiting.
    turns_given,
    /// Time slices that ended by preemption.
    context_switches,
    /// Most page frames at a time; of several processes, of the one that had most.
    frames,
}

#[cfg(test)]
mod tests {
    use super::Used;

    #[test]
    fn bytes_and_back() {
        let used = Used { user_ns: 1, context_switches: 1 << 40, frames: 9, ..Used::NONE };
        assert_eq!(Used::from_bytes(&used.to_bytes()), used);
        assert_eq!(Used::from_bytes(&used.to_bytes()[..15]), Used { user_ns: 1, ..Used::NONE });
        let twice = used.plus(Used { frames: 3, ..used });
        assert_eq!((twice.context_switches, twice.frames), (1 << 41, 9), "frames are the most, not the sum");
    }
}
