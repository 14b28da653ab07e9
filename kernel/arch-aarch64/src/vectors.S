// Exception vectors, and the way into a user program and back.
//
// renga_enter_user(context) behaves as a function that takes long: it stores the kernel's callee-saved
// registers on the kernel stack, loads the program's and drops to EL0; the next exception from EL0
// stores the program's registers in the context and returns from that call. The result is ESR_EL1, or
// all ones for an interrupt. Offsets are those of renga_abi::user::UserContext (checked in user_mode.rs).

.equ CONTEXT_SP,    248                 // and PC
.equ CONTEXT_STATE, 264                 // PSTATE and TPIDR
.equ FRAME_BYTES,   112                 // x19-x30, context, scratch
.equ FRAME_CONTEXT, 96
.equ FRAME_SCRATCH, 104

.section .text.vectors, "ax"
.macro fault number                     // no stack can be trusted
    .balign 128
    ldr  x0, =__emergency_stack_top
    mov  x1, sp
    mov  sp, x0
    mov  x2, x30
    mov  x0, #\number
    b    renga_arch_fault
.endm

.balign 2048
vectors:
    fault 0
    fault 1
    fault 2
    fault 3
    fault 4                             // EL1 synchronous: a bug of the kernel
    fault 5                             // EL1 interrupt: cannot be, they are masked
    fault 6
    fault 7
    .balign 128                         // EL0 synchronous
    str  x30, [sp, #FRAME_SCRATCH]
    ldr  x30, [sp, #FRAME_CONTEXT]
    stp  x0, x1, [x30]
    mrs  x0, esr_el1
    b    leave_user
    .balign 128                         // EL0 interrupt
    str  x30, [sp, #FRAME_SCRATCH]
    ldr  x30, [sp, #FRAME_CONTEXT]
    stp  x0, x1, [x30]
    mov  x0, #-1
    b    leave_user
    fault 10
    fault 11                            // asynchronous error while in EL0
    fault 12
    fault 13
    fault 14
    fault 15
    .ltorg

leave_user:
    stp  x2, x3, [x30, #16]
    stp  x4, x5, [x30, #32]
    stp  x6, x7, [x30, #48]
    stp  x8, x9, [x30, #64]
    stp  x10, x11, [x30, #80]
    stp  x12, x13, [x30, #96]
    stp  x14, x15, [x30, #112]
    stp  x16, x17, [x30, #128]
    stp  x18, x19, [x30, #144]
    stp  x20, x21, [x30, #160]
    stp  x22, x23, [x30, #176]
    stp  x24, x25, [x30, #192]
    stp  x26, x27, [x30, #208]
    stp  x28, x29, [x30, #224]
    ldr  x1, [sp, #FRAME_SCRATCH]
    mrs  x2, sp_el0
    stp  x1, x2, [x30, #240]            // x30, sp
    mrs  x1, elr_el1
    mrs  x2, spsr_el1
    stp  x1, x2, [x30, #256]            // pc, pstate
    mrs  x1, tpidr_el0
    str  x1, [x30, #272]
    ldp  x19, x20, [sp]
    ldp  x21, x22, [sp, #16]
    ldp  x23, x24, [sp, #32]
    ldp  x25, x26, [sp, #48]
    ldp  x27, x28, [sp, #64]
    ldp  x29, x30, [sp, #80]
    add  sp, sp, #FRAME_BYTES
    ret

.global renga_enter_user
renga_enter_user:
    sub  sp, sp, #FRAME_BYTES
    stp  x19, x20, [sp]
    stp  x21, x22, [sp, #16]
    stp  x23, x24, [sp, #32]
    stp  x25, x26, [sp, #48]
    stp  x27, x28, [sp, #64]
    stp  x29, x30, [sp, #80]
    str  x0, [sp, #FRAME_CONTEXT]
    ldp  x30, x1, [x0, #240]            // x30, sp
    ldp  x2, x3, [x0, #256]             // pc, pstate
    ldr  x4, [x0, #272]
    and  x3, x3, #0xf0000000            // the flags only: EL0, AArch64, nothing masked
    msr  sp_el0, x1
    msr  elr_el1, x2
    msr  spsr_el1, x3
    msr  tpidr_el0, x4
    ldp  x2, x3, [x0, #16]
    ldp  x4, x5, [x0, #32]
    ldp  x6, x7, [x0, #48]
    ldp  x8, x9, [x0, #64]
    ldp  x10, x11, [x0, #80]
    ldp  x12, x13, [x0, #96]
    ldp  x14, x15, [x0, #112]
    ldp  x16, x17, [x0, #128]
    ldp  x18, x19, [x0, #144]
    ldp  x20, x21, [x0, #160]
    ldp  x22, x23, [x0, #176]
    ldp  x24, x25, [x0, #192]
    ldp  x26, x27, [x0, #208]
    ldp  x28, x29, [x0, #224]
    ldp  x0, x1, [x0]
    eret

// The floating-point registers, to and from an FpState at x0. The kernel uses none of them.
.macro all_vectors operation
    \operation q0, q1, [x0]
    \operation q2, q3, [x0, #32]
    \operation q4, q5, [x0, #64]
    \operation q6, q7, [x0, #96]
    \operation q8, q9, [x0, #128]
    \operation q10, q11, [x0, #160]
    \operation q12, q13, [x0, #192]
    \operation q14, q15, [x0, #224]
    \operation q16, q17, [x0, #256]
    \operation q18, q19, [x0, #288]
    \operation q20, q21, [x0, #320]
    \operation q22, q23, [x0, #352]
    \operation q24, q25, [x0, #384]
    \operation q26, q27, [x0, #416]
    \operation q28, q29, [x0, #448]
    \operation q30, q31, [x0, #480]
.endm

.arch_extension fp
.arch_extension simd
.global renga_fp_save
renga_fp_save:
    all_vectors stp
    mrs  x1, fpcr
    mrs  x2, fpsr
    add  x0, x0, #512
    stp  x1, x2, [x0]
    ret

.global renga_fp_load
renga_fp_load:
    all_vectors ldp
    add  x0, x0, #512
    ldp  x1, x2, [x0]
    msr  fpcr, x1
    msr  fpsr, x2
    ret
.global renga_fp_end
renga_fp_end:
