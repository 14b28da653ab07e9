//! The memory and text processes by their calls alone.

use crate::support::{World, run};
use renga_abi::Errno;
use renga_hal::memory::{Frame, UserMemory};
use renga_proto::memory::{
    AllocateFrame, FreeFrame, FreeFrames, MakePrivate, ShareFrame, ShareFrames, StorePage, TakeStored,
};
use renga_proto::pages::FileId;
use renga_proto::references::{BeginWriting, BoardDied, EndWriting, KeepFile, NoteProgram, ReleaseFile, TakeOverFile};
use renga_proto::sessions::ReferenceOrigin;

#[test]
fn memory_process_wrong_frame_is_refused() {
    run(8, 8, vec![], |mut world: World| async move {
        let memory = &mut world.memory;
        let frame = memory.call(AllocateFrame {}, ()).await.unwrap();
        for wrong in [frame + 1, 8, 9, u32::MAX] {
            assert_eq!(memory.call(FreeFrame { frame: wrong }, ()).await, Err(Errno::EINVAL));
            assert_eq!(memory.call(ShareFrame { frame: wrong }, ()).await, Err(Errno::EINVAL));
            assert_eq!(memory.call(TakeStored { frame: wrong, board: 0 }, ()).await, Err(Errno::EINVAL));
            assert_eq!(memory.call(MakePrivate { frame: wrong }, ()).await, Err(Errno::EINVAL));
            let list = [frame.to_le_bytes(), wrong.to_le_bytes()].concat();
            assert_eq!(memory.call(ShareFrames {}, &list).await, Err(Errno::EINVAL));
        }
        let counted = memory.call(MakePrivate { frame }, ()).await;
        assert_eq!(counted, Ok(frame), "still one reference: all of the list or none");
        let twice = [frame.to_le_bytes(), frame.to_le_bytes()].concat();
        assert_eq!(memory.call(FreeFrames {}, &twice).await, Err(Errno::EINVAL));
        assert_eq!(memory.call(FreeFrame { frame }, ()).await, Err(Errno::EINVAL), "the first of the two counted");
        world
    });
}

/// Holds: hostile-board.
#[test]
fn memory_process_received_frame_is_taken_once() {
    run(8, 8, vec![], |mut world: World| async move {
        let memory = &mut world.memory;
        let (frame, own) =
            (memory.call(StorePage { at: 0 }, b"").await.unwrap(), memory.call(AllocateFrame {}, ()).await);
        for (frame, board) in [(frame, 1), (own.unwrap(), 0), (own.unwrap(), 255)] {
            assert_eq!(memory.call(TakeStored { frame, board }, ()).await, Err(Errno::EINVAL));
        }
        assert_eq!(memory.call(TakeStored { frame, board: 0 }, ()).await, Ok(()));
        assert_eq!(memory.call(TakeStored { frame, board: 0 }, ()).await, Err(Errno::EINVAL));
        for frame in [frame, own.unwrap()] {
            memory.call(FreeFrame { frame }, ()).await.unwrap();
        }
        world
    });
}

#[test]
fn memory_process_frames_are_zeroed_or_filled() {
    run(8, 8, vec![], |mut world: World| async move {
        let (memory, machine) = (&mut world.memory, world.machine);
        let stored = memory.call(StorePage { at: 0 }, b"content").await.unwrap();
        assert_eq!(&machine.shared_page(Frame(stored))[..9], b"content\0\0");
        assert_eq!(memory.call(FreeFrame { frame: stored }, ()).await, Ok(()));
        for (at, expected) in [(0, &b"content\0"[..]), (9, b"content\0"), (4093, b"con"), (4096, b""), (u16::MAX, b"")]
        {
            let stored = memory.call(StorePage { at }, b"content").await.unwrap();
            let page = machine.shared_page(Frame(stored));
            let (before, from) = page.split_at(usize::from(at).min(page.len()));
            assert!(before.iter().all(|&byte| byte == 0) && from.starts_with(expected), "at {at}");
            drop(page);
            assert_eq!(memory.call(FreeFrame { frame: stored }, ()).await, Ok(()));
        }
        let again = memory.call(AllocateFrame {}, ()).await.unwrap();
        assert_eq!(again, stored, "the one freed last");
        assert!(machine.shared_page(Frame(again)).iter().all(|&byte| byte == 0));
        memory.call(FreeFrame { frame: again }, ()).await.unwrap();
        world
    });
}

