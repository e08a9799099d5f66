# SPDX-License-Identifier: Apache-2.0
# The tests under sanitizers: the same goals once more, in a build folder of their own. Included by the Makefile.

.PHONY: sanitize sanitized

# Warnings are counted where lint does, in the plain build.
sanitized := SANITIZE=address,undefined WERROR=0 BUILD=$(BUILD)/asan

sanitized:  ## build what `make sanitize` runs
	@$(MAKE) --no-print-directory all tests $(sanitized)

sanitize:  ## run the tests under AddressSanitizer and UBSan, at most 2 ranks
	@TEST_RANKS=2 $(MAKE) --no-print-directory test $(sanitized)
