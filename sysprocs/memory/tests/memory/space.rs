//! Address spaces: faults, copy-on-write, mappings, refusals, copies.

use crate::support::{World, file, fork, run};
use renga_abi::Errno;
use renga_abi::user::AccessKind::{Execute, Read, Write};
use renga_hal::memory::{Access, USER_END, UserMemory};
use renga_memory::layout::{PAGE, STACK_END, TRAMPOLINE, TRAMPOLINE_CODE};
use renga_memory::{Backing, FaultError, MapAddress, Mapping, Space, access_of};
use renga_proto::memory::{AllocateFrame, FreeFrame};

const AT: u64 = 0x10_0000;

fn zeros(at: u64, pages: u64, access: Access) -> Mapping {
    Mapping { place: MapAddress::Fixed(at), length: pages * PAGE, access, backing: Backing::Zero }
}
fn of_file(slot: u16, at: u64, pages: u64, access: Access) -> Mapping {
    let backing = Backing::File { file: file(slot), offset: 0 };
    Mapping { place: MapAddress::Fixed(at), length: pages * PAGE, access, backing }
}
fn pattern(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| (at / 4096 * 7 + at % 251) as u8 | 1).collect()
}

#[test]
fn space_first_touch_gives_zero_page() {
    run(32, 8, vec![], |mut world: World| async move {
        let mut space = world.pager().create_space().await.unwrap();
        world.pager().map(&mut space, zeros(AT, 4, Access::ReadWrite)).await.unwrap();
        let before = world.free_frames().await;
        world.pager().fault(&mut space, AT + 5000, Read).await.unwrap();
        assert_eq!(before - world.free_frames().await, 3, "a page and two tables");
        world.pager().fault(&mut space, AT + 4096, Write).await.unwrap();
        assert_eq!(world.peek(&space, AT + 5000), Some(0));
        assert_eq!(world.peek(&space, AT), None);
        world.pager().destroy_space(space).await;
        world
    });
}

#[test]
fn space_wild_pointer_is_refused() {
    run(64, 8, vec![], |mut world: World| async move {
        let mut space = world.pager().create_space().await.unwrap();
        world.pager().map(&mut space, zeros(AT, 1, Access::Read)).await.unwrap();
        world.pager().map(&mut space, zeros(AT + PAGE, 1, Access::None)).await.unwrap();
        let wild = [0, 8, AT - 1, AT + 2 * PAGE, USER_END - 1, USER_END, 1 << 63, u64::MAX, 0xffff_ffff_8008_0000];
        for va in wild {
            for kind in [Read, Write, Execute] {
                assert_eq!(world.pager().fault(&mut space, va, kind).await, Err(FaultError::NoArea), "{va:#x}");
            }
            let mut bytes = [0; 16];
            assert_eq!(world.pager().copy_in(&mut space, va, &mut bytes).await, Err(Errno::EFAULT));
            assert_eq!(world.pager().copy_out(&mut space, va, &bytes).await, Err(Errno::EFAULT));
            assert_eq!(world.pager().copy_in_string(&mut space, va, &mut bytes).await, Err(Errno::EFAULT));
        }
        assert_eq!(world.pager().fault(&mut space, AT, Write).await, Err(FaultError::Forbidden));
        assert_eq!(world.pager().fault(&mut space, AT, Execute).await, Err(FaultError::Forbidden));
        assert_eq!(world.pager().fault(&mut space, AT + PAGE, Read).await, Err(FaultError::Forbidden));
        let mut across = [0; 16];
        let end = AT + PAGE - 8;
        assert_eq!(world.pager().copy_in(&mut space, end, &mut across).await, Err(Errno::EFAULT));
        assert_eq!(world.pager().copy_out(&mut space, AT, &across).await, Err(Errno::EFAULT));
        world.pager().destroy_space(space).await;
        world
    });
}

