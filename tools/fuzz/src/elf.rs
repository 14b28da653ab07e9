//! Program files: whatever one says, it is refused or loaded, and everything it took comes back.
//!
//! The bytes are the file, which is also the dynamic linker that it may ask for. What could be loaded is
//! touched where it is most likely wrong: at both ends of its segments.

use crate::memory;
use renga_fs_host::HostFrames;
use renga_hal::memory::PAGE_BYTES;
use renga_hal_host::HostMemory;
use renga_memory::{ArgumentPages, FrameCache, Image, MappedFile, Pager, ProgramIds, Space, SpaceTables};
use renga_proto::inode::{Filled, Inode, InodeCall, InodeDirectory, InodeDirectoryCall};
use renga_proto::memory::{Memory, MemoryStatus};
use renga_proto::pages::{KEPT, Pages, Shrink};
use renga_proto::references::References;
use renga_rt::host::HostBoard;
use renga_rt::user::AccessKind::{Execute, Read, Write};
use renga_rt::{Client, Errno, Family, Local, Members, Never, Port};
use std::cell::{Cell, RefCell};

/// Boot memory of a board, 16-byte words.
const BOOT_WORDS: usize = 8 << 10;
/// Page frames of the board.
const FRAMES: u32 = 96;
/// Longest file, bytes.
const FILE_BYTES_MAX: usize = 64 << 10;
/// The file, whose inode has one reference from outside.
const FILE: MappedFile = MappedFile { ino: 11, generation: 1, slot: 0 };

thread_local! {
    static BOOT: RefCell<Vec<u128>> = RefCell::new(vec![0; BOOT_WORDS + FILE_BYTES_MAX / 16]);
    static MACHINE: &'static HostMemory = Box::leak(Box::new(HostMemory::new(FRAMES)));
}

/// Tries `bytes`.
pub fn run(bytes: &[u8]) {
    let bytes = &bytes[..bytes.len().min(FILE_BYTES_MAX)];
    MACHINE.with(|machine| {
        machine.reset();
        BOOT.with_borrow_mut(|memory| HostBoard::within(0, memory, |board| load(board, machine, bytes)));
    });
}

/// One board with the processes that loading needs, and a client that loads.
fn load(board: HostBoard, machine: &'static HostMemory, bytes: &[u8]) {
    let arena = board.arena;
    let content: &'static [u8] = arena.put_slice(bytes.len(), |at| bytes[at]);
    let references: &'static Cell<i32> = arena.put(|| Cell::new(1));
    let inode = board.server(|_, port| inode(port, content));
    let members = board.family(&[inode]);
    let directory = board.server(|_, port| directory(port, references));
    let HostFrames { memory, counts, pages, .. } = memory::start(board, machine);
    let uses = memory::references(board, directory, pages);
    let finished: &'static Cell<bool> = arena.put(|| Cell::new(false));
    board.client(|me| {
        let (mut memory, mut pages) = (Client::<Memory>::new(&me, memory), Client::<Pages>::new(&me, pages));
        let mut uses = Client::<References>::new(&me, uses);
        let mut inodes = Family::new(&me, members).narrowed();
        let mut prefetchers = Local::new(&me, &Members::NONE);
        let (tables, mut frame_cache) = (SpaceTables::new(arena, 1), FrameCache::new());
        async move {
            let mut pager = Pager {
                machine,
                tables,
                memory: &mut memory,
                counts,
                frame_cache: &mut frame_cache,
                pages: &mut pages,
                prefetchers: &mut prefetchers,
                references: &mut uses,
                inodes: &mut inodes,
            };
            if let Ok((space, sp)) = load_program(&mut pager).await {
                touch(space, sp, &mut pager).await;
            }
            pager.free_cached().await;
            let _ = pages.call(Shrink::at_once(u32::MAX), ()).await;
            let facts = memory.call(MemoryStatus {}, ()).await;
            assert!(facts.is_ok_and(|facts| facts.free == facts.total), "frames are lost");
            assert_eq!(references.get(), 1, "uses of the file are lost");
            finished.set(true);
        }
    });
    board.run();
    assert!(finished.get(), "loading waits for ever");
}

async fn load_program(pager: &mut Pager<'_, HostMemory>) -> Result<(Space, u64), Errno> {
    let (mut program, mut space) = (Image::none(), Space::none());
    if program.inspect(pager, FILE).await?.is_some() {
        return Err(Errno::ENOEXEC);
    }
    let mut strings = ArgumentPages::new(8 << 20);
    strings.with(pager).push_argument(b"program").await?;
    strings.with(pager).push_environment(b"PATH=/bin").await?;
    strings.with(pager).finish(b"/program", 7).await?;
    let linker = program.interpreter.as_ref().map(|_| &program);
    let start = pager.load(&mut space, &program, linker, strings, ProgramIds::default(), &mut []).await?;
    let bias = if program.position_independent { start.pc.wrapping_sub(program.entry) } else { 0 };
    for segment in &program.segments {
        let ends = [segment.address, segment.address + segment.file_bytes, segment.end() - 1, segment.end()];
        for address in ends.map(|address| address.wrapping_add(bias)) {
            let _ = pager.fault(&mut space, address, Read).await;
            let written = pager.fault(&mut space, address, Write).await;
            let executed = pager.fault(&mut space, address, Execute).await;
            let asked_for = segment.access.writable() && segment.access.executable();
            assert!(asked_for || written.is_err() || executed.is_err(), "{address:#x} can be written and executed");
        }
    }
    let _ = pager.fault(&mut space, start.pc, Execute).await;
    Ok((space, start.sp))
}

async fn touch(mut space: Space, sp: u64, pager: &mut Pager<'_, HostMemory>) {
    let arguments = pager.copy_in_word(&mut space, sp).await;
    assert!(arguments.is_ok_and(|count| count == 1) || arguments.is_err());
    let end = space.break_end();
    let _ = pager.set_brk(&mut space, end.wrapping_add(0x1_2345)).await;
    let _ = pager.fault(&mut space, end, Write).await;
    if let Ok(copy) = pager.fork(&mut space).await {
        pager.discard_copy(&space, copy).await;
    }
    pager.destroy_space(space).await;
}

async fn inode(mut port: Port<Inode>, content: &'static [u8]) -> Never {
    loop {
        match port.accept().await {
            InodeCall::FillPage(mut call) => {
                let rest = content.get(call.entry().page as usize * PAGE_BYTES..).unwrap_or(&[]);
                let out = call.lent();
                let length = rest.len().min(out.len());
                out[..length].copy_from_slice(&rest[..length]);
                call.reply(Ok(Filled { size: content.len() as u64, keep: KEPT, bytes: length as u32 }));
            }
            _ => unreachable!("loading only reads"),
        }
    }
}

async fn directory(mut port: Port<InodeDirectory>, references: &'static Cell<i32>) -> Never {
    loop {
        match port.accept().await {
            InodeDirectoryCall::Keep(call) => {
                references.set(references.get() + 1);
                call.reply(Ok(()));
            }
            InodeDirectoryCall::Release(call) => {
                references.set(references.get() - 1);
                call.reply(Ok(()));
            }
            _ => unreachable!("loading only keeps and releases"),
        }
    }
}
