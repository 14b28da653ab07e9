/*
 * Writes messages into a file whose inode's process is on another board, and prints how long that takes.
 *
 *   writer start SECONDS                                the instant so far ahead, ns
 *   writer FILE WRITER START GAP SIZE:COUNT:BURST...    a round for each size, the first at START, each GAP ns after the other
 *
 * The clocks of all boards are one, so writers on several boards begin a round at the same instant. WRITER chooses a part of
 * the file that no other writes. After all rounds, a line for each: size, writer, and ns from the round's instant until
 * BURST messages had let the writer go on, until all had, until all were made (a call that is answered comes behind them).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, SPAN = 65536, ROUNDS_MAX = 16, SECOND = 1000000000 };

/* At the beginning of a page, so that what fits into a page is one call. */
static char *message;
static long long found[ROUNDS_MAX][3];

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * (long long)SECOND + time.tv_nsec;
}

static void fail(const char *what)
{
    printf("tell failed: %s\n", what);
    exit(1);
}

static void wait_until(long long instant)
{
    struct timespec time;
    if (now() >= instant)
        fail("a round's instant was over before the writer was ready");
    time.tv_sec = instant / SECOND;
    time.tv_nsec = instant % SECOND;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) != 0)
        ;
}

static void tell(int file, off_t base, int size, int count, int burst, long long start, long long *times)
{
    struct stat status;
    int at = 0, done;
    for (done = 0; done < count; done++) {
        if (pwrite(file, message, size, base + at) != size)
            fail("a write");
        at = (at + size) % SPAN;
        if (done + 1 == burst)
            times[0] = now() - start;
    }
    times[1] = now() - start;
    if (fstat(file, &status) != 0)
        fail("the file's status");
    times[2] = now() - start;
}

int main(int argc, char **argv)
{
    int round, file, writer, size, count, burst;
    long long start, gap;
    if (argc == 3 && strcmp(argv[1], "start") == 0) {
        printf("%lld\n", now() + atoll(argv[2]) * SECOND);
        return 0;
    }
    if (argc < 6 || argc - 5 > ROUNDS_MAX)
        fail("its arguments");
    if (posix_memalign((void **)&message, PAGE, SPAN) != 0)
        fail("to get memory");
    memset(message, 'm', SPAN);
    file = open(argv[1], O_WRONLY);
    if (file < 0)
        fail("to open the file");
    writer = atoi(argv[2]);
    start = atoll(argv[3]);
    gap = atoll(argv[4]);
    /* What the first round would load is loaded before it. */
    tell(file, (off_t)writer * SPAN, 1, 1, 1, start, found[0]);
    for (round = 0; round < argc - 5; round++) {
        if (sscanf(argv[5 + round], "%d:%d:%d", &size, &count, &burst) != 3 || size < 1 || size > SPAN)
            fail("a size");
        wait_until(start + round * gap);
        tell(file, (off_t)writer * SPAN, size, count, burst, start + round * gap, found[round]);
    }
    for (round = 0; round < argc - 5; round++)
        printf("told %d %d %lld %lld %lld\n", atoi(argv[5 + round]), writer, found[round][0], found[round][1],
               found[round][2]);
    return 0;
}
