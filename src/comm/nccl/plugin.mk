# SPDX-License-Identifier: Apache-2.0
# Builds the nccl backend, libcollbench_nccl.so, where CUDA's compiler and NCCL's header are found; included by the
# Makefile.
#
# Yours to set: CUDA_HOME (/usr/local/cuda), NCCL_HOME (CUDA_HOME), NCCL=0 to leave the plugin out, and CUDA_ARCH, the
# compute capabilities that kernels are compiled for: all of NCCL_ARCHITECTURES that the compiler knows, or one in
# builds for tests.

NCCL ?= 1
CUDA_HOME ?= /usr/local/cuda
NCCL_HOME ?= $(CUDA_HOME)
NVCC := $(CUDA_HOME)/bin/nvcc
NCCL_ARCHITECTURES := 75 80 90 100 120

# Tests need one. The oldest, since they leave the plugin where people use it: by its PTX all GPUs run it. Passed on to
# the makes that these goals start.
ifneq ($(filter test tests soak sanitize lint,$(MAKECMDGOALS)),)
CUDA_ARCH ?= $(firstword $(NCCL_ARCHITECTURES))
export CUDA_ARCH
endif

nccl_version = $(shell sed -n 's/^\#define NCCL_\(MAJOR\|MINOR\|PATCH\) //p' $(NCCL_HOME)/include/nccl.h | paste -sd.)
cuda_version = $(shell $(NVCC) --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')

# Where NCCL_HOME has what the toolkit has too, its own is meant.
nvidia_homes := $(NCCL_HOME) $(filter-out $(NCCL_HOME),$(CUDA_HOME))
nccl_folders := $(wildcard $(foreach home,$(nvidia_homes),$(home)/lib64 $(home)/lib))
nccl_library = $(wildcard $(addsuffix /libnccl.so.2,$(nccl_folders))) \
  $(filter /%,$(shell $(CXX) -print-file-name=libnccl.so.2))

ifeq ($(NCCL),0)
NCCL_NOTE := left out, because NCCL=0
else ifeq ($(wildcard $(NVCC)),)
NCCL_NOTE := left out: there is no $(NVCC); name the folder of the toolkit with CUDA_HOME
else ifeq ($(wildcard $(NCCL_HOME)/include/nccl.h),)
NCCL_NOTE := left out: there is no $(NCCL_HOME)/include/nccl.h; name its folder with NCCL_HOME
else ifeq ($(wildcard $(CUDA_HOME)/include/cublas_v2.h),)
NCCL_NOTE := left out: there is no $(CUDA_HOME)/include/cublas_v2.h; install the headers of cuBLAS (libcublas-dev)
else ifeq ($(strip $(nccl_library)),)
NCCL_NOTE := left out: there is no libnccl.so.2 below $(NCCL_HOME); name its folder with NCCL_HOME
else
NCCL_PLUGIN := $(BUILD)/libcollbench_nccl.so
NCCL_NOTE = CUDA $(cuda_version) in $(CUDA_HOME), NCCL $(nccl_version) in $(NCCL_HOME)
endif

.PHONY: nccl-note
nccl-note:
	@echo '  nccl  $(NCCL_NOTE)'

ifdef NCCL_PLUGIN

all: nccl-note $(NCCL_PLUGIN)

# What it shares with the programs, by the same sources, compiled once more to be loaded anywhere.
NCCL_SHARED_SOURCES := $(addprefix src/,base/bytes.cpp base/float8.cpp base/host.cpp base/one_line.cpp \
  base/version.cpp comm/control_plane.cpp comm/gemms.cpp comm/host_limits.cpp comm/host_pattern.cpp comm/patience.cpp \
  comm/wait_policy.cpp)
nccl_objects := $(patsubst %.cpp,$(BUILD)/pic/%.o,$(NCCL_SOURCES) $(NCCL_SHARED_SOURCES))
nccl_kernels := $(BUILD)/pic/src/comm/nccl/kernels.o

# Where packages put headers, the compiler looks by itself, and in an order that it needs.
NCCL_CPPFLAGS := $(foreach home,$(filter-out /usr,$(nvidia_homes)),-isystem $(home)/include)
# RUNPATH, not RPATH: LD_LIBRARY_PATH names other libraries.
NCCL_LDLIBS := $(foreach folder,$(nccl_folders),-L$(folder) -Wl,-rpath,$(folder)) -Wl,--enable-new-dtags \
  -lcudart -l:libnccl.so.2 -lfmt -ldl

$(BUILD)/pic/%.o: %.cpp $(BUILD)/flags | $(GENERATED) $(SETUP_FIRST)
	$(call say,CXX)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(ALL_CXXFLAGS) -fPIC $(NCCL_CPPFLAGS) $(EXTRA_FLAGS) -c $< -o $@

$(BUILD)/pic/src/base/version.o: EXTRA_FLAGS = @$(BUILD)/version
$(BUILD)/pic/src/base/version.o: $(BUILD)/version

known_architectures := $(patsubst sm_%,%,$(shell $(NVCC) --list-gpu-code))
architectures := $(or $(CUDA_ARCH),$(filter $(known_architectures),$(NCCL_ARCHITECTURES)))
# The last one also as PTX, from which a driver makes code for GPUs that are newer than this compiler.
NVCC_FLAGS = -std=c++20 -O3 -cudart shared -ccbin $(lastword $(CXX)) \
  $(foreach arch,$(architectures),-gencode arch=compute_$(arch)$(comma)code=sm_$(arch)) \
  -gencode arch=compute_$(lastword $(architectures)),code=compute_$(lastword $(architectures)) \
  -Xcompiler -fPIC $(if $(filter 1,$(WERROR)),-Werror all-warnings) -Isrc
comma := ,

$(BUILD)/cuda_flags: SHELL := /bin/bash
$(BUILD)/cuda_flags: FORCE
	@text='$(NVCC) $(NVCC_FLAGS) | $(NCCL_HOME) $(NCCL_LDLIBS)'; $(write_if_changed)

$(nccl_kernels): src/comm/nccl/kernels.cu $(BUILD)/cuda_flags | $(SETUP_FIRST)
	$(call say,NVCC)
	@mkdir -p $(@D)
	$(Q)$(NVCC) $(NVCC_FLAGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@

$(NCCL_PLUGIN): $(nccl_objects) $(nccl_kernels) $(BUILD)/sources $(BUILD)/cuda_flags
	$(call say,LINK)
	$(Q)$(CXX) -shared -Wl,-z,defs $(ALL_LDFLAGS) $(filter %.o,$^) -o $@ $(NCCL_LDLIBS)

# They load the plugin, and link nothing of NVIDIA's.
NCCL_TESTS := $(if $(NCCL_TEST_SOURCES),$(BUILD)/nccl_tests)
tests: $(NCCL_TESTS)

$(BUILD)/nccl_tests: $(call objects,$(NCCL_TEST_SOURCES)) $(LIBRARY) $(BUILD)/sources | $(NCCL_PLUGIN)
	$(call say,LINK)
	$(Q)$(CXX) $(ALL_LDFLAGS) $(linked) -o $@ -lgtest_main -lgtest $(LDLIBS)

-include $(patsubst %.o,%.d,$(nccl_objects) $(nccl_kernels))

else

all: nccl-note

endif
