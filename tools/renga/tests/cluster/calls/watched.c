/* Files and processes that are watched, and processes that are made by a structure. Says the same everywhere. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static void say(const char *what, long result) {
    if (result < 0) printf("%s %s\n", what, strerrorname_np(errno));
    else printf("%s %ld\n", what, result);
    fflush(stdout);
}

/* What is read of a queue, but for numbers that differ: cookies are 0, or one of a pair. */
static void notices(const char *what, int queue) {
    char bytes[4096] __attribute__((aligned(8)));
    uint32_t cookie = 0;
    struct pollfd entry = {queue, POLLIN, 0};
    printf("%s:", what);
    /* An inode goes a moment after its last user. */
    while (poll(&entry, 1, 50) > 0) {
        long count = read(queue, bytes, sizeof bytes);
        for (long at = 0; at < count;) {
            struct inotify_event *event = (struct inotify_event *)(bytes + at);
            int joined = event->cookie && event->cookie == cookie;
            printf(" %d,%x,%s%s", event->wd, event->mask, event->len ? event->name : "-", joined ? "+" : event->cookie ? "?" : "");
            cookie = event->cookie;
            at += sizeof *event + event->len;
        }
    }
    printf("\n");
    fflush(stdout);
}
static void make(const char *path, const char *text) {
    int fd = open(path, O_CREAT | O_WRONLY, 0644);
    write(fd, text, strlen(text));
    close(fd);
}

/* Of other boards' programs opening, reading and closing is not reported. */
static const uint32_t USES = IN_OPEN | IN_ACCESS | IN_CLOSE;
static void files(uint32_t changes) {
    int waits = 0, queue = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    char room[300];
    say("queue", queue >= 0);
    say("flags", inotify_init1(1));
    say("cloexec", fcntl(queue, F_GETFD));
    say("empty", read(queue, room, sizeof room));
    say("write", write(queue, room, 8));
    say("seek", lseek(queue, 0, SEEK_CUR));
    say("pread", pread(queue, room, sizeof room, 0));
    mkdir("watched", 0755);
    make("watched/before", "1");
    int before = open("watched/before", O_WRONLY | O_APPEND);
    int all = inotify_add_watch(queue, "watched", changes);
    say("watch", all);
    say("again", inotify_add_watch(queue, "watched", changes));
    make("watched/a", "text");
    notices("make", queue);
    int fd = open("watched/a", O_RDONLY);
    read(fd, room, 2);
    read(fd, room, 2);
    read(fd, room, 2);
    close(fd);
    notices("read", queue);
    write(before, "2", 1);
    close(before);
    notices("write", queue);
    chmod("watched/a", 0600);
    utimensat(AT_FDCWD, "watched/a", 0, 0);
    truncate("watched/a", 1);
    notices("change", queue);
    close(open("watched/a", O_WRONLY | O_TRUNC));
    notices("cut", queue);
    rename("watched/a", "watched/b");
    notices("rename", queue);
    rename("watched/b", "outside");
    rename("outside", "watched/c");
    notices("move", queue);
    link("watched/c", "watched/d");
    symlink("c", "watched/link");
    mkdir("watched/sub", 0755);
    mkfifo("watched/fifo", 0600);
    notices("names", queue);
    rename("watched/c", "watched/before");
    notices("replace", queue);
    renameat2(AT_FDCWD, "watched/sub", AT_FDCWD, "watched/link", RENAME_EXCHANGE);
    notices("exchange", queue);
    rmdir("watched/link");
    unlink("watched/sub");
    unlink("watched/d");
    notices("remove", queue);
    say("none", unlink("watched/none"));
    notices("nothing", queue);

    /* A file itself. */
    int self = inotify_add_watch(queue, "watched/before", IN_ATTRIB | IN_MODIFY | IN_DELETE_SELF | IN_MOVE_SELF);
    say("watch file", self);
    say("end directory", inotify_rm_watch(queue, all));
    say("end again", inotify_rm_watch(queue, all));
    make("watched/before", "more");
    rename("watched/before", "watched/after");
    notices("file", queue);
    say("bytes", ioctl(queue, FIONREAD, &waits) < 0 ? -1 : waits);
    chmod("watched/after", 0700);
    ioctl(queue, FIONREAD, &waits);
    say("bytes", waits);
    say("short", read(queue, room, 15));
    fd = open("watched/after", O_RDONLY);
    unlink("watched/after");
    notices("unlinked", queue);
    close(fd);
    notices("closed", queue);
    say("gone", inotify_rm_watch(queue, self));

    /* Wishes. */
    make("watched/w", "w");
    say("no wish", inotify_add_watch(queue, "watched/w", 0));
    say("unknown wish", inotify_add_watch(queue, "watched/w", 0x10000));
    say("both", inotify_add_watch(queue, "watched/w", IN_MODIFY | IN_MASK_ADD | IN_MASK_CREATE));
    say("only a directory", inotify_add_watch(queue, "watched/w", IN_MODIFY | IN_ONLYDIR));
    say("none there", inotify_add_watch(queue, "watched/none", IN_MODIFY));
    say("empty path", inotify_add_watch(queue, "", IN_MODIFY));
    say("bad path", inotify_add_watch(queue, (char *)64, IN_MODIFY));
    say("closed", inotify_add_watch(999, "watched/w", IN_MODIFY));
    say("another", inotify_add_watch(1, "watched/w", IN_MODIFY));
    say("minus one", inotify_add_watch(-1, "watched/w", IN_MODIFY));
    say("closed", inotify_rm_watch(999, 1));
    say("another", inotify_rm_watch(1, 1));
    say("no watch", inotify_rm_watch(queue, -1));
    int once = inotify_add_watch(queue, "watched/w", IN_MODIFY | IN_ONESHOT);
    say("once", once >= 0);
    say("create", inotify_add_watch(queue, "watched/w", IN_MODIFY | IN_MASK_CREATE));
    make("watched/w", "x");
    make("watched/w", "y");
    notices("once", queue);
    say("add", inotify_add_watch(queue, "watched/w", IN_ATTRIB) > once);
    say("add", inotify_add_watch(queue, "watched/w", IN_MODIFY | IN_MASK_ADD) > once);
    make("watched/w", "z");
    chmod("watched/w", 0611);
    notices("both", queue);
    symlink("w", "watched/s");
    say("link itself", inotify_add_watch(queue, "watched/s", IN_ATTRIB | IN_DELETE_SELF | IN_DONT_FOLLOW) > once);
    unlink("watched/s");
    notices("link", queue);

    /* A child waits, and the queue is its too. */
    int blocks = inotify_init();
    inotify_add_watch(blocks, "watched", IN_CREATE);
    pid_t child = fork();
    if (!child) {
        long count = read(blocks, room, sizeof room);
        say("child reads", count);
        printf("name %s\n", ((struct inotify_event *)room)->name);
        fflush(stdout);
        _exit(0);
    }
    usleep(20000);
    make("watched/late", "");
    waitpid(child, 0, 0);
    int set = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = 5};
    say("epoll", epoll_ctl(set, EPOLL_CTL_ADD, blocks, &event));
    say("ready", epoll_wait(set, &event, 1, 0));
    make("watched/later", "");
    say("ready", epoll_wait(set, &event, 1, 1000));
    /* Not of others than one that may read it. */
    make("watched/secret", "");
    chmod("watched/secret", 0600);
    chmod(".", 0755);
    if (!fork()) {
        setresuid(1000, 1000, 1000);
        say("secret", inotify_add_watch(queue, "watched/secret", IN_MODIFY));
        _exit(0);
    }
    wait(0);
}

