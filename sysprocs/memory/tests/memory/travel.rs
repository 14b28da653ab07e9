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
    let mut space = world.pager().create_space().await.unwrap();
    let zeros =
        Mapping { place: MapAddress::Fixed(AT), length: 600 * PAGE, access: Access::ReadWrite, backing: Backing::Zero };
    world.pager().map(&mut space, zeros).await.unwrap();
    let backing = Backing::File { file: file(0), offset: PAGE };
    let code = Mapping { place: MapAddress::Fixed(AT << 8), length: 2 * PAGE, access: Access::ReadExecute, backing };
    world.pager().map(&mut space, code).await.unwrap();
    let data = Mapping { place: MapAddress::Fixed(AT << 9), length: 2 * PAGE, access: Access::ReadWrite, backing };
    world.pager().map(&mut space, data).await.unwrap();
    for page in 0..600 {
        world.pager().copy_out(&mut space, AT + page * PAGE, &(page as u32).to_le_bytes()).await.unwrap();
    }
    world.pager().copy_out(&mut space, (AT << 9) + 1, b"changed").await.unwrap();
    let mut bytes = [0; 4];
    world.pager().copy_in(&mut space, AT << 8, &mut bytes).await.unwrap();
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
        let copy = world.pager().fork(&mut space).await.unwrap();
        let length = space.encode_copy(&copy, &mut bytes).unwrap();
        assert!(length < 80, "{length} bytes");
        let (areas, root) = (space.areas().to_vec(), copy.root());
        world.pager().destroy_space(space).await;
        space = Space::decode_local(world.tables, &bytes[..length]).unwrap();
        assert_eq!((space.areas(), space.root(), space.is_borrowed()), (&areas[..], root, false));
        let borrowed = world.pager().lend(&space).unwrap();
        let length = space.encode_copy(&borrowed, &mut bytes).unwrap();
        let mut child = Space::decode_local(world.tables, &bytes[..length]).unwrap();
        world.pager().copy_out(&mut child, AT, b"both").await.unwrap();
        let more =
            Mapping { place: MapAddress::Anywhere(0), length: PAGE, access: Access::ReadWrite, backing: Backing::Zero };
        assert_eq!(world.pager().map(&mut child, more).await, Err(Errno::ENOMEM));
        assert_eq!(world.pager().unmap(&mut child, AT, PAGE).await, Err(Errno::ENOMEM));
        let own = crate::support::fork(&mut child, &mut world.pager()).await.unwrap();
        assert!(!own.is_borrowed());
        world.pager().destroy_space(own).await;
        world.pager().destroy_space(child).await;
        let mut seen = [0; 4];
        world.pager().copy_in(&mut space, AT, &mut seen).await.unwrap();
        assert_eq!(&seen, b"both");
        world.pager().destroy_space(space).await;
        world
    });
}

#[test]
fn process_image_is_rebuilt_on_other_board() {
    run(1300, 64, contents(), |mut world: World| async move {
        let mut space = sample(&mut world).await;
        let mut bytes = [0; 1024];
        let length = space.encode_areas(&mut bytes).unwrap();
        let (mut pager, there) = world.pager_and_there();
        let export = pager.export_pages(&mut space, there).await.unwrap();
        let list = export.first_list();
        export.finish(&mut world.pager()).await;
        let mut copy = world.pager_there().decode_areas(&bytes[..length]).await.unwrap();
        assert_eq!(*world.counts.references.borrow(), [3], "the other board has its own reference");
        world.pager_there().import_pages(&mut copy, HERE, list).await.unwrap();
        world.pager().destroy_space(space).await;
        assert_eq!(*world.counts.references.borrow(), [2]);
        for page in (0..600).step_by(7) {
            let mut seen = [0; 4];
            world.pager_there().copy_in(&mut copy, AT + page * PAGE, &mut seen).await.unwrap();
            assert_eq!(u32::from_le_bytes(seen), page as u32);
        }
        assert!(world.there.machine.lookup(copy.root(), AT).is_some());
        assert!(world.there.machine.lookup(copy.root(), AT << 8).is_none(), "clean pages stay behind");
        let mut seen = [0; 9];
        world.pager_there().copy_in(&mut copy, AT << 9, &mut seen).await.unwrap();
        assert_eq!(&seen, b"ZchangedZ");
        world.pager_there().copy_in(&mut copy, AT << 8, &mut seen).await.unwrap();
        assert_eq!(&seen, &[0x5a; 9]);
        world.pager_there().destroy_space(copy).await;
        world
    });
}

