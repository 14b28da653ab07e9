//! Translation: the kernel's own map, and user memory.

mod address_space_ids;
mod changes;
mod descriptor;
mod frame_memory;
mod frame_record;
mod holds;
mod kernel_map;
mod maintenance;
mod runs;
mod shared_table_counts;
mod shared_tables;
mod survey;
mod table;

pub use frame_memory::FrameMemory;
pub(crate) use frame_memory::deactivate;
pub use frame_record::FrameRecord;
pub use kernel_map::KernelMap;
pub(crate) use maintenance::activate_space;
pub use survey::Survey;