#[test]
fn memory_process_private_frame_is_same_or_copy() {
    run(8, 8, vec![], |mut world: World| async move {
        let (memory, machine) = (&mut world.memory, world.machine);
        let frame = memory.call(StorePage { at: 0 }, b"shared").await.unwrap();
        assert_eq!(memory.call(MakePrivate { frame }, ()).await, Ok(frame));
        memory.call(ShareFrame { frame }, ()).await.unwrap();
        let copy = memory.call(MakePrivate { frame }, ()).await.unwrap();
        assert_ne!(copy, frame);
        assert_eq!(&machine.shared_page(Frame(copy))[..7], b"shared\0");
        for frame in [frame, copy] {
            memory.call(FreeFrame { frame }, ()).await.unwrap();
            assert_eq!(memory.call(FreeFrame { frame }, ()).await, Err(Errno::EINVAL), "it had one reference");
        }
        world
    });
}

#[test]
fn memory_process_opened_reference_becomes_boards() {
    run(8, 8, vec![vec![], vec![]], |mut world: World| async move {
        let open = |world: &World| world.counts.references.borrow_mut()[1] += 1;
        let take_over = TakeOverFile {
            file: FileId { ino: 101, generation: 1 },
            slot: 1,
            origin: ReferenceOrigin::NONE,
            runs: true,
        };
        open(&world);
        world.references.call(take_over, ()).await.unwrap();
        world.references.call(KeepFile { file: FileId { ino: 101, generation: 1 }, slot: 1 }, ()).await.unwrap();
        assert_eq!((world.counts.directory_calls.get(), *world.counts.references.borrow().last().unwrap()), (0, 2));
        // The board has one already, so this one is given back.
        open(&world);
        world.references.call(take_over, ()).await.unwrap();
        assert_eq!((world.counts.directory_calls.get(), *world.counts.references.borrow().last().unwrap()), (1, 2));
        for _ in 0..3 {
            world.references.call(ReleaseFile { file: FileId { ino: 101, generation: 1 } }, ()).await.unwrap();
        }
        assert_eq!((world.counts.directory_calls.get(), *world.counts.references.borrow().last().unwrap()), (2, 1));
        world
    });
}

#[test]
fn memory_process_board_has_one_reference_per_file() {
    run(8, 8, vec![vec![], vec![]], |mut world: World| async move {
        for _ in 0..3 {
            world.references.call(KeepFile { file: FileId { ino: 101, generation: 1 }, slot: 1 }, ()).await.unwrap();
        }
        assert_eq!(*world.counts.references.borrow(), [1, 2]);
        for _ in 0..3 {
            world.references.call(ReleaseFile { file: FileId { ino: 101, generation: 1 } }, ()).await.unwrap();
        }
        assert_eq!(*world.counts.references.borrow(), [1, 1]);
        assert_eq!(
            world.references.call(ReleaseFile { file: FileId { ino: 101, generation: 1 } }, ()).await,
            Err(Errno::EINVAL)
        );
        world
    });
}

#[test]
fn references_program_excludes_writers_and_writers_programs() {
    run(8, 8, vec![vec![], vec![]], |mut world: World| async move {
        let file = FileId { ino: 101, generation: 1 };
        let take_over = |runs| TakeOverFile { file, slot: 1, origin: ReferenceOrigin::NONE, runs };
        let references = &mut world.references;
        for _ in 0..2 {
            references.call(BeginWriting { file }, ()).await.unwrap();
        }
        for (runs, ends) in [(true, 1), (false, 1), (true, 0)] {
            assert_eq!(references.call(take_over(runs), ()).await, Err(Errno::ETXTBSY), "{runs}");
            for _ in 0..ends {
                references.call(EndWriting { file }, ()).await.unwrap();
            }
            references.call(BeginWriting { file }, ()).await.unwrap();
        }
        references.call(BoardDied { board: 0 }, ()).await.unwrap();
        // Mapped is not run.
        world.counts.references.borrow_mut()[1] += 2;
        references.call(take_over(false), ()).await.unwrap();
        references.call(BeginWriting { file }, ()).await.unwrap();
        references.call(EndWriting { file }, ()).await.unwrap();
        references.call(take_over(true), ()).await.unwrap();
        assert_eq!(references.call(BeginWriting { file }, ()).await, Err(Errno::ETXTBSY));
        references.call(ReleaseFile { file }, ()).await.unwrap();
        assert_eq!(references.call(BeginWriting { file }, ()).await, Err(Errno::ETXTBSY));
        references.call(ReleaseFile { file }, ()).await.unwrap();
        references.call(BeginWriting { file }, ()).await.unwrap();
        references.call(EndWriting { file }, ()).await.unwrap();
        // One that came from another board.
        references.call(KeepFile { file, slot: 1 }, ()).await.unwrap();
        references.call(NoteProgram { ino: 101 }, ()).await.unwrap();
        assert_eq!(references.call(BeginWriting { file }, ()).await, Err(Errno::ETXTBSY));
        references.call(ReleaseFile { file }, ()).await.unwrap();
        world
    });
}
