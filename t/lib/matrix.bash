# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2030,SC2031,SC2154
# What only continuous integration waits for: other compilers, analysers,
# sanitizers, and the way through an archive.  Sourced by runner.bash.

readonly MEMORY_SIZE=4g # at most, of the files of sanitized tests

# step LABEL COMMAND... - one more test: that COMMAND ends well
step() {
	local label=$1 log start=$SECONDS
	shift
	log=$(mktemp "$work/step.XXXXXX") || exit 111
	if "$@" >"$log" 2>&1; then
		passed=$((passed + 1))
		printf 'ran   %s (%d s)\n' "$label" $((SECONDS - start))
	else
		fail "$label" 'ends well' "$log"
		return 1
	fi
}

# aside FUNCTION - at the same time as what comes next, with less of a right to
# the processors; take_in waits for it, shows what it printed, and adds it up
aside() {
	(
		passed=0 failed=0 skipped=0
		renice -n 10 "$BASHPID" >/dev/null
		"$@"
		printf '%d %d %d\n' "$passed" "$failed" "$skipped" >"$work/aside.sums"
	) >"$work/aside" 2>&1 &
	aside=$!
}

take_in() {
	local sums
	wait "$aside"
	aside=
	cat "$work/aside"
	read -r -a sums <"$work/aside.sums" || {
		fail matrix 'runs to its end'
		return
	}
	passed=$((passed + sums[0]))
	failed=$((failed + sums[1]))
	skipped=$((skipped + sums[2]))
}

# compile DIR OPTION... - configure with warnings as errors, build everything
# in $work/DIR, the tests' own programs too
compile() (
	mkdir "$work/$1" && cd "$work/$1" || exit
	shift
	"$top/configure" --enable-werror "$@" &&
		make -j "$CHOCK_TEST_JOBS" all &&
		make -j "$CHOCK_TEST_JOBS" check-programs
)

c_sources() {
	find "$top/lib" "$top/libexec" -name '*.c' | sort
}

# The analysers find generated headers where the gcc build has them.  It is the
# one that the tests have run with, if a warning was an error in it.
find_gcc_build() {
	gcc_build=$build
	"$build/config.status" --config | grep -q -e '--enable-werror' &&
		grep -q '^CC = .*gcc' "$build/Makefile" && return
	gcc_build=$work/gcc
	step 'gcc build' compile gcc CC=gcc
}

# One file at a time: in a second file clang-tidy 14 takes every va_list for one
# that was never started.
run_tidy() {
	c_sources | xargs -d '\n' -P "$CHOCK_TEST_JOBS" -n 1 \
		"$top/contrib/style/tidy" "$top" "$gcc_build"
}

run_cppcheck() {
	cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 \
		-j "$CHOCK_TEST_JOBS" --enable=warning,portability,performance \
		--suppress=unknownMacro --suppress=missingIncludeSystem \
		-D__GNUC__ -D__linux__ -D"__$(uname -m)__" -D_GNU_SOURCE -DPACKAGE_VERSION='""' \
		-DBINDIR='""' -DPKGLIBEXECDIR='""' -DPKGDATADIR='""' \
		-I"$top/lib" -I"$gcc_build/lib" "$top/lib" "$top/libexec"
}

# make_memory - a file system in memory, as $memory, where one can be had; not in
# /dev/shm, for a sandbox has one of its own
make_memory() {
	memory=$work/memory
	mkdir "$memory"
	mount -t tmpfs -o size="$MEMORY_SIZE,mode=755" tmpfs "$memory" \
		2>"$work/mount.log" && return
	memory=
	return 1
}

# Everything under AddressSanitizer and UndefinedBehaviorSanitizer, in which each
# start of a program of ours takes ten times as long.  What they do to a disk was
# seen before, so their files are in memory, and nobody waits for it.
# Left out for what they take are 19, 30 and 73, which are about other people's
# programs; 31, which starts hundreds of sandboxes; 34 to 39, 43, 45 to 49 and
# what comes after 52, which cut our programs off at each call, or go through
# large trees; 72 and 74 to 76, in which chock run, a script, starts what 40 to 44
# start without it.  All of 72 and 73 passed in twelve and in five minutes.
run_sanitized() {
	local TMPDIR=${TMPDIR:-/tmp}
	step 'sanitized build' compile asan --enable-sanitizers CC=gcc || return
	! make_memory || export TMPDIR=$memory
	export ASAN_OPTIONS=abort_on_error=1:detect_stack_use_after_return=1
	export UBSAN_OPTIONS=print_stacktrace=1
	run_all 'sanitized unit: ' < <(unit_tests "$work/asan")
	CHOCK_TEST_BATS=$top/$CHEAPER run_bats 'sanitized: ' "$work/asan" \
		'0[0-9]' '1[0-8]' '2[0-9]' 32 '4[0124]' '5[0-2]' 60 \
		'7[01]' '8[0-9]'
	unset ASAN_OPTIONS UBSAN_OPTIONS
}

# Quickly packed, for it is read once.
make_archive() (
	cd "$build" && make -s dist XZ_OPT=-0 && cp chock-*.tar.xz "$work/tmp/" &&
		rm -f chock-*.tar.xz
)

# What a packager does: `make distcheck` builds from an archive in a source
# tree that is read-only, installs, uninstalls, and looks for what is left.
# What was built before the archive was made is not in it.
distcheck() (
	cd "$work/tmp" || exit
	# shellcheck disable=SC2016
	as_user CHOCK_ONLY='^(test-|01-|70-)' CHOCK_REQUIRE= sh -euc '
		mkdir source beside
		tar --strip-components=1 -C source -xf chock-*.tar.xz
		test -x source/configure
		test -z "$(LC_ALL=C grep -rlaP "^\x7fELF" source)"
		test -z "$(find source -name .deps -o -name .dirstamp -o -name "*.o")"
		cd beside
		../source/configure
		make -j "$1" distcheck XZ_OPT=-0
	' - "$CHOCK_TEST_JOBS"
)

# Nothing goes anywhere but below the prefix, and that is below DESTDIR.
install_below() (
	staged=$work/staged
	make -C "$build" -s install DESTDIR="$staged" prefix=/opt/chock || exit
	cd "$staged" && test -x opt/chock/bin/chock &&
		test -d opt/chock/share/chock/policies &&
		test -z "$(find . -path ./opt/chock -prune -o ! -type d -print)"
)

run_dist() {
	make_user || return
	step 'make install, below a folder' install_below
	step 'make dist' make_archive || return
	step 'make distcheck, as an ordinary user' distcheck
}

analyse() {
	if find_gcc_build; then
		step 'clang-tidy' run_tidy
		step 'cppcheck' run_cppcheck
	fi
}

run_aside() {
	run_dist
	step 'clang build' compile clang CC=clang
	analyse
}

# Builds, analysers and the archive use what processors the sanitized tests
# leave, which go first: these have limits of time.
run_matrix() {
	make_user
	aside run_aside
	run_sanitized
	take_in
}
