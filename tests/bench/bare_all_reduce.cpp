// SPDX-License-Identifier: Apache-2.0
// A bare loop of MPI_Allreduce on 8 bytes: what the harness' overhead is measured against.
//
// Usage: mpirun -n 2 bare_all_reduce OPERATIONS     prints the microseconds of one operation
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace {

// As all_reduce_perf calls it: two floats, out of place.
void all_reduce(long operations) {
  const std::array<float, 2> send = {1, 2};
  std::array<float, 2> receive = {};
  for (long i = 0; i < operations; ++i)
    MPI_Allreduce(send.data(), receive.data(), 2, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long operations = argc == 2 ? std::strtol(argv[1], nullptr, 10) : 0;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (operations < 1) {
    if (rank == 0) std::fprintf(stderr, "usage: %s OPERATIONS\n", argv[0]);
    MPI_Finalize();
    return 2;
  }

  all_reduce(operations / 10 + 1);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start_s = MPI_Wtime();
  all_reduce(operations);
  const double time_s = (MPI_Wtime() - start_s) / static_cast<double>(operations);

  double slowest_s = 0;
  MPI_Reduce(&time_s, &slowest_s, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%.6f\n", slowest_s * 1e6);
  MPI_Finalize();
  return 0;
}
