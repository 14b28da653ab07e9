//! Which inode a number stands for, and who refers to it, when boards die and come back.

use crate::support::{FEW, Medium512, Scratch, System, User, check_image, make_image};
use renga_proto::inode::{BoardDied, HandOver, InodeFacts, Reactivate, Release};
use renga_proto::path::{FileSystemStatus, OPEN_CREATE, OPEN_WRITE};
use renga_rt::Errno;

fn rig(name: &str) -> (Scratch, Medium512, System) {
    let scratch = Scratch::new(name);
    let device = Medium512::default();
    *device.bytes.borrow_mut() = make_image(&scratch, 16, None, &[]);
    let system = System::new(&device, "none", FEW);
    (scratch, device, system)
}

async fn again(user: &mut User, facts: InodeFacts) -> Result<u16, Errno> {
    user.directory.call(Reactivate { ino: facts.ino, generation: facts.birth.generation }, ()).await
}

async fn free_inodes(user: &mut User) -> u64 {
    let mut out = [0; 120];
    user.path.call(FileSystemStatus {}, &mut out[..]).await.unwrap();
    u64::from_le_bytes(out[48..56].try_into().unwrap())
}

#[test]
fn reactivate_other_generation_is_refused() {
    let (scratch, device, system) = rig("again");
    system.run(|mut user| async move {
        user.write_file("/one", b"text").await.unwrap();
        let one = user.open_facts("/one", 0, 0).await.unwrap();
        user.directory.call(Release { slot: one.slot, ino: one.ino }, ()).await.unwrap();
        let slot = again(&mut user, one).await.unwrap();
        user.directory.call(Release { slot, ino: one.ino }, ()).await.unwrap();
        user.unlink("/one").await.unwrap();
        assert_eq!(again(&mut user, one).await, Err(Errno::ENOENT));
        // The next one gets the number, at the same instant.
        let two = user.open_facts("/two", OPEN_CREATE | OPEN_WRITE, 0o644).await.unwrap();
        assert_eq!(two.ino, one.ino);
        assert_ne!(two.birth.generation, one.birth.generation);
        assert_eq!(again(&mut user, one).await, Err(Errno::ENOENT));
        assert!(again(&mut user, two).await.is_ok());
        let nothing = Reactivate { ino: 4000, generation: 0 };
        assert_eq!(user.directory.call(nothing, ()).await, Err(Errno::ENOENT));
        let nowhere = Reactivate { ino: 1 << 30, generation: 0 };
        assert_eq!(user.directory.call(nowhere, ()).await, Err(Errno::ENOENT));
    });
    system.unmount();
    check_image(&scratch, &device.bytes.borrow(), "-fn");
}

#[test]
fn reactivate_freed_inode_leaves_successor_intact() {
    let (scratch, device, system) = rig("next");
    system.run(|mut user| async move {
        user.write_file("/next", &[7; 30_000]).await.unwrap();
        let next = user.open_facts("/next", 0, 0).await.unwrap();
        user.directory.call(Release { slot: next.slot, ino: next.ino }, ()).await.unwrap();
        // No process has it open, and its record is in memory only.
        let gone = Reactivate { ino: next.ino, generation: next.birth.generation.wrapping_add(1) };
        assert_eq!(user.directory.call(gone, ()).await, Err(Errno::ENOENT));
        assert!(user.read_file("/next").await == Ok(vec![7; 30_000]), "its content is lost");
    });
    system.unmount();
    check_image(&scratch, &device.bytes.borrow(), "-fn");
}

#[test]
fn board_failure_drops_its_references() {
    let (scratch, device, system) = rig("dead");
    system.run(|mut user| async move {
        let before = free_inodes(&mut user).await;
        let facts = user.open_facts("/open", OPEN_CREATE | OPEN_WRITE, 0o644).await.unwrap();
        let HandOver { slot, board } = HandOver { slot: facts.slot, board: 1 };
        user.directory.call(HandOver { slot, board }, ()).await.unwrap();
        user.unlink("/open").await.unwrap();
        assert_eq!(free_inodes(&mut user).await, before - 1, "open without a name");
        user.directory.call(BoardDied { board: 2 }, ()).await.unwrap();
        assert_eq!(free_inodes(&mut user).await, before - 1);
        user.directory.call(BoardDied { board }, ()).await.unwrap();
        user.sync().await.unwrap(); // it is freed by then
        assert_eq!(free_inodes(&mut user).await, before);
    });
    system.unmount();
    check_image(&scratch, &device.bytes.borrow(), "-fn");
}
