#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# t/run: whatever goes wrong with a test makes it fail, and by name
#
# The sample is a tree with nothing but t/run and the tests that are put in.

load lib/chock

setup() {
	sample=$BATS_TEST_TMPDIR/sample
	mkdir -p "$sample/t/lib" "$sample/build/t/unit"
	cp "$BATS_TEST_DIRNAME/run" "$sample/t/"
	cp "$BATS_TEST_DIRNAME/lib/runner.bash" "$sample/t/lib/"
	unit good 'echo "ok 1 - is good"; echo 1..1'
}

# unit NAME SCRIPT - a unit test of the sample
unit() {
	printf '#!/bin/sh\n%s\n' "$2" >"$sample/build/t/unit/test-$1"
	chmod +x "$sample/build/t/unit/test-$1"
}

# bats_file NAME SCRIPT - a bats file of the sample, with one test
bats_file() {
	printf '#!/usr/bin/env bats\n@test "is well" {\n\t%s\n}\n' "$2" \
		>"$sample/t/$1.bats"
}

# The inner bats must not find the parts of the outer one.
tests() {
	local path
	path=$(tr : '\n' <<<"$PATH" | grep -v libexec/bats | grep -v lib/bats |
		paste -s -d :)
	env -i PATH="$path" TMPDIR="$BATS_TEST_TMPDIR" \
		CHOCK_TEST_SECONDS="${seconds-60}" CHOCK_TEST_FILES="${files-4}" \
		"$sample/t/run" --build "$sample/build" --as root "$@"
}

@test "passes when all tests do, and counts them" {
	bats_file 10-well true
	run -0 tests
	[ "${lines[-1]}" = '2 passed, 0 failed, 0 skipped' ]
	[[ $output == *'ran   unit: test-good (1)'* ]]
	[[ $output == *'ran   10-well.bats (1)'* ]]
}

@test "says at the end which files were the slowest, and where the time went" {
	local number
	for number in {10..20}; do
		unit "$number" 'echo "ok 1 - is good"; echo 1..1'
	done
	unit busy 'echo 1..1
		(ulimit -t 2; while :; do :; done)
		echo "ok 1 - is killed after two seconds of work"'
	run -0 tests
	[ "${lines[-1]}" = '13 passed, 0 failed, 0 skipped' ]
	[[ ${lines[-2]} =~ ^'time  '(root|user)' '[0-9]+' s'$ ]]
	[ "$(grep -c '^slow  ' <<<"$output")" -eq 10 ]
	[ "${lines[-12]%% [0-9]*}" = 'slow ' ]
	[[ $output =~ 'ran   unit: test-busy (1), '[0-9]+' s, at work '[12]' s' ]]
	grep '^slow  ' <<<"$output" | grep -q '[0-9] s, at work [12] s  unit: test-busy$'
	[[ $output == *'ran   unit: test-10 (1), '*' s, at work 0 s'* ]]
	grep '^slow  ' <<<"$output" | sort -c -k 2,2nr
}

@test "starts with what takes long, whatever its size" {
	bats_file 10-well 'true && true && true'
	bats_file 20-slow true
	files=1 run -0 tests
	[[ $output == *'ran   10-well'*'ran   20-slow'*'slow  '* ]]
	echo '# Takes longer than its size suggests.' >>"$sample/t/20-slow.bats"
	files=1 run -0 tests
	[[ $output == *'ran   20-slow'*'ran   10-well'*'slow  '* ]]
}

