//! Shared mappings: all that share a page map the same frame, and no mapping of a replaced frame stays.

use crate::support::{World, file, run};
use renga_abi::Errno;
use renga_abi::user::AccessKind::{Read, Write};
use renga_hal::memory::{Access, PAGE_BYTES, UserMemory};
use renga_memory::layout::PAGE;
use renga_memory::{Backing, FaultError, MapAddress, Mapping, Space};
use renga_proto::pages::{CountDirty, Cut, FileId, ProtectPage, ReadCached, RunWritten, TakeRun, WritePage};
use renga_proto::references::{KeepFile, MakeObject, ReleaseFile};

const AT: u64 = 0x10_0000;

fn shared(pages: u64, access: Access, writable: bool) -> Mapping {
    let backing = Backing::Shared { file: file(0), offset: 0, writable };
    Mapping { place: MapAddress::Fixed(AT), length: pages * PAGE, access, backing }
}

fn object(pages: u64) -> Mapping {
    Mapping { place: MapAddress::Fixed(AT), length: pages * PAGE, access: Access::ReadWrite, backing: Backing::Object }
}

async fn mapped(world: &mut World, mapping: Mapping) -> Space {
    let mut space = world.pager().create_space().await.unwrap();
    world.pager().map(&mut space, mapping).await.unwrap();
    space
}

async fn seen(world: &mut World, space: &mut Space, at: u64) -> u8 {
    let mut byte = [0];
    world.pager().copy_in(space, at, &mut byte).await.unwrap();
    byte[0]
}

fn access(world: &World, space: &Space, at: u64) -> Option<Access> {
    world.machine.lookup(space.root(), at).map(|page| page.1)
}

#[test]
fn shared_mapping_sees_writes_and_private_does_not() {
    run(64, 8, vec![vec![7; 2 * 4096]], |mut world: World| async move {
        let private = Backing::File { file: file(0), offset: 0 };
        let private = Mapping { backing: private, ..shared(2, Access::Read, false) };
        let mut alone = mapped(&mut world, private).await;
        assert_eq!(seen(&mut world, &mut alone, AT).await, 7);
        let mut one = mapped(&mut world, shared(2, Access::ReadWrite, true)).await;
        let mut two = mapped(&mut world, shared(2, Access::Read, false)).await;
        assert_eq!(seen(&mut world, &mut two, AT + 5).await, 7);
        assert_eq!(access(&world, &two, AT + PAGE), None, "only what is cached comes along");
        world.pager().copy_out(&mut one, AT + 5, &[8]).await.unwrap();
        assert_eq!(seen(&mut world, &mut two, AT + 5).await, 8);
        let mut read = [0; 1];
        world.pages.call(ReadCached { file: file(0).id(), offset: 5 }, &mut read[..]).await.unwrap();
        assert_eq!(read, [8], "read and mapping are the same bytes");
        // As `write` does: the mapped page itself.
        let place = renga_proto::pages::PagePlace { block: 100, offset: 5 };
        let write = WritePage { file: file(0).id(), page: 0, place, size: 2 * PAGE, fresh: false };
        world.pages.call(write, &[9][..]).await.unwrap();
        assert_eq!((seen(&mut world, &mut one, AT + 5).await, seen(&mut world, &mut two, AT + 5).await), (9, 9));
        assert_eq!(seen(&mut world, &mut alone, AT + 5).await, 7, "a borrowed, executable page does not change");
        let mut late = mapped(&mut world, private).await;
        assert_eq!(seen(&mut world, &mut late, AT + 5).await, 9);
        world.pager().copy_out(&mut one, AT + 5, &[10]).await.unwrap();
        assert_eq!(seen(&mut world, &mut late, AT + 5).await, 9);
        for space in [alone, one, two, late] {
            world.pager().destroy_space(space).await;
        }
        clean(&mut world).await;
        world
    });
}

/// Writes all that is dirty; the pages' first bytes.
async fn clean(world: &mut World) -> Vec<u8> {
    let (mut room, mut first) = (vec![0; 32 * PAGE_BYTES], Vec::new());
    while world.pages.call(CountDirty {}, ()).await.unwrap().pages > 0 {
        let run = world.pages.call(TakeRun {}, &mut room[..]).await.unwrap();
        first.extend((0..run.count as usize).map(|page| room[page * PAGE_BYTES]));
        world.pages.call(RunWritten { done: true, evicting: false }, ()).await.unwrap();
    }
    first
}

