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
        let mut space = Space::create(&mut world.pager()).await.unwrap();
        space.map(&mut world.pager(), zeros(AT, 4, Access::ReadWrite)).await.unwrap();
        let before = world.free_frames().await;
        space.fault(&mut world.pager(), AT + 5000, Read).await.unwrap();
        assert_eq!(before - world.free_frames().await, 3, "a page and two tables");
        space.fault(&mut world.pager(), AT + 4096, Write).await.unwrap();
        assert_eq!(world.peek(&space, AT + 5000), Some(0));
        assert_eq!(world.peek(&space, AT), None);
        space.destroy(&mut world.pager()).await;
        world
    });
}

#[test]
fn space_wild_pointer_is_refused() {
    run(64, 8, vec![], |mut world: World| async move {
        let mut space = Space::create(&mut world.pager()).await.unwrap();
        space.map(&mut world.pager(), zeros(AT, 1, Access::Read)).await.unwrap();
        space.map(&mut world.pager(), zeros(AT + PAGE, 1, Access::None)).await.unwrap();
        let wild = [0, 8, AT - 1, AT + 2 * PAGE, USER_END - 1, USER_END, 1 << 63, u64::MAX, 0xffff_ffff_8008_0000];
        for va in wild {
            for kind in [Read, Write, Execute] {
                assert_eq!(space.fault(&mut world.pager(), va, kind).await, Err(FaultError::NoArea), "{va:#x}");
            }
            let mut bytes = [0; 16];
            assert_eq!(space.copy_in(&mut world.pager(), va, &mut bytes).await, Err(Errno::EFAULT));
            assert_eq!(space.copy_out(&mut world.pager(), va, &bytes).await, Err(Errno::EFAULT));
            assert_eq!(space.copy_in_string(&mut world.pager(), va, &mut bytes).await, Err(Errno::EFAULT));
        }
        assert_eq!(space.fault(&mut world.pager(), AT, Write).await, Err(FaultError::Forbidden));
        assert_eq!(space.fault(&mut world.pager(), AT, Execute).await, Err(FaultError::Forbidden));
        assert_eq!(space.fault(&mut world.pager(), AT + PAGE, Read).await, Err(FaultError::Forbidden));
        let mut across = [0; 16];
        let end = AT + PAGE - 8;
        assert_eq!(space.copy_in(&mut world.pager(), end, &mut across).await, Err(Errno::EFAULT));
        assert_eq!(space.copy_out(&mut world.pager(), AT, &across).await, Err(Errno::EFAULT));
        space.destroy(&mut world.pager()).await;
        world
    });
}

#[test]
fn space_file_pages_are_shared_and_written_privately() {
    run(64, 32, vec![pattern(3 * 4096 + 100)], |mut world: World| async move {
        let mut one = Space::create(&mut world.pager()).await.unwrap();
        let mut two = Space::create(&mut world.pager()).await.unwrap();
        one.map(&mut world.pager(), of_file(0, AT, 5, Access::ReadWrite)).await.unwrap();
        two.map(&mut world.pager(), of_file(0, AT, 5, Access::ReadExecute)).await.unwrap();
        assert_eq!(*world.counts.references.borrow(), [2], "one reference for the board");
        for page in 0..5 {
            one.fault(&mut world.pager(), AT + page * PAGE, Read).await.unwrap();
        }
        assert_eq!(world.counts.reads.get(), 5);
        two.fault(&mut world.pager(), AT + PAGE, Execute).await.unwrap();
        assert_eq!(world.counts.reads.get(), 5, "the second program reads nothing");
        assert!(world.machine.lookup(two.root(), AT + 3 * PAGE).is_some(), "neighbours came along");
        let frame = |space: &Space| world.machine.lookup(space.root(), AT).unwrap().0;
        assert_eq!(frame(&one), frame(&two));
        one.copy_out(&mut world.pager(), AT + 10, b"mine").await.unwrap();
        let mut seen = [0; 4];
        two.copy_in(&mut world.pager(), AT + 10, &mut seen).await.unwrap();
        assert_eq!(seen[..], pattern(20)[10..14]);
        assert_eq!(world.peek(&one, AT + 10), Some(b'm'));
        assert_eq!(world.peek(&one, AT + 3 * PAGE + 99), Some(pattern(3 * 4096 + 100)[3 * 4096 + 99]));
        assert_eq!(world.peek(&one, AT + 3 * PAGE + 100), Some(0), "behind the end of the file");
        assert_eq!(world.peek(&one, AT + 4 * PAGE), Some(0));
        one.destroy(&mut world.pager()).await;
        two.unmap(&mut world.pager(), AT, 5 * PAGE).await.unwrap();
        assert_eq!(*world.counts.references.borrow(), [1]);
        two.destroy(&mut world.pager()).await;
        world
    });
}

