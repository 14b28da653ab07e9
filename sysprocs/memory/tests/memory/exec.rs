//! Loading programs: well-formed, real, and hostile ones.

use crate::elf_file::{FIXED, INDEPENDENT, INTERPRETER, LOAD, Part, R, W, X, elf};
use crate::support::{World, file, run};
use renga_abi::Errno;
use renga_abi::user::AccessKind::{Execute, Read, Write};
use renga_hal::memory::{Access, UserMemory};
use renga_memory::layout::{INTERPRETER_BASE, PAGE, PROGRAM_BASE, STACK_END};
use renga_memory::{
    ArgumentPages, Backing, FaultError, Image, MapAddress, Mapping, ProgramIds, ShebangLine, Space, Start,
};
use std::collections::BTreeMap;

/// As tcc makes them: text and data in one file page, bss from the middle of a page on.
fn tcc_like(kind: u16, base: u64) -> Vec<u8> {
    let content: Vec<u8> = (0..0x1b00u32).map(|at| at as u8 | 1).collect();
    let parts = [Part(LOAD, R | X, 0, base, 0x1234, 0x1234), Part(LOAD, R | W, 0x1238, base + 0x1_1238, 0x9c8, 0x3000)];
    elf(kind, base + 0x400, &parts, &content)
}

async fn image(world: &mut World, slot: u16) -> Result<Image, Errno> {
    let mut image = Image::none();
    let script = image.inspect(&mut world.pager(), file(slot)).await?;
    if script.is_some() { Err(Errno::ENOEXEC) } else { Ok(image) }
}

async fn strings(world: &mut World) -> ArgumentPages {
    let mut strings = ArgumentPages::new(8 << 20);
    for argument in [&b"busybox"[..], b"echo", b"a b"] {
        strings.with(&mut world.pager()).push_argument(argument).await.unwrap();
    }
    strings.with(&mut world.pager()).push_environment(b"PATH=/bin").await.unwrap();
    strings.with(&mut world.pager()).finish(b"/bin/busybox", 7).await.unwrap();
    strings
}

async fn load(world: &mut World, slot: u16, linker: Option<u16>) -> Result<(Space, Start), Errno> {
    let program = image(world, slot).await?;
    let linker = match linker {
        Some(slot) => Some(image(world, slot).await?),
        None => None,
    };
    let strings = strings(world).await;
    let (who, mut space) = (ProgramIds { uid: 3, euid: 5, gid: 4, egid: 4 }, Space::none());
    let start = world.pager().load(&mut space, &program, linker.as_ref(), strings, who, &mut []).await?;
    Ok((space, start))
}

/// Arguments, environment and auxiliary vector, as a program finds them.
async fn read_stack(world: &mut World, space: &mut Space, sp: u64) -> (Vec<String>, Vec<String>, BTreeMap<u64, u64>) {
    assert_eq!(sp % 16, 0);
    let mut at = sp;
    let argc = next(world, space, &mut at).await;
    let mut lists = [Vec::new(), Vec::new()];
    for list in &mut lists {
        loop {
            let pointer = next(world, space, &mut at).await;
            if pointer == 0 {
                break;
            }
            list.push(string(world, space, pointer).await);
        }
    }
    assert_eq!(argc as usize, lists[0].len());
    let mut auxiliary = BTreeMap::new();
    loop {
        let (key, value) = (next(world, space, &mut at).await, next(world, space, &mut at).await);
        if key == 0 {
            break;
        }
        assert!(auxiliary.insert(key, value).is_none());
    }
    let [arguments, environment] = lists;
    (arguments, environment, auxiliary)
}

async fn next(world: &mut World, space: &mut Space, at: &mut u64) -> u64 {
    *at += 8;
    world.pager().copy_in_word(space, *at - 8).await.unwrap()
}

async fn string(world: &mut World, space: &mut Space, at: u64) -> String {
    let mut bytes = vec![0; 8192];
    let length = world.pager().copy_in_string(space, at, &mut bytes).await.unwrap();
    String::from_utf8(bytes[..length].to_vec()).unwrap()
}

