//! Translation: the kernel's own map, and user memory.

mod address_space_ids;
mod descriptor;
mod frame_memory;
mod frame_record;
mod kernel_map;
mod maintenance;
mod runs;
mod survey;
mod table;
mod templates;

pub use frame_memory::FrameMemory;
pub use frame_record::FrameRecord;
pub use kernel_map::KernelMap;
pub use survey::{Survey, never_executes_writable};
