//! Sequences that a Cortex-A53 executes wrongly. Arm, Cortex-A53 MPCore Software Developers Errata Notice.
//!
//! The compiler avoids the one (`+fix-cortex-a53-835769`), the linker the other (`--fix-cortex-a53-843419`);
//! this check covers code that neither made too.

use super::decode::MachineInstruction;

/// Instructions that a sequence has at most.
pub const WINDOW: usize = 4;
/// Offsets in a page at which an ADRP may go wrong.
const PAGE_END: [u64; 2] = [0xff8, 0xffc];

/// The erratum that the instructions from `at` on would meet.
pub fn find(at: u64, window: &[MachineInstruction]) -> Option<&'static str> {
    if accumulates_after_access(window) {
        return Some("erratum 835769: a 64-bit multiply-accumulate right after a load or store");
    }
    page_address_at_page_end(at, window).then_some("erratum 843419: an ADRP at the end of a page, then its use")
}

fn accumulates_after_access(window: &[MachineInstruction]) -> bool {
    matches!(window, [first, second, ..] if first.is_memory() && second.is_multiply_accumulate())
}

/// ADRP; a load or store; perhaps one more that is no branch; a load or store at an offset from the ADRP's register.
fn page_address_at_page_end(at: u64, window: &[MachineInstruction]) -> bool {
    let [first, second, rest @ ..] = window else { return false };
    if !first.is_page_address() || !PAGE_END.contains(&(at & 0xfff)) || !second.is_memory() {
        return false;
    }
    let register = first.target();
    if second.loads_target() && second.target() == register {
        return false;
    }
    match rest {
        [third, ..] if third.is_offset_access_from(register) => true,
        [third, fourth, ..] => !third.is_branch() && fourth.is_offset_access_from(register),
        _ => false,
    }
}
