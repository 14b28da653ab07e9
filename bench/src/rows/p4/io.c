/* The same as `p4 disk` and `p4 console` of userland, as a dynamic program: for what is measured of the user library.
 * What it does between two I/Os it does not tell. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BLOCK_BYTES 4096
#define READ_BYTES 1024
#define WRITE_BYTES_MAX 256
/* Reads are spread over so many blocks, each of another; a prime, and a step of its own. */
#define SPREAD 1009
#define STEP 367

static long long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* io disk LABEL READS START | io console LABEL WRITES BYTES | io read START */
int main(int count, char **words)
{
    char bytes[READ_BYTES];
    int is_endless = count == 3 && !strcmp(words[1], "read");
    if (count != 5 && !is_endless)
        return 2;
    int is_disk = is_endless || !strcmp(words[1], "disk");
    long ios = is_endless ? __LONG_MAX__ : atol(words[3]), last = atol(words[count - 1]);
    int file = is_disk ? open("/dev/root", O_RDONLY) : 1;
    if (file < 0 || (!is_disk && last > WRITE_BYTES_MAX))
        return 1;
    memset(bytes, '.', sizeof bytes);
    long long began_ns = now_ns();
    for (long which = 0; which < ios; which++) {
        long block = last + which / SPREAD * SPREAD + which * STEP % SPREAD;
        long done = is_disk ? pread(file, bytes, READ_BYTES, (off_t)block * BLOCK_BYTES) : write(file, bytes, last);
        if (done != (is_disk ? READ_BYTES : last))
            return 1;
    }
    long long took_ns = now_ns() - began_ns;
    printf("\np4 %s %lld\np4 %s-own 0\n", words[2], took_ns, words[2]);
    return 0;
}
