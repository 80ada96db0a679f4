# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Short words for the usual jobs; the build itself is CMake's. Each job installs
# what it needs from Debian first (utils/bootstrap.sh) and is quick when nothing
# has changed.

# SANITIZE=1: a second build, whose plugin and tools run under sanitizers.
ifdef SANITIZE
BUILD  ?= build-sanitized
CMAKE_FLAGS += -DRG_SANITIZE=ON
endif
BUILD  ?= build
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
CMAKE_FLAGS ?=

MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := build
.PHONY: build demo test test-metamorphic fuzz bench bench-gpu bench-parallel bench-compile install clean help bootstrap configure format

help:
	@echo "make           build the plugin, the drivers and the tools into $(BUILD)/"
	@echo "make demo      differentiate real programs and show the result"
	@echo "make test      run all tests (SANITIZE=1: with the plugin under ASan and UBSan)"
	@echo "make test-metamorphic  every program of test/Execute in other forms, which must give the same gradients: FORMS=all"
	@echo "make fuzz      try random programs, LLVM IR and input without sense: SEED=1 SECONDS=60 (fuzz/README.md)"
	@echo "make bench     measure gradient / primal and gradient / hand-written gradient (ABLATION=1: what each optimisation is worth)"
	@echo "make bench-gpu the same for kernels, on a GPU (bench/gpu)"
	@echo "make bench-parallel the same for programs with OpenMP regions, by the number of threads"
	@echo "make bench-compile how long the compiler takes for derivatives of large functions"
	@echo "make install   install under PREFIX=$(PREFIX)"
	@echo "make clean     delete $(BUILD)/"
	@echo "Settings: BUILD=dir JOBS=n PREFIX=dir CMAKE_FLAGS='-DRG_ASSERTIONS=OFF ...'"

bootstrap:
	@sh utils/bootstrap.sh

# CMake is asked once; afterwards the build asks it again by itself when needed.
configure: bootstrap
	@if [ ! -f $(BUILD)/CMakeCache.txt ] || [ -n "$(CMAKE_FLAGS)" ]; then \
	  generator=; command -v ninja >/dev/null 2>&1 && generator="-G Ninja"; \
	  [ -f $(BUILD)/CMakeCache.txt ] && generator=; \
	  cmake -S . -B $(BUILD) $$generator $(CMAKE_FLAGS) --log-level=NOTICE; \
	fi

build: configure
	@cmake --build $(BUILD) -j $(JOBS)

demo: build
	@demo/run.sh $(BUILD)

test: build
	@python3 utils/run-tests.py --build $(BUILD) --jobs $(JOBS)

test-metamorphic: build
	@lit-22 -s -j$(JOBS) --param build=$(abspath $(BUILD)) --param metamorphic=$(FORMS) test/Execute/C test/Execute/Cxx test/Execute/Split

FORMS   ?= all
SEED    ?= 1
SECONDS ?= 60
fuzz: build
	@python3 fuzz/all.py --build $(BUILD) --seed $(SEED) --seconds $(SECONDS) --jobs $(JOBS) --keep $(BUILD)/fuzz

bench: build
	@bench/run.sh $(BUILD)
	@[ -n "$(ABLATION)" ] || bench/compile-time.py $(BUILD) --programs

bench-compile: build
	@bench/compile-time.py $(BUILD)

bench-parallel: build
	@bench/parallel/run.sh $(BUILD)

bench-gpu: build
	@bench/gpu/run.sh $(BUILD) --large

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

format:
	@git ls-files '*.h' '*.cpp' '*.hpp' | grep -v '^test/' | xargs clang-format-22 -i

clean:
	@rm -rf $(BUILD)