#[test]
fn space_file_pages_are_shared_and_written_privately() {
    run(64, 32, vec![pattern(3 * 4096 + 100)], |mut world: World| async move {
        let mut one = world.pager().create_space().await.unwrap();
        let mut two = world.pager().create_space().await.unwrap();
        world.pager().map(&mut one, of_file(0, AT, 5, Access::ReadWrite)).await.unwrap();
        world.pager().map(&mut two, of_file(0, AT, 5, Access::ReadExecute)).await.unwrap();
        assert_eq!(*world.counts.references.borrow(), [2], "one reference for the board");
        for page in 0..5 {
            world.pager().fault(&mut one, AT + page * PAGE, Read).await.unwrap();
        }
        assert_eq!(world.counts.reads.get(), 5);
        world.pager().fault(&mut two, AT + PAGE, Execute).await.unwrap();
        assert_eq!(world.counts.reads.get(), 5, "the second program reads nothing");
        assert!(world.machine.lookup(two.root(), AT + 3 * PAGE).is_some(), "neighbours came along");
        let frame = |space: &Space| world.machine.lookup(space.root(), AT).unwrap().0;
        assert_eq!(frame(&one), frame(&two));
        world.pager().copy_out(&mut one, AT + 10, b"mine").await.unwrap();
        let mut seen = [0; 4];
        world.pager().copy_in(&mut two, AT + 10, &mut seen).await.unwrap();
        assert_eq!(seen[..], pattern(20)[10..14]);
        assert_eq!(world.peek(&one, AT + 10), Some(b'm'));
        assert_eq!(world.peek(&one, AT + 3 * PAGE + 99), Some(pattern(3 * 4096 + 100)[3 * 4096 + 99]));
        assert_eq!(world.peek(&one, AT + 3 * PAGE + 100), Some(0), "behind the end of the file");
        assert_eq!(world.peek(&one, AT + 4 * PAGE), Some(0));
        world.pager().destroy_space(one).await;
        world.pager().unmap(&mut two, AT, 5 * PAGE).await.unwrap();
        assert_eq!(*world.counts.references.borrow(), [1]);
        world.pager().destroy_space(two).await;
        world
    });
}

#[test]
fn space_fork_copies_on_write() {
    run(64, 8, vec![pattern(4096)], |mut world: World| async move {
        let mut parent = world.pager().create_space().await.unwrap();
        world.pager().map(&mut parent, zeros(AT, 4, Access::ReadWrite)).await.unwrap();
        world.pager().map(&mut parent, of_file(0, AT + 8 * PAGE, 1, Access::ReadExecute)).await.unwrap();
        world.pager().copy_out(&mut parent, AT, b"before").await.unwrap();
        world.pager().fault(&mut parent, AT + 8 * PAGE, Execute).await.unwrap();
        let mut child = crate::support::fork(&mut parent, &mut world.pager()).await.unwrap();
        let code = |space: &Space| world.machine.lookup(space.root(), AT + 8 * PAGE);
        assert!(code(&child).is_some() && code(&child) == code(&parent), "clean pages are there at once");
        world.pager().copy_out(&mut child, AT, b"child!").await.unwrap();
        let free = world.free_frames().await;
        world.pager().copy_out(&mut parent, AT, b"parent").await.unwrap();
        assert_eq!(world.free_frames().await, free, "the last owner writes in place");
        let (mut left, mut right) = ([0; 6], [0; 6]);
        world.pager().copy_in(&mut parent, AT, &mut left).await.unwrap();
        world.pager().copy_in(&mut child, AT, &mut right).await.unwrap();
        assert_eq!((&left, &right), (b"parent", b"child!"));
        world.pager().copy_in(&mut child, AT + 8 * PAGE, &mut right).await.unwrap();
        assert_eq!(right[..], pattern(6)[..]);
        world.pager().destroy_space(parent).await;
        let grandchild = crate::support::fork(&mut child, &mut world.pager()).await.unwrap();
        world.pager().destroy_space(child).await;
        world.pager().destroy_space(grandchild).await;
        world
    });
}

#[test]
fn space_fork_of_many_pages_is_batched() {
    run(2000, 8, vec![], |mut world: World| async move {
        let mut parent = world.pager().create_space().await.unwrap();
        world.pager().map(&mut parent, zeros(AT, 700, Access::ReadWrite)).await.unwrap();
        for page in 0..700 {
            world.pager().copy_out(&mut parent, AT + page * PAGE, &[page as u8]).await.unwrap();
        }
        let mut child = crate::support::fork(&mut parent, &mut world.pager()).await.unwrap();
        for page in (0..700).step_by(9) {
            world.pager().copy_out(&mut child, AT + page * PAGE, &[!(page as u8)]).await.unwrap();
            assert_eq!(world.peek(&parent, AT + page * PAGE), Some(page as u8));
        }
        world.pager().destroy_space(parent).await;
        assert_eq!(world.peek(&child, AT + 699 * PAGE), Some(699u32 as u8));
        world.pager().destroy_space(child).await;
        world
    });
}

