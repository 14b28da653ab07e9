/* What packages ask for of threads. Says the same everywhere. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Threads. */
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
    execl("/tmp/threads", "threads", "replaced", pid, (char *)0);
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
    const char *part = words_of[1];
    if (!strcmp(part, "processes")) processes();
    if (!strcmp(part, "times")) times();
    if (!strcmp(part, "executes")) executes();
    if (!strcmp(part, "replaced")) replaced(words_of[count - 1]);
    if (!strcmp(part, "words")) words();
    if (!strcmp(part, "timers")) timers();
    return 0;
}
