//! Spaces on their way to another slot or board.

use crate::support::{World, file, run};
use renga_abi::Errno;
use renga_hal::memory::{Access, UserMemory};
use renga_memory::layout::PAGE;
use renga_memory::{Backing, MapAddress, Mapping, Space};
use renga_proto::memory::StorePage;
use renga_proto::pages::NO_FRAME;

/// The board of both worlds.
const HERE: u8 = 0;
const AT: u64 = 0x10_0000;

async fn sample(world: &mut World) -> Space {
    let mut space = Space::create(&mut world.pager()).await.unwrap();
    let zeros =
        Mapping { place: MapAddress::Fixed(AT), length: 600 * PAGE, access: Access::ReadWrite, backing: Backing::Zero };
    space.map(&mut world.pager(), zeros).await.unwrap();
    let backing = Backing::File { file: file(0), offset: PAGE };
    let code = Mapping { place: MapAddress::Fixed(AT << 8), length: 2 * PAGE, access: Access::ReadExecute, backing };
    space.map(&mut world.pager(), code).await.unwrap();
    let data = Mapping { place: MapAddress::Fixed(AT << 9), length: 2 * PAGE, access: Access::ReadWrite, backing };
    space.map(&mut world.pager(), data).await.unwrap();
    for page in 0..600 {
        space.copy_out(&mut world.pager(), AT + page * PAGE, &(page as u32).to_le_bytes()).await.unwrap();
    }
    space.copy_out(&mut world.pager(), (AT << 9) + 1, b"changed").await.unwrap();
    let mut bytes = [0; 4];
    space.copy_in(&mut world.pager(), AT << 8, &mut bytes).await.unwrap();
    space
}

fn contents() -> Vec<Vec<u8>> {
    vec![vec![0x5a; 3 * 4096]]
}

#[test]
fn process_image_space_is_handed_over() {
    run(1300, 64, contents(), |mut world: World| async move {
        let mut space = sample(&mut world).await;
        let mut bytes = [0; 1024];
        let copy = space.fork(&mut world.pager()).await.unwrap();
        let length = space.encode_copy(&copy, &mut bytes).unwrap();
        assert!(length < 80, "{length} bytes");
        let (areas, root) = (space.areas().to_vec(), copy.root());
        space.destroy(&mut world.pager()).await;
        space = Space::decode_local(world.tables, &bytes[..length]).unwrap();
        assert_eq!((space.areas(), space.root(), space.is_borrowed()), (&areas[..], root, false));
        let lent = space.lend(&mut world.pager()).unwrap();
        let length = space.encode_copy(&lent, &mut bytes).unwrap();
        let mut child = Space::decode_local(world.tables, &bytes[..length]).unwrap();
        child.copy_out(&mut world.pager(), AT, b"both").await.unwrap();
        let more =
            Mapping { place: MapAddress::Anywhere(0), length: PAGE, access: Access::ReadWrite, backing: Backing::Zero };
        assert_eq!(child.map(&mut world.pager(), more).await, Err(Errno::ENOMEM));
        assert_eq!(child.unmap(&mut world.pager(), AT, PAGE).await, Err(Errno::ENOMEM));
        let own = crate::support::fork(&mut child, &mut world.pager()).await.unwrap();
        assert!(!own.is_borrowed());
        own.destroy(&mut world.pager()).await;
        child.destroy(&mut world.pager()).await;
        let mut seen = [0; 4];
        space.copy_in(&mut world.pager(), AT, &mut seen).await.unwrap();
        assert_eq!(&seen, b"both");
        space.destroy(&mut world.pager()).await;
        world
    });
}

#[test]
fn process_image_is_rebuilt_on_other_board() {
    run(1300, 64, contents(), |mut world: World| async move {
        let mut space = sample(&mut world).await;
        let mut bytes = [0; 1024];
        let length = space.encode_areas(&mut bytes).unwrap();
        let World {
            machine, tables, memory, frame_counts: counts, frame_cache, pages, references, inodes, there, ..
        } = &mut world;
        let mut pager =
            renga_memory::Pager { machine: *machine, tables, memory, counts, frame_cache, pages, references, inodes };
        let export = space.export_pages(&mut pager, &mut there.memory).await.unwrap();
        let list = export.first_list();
        export.finish(&mut world.pager()).await;
        let mut copy = Space::decode_areas(&mut world.pager_there(), &bytes[..length]).await.unwrap();
        assert_eq!(*world.counts.references.borrow(), [3], "the other board has its own reference");
        copy.import_pages(&mut world.pager_there(), HERE, list).await.unwrap();
        space.destroy(&mut world.pager()).await;
        assert_eq!(*world.counts.references.borrow(), [2]);
        for page in (0..600).step_by(7) {
            let mut seen = [0; 4];
            copy.copy_in(&mut world.pager_there(), AT + page * PAGE, &mut seen).await.unwrap();
            assert_eq!(u32::from_le_bytes(seen), page as u32);
        }
        assert!(world.there.machine.lookup(copy.root(), AT).is_some());
        assert!(world.there.machine.lookup(copy.root(), AT << 8).is_none(), "clean pages stay behind");
        let mut seen = [0; 9];
        copy.copy_in(&mut world.pager_there(), AT << 9, &mut seen).await.unwrap();
        assert_eq!(&seen, b"ZchangedZ");
        copy.copy_in(&mut world.pager_there(), AT << 8, &mut seen).await.unwrap();
        assert_eq!(&seen, &[0x5a; 9]);
        copy.destroy(&mut world.pager_there()).await;
        world
    });
}