#[test]
fn space_without_memory_fails_cleanly() {
    for frames in 1..24 {
        run(frames, 8, vec![pattern(3 * 4096)], move |mut world: World| async move {
            let Ok(mut space) = world.pager().create_space().await else { return world };
            world.pager().map(&mut space, of_file(0, AT, 3, Access::ReadWrite)).await.unwrap();
            let _ = world.pager().map(&mut space, zeros(AT << 20, 2, Access::ReadWrite)).await;
            for page in 0..3 {
                let _ = world.pager().fault(&mut space, AT + page * PAGE, Read).await;
                let _ = world.pager().fault(&mut space, AT + page * PAGE, Write).await;
                let _ = world.pager().fault(&mut space, (AT << 20) + page * PAGE, Write).await;
            }
            if let Ok(mut child) = crate::support::fork(&mut space, &mut world.pager()).await {
                for page in 0..3 {
                    let _ = world.pager().fault(&mut child, AT + page * PAGE, Write).await;
                }
                let _ = world.pager().remap(&mut child, AT << 20, PAGE, 9 << 20, true).await;
                world.pager().destroy_space(child).await;
            }
            world.pager().destroy_space(space).await;
            world
        });
    }
}

#[test]
fn space_shortage_evicts_cache() {
    run(24, 16, vec![pattern(12 * 4096)], |mut world: World| async move {
        let mut space = world.pager().create_space().await.unwrap();
        world.pager().map(&mut space, of_file(0, AT, 12, Access::Read)).await.unwrap();
        for page in 0..12 {
            world.pager().fault(&mut space, AT + page * PAGE, Read).await.unwrap();
        }
        world.pager().unmap(&mut space, AT, 12 * PAGE).await.unwrap();
        world.pager().map(&mut space, zeros(AT, 20, Access::ReadWrite)).await.unwrap();
        for page in 0..20 {
            world.pager().fault(&mut space, AT + page * PAGE, Write).await.unwrap();
        }
        world.pager().destroy_space(space).await;
        world
    });
}

#[test]
fn space_page_is_written_and_executed_only_together_if_asked() {
    assert_eq!(access_of(6), Access::ReadWriteExecute);
    assert_eq!(access_of(7), Access::ReadWriteExecute);
    assert_eq!(access_of(5), Access::ReadExecute);
    run(64, 8, vec![], |mut world: World| async move {
        let mut space = world.pager().create_space().await.unwrap();
        world.pager().map(&mut space, zeros(AT, 2, Access::ReadWrite)).await.unwrap();
        world.pager().copy_out(&mut space, AT, &[1]).await.unwrap();
        world.pager().protect(&mut space, AT, 2 * PAGE, Access::ReadExecute).await.unwrap();
        assert_eq!(world.pager().fault(&mut space, AT, Write).await, Err(FaultError::Forbidden));
        assert_eq!(world.machine.lookup(space.root(), AT).unwrap().1, Access::ReadExecute);
        world.pager().protect(&mut space, AT, PAGE, Access::ReadWrite).await.unwrap();
        assert_eq!(world.pager().fault(&mut space, AT, Execute).await, Err(FaultError::Forbidden));
        world.pager().copy_out(&mut space, AT, &[2]).await.unwrap();
        assert_eq!(world.machine.lookup(space.root(), AT).unwrap().1, Access::ReadWrite);
        world.pager().protect(&mut space, AT, PAGE, Access::ReadWriteExecute).await.unwrap();
        assert_eq!(world.pager().fault(&mut space, AT, Execute).await, Ok(()));
        assert_eq!(world.pager().fault(&mut space, AT, Write).await, Ok(()));
        assert_eq!(world.machine.lookup(space.root(), AT).unwrap().1, Access::ReadWriteExecute);
        assert_eq!(world.pager().protect(&mut space, AT, 3 * PAGE, Access::Read).await, Err(Errno::ENOMEM));
        world.pager().destroy_space(space).await;
        world
    });
}

