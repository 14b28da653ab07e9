//! Where the time of a bulk transfer goes: what its frames consist of, and what lies between them.
//!
//! Invariant: each span of the measured time is in exactly one part, so the parts' sum is that time.

use renga_emu::FrameEvent;
use renga_wire::frame::CHECKSUM_BYTES;
use renga_wire::{HEADER_BYTES, Head, LinkFrame};

const BITS: u64 = 8;
const NS_PER_S: u64 = 1_000_000_000;
/// Bytes of a page.
const PAGE_BYTES: u16 = 4096;

/// The parts of a frame, bytes.
#[derive(Clone, Copy, Default)]
pub(super) struct FrameParts {
    /// Of slices: contents of files.
    data: u64,
    heads: u64,
    checksums: u64,
    /// Heads of fragments, with the byte that acknowledges, and padding.
    fragments: u64,
}

impl FrameParts {
    pub(super) fn of(frame: &FrameEvent) -> FrameParts {
        let heads = HEADER_BYTES as u64;
        let more = frame.bytes.len() as u64 - heads;
        let payload = LinkFrame::parse(&frame.bytes).ok().map_or(&[][..], |frame| frame.payload);
        let fragment = payload.get(1..).and_then(|fragment| Head::parse(fragment).ok());
        let data = fragment.map_or(0, |(_, data)| data.len() as u64);
        let checksums = if payload.is_empty() { 0 } else { CHECKSUM_BYTES as u64 };
        FrameParts { data, heads, checksums, fragments: more - data - checksums }
    }

    /// The times of heads, checksums and payloads on the wire, ns.
    pub(super) fn times_ns(&self, rate_bps: u64) -> [u64; 3] {
        [self.heads, self.checksums, self.data + self.fragments].map(|bytes| bytes * BITS * NS_PER_S / rate_bps)
    }

    pub(super) fn add(&mut self, other: FrameParts) {
        self.data += other.data;
        self.heads += other.heads;
        self.checksums += other.checksums;
        self.fragments += other.fragments;
    }
}

/// The time from the first page of the transfer to the last, ns.
#[derive(Default)]
pub(super) struct BulkParts {
    pages: FrameParts,
    /// Frames that carry pages.
    frames: u64,
    /// Their starts and poll words.
    starts_ns: u64,
    /// Frames without pages: requests and acknowledgements.
    others: u64,
    others_ns: u64,
    /// Frames wait for the token, and the wire is free.
    token_ns: u64,
    /// No board has a frame.
    idle_ns: u64,
}

impl BulkParts {
    /// Of the frames of a run, in the order of their starts, whose last `pages` pages are the transfer.
    pub(super) fn of(frames: &[FrameEvent], pages: u64, rate_bps: u64) -> BulkParts {
        let mut parts = BulkParts::default();
        let mut carriers = Carriers::default();
        let marked: Vec<_> = frames.iter().map(|frame| (frame, carriers.carries(frame))).collect();
        let before = carriers.pages.saturating_sub(pages);
        let inside = |(_, carries): &&(&FrameEvent, Option<u64>)| carries.is_some_and(|page| page > before);
        let first_ns = marked.iter().find(inside).map_or(0, |(frame, _)| frame.start_ns());
        let last_ns = marked.iter().rev().find(inside).map_or(0, |(frame, _)| frame.start_ns());
        let mut free_ns = first_ns;
        for (frame, carries) in marked {
            if !(first_ns..=last_ns).contains(&frame.start_ns()) {
                continue;
            }
            let ready_ns = frame.sent_ns.max(free_ns);
            parts.idle_ns += ready_ns - free_ns;
            parts.token_ns += frame.start_ns() - ready_ns;
            if carries.is_some() {
                parts.frames += 1;
                parts.pages.add(FrameParts::of(frame));
                parts.starts_ns += frame.wire_ns - frame.bytes.len() as u64 * BITS * NS_PER_S / rate_bps;
            } else {
                parts.others += 1;
                parts.others_ns += frame.wire_ns;
            }
            free_ns = frame.delivered_ns;
        }
        parts
    }

    /// The rows of the table of a transfer that took `all_ns`: names and ns.
    pub(super) fn rows(&self, all_ns: u64, rate_bps: u64) -> Vec<(String, u64)> {
        let ns = |bytes: u64| bytes * BITS * NS_PER_S / rate_bps;
        let FrameParts { data, heads, checksums, fragments } = self.pages;
        let mut rows = vec![
            ("pages".to_string(), ns(data)),
            (format!("heads of their {} frames", self.frames), ns(heads)),
            ("checksums of these frames".to_string(), ns(checksums)),
            ("heads of fragments".to_string(), ns(fragments)),
            ("starts and poll words".to_string(), self.starts_ns),
            (format!("{} frames without pages", self.others), self.others_ns),
            ("token".to_string(), self.token_ns),
            ("no frame to send".to_string(), self.idle_ns),
        ];
        let transfer_ns: u64 = rows.iter().map(|(_, part_ns)| part_ns).sum();
        rows.push(("programs begin and end".to_string(), all_ns.saturating_sub(transfer_ns)));
        rows
    }
}

/// The callers whose page is under way, and the pages until now.
#[derive(Default)]
struct Carriers {
    callers: Vec<u16>,
    pages: u64,
}

impl Carriers {
    /// The number of the last page begun, if a frame carries part of one.
    fn carries(&mut self, frame: &FrameEvent) -> Option<u64> {
        let payload = LinkFrame::parse(&frame.bytes).ok()?.payload;
        match Head::parse(payload.get(1..)?).ok()?.0 {
            Head::Reply { caller, used_bytes, .. } => {
                self.callers.retain(|known| *known != caller);
                if used_bytes != PAGE_BYTES {
                    return None;
                }
                self.callers.push(caller);
                self.pages += 1;
            }
            Head::ReplyMore { caller } if self.callers.contains(&caller) => {}
            _ => return None,
        }
        Some(self.pages)
    }
}