#[test]
fn process_image_missing_pages_are_freed() {
    run(1300, 64, contents(), |mut world: World| async move {
        let mut space = sample(&mut world).await;
        let World {
            machine, tables, memory, frame_counts: counts, frame_cache, pages, references, inodes, there, ..
        } = &mut world;
        let mut pager =
            renga_memory::Pager { machine: *machine, tables, memory, counts, frame_cache, pages, references, inodes };
        let export = space.export_pages(&mut pager, &mut there.memory).await.unwrap();
        export.cancel(&mut pager, &mut there.memory).await;
        space.destroy(&mut pager).await;
        world
    });
}

#[test]
fn process_image_unwanted_pages_are_freed() {
    run(1300, 64, contents(), |mut world: World| async move {
        let mut space = sample(&mut world).await;
        let World {
            machine, tables, memory, frame_counts: counts, frame_cache, pages, references, inodes, there, ..
        } = &mut world;
        let mut pager =
            renga_memory::Pager { machine: *machine, tables, memory, counts, frame_cache, pages, references, inodes };
        let export = space.export_pages(&mut pager, &mut there.memory).await.unwrap();
        let list = export.first_list();
        export.finish(&mut pager).await;
        space.destroy(&mut pager).await;
        assert!(Space::decode_areas(&mut world.pager_there(), &[7]).await.is_err());
        Space::discard_pages(&mut world.pager_there(), HERE, list).await;
        Space::discard_pages(&mut world.pager_there(), HERE, NO_FRAME).await;
        world
    });
}

#[test]
fn process_image_foreign_frames_are_refused() {
    run(1300, 64, contents(), |mut world: World| async move {
        let mut space = Space::create(&mut world.pager_there()).await.unwrap();
        let zeros = Mapping {
            place: MapAddress::Fixed(AT),
            length: 8 * PAGE,
            access: Access::ReadWrite,
            backing: Backing::Zero,
        };
        space.map(&mut world.pager_there(), zeros).await.unwrap();
        space.copy_out(&mut world.pager_there(), AT, b"here").await.unwrap();
        let shown = world.there.machine.lookup(space.root(), AT).unwrap().0;
        let good = world.there.memory.call(StorePage { at: 0 }, b"good").await.unwrap();
        // A table, one that does not exist, a free one, one that is shown already, and a good one twice.
        let mut list = Vec::from([6, NO_FRAME]);
        for (index, frame) in [space.root().0, 1_000_000, 1200, shown.0, good, good].into_iter().enumerate() {
            list.extend([(AT / PAGE) as u32 + 1 + index as u32, frame]);
        }
        let bytes: Vec<u8> = list.into_iter().flat_map(u32::to_le_bytes).collect();
        let first = world.there.memory.call(StorePage { at: 0 }, &bytes[..]).await.unwrap();
        assert_eq!(space.import_pages(&mut world.pager_there(), HERE, first).await, Err(Errno::EINVAL));
        let mut seen = [0; 4];
        space.copy_in(&mut world.pager_there(), AT + 5 * PAGE, &mut seen).await.unwrap();
        assert_eq!(&seen, b"good");
        space.destroy(&mut world.pager_there()).await;
        let first = world.there.memory.call(StorePage { at: 0 }, &bytes[..]).await.unwrap();
        Space::discard_pages(&mut world.pager_there(), HERE, first).await;
        world
    });
}

#[test]
fn process_image_export_without_room_leaves_nothing() {
    run(640, 64, contents(), |mut world: World| async move {
        let mut space = sample(&mut world).await;
        // The other board is full but for a few frames.
        let mut taken = Vec::new();
        while taken.len() < 500 {
            taken.push(world.there.memory.call(renga_proto::memory::AllocateFrame {}, ()).await.unwrap());
        }
        let World {
            machine, tables, memory, frame_counts: counts, frame_cache, pages, references, inodes, there, ..
        } = &mut world;
        let mut pager =
            renga_memory::Pager { machine: *machine, tables, memory, counts, frame_cache, pages, references, inodes };
        assert_eq!(space.export_pages(&mut pager, &mut there.memory).await.err(), Some(Errno::ENOMEM));
        space.destroy(&mut pager).await;
        for frame in taken {
            there.memory.call(renga_proto::memory::FreeFrame { frame }, ()).await.unwrap();
        }
        world
    });
}

#[test]
fn process_image_invalid_bytes_are_refused() {
    run(1300, 64, contents(), |mut world: World| async move {
        let mut space = sample(&mut world).await;
        let mut bytes = [0; 1024];
        let copy = space.fork(&mut world.pager()).await.unwrap();
        let length = space.encode_copy(&copy, &mut bytes).unwrap();
        for cut in 0..length {
            assert!(Space::decode_local(world.tables, &bytes[..cut]).is_err());
            assert_eq!(space.encode_copy(&copy, &mut [0; 1024][..cut]), Err(Errno::E2BIG));
        }
        let free = world.tables.free();
        space.discard_copy(&mut world.pager(), copy).await;
        assert_eq!(world.tables.free(), free + 1, "its table is free again");
        let mut state = 1u64;
        for _ in 0..20_000 {
            let mut hostile = bytes;
            for _ in 0..3 {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                hostile[(state >> 40) as usize % length] = (state >> 32) as u8;
            }
            let _ = Space::decode_local(world.tables, &hostile[..length]);
        }
        space.destroy(&mut world.pager()).await;
        world
    });
}
