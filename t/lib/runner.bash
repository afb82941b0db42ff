# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2154
# The body of t/run: where tests run, and how their results are added up.
# Sourced with $top, $build, $only and $as set.

passed=0 failed=0 skipped=0 times=''

# What a file of tests may say of itself, in a comment of this one line.
readonly TAKES_LONG='Takes longer than its size suggests.'
readonly FOR_ANYBODY='Who runs it makes no difference.'

# How many are named at the end.
readonly SLOWEST=10

# Compilers and analysers work all the time; files of tests wait for a disk, for
# the kernel or for a clock for about half of theirs.
: "${CHOCK_TEST_JOBS:=$(nproc)}"
: "${CHOCK_TEST_FILES:=$((2 * CHOCK_TEST_JOBS))}"
: "${CHOCK_TEST_BATS:=bats}"   # or what runs such files another way
: "${CHOCK_TEST_SECONDS:=900}" # for one file of tests

# What bats is told, and t/kernels/tests understands.
bats_options=(--formatter tap --print-output-on-failure)

# What bats has run is run a second and third time, as another user and under
# sanitizers, by what takes half of the time for the same (t/96 compares both).
readonly CHEAPER=t/kernels/tests

# tally LOG LABEL - add up the TAP lines in LOG; show what failed or skipped
tally() {
	local log=$1 label=$2 line what before=$failed
	while IFS= read -r line; do
		what=${line#*ok [0-9]* }
		case $line in
		'ok '*'# skip'*)
			skipped=$((skipped + 1))
			printf 'skip  %s: %s\n' "$label" "${what#- }"
			;;
		'ok '*) passed=$((passed + 1)) ;;
		'not ok '*)
			failed=$((failed + 1))
			printf 'FAIL  %s: %s\n' "$label" "${what#- }"
			;;
		esac
	done <"$log"
	[ "$failed" -eq "$before" ] || sed -n '/^#/s/^/      /p' "$log"
}

# planned LOG - whether as many tests ended as the plan "1..N" in LOG promised
planned() {
	local plan
	plan=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$1" | head -n 1)
	[ -n "$plan" ] && [ "$plan" -eq "$(grep -cE '^(not )?ok ' "$1")" ]
}

# finish LOG STATUS LABEL - what failed without a "not ok" of its own fails too
finish() {
	local log=$1 status=$2 label=$3 what=''
	if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
		what="ends within $CHOCK_TEST_SECONDS seconds"
	elif ! planned "$log"; then
		what="runs all tests that it planned (status $status)"
	elif [ "$status" -ne 0 ] && ! grep -q '^not ok' "$log"; then
		what="ends well (status $status)"
	fi
	if [ -n "$what" ]; then
		tail -n 20 "$log" | sed 's/^/# /' >"$log.tail"
		printf 'not ok 0 - %s\n' "$what" | cat - "$log.tail" >>"$log"
	fi
	tally "$log" "$label"
}

# run_one LOGS FILE COMMAND... - COMMAND FILE, its output, status and times in
# LOGS; prints FILE when it is done
run_one() {
	local log file=$2 TIMEFORMAT='%3R %3U %3S'
	log=$1/$(basename "$2")
	shift 2
	{
		time timeout --kill-after=10 "$CHOCK_TEST_SECONDS" "$@" "$file" \
			>"$log.tap" 2>&1 </dev/null
		printf '%s\n' $? >"$log.status"
	} 2>"$log.times"
	printf '%s\n' "$file"
}