#[test]
fn space_fork_copies_on_write() {
    run(64, 8, vec![pattern(4096)], |mut world: World| async move {
        let mut parent = Space::create(&mut world.pager()).await.unwrap();
        parent.map(&mut world.pager(), zeros(AT, 4, Access::ReadWrite)).await.unwrap();
        parent.map(&mut world.pager(), of_file(0, AT + 8 * PAGE, 1, Access::ReadExecute)).await.unwrap();
        parent.copy_out(&mut world.pager(), AT, b"before").await.unwrap();
        parent.fault(&mut world.pager(), AT + 8 * PAGE, Execute).await.unwrap();
        let mut child = crate::support::fork(&mut parent, &mut world.pager()).await.unwrap();
        let code = |space: &Space| world.machine.lookup(space.root(), AT + 8 * PAGE);
        assert!(code(&child).is_some() && code(&child) == code(&parent), "clean pages are there at once");
        child.copy_out(&mut world.pager(), AT, b"child!").await.unwrap();
        let free = world.free_frames().await;
        parent.copy_out(&mut world.pager(), AT, b"parent").await.unwrap();
        assert_eq!(world.free_frames().await, free, "the last owner writes in place");
        let (mut left, mut right) = ([0; 6], [0; 6]);
        parent.copy_in(&mut world.pager(), AT, &mut left).await.unwrap();
        child.copy_in(&mut world.pager(), AT, &mut right).await.unwrap();
        assert_eq!((&left, &right), (b"parent", b"child!"));
        child.copy_in(&mut world.pager(), AT + 8 * PAGE, &mut right).await.unwrap();
        assert_eq!(right[..], pattern(6)[..]);
        parent.destroy(&mut world.pager()).await;
        let grandchild = crate::support::fork(&mut child, &mut world.pager()).await.unwrap();
        child.destroy(&mut world.pager()).await;
        grandchild.destroy(&mut world.pager()).await;
        world
    });
}

#[test]
fn space_fork_of_many_pages_is_batched() {
    run(2000, 8, vec![], |mut world: World| async move {
        let mut parent = Space::create(&mut world.pager()).await.unwrap();
        parent.map(&mut world.pager(), zeros(AT, 700, Access::ReadWrite)).await.unwrap();
        for page in 0..700 {
            parent.copy_out(&mut world.pager(), AT + page * PAGE, &[page as u8]).await.unwrap();
        }
        let mut child = crate::support::fork(&mut parent, &mut world.pager()).await.unwrap();
        for page in (0..700).step_by(9) {
            child.copy_out(&mut world.pager(), AT + page * PAGE, &[!(page as u8)]).await.unwrap();
            assert_eq!(world.peek(&parent, AT + page * PAGE), Some(page as u8));
        }
        parent.destroy(&mut world.pager()).await;
        assert_eq!(world.peek(&child, AT + 699 * PAGE), Some(699u32 as u8));
        child.destroy(&mut world.pager()).await;
        world
    });
}