#[test]
fn shared_page_is_dirty_before_each_write() {
    run(64, 8, vec![vec![7; 4096 + 100]], |mut world: World| async move {
        let mut one = mapped(&mut world, shared(2, Access::ReadWrite, true)).await;
        let mut two = mapped(&mut world, shared(2, Access::ReadWrite, true)).await;
        world.pager().copy_out(&mut one, AT, &[1]).await.unwrap();
        assert_eq!((world.counts.dirtied.get(), access(&world, &one, AT)), (1, Some(Access::ReadWrite)));
        world.pager().copy_out(&mut one, AT + 1, &[1]).await.unwrap();
        world.pager().copy_out(&mut two, AT + 2, &[1]).await.unwrap();
        assert_eq!(world.counts.dirtied.get(), 1, "it is dirty already");
        assert_eq!(clean(&mut world).await, [1]);
        for space in [&one, &two] {
            assert_eq!(access(&world, space, AT), Some(Access::Read), "no write goes unnoticed");
        }
        world.pager().copy_out(&mut two, AT, &[2]).await.unwrap();
        assert_eq!((world.counts.dirtied.get(), clean(&mut world).await), (2, vec![2]));
        // Written while it is on its way: it stays dirty.
        world.pager().copy_out(&mut one, AT, &[3]).await.unwrap();
        let mut room = vec![0; PAGE_BYTES];
        world.pages.call(TakeRun {}, &mut room[..]).await.unwrap();
        world.pager().copy_out(&mut one, AT, &[4]).await.unwrap();
        world.pages.call(RunWritten { done: true, evicting: false }, ()).await.unwrap();
        assert_eq!((room[0], clean(&mut world).await), (3, vec![4]));
        // Another board reads it: the next write is noticed.
        world.pager().copy_out(&mut one, AT, &[5]).await.unwrap();
        world.pages.call(ProtectPage { file: file(0).id(), page: 0 }, ()).await.unwrap();
        assert_eq!(access(&world, &one, AT), Some(Access::Read));
        // What is behind the end of the file is not its content.
        world.pager().copy_out(&mut one, AT + PAGE + 99, &[6, 6]).await.unwrap();
        let run = world.pages.call(TakeRun {}, vec![0; 2 * PAGE_BYTES].leak()).await.unwrap();
        world.pages.call(RunWritten { done: true, evicting: false }, ()).await.unwrap();
        assert_eq!(run.count, 2);
        world.pager().destroy_space(one).await;
        world.pager().destroy_space(two).await;
        world
    });
}

#[test]
fn shared_mapping_after_truncation_faults() {
    run(64, 8, vec![vec![7; 3 * 4096]], |mut world: World| async move {
        let mut one = mapped(&mut world, shared(4, Access::ReadWrite, true)).await;
        world.pager().copy_out(&mut one, AT + 2 * PAGE, &[1]).await.unwrap();
        assert_eq!(seen(&mut world, &mut one, AT).await, 7);
        let behind = world.pager().fault(&mut one, AT + 3 * PAGE, Read).await;
        assert_eq!(behind, Err(FaultError::BehindEnd));
        world.contents.borrow_mut()[0].truncate(4096);
        world.pages.call(Cut { file: file(0).id(), from: 1, size: PAGE }, ()).await.unwrap();
        assert_eq!(access(&world, &one, AT), Some(Access::Read));
        assert_eq!(access(&world, &one, AT + 2 * PAGE), Some(Access::None));
        for kind in [Read, Write] {
            let behind = world.pager().fault(&mut one, AT + 2 * PAGE, kind).await;
            assert_eq!(behind, Err(FaultError::BehindEnd));
        }
        assert_eq!(access(&world, &one, AT + 2 * PAGE), None, "it is given back");
        world.pager().destroy_space(one).await;
        world
    });
}

/// Holds: mmap-errors.
#[test]
fn shared_mapping_of_readonly_file_stays_readonly() {
    run(64, 8, vec![vec![7; 4096]], |mut world: World| async move {
        let mut one = mapped(&mut world, shared(1, Access::Read, false)).await;
        assert_eq!(seen(&mut world, &mut one, AT).await, 7);
        let refused = world.pager().protect(&mut one, AT, PAGE, Access::ReadWrite).await;
        assert_eq!(refused, Err(Errno::EACCES));
        assert_eq!(world.pager().fault(&mut one, AT, Write).await, Err(FaultError::Forbidden));
        let mut two = mapped(&mut world, shared(1, Access::Read, true)).await;
        assert_eq!(seen(&mut world, &mut two, AT).await, 7);
        world.pager().protect(&mut two, AT, PAGE, Access::ReadWrite).await.unwrap();
        world.pager().copy_out(&mut two, AT, &[8]).await.unwrap();
        assert_eq!((seen(&mut world, &mut one, AT).await, world.counts.dirtied.get()), (8, 1));
        world.pager().protect(&mut two, AT, PAGE, Access::Read).await.unwrap();
        assert_eq!(world.pager().fault(&mut two, AT, Write).await, Err(FaultError::Forbidden));
        world.pager().destroy_space(one).await;
        world.pager().destroy_space(two).await;
        clean(&mut world).await;
        world
    });
}