#[test]
fn exec_static_program_is_laid_out_by_its_headers() {
    run(128, 64, vec![tcc_like(FIXED, 0x40_0000)], |mut world: World| async move {
        let (mut space, start) = load(&mut world, 0, None).await.unwrap();
        assert_eq!(start.pc, 0x40_0400);
        let mut bytes = [0; 0x1234];
        world.pager().copy_in(&mut space, 0x40_0000, &mut bytes).await.unwrap();
        assert_eq!(bytes[..], world.contents.borrow()[0][..0x1234]);
        let mut data = vec![0xff; 0x3000];
        world.pager().copy_in(&mut space, 0x41_1238, &mut data).await.unwrap();
        assert_eq!(data[..0x9c8], world.contents.borrow()[0][0x1238..0x1c00]);
        assert!(data[0x9c8..].iter().all(|&byte| byte == 0), "bss");
        assert_eq!(world.pager().fault(&mut space, 0x40_0000, Write).await, Err(FaultError::Forbidden));
        assert_eq!(world.pager().fault(&mut space, 0x41_1238, Execute).await, Err(FaultError::Forbidden));
        world.pager().fault(&mut space, start.pc, Execute).await.unwrap();
        assert_eq!(space.break_end(), 0x41_5000);
        assert_eq!(world.pager().set_brk(&mut space, 0).await, 0x41_5000);
        assert_eq!(world.pager().set_brk(&mut space, 0x41_7001).await, 0x41_7001);
        world.pager().copy_out(&mut space, 0x41_7000, b"heap").await.unwrap();
        assert_eq!(world.pager().set_brk(&mut space, 0x41_5001).await, 0x41_5001);
        assert_eq!(world.pager().fault(&mut space, 0x41_7000, Read).await, Err(FaultError::NoArea));
        assert_eq!(world.pager().set_brk(&mut space, u64::MAX).await, 0x41_5001);
        let guard =
            Mapping { place: MapAddress::Fixed(0x41_5000), length: PAGE, access: Access::None, backing: Backing::Zero };
        world.pager().map(&mut space, guard).await.unwrap();
        assert_eq!(world.pager().set_brk(&mut space, 0x41_8000).await, 0x41_8000);
        world.pager().destroy_space(space).await;
        world
    });
}

#[test]
fn exec_again_maps_cached_pages() {
    run(128, 64, vec![tcc_like(FIXED, 0x40_0000)], |mut world: World| async move {
        let mapped = |world: &mut World, space: &Space| {
            [0x40_0000, 0x40_1000, 0x41_1000]
                .map(|va| world.pager().machine.lookup(space.root(), va).map(|page| page.1))
        };
        let (mut first, _) = load(&mut world, 0, None).await.unwrap();
        // Reading the header of the file has read its first page.
        assert_eq!(mapped(&mut world, &first), [Some(Access::ReadExecute), None, None]);
        world.pager().copy_in(&mut first, 0x40_0000, &mut [0; 0x1234]).await.unwrap();
        world.pager().copy_in(&mut first, 0x41_1238, &mut [0; 8]).await.unwrap();
        world.pager().destroy_space(first).await;
        let (second, _) = load(&mut world, 0, None).await.unwrap();
        assert_eq!(mapped(&mut world, &second), [Some(Access::ReadExecute), Some(Access::ReadExecute), None]);
        world.pager().destroy_space(second).await;
        world
    });
}

#[test]
fn exec_operations_stay_small() {
    // Each future is part of a slot's process; sizes on the host are about those on a board.
    let space = size_of::<Space>();
    assert!(space <= 2_700, "a space takes {space} bytes");
    assert!(size_of::<Image>() <= 1_000);
    run(64, 64, vec![tcc_like(FIXED, 0x40_0000)], |mut world: World| async move {
        let program = image(&mut world, 0).await.unwrap();
        let strings = strings(&mut world).await;
        let who = ProgramIds::default();
        let mut pager = world.pager();
        let mut space = Space::none();
        let loading = pager.load(&mut space, &program, None, strings, who, &mut []);
        let load_bytes = size_of_val(&loading);
        loading.await.unwrap();
        let fault = size_of_val(&pager.fault(&mut space, 0, Read));
        let fork = size_of_val(&pager.fork(&mut space));
        let copy = size_of_val(&pager.copy_in(&mut space, 0, &mut []));
        println!("bytes: space {}, load {load_bytes}, fault {fault}, fork {fork}, copy {copy}", size_of::<Space>());
        assert!(load_bytes < 16_384 && fork < 16_384 && fault < 2_048 && copy < 2_048);
        pager.destroy_space(space).await;
        world
    });
}

