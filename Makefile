# SPDX-License-Identifier: Apache-2.0
# Builds, tests and installs collbench: one file, no recursion into folders, sources found by wildcard.
#
# Yours to set: CXX, MPICXX, MPIRUN, PYTHON, CHART_JS, CXXFLAGS, LDFLAGS, BUILD, WERROR=1,
# SANITIZE=address,undefined, V=1, PREFIX, DESTDIR; and of the plugin for GPUs what src/comm/nccl/plugin.mk says.

.DEFAULT_GOAL := all
.DELETE_ON_ERROR .SUFFIXES:
# Keep what only a pattern rule asks for.
.SECONDARY:

SANITIZE ?=
BUILD ?= $(if $(SANITIZE),build/asan,build)
WERROR ?= 0
PREFIX ?= /usr/local
ifeq ($(origin CXX),default)
CXX := g++
endif
MPICXX ?= mpicxx
MPIRUN ?= mpirun
PYTHON ?= /usr/bin/python3
# Version 3, built into collbench for its reports.
CHART_JS ?= /usr/share/javascript/chart.js/chart.min.js
# Sanitizers name lines, and need no more of what debuggers do; CI needs nothing: -g takes a quarter longer to compile.
CXXFLAGS ?= $(if $(SANITIZE),-O1 -g1,-O2$(if $(filter true,$(CI)),, -g))

# All cores unless the command line says how many jobs.
ifeq ($(filter -j% --jobserver%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc)
endif
Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf '  %-5s %s\n' $(1) $@)

# MPI's wrappers call the compiler named here.
export MPICH_CXX := $(CXX)
export OMPI_CXX := $(CXX)
export MPIRUN PYTHON CHART_JS

# ---- sources

