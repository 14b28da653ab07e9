//! The pure parts: descriptors, the moving descriptor, actions, the signal frame, the table of calls.

use super::dispatch::{names, table::IMPLEMENTED};
use super::signals::frame::{self, SignalOrigin};
use super::state::actions::{SIG_DFL, SIG_IGN, SignalAction, SignalEffect};
use super::state::descriptors::DescriptorTable;
use super::state::image_bytes::{ImageReader, ImageWriter};
use super::state::limits::{LIMITS, NPROC, ResourceLimit};
use super::state::open_flags::O_NONBLOCK;
use super::state::process_image::{
    FILE_PAGES_MAX, get_files, get_program, get_registers, in_pages, put_files, put_program, put_registers,
};
use super::state::{
    AlternateStack, DESCRIPTORS_MAX, DescriptorSlot, FileDescriptor, Handle, Object, ProgramState, ThreadState,
};
use crate::signals::{SIGCHLD, SIGKILL, SIGPIPE, SIGTSTP, SIGUSR1, bit};
use renga_hal::memory::PAGE_BYTES;
use renga_proto::pages::FileId;
use renga_proto::pipe::PipeEnd;
use renga_proto::procs::Cause;
use renga_rt::Errno;
use renga_rt::user::UserContext;

const FILE: Object = Object::File(Handle { board: 1, number: 300, generation: 7 });

fn no_files() -> DescriptorTable {
    DescriptorTable::new(std::vec![DescriptorSlot::EMPTY; DESCRIPTORS_MAX].leak())
}

fn program() -> ProgramState {
    ProgramState::new(16, 1, no_files())
}

fn named(object: Object) -> FileDescriptor {
    FileDescriptor { object, ino: 77, mode: 0o100_644, flags: 2, close_on_exec: false }
}

#[test]
fn descriptor_table_last_copy_releases_object() {
    let mut files = no_files();
    assert_eq!(files.add(named(FILE)), Ok(0));
    assert_eq!(files.add_copy(0, named(FILE), 10), Ok(10));
    assert_eq!(files.add(named(Object::Console)), Ok(1));
    assert_eq!(files.next_object(0), Some((0, FILE)));
    assert_eq!(files.next_object(1), Some((1, Object::Console)));
    assert_eq!(files.next_object(2), None, "each object once");
    assert_eq!(files.remove(0), Ok(None));
    assert_eq!(files.next_object(2), Some((10, FILE)), "the copy is the first now");
    assert_eq!(files.replace(1, 10, named(Object::Console)), Ok(Some(FILE)));
    assert_eq!(files.remove(0), Err(Errno::EBADF));
    assert_eq!(files.get(u64::MAX).err(), Some(Errno::EBADF));
    assert_eq!(files.add_copy(1, named(FILE), DESCRIPTORS_MAX as u64), Err(Errno::EINVAL));
    files.allow(100);
    assert_eq!(files.replace(1, 100, named(Object::Console)), Err(Errno::EBADF));
    assert_eq!((files.free(), files.add_copy(1, named(FILE), 100)), (98, Err(Errno::EINVAL)));
    while files.add(named(FILE)).is_ok() {}
    assert_eq!((files.free(), files.add(named(FILE)), files.iter().count()), (0, Err(Errno::EMFILE), 100));
}

/// Rings of copies against a plain count of names.
#[test]
fn descriptor_table_random_copies_match_reference_counts() {
    let (mut files, mut names) = (no_files(), std::collections::BTreeMap::<u16, u32>::new());
    let (mut state, mut made) = (5u32, 0u16);
    for _ in 0..20_000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (choice, a, b) = (state >> 30, u64::from(state >> 8 & 63), u64::from(state >> 16 & 63));
        let number_of = |object: Object| match object {
            Object::File(Handle { number, .. }) => number,
            other => panic!("{other:?}"),
        };
        let mut let_go = None;
        match (choice, files.get(a).copied()) {
            (0, _) => {
                made += 1;
                files.add(named(Object::File(Handle { board: 0, number: made, generation: 1 }))).unwrap();
                names.insert(made, 1);
            }
            (1, Ok(from)) if a != b => {
                *names.get_mut(&number_of(from.object)).unwrap() += 1;
                if let Ok(old) = files.get(b).copied() {
                    *names.get_mut(&number_of(old.object)).unwrap() -= 1;
                }
                let_go = files.replace(a, b, from).unwrap();
            }
            (2, Ok(from)) => {
                *names.get_mut(&number_of(from.object)).unwrap() += 1;
                files.add_copy(a, from, b).unwrap();
            }
            (3, Ok(old)) => {
                *names.get_mut(&number_of(old.object)).unwrap() -= 1;
                let_go = files.remove(a).unwrap();
            }
            _ => {}
        }
        assert_eq!(let_go.map(number_of), names.iter().find(|(_, count)| **count == 0).map(|(number, _)| *number));
        names.retain(|_, count| *count > 0);
        if files.iter().count() > 900 {
            files.clear();
            names.clear();
        }
    }
    let mut objects = 0;
    let mut from = 0;
    while let Some((number, _)) = files.next_object(from) {
        (from, objects) = (number + 1, objects + 1);
    }
    assert_eq!(objects, names.len());
}

