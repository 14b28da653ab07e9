//! Rovers: programs that make, move and remove the same names at once, from both boards.
//!
//! Invariant: they meet only errors that the names of a directory can lead to; e2fsck checks the final directory. Not
//! here: contents that a test relies on.

use super::actions::Roving;
use super::known::KnownFiles;
use crate::program::{Open, SimProgram};
use renga_abi::Errno;

/// What may become of an action when others were faster.
const EXPECTED: [Errno; 7] = [
    Errno::ENOENT,
    Errno::EEXIST,
    Errno::ENOTEMPTY,
    Errno::EISDIR,
    Errno::ENOTDIR,
    Errno::EINVAL, // a directory into itself
    Errno::EBUSY,
];

/// Does `actions` as rover `number`.
pub async fn run(program: SimProgram, number: usize, actions: Vec<Roving>, known: KnownFiles) -> u8 {
    for (index, action) in actions.into_iter().enumerate() {
        known.begin_action();
        let result = act(&program, action).await;
        let fine = result.map_or_else(|errno| EXPECTED.contains(&errno) || known.explains(errno), |()| true);
        assert!(fine, "rover {number}, action {index} ({action:?}): {result:?}");
    }
    0
}

async fn act(program: &SimProgram, action: Roving) -> Result<(), Errno> {
    match action {
        Roving::MakeDirectory(name) => program.make_directory(&Roving::path(name)).await,
        Roving::RemoveDirectory(name) => program.remove_directory(&Roving::path(name)).await,
        Roving::Unlink(name) => program.unlink(&Roving::path(name)).await,
        Roving::Rename(from, to) => program.rename(&Roving::path(from), &Roving::path(to)).await,
        Roving::Write(name, bytes) => {
            let file = program.open(&Roving::path(name), Open::Append).await?;
            program.write_all(file, &vec![name as u8; bytes]).await?;
            program.close(file).await
        }
        Roving::Read(name) => {
            let file = program.open(&Roving::path(name), Open::Read).await?;
            let read = program.read_all(file, 10_000).await;
            program.close(file).await?;
            let other = |byte: &u8| u64::from(*byte) >= 8;
            assert!(!read.as_ref().is_ok_and(|read| read.iter().any(other)), "no program wrote that");
            read.map(drop)
        }
        Roving::Truncate(name) => {
            let file = program.open(&Roving::path(name), Open::Truncate).await?;
            program.close(file).await
        }
    }
}
