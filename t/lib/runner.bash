# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2154
# The body of t/run: where tests run, and how their results are added up.
# Sourced with $top, $build, $only and $as set.

passed=0 failed=0 skipped=0

# tally LOG LABEL - add up the TAP lines in LOG; show what failed or skipped
tally() {
	local log=$1 label=$2 line
	while IFS= read -r line; do
		case $line in
		'ok '*'# skip'*)
			skipped=$((skipped + 1))
			printf 'skip  %s: %s\n' "$label" "${line#ok * }"
			;;
		'ok '*) passed=$((passed + 1)) ;;
		'not ok '*)
			failed=$((failed + 1))
			printf 'FAIL  %s: %s\n' "$label" "${line#not ok * }"
			;;
		esac
	done <"$log"
	grep -q '^not ok' "$log" && sed 's/^/      /' "$log" | grep '^      #'
	return 0
}

# finish LOG STATUS LABEL - a program that fails without a "not ok" fails too
finish() {
	local log=$1 status=$2 label=$3
	if [ "$status" -ne 0 ] && ! grep -q '^not ok' "$log"; then
		printf 'not ok 1 - runs to its end (status %s)\n' "$status" >>"$log"
		sed 's/^/# /' "$log" | tail -n 20 >>"$log.tail"
		cat "$log.tail" >>"$log"
	fi
	tally "$log" "$label"
}

# run_all LABEL COMMAND... - run COMMAND FILE for each file on standard input,
# as many at once as there are processors, and add up what they print
run_all() {
	local label=$1 logs file log
	shift
	logs=$(mktemp -d "$work/logs.XXXXXX")
	tee "$logs/list" | xargs -r -d '\n' -P "$(nproc)" -I '{}' \
		"$BASH" -c 'log=$1/$(basename "$2"); shift 2
			"$@" >"$log.tap" 2>&1; echo $? >"$log.status"' \
		- "$logs" '{}' "$@" '{}'
	while IFS= read -r file; do
		log=$logs/$(basename "$file")
		finish "$log.tap" "$(cat "$log.status")" \
			"$label$(basename "$file")"
	done <"$logs/list"
}

bats_files() {
	find "$top/t" -maxdepth 1 -name '[0-9][0-9]-*.bats' | sort |
		grep -E -- "${only:-.}"
}

unit_tests() {
	find "$build/t/unit" -maxdepth 1 -name 'test-*' -type f -perm -u+x |
		sort | grep -E -- "${only:-.}"
}

# run_all adds up in this shell: behind a pipe its counts would be lost.
run_bats() {
	run_all "$1" env CHOCK_BUILD="$build" PATH="$build/bin:$PATH" \
		bats --formatter tap < <(bats_files)
}

# The tests a second time, as an ordinary user who finds chock installed.
run_as_user() {
	local stage=$work/stage user=chock-test-$$
	useradd --system --no-create-home --shell /bin/sh "$user" 2>/dev/null || {
		printf 'not ok 1 - can create an ordinary user\n' >"$work/user.tap"
		tally "$work/user.tap" user
		return
	}
	made_user=$user
	chmod 755 "$work"
	mkdir -p "$stage"
	make -C "$build" -s install prefix="$stage" >"$work/install.log" 2>&1 || {
		cat "$work/install.log"
		failed=$((failed + 1))
		return
	}
	cp -R "$top/t" "$top/policies" "$stage/"
	mkdir -p "$stage/t/helpers"
	find "$build/t/helpers" -maxdepth 1 -type f -perm -u+x \
		-exec cp {} "$stage/t/helpers/" \; 2>/dev/null
	chown -R "$user" "$stage/t"
	mkdir "$work/tmp" && chown "$user" "$work/tmp"
	(
		cd "$work/tmp" || exit
		find "$stage/t" -maxdepth 1 -name '[0-9][0-8]-*.bats' | sort |
			grep -E -- "${only:-.}" >"$work/user.list"
	)
	run_all 'user: ' setpriv --reuid="$user" --regid="$user" --init-groups \
		env -i HOME="$work/tmp" USER="$user" LANG=C.UTF-8 \
		TMPDIR="$work/tmp" CHOCK_REQUIRE="${CHOCK_REQUIRE-}" \
		CHOCK_BUILD="$stage" PATH="$stage/bin:/usr/bin:/bin:/usr/sbin:/sbin" \
		bats --formatter tap <"$work/user.list"
}

clean_up() {
	cd / || return
	[ -z "${made_user-}" ] || userdel "$made_user" 2>/dev/null
	rm -rf "$work"
}

runner_main() {
	work=$(mktemp -d "${TMPDIR:-/tmp}/chock-check.XXXXXX") || exit 111
	made_user=
	trap clean_up EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	if [ "$as" != user ]; then
		run_all 'unit: ' < <(unit_tests)
		run_bats ''
	fi
	if [ "$as" != root ] && [ "$(id -u)" -eq 0 ]; then
		run_as_user
	fi
	if [ "${CHOCK_CHECK-}" = full ]; then
		. "$top/t/lib/matrix.bash"
		run_matrix
	fi
	printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
	[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