#[test]
fn descriptor_set_flags_keeps_access_mode() {
    let mut files = no_files();
    files.add(FileDescriptor { flags: 0, ..named(Object::Console) }).unwrap();
    for flags in [1, 2] {
        files.add_copy(0, FileDescriptor { flags, ..named(Object::Console) }, 0).unwrap();
    }
    files.add(FileDescriptor { flags: 3, ..named(Object::Console) }).unwrap();
    files.set_flags(0, O_NONBLOCK | 2);
    let flags: std::vec::Vec<u32> = files.iter().map(|(_, descriptor)| descriptor.flags).collect();
    assert_eq!(flags, [O_NONBLOCK, O_NONBLOCK | 1, O_NONBLOCK | 2, 3], "the last was opened again");
}

#[test]
fn process_image_round_trip_is_equal() {
    let mut context = UserContext::new(3, 0x1000, 0x2000);
    context.x = core::array::from_fn(|i| i as u64 * 3);
    context.fp.v[31] = u128::MAX - 5;
    context.tpidr = 99;
    let mut program = program();
    program.actions.set(SIGUSR1, SignalAction { handler: 0x4000, flags: 7, restorer: 8, mask: 9 });
    program.actions.set(SIGPIPE, SignalAction { handler: SIG_IGN, ..SignalAction::default() });
    program.directory = FileId { ino: 1234, generation: 9 };
    program.root = FileId { ino: 567, generation: 8 };
    program.umask = 0o77;
    program.dumpable = false;
    let mut thread = ThreadState::new(16);
    thread.blocked = 0xf0f0;
    thread.name[..2].copy_from_slice(b"sh");
    let pipe =
        Object::Pipe { at: Handle { board: 2, number: 9, generation: 0x0102_0304 }, end: PipeEnd::Writer, partners: 7 };
    program.files.add(FileDescriptor { close_on_exec: true, ..named(FILE) }).unwrap();
    program.files.add(named(pipe)).unwrap();
    program.files.add_copy(1, named(pipe), 5).unwrap();
    program.limits.0[NPROC] = ResourceLimit { soft: 7, hard: 9 };
    let mut bytes = [0; PAGE_BYTES];
    let mut writer = ImageWriter::new(&mut bytes);
    put_registers(&mut writer, &context).unwrap();
    put_program(&mut writer, (&program, &thread), &[]).unwrap();
    let length = writer.bytes();
    let mut reader = ImageReader::new(&bytes[..length]);
    let mut arrived = UserContext::new(0, 0, 0);
    get_registers(&mut reader, 8, &mut arrived).unwrap();
    let (mut child, mut first) = (ProgramState::new(0, 0, no_files()), ThreadState::new(0));
    assert!(get_program(&mut reader, 24, (&mut child, &mut first)).unwrap().is_empty());
    assert!(reader.rest().is_empty());
    assert_eq!((arrived.x, arrived.sp, arrived.pc, arrived.slot), (context.x, 0x2000, 0x1000, 8));
    assert_eq!((arrived.fp, arrived.tpidr), (context.fp, 99));
    assert_eq!((child.pid, child.parent, child.directory, child.umask), (24, 16, program.directory, 0o77));
    assert!(!child.dumpable);
    assert_eq!((first.tid, first.blocked, first.name), (24, 0xf0f0, thread.name));
    assert_eq!(child.actions.get(SIGUSR1), program.actions.get(SIGUSR1));
    assert!(child.files.iter().eq(program.files.iter()));
    assert_eq!(child.limits, program.limits);
    assert_eq!([child.files.first_of(5), child.files.first_of(1), child.files.first_of(0)], [1, 1, 0]);
    for cut in 0..length {
        let mut reader = ImageReader::new(&bytes[..cut]);
        let read = get_registers(&mut reader, 0, &mut arrived)
            .and_then(|()| get_program(&mut reader, 1, (&mut child, &mut first)).map(|_| ()));
        assert!(read.is_err(), "{cut} bytes are not enough");
    }
}

#[test]
fn process_image_many_descriptors_fit_a_page() {
    let mut program = program();
    for _ in 0..32 {
        program.files.add(named(FILE)).unwrap();
    }
    assert!(!in_pages(&program.files));
    for signal in 1..=16 {
        program.actions.set(signal, SignalAction { handler: 0x4000, ..SignalAction::default() });
    }
    let mut bytes = [0; PAGE_BYTES];
    let mut writer = ImageWriter::new(&mut bytes);
    let mut context = UserContext::new(0, 1, 1);
    (context.x, context.fp.v) = ([1; 31], [u128::MAX; 32]);
    program.limits.0 = [ResourceLimit { soft: 1, hard: 1 }; LIMITS];
    put_registers(&mut writer, &context).unwrap();
    put_program(&mut writer, (&program, &ThreadState::new(16)), &[]).unwrap();
    assert!(writer.rest().len() > 1000, "{} bytes left for the space", writer.rest().len());
}

