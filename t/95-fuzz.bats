#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# Whatever bytes come in: the readers neither crash, nor leak, nor do what C
# leaves undefined, and keep the promises that t/fuzz/*.c state.
#
# Each target reads its corpus, and goes on from there to a fixed number of
# inputs.  `make fuzz` goes on for as long as it is told to.
#
# Takes longer than its size suggests.

load lib/chock

# Inputs for each target: seconds here, more where nobody waits.
runs=5000
[ "${CHOCK_CHECK-}" != full ] || runs=50000

can_fuzzer() {
	local dir=$BATS_FILE_TMPDIR/can
	mkdir -p "$dir"
	printf '#include <stddef.h>\nint LLVMFuzzerTestOneInput(const char *d, size_t n);\nint LLVMFuzzerTestOneInput(const char *d, size_t n) { return d == 0 && n; }\n' >"$dir/x.c"
	clang -fsanitize=fuzzer,address,undefined -o "$dir/x" "$dir/x.c" \
		>/dev/null 2>&1
}

setup() {
	fuzz=$BATS_TEST_DIRNAME/fuzz
	require fuzzer
	# What is built for fuzzing does not go into the tree under test.
	build=$BATS_FILE_TMPDIR/build
	mkdir -p "$build"
	cp "$CHOCK_BUILD/config.h" "$build/"
	cd "$BATS_TEST_TMPDIR" || return
}

@test "has a corpus for each target, and a target for each corpus" {
	[ "$(cd "$fuzz" && printf '%s\n' *.c | sed 's/\.c$//')" = \
		"$(ls "$fuzz/corpus")" ]
	for corpus in "$fuzz"/corpus/*; do
		[ "$(find "$corpus" -type f | wc -l)" -ge 5 ]
		[ -z "$(find "$corpus" -type f -size +64k)" ]
	done
}

@test "reads hostile bytes without harm" {
	run -0 "$fuzz/run" --build "$build" --runs "$runs"
	printf '%s\n' "$output"
	for target in "$fuzz"/corpus/*; do
		count=$(sed -n "s/^$(basename "$target"): \([0-9]*\) inputs\$/\1/p" \
			<<<"$output")
		[ "$count" -ge "$runs" ]
	done
}

# A run that could not see a mistake would prove nothing.
@test "would see a byte that is read behind the end, and a broken promise" {
	mkdir -p tree/t/fuzz/corpus/bad tree/lib/base
	cp -R "$build" own
	rm -rf own/fuzz
	cp "$fuzz/run" "$fuzz/fuzz.h" tree/t/fuzz/
	cp "$BATS_TEST_DIRNAME"/../lib/base/*.[ch] tree/lib/base/
	printf 'abc' >tree/t/fuzz/corpus/bad/abc
	while IFS='|' read -r line seen; do
		printf '#include "fuzz.h"\n#include <stdlib.h>\nint LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)\n{\n%s\nreturn 0;\n}\n' \
			"$line" >tree/t/fuzz/bad.c
		run -1 tree/t/fuzz/run --build own --runs 10 bad
		printf '%s\n' "$output"
		[[ $output == *"$seen"* ]]
	done <<-'END'
		static volatile int got; got = data[size];|heap-buffer-overflow
		bug_if(size == 3 && data[0] == 'a');|deadly signal
		int big = 0x7fffffff; big += (int)size; if (big < 0) return 0;|signed integer overflow
		void *volatile lost = malloc(size + 1); lost = NULL;|detected memory leaks
	END
}

@test "says what it cannot do" {
	run -100 "$fuzz/run" --build "$BATS_TEST_TMPDIR"
	[ "$output" = 't/fuzz/run: --build DIR is needed, a configured one' ]
	run -100 "$fuzz/run" --build "$build" nothing
	[ "$output" = "t/fuzz/run: no target 'nothing'" ]
	run -100 "$fuzz/run" --build "$build" --runs x
	run -100 "$fuzz/run" --build "$build" --fast
	run -100 "$fuzz/run" --build
}
