//! Programs of one file share its pages by shared page tables, invisibly to them.

use crate::elf_file::{FIXED, LOAD, Part, R, W, X, elf};
use crate::support::{World, file, fork, run};
use renga_abi::user::AccessKind::Write;
use renga_hal::memory::{Access, Frame, UserMemory};
use renga_hal::shared_tables::SharedPageTables;
use renga_memory::layout::PAGE;
use renga_memory::{ArgumentPages, Image, ProgramIds, Space};
use renga_proto::pages::{RevokePages, Shrink, TO_END};

const BASE: u64 = 0x40_0000;
const PAGES: u64 = 40;
/// A page in the midst of the code.
const CODE: u64 = BASE + 20 * PAGE;
const DATA: u64 = BASE + (PAGES + 1) * PAGE;

/// Forty pages of code, of which each has bytes of its own that `mark` changes, and one of data, in one table.
fn program(mark: u8) -> Vec<u8> {
    let content: Vec<u8> = (0..(PAGES + 1) * PAGE - 0x400).map(|at| (at / PAGE) as u8 ^ mark).collect();
    let data = PAGES * PAGE;
    let parts = [Part(LOAD, R | X, 0, BASE, PAGES * PAGE, PAGES * PAGE), Part(LOAD, R | W, data, DATA, PAGE, PAGE)];
    elf(FIXED, BASE + 0x400, &parts, &content)
}

async fn load(world: &mut World) -> Space {
    let (mut image, mut space) = (Image::none(), Space::none());
    image.inspect(&mut world.pager(), file(0)).await.unwrap();
    let mut strings = ArgumentPages::new(8 << 20);
    strings.with(&mut world.pager()).push_argument(b"a").await.unwrap();
    strings.with(&mut world.pager()).finish(b"/a", 7).await.unwrap();
    world.pager().load(&mut space, &image, None, strings, ProgramIds::default(), &mut []).await.unwrap();
    space
}

/// Loads a program that leaves all its pages in the cache, and one that maps them one by one.
async fn prepare(world: &mut World) -> Space {
    let mut first = load(world).await;
    assert!(!world.machine.is_of_shared_table(first.root(), CODE), "nothing was cached");
    read(world, &mut first).await;
    world.pager().destroy_space(first).await;
    load(world).await
}

/// Reads all of code and data, twenty bytes of each page.
async fn read(world: &mut World, space: &mut Space) -> Vec<u8> {
    let mut seen = vec![];
    for page in 0..=PAGES + 1 {
        let mut bytes = [0; 20];
        let at = BASE + page * PAGE + 0x500;
        if page != PAGES {
            world.pager().copy_in(space, at, &mut bytes).await.unwrap();
        }
        seen.extend(bytes);
    }
    seen
}

fn frame(world: &World, space: &Space) -> Frame {
    world.machine.lookup(space.root(), CODE).unwrap().0
}

#[test]
fn shared_page_table_counts_once_for_all_programs() {
    run(400, 64, vec![program(0)], |mut world: World| async move {
        let mut one = prepare(&mut world).await;
        let mut two = load(&mut world).await;
        let mut child = fork(&mut two, &mut world.pager()).await.unwrap();
        let expected = read(&mut world, &mut one).await;
        let reads = world.counts.reads.get();
        for space in [&mut two, &mut child] {
            assert!(world.machine.is_of_shared_table(space.root(), CODE));
            assert_eq!(read(&mut world, space).await, expected);
        }
        assert_eq!(world.counts.reads.get(), reads, "nothing is read again");
        let text = frame(&world, &one);
        assert!([&two, &child].into_iter().all(|space| frame(&world, space) == text));
        assert_eq!(world.machine.mappings(text), 1, "counted once for all programs");
        assert_eq!(world.machine.pages(two.root()), world.machine.pages(one.root()));
        for space in [one, child, two] {
            world.pager().destroy_space(space).await;
        }
        world
    });
}

#[test]
fn shared_page_table_changes_of_one_program_are_private() {
    run(400, 64, vec![program(0)], |mut world: World| async move {
        let mut one = prepare(&mut world).await;
        let mut two = load(&mut world).await;
        let expected = read(&mut world, &mut one).await;
        world.pager().protect(&mut two, CODE, PAGE, Access::ReadWrite).await.unwrap();
        world.pager().fault(&mut two, CODE, Write).await.unwrap();
        world.pager().copy_out(&mut two, CODE + 0x500, &[0xee; 20]).await.unwrap();
        world.pager().unmap(&mut two, CODE + PAGE, 3 * PAGE).await.unwrap();
        assert!(!world.machine.is_of_shared_table(two.root(), CODE), "written to");
        let mut child = fork(&mut two, &mut world.pager()).await.unwrap();
        assert!(world.machine.lookup(child.root(), CODE + PAGE).is_none(), "unmapped by the parent");
        let mut seen = [0; 20];
        world.pager().copy_in(&mut child, CODE + 0x500, &mut seen).await.unwrap();
        assert_eq!(seen, [0xee; 20]);
        let mut three = load(&mut world).await;
        for space in [&mut one, &mut three] {
            assert_eq!(read(&mut world, space).await, expected, "another program has seen it");
        }
        for space in [two, one, child, three] {
            world.pager().destroy_space(space).await;
        }
        world
    });
}

#[test]
fn shared_page_table_of_rewritten_file_is_new() {
    run(400, 64, vec![program(0)], |mut world: World| async move {
        let mut one = prepare(&mut world).await;
        let old = read(&mut world, &mut one).await;
        world.contents.borrow_mut()[0] = program(0x80);
        let revocation = RevokePages { file: file(0).id(), from: 0, to: TO_END };
        world.pages.call(revocation, ()).await.unwrap();
        let mut two = load(&mut world).await;
        let new = read(&mut world, &mut two).await;
        assert!(old.iter().zip(&new).filter(|(old, new)| old != new).count() > 100, "what was cached before");
        let mut three = load(&mut world).await;
        assert_eq!(read(&mut world, &mut three).await, new);
        assert_eq!(read(&mut world, &mut one).await, old, "what runs goes on as it is");
        for space in [one, two, three] {
            world.pager().destroy_space(space).await;
        }
        world
    });
}

#[test]
fn shared_page_table_unused_is_freed_when_short() {
    run(400, 64, vec![program(0)], |mut world: World| async move {
        let one = prepare(&mut world).await;
        let free = world.free_frames().await;
        world.pages.call(Shrink::at_once(u32::MAX), ()).await.unwrap();
        assert!(world.free_frames().await < free + PAGES as u32, "frames of pages that a program shows");
        let again = load(&mut world).await;
        assert!(world.machine.is_of_shared_table(again.root(), CODE), "a program shows it, so it is there");
        world.pager().destroy_space(again).await;
        world.pager().destroy_space(one).await;
        world
    });
}