#[test]
fn space_without_memory_fails_cleanly() {
    for frames in 1..24 {
        run(frames, 8, vec![pattern(3 * 4096)], move |mut world: World| async move {
            let Ok(mut space) = Space::create(&mut world.pager()).await else { return world };
            space.map(&mut world.pager(), of_file(0, AT, 3, Access::ReadWrite)).await.unwrap();
            let _ = space.map(&mut world.pager(), zeros(AT << 20, 2, Access::ReadWrite)).await;
            for page in 0..3 {
                let _ = space.fault(&mut world.pager(), AT + page * PAGE, Read).await;
                let _ = space.fault(&mut world.pager(), AT + page * PAGE, Write).await;
                let _ = space.fault(&mut world.pager(), (AT << 20) + page * PAGE, Write).await;
            }
            if let Ok(mut child) = crate::support::fork(&mut space, &mut world.pager()).await {
                for page in 0..3 {
                    let _ = child.fault(&mut world.pager(), AT + page * PAGE, Write).await;
                }
                let _ = child.remap(&mut world.pager(), AT << 20, PAGE, 9 << 20, true).await;
                child.destroy(&mut world.pager()).await;
            }
            space.destroy(&mut world.pager()).await;
            world
        });
    }
}

#[test]
fn space_shortage_evicts_cache() {
    run(24, 16, vec![pattern(12 * 4096)], |mut world: World| async move {
        let mut space = Space::create(&mut world.pager()).await.unwrap();
        space.map(&mut world.pager(), of_file(0, AT, 12, Access::Read)).await.unwrap();
        for page in 0..12 {
            space.fault(&mut world.pager(), AT + page * PAGE, Read).await.unwrap();
        }
        space.unmap(&mut world.pager(), AT, 12 * PAGE).await.unwrap();
        space.map(&mut world.pager(), zeros(AT, 20, Access::ReadWrite)).await.unwrap();
        for page in 0..20 {
            space.fault(&mut world.pager(), AT + page * PAGE, Write).await.unwrap();
        }
        space.destroy(&mut world.pager()).await;
        world
    });
}

#[test]
fn space_writable_and_executable_is_refused() {
    assert_eq!(access_of(6), Err(Errno::EACCES));
    assert_eq!(access_of(7), Err(Errno::EACCES));
    assert_eq!(access_of(5), Ok(Access::ReadExecute));
    run(64, 8, vec![], |mut world: World| async move {
        let mut space = Space::create(&mut world.pager()).await.unwrap();
        space.map(&mut world.pager(), zeros(AT, 2, Access::ReadWrite)).await.unwrap();
        space.copy_out(&mut world.pager(), AT, &[1]).await.unwrap();
        space.protect(&mut world.pager(), AT, 2 * PAGE, Access::ReadExecute).await.unwrap();
        assert_eq!(space.fault(&mut world.pager(), AT, Write).await, Err(FaultError::Forbidden));
        assert_eq!(world.machine.lookup(space.root(), AT).unwrap().1, Access::ReadExecute);
        space.protect(&mut world.pager(), AT, PAGE, Access::ReadWrite).await.unwrap();
        assert_eq!(space.fault(&mut world.pager(), AT, Execute).await, Err(FaultError::Forbidden));
        space.copy_out(&mut world.pager(), AT, &[2]).await.unwrap();
        assert_eq!(world.machine.lookup(space.root(), AT).unwrap().1, Access::ReadWrite);
        assert_eq!(space.protect(&mut world.pager(), AT, 3 * PAGE, Access::Read).await, Err(Errno::ENOMEM));
        space.destroy(&mut world.pager()).await;
        world
    });
}

