# SPDX-License-Identifier: Apache-2.0
# A thin face over CMake: the build itself is in CMakeLists.txt and CMakePresets.json.

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 600
FOLDER ?= src/math
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
MAKEFLAGS += --no-print-directory

# $(call build,PRESET): Ninja where there is one.  As an environment variable, since -G would refuse
# a build folder that was made before Ninja was installed.
build = if command -v ninja >/dev/null; then export CMAKE_GENERATOR=Ninja; fi; \
        cmake --preset $(1) && cmake --build --preset $(1) --parallel $(JOBS)
sources = $(shell find include src cli tests examples bench -name '*.[ch]')

.PHONY: all release demo test test-threads check-all fuzz mutate bench bench-peers conformance format format-check install packages clean help
.NOTPARALLEL:

all: release ## build the release: libraries, command line, examples (the default)

release:
	$(call build,release)

demo: ## install missing packages, build, simulate a catapult, write a page for a browser
	@tools/install-packages.sh build
	@tools/one-line.sh sh -c '$(call build,release)'
	@./linkwork run models/catapult.yaml -o build/demo.h5 --report build/demo.html -q
	@./linkwork plot build/demo.h5 q.O x.ball z.ball 'energy.*' -o build/demo.svg -q
	@echo "models/catapult.yaml: a four-bar linkage that lets go of a ball and hits its stop"
	@echo "  build/demo.h5    its motion, loads, energies, events: ./linkwork results build/demo.h5"
	@echo "  build/demo.svg   coordinates and energy over time"
	@echo "  build/demo.html  the motion: open file://$(CURDIR)/build/demo.html in a browser"
	@echo "Try next:"
	@echo "  ./linkwork view models/quadruped.yaml          another mechanism in the browser"
	@echo "  ./linkwork run models/four-bar-stop.yaml       a summary on the terminal"
	@echo "  ./linkwork --help                              what else it can do"
	@echo "  ls models                                      other mechanisms"

test: ## install missing packages, build and run all tests: as released, then under the sanitizers
	tools/install-packages.sh build test python format
	$(call build,ci)
	ctest --preset ci --parallel $(JOBS) --label-exclude "^long$$"
	$(call build,dev)
	ctest --preset dev --parallel $(JOBS) --label-exclude long

test-threads: ## divide and conquer on several threads under ThreadSanitizer
	tools/check-threads.sh . build/threads

check-all: ## the slow checks: every failed allocation, fuzzing, threads, valgrind, static analyzers
	tools/install-packages.sh build test format check
	tools/check-all.sh . build

fuzz: ## fuzz all verbs for FUZZ_SECONDS (600) with libFuzzer under the sanitizers
	tools/install-packages.sh build test check
	tools/fuzz.sh $(CURDIR) $(CURDIR)/build/fuzz $(FUZZ_SECONDS)

mutate: ## change constants and signs of FOLDER (src/math) and list the changes that no test notices
	tools/install-packages.sh build test check
	tools/mutate.py $(FOLDER)

bench: release ## run all benchmarks
	cmake --build --preset release --target run-benchmarks

ROBOTS ?= $(wildcard ../shared/robots/urdf/*.urdf ../shared/robots/mjcf/*/*.xml)
conformance: release ## compare the robot files ROBOTS with MuJoCo, where libmujoco-dev is installed
	$(CC) -O1 tests/conformance/mujoco_state.c -o build/mujoco_state -lmujoco -lm
	python3 -B tests/conformance/compare.py build/release/cli/linkwork build/mujoco_state $(ROBOTS)

bench-peers: ## install other dynamics libraries and compare with them
	tools/install-packages.sh build test peers
	cmake --preset release -B build/peers -DLINKWORK_PEERS=ON
	cmake --build build/peers --parallel $(JOBS) --target bench-peers

format: ## rewrite all C files in the project's format
	clang-format -i $(sources)

format-check: ## report C files that are not in the project's format
	tools/install-packages.sh format
	clang-format --dry-run --Werror $(sources)

install: release ## install below PREFIX, /usr/local if not given
	cmake --install build/release --prefix "$(PREFIX)"
	@# the loader finds new libraries of its folders by its cache
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ] && command -v ldconfig >/dev/null; then ldconfig; fi

packages: ## install the Debian packages that building, testing and formatting need
	tools/install-packages.sh build test python format

clean: ## remove build/
	rm -rf build

help: ## show this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /  \1	/p' Makefile | expand -t 16
