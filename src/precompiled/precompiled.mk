# SPDX-License-Identifier: Apache-2.0
# Headers that most sources include are read once, which halves the time to compile. Included by the Makefile.
#
# What an MPI compiler or -fPIC compiles has other flags, and goes without.

precompiled_for = $(filter-out $(MPI_SOURCES),$(1))
PRECOMPILED_SOURCES := $(call precompiled_for,$(LIBRARY_SOURCES) $(TOOL_SOURCES) $(PROGRAM_SOURCES))
PRECOMPILED_TESTS := $(call precompiled_for,$(UNIT_TEST_SOURCES))

$(BUILD)/precompiled/%.h.gch: src/precompiled/%.h $(BUILD)/flags | $(SETUP_FIRST)
	$(call say,CXX)
	@mkdir -p $(@D)
	@echo '#include "precompiled/$*.h"' > $(@:.gch=)
	$(Q)$(CXX) $(ALL_CXXFLAGS) $(EXTRA_FLAGS) -x c++-header -c $(@:.gch=) -o $@

define compiled_after
$(call objects,$(2)): PRECOMPILED = -include $(BUILD)/precompiled/$(1).h -Winvalid-pch
$(call objects,$(2)): $(BUILD)/precompiled/$(1).h.gch
endef
$(eval $(call compiled_after,library,$(PRECOMPILED_SOURCES)))
$(eval $(call compiled_after,tests,$(PRECOMPILED_TESTS)))
$(BUILD)/precompiled/tests.h.gch: EXTRA_FLAGS = $(TEST_FLAGS)
