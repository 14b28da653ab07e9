/*
 * A stepped computation: heat in a plate, by Jacobi's method, a strip of rows for each process.
 *
 *   stencil STEPS SWEEPS WHERE...     WHERE of each further process: here, or the name of a board
 *
 * In each step each process goes so many times over its strip, sends the rows at its edges, and waits for those of its neighbours, which it
 * gets when all have sent theirs: a barrier over two pipes for each process. The same instructions in each step. At the end: how long each step
 * took, ns, and what all points add up to, in millionths.
 */
#include <string.h>
#include <unistd.h>

#define PROGRAM "stencil"
#include "program.h"

enum { ROWS = 48, COLUMNS = 64, PROCESSES_MAX = 8, STEPS_MAX = 1000, EDGES = 2 };

struct pipes {
    int from, to;
};

/* Rows 0 and ROWS + 1 are the neighbours'. */
static double plate[2][ROWS + 2][COLUMNS];
/* First and last row of each process, behind those of the plate's upper edge and before those of its lower. */
static double edges[PROCESSES_MAX + 2][EDGES][COLUMNS];
static long long took[STEPS_MAX];

static void get(int file, void *into, size_t bytes)
{
    char *at = into;
    while (bytes > 0) {
        ssize_t done = read(file, at, bytes);
        if (done <= 0)
            fail("to read of a pipe");
        at += done;
        bytes -= done;
    }
}

static void put(int file, const void *from, size_t bytes)
{
    if (write(file, from, bytes) != (ssize_t)bytes)
        fail("to write into a pipe");
}

static void sweep(double (*old)[COLUMNS], double (*new)[COLUMNS])
{
    int row, column;
    for (row = 1; row <= ROWS; row++) {
        double *above = old[row - 1], *here = old[row], *below = old[row + 1], *out = new[row];
        out[0] = here[0];
        for (column = 1; column < COLUMNS - 1; column++)
            out[column] = 0.25 * (above[column] + below[column] + here[column - 1] + here[column + 1]);
        out[COLUMNS - 1] = here[COLUMNS - 1];
    }
}

/* An even number of sweeps, so that the result is where the input was. */
static void compute(int sweeps)
{
    int done;
    for (done = 0; done < sweeps; done += 2) {
        int side;
        for (side = 0; side < 2; side++) {
            memcpy(plate[1 - side][0], plate[side][0], sizeof plate[0][0]);
            memcpy(plate[1 - side][ROWS + 1], plate[side][ROWS + 1], sizeof plate[0][0]);
            sweep(plate[side], plate[1 - side]);
        }
    }
}

/* What is warm: the left edge, and the plate's upper edge. */
static void begin(int process)
{
    int row, column;
    for (row = 0; row < ROWS + 2; row++)
        for (column = 0; column < COLUMNS; column++)
            plate[0][row][column] = column == 0 || (process == 0 && row == 0) ? 100.0 : 0.0;
}

static double total(void)
{
    double sum = 0.0;
    int row, column;
    for (row = 1; row <= ROWS; row++)
        for (column = 0; column < COLUMNS; column++)
            sum += plate[0][row][column];
    return sum;
}

/* A process that is not the first: of standard input and output. */
static int follow(int process, int steps, int sweeps)
{
    double own[EDGES][COLUMNS], sum;
    int step;
    begin(process);
    for (step = 0; step < steps; step++) {
        compute(sweeps);
        memcpy(own[0], plate[0][1], sizeof own[0]);
        memcpy(own[1], plate[0][ROWS], sizeof own[1]);
        put(1, own, sizeof own);
        get(0, own, sizeof own);
        memcpy(plate[0][0], own[0], sizeof own[0]);
        memcpy(plate[0][ROWS + 1], own[1], sizeof own[1]);
    }
    sum = total();
    put(1, &sum, sizeof sum);
    return 0;
}

static struct pipes start(char *self, char *where, int process, char *steps, char *sweeps)
{
    int in[2], out[2];
    char number[8];
    struct pipes pipes;
    if (pipe(in) != 0 || pipe(out) != 0)
        fail("to make a pipe");
    snprintf(number, sizeof number, "%d", process);
    if (fork() == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[0]), close(in[1]), close(out[0]), close(out[1]);
        if (strcmp(where, "here") == 0)
            execl(self, self, "follow", number, steps, sweeps, (char *)NULL);
        else
            execlp("remote", "remote", "-b", where, self, "follow", number, steps, sweeps, (char *)NULL);
        fail("to start a process");
    }
    close(in[0]), close(out[1]);
    pipes.from = out[0], pipes.to = in[1];
    return pipes;
}

/* Of one step: own edges and those of all others, and then to each what its neighbours have. */
static void exchange(struct pipes *others, int count)
{
    int process;
    memcpy(edges[1][0], plate[0][1], sizeof edges[1][0]);
    memcpy(edges[1][1], plate[0][ROWS], sizeof edges[1][1]);
    for (process = 1; process < count; process++)
        get(others[process].from, edges[process + 1], sizeof edges[process + 1]);
    for (process = 1; process < count; process++) {
        double neighbours[EDGES][COLUMNS];
        memcpy(neighbours[0], edges[process][1], sizeof neighbours[0]);
        memcpy(neighbours[1], edges[process + 2][0], sizeof neighbours[1]);
        put(others[process].to, neighbours, sizeof neighbours);
    }
    memcpy(plate[0][ROWS + 1], edges[2][0], sizeof plate[0][0]);
}

int main(int argc, char **argv)
{
    struct pipes others[PROCESSES_MAX];
    int count = argc - 2, steps, sweeps, process, step;
    double sum;
    if (argc == 5 && strcmp(argv[1], "follow") == 0)
        return follow(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
    if (argc < 3 || count > PROCESSES_MAX || atoi(argv[1]) > STEPS_MAX)
        fail("its arguments");
    steps = atoi(argv[1]), sweeps = atoi(argv[2]);
    for (process = 1; process < count; process++)
        others[process] = start(argv[0], argv[process + 2], process, argv[1], argv[2]);
    begin(0);
    for (step = 0; step < steps; step++) {
        long long before = now();
        compute(sweeps);
        exchange(others, count);
        took[step] = now() - before;
    }
    sum = total();
    for (process = 1; process < count; process++) {
        double its;
        get(others[process].from, &its, sizeof its);
        sum += its;
    }
    printf("steps");
    for (step = 0; step < steps; step++)
        printf(" %lld", took[step]);
    printf("\nsum %lld\n", (long long)(sum * 1e6));
    return 0;
}
