/*
 * Streams a file: reads it from begin to end, or writes over it, in pieces of 64 KiB, until it is told to end; then it says how much that was,
 * how often the file had come to its end, and how long it took, ns.
 *
 *   stream read|write FILE             as quick as it goes
 *   stream read|write FILE US KB_S     each 128 KiB take so long as a medium would that needs US and then gives KB_S kilobytes a second
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRAM "stream"
#include "program.h"

enum { PIECE = 65536, PIECES_PER_REQUEST = 2 };

static char piece[PIECE];
static volatile sig_atomic_t ended;

static void end(int signal)
{
    (void)signal;
    ended = 1;
}

static void wait_until(long long instant)
{
    struct timespec time;
    time.tv_sec = instant / 1000000000LL;
    time.tv_nsec = instant % 1000000000LL;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

int main(int argc, char **argv)
{
    long long at = -PIECE, begin, bytes = 0, request_ns = 0, due;
    int file, writes, passes = 0, pieces = 0;
    struct stat status;
    if ((argc != 3 && argc != 5) || (strcmp(argv[1], "read") != 0 && strcmp(argv[1], "write") != 0))
        fail("its arguments");
    writes = argv[1][0] == 'w';
    file = open(argv[2], writes ? O_WRONLY : O_RDONLY);
    if (file < 0 || fstat(file, &status) != 0 || status.st_size < PIECE)
        fail("to open the file");
    if (argc == 5)
        request_ns = atoll(argv[3]) * 1000 + PIECES_PER_REQUEST * PIECE * 1000000LL / atoll(argv[4]);
    signal(SIGTERM, end);
    memset(piece, 's', PIECE);
    begin = due = now();
    while (!ended) {
        if ((at += PIECE) > status.st_size - PIECE) {
            passes++;
            at = 0;
        }
        if ((writes ? pwrite(file, piece, PIECE, at) : pread(file, piece, PIECE, at)) != PIECE)
            fail("to stream the file");
        bytes += PIECE;
        if (request_ns > 0 && ++pieces % PIECES_PER_REQUEST == 0) {
            due += request_ns;
            if (due < now())
                due = now();
            wait_until(due);
        }
    }
    printf("streamed %lld %d %lld\n", bytes, passes, now() - begin);
    return 0;
}
