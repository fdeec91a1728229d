! A grid made by hand, without MPI_Cart: the first dimension varies fastest. usage: handgrid P1 P2 ITERATIONS
! Three programs: with mpif.h (default), `use mpi` (-DUSE_MPI), mpi_f08 (-DUSE_F08).
program handgrid
#if defined(USE_F08)
  use mpi_f08
#define REQUEST type(MPI_Request)
#define COMMUNICATOR type(MPI_Comm)
#elif defined(USE_MPI)
  use mpi
#define REQUEST integer
#define COMMUNICATOR integer
#endif
  implicit none
#if !defined(USE_F08) && !defined(USE_MPI)
  include 'mpif.h'
#define REQUEST integer
#define COMMUNICATOR integer
#endif
  integer :: rank, ierr, p1, p2, iterations, x, y, it, outcount, indices(4)
  integer :: west, east, south, north
  REQUEST :: requests(4)
  COMMUNICATOR :: column
  double precision :: edge(50, 8), own, total
  logical :: done
  character(len=16) :: word
#if defined(P1)
  ! tools/recorded: the simulator passes no arguments to Fortran programs.
  p1 = P1
  p2 = P2
  iterations = ITERATIONS
#else
  call get_command_argument(1, word)
  read (word, *) p1
  call get_command_argument(2, word)
  read (word, *) p2
  call get_command_argument(3, word)
  read (word, *) iterations
#endif
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  x = mod(rank, p1)
  y = rank / p1
  west = MPI_PROC_NULL
  east = MPI_PROC_NULL
  south = MPI_PROC_NULL
  north = MPI_PROC_NULL
  if (x > 0) west = rank - 1
  if (x < p1 - 1) east = rank + 1
  if (y > 0) south = rank - p1
  if (y < p2 - 1) north = rank + p1
  call MPI_Comm_split(MPI_COMM_WORLD, x, y, column, ierr)
  edge = 1
  do it = 1, iterations
    call MPI_Irecv(edge(1, 1), 50, MPI_DOUBLE_PRECISION, west, 1, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Irecv(edge(1, 2), 50, MPI_DOUBLE_PRECISION, east, 2, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Isend(edge(1, 3), 50, MPI_DOUBLE_PRECISION, east, 1, MPI_COMM_WORLD, requests(3), ierr)
    call MPI_Isend(edge(1, 4), 50, MPI_DOUBLE_PRECISION, west, 2, MPI_COMM_WORLD, requests(4), ierr)
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierr)
    call MPI_Sendrecv(edge(1, 5), 20, MPI_REAL, north, 3, edge(1, 6), 20, MPI_REAL, south, 3, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE, ierr)
    own = edge(1, 3)
    call MPI_Allreduce(MPI_IN_PLACE, own, 1, MPI_DOUBLE_PRECISION, MPI_SUM, column, ierr)
  end do
#if defined(USE_F08)
  call MPI_Reduce(own, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD) ! ierror left out
#else
  call MPI_Reduce(own, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
#endif
#if !defined(P1)
  call MPI_Irecv(edge(1, 7), 1, MPI_INTEGER, rank, 9, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Isend(edge(1, 8), 1, MPI_INTEGER, rank, 9, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Waitsome(1, requests(2:2), outcount, indices, MPI_STATUSES_IGNORE, ierr)
  call MPI_Waitany(1, requests(1:1), indices(1), MPI_STATUS_IGNORE, ierr)
  call MPI_Gather(rank, 1, MPI_INTEGER, edge, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  ! In place: what is said of the sent side means nothing.
  call MPI_Allgather(MPI_IN_PLACE, 3, MPI_REAL, edge, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  call MPI_Testall(2, requests(1:2), done, MPI_STATUSES_IGNORE, ierr)
#endif
  if (rank == 0) print '(a,f8.1,l2)', 'total', total, done
  call MPI_Comm_free(column, ierr)
  call MPI_Finalize(ierr)
end program handgrid