#[test]
fn exec_stack_matches_linux() {
    run(128, 64, vec![tcc_like(INDEPENDENT, 0)], |mut world: World| async move {
        let (mut space, start) = load(&mut world, 0, None).await.unwrap();
        assert_eq!(start.pc, PROGRAM_BASE + 0x400);
        let (arguments, environment, auxiliary) = read_stack(&mut world, &mut space, start.sp).await;
        assert_eq!(arguments, ["busybox", "echo", "a b"]);
        assert_eq!(environment, ["PATH=/bin"]);
        let expected = [
            (3, PROGRAM_BASE + 64),
            (4, 56),
            (5, 2),
            (6, 4096),
            (7, 0),
            (9, start.pc),
            (11, 3),
            (12, 5),
            (13, 4),
            (14, 4),
            (23, 1),
        ];
        for (key, value) in expected {
            assert_eq!(auxiliary[&key], value, "auxiliary {key}");
        }
        assert_eq!((auxiliary[&16], auxiliary[&17], auxiliary[&23]), (3, 100, 1));
        assert_eq!(string(&mut world, &mut space, auxiliary[&31]).await, "/bin/busybox");
        assert_eq!(string(&mut world, &mut space, auxiliary[&15]).await, "aarch64");
        assert_eq!(auxiliary[&25] % 16, 0);
        let random = world.pager().copy_in_word(&mut space, auxiliary[&25]).await.unwrap();
        assert_eq!(random, 0x63cb_e1e4_5932_0dd7, "SplitMix64 of seed 7");
        world.pager().fault(&mut space, STACK_END - (8 << 20), Write).await.unwrap();
        let below = world.pager().fault(&mut space, STACK_END - (8 << 20) - 1, Write).await;
        assert_eq!(below, Err(FaultError::NoArea));
        world.pager().destroy_space(space).await;
        world
    });
}

#[test]
fn exec_dynamic_program_starts_in_linker() {
    let path = b"/lib/ld.so\0";
    let parts = [Part(INTERPRETER, R, 0x400, 0x400, path.len() as u64, 11), Part(LOAD, R | X, 0, 0, 0x800, 0x800)];
    let program = elf(INDEPENDENT, 0x500, &parts, path);
    run(128, 64, vec![program, tcc_like(INDEPENDENT, 0)], |mut world: World| async move {
        let found = image(&mut world, 0).await.unwrap();
        assert_eq!(found.interpreter.as_deref(), Some(&b"/lib/ld.so"[..]));
        let (mut space, start) = load(&mut world, 0, Some(1)).await.unwrap();
        assert_eq!(*world.counts.references.borrow(), [2, 2]);
        assert_eq!(start.pc, INTERPRETER_BASE + 0x400);
        let (_, _, auxiliary) = read_stack(&mut world, &mut space, start.sp).await;
        assert_eq!((auxiliary[&7], auxiliary[&9]), (INTERPRETER_BASE, PROGRAM_BASE + 0x500));
        world.pager().destroy_space(space).await;
        world
    });
}

#[test]
fn exec_strings_are_copied_or_refused() {
    run(256, 64, vec![tcc_like(FIXED, 0x40_0000)], |mut world: World| async move {
        let (mut old, _) = load(&mut world, 0, None).await.unwrap();
        world.pager().set_brk(&mut old, 0x50_0000).await;
        let (at, long) = (0x42_0000, vec![b'x'; 6000]);
        for (index, text) in [&b"zero"[..], b"one", &long].into_iter().enumerate() {
            let pointer = at + 0x1_0000 * (index as u64 + 1) - 2;
            world.pager().copy_out(&mut old, pointer, text).await.unwrap();
            world.pager().copy_out(&mut old, at + 8 * index as u64, &pointer.to_le_bytes()).await.unwrap();
        }
        let mut strings = ArgumentPages::new(8 << 20);
        strings.with(&mut world.pager()).push_argument(b"/bin/sh").await.unwrap();
        strings.with(&mut world.pager()).push_arguments_from(&mut old, at, 1).await.unwrap();
        strings.with(&mut world.pager()).push_environment_from(&mut old, at).await.unwrap();
        strings.with(&mut world.pager()).finish(b"script", 1).await.unwrap();
        let program = image(&mut world, 0).await.unwrap();
        let mut new = Space::none();
        let loaded = world.pager().load(&mut new, &program, None, strings, ProgramIds::default(), &mut []).await;
        let start = loaded.unwrap();
        let (arguments, environment, _) = read_stack(&mut world, &mut new, start.sp).await;
        let long = String::from_utf8(long).unwrap();
        assert_eq!(arguments, ["/bin/sh", "one", &long]);
        assert_eq!(environment, ["zero", "one", &long]);
        world.pager().destroy_space(new).await;

        let mut strings = ArgumentPages::new(0);
        for wild in [8, 0x60_0000, 1 << 40, u64::MAX - 7] {
            let pushed = strings.with(&mut world.pager()).push_arguments_from(&mut old, wild, 0).await;
            assert_eq!(pushed, Err(Errno::EFAULT));
        }
        // A vector that points to one string for ever.
        let pointers: Vec<u8> = (0..4096).flat_map(|_| (at + 0x3_0000 - 2).to_le_bytes()).collect();
        world.pager().copy_out(&mut old, 0x48_0000, &pointers).await.unwrap();
        let pushed = strings.with(&mut world.pager()).push_arguments_from(&mut old, 0x48_0000, 0).await;
        assert_eq!(pushed, Err(Errno::E2BIG));
        strings.release(&mut world.pager()).await;
        world.pager().destroy_space(old).await;
        world
    });
}