#[test]
fn shared_mappings_beyond_rmap_entries_work() {
    const PAGES: u64 = 40;
    run(64, 8, vec![vec![7; PAGES as usize * 4096]], |mut world: World| async move {
        let mut one = mapped(&mut world, shared(PAGES, Access::ReadWrite, true)).await;
        for round in 1..3 {
            for page in 0..PAGES {
                world.pager().copy_out(&mut one, AT + page * PAGE, &[round]).await.unwrap();
            }
        }
        let written = clean(&mut world).await;
        assert_eq!(written, vec![2; PAGES as usize]);
        for page in 0..PAGES {
            assert_ne!(access(&world, &one, AT + page * PAGE), Some(Access::ReadWrite));
        }
        world.pager().destroy_space(one).await;
        world
    });
}

#[test]
fn shared_anonymous_memory_is_shared_by_fork_and_copied_between_boards() {
    run(64, 8, vec![vec![7; 4096]], |mut world: World| async move {
        let mut parent = mapped(&mut world, object(3)).await;
        world.pager().copy_out(&mut parent, AT, &[1]).await.unwrap();
        let mut child = crate::support::fork(&mut parent, &mut world.pager()).await.unwrap();
        world.pager().copy_out(&mut child, AT + PAGE, &[2]).await.unwrap();
        world.pager().copy_out(&mut child, AT, &[3]).await.unwrap();
        assert_eq!(seen(&mut world, &mut parent, AT).await, 3);
        world.pager().unmap(&mut parent, AT, PAGE).await.unwrap();
        let mut bytes = [0; 1024];
        let length = parent.encode_areas(&mut bytes).unwrap();
        let (mut pager, there) = world.pager_and_there();
        let export = pager.export_pages(&mut parent, there).await.unwrap();
        let mut copy = world.pager_there().decode_areas(&bytes[..length]).await.unwrap();
        world.pager_there().import_pages(&mut copy, 0, export.first_list()).await.unwrap();
        export.finish(&mut world.pager()).await;
        world.pager().copy_out(&mut parent, AT + PAGE, &[4]).await.unwrap();
        let mut there = [0; 1];
        world.pager_there().copy_in(&mut copy, AT + PAGE, &mut there).await.unwrap();
        assert_eq!((there, seen(&mut world, &mut child, AT + PAGE).await), ([2], 4));
        world.pager().destroy_space(parent).await;
        assert_eq!(seen(&mut world, &mut child, AT).await, 3);
        world.pager().destroy_space(child).await;
        world.pager_there().destroy_space(copy).await;
        world
    });
}

#[test]
fn shared_objects_are_counted_by_number() {
    run(64, 8, vec![vec![7; 4096]], |mut world: World| async move {
        let mut objects = std::collections::VecDeque::new();
        for round in 0..700 {
            let made = world.references.call(MakeObject {}, ()).await;
            if objects.len() == 64 {
                assert_eq!(made, Err(Errno::ENFILE), "round {round}");
            } else {
                objects.push_back(made.unwrap());
            }
            // Numbers 256 apart are in one chain: some are kept so long, from both of its ends.
            if round % 3 != 0 || objects.len() == 64 {
                let generation = if round % 2 == 0 { objects.pop_back() } else { objects.pop_front() }.unwrap();
                world.references.call(ReleaseFile { file: FileId { ino: 0, generation } }, ()).await.unwrap();
                let again = world.references.call(ReleaseFile { file: FileId { ino: 0, generation } }, ()).await;
                assert_eq!(again, Err(Errno::EINVAL), "it is gone");
            }
            for &generation in &objects {
                let kept = world.references.call(KeepFile { file: FileId { ino: 0, generation }, slot: 0 }, ()).await;
                assert_eq!(kept, Ok(()), "round {round}");
                world.references.call(ReleaseFile { file: FileId { ino: 0, generation } }, ()).await.unwrap();
            }
        }
        for generation in objects {
            world.references.call(ReleaseFile { file: FileId { ino: 0, generation } }, ()).await.unwrap();
        }
        world
    });
}
