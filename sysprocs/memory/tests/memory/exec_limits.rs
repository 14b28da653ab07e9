//! What a new program may have of strings and of stack.

use crate::elf_file::{FIXED, LOAD, Part, R, X, elf};
use crate::support::{World, file, run};
use renga_abi::Errno;
use renga_abi::user::AccessKind::Write;
use renga_hal::memory::Access;
use renga_memory::layout::STACK_END;
use renga_memory::{ArgumentPages, Backing, FaultError, Image, MapAddress, Mapping, ProgramIds, Space};

fn program_file() -> Vec<u8> {
    let base = 0x40_0000;
    elf(FIXED, base + 0x400, &[Part(LOAD, R | X, 0, base, 0x800, 0x800)], &[1; 0x800])
}

async fn image(world: &mut World, slot: u16) -> Result<Image, Errno> {
    let mut image = Image::none();
    let script = image.inspect(&mut world.pager(), file(slot)).await?;
    if script.is_some() { Err(Errno::ENOEXEC) } else { Ok(image) }
}

#[test]
fn exec_strings_are_limited_to_quarter_of_stack() {
    run(2048, 2048, vec![program_file()], |mut world: World| async move {
        for (stack_bytes, strings_bytes) in [(8u64 << 20, 2u64 << 20), (2 << 20, 512 << 10), (64 << 10, 128 << 10)] {
            let mut old = world.pager().create_space().await.unwrap();
            world.pager().set_brk(&mut old, 0x40_0000).await;
            let mapping = Mapping {
                place: MapAddress::Fixed(0x40_0000),
                length: 1 << 20,
                access: Access::ReadWrite,
                backing: Backing::Zero,
            };
            world.pager().map(&mut old, mapping).await.unwrap();
            // Pointers to one string of 4,000 bytes, which take 4,009 each.
            world.pager().copy_out(&mut old, 0x40_0000, &[b'x'; 4000]).await.unwrap();
            let fit = strings_bytes / 4009;
            for (count, fits) in [(fit, true), (fit + 1, false)] {
                let pointers: Vec<u8> = (0..count).flat_map(|_| 0x40_0000u64.to_le_bytes()).chain([0; 8]).collect();
                world.pager().copy_out(&mut old, 0x41_0000, &pointers).await.unwrap();
                let mut strings = ArgumentPages::new(stack_bytes);
                let pushed = strings.with(&mut world.pager()).push_arguments_from(&mut old, 0x41_0000, 0).await;
                assert_eq!(pushed, if fits { Ok(()) } else { Err(Errno::E2BIG) }, "{count} of {stack_bytes}");
                if !fits {
                    strings.release(&mut world.pager()).await;
                    continue;
                }
                strings.with(&mut world.pager()).finish(b"many", 1).await.unwrap();
                let program = image(&mut world, 0).await.unwrap();
                let mut new = Space::none();
                let loaded =
                    world.pager().load(&mut new, &program, None, strings, ProgramIds::default(), &mut []).await;
                let start = loaded.unwrap();
                assert_eq!(world.pager().copy_in_word(&mut new, start.sp).await, Ok(count));
                let mut last = [0; 4001];
                let pointer = world.pager().copy_in_word(&mut new, start.sp + 8 * count).await.unwrap();
                world.pager().copy_in(&mut new, pointer, &mut last).await.unwrap();
                assert!(last[..4000] == [b'x'; 4000] && last[4000] == 0);
                world.pager().destroy_space(new).await;
            }
            // One string may have 128 KiB, with its zero.
            for (length, fits) in [((128usize << 10) - 1, true), (128 << 10, false)] {
                world.pager().copy_out(&mut old, 0x42_0000, &vec![b'y'; length]).await.unwrap();
                world.pager().copy_out(&mut old, 0x42_0000 + length as u64, &[0]).await.unwrap();
                let pointers: Vec<u8> = 0x42_0000u64.to_le_bytes().into_iter().chain([0; 8]).collect();
                world.pager().copy_out(&mut old, 0x41_0000, &pointers).await.unwrap();
                let mut strings = ArgumentPages::new(8 << 20);
                let pushed = strings.with(&mut world.pager()).push_arguments_from(&mut old, 0x41_0000, 0).await;
                assert_eq!(pushed.is_ok(), fits, "{length}: {pushed:?}");
                strings.release(&mut world.pager()).await;
            }
            world.pager().destroy_space(old).await;
        }
        world
    });
}

#[test]
fn exec_stack_limit_is_enforced() {
    run(64, 2048, vec![program_file()], |mut world: World| async move {
        let program = image(&mut world, 0).await.unwrap();
        let mut strings = ArgumentPages::new(1 << 20);
        strings.with(&mut world.pager()).finish(b"deep", 1).await.unwrap();
        let mut space = Space::none();
        let loaded = world.pager().load(&mut space, &program, None, strings, ProgramIds::default(), &mut []).await;
        loaded.unwrap();
        let machine = world.machine;
        // (limit set, bytes below the end, what a write there leads to)
        let steps = [
            (1 << 20, (1 << 20) - 8, Ok(())),
            (1 << 20, (1 << 20) + 8, Err(FaultError::NoArea)),
            (3 << 20, (1 << 20) + 8, Ok(())),
            (3 << 20, (3 << 20) + 8, Err(FaultError::NoArea)),
            (64 << 10, (1 << 20) + 8, Ok(())), // it is there
            (64 << 10, (2 << 20) + 8, Err(FaultError::NoArea)),
            (u64::MAX, (64 << 20) - 8, Ok(())),
            (u64::MAX, (64 << 20) + 8, Err(FaultError::NoArea)),
        ];
        for (limit, below, wanted) in steps {
            space.limit_stack(machine, limit);
            assert_eq!(
                world.pager().fault(&mut space, STACK_END - below, Write).await,
                wanted,
                "{limit:#x} {below:#x}"
            );
        }
        world.pager().destroy_space(space).await;
        world
    });
}