#[test]
fn process_image_missing_pages_are_freed() {
    run(1300, 64, contents(), |mut world: World| async move {
        let mut space = sample(&mut world).await;
        let (mut pager, there) = world.pager_and_there();
        let export = pager.export_pages(&mut space, there).await.unwrap();
        export.cancel(&mut pager, there).await;
        pager.destroy_space(space).await;
        world
    });
}

#[test]
fn process_image_unwanted_pages_are_freed() {
    run(1300, 64, contents(), |mut world: World| async move {
        let mut space = sample(&mut world).await;
        let (mut pager, there) = world.pager_and_there();
        let export = pager.export_pages(&mut space, there).await.unwrap();
        let list = export.first_list();
        export.finish(&mut pager).await;
        pager.destroy_space(space).await;
        assert!(world.pager_there().decode_areas(&[7]).await.is_err());
        world.pager_there().discard_pages(HERE, list).await;
        world.pager_there().discard_pages(HERE, NO_FRAME).await;
        world
    });
}

#[test]
fn process_image_foreign_frames_are_refused() {
    run(1300, 64, contents(), |mut world: World| async move {
        let mut space = world.pager_there().create_space().await.unwrap();
        let zeros = Mapping {
            place: MapAddress::Fixed(AT),
            length: 8 * PAGE,
            access: Access::ReadWrite,
            backing: Backing::Zero,
        };
        world.pager_there().map(&mut space, zeros).await.unwrap();
        world.pager_there().copy_out(&mut space, AT, b"here").await.unwrap();
        let mapped = world.there.machine.lookup(space.root(), AT).unwrap().0;
        let good = world.there.memory.call(StorePage { at: 0 }, b"good").await.unwrap();
        // A table, one that does not exist, a free one, a mapped one, and a good one twice.
        let mut list = Vec::from([6, NO_FRAME]);
        for (index, frame) in [space.root().0, 1_000_000, 1200, mapped.0, good, good].into_iter().enumerate() {
            list.extend([(AT / PAGE) as u32 + 1 + index as u32, frame]);
        }
        let bytes: Vec<u8> = list.into_iter().flat_map(u32::to_le_bytes).collect();
        let first = world.there.memory.call(StorePage { at: 0 }, &bytes[..]).await.unwrap();
        assert_eq!(world.pager_there().import_pages(&mut space, HERE, first).await, Err(Errno::EINVAL));
        let mut seen = [0; 4];
        world.pager_there().copy_in(&mut space, AT + 5 * PAGE, &mut seen).await.unwrap();
        assert_eq!(&seen, b"good");
        world.pager_there().destroy_space(space).await;
        let first = world.there.memory.call(StorePage { at: 0 }, &bytes[..]).await.unwrap();
        world.pager_there().discard_pages(HERE, first).await;
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
        let (mut pager, there) = world.pager_and_there();
        assert_eq!(pager.export_pages(&mut space, there).await.err(), Some(Errno::ENOMEM));
        pager.destroy_space(space).await;
        for frame in taken {
            there.call(renga_proto::memory::FreeFrame { frame }, ()).await.unwrap();
        }
        world
    });
}

#[test]
fn process_image_invalid_bytes_are_refused() {
    run(1300, 64, contents(), |mut world: World| async move {
        let mut space = sample(&mut world).await;
        let mut bytes = [0; 1024];
        let copy = world.pager().fork(&mut space).await.unwrap();
        let length = space.encode_copy(&copy, &mut bytes).unwrap();
        for cut in 0..length {
            assert!(Space::decode_local(world.tables, &bytes[..cut]).is_err());
            assert_eq!(space.encode_copy(&copy, &mut [0; 1024][..cut]), Err(Errno::E2BIG));
        }
        let free = world.tables.free();
        world.pager().discard_copy(&space, copy).await;
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
        world.pager().destroy_space(space).await;
        world
    });
}
