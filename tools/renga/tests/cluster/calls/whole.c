/* Transfers of files of many pages, by two writers of one open file, and amid signals. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <sys/stat.h>
#include <sys/mman.h>
#include <sys/time.h>
static int n;
static void h(int s) {
    (void)s;
    n++;
}
static void say(const char*w, long r) {
    if (r<0) printf("%s %s\n", w, strerrorname_np(errno));
    else printf("%s %ld\n", w, r);
    fflush(stdout);
}
int main(int c, char**v) {
    if (c>1 && !strcmp(v[1], "torn")) {
        /* records of two writers on one open file */
        int fd = open("torn", O_RDWR|O_CREAT|O_TRUNC, 0644);
        long len = 100000;
        int each = 40;
        pid_t p[2];
        for (int w = 0; w<2; w++) if (!(p[w] = fork())) {
            char*b = malloc(len);
            memset(b, 'a'+w, len);
            for (int i = 0; i<each; i++) if (write(fd, b, len) != len) _exit(9);
            _exit(0);
        }
        int st, bad = 0;
        for (int w = 0; w<2; w++) {
            waitpid(p[w], &st, 0);
            if (st) bad++;
        }
        char*b = malloc(len);
        lseek(fd, 0, 0);
        int torn = 0, rec = 0;
        long r;
        while ((r = read(fd, b, len)) == len) {
            rec++;
            for (long i = 1; i<len; i++) if (b[i] != b[0]) {
                torn++;
                break;
            }
        }
        printf("records %d torn %d failed %d\n", rec, torn, bad);
        return 0;
    }
    if (c>1 && !strcmp(v[1], "eintr")) {
        struct sigaction sa;
        memset(&sa, 0, sizeof sa);
        sa.sa_handler = h;
        sigaction(SIGUSR1, &sa, 0);
        long len = 4<<20;
        char*b = malloc(len);
        memset(b, 1, len);
        int shorts = 0;
        pid_t me = getpid(), k = fork();
        if (!k) {
            for (; ; ) {
                kill(me, SIGUSR1);
                usleep(100);
            }
        }
        for (int i = 0; i<5; i++) {
            int fd = open("eintr", O_RDWR|O_CREAT|O_TRUNC, 0644);
            if (write(fd, b, len) != len) shorts++;
            lseek(fd, 0, 0);
            if (read(fd, b, len) != len) shorts++;
            close(fd);
        }
        kill(k, 9);
        waitpid(k, 0, 0);
        printf("short %d signals %s\n", shorts, n>5?"many":"few");
        return 0;
    }
    return 1;
}
