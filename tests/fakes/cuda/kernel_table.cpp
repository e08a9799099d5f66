// SPDX-License-Identifier: Apache-2.0
#include "kernel_table.h"

#include <dlfcn.h>

#include <map>
#include <memory>
#include <mutex>
#include <string_view>

#include "../environment.h"

namespace fakecuda {
namespace {

/// A compiled file's kernels, by host function.
using FatBinary = std::map<const void*, std::unique_ptr<CUkern_st>>;

struct Table {
  std::mutex mutex;
  std::map<FatBinary*, std::unique_ptr<FatBinary>> binaries;
};

Table& table() {
  static Table& once = *new Table;
  return once;
}

using Bodies = std::map<std::string_view, KernelRow>;

/// The path of a file in the folder of this library.
std::string beside_this_library(const char* name) {
  Dl_info found{};
  dladdr(reinterpret_cast<const void*>(&find_body), &found);
  const std::string path = found.dli_fname;
  return path.substr(0, path.rfind('/') + 1) + name;
}

Bodies load_bodies() {
  const std::string path = beside_this_library("libfake_kernels.so");
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    fakes::refuse(std::string("fake CUDA: no bodies of kernels: ") + dlerror());
  const auto rows = reinterpret_cast<decltype(&fake_kernels)>(dlsym(library, "fake_kernels"));
  if (rows == nullptr) fakes::refuse(path + " has no fake_kernels(): it is another library");
  std::size_t count = 0;
  const KernelRow* const first = rows(&count);
  Bodies bodies;
  for (std::size_t i = 0; i < count; ++i) bodies.emplace(first[i].name, first[i]);
  return bodies;
}

}  // namespace

cudaKernel_t find_kernel(const void* function) {
  const std::lock_guard lock(table().mutex);
  for (const auto& [handle, binary] : table().binaries) {
    if (const auto found = binary->find(function); found != binary->end())
      return found->second.get();
    for (const auto& [host, kernel] : *binary) {
      if (kernel.get() == function) return kernel.get();
    }
  }
  return nullptr;
}

const KernelRow* find_body(const CUkern_st& kernel) {
  static const Bodies& bodies = *new Bodies(load_bodies());
  const auto found = bodies.find(kernel.name);
  return found == bodies.end() ? nullptr : &found->second;
}

}  // namespace fakecuda

// What the initialisers call that nvcc adds to each compiled file; its own headers declare them.
extern "C" {

void** __cudaRegisterFatBinary(void* image);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
void __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name,
                            int thread_limit, uint3*, uint3*, dim3*, dim3*, int*);

void** __cudaRegisterFatBinary(void*) {
  auto binary = std::make_unique<fakecuda::FatBinary>();
  auto* const handle = binary.get();
  const std::lock_guard lock(fakecuda::table().mutex);
  fakecuda::table().binaries.emplace(handle, std::move(binary));
  return reinterpret_cast<void**>(handle);
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void** handle) {
  const std::lock_guard lock(fakecuda::table().mutex);
  fakecuda::table().binaries.erase(reinterpret_cast<fakecuda::FatBinary*>(handle));
}

void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  const std::lock_guard lock(fakecuda::table().mutex);
  auto& binary = *reinterpret_cast<fakecuda::FatBinary*>(handle);
  binary[host] = std::make_unique<CUkern_st>(CUkern_st{name});
}
}