#[test]
fn space_mapping_splits_joins_and_finds_hole() {
    run(64, 8, vec![], |mut world: World| async move {
        let mut space = Space::create(&mut world.pager()).await.unwrap();
        space.map(&mut world.pager(), zeros(AT, 10, Access::ReadWrite)).await.unwrap();
        space.copy_out(&mut world.pager(), AT, &[7; 10 * 4096]).await.unwrap();
        space.unmap(&mut world.pager(), AT + 4 * PAGE, 2 * PAGE).await.unwrap();
        assert_eq!(space.areas().len(), 2);
        assert_eq!(space.fault(&mut world.pager(), AT + 4 * PAGE, Read).await, Err(FaultError::NoArea));
        space.map(&mut world.pager(), zeros(AT + 4 * PAGE, 2, Access::ReadWrite)).await.unwrap();
        assert_eq!(space.areas().len(), 1);
        space.fault(&mut world.pager(), AT + 4 * PAGE, Read).await.unwrap();
        assert_eq!(world.peek(&space, AT + 4 * PAGE), Some(0));
        let anywhere = Mapping { place: MapAddress::Anywhere(0), ..zeros(0, 3, Access::Read) };
        let first = space.map(&mut world.pager(), anywhere).await.unwrap();
        let second = space.map(&mut world.pager(), anywhere).await.unwrap();
        assert_eq!((first > AT, first - second), (true, 3 * PAGE));
        let hinted = Mapping { place: MapAddress::Anywhere(AT + 64 * PAGE), ..anywhere };
        assert_eq!(space.map(&mut world.pager(), hinted).await, Ok(AT + 64 * PAGE));
        let free = Mapping { place: MapAddress::FixedFree(AT), ..anywhere };
        assert_eq!(space.map(&mut world.pager(), free).await, Err(Errno::EEXIST));
        for (at, pages) in [(0, 1), (TRAMPOLINE, 1), (STACK_END - PAGE, 2), (USER_END, 1), (u64::MAX - 4095, 1)] {
            assert!(space.map(&mut world.pager(), zeros(at, pages, Access::Read)).await.is_err(), "{at:#x}");
            assert!(space.unmap(&mut world.pager(), at, pages * PAGE).await.is_err());
            assert!(space.protect(&mut world.pager(), at, pages * PAGE, Access::Read).await.is_err());
        }
        let huge = Mapping { length: 1 << 38, access: Access::ReadWrite, ..anywhere };
        assert_eq!(space.map(&mut world.pager(), huge).await, Err(Errno::ENOMEM));
        let endless = Mapping { length: u64::MAX, ..anywhere };
        assert_eq!(space.map(&mut world.pager(), endless).await, Err(Errno::ENOMEM));
        space.destroy(&mut world.pager()).await;
        world
    });
}

#[test]
fn space_number_of_areas_is_bounded() {
    run(64, 8, vec![], |mut world: World| async move {
        let mut space = Space::create(&mut world.pager()).await.unwrap();
        let mut refused = 0;
        for index in 0..600 {
            let mapped = space.map(&mut world.pager(), zeros(AT + 2 * index * PAGE, 1, Access::Read)).await;
            refused += u32::from(mapped == Err(Errno::ENOMEM));
        }
        assert_eq!((space.areas().len(), refused), (512, 88));
        space.destroy(&mut world.pager()).await;
        world
    });
}

#[test]
fn space_mremap_grows_shrinks_and_moves() {
    run(128, 8, vec![], |mut world: World| async move {
        let mut space = Space::create(&mut world.pager()).await.unwrap();
        space.map(&mut world.pager(), zeros(AT, 4, Access::ReadWrite)).await.unwrap();
        space.copy_out(&mut world.pager(), AT, &[9; 4 * 4096]).await.unwrap();
        assert_eq!(space.remap(&mut world.pager(), AT, 4 * PAGE, 6 * PAGE, false).await, Ok(AT));
        space.map(&mut world.pager(), zeros(AT + 6 * PAGE, 1, Access::Read)).await.unwrap();
        let stuck = space.remap(&mut world.pager(), AT, 6 * PAGE, 9 * PAGE, false).await;
        assert_eq!(stuck, Err(Errno::ENOMEM));
        let moved = space.remap(&mut world.pager(), AT, 6 * PAGE, 9 * PAGE, true).await.unwrap();
        let mut bytes = [0; 5 * 4096];
        space.copy_in(&mut world.pager(), moved, &mut bytes).await.unwrap();
        assert!(bytes[..4 * 4096].iter().all(|&byte| byte == 9) && bytes[4 * 4096..].iter().all(|&byte| byte == 0));
        assert_eq!(space.fault(&mut world.pager(), AT, Read).await, Err(FaultError::NoArea));
        assert_eq!(space.remap(&mut world.pager(), moved, 9 * PAGE, PAGE, false).await, Ok(moved));
        assert_eq!(space.fault(&mut world.pager(), moved + PAGE, Read).await, Err(FaultError::NoArea));
        space.destroy(&mut world.pager()).await;
        world
    });
}

