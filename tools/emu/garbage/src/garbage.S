// Registers: x19 what the firmware said, x20 the last random word (xorshift64), x1 and x2 for everything.

.equ    KERNEL, 0x1000                  // behind the image's beginning; `KERNEL_OFFSET` of the tool
.equ    GPIO, 0x3f200000
.equ    GPFSEL2, 0x08
.equ    GPREN0, 0x4c                    // rising edges of pins 0 to 31
.equ    GPHEN1, 0x68                    // high levels of pins 32 on
.equ    GPLEN1, 0x74                    // low levels of pins 32 on
.equ    UART0, 0x3f201000
.equ    UART_IMSC, 0x38
.equ    INTERRUPTS, 0x3f00b200
.equ    FIQ_CONTROL, 0x0c
.equ    ENABLE_1, 0x10
.equ    ENABLE_2, 0x14

// Random words from x1 to x2.
.macro  fill
0:      eor     x20, x20, x20, lsl #13
        eor     x20, x20, x20, lsr #7
        eor     x20, x20, x20, lsl #17
        str     x20, [x1], #8
        cmp     x1, x2
        b.lo    0b
.endm

        .section .text.image, "ax"
        .globl  image
image:                                  // the header of an arm64 image
        b       begin
        .word   0
        .quad   0x200000                // where it wants to be, from the beginning of memory
        .quad   0x400000                // bytes that it takes; `IMAGE_BYTES_MAX` of the tool
        .quad   2                       // pages of 4 KiB
        .quad   0, 0, 0
        .ascii  "ARM\x64"
        .word   0
seed:   .quad   1                       // `SEED_OFFSET` of the tool, which writes its own here

begin:  mrs     x1, mpidr_el1           // one core does it
        and     x1, x1, #0xff
        cbnz    x1, sleep
        mov     x19, x0
        ldr     x20, seed

        // Memory except the ranges above and the image.
        mov     x1, #0x600000
        mov     x2, #0x8000000
        fill
        mov     x1, #0x8200000
        mov     x2, #0x10000000
        fill
        mov     x1, #0x80000
        ldr     x2, image_end
        fill

        // Pin events, odd functions of pins, interrupts of the console and all others, one of them a fast one.
        mov     x1, #GPIO
        mov     w2, #1 << 15
        str     w2, [x1, #GPHEN1]
        str     w2, [x1, #GPLEN1]
        str     w2, [x1, #GPREN0]
        ldr     w2, functions
        str     w2, [x1, #GPFSEL2]
        ldr     x1, uart
        mov     w2, #0x7ff
        str     w2, [x1, #UART_IMSC]
        ldr     x1, interrupts
        mov     w2, #-1
        str     w2, [x1, #ENABLE_2]
        str     w2, [x1, #ENABLE_1]
        mov     w2, #0x80
        str     w2, [x1, #FIQ_CONTROL]

        // System registers of EL2 and EL1: garbage where the value means nothing while its switch is off.
        ldr     x1, sctlr_el2_off
        msr     sctlr_el2, x1
        mov     x1, #-1
        msr     cntvoff_el2, x1
        mov     x1, #0
        msr     cnthctl_el2, x1
        msr     hstr_el2, x20
        mov     x1, #0x33ff
        msr     cptr_el2, x1
        ldr     x1, table
        msr     vttbr_el2, x1
        msr     vbar_el1, x20
        msr     mair_el1, x20
        msr     ttbr0_el1, x1
        msr     ttbr1_el1, x1
        msr     tpidr_el0, x20
        msr     tpidr_el1, x20
        msr     contextidr_el1, x20
        msr     mdscr_el1, xzr
        mov     x1, #7
        msr     cntkctl_el1, x1
        mov     x1, #1                  // both timers run
        msr     cntv_ctl_el0, x1
        msr     cntp_ctl_el0, x1
        mov     sp, x20

        adr     x21, image
        add     x21, x21, #KERNEL
        mov     x0, x19
        mov     x1, x20
        mov     x2, x20
        mov     x3, x20
        mov     x4, x20
        mov     x5, x20
        mov     x6, x20
        mov     x7, x20
        mov     x8, x20
        mov     x29, x20
        mov     x30, x20
        br      x21

sleep:  wfi
        b       sleep
        .balign 8

image_end:      .quad 0x1ff000
functions:      .word 0x24924924, 0             // GPIO 20 to 29: alternate functions
uart:           .quad UART0
interrupts:     .quad INTERRUPTS
sctlr_el2_off:  .quad 0x30c50830                // what must be one
table:          .quad 0xdeadbeefcafe
