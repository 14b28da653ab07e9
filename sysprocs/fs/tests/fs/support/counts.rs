//! What a file system under test is made with: how many processes and page frames, flags of opening, a log.

pub use renga_fs_host::FsCounts as Counts;

pub const USUAL: Counts = Counts { buffers: 48, inodes: 48, paths: 4, files: 32, frames: 1024 };
pub const FEW: Counts = Counts { buffers: 8, inodes: 8, paths: 2, files: 4, frames: 16 };

pub const O_WRONLY: u32 = 1;
pub const O_RDWR: u32 = 2;
pub const O_APPEND: u32 = 0o2000;

pub fn log(who: renga_rt::ProcId, text: &'static str, figures: [u64; 2]) {
    eprintln!("{who}: {text} {figures:?}");
}