#[test]
fn space_mapping_splits_joins_and_finds_hole() {
    run(64, 8, vec![], |mut world: World| async move {
        let mut space = world.pager().create_space().await.unwrap();
        world.pager().map(&mut space, zeros(AT, 10, Access::ReadWrite)).await.unwrap();
        world.pager().copy_out(&mut space, AT, &[7; 10 * 4096]).await.unwrap();
        world.pager().unmap(&mut space, AT + 4 * PAGE, 2 * PAGE).await.unwrap();
        assert_eq!(space.areas().len(), 2);
        assert_eq!(world.pager().fault(&mut space, AT + 4 * PAGE, Read).await, Err(FaultError::NoArea));
        world.pager().map(&mut space, zeros(AT + 4 * PAGE, 2, Access::ReadWrite)).await.unwrap();
        assert_eq!(space.areas().len(), 1);
        world.pager().fault(&mut space, AT + 4 * PAGE, Read).await.unwrap();
        assert_eq!(world.peek(&space, AT + 4 * PAGE), Some(0));
        let anywhere = Mapping { place: MapAddress::Anywhere(0), ..zeros(0, 3, Access::Read) };
        let first = world.pager().map(&mut space, anywhere).await.unwrap();
        let second = world.pager().map(&mut space, anywhere).await.unwrap();
        assert_eq!((first > AT, first - second), (true, 3 * PAGE));
        let hinted = Mapping { place: MapAddress::Anywhere(AT + 64 * PAGE), ..anywhere };
        assert_eq!(world.pager().map(&mut space, hinted).await, Ok(AT + 64 * PAGE));
        let free = Mapping { place: MapAddress::FixedFree(AT), ..anywhere };
        assert_eq!(world.pager().map(&mut space, free).await, Err(Errno::EEXIST));
        for (at, pages) in [(0, 1), (TRAMPOLINE, 1), (STACK_END - PAGE, 2), (USER_END, 1), (u64::MAX - 4095, 1)] {
            assert!(world.pager().map(&mut space, zeros(at, pages, Access::Read)).await.is_err(), "{at:#x}");
            assert!(world.pager().unmap(&mut space, at, pages * PAGE).await.is_err());
            assert!(world.pager().protect(&mut space, at, pages * PAGE, Access::Read).await.is_err());
        }
        let huge = Mapping { length: 1 << 38, access: Access::ReadWrite, ..anywhere };
        assert_eq!(world.pager().map(&mut space, huge).await, Err(Errno::ENOMEM));
        let endless = Mapping { length: u64::MAX, ..anywhere };
        assert_eq!(world.pager().map(&mut space, endless).await, Err(Errno::ENOMEM));
        world.pager().destroy_space(space).await;
        world
    });
}

#[test]
fn space_number_of_areas_is_bounded() {
    run(64, 8, vec![], |mut world: World| async move {
        let mut space = world.pager().create_space().await.unwrap();
        let mut refused = 0;
        for index in 0..600 {
            let mapped = world.pager().map(&mut space, zeros(AT + 2 * index * PAGE, 1, Access::Read)).await;
            refused += u32::from(mapped == Err(Errno::ENOMEM));
        }
        assert_eq!((space.areas().len(), refused), (512, 88));
        world.pager().destroy_space(space).await;
        world
    });
}

#[test]
fn space_mremap_grows_shrinks_and_moves() {
    run(128, 8, vec![], |mut world: World| async move {
        let mut space = world.pager().create_space().await.unwrap();
        world.pager().map(&mut space, zeros(AT, 4, Access::ReadWrite)).await.unwrap();
        world.pager().copy_out(&mut space, AT, &[9; 4 * 4096]).await.unwrap();
        assert_eq!(world.pager().remap(&mut space, AT, 4 * PAGE, 6 * PAGE, false).await, Ok(AT));
        world.pager().map(&mut space, zeros(AT + 6 * PAGE, 1, Access::Read)).await.unwrap();
        let stuck = world.pager().remap(&mut space, AT, 6 * PAGE, 9 * PAGE, false).await;
        assert_eq!(stuck, Err(Errno::ENOMEM));
        let moved = world.pager().remap(&mut space, AT, 6 * PAGE, 9 * PAGE, true).await.unwrap();
        let mut bytes = [0; 5 * 4096];
        world.pager().copy_in(&mut space, moved, &mut bytes).await.unwrap();
        assert!(bytes[..4 * 4096].iter().all(|&byte| byte == 9) && bytes[4 * 4096..].iter().all(|&byte| byte == 0));
        assert_eq!(world.pager().fault(&mut space, AT, Read).await, Err(FaultError::NoArea));
        assert_eq!(world.pager().remap(&mut space, moved, 9 * PAGE, PAGE, false).await, Ok(moved));
        assert_eq!(world.pager().fault(&mut space, moved + PAGE, Read).await, Err(FaultError::NoArea));
        world.pager().destroy_space(space).await;
        world
    });
}