#[test]
fn space_has_one_trampoline() {
    run(64, 8, vec![], |mut world: World| async move {
        let mut one = Space::create(&mut world.pager()).await.unwrap();
        let mut two = Space::create(&mut world.pager()).await.unwrap();
        for space in [&mut one, &mut two] {
            space.fault(&mut world.pager(), TRAMPOLINE, Execute).await.unwrap();
            assert_eq!(space.fault(&mut world.pager(), TRAMPOLINE, Write).await, Err(FaultError::Forbidden));
            let word = space.copy_in_word(&mut world.pager(), TRAMPOLINE).await.unwrap();
            assert_eq!((word as u32, (word >> 32) as u32), TRAMPOLINE_CODE.into());
        }
        let frame = |space: &Space| world.machine.lookup(space.root(), TRAMPOLINE).unwrap().0;
        assert_eq!(frame(&one), frame(&two));
        one.destroy(&mut world.pager()).await;
        two.destroy(&mut world.pager()).await;
        world
    });
}

#[test]
fn space_strings_end_or_are_refused() {
    run(64, 8, vec![], |mut world: World| async move {
        let mut space = Space::create(&mut world.pager()).await.unwrap();
        space.map(&mut world.pager(), zeros(AT, 2, Access::ReadWrite)).await.unwrap();
        let at = AT + PAGE - 3;
        space.copy_out(&mut world.pager(), at, b"across\0").await.unwrap();
        let mut bytes = [0; 7];
        assert_eq!(space.copy_in_string(&mut world.pager(), at, &mut bytes).await, Ok(6));
        assert_eq!(&bytes[..6], b"across");
        assert_eq!(space.copy_in_string(&mut world.pager(), at, &mut bytes[..6]).await, Err(Errno::ENAMETOOLONG));
        space.copy_out(&mut world.pager(), AT + 2 * PAGE - 3, b"end").await.unwrap();
        let unended = space.copy_in_string(&mut world.pager(), AT + 2 * PAGE - 3, &mut bytes).await;
        assert_eq!(unended, Err(Errno::EFAULT));
        space.destroy(&mut world.pager()).await;
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
            let mut space = Space::create(&mut world.pager()).await.unwrap();
            // More pages than a list has, in three tables.
            for (at, pages) in [(AT, 300), (AT + 0x40_0000, 3), (AT + 0x4000_0000, 2)] {
                space.map(&mut world.pager(), zeros(at, pages, Access::ReadWrite)).await.unwrap();
                space.copy_out(&mut world.pager(), at, &pattern(pages as usize * 4096)).await.unwrap();
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
                    copy.end(&mut world.pager()).await;
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
            space.copy_out(&mut world.pager(), late, &[0]).await.unwrap();
            assert!(byte != Some(0) && world.peek(&third, late) == byte, "{free} frames were free");
            assert_eq!(world.free_frames().await, before - 1);
            third.end(&mut world.pager()).await;
            space.destroy(&mut world.pager()).await;
            world
        });
        if was_made.get() { made += 1 } else { refused += 1 }
    }
    assert!(made > 0 && refused > 3, "{made} were made, {refused} not");
}
