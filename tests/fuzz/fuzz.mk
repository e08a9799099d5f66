# SPDX-License-Identifier: Apache-2.0
# Fuzzing: one program for all targets, with clang's libFuzzer. docs/testing.md says what they demand.

.PHONY: fuzz
fuzz: FUZZ_SECONDS ?= 600
fuzz: setup  ## fuzz every reader of files for FUZZ_SECONDS (600) each, with clang's libFuzzer and sanitizers
	@$(MAKE) --no-print-directory SANITIZE=address,undefined,fuzzer-no-link CXX=clang++ WERROR=0 BUILD=$(BUILD)/fuzz \
	  $(BUILD)/fuzz/fuzzers
	@scripts/fuzz.sh $(BUILD)/fuzz $(FUZZ_SECONDS)

$(BUILD)/fuzzers: $(call objects,$(wildcard tests/fuzz/*_fuzz.cpp tests/fuzz/libfuzzer_main.cpp)) $(LIBRARY) $(PLAN_LIBRARY)
	$(call say,LINK)
	$(Q)$(CXX) $(ALL_LDFLAGS) -fsanitize=fuzzer $(linked) -o $@ $(LDLIBS)
