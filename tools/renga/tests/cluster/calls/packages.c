/* What packages ask for: of pages that are written and executed, of files and of other users. Says the same everywhere. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

/* What other users than root may not. */
static void link_of(const char *what, pid_t pid, const char *name) {
    char path[64], target[200] = "";
    sprintf(path, "/proc/%d/%s", pid, name);
    say(what, readlink(path, target, 199) < 0 ? -1 : 0);
    strcat(path, "/.");
    say("enter", open(path, O_RDONLY | O_DIRECTORY) < 0 ? -1 : 0);
}
static void users(void) {
    struct stat status;
    mkdir("group", 0777);
    chown("group", 0, 77);
    chmod("group", 02777);
    mkdir("own", 0777);
    chmod("own", 0777);
    pid_t root = getpid();
    /* A group without its first process, in a session of its own. */
    int pipe_to[2], status_of;
    pipe(pipe_to);
    pid_t leader = fork();
    if (!leader) {
        setsid();
        pid_t group = getpid();
        if (!fork()) {
            write(pipe_to[1], &group, sizeof group);
            sleep(3);
            _exit(0);
        }
        _exit(0);
    }
    waitpid(leader, 0, 0);
    pid_t group;
    read(pipe_to[0], &group, sizeof group);
    if (!fork()) {
        say("foreign group", setpgid(0, group));
        say("no group", setpgid(0, 99999));
        _exit(0);
    }
    wait(0);
    pid_t first = fork();
    if (!first) {
        setpgid(0, 0);
        if (!fork()) {
            usleep(300000);
            _exit(0);
        }
        _exit(0);
    }
    waitpid(first, 0, 0);
    pid_t late = fork();
    if (!late) {
        say("own group", setpgid(0, first));
        _exit(0);
    }
    waitpid(late, 0, 0);
    if (fork()) {
        wait(&status_of);
        return;
    }
    umask(0);
    setgroups(0, 0);
    setresgid(1000, 1000, 1000);
    setresuid(1000, 1000, 1000);
    link_of("cwd", root, "cwd");
    link_of("root", root, "root");
    link_of("exe", root, "exe");
    link_of("fd", root, "fd/0");
    say("fds", open("/proc/1/fd", O_RDONLY | O_DIRECTORY) < 0 ? -1 : 0);
    prctl(PR_SET_DUMPABLE, 1);
    link_of("own cwd", getpid(), "cwd");
    link_of("own root", getpid(), "root");
    if (!fork()) {
        link_of("alike", getppid(), "cwd");
        _exit(0);
    }
    wait(0);
    say("make", close(open("group/a", O_CREAT | O_WRONLY, 02775)));
    stat("group/a", &status);
    printf("mode %o group %d\n", status.st_mode, status.st_gid);
    say("make", close(open("group/b", O_CREAT | O_WRONLY, 02765)));
    stat("group/b", &status);
    printf("mode %o group %d\n", status.st_mode, status.st_gid);
    say("make", mkdir("group/c", 0775));
    stat("group/c", &status);
    printf("mode %o group %d\n", status.st_mode, status.st_gid);
    say("change", chmod("group/a", 06755));
    stat("group/a", &status);
    printf("mode %o\n", status.st_mode);
    say("change", chmod("group/c", 02755));
    stat("group/c", &status);
    printf("mode %o\n", status.st_mode);
    fflush(stdout);
    system("cp /bin/sleep own/program");
    pid_t runs = fork();
    if (!runs) {
        execl("own/program", "program", "2", (char *)0);
        _exit(1);
    }
    usleep(300000);
    say("cut", open("own/program", O_WRONLY | O_TRUNC));
    stat("own/program", &status);
    say("is whole", status.st_size > 1000);
    kill(runs, SIGKILL);
    waitpid(runs, 0, 0);
    say("cut", open("own/program", O_WRONLY | O_TRUNC) < 0 ? -1 : 0);
    stat("own/program", &status);
    say("is whole", status.st_size > 1000);
    _exit(0);
}
static void report_end(int signal) { (void)signal; write(1, "parent ended\n", 13); }
/* The end of a parent is a signal, if a program wishes that. */
static void parents(void) {
    int wished = -1;
    say("no signal", prctl(PR_SET_PDEATHSIG, 65));
    prctl(PR_SET_PDEATHSIG, SIGUSR1);
    prctl(PR_GET_PDEATHSIG, &wished);
    say("wished", wished);
    fflush(stdout);
    int ends[2];
    pipe(ends);
    if (!fork()) {
        prctl(PR_GET_PDEATHSIG, &wished);
        say("inherited", wished);
        fflush(stdout);
        if (!fork()) {
            signal(SIGUSR1, report_end);
            prctl(PR_SET_PDEATHSIG, SIGUSR1);
            close(ends[0]);
            write(ends[1], "r", 1);
            for (int n = 0; n < 3; n++) sleep(1);
            _exit(0);
        }
        char ready;
        close(ends[1]);
        read(ends[0], &ready, 1);
        _exit(0);
    }
    close(ends[1]);
    wait(0);
    char rest;
    while (read(ends[0], &rest, 1) > 0);
    say("over", 0);
    fflush(stdout);
}
int main(int count, char **words) {
    (void)count;
    if (!strcmp(words[1], "parents")) parents();
    if (!strcmp(words[1], "mappings")) mappings();
    if (!strcmp(words[1], "files")) files();
    if (!strcmp(words[1], "users")) users();
    return 0;
}
