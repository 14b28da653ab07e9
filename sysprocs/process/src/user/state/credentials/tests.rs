//! Linux's rules as tables.

extern crate std;
use super::{Credentials, FileAccess, GROUPS_MAX, Ids, KEEP, MAY_EXECUTE, MAY_READ, MAY_WRITE, wanted_by};
use crate::user::state::image_bytes::{ImageReader, ImageWriter};
use crate::user::state::open_flags::{O_TRUNC, O_WRONLY};
use heapless::Vec;
use renga_rt::Errno;

const OLD: Ids = Ids { real: 1, effective: 2, saved: 3, files: 4 };
const REGULAR: u16 = 0o100_000;
const DIRECTORY: u16 = 0o040_000;

fn ids(real: u32, effective: u32, saved: u32) -> Result<Ids, Errno> {
    Ok(Ids { real, effective, saved, files: effective })
}

fn somebody(uid: u32, gid: u32, others: &[u32]) -> Credentials {
    let others = Vec::from_slice(others).unwrap();
    Credentials { users: Ids::all(uid), groups: Ids::all(gid), others, gains_nothing: false }
}

#[test]
fn setuid_family_follows_linux() {
    let refused = Err(Errno::EPERM);
    for (privileged, id, wanted) in [
        (true, 9, ids(9, 9, 9)),
        (true, KEEP, Err(Errno::EINVAL)),
        (false, 1, ids(1, 1, 3)),
        (false, 3, ids(1, 3, 3)),
        (false, 2, refused),
        (false, 9, refused),
        (false, KEEP, Err(Errno::EINVAL)),
    ] {
        assert_eq!(OLD.set(privileged, id), wanted, "setuid {id}");
    }
    for (privileged, real, effective, wanted) in [
        (true, 9, KEEP, ids(9, 2, 2)),
        (true, KEEP, 9, ids(1, 9, 9)),
        (true, KEEP, 1, ids(1, 1, 3)),
        (true, KEEP, KEEP, ids(1, 2, 3)),
        (false, 2, 1, ids(2, 1, 1)),
        (false, 3, KEEP, refused),
        (false, KEEP, 3, ids(1, 3, 3)),
        (false, KEEP, 1, ids(1, 1, 3)),
        (false, KEEP, 9, refused),
        (false, 9, 1, refused),
    ] {
        assert_eq!(OLD.set_two(privileged, real, effective), wanted, "setreuid {real} {effective}");
    }
    for (privileged, three, wanted) in [
        (true, [7, 8, 9], ids(7, 8, 9)),
        (true, [KEEP, 8, KEEP], ids(1, 8, 3)),
        (false, [3, 1, 2], ids(3, 1, 2)),
        (false, [KEEP, KEEP, KEEP], ids(1, 2, 3)),
        (false, [KEEP, KEEP, 4], refused),
        (false, [9, KEEP, KEEP], refused),
    ] {
        assert_eq!(OLD.set_three(privileged, three), wanted, "setresuid {three:?}");
    }
    for (privileged, id, files) in
        [(true, 9, 9), (true, KEEP, 4), (false, 1, 1), (false, 3, 3), (false, 4, 4), (false, 9, 4)]
    {
        assert_eq!(OLD.set_files(privileged, id), Ids { files, ..OLD }, "setfsuid {id}");
    }
}

#[test]
fn permission_bits_are_those_of_first_class_that_fits() {
    let (reads, writes, runs) = (MAY_READ, MAY_WRITE, MAY_EXECUTE);
    for (who, mode, uid, gid, allowed) in [
        (somebody(0, 0, &[]), REGULAR, 5, 5, reads | writes),
        (somebody(0, 0, &[]), REGULAR | 0o001, 5, 5, reads | writes | runs),
        (somebody(0, 0, &[]), DIRECTORY, 5, 5, reads | writes | runs),
        (somebody(5, 6, &[]), REGULAR | 0o740, 5, 5, reads | writes | runs),
        (somebody(5, 6, &[]), REGULAR | 0o077, 5, 6, 0),
        (somebody(7, 6, &[]), REGULAR | 0o707, 5, 6, 0),
        (somebody(7, 6, &[]), REGULAR | 0o064, 5, 6, reads | writes),
        (somebody(7, 8, &[2, 6]), REGULAR | 0o050, 5, 6, reads | runs),
        (somebody(7, 8, &[2, 3]), REGULAR | 0o772, 5, 6, writes),
        (somebody(7, 0, &[]), REGULAR | 0o704, 0, 0, 0),
    ] {
        let of = FileAccess { mode, uid, gid };
        let bits = [reads, writes, runs].into_iter().filter(|&bit| who.permits(of, bit)).sum::<u32>();
        assert_eq!(bits, allowed, "{who:?} {of:?}");
    }
}

