/* What else happens to a run. usage: unusual kill | abort | fork | threads | sleep | requests N |
 * many N | poll N | variety | shapes N | exit CODE */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Calls of every family once more, with two ranks. */
static void variety(int rank) {
  int numbers[8] = {0}, received[8] = {0}, counts[2] = {1, 2}, places[2] = {0, 2}, flag = 0,
      index = 0;
  MPI_Comm copy, half;
  MPI_Request request, pair[2];
  MPI_Status status;
  MPI_Message message;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(copy, rank == 0 ? 0 : MPI_UNDEFINED, 0, &half);
  if (rank == 0) {
    MPI_Comm_free(&half);
    MPI_Send(numbers, 3, MPI_INT, 1, 5, copy);
    MPI_Ssend(numbers, 4, MPI_INT, 1, 6, copy);
    MPI_Send(numbers, 2, MPI_INT, 1, 7, copy);
  } else {
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, copy, &status);
    MPI_Recv(received, 8, MPI_INT, MPI_ANY_SOURCE, 5, copy, MPI_STATUS_IGNORE);
    MPI_Mprobe(0, 6, copy, &message, &status);
    MPI_Mrecv(received, 4, MPI_INT, &message, &status);
    MPI_Recv(received, 2, MPI_INT, 0, MPI_ANY_TAG, copy, &status);
  }
  MPI_Alltoallv(numbers, counts, places, MPI_INT, received, counts, places, MPI_INT, MPI_COMM_SELF);
  MPI_Gatherv(numbers, 1 + rank, MPI_INT, received, rank == 0 ? counts : NULL,
              rank == 0 ? places : NULL, rank == 0 ? MPI_INT : (MPI_Datatype)(void*)8, 0, copy);
  MPI_Scatter(rank == 0 ? numbers : NULL, 2, rank == 0 ? MPI_INT : (MPI_Datatype)(void*)8, received,
              2, MPI_INT, 0, copy);
  MPI_Iallreduce(numbers, received, 2, MPI_INT, MPI_SUM, copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ibarrier(copy, &request);
  while (!flag) {
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  }
  MPI_Sendrecv_replace(numbers, 5, MPI_INT, 1 - rank, 9, 1 - rank, 9, copy, MPI_STATUS_IGNORE);
  MPI_Irecv(received, 1, MPI_INT, 1 - rank, 11, copy, &pair[0]);
  MPI_Isend(numbers, 1, MPI_INT, 1 - rank, 11, copy, &pair[1]);
  MPI_Waitany(2, pair, &index, MPI_STATUS_IGNORE);
  MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
  MPI_Exscan(numbers, received, 1, MPI_DOUBLE, MPI_SUM, copy);
  MPI_Bcast(numbers, 7, MPI_CHAR, 1, copy);
  MPI_Comm_free(&copy);
}

/* Many requests at once, some of which are complete when they are made; completed in two parts. */
static void requests(int count) {
  MPI_Request* all = malloc(2 * (size_t)count * sizeof *all);
  int* indices = malloc(2 * (size_t)count * sizeof *indices);
  int done = 0, left = 2 * count;
  double* numbers = calloc(2 * (size_t)count, sizeof *numbers);
  for (int i = 0; i < count; ++i) {
    MPI_Irecv(numbers + i, 1, MPI_DOUBLE, 0, i, MPI_COMM_SELF, &all[i]);
  }
  for (int i = 0; i < count; ++i) {
    MPI_Isend(numbers + count + i, 1, MPI_DOUBLE, 0, i, MPI_COMM_SELF, &all[count + i]);
  }
  MPI_Waitsome(2 * count, all, &done, indices, MPI_STATUSES_IGNORE);
  left -= done;
  MPI_Waitall(2 * count, all, MPI_STATUSES_IGNORE);
  printf("%d\n", left + done);
  free(all);
  free(indices);
  free(numbers);
}

static void* sum_often(void* argument) {
  MPI_Comm* copy = argument;
  double value = 1, sum;
  for (int i = 0; i < 1000; ++i) {
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, *copy);
  }
  return NULL;
}

/* Two threads that call MPI at once. */
static int threads(void) {
  pthread_t thread;
  MPI_Comm copies[2];
  int level;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_dup(MPI_COMM_WORLD, &copies[0]);
  MPI_Comm_dup(MPI_COMM_WORLD, &copies[1]);
  pthread_create(&thread, NULL, sum_often, &copies[0]);
  sum_often(&copies[1]);
  pthread_join(thread, NULL);
  MPI_Finalize();
  return level == MPI_THREAD_MULTIPLE ? 0 : 1;
}

int main(int argc, char** argv) {
  int rank, flag, number = argc > 2 ? atoi(argv[2]) : 0;
  double value = 1, sum;
  if (strcmp(argv[1], "threads") == 0) {
    return threads();
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(argv[1], "kill") == 0) {
    for (int i = 0; i < 100; ++i) {
      MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    kill(getpid(), SIGKILL);
  } else if (strcmp(argv[1], "abort") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Abort(MPI_COMM_WORLD, 7);
  } else if (strcmp(argv[1], "fork") == 0) {
    const pid_t child = fork();
    if (child == 0) {
      MPI_Initialized(&flag);
      MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
      _exit(3);
    }
    int status;
    waitpid(child, &status, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("child ended with %d, %d\n", WEXITSTATUS(status), system("exit 5") / 256);
  } else if (strcmp(argv[1], "many") == 0) {
    for (int i = 0; i < number; ++i) {
      MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
    }
  } else if (strcmp(argv[1], "sleep") == 0) {
    MPI_Barrier(MPI_COMM_SELF);
    usleep(50000);
    MPI_Barrier(MPI_COMM_SELF);
  } else if (strcmp(argv[1], "requests") == 0) {
    requests(number);
    requests(number);
  } else if (strcmp(argv[1], "poll") == 0) {
    for (int i = 0; i < number; ++i) {
      MPI_Iprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
  } else if (strcmp(argv[1], "shapes") == 0) {
    for (int i = 0; i < number; ++i) {
      MPI_Send(&value, 1, MPI_DOUBLE, MPI_PROC_NULL, i % 30000, MPI_COMM_WORLD);
      MPI_Send(&value, i, MPI_CHAR, MPI_PROC_NULL, i % 30000, MPI_COMM_WORLD);
    }
  } else if (strcmp(argv[1], "variety") == 0) {
    variety(rank);
  }
  MPI_Finalize();
  return strcmp(argv[1], "exit") == 0 ? number : 0;
}
