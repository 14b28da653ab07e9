/* What calls answer to arguments that are unusual or wrong: a line each. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>
#include <errno.h>
#include <signal.h>
#include <limits.h>
#include <sched.h>
#include <sys/wait.h>
#include <sys/stat.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/select.h>
#include <sys/resource.h>
#include <sys/timex.h>
static void say(const char*w, long r) {
    if (r == -1 && errno) printf("%s %s\n", w, strerrorname_np(errno));
    else printf("%s %ld\n", w, r);
    fflush(stdout);
    errno = 0;
}
#define S(w,...) (errno=0,say(w,syscall(__VA_ARGS__)))
static int order[8], n;
static void h(int s) {
    order[n++] = s;
}
int main() {
    char b[4096];
    struct stat st;
    close(open("f", O_RDWR|O_CREAT|O_TRUNC, 0644));
    mkdir("d", 0755);
    symlink("f", "l");
    symlink("nowhere", "dangling");
    stack_t ss = {.ss_sp = malloc(65536), .ss_size = 65536, .ss_flags = 77};
    S("sigaltstack flags", SYS_sigaltstack, &ss, 0);
    ss.ss_flags = 1;
    S("sigaltstack onstack", SYS_sigaltstack, &ss, 0);
    ss.ss_flags = 2;
    S("sigaltstack disable", SYS_sigaltstack, &ss, 0);
    S("getrandom 8", SYS_getrandom, b, 8, 8);
    S("getrandom 6", SYS_getrandom, b, 8, 6);
    S("getrandom 4", SYS_getrandom, b, 8, 4);
    S("unlinkat flag", SYS_unlinkat, AT_FDCWD, "nothing", 0x100);
    S("fstatat flag", SYS_newfstatat, AT_FDCWD, "f", &st, 0x10);
    S("fstatat automount", SYS_newfstatat, AT_FDCWD, "f", &st, 0x800);
    S("faccessat2 flag", 439, AT_FDCWD, "f", 0, 1);
    S("faccessat2 mode", 439, AT_FDCWD, "f", 8, 0);
    S("faccessat mode", SYS_faccessat, AT_FDCWD, "f", 9);
    S("faccessat2 link", 439, AT_FDCWD, "dangling", 0, 0x100);
    S("faccessat2 follow", 439, AT_FDCWD, "dangling", 0, 0);
    S("faccessat2 exec", 439, AT_FDCWD, "f", 1, 0x200);
    int fd = open("f", O_RDWR);
    S("faccessat2 empty", 439, fd, "", 4, 0x1000);
    S("faccessat2 empty x", 439, fd, "", 1, 0x1000);
    S("fchownat flag", SYS_fchownat, AT_FDCWD, "f", 0, 0, 1);
    S("linkat flag", SYS_linkat, AT_FDCWD, "f", AT_FDCWD, "f2", 1);
    S("utimensat flag", SYS_utimensat, AT_FDCWD, "f", 0, 1);
    errno = 0;
    say("mmap validate", (long)mmap(0, 4096, 1, MAP_SHARED_VALIDATE|0x800000, fd, 0) == -1?-1:0);
    errno = 0;
    say("mmap validate ok", (long)mmap(0, 4096, 1, MAP_SHARED_VALIDATE, fd, 0) == -1?-1:0);
    errno = 0;
    say("mmap validate anon", (long)mmap(0, 4096, 1, MAP_SHARED_VALIDATE|MAP_ANONYMOUS, -1, 0) == -1?-1:0);
    char*m = mmap(0, 16384, 3, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0);
    int adv[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 14, 15, 16, 17, 20, 21, 26, 27, 99, 102, -1};
    for (unsigned i = 0; i<sizeof adv/sizeof*adv; i++) {
        char t[30];
        sprintf(t, "madvise %d", adv[i]);
        S(t, SYS_madvise, m, 4096, adv[i]);
    }
    S("madvise unaligned", SYS_madvise, m+1, 4096, 0);
    munmap(m + 8192, 4096);
    S("madvise hole", SYS_madvise, m, 16384, 0);
    S("madvise long", SYS_madvise, m, -1L, 0);
    S("madvise empty", SYS_madvise, m, 0, 4);
    struct timespec t0 = {0, 1000};
    S("pselect -1", SYS_pselect6, -1, 0, 0, 0, &t0, 0);
    struct iovec v[2] = {{b, 4}, {b, -1}};
    S("readv neg", SYS_readv, fd, v, 2);
    S("writev neg", SYS_writev, fd, v, 2);
    S("pwritev neg", SYS_pwritev, fd, v, 2, 0, 0);
    S("writev many", SYS_writev, fd, v, 1025);
    S("writev minus", SYS_writev, fd, v, -1L);
    S("writev 0", SYS_writev, fd, v, 0);
    fstat(fd, &st);
    say("size", st.st_size);
    struct sigaction sa;
    memset(&sa, 0, sizeof sa);
    sa.sa_handler = h;
    sa.sa_flags = SA_RESETHAND|SA_RESTART|SA_NODEFER;
    sigaddset(&sa.sa_mask, SIGHUP);
    sigaction(SIGUSR1, &sa, 0);
    raise(SIGUSR1);
    sigaction(SIGUSR1, 0, &sa);
    printf("resethand %d %x %d\n", sa.sa_handler == SIG_DFL, sa.sa_flags&~0x04000000, sigismember(&sa.sa_mask, SIGHUP));
    for (int k = 0; k<3; k++) {
        n = 0;
        sigset_t all, none;
        sigfillset(&all);
        sigemptyset(&none);
        memset(&sa, 0, sizeof sa);
        sa.sa_handler = h;
        if (k == 1) sa.sa_mask = all;
        sigprocmask(SIG_SETMASK, &all, 0);
        int two[2] = {k == 2?SIGUSR2:SIGUSR1, k == 2?SIGUSR1:SIGUSR2};
        sigaction(SIGUSR1, &sa, 0);
        sigaction(SIGUSR2, &sa, 0);
        raise(two[0]);
        raise(two[1]);
        sigsuspend(&none);
        printf("sigsuspend %d: %d %d %d\n", k, n, order[0], order[1]);
        n = 0;
        raise(two[0]);
        raise(two[1]);
        sigprocmask(SIG_SETMASK, &none, 0);
        printf("unblock %d: %d %d %d\n", k, n, order[0], order[1]);
        n = 0;
        sigprocmask(SIG_SETMASK, &all, 0);
        raise(two[0]);
        raise(two[1]);
        struct timespec z = {0, 1};
        ppoll(0, 0, &z, &none);
        printf("ppoll %d: %d %d %d\n", k, n, order[0], order[1]);
        sigprocmask(SIG_SETMASK, &none, 0);
    }
    S("wait INT_MIN", SYS_wait4, INT_MIN, 0, 0, 0);
    S("wait -1", SYS_wait4, -1, 0, 0, 0);
    S("getparam null", SYS_sched_getparam, 0, 0);
    S("setparam null", SYS_sched_setparam, 0, 0);
    S("setscheduler null", SYS_sched_setscheduler, 0, 0, 0);
    S("getattr null", SYS_sched_getattr, 0, 0, 48, 0);
    S("getpriority pgrp", SYS_getpriority, PRIO_PGRP, 0);
    S("getpriority bad", SYS_getpriority, 3, 0);
    S("getpriority nogroup", SYS_getpriority, PRIO_PGRP, 99999);
    S("setpriority pgrp", SYS_setpriority, PRIO_PGRP, 0, 1);
    S("getpriority self", SYS_getpriority, PRIO_PROCESS, 0);
    S("setpriority", SYS_setpriority, PRIO_PGRP, 0, 0);
    write(fd, "0123456789", 10);
    lseek(fd, 3, 0);
    int k = 77;
    errno = 0;
    say("FIONREAD", ioctl(fd, FIONREAD, &k));
    printf("rest %d\n", k);
    int dd = open("d", O_RDONLY);
    errno = 0;
    say("FIONREAD dir", ioctl(dd, FIONREAD, &k));
    /* exec by descriptor */
    pid_t c;
    int s;
    int ex = open("/bin/echo", O_RDONLY|O_CLOEXEC);
    fflush(stdout);
    if (!(c = fork())) {
        char*a[] = {"echo", "by fd", 0}, *e[] = {0};
        fexecve(ex, a, e);
        _exit(9);
    }
    waitpid(c, &s, 0);
    printf("fexecve %x\n", s);
    fflush(stdout);
    int bd = open("/bin", O_PATH);
    if (!(c = fork())) {
        char*a[] = {"echo", "at dir", 0}, *e[] = {0};
        syscall(SYS_execveat, bd, "echo", a, e, 0);
        _exit(9);
    }
    waitpid(c, &s, 0);
    printf("execveat %x\n", s);
    fflush(stdout);
    char*a[] = {"x", 0}, *e[] = {0};
    S("execveat flag", SYS_execveat, bd, "echo", a, e, 1);
    S("execveat empty", SYS_execveat, ex, "", a, e, 0);
    S("execveat dir", SYS_execveat, bd, "", a, e, 0x1000);
    S("execveat data", SYS_execveat, fd, "", a, e, 0x1000);
    S("execveat bad", SYS_execveat, 99, "", a, e, 0x1000);
    int sf = open("s", O_RDWR|O_CREAT|O_TRUNC, 0755);
    write(sf, "#!/bin/echo\n", 12);
    close(sf);
    sf = open("s", O_RDONLY);
    if (!(c = fork())) {
        syscall(SYS_execveat, sf, "", a, e, 0x1000);
        _exit(9);
    }
    waitpid(c, &s, 0);
    printf("script %x\n", s);
    fflush(stdout);
    if (!(c = fork())) {
        char t[40];
        sprintf(t, "/proc/self/fd/%d", ex);
        char*a2[] = {"echo", "by proc", 0};
        execve(t, a2, e);
        _exit(9);
    }
    waitpid(c, &s, 0);
    printf("proc %x\n", s);
    fflush(stdout);
    /* openat2 */
    struct {
        unsigned long f, m, r, x;
    }
    how = {O_RDONLY, 0, 0, 0};
    errno = 0;
    say("openat2", syscall(437, AT_FDCWD, "f", &how, 24)>0);
    S("openat2 size", 437, AT_FDCWD, "f", &how, 23);
    errno = 0;
    say("openat2 long", syscall(437, AT_FDCWD, "f", &how, 32)>0);
    how.x = 1;
    S("openat2 new", 437, AT_FDCWD, "f", &how, 32);
    how.r = 64;
    S("openat2 resolve", 437, AT_FDCWD, "f", &how, 24);
    how.r = 0;
    how.m = 0600;
    S("openat2 mode", 437, AT_FDCWD, "f", &how, 24);
    how.f = O_CREAT|O_WRONLY;
    errno = 0;
    say("openat2 creat", syscall(437, AT_FDCWD, "made", &how, 24)>0);
    how.f = 1UL<<40;
    how.m = 0;
    S("openat2 flag", 437, AT_FDCWD, "f", &how, 24);
    /* splice */
    int q[2], q2[2];
    pipe(q);
    pipe(q2);
    lseek(fd, 0, 0);
    S("splice in", SYS_splice, fd, 0, q[1], 0, 6, 0);
    S("splice rest", SYS_splice, fd, 0, q[1], 0, 100, 0);
    S("splice eof", SYS_splice, fd, 0, q[1], 0, 100, 0);
    S("splice pipes", SYS_splice, q[0], 0, q2[1], 0, 4, 0);
    int o = open("out", O_RDWR|O_CREAT|O_TRUNC, 0644);
    long off = 2;
    S("splice out", SYS_splice, q[0], 0, o, &off, 100, 0);
    say("off", off);
    S("splice again", SYS_splice, q[0], 0, o, 0, 100, 2);
    S("splice files", SYS_splice, fd, 0, o, 0, 1, 0);
    S("splice espipe", SYS_splice, q[0], &off, o, 0, 1, 0);
    S("splice flag", SYS_splice, q[0], 0, o, 0, 1, 16);
    S("splice zero", SYS_splice, q[0], 0, o, 0, 0, 0);
    S("splice same", SYS_splice, q[0], 0, q[1], 0, 1, 0);
    memset(b, 0, 20);
    pread(o, b, 20, 0);
    for (int i = 0; i<2; i++)b[i]='.';
    printf("out %s\n", b);
    memset(b, 0, 20);
    read(q2[0], b, 20);
    printf("pipe %s\n", b);
    struct iovec w[2] = {{"ab", 2}, {"cd", 2}};
    S("vmsplice", SYS_vmsplice, q[1], w, 2, 0);
    S("vmsplice file", SYS_vmsplice, fd, w, 2, 0);
    memset(b, 0, 20);
    read(q[0], b, 20);
    printf("got %s\n", b);
    S("membarrier bad", SYS_membarrier, 12345, 0);
    S("membarrier flag", SYS_membarrier, 0, 1);
    int du = dup(fd);
    S("kcmp same", SYS_kcmp, getpid(), getpid(), 0, fd, du);
    errno = 0;
    say("kcmp other", syscall(SYS_kcmp, getpid(), getpid(), 0, fd, o)>0);
    S("kcmp vm", SYS_kcmp, getpid(), getpid(), 1, 0, 0);
    S("kcmp bad", SYS_kcmp, getpid(), getpid(), 99, 0, 0);
    S("kcmp badf", SYS_kcmp, getpid(), getpid(), 0, fd, 99);
    S("kcmp esrch", SYS_kcmp, getpid(), 99999, 1, 0, 0);
    S("ioprio set", SYS_ioprio_set, 1, 0, 2<<13|4);
    S("ioprio class", SYS_ioprio_set, 1, 0, 4<<13);
    S("ioprio level", SYS_ioprio_set, 1, 0, 2<<13|9);
    S("ioprio which", SYS_ioprio_get, 9, 0);
    S("ioprio esrch", SYS_ioprio_get, 1, 99999);
    struct timex tx;
    memset(&tx, 0, sizeof tx);
    S("adjtimex", SYS_adjtimex, &tx);
    printf("tick %ld status %x\n", tx.tick, tx.status&0x40);
    int mf = syscall(SYS_memfd_create, "name", 1);
    say("memfd", mf>0);
    errno = 0;
    say("memfd size", ftruncate(mf, 8192));
    char*mm = mmap(0, 8192, 3, MAP_SHARED, mf, 0);
    mm[5000]='y';
    pread(mf, b, 1, 5000);
    printf("memfd %c cloexec %d\n", b[0], fcntl(mf, F_GETFD));
    fstat(mf, &st);
    printf("memfd mode %o links %ld\n", st.st_mode, (long)st.st_nlink);
    S("memfd flag", SYS_memfd_create, "n", 64);
    char*big = malloc(300);
    memset(big, 'a', 260);
    big[250] = 0;
    S("memfd long", SYS_memfd_create, big, 0);
    return 0;
}