#[test]
fn owners_and_directories_decide_changes() {
    let (me, file) = (somebody(5, 6, &[7]), |mode, uid, gid| FileAccess { mode: REGULAR | mode, uid, gid });
    let folder = |mode, uid| FileAccess { mode: DIRECTORY | mode, uid, gid: 0 };
    for (directory, uid, wanted) in [
        (folder(0o777, 0), 1, Ok(())),
        (folder(0o1777, 0), 5, Ok(())),
        (folder(0o1777, 0), 1, Err(Errno::EPERM)),
        (folder(0o1777, 5), 1, Ok(())),
        (folder(0o1775, 0), 5, Err(Errno::EACCES)),
        (folder(0o666, 5), 5, Err(Errno::EACCES)),
    ] {
        assert_eq!(me.allow_removal(directory, file(0o644, uid, 0)), wanted, "{directory:?} {uid}");
    }
    for (of, mode, wanted) in [
        (file(0, 5, 6), 0o2755, Ok(0o2755)),
        (file(0, 5, 7), 0o2755, Ok(0o2755)),
        (file(0, 5, 8), 0o6755, Ok(0o4755)),
        (file(0o777, 1, 6), 0o600, Err(Errno::EPERM)),
    ] {
        assert_eq!(me.mode_for(of, mode), wanted, "{of:?}");
    }
    for (of, uid, gid, allowed) in [
        (file(0, 5, 8), KEEP, 7, true),
        (file(0, 5, 8), 5, 6, true),
        (file(0, 5, 8), KEEP, 8, true),
        (file(0, 5, 8), KEEP, 9, false),
        (file(0, 5, 8), 1, KEEP, false),
        (file(0, 1, 6), KEEP, 6, false),
        (file(0, 1, 6), KEEP, KEEP, true),
    ] {
        assert_eq!(me.allow_owner(of, uid, gid).is_ok(), allowed, "{of:?} to {uid} {gid}");
        assert_eq!(somebody(0, 9, &[]).allow_owner(of, uid, gid), Ok(()));
    }
    for (of, now, wanted) in [
        (file(0, 5, 0), false, Ok(())),
        (file(0o002, 1, 0), true, Ok(())),
        (file(0o002, 1, 0), false, Err(Errno::EPERM)),
        (file(0o004, 1, 0), true, Err(Errno::EACCES)),
    ] {
        assert_eq!(me.allow_times(of, now), wanted, "{of:?} {now}");
    }
}

#[test]
fn exec_of_set_id_program_gives_its_ids() {
    let me = Credentials { users: OLD, ..somebody(0, 6, &[7]) };
    let run = |who: &Credentials, mode| who.after_exec(FileAccess { mode: REGULAR | mode, uid: 8, gid: 9 });
    assert_eq!(run(&me, 0o755), (ids(1, 2, 2).unwrap(), Ids::all(6)));
    assert_eq!(run(&me, 0o4755), (ids(1, 8, 8).unwrap(), Ids::all(6)));
    assert_eq!(run(&me, 0o2755).1, ids(6, 9, 9).unwrap());
    assert_eq!(run(&me, 0o2745).1, Ids::all(6), "without the group's execution it means locks");
    assert_eq!(run(&Credentials { gains_nothing: true, ..me.clone() }, 0o6755).0, ids(1, 2, 2).unwrap());
}

#[test]
fn credentials_are_read_back_from_image() {
    let groups: std::vec::Vec<u32> = (100..100 + GROUPS_MAX as u32).collect();
    let full = Credentials { users: OLD, gains_nothing: true, ..somebody(0, 6, &groups) };
    for (credentials, bytes) in [(Credentials::default(), 8), (full, 8 + 32 + 4 * GROUPS_MAX)] {
        let mut room = [0; 256];
        let mut writer = ImageWriter::new(&mut room);
        credentials.put(&mut writer).unwrap();
        assert_eq!(writer.bytes(), bytes);
        let mut read = Credentials::default();
        assert_eq!((read.take(&mut ImageReader::new(&room)), &read), (Ok(()), &credentials));
        room[0..8].copy_from_slice(&(1_u64 | 33 << 2).to_le_bytes());
        assert_eq!(Credentials::default().take(&mut ImageReader::new(&room)), Err(Errno::EINVAL), "too many groups");
    }
}

#[test]
fn open_flags_want_what_linux_checks() {
    let both = MAY_READ | MAY_WRITE;
    for (flags, wanted) in [(0, MAY_READ), (O_WRONLY, MAY_WRITE), (2, both), (3, both), (O_TRUNC, both)] {
        assert_eq!(wanted_by(flags), wanted, "{flags:o}");
    }
}
