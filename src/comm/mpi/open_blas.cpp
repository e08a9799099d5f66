// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/open_blas.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "base/errors.h"

namespace collbench {
namespace {

// Sets a variable for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value, 1);
  }
  ~Variable() {
    if (before_) {
      setenv(name_, before_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

[[noreturn]] void throw_not_there(const char* file, const std::string& why) {
  throw SystemError(fmt::format(
      "cannot multiply matrices on this host: {}: {}; install OpenBLAS (Debian's package is "
      "libopenblas0), or name its folder in LD_LIBRARY_PATH",
      file, why));
}

// It starts its threads when it is loaded: as many as this variable says then, less the caller.
void* open_alone(const char* file) {
  const Variable one_thread("OPENBLAS_NUM_THREADS", "1");
  void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw_not_there(file, dlerror());
  return library;
}

template <class Function>
Function* find(void* library, const char* file, const char* name) {
  void* symbol = dlsym(library, name);
  if (symbol == nullptr) throw_not_there(file, fmt::format("it has no {}", name));
  return reinterpret_cast<Function*>(symbol);
}

// Of "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...".
std::string first_two_words(const std::string& text) {
  const std::size_t first = text.find(' ');
  return first == std::string::npos ? text : text.substr(0, text.find(' ', first + 1));
}

// Declared here, since several libraries have a header cblas.h, which may be another's. The
// interface is the CBLAS of the BLAS Technical Forum's standard (2001), appendix B; Debian's
// OpenBLAS has integers of 32 bits.
enum Order : int { kRowMajor = 101 };
enum Transpose : int { kAsItIs = 111 };
using Sgemm = void(Order, Transpose, Transpose, int m, int n, int k, float alpha, const float* a,
                   int stride_a, const float* b, int stride_b, float beta, float* c, int stride_c);
using SetNumThreads = void(int);
using GetConfig = char*();

int number(Count count) { return static_cast<int>(count); }

}  // namespace

OpenBlas::OpenBlas(const char* file) {
  void* library = open_alone(file);
  sgemm_ = reinterpret_cast<void*>(find<Sgemm>(library, file, "cblas_sgemm"));
  find<SetNumThreads>(library, file, "openblas_set_num_threads")(1);
  name_ = first_two_words(find<GetConfig>(library, file, "openblas_get_config")());
}

void OpenBlas::multiply(const Product& product) const {
  const auto sgemm = reinterpret_cast<Sgemm*>(sgemm_);
  sgemm(kRowMajor, kAsItIs, kAsItIs, number(product.m), number(product.n), number(product.k), 1,
        product.a.start, number(product.a.stride), product.b.start, number(product.b.stride),
        product.adds ? 1.0F : 0.0F, product.c.start, number(product.c.stride));
}

}  // namespace collbench
