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
.PHONY: build demo test test-quick test-metamorphic test-orders sanitize-gpu fuzz bench bench-gpu bench-parallel bench-compile python-extras install wheel clean help bootstrap configure format test-filled-heap test-memcheck docs bench-loops test-levels tidy python-tools

help:
	@echo "make           build the plugin, the drivers and the tools into $(BUILD)/"
	@echo "make demo      differentiate real programs and show the result"
	@echo "make test      run all tests (SANITIZE=1: with the plugin under ASan and UBSan)"
	@echo "make test-quick the stages' tests and a sample of the programs: three minutes on two cores"
	@echo "make tidy      clang-tidy over lib/, tools/ and unittests/ (CHANGED=main: over the files that differ from main)"
	@echo "make test-levels  every program of test/Execute/C and Cxx at -O0, -O2 and -O3 -march=native"
	@echo "make test-metamorphic  every program of test/Execute in other forms, which must give the same gradients: FORMS=all"
	@echo "make test-filled-heap  the same programs on a heap whose blocks begin with rubbish"
	@echo "make test-memcheck     the same programs of C and C++ under valgrind"
	@echo "make test-orders  every CUDA test on the processor with threads in lock step, in reverse and in random order: TESTS='one-value split'"
	@echo "make sanitize-gpu every CUDA test on this machine's GPU under compute-sanitizer: TESTS='one-value split'"
	@echo "make fuzz      try random programs, LLVM IR and input without sense: SEED=1 SECONDS=60 (fuzz/README.md)"
	@echo "make bench     measure gradient / primal and gradient / hand-written gradient (ABLATION=1: what each optimisation is worth)"
	@echo "make bench-gpu the same for kernels, on a GPU (bench/gpu)"
	@echo "make bench-parallel the same for programs with OpenMP regions, by the number of threads"
	@echo "make bench-loops the same for thirty dense loop nests"
	@echo "make bench-compile how long the compiler takes for derivatives of large functions"
	@echo "make docs      build the documentation site from PyPI's Sphinx into $(BUILD)/site"
	@echo "make python-extras  JAX from PyPI for the tests that use it (TORCH=1: PyTorch, too), into $(BUILD)/python-extras"
	@echo "make wheel     the Python package, compiler included, as $(BUILD)/wheel/retrograd-*.whl"
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

# Half an hour of one core; .ci/run looks at the files that differ from main.
tidy: build
	@utils/tidy.py --build $(BUILD) --jobs $(JOBS) $(if $(CHANGED),--changed=$(CHANGED))

test-quick: build
	@python3 utils/run-tests.py --build $(BUILD) --jobs $(JOBS) --quick

test: build python-tools
	@python3 utils/run-tests.py --build $(BUILD) --jobs $(JOBS)

# What builds the Python package, from PyPI; without it some tests are skipped.
python-tools: bootstrap
	@utils/python-tools.sh $(BUILD)

test-levels: build
	@lit-22 -s -j$(JOBS) --param build=$(abspath $(BUILD)) --param metamorphic=levels test/Execute/C test/Execute/Cxx

test-metamorphic: build
	@lit-22 -s -j$(JOBS) --param build=$(abspath $(BUILD)) --param metamorphic=$(FORMS) test/Execute/C test/Execute/Cxx test/Execute/Split

test-filled-heap: build
	@lit-22 -s -j$(JOBS) --param build=$(abspath $(BUILD)) --param fill-heap=1 test/Execute

test-memcheck: build
	@lit-22 -s -j$(JOBS) --param build=$(abspath $(BUILD)) --param memcheck=1 test/Execute/C test/Execute/Cxx test/Execute/Split

test-orders: build
	@utils/test-orders.py --build $(BUILD) --jobs $(JOBS) $(TESTS)

sanitize-gpu: build
	@utils/sanitize-gpu.py --build $(BUILD) --jobs $(JOBS) all $(TESTS)

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

bench-loops: build
	@bench/loops/run.py $(BUILD)
	@echo
	@bench/loops/run.py $(BUILD) --orders
	@echo
	@bench/loops/run.py $(BUILD) --primal

bench-gpu: build
	@bench/gpu/run.sh $(BUILD) --large

docs: bootstrap
	@[ -x $(BUILD)/site-env/bin/python ] || { mkdir -p $(BUILD) && python3 -m venv $(BUILD)/site-env; }
	@$(BUILD)/site-env/bin/pip install -q --disable-pip-version-check 'sphinx>=7' 'myst-parser>=3' furo
	@python3 utils/reference.py
	@python3 utils/check-links.py
	@$(BUILD)/site-env/bin/sphinx-build -q -W --keep-going -c docs/site . $(BUILD)/site
	@echo "docs: $(BUILD)/site/docs/site/index.html"

# Large packages that some tests of the Python package use; without them these tests are skipped.
python-extras: bootstrap
	@[ -x $(BUILD)/python-extras/bin/python ] || python3 -m venv $(BUILD)/python-extras
	@$(BUILD)/python-extras/bin/pip install -q --disable-pip-version-check numpy scipy matplotlib 'jax>=0.6' $(if $(TORCH),torch)

# The Python package with the compiler in it, for machines that have clang 22. pip fetches what builds it from PyPI.
wheel: build
	@RETROGRAD_BUILD=$(abspath $(BUILD)) /usr/bin/python3 -m pip wheel -q --disable-pip-version-check --no-deps \
	  -w $(BUILD)/wheel ./python
	@ls $(BUILD)/wheel/*.whl

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

format:
	@git ls-files '*.h' '*.cpp' '*.hpp' | grep -v '^test/' | xargs clang-format-22 -i

clean:
	@rm -rf $(BUILD)
