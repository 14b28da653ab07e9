//! The data reader: brings pages of files from the medium into the cache, in runs.
//!
//! Invariant: its generation is taken before it answers or reads, and the inode's process goes on only then: what that
//! changes later makes the generation void, so nothing old comes into the cache. Not here: which pages are wanted
//! (`inode/read_ahead.rs`).

use crate::medium::disk_runs::read_run;
use renga_abi::PAGE_BYTES;
use renga_proto::data::{DataReader, DataReaderCall, RUN_PAGES_MAX, ReadIn};
use renga_proto::disk::Disk;
use renga_proto::pages::{BeginRun, Pages, PutPages};
use renga_rt::{Client, Errno, Never, Port, reply};

/// Pages of a data reader or of the data writer.
pub const RUN_PAGES: usize = RUN_PAGES_MAX as usize;

/// Serves, with room for the longest run.
pub async fn data_reader(
    mut port: Port<DataReader>,
    mut pages: Client<Pages>,
    mut disk: Client<Disk>,
    room: &'static mut [[u8; PAGE_BYTES]],
) -> Never {
    loop {
        match port.accept().await {
            DataReaderCall::ReadIn(call) => {
                let run = call.entry();
                let begun = begin(&mut pages, run).await;
                reply!(
                    call,
                    match begun {
                        Ok(begun) => read(&mut pages, &mut disk, room, run, begun).await,
                        Err(errno) => Err(errno),
                    }
                );
            }
            DataReaderCall::ReadAhead(call) => {
                let entry = call.entry();
                let run = ReadIn {
                    file: entry.file,
                    page: entry.page,
                    block: entry.block,
                    count: entry.count,
                    size: entry.size,
                };
                let begun = begin(&mut pages, run).await;
                call.reply(begun.map(|_| ()));
                if let Ok(begun) = begun {
                    // What fails is found again by its next user.
                    let _ = read(&mut pages, &mut disk, room, run, begun).await;
                }
            }
        }
    }
}

/// What a run may bring, and with which generation.
#[derive(Clone, Copy)]
struct Begun {
    cache_generation: u64,
    count: usize,
}

async fn begin(pages: &mut Client<Pages>, run: ReadIn) -> Result<Begun, Errno> {
    if run.count > RUN_PAGES_MAX {
        return Err(Errno::EINVAL);
    }
    let begun = pages.call(BeginRun { file: run.file, page: run.page, count: run.count }, ()).await?;
    Ok(Begun { cache_generation: begun.cache_generation, count: begun.absent as usize })
}

async fn read(
    pages: &mut Client<Pages>,
    disk: &mut Client<Disk>,
    room: &mut [[u8; PAGE_BYTES]],
    run: ReadIn,
    begun: Begun,
) -> Result<(), Errno> {
    let Begun { cache_generation, count } = begun;
    let ReadIn { file, page, block, size, .. } = run;
    if count == 0 {
        return Ok(());
    }
    let bytes = room.get_mut(..count).ok_or(Errno::EINVAL)?.as_flattened_mut();
    read_run!(*disk, block.into(), &mut *bytes)?;
    // Zeros behind the end, whatever the medium has there.
    let end = size.saturating_sub(u64::from(page) * PAGE_BYTES as u64).min(bytes.len() as u64);
    bytes[end as usize..].fill(0);
    match pages.call(PutPages { file, page, cache_generation, size }, &*bytes).await {
        // Changed meanwhile: it is no longer wanted.
        Err(Errno::ESTALE) => Ok(()),
        put => put,
    }
}
