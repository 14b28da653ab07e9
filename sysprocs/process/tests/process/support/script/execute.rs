//! User programs by interpretation of exactly the instructions that scripts are made of, so that fork, exec, page
//! faults, copy-on-write and signal frames work as on a board. Not here: any other instruction (it traps as undefined).

use super::instructions::Instruction;
use renga_hal::memory::{Frame, PAGE_BYTES, UserMemory};
use renga_rt::host::HostBoard;
use renga_rt::user::{AccessKind, Trap, UserContext};

/// The zero flag in the program's state.
const ZERO_FLAG: u64 = 1 << 30;
const INSTRUCTION_BYTES: u64 = 4;
const WORD_BYTES: usize = 8;
/// Instructions of one time slice.
const SLICE_INSTRUCTIONS: u64 = 10_000;

/// A program's memory as the processor sees it.
struct Memory<'a, M: UserMemory> {
    machine: &'a M,
    space: Frame,
}

impl<M: UserMemory> Memory<'_, M> {
    fn frame(&self, address: u64, kind: AccessKind) -> Result<Frame, Trap> {
        let fault = |present| Trap::PageFault { address, kind, present };
        if address >= renga_hal::memory::USER_END {
            return Err(fault(false));
        }
        let (frame, access) = self.machine.lookup(self.space, address).ok_or(fault(false))?;
        let allowed = match kind {
            AccessKind::Read => access.readable(),
            AccessKind::Write => access.writable(),
            AccessKind::Execute => access.executable(),
        };
        if allowed { Ok(frame) } else { Err(fault(true)) }
    }

    fn instruction(&self, address: u64) -> Result<u32, Trap> {
        if !address.is_multiple_of(INSTRUCTION_BYTES) {
            return Err(Trap::Alignment { address });
        }
        let page = self.machine.shared_page(self.frame(address, AccessKind::Execute)?);
        let at = address as usize % PAGE_BYTES;
        Ok(u32::from_le_bytes(core::array::from_fn(|index| page[at + index])))
    }

    fn load(&self, address: u64) -> Result<u64, Trap> {
        let at = self.word_place(address)?;
        let page = self.machine.shared_page(self.frame(address, AccessKind::Read)?);
        Ok(u64::from_le_bytes(core::array::from_fn(|index| page[at + index])))
    }

    fn store(&self, address: u64, word: u64) -> Result<(), Trap> {
        let at = self.word_place(address)?;
        let mut page = self.machine.page(self.frame(address, AccessKind::Write)?);
        page[at..at + WORD_BYTES].copy_from_slice(&word.to_le_bytes());
        Ok(())
    }

    fn word_place(&self, address: u64) -> Result<usize, Trap> {
        if address.is_multiple_of(WORD_BYTES as u64) {
            Ok(address as usize % PAGE_BYTES)
        } else {
            Err(Trap::Alignment { address })
        }
    }
}

fn step<M: UserMemory>(context: &mut UserContext, memory: &Memory<M>) -> Result<(), Trap> {
    let word = memory.instruction(context.pc)?;
    let instruction = Instruction::decode(word).ok_or(Trap::Undefined)?;
    let mut next = context.pc.wrapping_add(INSTRUCTION_BYTES);
    let target = |by: i32| context.pc.wrapping_add_signed(i64::from(by) * INSTRUCTION_BYTES as i64);
    let x = &mut context.x;
    // Register 31 is never named by a script.
    let of = |register: u8| usize::from(register).min(30);
    match instruction {
        Instruction::MoveWide { register, value, part } => x[of(register)] = u64::from(value) << (16 * part),
        Instruction::MoveKeep { register, value, part } => {
            let shift = 16 * part;
            x[of(register)] = x[of(register)] & !(0xffff << shift) | u64::from(value) << shift;
        }
        Instruction::Move { to, from } => x[of(to)] = x[of(from)],
        Instruction::Add { to, left, right } => x[of(to)] = x[of(left)].wrapping_add(x[of(right)]),
        Instruction::Compare { left, right } => {
            let equal = x[of(left)] == x[of(right)];
            context.pstate = context.pstate & !ZERO_FLAG | if equal { ZERO_FLAG } else { 0 };
        }
        Instruction::Load { to, address } => x[of(to)] = memory.load(x[of(address)])?,
        Instruction::Store { from, address } => memory.store(x[of(address)], x[of(from)])?,
        Instruction::Branch { by } => next = target(by),
        Instruction::BranchEqual { by } if context.pstate & ZERO_FLAG != 0 => next = target(by),
        Instruction::BranchZero { by } if x[0] == 0 => next = target(by),
        Instruction::BranchNotZero { by } if x[0] != 0 => next = target(by),
        Instruction::BranchEqual { .. } | Instruction::BranchZero { .. } | Instruction::BranchNotZero { .. } => {}
        Instruction::CallRegister { register } => {
            let to = x[of(register)];
            x[30] = next;
            next = to;
        }
        Instruction::Return {} => next = x[30],
        Instruction::SystemCall {} => {
            context.pc = next;
            return Err(Trap::Syscall);
        }
        Instruction::Breakpoint {} => return Err(Trap::Breakpoint),
    }
    context.pc = next;
    Ok(())
}

/// Runs the next user program of `board` for a time slice; returns its instructions. `None`: no program is ready.
pub fn run_slice<M: UserMemory>(board: HostBoard, machine: &M) -> Option<u64> {
    let mut slice = board.core.next_user()?;
    if slice.wait_cancelled() {
        // It gives way after what has been done for it, which takes time, too.
        slice.charge(SLICE_INSTRUCTIONS);
        slice.end(Trap::Preempted);
        return Some(SLICE_INSTRUCTIONS);
    }
    let memory = Memory { machine, space: Frame(slice.space()) };
    for count in 1..=SLICE_INSTRUCTIONS {
        if let Err(trap) = step(slice.context(), &memory) {
            slice.charge(count);
            slice.end(trap);
            return Some(count);
        }
    }
    slice.charge(SLICE_INSTRUCTIONS);
    Some(SLICE_INSTRUCTIONS) // it goes on, unless another program is to run first
}

/// Runs boards and their programs until nothing is ready and no alarm is set; an instruction takes a nanosecond, idle
/// time is skipped. False: not within `slices_max` time slices.
pub fn run<M: UserMemory>(boards: &[(HostBoard, &M)], slices_max: u64) -> bool {
    for _ in 0..slices_max {
        let mut time_ns = boards.iter().map(|(board, _)| board.core.now_ns()).max().unwrap_or(0);
        let mut idle = true;
        for &(board, machine) in boards {
            while board.core.dispatch() {
                idle = false;
            }
            if let Some(instructions) = run_slice(board, machine) {
                idle = false;
                time_ns += instructions;
            }
        }
        if idle {
            match boards.iter().filter_map(|(board, _)| board.core.next_alarm_ns()).min() {
                Some(at_ns) => time_ns = time_ns.max(at_ns),
                None => return true,
            }
        }
        for (board, _) in boards {
            board.core.set_now_ns(time_ns);
            board.core.expire_alarms(time_ns);
        }
    }
    false
}
