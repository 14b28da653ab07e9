//! Scripts: system calls with branches, assembled to an ELF program.
//!
//! Invariant: what a script keeps between calls is in its data, so that a fork or a signal handler does not lose it;
//! registers 0 to 8 and 30 only serve the moment.

mod execute;
mod instructions;

pub use execute::{run, run_slice};

use instructions::Instruction;

/// Where the code is loaded.
const CODE: u64 = 0x40_0000;
/// Where the data is loaded.
const DATA: u64 = 0x50_0000;
const PAGE: u64 = 0x1000;
const WORD_BYTES: usize = 8;
/// The register of the system call's number, and one that is free.
const NUMBER: u8 = 8;
const SCRATCH: u8 = 9;

/// An argument of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A number.
    Value(u64),
    /// The address of data made by [`Script::bytes`].
    Address(u64),
    /// The content of a variable.
    Of(Variable),
    /// Where code behind a label is.
    Code(Label),
    /// The result of the call before; only as the first argument.
    Result,
}

/// Eight bytes of the program's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable(u64);

impl Variable {
    /// Where it is.
    pub fn address(self) -> Argument {
        Argument::Address(self.0)
    }
}

/// A place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(usize);

/// A program in the making.
#[derive(Default)]
pub struct Script {
    code: Vec<Instruction>,
    data: Vec<u8>,
    labels: Vec<Option<usize>>,
    /// Branches (and loads of code addresses) to labels, by their place in the code.
    pending: Vec<(usize, Label)>,
}

impl Script {
    /// An empty program.
    pub fn new() -> Self {
        Script::default()
    }

    /// Puts bytes into the data.
    pub fn bytes(&mut self, bytes: &[u8]) -> Argument {
        self.data.resize(self.data.len().next_multiple_of(WORD_BYTES), 0);
        let at = DATA + self.data.len() as u64;
        self.data.extend_from_slice(bytes);
        Argument::Address(at)
    }

    /// Puts a string with a zero behind it into the data.
    pub fn string(&mut self, text: &str) -> Argument {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        self.bytes(&bytes)
    }

    /// Puts a vector of pointers with a null behind it into the data.
    pub fn vector(&mut self, addresses: &[Argument]) -> Argument {
        let words: Vec<u8> = addresses
            .iter()
            .map(|address| match address {
                Argument::Address(address) | Argument::Value(address) => *address,
                other => panic!("{other:?} is not known before the program runs"),
            })
            .chain([0])
            .flat_map(u64::to_le_bytes)
            .collect();
        self.bytes(&words)
    }

    /// A variable, 0 at first.
    pub fn variable(&mut self) -> Variable {
        match self.bytes(&[0; WORD_BYTES]) {
            Argument::Address(at) => Variable(at),
            _ => unreachable!("bytes have an address"),
        }
    }

    /// A label, to be placed by [`Script::place`].
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// The label means what comes next.
    pub fn place(&mut self, label: Label) -> &mut Self {
        assert!(self.labels[label.0].replace(self.code.len()).is_none(), "label placed twice");
        self
    }

    fn load(&mut self, register: u8, argument: Argument) {
        match argument {
            Argument::Value(value) | Argument::Address(value) => {
                let parts = [0, 1, 2, 3].map(|part| (part, (value >> (16 * part)) as u16));
                self.code.push(Instruction::MoveWide { register, value: parts[0].1, part: 0 });
                for (part, value) in parts.into_iter().skip(1).filter(|part| part.1 != 0) {
                    self.code.push(Instruction::MoveKeep { register, value, part });
                }
            }
            Argument::Of(variable) => {
                self.load(register, Argument::Address(variable.0));
                self.code.push(Instruction::Load { to: register, address: register });
            }
            Argument::Code(label) => {
                self.pending.push((self.code.len(), label));
                self.code.push(Instruction::MoveWide { register, value: 0, part: 0 });
                self.code.push(Instruction::MoveKeep { register, value: (CODE >> 16) as u16, part: 1 });
            }
            Argument::Result => assert!(register == 0, "the result is the first argument or none"),
        }
    }

    /// Makes a system call; its result may be kept, tested or passed on next.
    pub fn call(&mut self, number: u64, arguments: &[Argument]) -> &mut Self {
        for (register, &argument) in arguments.iter().enumerate() {
            self.load(register as u8, argument);
        }
        self.load(NUMBER, Argument::Value(number));
        self.code.push(Instruction::SystemCall {});
        self
    }

    /// Keeps the result in a variable; it can still be tested.
    pub fn keep(&mut self, variable: Variable) -> &mut Self {
        self.load(SCRATCH, Argument::Address(variable.0));
        self.code.push(Instruction::Store { from: 0, address: SCRATCH });
        self
    }

    /// Takes `argument` as if it were a result.
    pub fn take(&mut self, argument: Argument) -> &mut Self {
        self.load(0, argument);
        self
    }

    /// Adds `argument` to the result.
    pub fn add(&mut self, argument: Argument) -> &mut Self {
        self.load(SCRATCH, argument);
        self.code.push(Instruction::Add { to: 0, left: 0, right: SCRATCH });
        self
    }

