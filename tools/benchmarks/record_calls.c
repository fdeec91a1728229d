/* Nanoseconds per MPI call that does next to nothing, the least of many rounds: tools/bench record
   runs it without and with the recorder. */
#include <mpi.h>
#include <stdio.h>

enum { rounds = 200, calls = 1000 };

static double value = 1.0;
static double other;

static void send(void) { MPI_Send(&value, 1, MPI_DOUBLE, MPI_PROC_NULL, 1, MPI_COMM_WORLD); }

static void allreduce(void) {
  MPI_Allreduce(&value, &other, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}

static void exchange(void) {
  MPI_Request requests[2];
  MPI_Irecv(&other, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &requests[0]);
  MPI_Isend(&value, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void measure(const char* name, void (*call)(void)) {
  double least = 1e9;
  for (int round = 0; round < rounds; ++round) {
    const double begin = MPI_Wtime();
    for (int i = 0; i < calls; ++i) {
      call();
    }
    const double seconds = (MPI_Wtime() - begin) / calls;
    least = seconds < least ? seconds : least;
  }
  printf("%s %.1f\n", name, 1e9 * least);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  measure("Send-to-nobody", send);
  measure("Allreduce-on-one-rank", allreduce);
  measure("Irecv-Isend-Waitall", exchange);
  MPI_Finalize();
  return 0;
}
