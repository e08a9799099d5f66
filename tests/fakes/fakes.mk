# SPDX-License-Identifier: Apache-2.0
# Builds stand-ins for NVIDIA's libraries into BUILD/fakes, and their tests, as part of the goal `tests` where
# src/comm/nccl/plugin.mk, which comes first, finds what it needs. Included by the Makefile.

FAKES := $(BUILD)/fakes

fake_sources = $(filter-out %_test.cpp,$(wildcard tests/fakes/$(1)/*.cpp))
fake_tests = $(wildcard tests/fakes/$(1)/*_test.cpp)
FAKE_SOURCES := $(wildcard tests/fakes/*/*.cpp)

FAKE_LIBRARIES := $(addprefix $(FAKES)/,libcudart.so.13 libfake_kernels.so libcublas.so.13 libnccl.so.2 libnvidia-ml.so.1)
FAKE_TESTS := $(addprefix $(FAKES)/,fake_cuda_tests fake_cublas_tests fake_nccl_tests)

.PHONY: fakes
fakes: $(FAKE_LIBRARIES) $(FAKE_TESTS)

ifdef NCCL_PLUGIN
tests: fakes
benches: $(FAKE_LIBRARIES)
endif

# NVIDIA's headers as a system's: their warnings are not ours.
$(call objects,$(FAKE_SOURCES)): EXTRA_FLAGS = -fPIC $(NCCL_CPPFLAGS)

# A source that is gone must leave its library, too.
$(FAKES)/sources: SHELL := /bin/bash
$(FAKES)/sources: FORCE
	@text='$(FAKE_SOURCES)'; $(write_if_changed)

link_fake = mkdir -p $(@D) && $(CXX) -shared $(ALL_LDFLAGS) -Wl,-soname,$(@F) -Wl,-rpath,'$$ORIGIN' \
  $(filter %.o,$^) $(filter %.so.2 %.so.13,$^) -o $@ -ldl
link_fake_tests = $(CXX) $(ALL_LDFLAGS) -Wl,-rpath,'$$ORIGIN' $(filter %.o,$^) $(filter %.so.1 %.so.2 %.so.13,$^) \
  -o $@ -lgtest_main -lgtest -ldl

# ---- the CUDA runtime

$(FAKES)/libcudart.so.13: $(call objects,$(call fake_sources,cuda)) tests/fakes/cuda/exports.map $(FAKES)/sources
	$(call say,LINK)
	$(Q)$(link_fake) -Wl,--version-script=tests/fakes/cuda/exports.map

# The kernels once more, as the CUDA compiler makes them.
$(FAKES)/fake_cuda_tests: $(call objects,$(call fake_tests,cuda) $(call fake_tests,kernels) $(call fake_tests,nvml)) \
  $(nccl_kernels) $(FAKES)/libcudart.so.13 $(FAKES)/libnvidia-ml.so.1 | $(FAKES)/libfake_kernels.so
	$(call say,LINK)
	$(Q)$(link_fake_tests)

# Symbolic, since host code that nvcc made may have exported the same names.
$(FAKES)/libfake_kernels.so: $(call objects,$(call fake_sources,kernels)) $(FAKES)/sources
	$(call say,LINK)
	$(Q)$(link_fake) -Wl,-Bsymbolic

# ---- NVML

$(FAKES)/libnvidia-ml.so.1: $(call objects,$(call fake_sources,nvml)) tests/fakes/nvml/exports.map $(FAKES)/sources
	$(call say,LINK)
	$(Q)$(link_fake) -Wl,--version-script=tests/fakes/nvml/exports.map

# ---- cuBLAS

$(call objects,$(wildcard tests/fakes/cublas/*.cpp)): EXTRA_FLAGS += -Itests/fakes/cuda

$(FAKES)/libcublas.so.13: $(call objects,$(call fake_sources,cublas)) $(FAKES)/libcudart.so.13 \
  tests/fakes/cublas/exports.map $(FAKES)/sources
	$(call say,LINK)
	$(Q)$(link_fake) -Wl,--version-script=tests/fakes/cublas/exports.map

$(FAKES)/fake_cublas_tests: $(call objects,$(call fake_tests,cublas)) $(FAKES)/libcublas.so.13 $(FAKES)/libcudart.so.13
	$(call say,LINK)
	$(Q)$(link_fake_tests)

# ---- NCCL

$(call objects,$(wildcard tests/fakes/nccl/*.cpp)): EXTRA_FLAGS += -Itests/fakes/cuda

$(FAKES)/libnccl.so.2: $(call objects,$(call fake_sources,nccl)) $(FAKES)/libcudart.so.13 \
  tests/fakes/nccl/exports.map $(FAKES)/sources
	$(call say,LINK)
	$(Q)$(link_fake) -Wl,--version-script=tests/fakes/nccl/exports.map

$(FAKES)/fake_nccl_tests: $(call objects,$(call fake_tests,nccl)) $(FAKES)/libnccl.so.2 $(FAKES)/libcudart.so.13
	$(call say,LINK)
	$(Q)$(link_fake_tests)

-include $(patsubst %.o,%.d,$(call objects,$(FAKE_SOURCES)))
