//! Frames that a program has in its cache: as many as are to spare, and all of them come back.

use crate::support::{World, run};
use renga_abi::Errno;
use renga_hal::memory::{Frame, UserMemory};
use renga_proto::memory::{AllocateFrame, FreeFrame, FreeFrames, MemoryStatus, RefillFrames};

async fn free(world: &mut World) -> u32 {
    world.memory.call(MemoryStatus {}, ()).await.unwrap().free
}

#[test]
fn free_frame_cache_returns_last_freed_and_shrinks_when_short() {
    run(8, 8, vec![], |mut world: World| async move {
        let memory = &mut world.memory;
        let mut list = [0; 16];
        assert_eq!(memory.call(RefillFrames { given: 0, wanted: 4 }, &mut list[..]).await, Ok(1), "of eight one");
        let first = u32::from_le_bytes(list[..4].try_into().unwrap());
        assert_eq!(memory.call(RefillFrames { given: 1, wanted: 4 }, &mut list[..]).await, Ok(1));
        assert_eq!(list[..4], first.to_le_bytes(), "the one that was given back");
        assert_eq!(memory.call(FreeFrames {}, &list[..4]).await, Ok(()));
        let mut taken = Vec::new();
        for _ in 0..8 {
            taken.push(memory.call(AllocateFrame {}, ()).await.unwrap());
        }
        assert_eq!(memory.call(RefillFrames { given: 0, wanted: 4 }, &mut list[..]).await, Err(Errno::ENOMEM));
        list[..4].copy_from_slice(&taken[3].to_le_bytes());
        list[4..8].copy_from_slice(&taken[5].to_le_bytes());
        assert_eq!(
            memory.call(RefillFrames { given: 2, wanted: 4 }, &mut list[..]).await,
            Ok(1),
            "there are two now, one is to spare"
        );
        assert_eq!(list[..4], taken[5].to_le_bytes(), "the one freed last");
        for (index, frame) in taken.into_iter().enumerate() {
            let freed = memory.call(FreeFrame { frame }, ()).await;
            assert_eq!(freed, if index == 3 { Err(Errno::EINVAL) } else { Ok(()) }, "frame {index}");
        }
        world
    });
}

#[test]
fn free_frame_cache_loses_no_frame() {
    run(8192, 8, vec![], |mut world: World| async move {
        let before = free(&mut world).await;
        let mut seed = 1u32;
        let mut taken: Vec<Frame> = Vec::new();
        for round in 0..4000 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if seed >> 16 & 1 == 0 || taken.is_empty() {
                let frame = world.frame_cache.take(&mut world.memory).await.unwrap();
                assert!(!taken.contains(&frame), "round {round}: {frame:?} is had twice");
                world.machine.page(frame)[..4].copy_from_slice(&frame.listed());
                taken.push(frame);
            } else {
                let frame = taken.swap_remove((seed >> 8) as usize % taken.len());
                assert_eq!(
                    world.machine.shared_page(frame)[..4],
                    frame.listed(),
                    "round {round}: it has another owner"
                );
                world.frame_cache.give(&mut world.memory, frame).await;
            }
            let gone = before - free(&mut world).await - taken.len() as u32;
            assert!(gone <= 64, "round {round}: {gone} frames in a cache");
        }
        for frame in taken {
            world.frame_cache.give(&mut world.memory, frame).await;
        }
        assert_eq!(world.free_frames().await, before);
        world
    });
}
