/* What packages ask for: of threads, of pages that are written and executed, of files. Says the same everywhere. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static void say(const char *what, long result) {
    if (result < 0) printf("%s %s\n", what, strerrorname_np(errno));
    else printf("%s %ld\n", what, result);
    fflush(stdout);
}
static void text(const char *what, const char *words) {
    printf("%s %s\n", what, words);
    fflush(stdout);
}

/* Pages that are written and executed. */
typedef long (*code)(void);
static const uint32_t RETURNS[] = {0xd2800000, 0xd65f03c0}; /* mov x0, #0; ret */
static long run_at(void *place, int value) {
    uint32_t *at = place;
    at[0] = RETURNS[0] | value << 5;
    at[1] = RETURNS[1];
    __builtin___clear_cache((char *)at, (char *)(at + 2));
    return ((code)at)();
}
static void show_access(const char *what, void *page) {
    char line[200];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps)) {
        unsigned long start, end;
        char access[8];
        sscanf(line, "%lx-%lx %7s", &start, &end, access);
        if (start <= (unsigned long)page && (unsigned long)page < end) text(what, access);
    }
    fclose(maps);
}
static void mappings(void) {
    const int all = PROT_READ | PROT_WRITE | PROT_EXEC;
    char *page = mmap(0, 8192, all, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    say("map all", page == MAP_FAILED ? -1 : 0);
    if (page != MAP_FAILED) {
        show_access("access", page);
        for (int value = 1; value < 5; value++) say("run", run_at(page + 8 * value, value));
        /* A child's copy is its own, and runs. */
        pid_t child = fork();
        if (!child) _exit(run_at(page + 8, 77) + run_at(page + 4096, 1));
        int status;
        waitpid(child, &status, 0);
        say("child runs", WEXITSTATUS(status));
        say("parent runs", ((code)(page + 8))());
        say("to code", mprotect(page, 4096, PROT_READ | PROT_EXEC));
        say("runs", ((code)(page + 16))());
        say("to all", mprotect(page, 4096, all));
        say("run", run_at(page + 16, 9));
        say("read bytes", read(open("/dev/zero", O_RDONLY), page + 8, 4));
        say("unmap", munmap(page, 8192));
    }
    page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    page[100] = 1;
    say("protect", mprotect(page, 4096, all));
    say("run", run_at(page, 5));
    int fd = open("code", O_RDWR | O_CREAT, 0755);
    say("write", write(fd, RETURNS, sizeof RETURNS));
    page = mmap(0, 4096, all, MAP_PRIVATE, fd, 0);
    say("file", page == MAP_FAILED ? -1 : ((code)page)());
    say("changed", run_at(page, 6));
    uint32_t kept[2];
    pread(fd, kept, sizeof kept, 0);
    say("kept", kept[0] == RETURNS[0]);
    page = mmap(0, 4096, all, MAP_SHARED, fd, 0);
    say("shared file", page == MAP_FAILED ? -1 : ((code)page)());
    say("changed", run_at(page, 7));
    pread(fd, kept, sizeof kept, 0);
    say("kept", kept[0] == RETURNS[0]);
    page = mmap(0, 4096, all, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    say("shared", run_at(page, 8));
    if (!fork()) _exit(run_at(page + 64, 9));
    wait(0);
    say("of child", ((code)(page + 64))());
    /* As LuaJIT and libffi do with memory files: one page, twice. */
    int memory = memfd_create("code", 0);
    say("size", ftruncate(memory, 4096));
    uint32_t *written = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    char *executed = mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, memory, 0);
    written[0] = RETURNS[0] | 11 << 5;
    written[1] = RETURNS[1];
    __builtin___clear_cache((char *)written, (char *)(written + 2));
    __builtin___clear_cache(executed, executed + 8);
    say("twice", ((code)executed)());
}

/* Further calls of files. */
static void files(void) {
    int fd = open("ten", O_RDWR | O_CREAT, 0644);
    say("write", write(fd, "0123456789", 10));
    say("data", lseek(fd, 3, SEEK_DATA));
    say("hole", lseek(fd, 3, SEEK_HOLE));
    say("data at end", lseek(fd, 10, SEEK_DATA));
    say("hole at end", lseek(fd, 10, SEEK_HOLE));
    say("hole before", lseek(fd, -1, SEEK_HOLE));
    say("data last", lseek(fd, 9, SEEK_DATA));
    say("now", lseek(fd, 0, SEEK_CUR));
    say("whence", lseek(fd, 0, 5));
    off_t from = 0, to = 4;
    say("overlap", copy_file_range(fd, &from, fd, &to, 5, 0));
    from = 0, to = 5;
    say("beside", copy_file_range(fd, &from, fd, &to, 5, 0));
    from = 5, to = 1;
    say("overlap back", copy_file_range(fd, &from, fd, &to, 5, 0));
    from = 0, to = 0;
    say("same", copy_file_range(fd, &from, fd, &to, 5, 0));
    from = 8, to = 4;
    say("to the end", copy_file_range(fd, &from, fd, &to, 4, 0));
    from = 8, to = 9;
    say("short", copy_file_range(fd, &from, fd, &to, 4, 0));
    char bytes[16] = "";
    say("read", pread(fd, bytes, 15, 0));
    text("is", bytes);
    say("exchange none", renameat2(AT_FDCWD, "ten", AT_FDCWD, "none", RENAME_EXCHANGE));
    say("both", renameat2(AT_FDCWD, "ten", AT_FDCWD, "none", RENAME_EXCHANGE | RENAME_NOREPLACE));
    say("unknown", renameat2(AT_FDCWD, "ten", AT_FDCWD, "none", 64));
    mkdir("d", 0755);
    mkdir("d/e", 0755);
    mkdir("d/e/f", 0755);
    say("other", close(open("d/e/other", O_CREAT | O_WRONLY, 0600)));
    say("no replace", renameat2(AT_FDCWD, "ten", AT_FDCWD, "d/e/other", RENAME_NOREPLACE));
    say("no replace free", renameat2(AT_FDCWD, "ten", AT_FDCWD, "eleven", RENAME_NOREPLACE));
    say("exchange", renameat2(AT_FDCWD, "eleven", AT_FDCWD, "d/e/other", RENAME_EXCHANGE));
    struct stat status;
    say("stat", stat("eleven", &status));
    say("size", status.st_size);
    say("stat", stat("d/e/other", &status));
    say("size", status.st_size);
    say("with directory", renameat2(AT_FDCWD, "eleven", AT_FDCWD, "d/e/f", RENAME_EXCHANGE));
    say("stat", stat("eleven", &status));
    say("directory", S_ISDIR(status.st_mode));
    say("links", status.st_nlink);
    say("stat", stat("d/e", &status));
    say("links", status.st_nlink);
    say("up", stat("eleven/..", &status));
    struct stat here;
    stat(".", &here);
    say("is here", here.st_ino == status.st_ino);
    say("links", here.st_nlink);
    say("into itself", renameat2(AT_FDCWD, "d", AT_FDCWD, "d/e/other", RENAME_EXCHANGE));
    say("out of itself", renameat2(AT_FDCWD, "d/e/other", AT_FDCWD, "d", RENAME_EXCHANGE));
    say("with itself", renameat2(AT_FDCWD, "d", AT_FDCWD, "d", RENAME_EXCHANGE));
    say("directories", renameat2(AT_FDCWD, "eleven", AT_FDCWD, "d/e", RENAME_EXCHANGE));
    say("stat", stat("eleven/f", &status));
    say("size", status.st_size);
    say("up", stat("d/e/..", &status));
    struct stat outer;
    stat("d", &outer);
    say("is d", outer.st_ino == status.st_ino);
    say("slash", renameat2(AT_FDCWD, "eleven/f/", AT_FDCWD, "d", RENAME_EXCHANGE));
    say("dot", renameat2(AT_FDCWD, "d/.", AT_FDCWD, "eleven", RENAME_EXCHANGE));
}

/* Pipes whose bytes go two ways. */
static void tees(void) {
    int a[2], b[2];
    char bytes[64];
    pipe(a);
    pipe(b);
    say("write", write(a[1], "some bytes", 10));
    say("tee", tee(a[0], b[1], 4, 0));
    say("tee", tee(a[0], b[1], 100, 0));
    memset(bytes, 0, sizeof bytes);
    say("read", read(b[0], bytes, 63));
    text("is", bytes);
    memset(bytes, 0, sizeof bytes);
    say("read", read(a[0], bytes, 63));
    text("is", bytes);
    say("empty", tee(a[0], b[1], 9, SPLICE_F_NONBLOCK));
    say("itself", tee(a[0], a[1], 9, 0));
    say("wrong end", tee(a[1], b[1], 9, 0));
    say("wrong end", tee(a[0], b[0], 9, 0));
    say("nothing", tee(a[0], b[1], 0, 0));
    int fd = open("/dev/null", O_RDWR);
    say("no pipe", tee(a[0], fd, 9, 0));
    say("no pipe", tee(fd, b[1], 9, 0));
    say("flags", tee(a[0], b[1], 9, 64));
    if (!fork()) {
        usleep(20000);
        write(a[1], "late", 4);
        _exit(0);
    }
    say("waits", tee(a[0], b[1], 9, 0));
    wait(0);
    close(a[1]);
    say("left", read(a[0], bytes, 63));
    say("end", tee(a[0], b[1], 9, 0));
}

/* Threads. */
static int told[2];
static pid_t tid_of[4];
static pthread_barrier_t both;
static void *sleeper(void *number) {
    char name[16];
    sprintf(name, "thread-%ld", (long)number);
    prctl(PR_SET_NAME, name);
    tid_of[(long)number] = gettid();
    pthread_barrier_wait(&both);
    pthread_barrier_wait(&both);
    return 0;
}
static void line_of(const char *path, const char *start) {
    char line[300];
    FILE *file = fopen(path, "r");
    if (!file) {
        say("open", -1);
        return;
    }
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, start, strlen(start))) continue;
        line[strcspn(line, "\n")] = 0;
        text("line", line);
    }
    fclose(file);
}
static void processes(void) {
    pthread_t threads[3];
    char path[100], line[300];
    struct stat status;
    pthread_barrier_init(&both, 0, 4);
    for (long n = 0; n < 3; n++) pthread_create(&threads[n], 0, sleeper, (void *)n);
    pthread_barrier_wait(&both);
    prctl(PR_SET_NAME, "first");
    line_of("/proc/self/status", "Threads:");
    line_of("/proc/self/status", "Name:");
    line_of("/proc/self/comm", "");
    int known = 0, unknown = 0;
    DIR *directory = opendir("/proc/self/task");
    if (directory) {
        for (struct dirent *entry; (entry = readdir(directory));) {
            pid_t tid = atoi(entry->d_name);
            if (!tid) continue;
            int is = tid == getpid();
            for (int n = 0; n < 3; n++) is |= tid == tid_of[n];
            if (is) known++;
            else unknown++;
        }
        closedir(directory);
    }
    say("known", known);
    say("unknown", unknown);
    say("task links", stat("/proc/self/task", &status) ? -1 : (long)status.st_nlink);
    for (int n = 0; n < 3; n++) {
        sprintf(path, "/proc/self/task/%d/comm", tid_of[n]);
        line_of(path, "");
        sprintf(path, "/proc/self/task/%d/status", tid_of[n]);
        line_of(path, "Name:");
        line_of(path, "Threads:");
        FILE *file = fopen(path, "r");
        int tgid = 0, pid = 0, value;
        while (file && fgets(line, sizeof line, file)) {
            if (sscanf(line, "Tgid: %d", &value) == 1) tgid = value;
            if (sscanf(line, "Pid: %d", &value) == 1) pid = value;
        }
        if (file) fclose(file);
        say("tgid", tgid == getpid());
        say("pid", pid == tid_of[n]);
        sprintf(path, "/proc/self/task/%d/stat", tid_of[n]);
        file = fopen(path, "r");
        if (!file) continue;
        int parent, group, fields = fscanf(file, "%d (%[^)]) %*c %d %d", &pid, line, &parent, &group);
        printf("stat %d %d %s %d %d\n", fields, pid == tid_of[n], line, parent == getppid(), group == getpgrp());
        fclose(file);
    }
    sprintf(path, "/proc/self/task/%d/comm", getppid());
    line_of(path, "");
    sprintf(path, "/proc/%d/comm", tid_of[1]);
    line_of(path, "");
    say("foreign", syscall(SYS_tgkill, getppid(), tid_of[0], 0));
    say("own", syscall(SYS_tgkill, getpid(), tid_of[0], 0));
    say("not a leader", syscall(SYS_tgkill, tid_of[0], tid_of[0], 0));
    say("parent", syscall(SYS_tgkill, getppid(), getppid(), 0));
    say("wrong", syscall(SYS_tgkill, getpid(), getppid(), 0));
    say("zero", syscall(SYS_tgkill, 0, tid_of[0], 0));
    pthread_barrier_wait(&both);
    for (int n = 0; n < 3; n++) pthread_join(threads[n], 0);
    text("name", "kept");
    line_of("/proc/self/comm", "");
    fflush(stdout);
}
static void *computes(void *count) {
    volatile long n = 0;
    while (n < (long)count) n++;
    return 0;
}
static void times(void) {
    struct rusage before, after, own;
    pthread_t thread;
    getrusage(RUSAGE_SELF, &before);
    pthread_create(&thread, 0, computes, (void *)20000000);
    pthread_join(thread, 0);
    getrusage(RUSAGE_SELF, &after);
    getrusage(RUSAGE_THREAD, &own);
    long used = (after.ru_utime.tv_sec - before.ru_utime.tv_sec) * 1000000 + after.ru_utime.tv_usec - before.ru_utime.tv_usec;
    say("counted", used > 5000);
    say("not its own", own.ru_utime.tv_sec * 1000000 + own.ru_utime.tv_usec < used);
    long ticks = sysconf(_SC_CLK_TCK);
    FILE *file = fopen("/proc/self/stat", "r");
    unsigned long user = 0;
    fscanf(file, "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu", &user);
    fclose(file);
    (void)ticks;
    say("stat", user * 1000000 / ticks + 20000 >= (unsigned long)used);
    long pages = 0, total = 0;
    file = fopen("/proc/self/statm", "r");
    fscanf(file, "%ld %ld", &total, &pages);
    fclose(file);
    say("resident", pages > 50);
}
/* Runs another program by a further thread, while others wait and compute. */
static void *replaces(void *unused) {
    (void)unused;
    char pid[20];
    sprintf(pid, "%d", getpid());
    usleep(5000);
    execl("/tmp/packages", "packages", "replaced", pid, (char *)0);
    say("exec", -1);
    return 0;
}
static void *waits(void *unused) {
    (void)unused;
    for (;;) pause();
}
static void replace(int fails) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, waits, 0);
    pthread_create(&threads[1], 0, computes, (void *)LONG_MAX);
    if (fails) {
        char *none[] = {"none", 0};
        say("none", execv("./none", none));
    }
    fcntl(open("/dev/null", O_RDONLY | O_CLOEXEC), F_DUPFD, 300);
    pthread_create(&threads[2], 0, replaces, 0);
    if (fails) pthread_exit(0);
    pause();
}
static void replaced(const char *pid) {
    say("same pid", atoi(pid) == getpid());
    say("same tid", gettid() == getpid());
    line_of("/proc/self/status", "Threads:");
    line_of("/proc/self/comm", "");
    char path[64];
    sprintf(path, "/proc/%d/comm", getpid());
    line_of(path, "");
    say("open", fcntl(300, F_GETFD));
    say("raise", raise(SIGURG));
    pthread_t thread;
    say("create", pthread_create(&thread, 0, computes, (void *)1000));
    say("join", pthread_join(thread, 0));
}
static void executes(void) {
    for (int fails = 0; fails < 2; fails++) {
        int status;
        pid_t child = fork();
        if (!child) {
            replace(fails);
            _exit(9);
        }
        say("wait", waitpid(child, &status, 0) == child);
        say("status", status);
        say("none left", waitpid(child, &status, 0));
    }
}
/* Two words at once. */
static uint32_t first_word, second_word;
static void *waits_for(void *word) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, *(uint32_t *)word, 0);
    return 0;
}
static void words(void) {
    struct {
        int operation, argument, compare, with;
        uint32_t start;
    } cases[] = {
        {FUTEX_OP_SET, 7, FUTEX_OP_CMP_EQ, 0, 0},      {FUTEX_OP_ADD, 5, FUTEX_OP_CMP_NE, 3, 3},
        {FUTEX_OP_OR, 12, FUTEX_OP_CMP_LT, 4, 3},      {FUTEX_OP_ANDN, 3, FUTEX_OP_CMP_LE, 7, 7},
        {FUTEX_OP_XOR, 9, FUTEX_OP_CMP_GT, 0, 5},      {FUTEX_OP_ADD | 8, 4, FUTEX_OP_CMP_GE, 2, 2},
        {FUTEX_OP_ADD, 0xfff, FUTEX_OP_CMP_LT, 0, -2}, {FUTEX_OP_SET, 1, 7, 0, 0},
        {7, 1, FUTEX_OP_CMP_EQ, 0, 0},                 {FUTEX_OP_SET, 1, FUTEX_OP_CMP_EQ, 0xfff, -1},
    };
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        second_word = cases[n].start;
        uint32_t code = FUTEX_OP(cases[n].operation, cases[n].argument, cases[n].compare, cases[n].with);
        say("operation", syscall(SYS_futex, &first_word, FUTEX_WAKE_OP_PRIVATE, 1, 1, &second_word, code));
        say("word", second_word);
    }
    for (uint32_t start = 0; start < 2; start++) {
        pthread_t threads[2];
        second_word = start;
        pthread_create(&threads[0], 0, waits_for, &first_word);
        pthread_create(&threads[1], 0, waits_for, &second_word);
        usleep(50000);
        uint32_t code = FUTEX_OP(FUTEX_OP_SET, 5, FUTEX_OP_CMP_EQ, 1);
        say("woken", syscall(SYS_futex, &first_word, FUTEX_WAKE_OP_PRIVATE, 1, 1, &second_word, code));
        say("rest", syscall(SYS_futex, &second_word, FUTEX_WAKE_PRIVATE, 9));
        pthread_join(threads[0], 0);
        pthread_join(threads[1], 0);
    }
    say("crooked", syscall(SYS_futex, &first_word, FUTEX_WAKE_OP_PRIVATE, 1, 1, (char *)&second_word + 1, 0));
    say("nowhere", syscall(SYS_futex, &first_word, FUTEX_WAKE_OP_PRIVATE, 1, 1, 64, 0));
}
/* Timers that signal one thread. */
static atomic_int got, got_by;
static void on_signal(int signal, siginfo_t *info, void *unused) {
    (void)signal, (void)unused;
    got = info->si_value.sival_int;
    got_by = gettid();
}
static void *times_out(void *answer) {
    tid_of[0] = gettid();
    pthread_barrier_wait(&both);
    while (!got) usleep(1000);
    *(int *)answer = got_by == gettid();
    return 0;
}
static void notified(union sigval value) {
    got = value.sival_int;
}
static void timers(void) {
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    sigaction(SIGUSR1, &action, 0);
    pthread_t thread;
    int own = 0;
    pthread_barrier_init(&both, 0, 2);
    pthread_create(&thread, 0, times_out, &own);
    pthread_barrier_wait(&both);
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 41};
    event._sigev_un._tid = tid_of[0];
    timer_t timer;
    say("create", timer_create(CLOCK_MONOTONIC, &event, &timer));
    struct itimerspec soon = {.it_value.tv_nsec = 5000000};
    say("set", timer_settime(timer, 0, &soon, 0));
    for (int n = 0; n < 300 && !got; n++) usleep(1000);
    say("got", got);
    got = got ? got : 1;
    pthread_join(thread, 0);
    say("by thread", own);
    say("delete", timer_delete(timer));
    event._sigev_un._tid = getppid();
    say("of another", timer_create(CLOCK_MONOTONIC, &event, &timer));
    event._sigev_un._tid = tid_of[0];
    say("of none", timer_create(CLOCK_MONOTONIC, &event, &timer));
    got = 0;
    struct sigevent calls = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = notified, .sigev_value.sival_int = 42};
    say("create", timer_create(CLOCK_MONOTONIC, &calls, &timer));
    say("set", timer_settime(timer, 0, &soon, 0));
    for (int n = 0; n < 300 && !got; n++) usleep(1000);
    say("got", got);
    say("delete", timer_delete(timer));
}
int main(int count, char **words_of) {
    const char *part = count > 1 ? words_of[1] : "";
    if (!strcmp(part, "mappings")) mappings();
    if (!strcmp(part, "files")) files();
    if (!strcmp(part, "tees")) tees();
    if (!strcmp(part, "processes")) processes();
    if (!strcmp(part, "times")) times();
    if (!strcmp(part, "executes")) executes();
    if (!strcmp(part, "replaced")) replaced(words_of[2]);
    if (!strcmp(part, "words")) words();
    if (!strcmp(part, "timers")) timers();
    return 0;
}
