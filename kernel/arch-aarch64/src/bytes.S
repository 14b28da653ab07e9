// memcpy and memset, 64 bytes a step: pages are copied and cleared all the time, and the compiler's own
// versions take eight. Unaligned accesses are allowed, since translation is on before any Rust code runs
// and these touch normal memory only.

.section .text.memcpy, "ax"
.balign 64
.global memcpy
memcpy:                                 // x0 to, x1 from, x2 bytes; returns x0
    mov  x3, x0
    subs x4, x2, #64
    b.lo 3f
2:  ldp  x6, x7, [x1]
    ldp  x8, x9, [x1, #16]
    ldp  x10, x11, [x1, #32]
    ldp  x12, x13, [x1, #48]
    add  x1, x1, #64
    stp  x6, x7, [x3]
    stp  x8, x9, [x3, #16]
    stp  x10, x11, [x3, #32]
    stp  x12, x13, [x3, #48]
    add  x3, x3, #64
    subs x4, x4, #64
    b.hs 2b
    ands x2, x2, #63
    b.eq 7f
3:  subs x2, x2, #8
    b.lo 4f
    ldr  x6, [x1], #8
    str  x6, [x3], #8
    b    3b
4:  adds x2, x2, #8
    b.eq 7f
5:  ldrb w6, [x1], #1
    strb w6, [x3], #1
    subs x2, x2, #1
    b.ne 5b
7:  ret

.section .text.memset, "ax"
.balign 64
.global memset
memset:                                 // x0 to, w1 byte, x2 bytes; returns x0
    mov  x3, x0
    and  x1, x1, #0xff
    orr  x1, x1, x1, lsl #8
    orr  x1, x1, x1, lsl #16
    orr  x1, x1, x1, lsl #32
    subs x4, x2, #64
    b.lo 3f
2:  stp  x1, x1, [x3]
    stp  x1, x1, [x3, #16]
    stp  x1, x1, [x3, #32]
    stp  x1, x1, [x3, #48]
    add  x3, x3, #64
    subs x4, x4, #64
    b.hs 2b
    ands x2, x2, #63
    b.eq 7f
3:  subs x2, x2, #8
    b.lo 4f
    str  x1, [x3], #8
    b    3b
4:  adds x2, x2, #8
    b.eq 7f
5:  strb w1, [x3], #1
    subs x2, x2, #1
    b.ne 5b
7:  ret