    /// Takes the word at the address that is the result.
    pub fn read_word(&mut self) -> &mut Self {
        self.code.push(Instruction::Load { to: 0, address: 0 });
        self
    }

    /// Writes the result to the word at an address.
    pub fn write_word(&mut self, address: Argument) -> &mut Self {
        self.load(SCRATCH, address);
        self.code.push(Instruction::Store { from: 0, address: SCRATCH });
        self
    }

    /// Goes on at `label`.
    pub fn jump(&mut self, label: Label) -> &mut Self {
        self.branch(Instruction::Branch { by: 0 }, label)
    }

    /// Goes on at `label` if the result is 0.
    pub fn jump_if_zero(&mut self, label: Label) -> &mut Self {
        self.branch(Instruction::BranchZero { by: 0 }, label)
    }

    /// Goes on at `label` if the result is not 0.
    pub fn jump_if_not_zero(&mut self, label: Label) -> &mut Self {
        self.branch(Instruction::BranchNotZero { by: 0 }, label)
    }

    /// Goes on at `label` if the result is `value`.
    pub fn jump_if(&mut self, value: Argument, label: Label) -> &mut Self {
        self.load(SCRATCH, value);
        self.code.push(Instruction::Compare { left: 0, right: SCRATCH });
        self.branch(Instruction::BranchEqual { by: 0 }, label)
    }

    /// Goes on if the result is `value`; else ends with status `otherwise`.
    pub fn expect(&mut self, value: Argument, otherwise: u64) -> &mut Self {
        let good = self.label();
        self.jump_if(value, good);
        self.call(94, &[Argument::Value(otherwise)]);
        self.place(good)
    }

    /// Ends a signal handler.
    pub fn end_handler(&mut self) -> &mut Self {
        self.code.push(Instruction::Return {});
        self
    }

    /// Calls the function at the address that is the result.
    pub fn call_function(&mut self) -> &mut Self {
        self.code.push(Instruction::Move { to: SCRATCH, from: 0 });
        self.code.push(Instruction::CallRegister { register: SCRATCH });
        self
    }

    /// Stops at a breakpoint.
    pub fn breakpoint(&mut self) -> &mut Self {
        self.code.push(Instruction::Breakpoint {});
        self
    }

    fn branch(&mut self, instruction: Instruction, label: Label) -> &mut Self {
        self.pending.push((self.code.len(), label));
        self.code.push(instruction);
        self
    }

    fn resolved(&self) -> Vec<Instruction> {
        let mut code = self.code.clone();
        for &(place, label) in &self.pending {
            let Some(target) = self.labels[label.0] else { panic!("label {} is nowhere", label.0) };
            let by = target as i32 - place as i32;
            let entry = self.entry_offset();
            code[place] = match code[place] {
                Instruction::Branch { .. } => Instruction::Branch { by },
                Instruction::BranchEqual { .. } => Instruction::BranchEqual { by },
                Instruction::BranchZero { .. } => Instruction::BranchZero { by },
                Instruction::BranchNotZero { .. } => Instruction::BranchNotZero { by },
                Instruction::MoveWide { register, .. } => {
                    let value = (entry + 4 * target as u64) as u16;
                    Instruction::MoveWide { register, value, part: 0 }
                }
                other => unreachable!("{other:?} has no label"),
            };
        }
        code
    }

    /// Where the code begins in its page: behind the headers.
    fn entry_offset(&self) -> u64 {
        64 + 2 * 56
    }

    /// The program as an ELF file: one executable segment, one writable one with a page of zeros behind
    /// its data.
    pub fn image(&self) -> Vec<u8> {
        let code: Vec<u8> = self.resolved().iter().flat_map(|i| i.encode().to_le_bytes()).collect();
        let entry = self.entry_offset();
        let code_bytes = entry + code.len() as u64;
        assert!(code_bytes < 1 << 16, "a script's addresses fit one instruction");
        let data_offset = code_bytes.next_multiple_of(PAGE);
        let data_bytes = self.data.len() as u64;
        let identification = u128::from_le_bytes(*b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
        // Executable for AArch64; the entry; program headers of 56 bytes behind this header of 64, two of them.
        let header = [2 | 183 << 16 | 1 << 32, CODE + entry, 64, 0, 64 << 32 | 56 << 48, 2 | 64 << 16];
        // Loaded, as flags; offset, address twice, bytes in the file and in memory, alignment.
        let text = [1 | 5 << 32, 0, CODE, CODE, code_bytes, code_bytes, PAGE];
        let variables = [1 | 6 << 32, data_offset, DATA, DATA, data_bytes, data_bytes + PAGE, PAGE];
        let mut file = identification.to_le_bytes().to_vec();
        file.extend(header.into_iter().chain(text).chain(variables).flat_map(u64::to_le_bytes));
        file.extend(&code);
        file.resize(data_offset as usize, 0);
        file.extend(&self.data);
        file
    }
}
