//! Programs that map files of a board that was started again.

use crate::support::{World, file, run};
use renga_abi::Errno;
use renga_abi::user::AccessKind;
use renga_hal::memory::Access;
use renga_memory::layout::PAGE;
use renga_memory::{Backing, FaultError, MapAddress, Mapping, Space};
use renga_proto::pages::FileId;
use renga_proto::references::ReopenFile;

const AT: u64 = 0x10_0000;
const PAGES: usize = 64;

/// Files of so many pages, each of one byte of its own.
fn contents() -> Vec<Vec<u8>> {
    (0..3).map(|number| vec![b'a' + number; PAGES * 4096]).collect()
}

async fn map(world: &mut World, space: &mut Space, slot: u16) -> u64 {
    let at = AT * (u64::from(slot) + 1);
    let backing = Backing::File { file: file(slot), offset: 0 };
    let place = MapAddress::Fixed(at);
    let mapping = Mapping { place, length: PAGES as u64 * PAGE, access: Access::ReadExecute, backing };
    world.pager().map(space, mapping).await.unwrap()
}

async fn byte(world: &mut World, space: &mut Space, va: u64) -> Result<u8, Errno> {
    let mut byte = [0];
    world.pager().copy_in(space, va, &mut byte).await.map(|()| byte[0])
}

#[test]
fn mapping_of_rebooted_boards_file_continues() {
    run(600, 64, contents(), |mut world: World| async move {
        let mut space = world.pager().create_space().await.unwrap();
        let (a, b) = (map(&mut world, &mut space, 0).await, map(&mut world, &mut space, 1).await);
        assert_eq!(byte(&mut world, &mut space, a).await, Ok(b'a'));
        for boot in 1..4 {
            world.reboot_disk_board();
            let page = boot * 16 * PAGE;
            assert_eq!(byte(&mut world, &mut space, a + page).await, Ok(b'a'), "boot {boot}");
            assert_eq!(byte(&mut world, &mut space, b + page).await, Ok(b'b'), "boot {boot}");
            let mut referenced: Vec<u32> = Vec::new();
            for (ino, count) in world.counts.inos.borrow().iter().zip(&*world.counts.references.borrow()) {
                referenced.extend(vec![*ino; *count as usize - 1]);
            }
            referenced.sort_unstable();
            assert_eq!(referenced, [file(0).ino, file(1).ino], "one reference for each of the two");
        }
        world.pager().destroy_space(space).await;
        world
    });
}

#[test]
fn mapping_after_reboot_first_release_is_harmless() {
    run(600, 64, contents(), |mut world: World| async move {
        let mut space = world.pager().create_space().await.unwrap();
        let mut other = world.pager().create_space().await.unwrap();
        map(&mut world, &mut space, 0).await;
        let b = map(&mut world, &mut other, 1).await;
        world.reboot_disk_board();
        world.pager().destroy_space(space).await;
        assert_eq!(*world.counts.references.borrow(), [1, 1, 2], "b is with process 2 now");
        world.reboot_disk_board();
        // Its number is of the boot before the last.
        map(&mut world, &mut other, 2).await;
        assert_eq!(*world.counts.references.borrow(), [2, 2, 1], "both, where they are now");
        assert_eq!(byte(&mut world, &mut other, b).await, Ok(b'b'));
        world.pager().destroy_space(other).await;
        world
    });
}

#[test]
fn mapping_of_lost_file_reports_error() {
    run(600, 64, contents(), |mut world: World| async move {
        let mut space = world.pager().create_space().await.unwrap();
        let a = map(&mut world, &mut space, 0).await;
        world.reboot_disk_board();
        let gone = world.counts.inos.borrow().iter().position(|ino| *ino == file(0).ino).unwrap();
        world.counts.inos.borrow_mut()[gone] = 7;
        let faulted = world.pager().fault(&mut space, a, AccessKind::Read).await;
        assert_eq!(faulted, Err(FaultError::Io));
        let renga_memory::MappedFile { ino, generation, .. } = file(0);
        assert_eq!(
            world.references.call(ReopenFile { file: FileId { ino, generation } }, ()).await,
            Err(Errno::ENOENT)
        );
        world.pager().destroy_space(space).await;
        assert_eq!(*world.counts.references.borrow(), [1, 1, 1]);
        world
    });
}
