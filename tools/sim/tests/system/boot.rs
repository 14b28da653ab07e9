//! Boot to the first program, and a clean stop.

use crate::machine::{possible, run};
use renga_placement::PlacementError;
use renga_sim::program::Open;
use renga_sim::system::{SMALL, placement};

#[test]
fn boot_init_runs_and_stops_system() {
    if !possible() {
        return;
    }
    let finished = run(
        |init| async move {
            init.make_directory("/dev").await.unwrap();
            init.make_device("/dev/console", 5, 1).await.unwrap();
            let console = init.open("/dev/console", Open::Change).await.unwrap();
            init.write_all(console, b"hello\n").await.unwrap();
            let motd = init.open("/etc/motd", Open::Read).await.unwrap();
            assert_eq!(init.read(motd, 100).await.unwrap(), b"renga\n");
            let file = init.open("/new", Open::Create).await.unwrap();
            init.write_all(file, &[7; 100_000]).await.unwrap();
            init.unlink("/etc/motd").await.unwrap();
            5
        },
        |_| (),
    );
    assert_eq!((finished.status, finished.system.screen().as_str()), (5, "hello\n"));
    assert_eq!(finished.files["/new"], [7; 100_000]);
    assert!(!finished.files.contains_key("/etc/motd"));
}

/// The lock of names does not answer callers of other boards that are interrupted or die while they wait for it.
#[test]
fn boot_names_change_on_file_board_only() {
    for (kind, line) in
        [("path_lookup", "path_lookup        = { on = \"a\""), ("inode_directory", "inode_directory    = { on = \"a\"")]
    {
        assert_eq!(SMALL.matches(line).count(), 1, "{line}");
        let error = placement(&SMALL.replace(line, &line.replace("\"a\"", "\"b\""))).unwrap_err();
        assert!(matches!(error, PlacementError::FileKindElsewhere { kind: found, .. } if found == kind), "{error}");
        assert!(error.to_string().contains("the file system's processes are on one board"), "{error}");
    }
}
