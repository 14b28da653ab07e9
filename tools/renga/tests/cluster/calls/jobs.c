/* Groups, sessions and terminals: a line for each rule. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>
#include <errno.h>
#include <signal.h>
#include <termios.h>
#include <sys/wait.h>
#include <sys/ioctl.h>
static void say(const char*w, long r) {
    if (r == -1 && errno) printf("%s %s\n", w, strerrorname_np(errno));
    else printf("%s %s\n", w, r == 0?"0":"ok");
    fflush(stdout);
    errno = 0;
}
#define S(w,x) (errno=0,say(w,x))
static int got[70];
static void h(int s) {
    got[s]++;
}
int main(int c, char**v) {
    if (c>1) {
        pause();
        return 0;
    }
    int s;
    pid_t k;
    setvbuf(stdout, 0, _IONBF, 0);
    /* setpgid */
    S("ppid", setpgid(getppid(), 0));
    S("self nogroup", setpgid(0, 99999));
    S("negative", setpgid(0, -1));
    S("noproc", setpgid(99999, 0));
    int p[2];
    pipe(p);
    if (!(k = fork())) {
        char*a[] = {v[0], "x", 0};
        close(p[0]);
        fcntl(p[1], F_SETFD, 1);
        execv(v[0], a);
        _exit(1);
    }
    close(p[1]);
    char ch;
    read(p[0], &ch, 1);
    S("executed", setpgid(k, k));
    kill(k, 9);
    waitpid(k, 0, 0);
    if (!(k = fork())) {
        pause();
        _exit(0);
    }
    S("child", setpgid(k, k));
    S("again", setpgid(k, getpgrp()));
    S("own to child gone", setpgid(0, k));
    kill(k, 9);
    waitpid(k, 0, 0);
    if (!(k = fork())) {
        setsid();
        pause();
        _exit(0);
    }
    usleep(100000);
    S("leader child", setpgid(k, k));
    S("group of other session", setpgid(0, k));
    kill(k, 9);
    waitpid(k, 0, 0);
    /* SA_NOCLDSTOP */
    struct sigaction sa;
    memset(&sa, 0, sizeof sa);
    sa.sa_handler = h;
    sa.sa_flags = SA_NOCLDSTOP;
    sigaction(SIGCHLD, &sa, 0);
    if (!(k = fork())) {
        for (; ; )pause();
    }
    kill(k, SIGSTOP);
    waitpid(k, &s, WUNTRACED);
    printf("stopped %d sigchld %d\n", WIFSTOPPED(s), got[SIGCHLD]);
    kill(k, SIGCONT);
    waitpid(k, &s, WCONTINUED);
    printf("continued %d sigchld %d\n", WIFCONTINUED(s), got[SIGCHLD]);
    kill(k, 9);
    waitpid(k, 0, 0);
    printf("ended sigchld %d\n", got[SIGCHLD]);
    sa.sa_flags = 0;
    sigaction(SIGCHLD, &sa, 0);
    got[SIGCHLD] = 0;
    if (!(k = fork())) {
        for (; ; )pause();
    }
    kill(k, SIGSTOP);
    waitpid(k, &s, WUNTRACED);
    printf("loud %d\n", got[SIGCHLD]);
    kill(k, 9);
    waitpid(k, 0, 0);
    /* sessions */
    int e[2];
    pipe(e);
    if (!(k = fork())) {
        /* leader */
        S("setsid", setsid());
        S("tty", open("/dev/tty", O_RDWR));
        S("tcgetpgrp", tcgetpgrp(0));
        S("tcsetpgrp", tcsetpgrp(0, getpgrp()));
        S("tcgetsid", tcgetsid(0));
        S("notty", ioctl(0, TIOCNOTTY));
        pid_t m;
        if (!(m = fork())) {
            /* will be orphaned, stopped */
            signal(SIGHUP, h);
            signal(SIGCONT, h);
            setpgid(0, 0);
            raise(SIGSTOP);
            char t[50];
            sprintf(t, "hup %d cont %d\n", got[SIGHUP], got[SIGCONT]);
            write(e[1], t, strlen(t));
            _exit(0);
        }
        waitpid(m, &s, WUNTRACED);
        printf("job stopped %d\n", WIFSTOPPED(s));
        _exit(0);
    }
    waitpid(k, 0, 0);
    close(e[1]);
    char t[60] = {0};
    int r = read(e[0], t, 50);
    printf("orphan: %s", t);
    /* orphan that runs */
    pipe(e);
    if (!(k = fork())) {
        setsid();
        pid_t m;
        if (!(m = fork())) {
            signal(SIGHUP, h);
            setpgid(0, 0);
            usleep(300000);
            char t[50];
            sprintf(t, "hup %d\n", got[SIGHUP]);
            write(e[1], t, strlen(t));
            _exit(0);
        }
        usleep(100000);
        _exit(0);
    }
    waitpid(k, 0, 0);
    close(e[1]);
    memset(t, 0, 60);
    r = read(e[0], t, 50);
    printf("running orphan: %s", t);
    (void)r;
    return 0;
}
