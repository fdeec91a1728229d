/// A program on a grid of processes, for tests of job lines: cart_program P1 P2 .... Each process
/// prints its rank, the name of its node and its coordinates, with MPI_Cart_create as the job says.

#include <mpi.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::vector<int> dims;
  dims.reserve(static_cast<std::size_t>(argc));
  for (int i = 1; i < argc; ++i) {
    dims.push_back(std::atoi(argv[i]));
  }
  const int rank_of_grid = static_cast<int>(dims.size());
  const std::vector<int> periods(dims.size(), 0);
  MPI_Comm grid = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, rank_of_grid, dims.data(), periods.data(), 0, &grid);
  int rank = 0;
  MPI_Comm_rank(grid, &rank);
  std::vector<int> at(dims.size());
  MPI_Cart_coords(grid, rank, rank_of_grid, at.data());
  std::array<char, 65> host{};
  ::gethostname(host.data(), host.size() - 1);
  std::string line = "rank=" + std::to_string(rank) + " host=" + host.data() + " at=";
  for (const int coordinate : at) {
    line += std::to_string(coordinate) + ',';
  }
  line.back() = '\n';
  std::fputs(line.c_str(), stdout);
  MPI_Finalize();
  return 0;
}
