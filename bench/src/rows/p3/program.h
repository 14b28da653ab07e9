/*
 * What both programs have: the time, ns, and an end with a message. PROGRAM is the name of the one that includes it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void fail(const char *what)
{
    fprintf(stderr, PROGRAM " failed: %s\n", what);
    exit(1);
}

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}