# for_a_user AS - which files of the sample are to run as an ordinary user, too
for_a_user() {
	as=$1 bash -c '. "$1/lib/runner.bash"
		printf "%s\n" "$1"/*.bats | for_a_user' - "$sample/t"
}

@test "runs once what says that it makes no difference who runs it" {
	bats_file 10-well true
	bats_file 20-reads true
	echo '# Who runs it makes no difference.' >>"$sample/t/20-reads.bats"
	run -0 for_a_user both
	[ "$output" = "$sample/t/10-well.bats" ]
	run -0 for_a_user user
	[ "$output" = "$sample/t/10-well.bats"$'\n'"$sample/t/20-reads.bats" ]
}

# Sandboxes, owners, modes and namespaces are another matter as root.
@test "has no file that says so and starts a sandbox" {
	local file count=0 start words
	start='^[[:space:]]*(run -[0-9]+ (--separate-stderr )?)?'
	words='(require|unshare|setpriv|setsid|u?mount|ch(own|grp|mod [^+])|chock)[[:space:]]'
	[[ $'\trun -0 --separate-stderr chock run' =~ $start$words ]]
	while IFS= read -r file; do
		printf '%s\n' "$file"
		run -1 grep -nE "$start$words" "$file"
		! grep -E '^[^#]*chock-spawn ' "$file" | grep -vF -e --check
		count=$((count + 1))
	done < <(grep -lxF '# Who runs it makes no difference.' \
		"$BATS_TEST_DIRNAME"/*.bats)
	[ "$count" -gt 0 ]
}

@test "fails when one test of many does, and names it" {
	unit bad 'echo "ok 1 - a"; echo "not ok 2 - b"; echo "# why"; echo 1..2'
	run -1 tests
	[[ $output == *'FAIL  unit: test-bad: b'* ]]
	[[ $output == *'# why'* ]]
	[ "${lines[-1]}" = '2 passed, 1 failed, 0 skipped' ]
	rm "$sample/build/t/unit/test-bad"
	bats_file 10-ill false
	run -1 tests
	[[ $output == *'FAIL  10-ill.bats: is well'* ]]
}

@test "fails when a program ends before its plan, or without one" {
	unit early 'echo 1..2; echo "ok 1 - a"'
	run -1 tests
	[[ $output == *'FAIL  unit: test-early: '*'runs all tests that it planned'* ]]
	unit early 'exit 0'
	run -1 tests
	unit early 'kill -SEGV $$'
	run -1 tests
	[[ $output == *'(status 139)'* ]]
}

@test "fails when a program says ok and ends badly" {
	unit liar 'echo "ok 1 - a"; echo 1..1; exit 1'
	run -1 tests
	[[ $output == *'FAIL  unit: test-liar: '*'ends well (status 1)'* ]]
}

@test "ends a test that does not end, and fails" {
	unit stuck 'echo "ok 1 - a"; exec sleep 60'
	seconds=2 run -1 tests
	[[ $output == *'FAIL  unit: test-stuck: '*'ends within 2 seconds'* ]]
}

@test "shows what was skipped, and why" {
	bats_file 10-skip 'skip "no such thing here"'
	run -0 tests
	[[ $output == *'skip  10-skip.bats: '*'no such thing here'* ]]
	[ "${lines[-1]}" = '1 passed, 0 failed, 1 skipped' ]
}

@test "runs only what is named, and fails when that is nothing" {
	bats_file 10-ill false
	run -0 tests --only test-good
	[ "${lines[-1]}" = '1 passed, 0 failed, 0 skipped' ]
	run -1 tests --only nothing-like-it
	run -100 tests --olny test-good
}

# beside SCRIPT - what the sums are when SCRIPT has run beside one passed test
beside() {
	work=$BATS_TEST_TMPDIR bash -c '. "$1/runner.bash"; . "$1/matrix.bash"
		beside() { eval "$1"; }
		aside beside "$2"
		passed=1
		take_in
		printf "%d passed, %d failed, %d skipped\n" \
			"$passed" "$failed" "$skipped"' - "$BATS_TEST_DIRNAME/lib" "$1"
}

@test "adds up and shows what runs beside the sanitized tests" {
	run -0 beside 'step well true; step ill sh -c "echo why; exit 1"; skipped=3'
	[[ ${lines[0]} == 'ran   well ('*' s)' ]]
	[ "${lines[1]}" = 'FAIL  ill: ends well' ]
	[ "${lines[2]}" = '      why' ]
	[ "${lines[-1]}" = '2 passed, 1 failed, 3 skipped' ]
}

@test "fails when what runs beside them does not get to its end" {
	run -0 --separate-stderr beside 'step well true; exit 0'
	[[ $output == *'FAIL  matrix: runs to its end'* ]]
	[ "${lines[-1]}" = '1 passed, 1 failed, 0 skipped' ]
}

@test "leaves nothing behind" {
	run -0 tests
	[ -z "$(find "$BATS_TEST_TMPDIR" -name 'chock-check.*')" ]
}

@test "calls a helper that nobody built an error, and no lack of the machine" {
	mkdir "$BATS_TEST_TMPDIR/empty"
	run -1 env CHOCK_BUILD="$BATS_TEST_TMPDIR/empty" \
		BATS_TEST_DIRNAME="$BATS_TEST_DIRNAME" \
		bash -c 'bats_require_minimum_version() { :; }
			. "$BATS_TEST_DIRNAME/lib/chock.bash"
			skip() { echo "skipped: $*"; exit 0; }
			require landlock'
	[[ $output == *'the tests are not built: make -C '*'/empty check-programs' ]]
}
