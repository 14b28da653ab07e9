//! Bytes of the processes' futures, for which boot memory must have room.
use renga_rt::signature::kind;

#[test]
fn process_futures_fit_size_bounds() {
    let kinds = [
        kind("disk", &renga_fs::disk::<crate::support::Medium512>),
        kind("buffer", &renga_fs::buffer),
        kind("buffer_directory", &renga_fs::buffer_directory),
        kind("allocator", &renga_fs::allocator),
        kind("inode", &renga_fs::inode),
        kind("inode_directory", &renga_fs::inode_directory),
        kind("inode_reclaimer", &renga_fs::inode_reclaimer),
        kind("metadata_writeback", &renga_fs::metadata_writeback),
        kind("committer", &renga_fs::committer),
        kind("lookup_worker", &renga_fs::lookup_worker),
        kind("path_lookup", &renga_fs::path_lookup),
        kind("file", &renga_fs::file::<renga_hal_host::HostMemory>),
        kind("file_table", &renga_fs::file_table),
    ];
    for (kind, most) in kinds.iter().zip([1100, 500, 1000, 16_000, 3000, 5000, 600, 600, 3000, 13_500, 300, 1640, 600])
    {
        eprintln!("{}: {} bytes", kind.name, kind.future_bytes);
        assert!(kind.future_bytes <= most, "{}: {} bytes", kind.name, kind.future_bytes);
    }
}
