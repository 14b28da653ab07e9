//! Translation: the kernel's own map, and user memory.

mod address_space_ids;
mod descriptor;
mod frame_memory;
mod kernel_map;
mod maintenance;
mod runs;
mod table;

pub use frame_memory::{FrameMemory, FrameRecord};
pub use kernel_map::KernelMap;