SOURCES := $(sort $(shell find src -name '*.cpp'))
TOOL_SOURCES := $(filter src/tools/%,$(SOURCES))
MPI_TEST_SOURCES := $(filter %_mpi_test.cpp,$(SOURCES)) $(wildcard tests/mpi_test_main.cpp)
NCCL_TEST_SOURCES := $(filter %_nccl_test.cpp,$(SOURCES))
UNIT_TEST_SOURCES := $(filter %_test.cpp,$(filter-out %_mpi_test.cpp %_nccl_test.cpp,$(SOURCES))) \
  $(wildcard tests/fuzz/replay_test.cpp tests/fuzz/*_fuzz.cpp)
BENCH_SOURCES := $(filter %_bench.cpp,$(SOURCES))
# Of the plugin, and of no program.
NCCL_SOURCES := $(filter-out %_test.cpp,$(filter src/comm/nccl/%,$(SOURCES)))
# Of these, what needs no CUDA, so that unit tests have it everywhere.
NCCL_PLAIN_SOURCES := $(filter %/device_state.cpp %/library_versions.cpp %/placement.cpp %/use_limits.cpp %/zero_cta.cpp,$(NCCL_SOURCES))
# Chart.js and what else is in every HTML page: no benchmark waits for it.
PAGE_SOURCES := $(filter src/report/page_resources.cpp,$(SOURCES))
LIBRARY_SOURCES := $(filter-out src/tools/% src/comm/nccl/% $(PAGE_SOURCES) %_test.cpp %_bench.cpp,$(SOURCES))
PLAN_SOURCES := $(filter src/plan/% src/replay/%,$(LIBRARY_SOURCES))
PROGRAM_SOURCES := $(wildcard collectives/*.cpp parallel_patterns/*.cpp)
# Bare loops over MPI that `make bench` compares with.
BENCH_PROGRAM_SOURCES := $(wildcard tests/bench/*.cpp)
# Programs that end-to-end tests run, because they do what no product should.
TEST_PROGRAM_SOURCES := $(wildcard tests/programs/*.cpp)
# Libraries that they put in front of a program's.
PRELOAD_SOURCES := $(wildcard tests/preload/*.cpp)
ALL_SOURCES := $(SOURCES) $(wildcard tests/fuzz/*.cpp) $(PROGRAM_SOURCES) $(BENCH_PROGRAM_SOURCES) $(TEST_PROGRAM_SOURCES) $(PRELOAD_SOURCES) \
  $(wildcard tests/mpi_test_main.cpp)
# The only sources that may include mpi.h.
MPI_SOURCES := $(filter src/comm/mpi/%,$(SOURCES)) $(MPI_TEST_SOURCES) $(BENCH_PROGRAM_SOURCES) $(PRELOAD_SOURCES)

objects = $(patsubst %.cpp,$(BUILD)/obj/%.o,$(1))

LIBRARY := $(BUILD)/libcollbench.a
# What only plans of training steps need: no collective's binary waits for it.
PLAN_LIBRARY := $(BUILD)/libcollbench_plan.a
PROGRAMS := $(patsubst %.cpp,$(BUILD)/%_perf,$(notdir $(PROGRAM_SOURCES)))
DEMO_PROGRAMS := $(patsubst %,$(BUILD)/%_perf,all_reduce all_gather reduce_scatter data_parallel)
COLLBENCH := $(if $(TOOL_SOURCES),$(BUILD)/collbench)
UNIT_TESTS := $(if $(UNIT_TEST_SOURCES),$(BUILD)/unit_tests)
MPI_TESTS := $(if $(filter %_mpi_test.cpp,$(MPI_TEST_SOURCES)),$(BUILD)/mpi_tests)
MICROBENCH := $(if $(BENCH_SOURCES),$(BUILD)/microbench)
BENCH_PROGRAMS := $(patsubst tests/bench/%.cpp,$(BUILD)/bench/%,$(BENCH_PROGRAM_SOURCES))
TEST_PROGRAMS := $(patsubst tests/programs/%.cpp,$(BUILD)/tests/%,$(TEST_PROGRAM_SOURCES)) \
  $(patsubst tests/preload/%.cpp,$(BUILD)/tests/lib%.so,$(PRELOAD_SOURCES))

# Files built into the binaries: each becomes a C++ raw string literal, included by name.
SCHEMAS := $(wildcard results/schema/*.json)
COMPARE_RULES := src/analysis/compare_rules.json
MODEL_PRESETS := $(sort $(wildcard src/model/presets/*.json))
PAGE_RESOURCES := $(wildcard src/report/page/*)
RESOURCES := $(SCHEMAS) $(COMPARE_RULES) $(MODEL_PRESETS) $(PAGE_RESOURCES)
# In the tree that their links to each other expect; those to sources need a checkout.
DOCUMENTS := LICENSE README.md results/README.md $(sort $(shell find docs -name '*.md'))
GENERATED := $(patsubst %,$(BUILD)/generated/%.inc,$(notdir $(SCHEMAS) $(COMPARE_RULES))) $(BUILD)/generated/model_presets.inc \
  $(BUILD)/generated/patterns.inc

# What tells two builds of one commit apart, when it has changes.
HASHED_SOURCES := $(sort $(LIBRARY_SOURCES) $(NCCL_SOURCES) $(RESOURCES) \
  $(shell find src -name '*.h' -o -name '*.cu' -o -name '*.cuh'))

# ---- flags

# clang puts -Wsign-conversion into -Wconversion, g++ does not.
WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wshadow $(if $(filter 1,$(WERROR)),-Werror)
# g++ 12 takes what the sanitizers insert into libstdc++ for uninitialised: bug 105562.
WARNINGS += $(if $(SANITIZE),$(if $(findstring clang,$(CXX)),,-Wno-maybe-uninitialized))
# Functions of libraries that are opened by name are called by types of our own: C's, which clang calls undefined.
SANITIZE_FLAGS := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all \
  $(if $(findstring clang,$(CXX)),-fno-sanitize=function))
# MPI's C++ bindings are gone from the standard, and their headers break -Wpedantic.
ALL_CXXFLAGS = -std=c++20 $(WARNINGS) -Isrc -I$(BUILD)/generated -DMPICH_SKIP_MPICXX -DOMPI_SKIP_MPICXX \
  -pthread -MMD -MP $(SANITIZE_FLAGS) $(CPPFLAGS) $(CXXFLAGS)
ALL_LDFLAGS = -pthread -Wl,--as-needed $(SANITIZE_FLAGS) $(CXXFLAGS) $(LDFLAGS)
LDLIBS := -lfmt -lhwloc -ldl
# See there; of the programs that use MPI.
KEEP_LOADED := $(if $(SANITIZE),$(BUILD)/obj/tests/keep_loaded.o)

# ---- goals

.PHONY: all tests benches setup demo test test-large soak lint bench bench-peer install clean help FORCE

all: $(LIBRARY) $(PLAN_LIBRARY) $(PROGRAMS) $(COLLBENCH)  ## build every program into build/ (the default)

tests: $(UNIT_TESTS) $(MPI_TESTS) $(TEST_PROGRAMS)

benches: $(MICROBENCH) $(BENCH_PROGRAMS)

setup:  ## install what building and testing need and this machine lacks
	@scripts/setup.sh $(if $(filter lint,$(MAKECMDGOALS)),--lint,$(if $(filter true,$(CI)),--ci,$(if $(filter fuzz,$(MAKECMDGOALS)),--clang)))

# Nothing that it does not show: from a fresh clone, building is most of its time.
demo: setup $(DEMO_PROGRAMS)  ## set up, build, and measure three collectives and a training step on local ranks
	@COLLBENCH_BUILD=$(BUILD) scripts/demo.sh

test: setup all tests  ## set up, build, and run every test
	@COLLBENCH_BUILD=$(BUILD) $(PYTHON) tests/run.py

test-large: setup all  ## measure and check messages of more than 2^32 bytes: 18 GB of memory, 5 minutes
	@COLLBENCH_BUILD=$(BUILD) $(PYTHON) tests/large.py

soak: COUNT ?= 30
soak: setup all tests  ## repeat the tests of the nccl backend on its fakes COUNT (30) times
	@COLLBENCH_BUILD=$(BUILD) $(PYTHON) tests/repeat.py $(COUNT) nccl

lint: setup  ## check formatting, include directions, scripts, file lengths and warnings
	@MAKE='$(MAKE)' scripts/lint.sh $(if $(filter 1,$(WERROR)),$(BUILD),$(BUILD)/werror)

bench: all benches  ## time our own code, and our overhead over bare MPI calls
	@COLLBENCH_BUILD=$(BUILD) scripts/bench.sh

bench-peer: all benches  ## the same operations by nccl-tests' NCCL_TESTS_BIN=path/to/all_reduce_perf, in turns with ours
	@test -n "$(NCCL_TESTS_BIN)" || { echo "bench-peer: set NCCL_TESTS_BIN to nccl-tests' all_reduce_perf" >&2; exit 2; }
	@COLLBENCH_BUILD=$(BUILD) NCCL_TESTS_BIN=$(NCCL_TESTS_BIN) $(PYTHON) tests/bench/nccl_overhead_bench.py

install: all  ## copy programs and documents below PREFIX (/usr/local), or DESTDIR/PREFIX
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib $(DESTDIR)$(PREFIX)/share/doc/collbench
	install -m 755 $(PROGRAMS) $(COLLBENCH) $(DESTDIR)$(PREFIX)/bin
	$(if $(NCCL_PLUGIN),install -m 755 $(NCCL_PLUGIN) $(DESTDIR)$(PREFIX)/lib)
	install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/zsh/site-functions
	$(COLLBENCH) completion bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/collbench
	for name in $(notdir $(PROGRAMS)); do \
	  ln -sf collbench $(DESTDIR)$(PREFIX)/share/bash-completion/completions/$$name; done
	$(COLLBENCH) completion zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_collbench
	cp --parents $(DOCUMENTS) $(DESTDIR)$(PREFIX)/share/doc/collbench

clean:  ## remove build/
	rm -rf $(BUILD)

help:  ## list the goals
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(filter Makefile %.mk,$(MAKEFILE_LIST)) | expand -t 12

# ---- rules

# Objects and libraries of a rule, which need each other.
linked = $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group

# What a goal installs must be there before the first compilation.
SETUP_FIRST := $(if $(filter setup demo test test-large soak lint,$(MAKECMDGOALS)),setup)

$(call objects,$(MPI_SOURCES)): COMPILER = $(MPICXX)
COMPILER = $(CXX)

$(BUILD)/obj/%.o: %.cpp $(BUILD)/flags | $(GENERATED) $(SETUP_FIRST)
	$(call say,CXX)
	@mkdir -p $(@D)
	$(Q)$(COMPILER) $(ALL_CXXFLAGS) $(PRECOMPILED) $(EXTRA_FLAGS) -c $< -o $@

# Tests run once: optimising and describing them takes longer than it saves.
TEST_FLAGS := -O0 -g1
$(call objects,$(UNIT_TEST_SOURCES) $(MPI_TEST_SOURCES) $(NCCL_TEST_SOURCES)): EXTRA_FLAGS = $(TEST_FLAGS)

$(BUILD)/obj/src/base/version.o: EXTRA_FLAGS = @$(BUILD)/version
$(BUILD)/obj/src/base/version.o: $(BUILD)/version

$(LIBRARY): $(call objects,$(filter-out $(PLAN_SOURCES),$(LIBRARY_SOURCES)))
$(PLAN_LIBRARY): $(call objects,$(PLAN_SOURCES))
$(LIBRARY) $(PLAN_LIBRARY): $(BUILD)/sources
	$(call say,AR)
	$(Q)rm -f $@ && ar rcs $@ $(filter %.o,$^)

$(BUILD)/%_perf: $(BUILD)/obj/collectives/%.o $(LIBRARY) $(KEEP_LOADED)
	$(call say,LINK)
	$(Q)$(MPICXX) $(ALL_LDFLAGS) $(linked) -o $@ $(LDLIBS)

$(BUILD)/%_perf: $(BUILD)/obj/parallel_patterns/%.o $(LIBRARY) $(PLAN_LIBRARY) $(KEEP_LOADED)
	$(call say,LINK)
	$(Q)$(MPICXX) $(ALL_LDFLAGS) $(linked) -o $@ $(LDLIBS)

# Plain compiler: these must link without MPI.
$(BUILD)/collbench: $(call objects,$(TOOL_SOURCES) $(PAGE_SOURCES)) $(LIBRARY) $(PLAN_LIBRARY) $(BUILD)/sources
	$(call say,LINK)
	$(Q)$(CXX) $(ALL_LDFLAGS) $(linked) -o $@ $(LDLIBS)

$(BUILD)/unit_tests: $(call objects,$(UNIT_TEST_SOURCES) $(NCCL_PLAIN_SOURCES) $(PAGE_SOURCES)) $(LIBRARY) $(PLAN_LIBRARY) $(BUILD)/sources
	$(call say,LINK)
	$(Q)$(CXX) $(ALL_LDFLAGS) $(linked) -o $@ -lgtest_main -lgtest $(LDLIBS)

$(BUILD)/microbench: $(call objects,$(BENCH_SOURCES)) $(LIBRARY) $(PLAN_LIBRARY) $(BUILD)/sources
	$(call say,LINK)
	$(Q)$(CXX) $(ALL_LDFLAGS) $(linked) -o $@ -lbenchmark_main -lbenchmark $(LDLIBS)

$(BUILD)/mpi_tests: $(call objects,$(MPI_TEST_SOURCES)) $(LIBRARY) $(PLAN_LIBRARY) $(KEEP_LOADED) $(BUILD)/sources
	$(call say,LINK)
	$(Q)$(MPICXX) $(ALL_LDFLAGS) $(linked) -o $@ -lgtest $(LDLIBS)

$(BUILD)/bench/%: $(BUILD)/obj/tests/bench/%.o
	$(call say,LINK)
	@mkdir -p $(@D)
	$(Q)$(MPICXX) $(ALL_LDFLAGS) $< -o $@

$(BUILD)/tests/%: $(BUILD)/obj/tests/programs/%.o $(LIBRARY) $(KEEP_LOADED)
	$(call say,LINK)
	@mkdir -p $(@D)
	$(Q)$(MPICXX) $(ALL_LDFLAGS) $(linked) -o $@ $(LDLIBS)

# Without a sanitizer: the launcher, which has none, gets them, too.
$(call objects,$(PRELOAD_SOURCES)): EXTRA_FLAGS = -fPIC -fno-sanitize=all

$(BUILD)/tests/lib%.so: $(BUILD)/obj/tests/preload/%.o
	$(call say,LINK)
	@mkdir -p $(@D)
	$(Q)$(MPICXX) -shared -pthread -Wl,--as-needed $(CXXFLAGS) $(LDFLAGS) $< -o $@

define as_literal
$(call say,GEN)
@mkdir -p $(@D)
$(Q){ printf 'R"collbench('; cat $(1); printf ')collbench"\n'; } > $@
endef

$(BUILD)/generated/%.inc: results/schema/%
	$(call as_literal,$<)

$(BUILD)/generated/%.inc: src/analysis/%
	$(call as_literal,$<)

$(BUILD)/generated/%.inc: src/report/page/%
	$(call as_literal,$<)

$(call objects,$(PAGE_SOURCES)): $(patsubst %,$(BUILD)/generated/%.inc,$(notdir $(PAGE_RESOURCES)) chart.js)

# No prerequisite: what setup installs is not there yet when make reads this.
$(BUILD)/generated/chart.js.inc: $(BUILD)/chart_js | $(SETUP_FIRST)
	@test -r "$(CHART_JS)" || { echo "$(CHART_JS) is missing: run scripts/setup.sh, or set CHART_JS" >&2; exit 2; }
	$(call as_literal,$(CHART_JS))

# One list of all, as {"name", R"(text)"}: a new file needs no further line anywhere.
$(BUILD)/generated/model_presets.inc: $(MODEL_PRESETS) $(BUILD)/presets
	$(call say,GEN)
	@mkdir -p $(@D)
	$(Q)for file in $(MODEL_PRESETS); do \
	  name=$${file##*/}; printf '{"%s", R"collbench(' "$${name%.json}"; cat "$$file"; printf ')collbench"},\n'; \
	done > $@