#[test]
fn exec_script_runs_interpreter() {
    type Parts = (&'static str, Option<&'static str>);
    let cases: [(&[u8], Option<Parts>); 7] = [
        (b"#!/bin/sh\necho", Some(("/bin/sh", None))),
        (b"#! /bin/sh -e  -u \necho", Some(("/bin/sh", Some("-e  -u")))),
        (b"#!/bin/awk\t-f\n", Some(("/bin/awk", Some("-f")))),
        (b"#!/bin/sh", Some(("/bin/sh", None))),
        (b"#!\n", None),
        (b"#!   ", None),
        (b"echo", None),
    ];
    for (text, expected) in cases {
        run(64, 64, vec![text.to_vec()], move |mut world: World| async move {
            let inspected = Image::none().inspect(&mut world.pager(), file(0)).await;
            match (inspected, expected) {
                (Ok(Some(ShebangLine { interpreter, argument })), Some((name, option))) => {
                    assert_eq!(&interpreter[..], name.as_bytes());
                    assert_eq!(argument.as_deref(), option.map(str::as_bytes));
                }
                (Err(errno), None) => assert_eq!(errno, Errno::ENOEXEC),
                _ => panic!("{:?}", String::from_utf8_lossy(text)),
            }
            world
        });
    }
}

#[test]
fn exec_bad_program_is_refused() {
    let load = |parts: &[Part]| elf(FIXED, 0x40_0000, parts, &[]);
    let cases = [
        ("empty", vec![]),
        ("no magic", vec![0; 200]),
        ("no segment", load(&[])),
        ("more in the file than in memory", load(&[Part(LOAD, R, 0, 0x40_0000, 0x101, 0x100)])),
        ("file and memory not congruent", load(&[Part(LOAD, R, 1, 0x40_0000, 0x100, 0x100)])),
        ("wraps around", load(&[Part(LOAD, R, 0, u64::MAX - 4095, 0x100, 0x2000)])),
        ("beyond user memory", load(&[Part(LOAD, R, 0, 1 << 39, 0x100, 0x2000)])),
        ("over the stack", load(&[Part(LOAD, R, 0, STACK_END - PAGE, 0x100, 0x200)])),
        ("at null", load(&[Part(LOAD, R, 0, 0, 0x100, 0x200)])),
        ("a file offset that no file has", load(&[Part(LOAD, R, u64::MAX - 4095, 0x40_0000, 0x100, 0x200)])),
        ("overlap", load(&[Part(LOAD, R, 0, 0x40_0000, 16, 0x2000), Part(LOAD, R, 0, 0x40_1000, 16, 0x2000)])),
        ("descends", load(&[Part(LOAD, R, 0, 0x40_2000, 0x100, 0x100), Part(LOAD, R, 0, 0x40_0000, 0x100, 0x100)])),
        (
            "an endless linker path",
            load(&[Part(INTERPRETER, R, 0, 0, 1 << 40, 0), Part(LOAD, R, 0, 0x40_0000, 0x100, 0x100)]),
        ),
    ];
    for (what, bytes) in cases {
        run(128, 64, vec![bytes], move |mut world: World| async move {
            let loaded = self::load(&mut world, 0, None).await;
            assert_eq!(loaded.err(), Some(Errno::ENOEXEC), "{what}");
            world
        });
    }
}

