//! What becomes of the files that a program is loaded from.

use crate::elf_file::{INDEPENDENT, LOAD, Part, R, X, elf};
use crate::support::{World, file, run};
use renga_memory::{ArgumentPages, Image, MappedFile, ProgramIds, Space};
use renga_proto::pages::FileId;
use renga_proto::references::{KeepFile, ReleaseFile};

fn program_file() -> Vec<u8> {
    elf(INDEPENDENT, 0x400, &[Part(LOAD, R | X, 0, 0, 0x800, 0x800)], &[1; 0x800])
}

/// A loader's use of each file becomes the space's, but for a second one of the same file.
#[test]
fn exec_space_takes_over_loader_references() {
    run(128, 64, vec![program_file(), program_file()], |mut world: World| async move {
        for (slots, left) in [([0, 1], [None, None]), ([0, 0], [None, Some(file(0))])] {
            let mut references = slots.map(|slot| Some(file(slot)));
            for MappedFile { ino, generation, slot } in references.into_iter().flatten() {
                world.references.call(KeepFile { file: FileId { ino, generation }, slot }, ()).await.unwrap();
            }
            let [mut program, mut linker] = [const { Image::none() }; 2];
            program.inspect(&mut world.pager(), file(slots[0])).await.unwrap();
            linker.inspect(&mut world.pager(), file(slots[1])).await.unwrap();
            let mut strings = ArgumentPages::new(8 << 20);
            strings.with(&mut world.pager()).finish(b"/a", 7).await.unwrap();
            let (who, mut space) = (ProgramIds::default(), Space::none());
            world.pager().load(&mut space, &program, Some(&linker), strings, who, &mut references).await.unwrap();
            assert_eq!(references, left);
            world.pager().destroy_space(space).await;
            for MappedFile { ino, generation, .. } in references.into_iter().flatten() {
                assert_eq!(world.references.call(ReleaseFile { file: FileId { ino, generation } }, ()).await, Ok(()));
            }
            assert_eq!(*world.counts.references.borrow(), [1, 1]);
        }
        world
    });
}
