//! Firmware that leaves a board as no emulator does: memory and registers full of garbage, interrupts and pin events
//! on, the image loaded where it was not linked.
//!
//! It is a program that boots in the kernel's place, with the kernel behind it. Invariant: it leaves the kernel alone,
//! and what the firmware told it (`x0`, and the first 512 KiB). It knows the devices of a BCM2837 only.

/// Where the program is loaded, and the kernel [`KERNEL_OFFSET`] behind it.
const KERNEL_OFFSET: usize = 0x1000;

/// A raw image with the program, which draws its garbage from `seed`, and `kernel`.
pub fn image(kernel: &[u8], seed: u64) -> Vec<u8> {
    let mut image: Vec<u8> = PROGRAM.iter().flat_map(|word| word.to_le_bytes()).collect();
    // A shift register that holds zero stays there.
    let seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    image[SEED_OFFSET..SEED_OFFSET + 8].copy_from_slice(&seed.to_le_bytes());
    image.resize(KERNEL_OFFSET, 0);
    image.extend(kernel);
    image
}

/// Where the program finds its seed.
const SEED_OFFSET: usize = 0x1a8;

/// The program, assembled.
#[rustfmt::skip]
const PROGRAM: [u32; 122] = [
    0x1400_0010, // b 0x40
    0x0000_0000, // data
    0x0020_0000, // data
    0x0000_0000, // data
    0x0020_0000, // data
    0x0000_0000, // data
    0x0000_0002, // data
    0x0000_0000, // data
    0x0000_0000, // data
    0x0000_0000, // data
    0x0000_0000, // data
    0x0000_0000, // data
    0x0000_0000, // data
    0x0000_0000, // data
    0x644d_5241, // data
    0x0000_0000, // data
    0xd538_00a1, // mrs x1, MPIDR_EL1
    0x9240_1c21, // and x1, x1, #0xff
    0xb500_0aa1, // cbnz x1, 0x19c
    0xaa00_03f3, // mov x19, x0
    0x5800_0ad4, // ldr x20, 0x1a8
    0xd2a0_0801, // mov x1, #4194304
    0xd2a1_0002, // mov x2, #134217728
    0xca14_3694, // eor x20, x20, x20, lsl #13
    0xca54_1e94, // eor x20, x20, x20, lsr #7
    0xca14_4694, // eor x20, x20, x20, lsl #17
    0xf800_8434, // str x20, [x1], #8
    0xeb02_003f, // cmp x1, x2
    0x54ff_ff63, // b.lo 0x5c
    0xd2a1_0401, // mov x1, #136314880
    0xd2a2_0002, // mov x2, #268435456
    0xca14_3694, // eor x20, x20, x20, lsl #13
    0xca54_1e94, // eor x20, x20, x20, lsr #7
    0xca14_4694, // eor x20, x20, x20, lsl #17
    0xf800_8434, // str x20, [x1], #8
    0xeb02_003f, // cmp x1, x2
    0x54ff_ff63, // b.lo 0x7c
    0xd2a0_0101, // mov x1, #524288
    0x5800_08c2, // ldr x2, 0x1b0
    0xca14_3694, // eor x20, x20, x20, lsl #13
    0xca54_1e94, // eor x20, x20, x20, lsr #7
    0xca14_4694, // eor x20, x20, x20, lsl #17
    0xf800_8434, // str x20, [x1], #8
    0xeb02_003f, // cmp x1, x2
    0x54ff_ff63, // b.lo 0x9c
    0xd2a7_e401, // mov x1, #1059061760
    0x5290_0002, // mov w2, #32768
    0xb900_6822, // str w2, [x1, #104]
    0xb900_7422, // str w2, [x1, #116]
    0xb900_4c22, // str w2, [x1, #76]
    0x1800_0782, // ldr w2, 0x1b8
    0xb900_0822, // str w2, [x1, #8]
    0x5800_0781, // ldr x1, 0x1c0
    0x5280_ffe2, // mov w2, #2047
    0xb900_3822, // str w2, [x1, #56]
    0x5800_0761, // ldr x1, 0x1c8
    0x1280_0002, // mov w2, #-1
    0xb900_1422, // str w2, [x1, #20]
    0xb900_1022, // str w2, [x1, #16]
    0x5280_1002, // mov w2, #128
    0xb900_0c22, // str w2, [x1, #12]
    0x5800_06e1, // ldr x1, 0x1d0
    0xd51c_1001, // msr SCTLR_EL2, x1
    0x9280_0001, // mov x1, #-1
    0xd51c_e061, // msr CNTVOFF_EL2, x1
    0xd280_0001, // mov x1, #0
    0xd51c_e101, // msr CNTHCTL_EL2, x1
    0x5800_0661, // ldr x1, 0x1d8
    0xd51c_1174, // msr HSTR_EL2, x20
    0xd286_7fe1, // mov x1, #13311
    0xd51c_1141, // msr CPTR_EL2, x1
    0x5800_0621, // ldr x1, 0x1e0
    0xd51c_2101, // msr VTTBR_EL2, x1
    0xd518_c014, // msr VBAR_EL1, x20
    0xd518_a214, // msr MAIR_EL1, x20
    0xd518_2001, // msr TTBR0_EL1, x1
    0xd518_2021, // msr TTBR1_EL1, x1
    0xd51b_d054, // msr TPIDR_EL0, x20
    0xd518_d094, // msr TPIDR_EL1, x20
    0xd518_d034, // msr CONTEXTIDR_EL1, x20
    0xd282_0001, // mov x1, #4096
    0xd510_025f, // msr MDSCR_EL1, xzr
    0xd280_00e1, // mov x1, #7
    0xd518_e101, // msr CNTKCTL_EL1, x1
    0xd280_0021, // mov x1, #1
    0xd51b_e321, // msr CNTV_CTL_EL0, x1
    0xd51b_e221, // msr CNTP_CTL_EL0, x1
    0xd280_0001, // mov x1, #0
    0x9100_029f, // mov sp, x20
    0x10ff_f4f5, // adr x21, #-356
    0x9140_06b5, // add x21, x21, #1, lsl #12 // =4096
    0xaa13_03e0, // mov x0, x19
    0xaa14_03e1, // mov x1, x20
    0xaa14_03e2, // mov x2, x20
    0xaa14_03e3, // mov x3, x20
    0xaa14_03e4, // mov x4, x20
    0xaa14_03e5, // mov x5, x20
    0xaa14_03e6, // mov x6, x20
    0xaa14_03e7, // mov x7, x20
    0xaa14_03e8, // mov x8, x20
    0xaa14_03fd, // mov x29, x20
    0xaa14_03fe, // mov x30, x20
    0xd61f_02a0, // br x21
    0xd503_207f, // wfi
    0x17ff_ffff, // b 0x19c
    0xd503_201f, // nop
    0x9abc_def1, // data
    0x1234_5678, // data
    0x001f_f000, // data
    0x0000_0000, // data
    0x2492_4924, // data
    0x0000_0000, // data
    0x3f20_1000, // data
    0x0000_0000, // data
    0x3f00_b200, // data
    0x0000_0000, // data
    0x30c5_0830, // data
    0x0000_0000, // data
    0x8000_0fff, // data
    0x0000_0000, // data
    0xbeef_cafe, // data
    0x0000_dead, // data
];
