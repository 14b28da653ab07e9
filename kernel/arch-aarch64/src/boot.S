// Entry from the firmware: EL2 (or EL1), MMU and D-cache off, x0 = boot data, running at the physical
// address of the image while everything is linked at LINEAR_BASE + that address. Only pc-relative
// addressing until the jump to high addresses.

.equ LINEAR_HIGH,       0xffffffff80000000
.equ LOAD_ADDRESS,      0x80000
.equ HCR_RW,            1 << 31         // EL1 is AArch64
.equ SCTLR_EL2_RES1,    0x30c50830
// RES1 | UCI, nTWE (WFE at EL0 runs, WFI traps), UCT, DZE, SA0, SA; MMU and caches off
.equ SCTLR_EL1_OFF,     0x30d00800 | 1 << 26 | 1 << 18 | 1 << 15 | 1 << 14 | 1 << 4 | 1 << 3
.equ SCTLR_EL1_ON,      1 << 12 | 1 << 2 | 1 << 0  // I, C, M
// 39-bit halves, 4 KiB granules, write-back inner shareable walks, 36-bit physical addresses
.equ TCR_LOW,           25 | 1 << 8 | 1 << 10 | 3 << 12
.equ TCR_HIGH,          25 << 16 | 1 << 24 | 1 << 26 | 3 << 28 | 2 << 30
.equ TCR_IPS,           1 << 32
.equ TCR_WIDE_IDS,      1 << 36                 // numbers of address spaces have 16 bits
.equ MAIR,              0x04ff          // 0: normal write-back; 1: device-nGnRE
.equ BLOCK,             0x701           // normal, inner shareable, accessed
.equ COARSE_BLOCKS,     32              // COARSE_MAP_BYTES / 2 MiB

.section .boot, "ax"
.global _start
_start:                                 // Linux arm64 image header: firmware honours text_offset
    b    entry
    .word 0
    .quad 0x80000                       // text_offset
    .quad __image_size
    .quad 0x2                           // little-endian, 4 KiB pages, there and nowhere else
    .quad 0, 0, 0
    .ascii "ARM\x64"
    .word 0

entry:
    mrs  x1, mpidr_el1
    and  x1, x1, #0xff
    cbnz x1, park
    mov  x19, x0
    mov  x21, xzr                       // which core this is
    adr  x1, _start                     // a firmware that ignores text_offset takes 0x200000
    mov  x2, #LOAD_ADDRESS
    cmp  x1, x2
    b.eq at_home
    adr  x3, _start
    ldr  x4, =__image_file_bytes
    ldr  x10, =(at_home - LINEAR_HIGH)
    adr  x6, mover                      // its place now may be overwritten: it runs behind the file, where .bss will be
    adr  x7, mover_end
    add  x8, x3, x4
    mov  x9, x8
0:  ldr  x5, [x6], #8
    str  x5, [x9], #8
    cmp  x6, x7
    b.lo 0b
    dsb  sy
    ic   iallu
    dsb  sy
    isb
    br   x8
.balign 8
mover:
    ldr  x5, [x3], #8                   // downwards: what is overwritten has been read
    str  x5, [x2], #8
    subs x4, x4, #8
    b.hi mover
    dsb  sy
    ic   iallu
    dsb  sy
    isb
    br   x10
mover_end:
at_home:                                // the other cores stay in the firmware until cores.rs fetches them
    mrs  x1, CurrentEL
    cmp  x1, #(2 << 2)
    b.eq from_el2
    b.lo at_el1
.global renga_park
renga_park:                             // also EL3: no board that we know enters there
park:
    msr  daifset, #15
    wfi
    b    park

// Where the firmware sends another core when it is started: MMU and caches off, as at _start.
.global renga_other_core
renga_other_core:
    mrs  x21, mpidr_el1
    and  x21, x21, #0xff
    mrs  x1, CurrentEL
    cmp  x1, #(2 << 2)
    b.hi park
    b.lo at_el1
from_el2:
    ldr  x1, =HCR_RW
    msr  hcr_el2, x1
    ldr  x1, =SCTLR_EL2_RES1
    msr  sctlr_el2, x1
    mov  x1, #3                         // EL1 may read the counter and set the physical timer
    msr  cnthctl_el2, x1
    msr  cntvoff_el2, xzr
    mov  x1, #0x33ff                    // FP does not trap to EL2
    msr  cptr_el2, x1
    msr  hstr_el2, xzr
    msr  vttbr_el2, xzr
    mrs  x1, midr_el1
    msr  vpidr_el2, x1
    mrs  x1, mpidr_el1
    msr  vmpidr_el2, x1
    mrs  x1, pmcr_el0                   // all event counters belong to EL1
    ubfx x1, x1, #11, #5
    msr  mdcr_el2, x1
    mov  x1, #0x3c5                     // EL1 with its own stack pointer, all masked
    msr  spsr_el2, x1
    adr  x1, at_el1
    msr  elr_el2, x1
    ldr  x1, =SCTLR_EL1_OFF
    msr  sctlr_el1, x1
    eret

