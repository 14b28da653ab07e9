//! The index of large directories' names, in memory: so that a name is found in time that does not grow with its
//! directory.
//!
//! Invariant: that of [`IndexTable`]; only a directory's own inode process reads and changes its names, one thing at
//! a time. Not here: small directories, which are searched linearly (`directory.rs`).

use crate::format::directory_block;
use crate::lookup::name_cache::hash;
use crate::name_index::index_table::{IndexSlot, IndexTable};
use renga_abi::PAGE_BYTES;
use renga_proto::buffer::directory::{BufferDirectory, ReadBytes};
use renga_proto::name_index::{Candidate, FindCandidate, IndexBlock, NameIndex, NameIndexCall};
use renga_rt::{Client, Errno, Never, Port, reply};

/// Names for which there is room, for each inode process.
pub const INDEXED_PER_INODE: usize = 16;

/// Serves with room for as many names as there are `slots`.
pub async fn name_index(
    mut port: Port<NameIndex>,
    mut cache: Client<BufferDirectory>,
    slots: &'static mut [IndexSlot],
    page: &'static mut [u8; PAGE_BYTES],
) -> Never {
    let mut table = IndexTable::new(slots);
    loop {
        match port.accept().await {
            NameIndexCall::FindCandidate(mut call) => {
                let FindCandidate { directory, after } = call.entry();
                let found = table.candidate(directory, hash(0, call.lent()), after);
                call.reply(found.map(|(index, after)| Candidate { index, after }));
            }
            NameIndexCall::IndexBlock(call) => reply!(call, take_in(&mut table, &mut cache, page, call.entry()).await),
            NameIndexCall::AddName(mut call) => {
                let entry = call.entry();
                table.add(entry.directory, hash(0, call.lent()), entry.index);
                call.reply(Ok(()));
            }
            NameIndexCall::RemoveName(mut call) => {
                let entry = call.entry();
                table.remove(entry.directory, hash(0, call.lent()), entry.index);
                call.reply(Ok(()));
            }
            NameIndexCall::ForgetDirectory(call) => {
                table.forget(call.entry().directory);
                call.reply(Ok(()));
            }
        }
    }
}

async fn take_in(
    table: &mut IndexTable,
    cache: &mut Client<BufferDirectory>,
    page: &mut [u8; PAGE_BYTES],
    entry: IndexBlock,
) -> Result<(), Errno> {
    let IndexBlock { directory, index, block, last } = entry;
    table.begin_block(directory, index)?;
    cache.call(ReadBytes { block: block.into(), offset: 0 }, &mut page[..]).await?;
    directory_block::names(page, |name| table.add(directory, hash(0, name), index))?;
    table.end_block(directory, index, last)
}