static void overflow(void) {
    int queue = inotify_init1(IN_NONBLOCK), lost = 0, last = -1;
    char bytes[4096] __attribute__((aligned(8)));
    mkdir("full", 0755);
    inotify_add_watch(queue, "full", IN_ATTRIB | IN_OPEN);
    /* More than any queue has: 16,384 on Linux. */
    make("full/f", "");
    for (int n = 0; n < 9000; n++) {
        chmod("full/f", 0600);
        close(open("full/f", O_RDONLY));
    }
    for (long count; (count = read(queue, bytes, sizeof bytes)) > 0;)
        for (long at = 0; at < count; at += sizeof(struct inotify_event) + ((struct inotify_event *)(bytes + at))->len) {
            struct inotify_event *event = (struct inotify_event *)(bytes + at);
            lost += event->mask == IN_Q_OVERFLOW && event->wd == -1;
            last = event->mask;
        }
    say("lost once", lost);
    say("at the end", last == IN_Q_OVERFLOW);
    chmod("full/f", 0611);
    notices("goes on", queue);
}

/* Processes. */
struct arguments {
    uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size, cgroup;
};
static void got(int signal) {
    (void)signal;
}
static void processes(void) {
    siginfo_t info;
    struct pollfd entry = {0, POLLIN, 0};
    pid_t child = fork();
    if (!child) {
        signal(SIGUSR1, SIG_DFL);
        for (;;) pause();
    }
    int fd = syscall(SYS_pidfd_open, child, 0);
    say("open", fd >= 0);
    say("cloexec", fcntl(fd, F_GETFD));
    say("read", read(fd, &info, sizeof info));
    entry.fd = fd;
    say("poll", poll(&entry, 1, 0));
    say("signal 0", syscall(SYS_pidfd_send_signal, fd, 0, 0, 0));
    say("signal", syscall(SYS_pidfd_send_signal, fd, SIGUSR1, 0, 0));
    say("poll", poll(&entry, 1, 5000));
    say("events", entry.revents);
    say("zombie", syscall(SYS_pidfd_send_signal, fd, 0, 0, 0));
    say("keep", waitid(P_PIDFD, fd, &info, WEXITED | WNOWAIT));
    say("status", info.si_status);
    say("open zombie", close(syscall(SYS_pidfd_open, child, 0)));
    say("wait", waitid(P_PIDFD, fd, &info, WEXITED));
    say("pid", info.si_pid == child);
    say("again", waitid(P_PIDFD, fd, &info, WEXITED));
    say("gone", syscall(SYS_pidfd_send_signal, fd, 0, 0, 0));
    say("poll", poll(&entry, 1, 0));
    say("open gone", syscall(SYS_pidfd_open, child, 0));
    say("no pid", syscall(SYS_pidfd_open, 0, 0));
    say("minus one", syscall(SYS_pidfd_open, -1, 0));
    say("flags", syscall(SYS_pidfd_open, getpid(), 1));
    say("closed", syscall(SYS_pidfd_send_signal, 999, 0, 0, 0));
    say("another", syscall(SYS_pidfd_send_signal, 1, 0, 0, 0));
    int own = syscall(SYS_pidfd_open, getpid(), O_NONBLOCK);
    say("flags", syscall(SYS_pidfd_send_signal, own, 0, 0, 1));
    say("wrong", syscall(SYS_pidfd_send_signal, own, 65, 0, 0));
    say("bad", syscall(SYS_pidfd_send_signal, own, 0, 64, 0));
    say("not a child", waitid(P_PIDFD, own, &info, WEXITED));
    say("no descriptor", waitid(P_PIDFD, 999, &info, WEXITED));
    say("another", waitid(P_PIDFD, 1, &info, WEXITED));
    say("minus one", waitid(P_PIDFD, -1, &info, WEXITED));
    /* By clone, and by a structure. */
    signal(SIGUSR1, got);
    for (int clears = 0; clears < 2; clears++) {
        int made = -1;
        struct arguments all = {CLONE_PIDFD, (uint64_t)&made, 0, 0, SIGCHLD};
        if (clears) all.flags |= 0x100000000;
        child = syscall(SYS_clone3, &all, sizeof all);
        if (!child) {
            raise(SIGUSR1);
            _exit(5);
        }
        say("clone3", child > 0);
        say("cloexec", fcntl(made, F_GETFD));
        say("wait", waitid(P_PIDFD, made, &info, WEXITED));
        printf("code %d status %d\n", info.si_code, info.si_status);
        fflush(stdout);
        close(made);
    }
    struct arguments all = {0};
    say("small", syscall(SYS_clone3, &all, 63));
    say("large", syscall(SYS_clone3, &all, 5000));
    say("minus one", syscall(SYS_clone3, &all, -1));
    say("bad", syscall(SYS_clone3, 64, sizeof all));
    all.flags = 1ull << 40;
    say("unknown", syscall(SYS_clone3, &all, sizeof all));
    all.flags = SIGCHLD;
    say("signal", syscall(SYS_clone3, &all, sizeof all));
    all.flags = CLONE_THREAD;
    say("thread", syscall(SYS_clone3, &all, sizeof all));
    all = (struct arguments){.exit_signal = 65};
    say("signal", syscall(SYS_clone3, &all, sizeof all));
    all = (struct arguments){.stack = 4096};
    say("stack", syscall(SYS_clone3, &all, sizeof all));
    all = (struct arguments){.stack_size = 4096};
    say("stack", syscall(SYS_clone3, &all, sizeof all));
    all = (struct arguments){.set_tid = 4096};
    say("numbers", syscall(SYS_clone3, &all, sizeof all));
    all = (struct arguments){.flags = CLONE_PIDFD, .pidfd = 64, .exit_signal = SIGCHLD};
    say("bad place", syscall(SYS_clone3, &all, sizeof all));
    say("no child", waitpid(-1, 0, 0));
    fflush(stdout);
}
int main(int count, char **words) {
    (void)count;
    if (!strcmp(words[1], "files")) files(IN_ALL_EVENTS);
    if (!strcmp(words[1], "changes")) files(IN_ALL_EVENTS & ~USES);
    if (!strcmp(words[1], "overflow")) overflow();
    if (!strcmp(words[1], "processes")) processes();
    return 0;
}