#[test]
fn process_image_descriptors_beyond_a_page_use_pages() {
    let mut files = no_files();
    while let Ok(number) = files.add(named(FILE)) {
        if number % 3 == 2 {
            files.add_copy(number - 1, named(FILE), 0).unwrap();
        }
    }
    assert!(in_pages(&files));
    let (mut arrived, mut rest, mut pages) = (no_files(), Some(0), 0);
    while let Some(from) = rest {
        let mut page = [0xff; 2049];
        rest = put_files(&mut ImageWriter::new(&mut page), &files, from).unwrap();
        get_files(&mut ImageReader::new(&page), &mut arrived).unwrap();
        pages += 1;
    }
    assert!(pages <= FILE_PAGES_MAX, "{pages}");
    assert!(arrived.iter().eq(files.iter()));
    assert!((0..DESCRIPTORS_MAX).all(|number| arrived.first_of(number) == files.first_of(number)));
    // What contradicts itself is refused.
    let mut page = [0; 64];
    put_files(&mut ImageWriter::new(&mut page), &files, DESCRIPTORS_MAX - 1).unwrap();
    assert_eq!(get_files(&mut ImageReader::new(&page), &mut arrived), Err(Errno::EINVAL), "taken");
}

#[test]
fn signal_actions_effects_follow_defaults_and_handlers() {
    let mut program = program();
    let actions = &mut program.actions;
    assert_eq!(actions.effect(SIGCHLD), SignalEffect::Nothing);
    assert_eq!(actions.effect(SIGTSTP), SignalEffect::Stop);
    assert_eq!(actions.effect(SIGKILL), SignalEffect::End);
    actions.set(SIGPIPE, SignalAction { handler: SIG_IGN, ..SignalAction::default() });
    actions.set(SIGCHLD, SignalAction { handler: 4, ..SignalAction::default() });
    assert_eq!(actions.ignored() & (bit(SIGPIPE) | bit(SIGCHLD)), bit(SIGPIPE));
    assert_eq!(actions.chosen(), [bit(SIGPIPE), bit(SIGCHLD)], "what is ignored by default is not");
    actions.reset_handlers();
    assert_eq!(actions.get(SIGCHLD).handler, SIG_DFL);
    assert_eq!(actions.ignored() & (bit(SIGPIPE) | bit(SIGCHLD)), bit(SIGPIPE) | bit(SIGCHLD));
    assert_eq!(actions.chosen(), [bit(SIGPIPE), 0]);
}

#[test]
fn signal_frame_round_trip_restores_only_registers() {
    let mut context = UserContext::new(3, 0x1000, 0x2000);
    context.x = core::array::from_fn(|i| i as u64 + 100);
    context.fp.v = core::array::from_fn(|i| u128::MAX - i as u128);
    (context.fp.fpcr, context.fp.fpsr, context.pstate) = (5, 6, 0x6000_0000);
    let mut page = [0; PAGE_BYTES];
    let origin = SignalOrigin::Sent { cause: Cause::user(9), overruns: 0 };
    let length = frame::write(&mut page, &context, (SIGUSR1, origin), 0x55, AlternateStack::default());
    assert_eq!(length, frame::WRITTEN_BYTES);
    let mut back = UserContext::new(3, 0, 0);
    assert_eq!(frame::read(&page, &mut back), Some(0x55));
    assert_eq!((back.x, back.pc, back.sp, back.pstate), (context.x, 0x1000, 0x2000, 0x6000_0000));
    assert_eq!(back.fp, context.fp);
    page.fill(0xff);
    assert_eq!(frame::read(&page, &mut back), None);
}

#[test]
fn syscall_table_numbers_are_unique() {
    let mut numbers: std::vec::Vec<u64> = IMPLEMENTED.iter().map(|call| call.0).collect();
    numbers.sort_unstable();
    let count = numbers.len();
    numbers.dedup();
    assert_eq!(numbers.len(), count);
    let s0_to_s2 = [
        221, 94, 64, 66, 226, 214, 62, 222, 56, 63, 57, 80, 49, 220, 24, 25, 61, 172, 174, 129, 34, 79, 59, 73, 134,
        135, 139, 133, 260, 53, 37, 78, 38, 36, 35, 88,
    ];
    for number in s0_to_s2 {
        assert!(numbers.contains(&number), "{number}");
        assert_eq!(names::not_implemented(number), "system call not implemented: no name", "{number}");
    }
}
