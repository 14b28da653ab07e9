//! `/proc/PID/maps`: the areas of a program's memory (proc(5)), and how much they are.

use crate::server::ProcFilesState;
use crate::window::{TextWindow, put};
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_proto::listed::Listed;
use renga_proto::path::PATH_BYTES_MAX;
use renga_rt::account::Count;
use renga_rt::proc_info::{AreaInfo, EXECUTES, ProcInfo, READS, WRITES};

const PAGE: u64 = PAGE_BYTES as u64;
/// Where names begin in a line.
const NAME_COLUMN: usize = 73;

/// Whether it is the area of the heap that begins at page `heap`.
fn is_heap(area: &AreaInfo, heap: u32) -> bool {
    area.ino == 0 && area.access == READS | WRITES && (area.start..area.end).contains(&heap)
}

fn areas(info: &'static ProcInfo) -> impl Iterator<Item = AreaInfo> {
    let heap = info.heap_start.get().div_ceil(PAGE) as u32;
    let heap_end = info.heap_end.get().div_ceil(PAGE) as u32;
    let areas = info.areas.iter().take(info.area_count.get().into()).map(|area| area.get());
    areas.map(
        move |area| if is_heap(&area, heap) { AreaInfo { end: heap_end.max(area.start + 1), ..area } } else { area },
    )
}

impl<M: UserMemory> ProcFilesState<M> {
    pub(super) fn pages_of(&self, listed: &Listed) -> u64 {
        let mapped = self
            .info(listed.process)
            .map_or(0, |info| areas(info).map(|area| u64::from(area.end.saturating_sub(area.start))).sum());
        mapped.max(listed.count(Count::FramesResident))
    }

    pub(super) async fn maps(&mut self, pid: u32, out: &mut TextWindow<'_>) {
        // One that ends has none, as on Linux.
        let Ok(info) = self.info(pid) else { return };
        let mut path = [0; PATH_BYTES_MAX];
        let path_bytes = self.program_path(pid, &mut path).await.unwrap_or(0) as usize;
        let (origin, heap) = (info.origin.get(), info.heap_start.get().div_ceil(PAGE) as u32);
        for area in areas(info) {
            let (start, end) = (u64::from(area.start) * PAGE, u64::from(area.end) * PAGE);
            let name: &[u8] = match area.ino {
                0 if is_heap(&area, heap) => b"[heap]",
                0 if (start..end).contains(&origin.strings[0]) => b"[stack]",
                0 => b"",
                ino if ino == origin.ino => &path[..path_bytes],
                _ => b"",
            };
            put_area(&area, [start, end], name, out);
        }
    }
}

fn put_area(area: &AreaInfo, [start, end]: [u64; 2], name: &[u8], out: &mut TextWindow<'_>) {
    let may = |bit: u8, letter: char| if area.access & bit != 0 { letter } else { '-' };
    let shared = if area.shared { 's' } else { 'p' };
    let mut line = [b' '; NAME_COLUMN];
    let mut text = TextWindow::new(&mut line, 0);
    put!(text, "{start:08x}-{end:08x} {}{}{}{shared}", may(READS, 'r'), may(WRITES, 'w'), may(EXECUTES, 'x'));
    let device = if area.ino == 0 { "00:00" } else { "b3:01" };
    put!(text, " {:08x} {device} {} ", u64::from(area.first_page) * PAGE, area.ino);
    let bytes = text.bytes();
    out.push(if name.is_empty() { &line[..bytes - 1] } else { &line });
    out.push(name);
    out.push(b"\n");
}

#[cfg(test)]
mod tests {
    use super::put_area;
    use crate::window::TextWindow;
    use renga_rt::proc_info::{AreaInfo, EXECUTES, READS};

    #[test]
    fn maps_lines_match_linux() {
        let mut out = [0; 200];
        let mut text = TextWindow::new(&mut out, 0);
        let area =
            AreaInfo { start: 0x400, end: 0x52b, first_page: 2, ino: 4711, access: READS | EXECUTES, shared: false };
        put_area(&area, [0x40_0000, 0x52_b000], b"/bin/busybox", &mut text);
        let zeros = AreaInfo { ino: 0, first_page: 0, access: READS, shared: true, ..area };
        put_area(&zeros, [0x40_0000, 0x52_b000], b"", &mut text);
        let bytes = text.bytes();
        let wanted = "00400000-0052b000 r-xp 00002000 b3:01 4711                               /bin/busybox\n\
                      00400000-0052b000 r--s 00000000 00:00 0\n";
        assert_eq!(core::str::from_utf8(&out[..bytes]), Ok(wanted));
    }
}