#[test]
fn space_has_one_trampoline() {
    run(64, 8, vec![], |mut world: World| async move {
        let mut one = world.pager().create_space().await.unwrap();
        let mut two = world.pager().create_space().await.unwrap();
        for space in [&mut one, &mut two] {
            world.pager().fault(space, TRAMPOLINE, Execute).await.unwrap();
            assert_eq!(world.pager().fault(space, TRAMPOLINE, Write).await, Err(FaultError::Forbidden));
            let word = world.pager().copy_in_word(space, TRAMPOLINE).await.unwrap();
            assert_eq!((word as u32, (word >> 32) as u32), TRAMPOLINE_CODE.into());
        }
        let frame = |space: &Space| world.machine.lookup(space.root(), TRAMPOLINE).unwrap().0;
        assert_eq!(frame(&one), frame(&two));
        world.pager().destroy_space(one).await;
        world.pager().destroy_space(two).await;
        world
    });
}

#[test]
fn space_strings_end_or_are_refused() {
    run(64, 8, vec![], |mut world: World| async move {
        let mut space = world.pager().create_space().await.unwrap();
        world.pager().map(&mut space, zeros(AT, 2, Access::ReadWrite)).await.unwrap();
        let at = AT + PAGE - 3;
        world.pager().copy_out(&mut space, at, b"across\0").await.unwrap();
        let mut bytes = [0; 7];
        assert_eq!(world.pager().copy_in_string(&mut space, at, &mut bytes).await, Ok(6));
        assert_eq!(&bytes[..6], b"across");
        assert_eq!(world.pager().copy_in_string(&mut space, at, &mut bytes[..6]).await, Err(Errno::ENAMETOOLONG));
        world.pager().copy_out(&mut space, AT + 2 * PAGE - 3, b"end").await.unwrap();
        let unended = world.pager().copy_in_string(&mut space, AT + 2 * PAGE - 3, &mut bytes).await;
        assert_eq!(unended, Err(Errno::EFAULT));
        world.pager().destroy_space(space).await;
        world
    });
}

#[test]
fn space_fork_failing_at_any_frame_leaks_nothing() {
    let (mut made, mut refused) = (0, 0);
    for free in 0..12 {
        let was_made = std::rc::Rc::new(std::cell::Cell::new(false));
        let seen = was_made.clone();
        run(700, 8, vec![], move |mut world: World| async move {
            let mut space = world.pager().create_space().await.unwrap();
            // More pages than a list has, in three tables.
            for (at, pages) in [(AT, 300), (AT + 0x40_0000, 3), (AT + 0x4000_0000, 2)] {
                world.pager().map(&mut space, zeros(at, pages, Access::ReadWrite)).await.unwrap();
                world.pager().copy_out(&mut space, at, &pattern(pages as usize * 4096)).await.unwrap();
            }
            let mut third = fork(&mut space, &mut world.pager()).await.unwrap();
            let before = world.free_frames().await;
            let mut taken = Vec::new();
            for _ in free..before {
                taken.push(world.memory.call(AllocateFrame {}, ()).await.unwrap());
            }
            match fork(&mut space, &mut world.pager()).await {
                Ok(mut copy) => {
                    seen.set(true);
                    assert_eq!(world.peek(&copy, AT + 4096), world.peek(&space, AT + 4096));
                    world.pager().end_space(&mut copy).await;
                }
                Err(errno) => assert_eq!(errno, Errno::ENOMEM),
            }
            for frame in taken {
                world.memory.call(FreeFrame { frame }, ()).await.unwrap();
            }
            assert_eq!(world.free_frames().await, before, "{free} frames were free");
            // The other copy has its pages still, in which it does not see what is written.
            let late = AT + 290 * PAGE; // of the second list
            let byte = world.peek(&third, late);
            world.pager().copy_out(&mut space, late, &[0]).await.unwrap();
            assert!(byte != Some(0) && world.peek(&third, late) == byte, "{free} frames were free");
            assert_eq!(world.free_frames().await, before - 1);
            world.pager().end_space(&mut third).await;
            world.pager().destroy_space(space).await;
            world
        });
        if was_made.get() { made += 1 } else { refused += 1 }
    }
    assert!(made > 0 && refused > 3, "{made} were made, {refused} not");
}
