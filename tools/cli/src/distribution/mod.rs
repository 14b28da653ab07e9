//! Options of the commands that make what people install.

mod completions;
mod release;

pub use completions::{CompletionKind, Completions};
pub use release::ReleaseArgs;
