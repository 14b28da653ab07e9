// memcpy, memmove and memset, 256 or 64 bytes a step where nothing overlaps: pages are copied and cleared all the time,
// and the compiler's own versions take eight. Unaligned accesses are allowed, since translation is on before any Rust code runs
// and these touch normal memory only.

.macro copy_64 at
    ldp  x6, x7, [x1, #\at]
    ldp  x8, x9, [x1, #\at + 16]
    ldp  x10, x11, [x1, #\at + 32]
    ldp  x12, x13, [x1, #\at + 48]
    stp  x6, x7, [x3, #\at]
    stp  x8, x9, [x3, #\at + 16]
    stp  x10, x11, [x3, #\at + 32]
    stp  x12, x13, [x3, #\at + 48]
.endm

.section .text.memcpy, "ax"
.balign 64
.global memcpy
memcpy:                                 // x0 to, x1 from, x2 bytes; returns x0
    mov  x3, x0
    subs x4, x2, #256
    b.lo 9f
1:  copy_64 0
    copy_64 64
    copy_64 128
    copy_64 192
    add  x1, x1, #256
    add  x3, x3, #256
    subs x4, x4, #256
    b.hs 1b
    ands x2, x2, #255
    b.eq 7f
9:  tbz  x2, #7, 2f
    copy_64 0
    copy_64 64
    add  x1, x1, #128
    add  x3, x3, #128
2:  tbz  x2, #6, 3f
    copy_64 0
    add  x1, x1, #64
    add  x3, x3, #64
3:  tbz  x2, #5, 4f
    ldp  x6, x7, [x1]
    ldp  x8, x9, [x1, #16]
    add  x1, x1, #32
    stp  x6, x7, [x3]
    stp  x8, x9, [x3, #16]
    add  x3, x3, #32
4:  tbz  x2, #4, 5f
    ldp  x6, x7, [x1], #16
    stp  x6, x7, [x3], #16
5:  tbz  x2, #3, 6f
    ldr  x6, [x1], #8
    str  x6, [x3], #8
6:  ands x2, x2, #7
    b.eq 7f
    cmp  x3, x0
    b.eq 8f
    add  x1, x1, x2                     // the last eight bytes, some of them again
    add  x3, x3, x2
    ldur x6, [x1, #-8]
    stur x6, [x3, #-8]
    ret
8:  ldrb w6, [x1], #1
    strb w6, [x3], #1
    subs x2, x2, #1
    b.ne 8b
7:  ret

.section .text.memmove, "ax"
.balign 64
.global memmove
memmove:                                // x0 to, x1 from, x2 bytes; returns x0
    subs x3, x0, x1
    cneg x4, x3, lo
    cmp  x4, x2
    b.hs memcpy                         // they do not overlap
    mov  x3, x0
    cmp  x0, x1
    b.hi 3f
1:  subs x2, x2, #8                     // down: from the start, each word is read before it is overwritten
    b.lo 2f
    ldr  x6, [x1], #8
    str  x6, [x3], #8
    b    1b
2:  adds x2, x2, #8
    b.eq 5f
4:  ldrb w6, [x1], #1
    strb w6, [x3], #1
    subs x2, x2, #1
    b.ne 4b
5:  ret
3:  add  x1, x1, x2                     // up: from the end
    add  x3, x3, x2
6:  subs x2, x2, #8
    b.lo 7f
    ldr  x6, [x1, #-8]!
    str  x6, [x3, #-8]!
    b    6b
7:  adds x2, x2, #8
    b.eq 9f
8:  ldrb w6, [x1, #-1]!
    strb w6, [x3, #-1]!
    subs x2, x2, #1
    b.ne 8b
9:  ret

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
    and  x2, x2, #63
6:  cbz  x2, 7f
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

.equ PAGE_BYTES, 4096
.equ LINE_OF_64, 4                      // DCZID_EL0: allowed, 64 bytes each

// The only place for DC ZVA, which faults on device memory and while translation or caches are off: the
// page is one of user memory's, in the linear map.
.section .text.renga_clear_page, "ax"
.balign 64
.global renga_clear_page
.global renga_clear_page_end
renga_clear_page:                       // x0 page, in the linear map
    add  x2, x0, #PAGE_BYTES
    mrs  x1, dczid_el0
    cmp  x1, #LINE_OF_64
    b.ne 2f
1:  dc   zva, x0
    add  x0, x0, #64
    dc   zva, x0
    add  x0, x0, #64
    dc   zva, x0
    add  x0, x0, #64
    dc   zva, x0
    add  x0, x0, #64
    dc   zva, x0
    add  x0, x0, #64
    dc   zva, x0
    add  x0, x0, #64
    dc   zva, x0
    add  x0, x0, #64
    dc   zva, x0
    add  x0, x0, #64
    cmp  x0, x2
    b.ne 1b
    ret
2:  stp  xzr, xzr, [x0], #16
    cmp  x0, x2
    b.ne 2b
    ret
renga_clear_page_end:
