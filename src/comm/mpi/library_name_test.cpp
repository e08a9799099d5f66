// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/library_name.h"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>

namespace collbench {
namespace {

TEST(LibraryName, OfTheLibrariesThereAre) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022\n", "MPICH 4.0.2"},
      {"MPICH Version:      4.2.0rc1\n", "MPICH 4.2.0rc1"},
      {"Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022",
       "Open MPI 4.1.4"},
      {"Intel(R) MPI Library 2021.6 for Linux* OS\n", "Intel(R) MPI Library 2021.6"},
      {"MVAPICH2 Version      :\t2.3.7\nMVAPICH2 Release date : ...", "MVAPICH2 2.3.7"},
      {"MPI VERSION    : CRAY MPICH version 8.1.4.31 (ANL base 3.4a2)\nMPI BUILD INFO :",
       "MPI VERSION    : CRAY MPICH 8.1.4.31"},
      {"Some MPI of our own\nsecond line", "Some MPI of our own"},
      {"", ""},
  };
  for (const auto& [text, name] : cases) EXPECT_EQ(library_name(text), name);
}

}  // namespace
}  // namespace collbench