#[test]
fn exec_segment_protected_in_part_keeps_data() {
    // As RELRO does, of data that ends within a page of a file that goes on.
    let parts = [Part(LOAD, R | W, 0, 0x40_0000, 0x3333, 0x6000)];
    run(64, 64, vec![elf(FIXED, 0, &parts, &[0x77; 0x6000])], |mut world: World| async move {
        let (mut space, _) = load(&mut world, 0, None).await.unwrap();
        world.pager().protect(&mut space, 0x40_1000, PAGE, Access::Read).await.unwrap();
        world.pager().copy_out(&mut space, 0x40_2000, &[0x99]).await.unwrap();
        let mut bytes = [0xff; 0x6000];
        world.pager().copy_in(&mut space, 0x40_0000, &mut bytes).await.unwrap();
        assert!(bytes[0x400..0x2000].iter().chain(&bytes[0x2001..0x3333]).all(|&byte| byte == 0x77));
        assert!(bytes[0x3333..].iter().all(|&byte| byte == 0) && bytes[0x2000] == 0x99);
        world.pager().destroy_space(space).await;
        world
    });
}

#[test]
fn exec_segments_may_share_page() {
    let parts = [Part(LOAD, R | X, 0, 0x40_0000, 0x480, 0x480), Part(LOAD, R | W, 0x480, 0x40_0480, 0x100, 0x100)];
    run(64, 64, vec![elf(FIXED, 0x40_0400, &parts, &[0x77; 0x400])], |mut world: World| async move {
        let (mut space, _) = load(&mut world, 0, None).await.unwrap();
        world.pager().copy_out(&mut space, 0x40_0480, b"later wins").await.unwrap();
        assert_eq!(world.pager().fault(&mut space, 0x40_0400, Execute).await, Err(FaultError::Forbidden));
        world.pager().destroy_space(space).await;
        world
    });
}

#[test]
fn exec_hostile_program_neither_panics_nor_leaks() {
    const RUNS: u32 = 20_000;
    let path = b"/lib/ld.so\0";
    let parts = [
        Part(INTERPRETER, R, 0x400, 0x400, path.len() as u64, 11),
        Part(LOAD, R | X, 0, 0, 0x1234, 0x1234),
        Part(LOAD, R | W, 0x1238, 0x1_1238, 0x9c8, 0x3000),
    ];
    let sane = elf(INDEPENDENT, 0x500, &parts, path);
    run(256, 64, vec![sane.clone()], |mut world: World| async move {
        let (mut state, mut loaded) = (0x2545_f491_4f6c_dd1du64, 0);
        let mut draw = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for _ in 0..RUNS {
            let mut hostile = sane.clone();
            for _ in 0..=draw() % 3 {
                let at = (draw() % 240) as usize;
                match draw() % 3 {
                    0 => hostile[at] = draw() as u8,
                    1 => hostile[at] ^= 1 << (draw() % 8),
                    _ => hostile[at & !7..][..8].copy_from_slice(&(draw() >> (draw() % 64)).to_le_bytes()),
                }
            }
            world.contents.borrow_mut()[0] = hostile;
            let (id, to) = (file(0).id(), renga_proto::pages::TO_END);
            world.pages.call(renga_proto::pages::RevokePages { file: id, from: 0, to }, ()).await.unwrap();
            let file = file(0);
            let (mut program, mut space) = (Image::none(), Space::none());
            let Ok(None) = program.inspect(&mut world.pager(), file).await else { continue };
            let mut strings = ArgumentPages::new(8 << 20);
            strings.with(&mut world.pager()).finish(b"hostile", 0).await.unwrap();
            let who = ProgramIds::default();
            let started = world.pager().load(&mut space, &program, Some(&program), strings, who, &mut []).await;
            let Ok(start) = started else { continue };
            loaded += 1;
            for va in [start.pc, start.sp, program.entry, PROGRAM_BASE + draw() % 0x2_0000] {
                let _ = world.pager().fault(&mut space, va, if va % 2 == 0 { Write } else { Execute }).await;
            }
            let end = space.break_end() + draw() % 0x4000;
            let _ = world.pager().set_brk(&mut space, end).await;
            world.pager().destroy_space(space).await;
        }
        assert!(loaded > RUNS / 20 && loaded < RUNS, "{loaded} of {RUNS} could be loaded");
        world
    });
}
