//! The imitation of user memory keeps the rules of the trait.

use renga_hal::memory::{Access, Frame, NeedsTable, PageRun, TABLES_PER_MAP_MAX, USER_END, UserMemory};
use renga_hal::trial::{self, MemoryTrial};
use renga_hal_host::HostMemory;

/// Maps `frame`, giving tables from `tables` on; returns how many it took.
fn map(memory: &dyn UserMemory, space: Frame, va: u64, frame: Frame, access: Access, tables: u32) -> u32 {
    for used in 0..=TABLES_PER_MAP_MAX as u32 {
        match memory.map(space, va, frame, access) {
            Ok(()) => return used,
            Err(NeedsTable) => memory.add_table(space, va, Frame(tables + used)),
        }
    }
    panic!("map asks for more tables than it may");
}

#[test]
fn host_memory_space_builds_walks_and_tears_down() {
    let memory = HostMemory::new(16);
    let root = Frame(0);
    memory.new_space(root);
    assert_eq!(map(&memory, root, 0x40_0000, Frame(8), Access::ReadExecute, 1), 2);
    assert_eq!(map(&memory, root, 0x40_1000, Frame(9), Access::ReadWrite, 3), 0);
    assert_eq!(map(&memory, root, 0x7f_ffff_f000, Frame(8), Access::Read, 3), 2);
    assert_eq!(memory.mappings(Frame(8)), 2);
    assert_eq!(memory.lookup(root, 0x40_1234), Some((Frame(9), Access::ReadWrite)));
    assert_eq!(memory.lookup(root, u64::MAX), None);
    assert!(memory.protect(root, 0x40_1000, Access::Read));
    let mut from_va = 0;
    let mut seen = Vec::new();
    while let Some((va, frame, _)) = memory.next_mapped(root, from_va) {
        seen.push((va, frame.0));
        assert_eq!(memory.unmap(root, va), Some(frame));
        from_va = va + 1;
    }
    assert_eq!(seen, [(0x40_0000, 8), (0x40_1000, 9), (0x7f_ffff_f000, 8)]);
    let tables: Vec<u32> = core::iter::from_fn(|| memory.take_table(root)).map(|frame| frame.0).collect();
    assert_eq!((tables.len(), *tables.last().unwrap()), (5, 0));
}

#[test]
fn access_write_and_execute_is_kept() {
    assert_eq!(Access::from_flags(true, true, true), Access::ReadWriteExecute);
    assert_eq!(Access::from_flags(false, true, false), Access::ReadWrite);
}

#[test]
#[should_panic(expected = "Frame(3) is borrowed already")]
fn host_memory_second_exclusive_borrow_panics() {
    let memory = HostMemory::new(4);
    let _first = memory.page(Frame(3));
    let _second = memory.page(Frame(3));
}

#[test]
#[should_panic(expected = "Frame(1) is a translation table")]
fn host_memory_table_content_panics() {
    let memory = HostMemory::new(4);
    memory.new_space(Frame(1));
    let _content = memory.page(Frame(1));
}

#[test]
#[should_panic(expected = "cannot become a table")]
fn host_memory_mapped_frame_as_table_panics() {
    let memory = HostMemory::new(8);
    memory.new_space(Frame(0));
    map(&memory, Frame(0), 0x1000, Frame(3), Access::Read, 1);
    memory.new_space(Frame(3));
}

/// A space with pages of every access on both sides of a table's border and far from it.
fn scattered(memory: &HostMemory) -> (Frame, Vec<(u64, Frame, Access)>) {
    let pages = [
        (0x1f_f000, Frame(20), Access::ReadWrite),
        (0x20_0000, Frame(21), Access::Read),
        (0x20_3000, Frame(22), Access::ReadExecute),
        (0x4000_0000, Frame(23), Access::None),
        (0x40_0000_0000, Frame(24), Access::ReadWrite),
    ];
    memory.new_space(Frame(0));
    let mut tables = 1;
    for (va, frame, access) in pages {
        tables += map(memory, Frame(0), va, frame, access, tables);
    }
    (Frame(0), pages.to_vec())
}

#[test]
fn host_memory_unmap_run_stops_at_full_list() {
    let memory = HostMemory::new(32);
    let (space, pages) = scattered(&memory);
    let mut list = [[0xff; 4]; 2];
    let first = memory.unmap_run(space, (0x1f_f000, USER_END), &mut list);
    assert_eq!((first, list), (PageRun { pages: 2, next: pages[2].0 }, [pages[0].1.listed(), pages[1].1.listed()]));
    let second = memory.unmap_run(space, (first.next, pages[3].0), &mut list);
    assert_eq!((second, list[0]), (PageRun { pages: 1, next: pages[3].0 }, pages[2].1.listed()));
    assert!(memory.lookup(space, pages[2].0).is_none() && memory.lookup(space, pages[3].0).is_some());
}

#[test]
fn host_memory_shared_run_is_read_only_on_both_sides() {
    let memory = HostMemory::new(64);
    let (space, pages) = scattered(&memory);
    let copy = Frame(32);
    memory.new_space(copy);
    let (mut at, mut tables, mut listed) = (0, 33, Vec::new());
    while at < USER_END {
        let mut list = [[0; 4]; 4];
        let run = memory.share_run(space, copy, (at, USER_END), &mut list);
        listed.extend_from_slice(&list[..run.pages]);
        at = run.next;
        if at < USER_END && run.pages < list.len() {
            memory.add_table(copy, at, Frame(tables));
            tables += 1;
        }
    }
    assert_eq!(listed, pages.iter().map(|page| page.1.listed()).collect::<Vec<_>>());
    for (va, frame, access) in pages {
        let mapped = Some((frame, access.without_writing()));
        assert_eq!((memory.lookup(space, va), memory.lookup(copy, va)), (mapped, mapped), "{va:#x}");
        assert_eq!(memory.mappings(frame), 2);
    }
}

#[test]
fn host_memory_conformance_run_repeats_and_leaves_nothing() {
    let memory = HostMemory::new(trial::FRAMES);
    let digests = MemoryTrial::digests(&memory);
    assert!((0..trial::FRAMES).map(Frame).all(|frame| memory.is_plain(frame) && memory.mappings(frame) == 0));
    assert_eq!(MemoryTrial::digests(&HostMemory::new(trial::FRAMES)), digests);
}