# Stamps: rewritten only when their content changes, so that only then what depends on them is rebuilt.
define write_if_changed
mkdir -p $(@D); if ! cmp -s - $@ <<< "$$text"; then printf '%s\n' "$$text" > $@; fi
endef

# A source that is gone must leave the library and the test binaries, too.
content_of_flags = $(CXX) $(MPICXX) $(ALL_CXXFLAGS) | $(ALL_LDFLAGS)
content_of_sources = $(SOURCES)
content_of_chart_js = $(CHART_JS)
content_of_presets = $(MODEL_PRESETS)
content_of_patterns.inc = $(foreach file,$(sort $(wildcard parallel_patterns/*.cpp)),"$(basename $(notdir $(file)))",)
STAMPS := $(addprefix $(BUILD)/,flags sources chart_js presets generated/patterns.inc)
$(STAMPS) $(BUILD)/version: SHELL := /bin/bash
$(STAMPS): FORCE
	@text='$(content_of_$(@F))'; $(write_if_changed)

# A source tree that is not itself a checkout has no commit, even inside another repository's folder.
$(BUILD)/version: FORCE
	@commit=unknown; \
	if [ -e .git ]; then commit=$$(git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null || echo unknown); fi; \
	sources=$$(cat $(HASHED_SOURCES) | sha1sum | cut -c1-12); \
	text="-DCOLLBENCH_GIT_COMMIT=\"\\\"$$commit\\\"\" -DCOLLBENCH_SOURCES=\"\\\"$$sources\\\"\" \"-DCOLLBENCH_FLAGS=\\\"$(CXXFLAGS) $(SANITIZE_FLAGS)\\\"\""; \
	$(write_if_changed)

# Absent where a test has nothing but this file.
-include src/precompiled/precompiled.mk src/comm/nccl/plugin.mk tests/fakes/fakes.mk tests/sanitize.mk tests/fuzz/fuzz.mk

-include $(patsubst %.o,%.d,$(call objects,$(ALL_SOURCES)))
