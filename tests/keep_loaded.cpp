// SPDX-License-Identifier: Apache-2.0
// Linked into sanitized programs: libraries stay loaded, so that it is known whose a leak is.
//
// MPI's launcher interface closes libraries of its own before the process ends. What they leaked is
// then reported as of an unknown module, which no suppression in lsan.supp can name.
extern "C" int dlclose(void* /*library*/) { return 0; }
