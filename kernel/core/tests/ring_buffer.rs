//! What is kept, and in which order.

use renga_core::ring_buffer::RingBuffer;

#[test]
fn ring_buffer_keeps_latest_in_order() {
    let latest = RingBuffer::<u64, 5>::new();
    assert_eq!(latest.each().count(), 0);
    for count in 1..=15 {
        latest.push(count);
        assert!(latest.each().eq(count.saturating_sub(5) + 1..=count), "{count}");
    }
}
