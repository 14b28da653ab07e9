/* Control of a program's speed through its I/O as a user library (paper P4, section 3.2), for dynamic programs:
 *
 *   tcc -shared -o /tmp/iospeed.so /usr/lib/renga/iospeed.c
 *   IOSPEED_FACTOR=10 LD_PRELOAD=/tmp/iospeed.so COMMAND
 *
 * Around each read and write the clock is read, and what the I/O took is slept through FACTOR - 1 times more.
 *   IOSPEED_FACTOR      how many times as long an I/O is to take, a decimal fraction; without one, nothing is delayed
 *   IOSPEED_TIMER_US    the timer's resolution, by which sleeps end: at its next multiple. Not set or 0: that of the system
 *   IOSPEED_SKIP        1: version B, delays shorter than the resolution are left out; else version A, all are slept
 *
 * Invariant: what an I/O returns and its errno are as without. Not here: what `iospeed` does in the system (docs/decisions/0069-paced-io.md),
 * which is exact, bounded and for all programs; a program that makes system calls by itself is not controlled, nor are calls
 * of `readv` and `sendfile`. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000LL
#define NS_PER_US 1000LL
/* The longest delay of one I/O: ten minutes, as in the system. */
#define DELAY_NS_MAX (600 * NS_PER_S)

static double factor;
static long long timer_ns;
static int skips;
static int is_set_up;

static void set_up(void)
{
    const char *text = getenv("IOSPEED_FACTOR");
    factor = text ? atof(text) : 1;
    text = getenv("IOSPEED_TIMER_US");
    timer_ns = text ? atoll(text) * NS_PER_US : 0;
    text = getenv("IOSPEED_SKIP");
    skips = text && *text == '1';
    is_set_up = 1;
}

static long long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void sleep_ns(long long ns)
{
    if (timer_ns > 0) {
        long long begin_ns = now_ns();
        long long end_ns = (begin_ns + ns + timer_ns - 1) / timer_ns * timer_ns;
        ns = end_ns - begin_ns;
    }
    struct timespec left = { ns / NS_PER_S, ns % NS_PER_S };
    /* A signal ends the delay, as in the system. */
    nanosleep(&left, NULL);
}

/* An I/O that began then has returned. */
static void delay(long long began_ns)
{
    int kept = errno;
    double ns = (now_ns() - began_ns) * (factor - 1);
    if (ns > DELAY_NS_MAX)
        ns = DELAY_NS_MAX;
    if (ns >= 1 && !(skips && ns < timer_ns))
        sleep_ns((long long)ns);
    errno = kept;
}

#define CONTROLLED(type, name, parameters, arguments) \
    type name parameters                              \
    {                                                 \
        static type(*real) parameters;                \
        if (!real)                                    \
            real = dlsym(RTLD_NEXT, #name);           \
        if (!is_set_up)                               \
            set_up();                                 \
        long long began_ns = now_ns();                \
        type result = real arguments;                 \
        if (result >= 0)                              \
            delay(began_ns);                          \
        return result;                                \
    }

CONTROLLED(ssize_t, read, (int from, void *bytes, size_t count), (from, bytes, count))
CONTROLLED(ssize_t, write, (int to, const void *bytes, size_t count), (to, bytes, count))
CONTROLLED(ssize_t, pread, (int from, void *bytes, size_t count, off_t at), (from, bytes, count, at))
CONTROLLED(ssize_t, pwrite, (int to, const void *bytes, size_t count, off_t at), (to, bytes, count, at))
CONTROLLED(ssize_t, pread64, (int from, void *bytes, size_t count, off64_t at), (from, bytes, count, at))
CONTROLLED(ssize_t, pwrite64, (int to, const void *bytes, size_t count, off64_t at), (to, bytes, count, at))
