# What: hello and a ring of four, on this board and over both, by mpiexec
# Package: mpich
# Expect: ring 6
# Differs: wants to attach removed segments (`shmat`), and names of interfaces (`/sys/class/net`)
cat > m.c <<'C'
#include <mpi.h>
#include <stdio.h>
int main(int count, char **words) {
    int rank, size, sum = 0, one;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("hello %d of %d\n", rank, size);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank) MPI_Recv(&sum, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += rank;
    MPI_Send(&sum, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
    if (!rank) MPI_Recv(&sum, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), printf("ring %d\n", sum);
    one = 1;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (!rank) printf("all %d\n", sum);
    MPI_Finalize();
    return 0;
}
C
printf '#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nshift\nexec there sh -c "$*"\n' > launch; chmod +x launch
mpicc.mpich -o m m.c; echo built $?
timeout 60 mpiexec.mpich -n 4 ./m | sort; echo here
timeout 60 mpiexec.mpich -launcher rsh -launcher-exec $PWD/launch -hosts $HERE:2,$THERE:2 -n 4 ./m | sort; echo both
rm -f m launch