# spent LOG - the seconds that a file took, and in how many of them a processor
# was at work for it
spent() {
	local took user system
	read -r took user system < <(tail -n 1 "$1.times" | tr -d .,)
	printf '%d s, at work %d s' $((10#$took / 1000)) \
		$(((10#$user + 10#$system) / 1000))
}

# run_all LABEL COMMAND... - run COMMAND FILE for each file on standard input,
# some at once, and add up and show what they print, each when it is done.
# Behind a pipe its sums would be lost, so the list comes by redirection.
run_all() {
	local label=$1 logs file log name before
	shift
	logs=$(mktemp -d "$work/logs.XXXXXX") || exit 111
	export -f run_one
	export CHOCK_TEST_SECONDS
	while IFS= read -r file; do
		log=$logs/${file##*/} name=$label${file##*/}
		before=$((passed + skipped))
		finish "$log.tap" "$(cat "$log.status")" "$name"
		printf 'ran   %s (%d), %s\n' "$name" \
			$((passed + skipped - before)) "$(spent "$log")"
		printf '%s  %s\n' "$(spent "$log")" "$name" >>"$work/spent"
	done < <(xargs -r -d '\n' -P "$CHOCK_TEST_FILES" -I '{}' \
		"$BASH" -c 'run_one "$@"' - "$logs" '{}' "$@")
}

# fail LABEL WHAT [LOG] - one failure that is no test's own
fail() {
	failed=$((failed + 1))
	printf 'FAIL  %s: %s\n' "$1" "$2"
	[ -z "${3-}" ] || tail -n 30 "$3" | sed 's/^/      /'
}

# part NAME COMMAND... - and how long it took
part() {
	local name=$1 began=$SECONDS
	shift
	"$@"
	times+="${times:+, }$name $((SECONDS - began)) s"
}

# show_times - of the slowest files, and of each part
show_times() {
	touch "$work/spent"
	sort -k 1,1nr "$work/spent" | head -n "$SLOWEST" |
		sed 's/^/slow  /'
	printf 'time  %s\n' "$times"
}

# chosen - the files whose names match --only, of those on standard input
chosen() {
	local file
	while IFS= read -r file; do
		[[ ${file##*/} =~ ${only:-.} ]] && printf '%s\n' "$file"
	done
}

# says FILE LINE - whether the file has that line, as a comment
says() {
	grep -qxF "# $2" "$1"
}

# longest_first - of files with their sizes in front, so that what runs last is
# short, and no processor waits for long
longest_first() {
	local size file
	while read -r size file; do
		! says "$file" "$TAKES_LONG" || size=$((size + 1000000))
		printf '%d %s\n' "$size" "$file"
	done | sort -k 1,1nr -k 2 | cut -d ' ' -f 2- | chosen
}

# bats_files TREE PATTERN... - the ones in TREE/t that are wanted
bats_files() {
	local tree=$1 pattern
	shift
	for pattern; do
		find "$tree/t" -maxdepth 1 -name "$pattern-*.bats" -printf '%s %p\n'
	done | longest_first
}

unit_tests() {
	find "$1/t/unit" -maxdepth 1 -name 'test-*' -type f -perm -u+x |
		sort | chosen
}

# run_bats LABEL BUILD PATTERN... - those of this tree, as who we are, against
# what is built
run_bats() {
	local label=$1 built=$2
	shift 2
	run_all "$label" env CHOCK_BUILD="$built" PATH="$built/bin:$PATH" \
		"$CHOCK_TEST_BATS" "${bats_options[@]}" \
		< <(bats_files "$top" "$@")
}

# make_user - an ordinary user, in $made_user, with a folder of its own
make_user() {
	[ -z "$made_user" ] || return 0
	useradd --system --no-create-home --shell /bin/sh "chock-test-$$" \
		>"$work/useradd.log" 2>&1 || {
		fail user 'can be created' "$work/useradd.log"
		return 1
	}
	made_user=chock-test-$$
	chmod 755 "$work"
	mkdir "$work/home" "$work/tmp" &&
		chown "$made_user:" "$work/home" "$work/tmp"
}

# as_user COMMAND... - as that user, with nothing of our environment
as_user() {
	setpriv --reuid="$made_user" --regid="$made_user" --init-groups \
		env -i HOME="$work/home" USER="$made_user" LANG=C.UTF-8 \
		TMPDIR="$work/tmp" PATH=/usr/bin:/bin:/usr/sbin:/sbin \
		CHOCK_REQUIRE="${CHOCK_REQUIRE-}" "$@"
}

# for_a_user - of files, those that are to run as an ordinary user too
for_a_user() {
	local file
	while IFS= read -r file; do
		[ "$as" != user ] && says "$file" "$FOR_ANYBODY" ||
			printf '%s\n' "$file"
	done
}

# The tests a second time, as an ordinary user who finds chock installed.  All
# but those of the tree itself, of which only the tests are there, and those
# that don't depend on who runs them, if they have run; 94 compares what is
# installed.
run_as_user() {
	local stage=$work/stage tests=bats
	[ "$as" = user ] || tests=$stage/$CHEAPER
	make_user || return
	mkdir "$stage"
	make -C "$build" -s install prefix="$stage" >"$work/install.log" 2>&1 || {
		fail user 'finds chock installed' "$work/install.log"
		return
	}
	cp -R "$top/t" "$top/policies" "$stage/"
	mkdir -p "$stage/t/helpers"
	[ ! -d "$build/t/helpers" ] ||
		find "$build/t/helpers" -maxdepth 1 -type f -perm -u+x \
			-exec cp {} "$stage/t/helpers/" \;
	export -f as_user
	export work made_user
	cd "$work/tmp" || return
	run_all 'user: ' "$BASH" -c 'as_user "$@"' - env CHOCK_BUILD="$stage" \
		PATH="$stage/bin:/usr/bin:/bin:/usr/sbin:/sbin" \
		"$tests" "${bats_options[@]}" \
		< <(bats_files "$stage" '[0-8][0-9]' 94 | for_a_user)
	cd "$top" || return
}

clean_up() {
	cd / || return
	[ -z "$aside" ] || kill "$aside" 2>/dev/null
	[ -z "$made_user" ] || userdel "$made_user" >/dev/null 2>&1
	[ -z "$memory" ] || umount -l "$memory"
	chmod -R u+rwX "$work" 2>/dev/null
	rm -rf "$work"
}

run_as_we_are() {
	run_all 'unit: ' < <(unit_tests "$build")
	run_bats '' "$build" '[0-9][0-9]'
}

runner_main() {
	work=$(mktemp -d "${TMPDIR:-/tmp}/chock-check.XXXXXX") || exit 111
	made_user='' aside='' memory=''
	trap clean_up EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	if [ "$as" != user ]; then
		part "$([ "$(id -u)" -eq 0 ] && echo root || echo user)" \
			run_as_we_are
	fi
	if [ "$as" != root ] && [ "$(id -u)" -eq 0 ]; then
		part user run_as_user
	fi
	if [ "${CHOCK_CHECK-}" = full ]; then
		. "$top/t/lib/matrix.bash"
		part matrix run_matrix
	fi
	show_times
	printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
	[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