at_el1:
    msr  daifset, #15
    ldr  x20, =SCTLR_EL1_OFF
    msr  sctlr_el1, x20
    isb
    mov  x1, #(3 << 20)                 // FP traps nowhere
    msr  cpacr_el1, x1
    mov  x1, #2                         // EL0 may read the virtual counter
    msr  cntkctl_el1, x1
    msr  cntv_ctl_el0, xzr
    msr  cntp_ctl_el0, xzr
    mov  x1, #(1 << 12)                 // EL0 has no access to the debugger's channel
    msr  mdscr_el1, x1
    msr  pmuserenr_el0, xzr
    msr  tpidr_el0, xzr
    msr  tpidrro_el0, xzr
    // The coarse map: the first 64 MiB, at 0 for the next instructions and at LINEAR_HIGH. Core 0 has made it.
    adrp x1, boot_l1
    cbnz x21, 2f
    adrp x2, boot_l2
    orr  x3, x2, #3
    str  x3, [x1]
    str  x3, [x1, #(510 * 8)]
    ldr  x3, =BLOCK
    mov  x4, #0
1:  orr  x5, x3, x4, lsl #21
    str  x5, [x2, x4, lsl #3]
    add  x4, x4, #1
    cmp  x4, #COARSE_BLOCKS
    b.ne 1b
2:  ldr  x3, =MAIR
    msr  mair_el1, x3
    ldr  x3, =(TCR_LOW | TCR_HIGH | TCR_IPS | TCR_WIDE_IDS)
    msr  tcr_el1, x3
    msr  ttbr0_el1, x1
    msr  ttbr1_el1, x1
    dsb  sy
    tlbi vmalle1
    ic   iallu
    dsb  sy
    isb
    ldr  x3, =SCTLR_EL1_ON
    orr  x20, x20, x3
    msr  sctlr_el1, x20
    isb
    ldr  x1, =high
    br   x1
high:
    ldr  x1, =vectors
    msr  vbar_el1, x1
    isb
    cbnz x21, other_core_high
    ldr  x1, =__stack_top
    mov  sp, x1
    ldr  x2, =__stack_guard
    add  x2, x2, #4096
    ldr  x3, =STACK_UNUSED              // so that it can be seen how deep it was used (stack.rs)
1:  stp  x3, x3, [x2], #16
    cmp  x2, x1
    b.lo 1b
    ldr  x1, =__bss_start
    ldr  x2, =__bss_end
2:  cmp  x1, x2
    b.hs 3f
    str  xzr, [x1], #8
    b    2b
3:  mov  x0, x19
    mov  x29, xzr
    mov  x30, xzr
    bl   renga_kernel_main
4:  wfi
    b    4b
other_core_high:
    ldr  x1, =__core_stacks             // that of core n ends n times so far behind it
    ldr  x2, =__core_stack_stride
    mov  x0, x21                        // keeps the load apart from the multiplication (erratum 835769)
    madd x1, x2, x21, x1
    mov  sp, x1
    mov  x29, xzr
    mov  x30, xzr
    bl   renga_core_main
    b    4b
    .ltorg

// renga_switch_map(x0 = new kernel map, x1 = a table without entries; physical): runs at the low
// address, so that no entry in use changes its size under the processor's feet.
.section .text.switch_map, "ax"
.global renga_switch_map
renga_switch_map:
    adr  x2, 5f
    ldr  x3, =LINEAR_HIGH
    sub  x2, x2, x3
    dsb  sy
    br   x2
5:  msr  ttbr1_el1, x1
    isb
    tlbi vmalle1
    dsb  nsh
    isb
    msr  ttbr1_el1, x0
    isb
    ret
    .ltorg

// In the file, not in .bss: that is cleared after these are in use.
.section .data.boot_tables, "aw"
.balign 4096
boot_l1: .zero 4096
boot_l2: .zero 4096

// The final map of the kernel (memory/kernel_map.rs), cleared with .bss.
.section .bss.kernel_tables, "aw", @nobits
.balign 4096
.global kernel_tables
kernel_tables: .zero 9 * 4096

// Words for the firmware (shared.rs): whole cache lines without other data.
.section .bss.shared_words, "aw", @nobits
.balign 64
.global shared_words
shared_words: .zero 128
