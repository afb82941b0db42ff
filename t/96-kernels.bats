#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# t/kernels/run: what it cannot do is said before anything is fetched or booted,
# and a guest that says nothing has not passed
#
# The parts of the runner are tried alone here: the machine itself is what
# `make check-kernels` is for.

load lib/chock

setup() {
	run=$BATS_TEST_DIRNAME/kernels/run
	fakes=$BATS_TEST_TMPDIR/fakes
	build=$BATS_TEST_TMPDIR/build
	mkdir -p "$fakes" "$build/t/kernels" "$BATS_TEST_TMPDIR/cache"
	printf '#!/bin/sh\n' >"$build/t/kernels/init"
	chmod +x "$build/t/kernels/init"
}

kernels() {
	TMPDIR=$BATS_TEST_TMPDIR "$run" --build "$build" \
		--cache "$BATS_TEST_TMPDIR/cache" "$@"
}

# part FILE FUNCTION [WORD...] - one function of the runner alone
part() {
	local file=$BATS_TEST_DIRNAME/kernels/$1
	shift
	bash -c '
		. <(sed -n "/^$2() {/,/^}/p" "$1")
		shift
		"$@"' - "$file" "$@"
}

@test "refuses words that it does not know, and makes nothing" {
	run -100 --separate-stderr kernels --kernel 6.1
	[ "$stderr" = 'kernels: unknown option --kernel' ]
	run -100 --separate-stderr kernels 6.1 6.12:no-lock
	[ "$stderr" = "kernels: no variant 'no-lock'" ]
	run -100 --separate-stderr kernels --as nobody
	[ "$stderr" = "kernels: --as is root, user or both, and not 'nobody'" ]
	run -100 --separate-stderr kernels --seconds 0
	[ "$stderr" = "kernels: '0' is no time" ]
	run -100 --separate-stderr kernels --only
	[ "$stderr" = 'kernels: --only needs a value' ]
	run -100 --separate-stderr kernels --build /dev
	[[ $stderr == *'--build DIR is needed, '* ]]
	[ -z "$(ls -A "$BATS_TEST_TMPDIR/cache")" ]
}

@test "names the packages that are missing" {
	local tool
	for tool in bash dirname id uname grep xargs basename paste; do
		ln -s "$(command -v "$tool")" "$fakes/"
	done
	run -111 --separate-stderr env PATH="$fakes" TMPDIR="$BATS_TEST_TMPDIR" \
		"$run" --build "$build" --cache "$BATS_TEST_TMPDIR/cache" 6.1
	[[ $stderr == 'kernels: packages are missing: apt-get install '*qemu-system-x86* ]]
	[ -z "$(ls -A "$BATS_TEST_TMPDIR/cache")" ]
}

@test "sums what both users ran, and passes nothing that ran nothing" {
	local users='dev root'
	export users
	printf '%s\n' 'ran   a (7), 3 s' 'skip  b: c (9) d' 'ran   b (1), 0 s' \
		'7 passed, 0 failed, 1 skipped' 'ran   a (5), 3 s' \
		'5 passed, 0 failed, 0 skipped' >"$BATS_TEST_TMPDIR/well"
	run -0 part run sum "$BATS_TEST_TMPDIR/well" 6.1
	[ "$output" = '6.1: 12 passed, 0 failed, 1 skipped' ]
	echo 'FAIL  c: e' >>"$BATS_TEST_TMPDIR/well"
	run -1 part run sum "$BATS_TEST_TMPDIR/well" 6.1
	[ "$output" = '6.1: 12 passed, 1 failed, 1 skipped' ]
	run -1 part run sum /dev/null 6.1
	[ "$output" = '6.1: 0 passed, 0 failed, 0 skipped, not to the end' ]
}

@test "tells what an interrupted run saw, and does not pass it" {
	local users='dev root'
	export users
	printf '%s\n' 'ran   a (7), 3 s' '7 passed, 0 failed, 0 skipped' \
		'ran   a (2), 3 s' >"$BATS_TEST_TMPDIR/half"
	run -1 part run sum "$BATS_TEST_TMPDIR/half" 6.1
	[ "$output" = '6.1: 9 passed, 0 failed, 0 skipped, not to the end' ]
}

@test "takes the newest kernel of a series, and no other series" {
	run -0 part archive.bash newest 6.1 <<-'LIST'
		6.1.0-9-cloud-amd64
		6.1.0-57-cloud-amd64
		6.12.90+deb13-cloud-amd64
	LIST
	[ "$output" = 6.1.0-57-cloud-amd64 ]
	run -0 part archive.bash newest 5.10 <<<6.1.0-57-cloud-amd64
	[ -z "$output" ]
}

@test "knows an image whose parts are all there" {
	printf '#!/bin/sh\nprintf "%%s\\n" %s\n' \
		'linux-image-6.1.0-57-cloud-amd64 linux-image-6.1.0-57-rt-amd64
		linux-image-7.3.4-cloud-amd64 linux-binary-7.3.4-cloud-amd64
		linux-modules-7.3.4-cloud-amd64 linux-image-7.2.1-cloud-amd64
		linux-binary-7.2.1-cloud-amd64' | tr '\n' ' ' |
		sed 's/sh /sh\n/' >"$fakes/apt-cache"
	chmod +x "$fakes/apt-cache"
	PATH=$fakes:$PATH FLAVOUR=cloud-amd64 run -0 part archive.bash releases
	[ "$output" = $'6.1.0-57-cloud-amd64\n7.3.4-cloud-amd64' ]
}

@test "writes an initramfs as the kernel reads it" {
	command -v python3 >/dev/null ||
		skip 'nothing measured: there is no python3'
	echo text >"$BATS_TEST_TMPDIR/file"
	bash -c '
		for name in entry pad member_dir member; do
			. <(sed -n "/^$name() {/,/^}/p" "$1")
		done
		entries=1
		member init "$2"
		member_dir modules
		member modules/a.ko "$2"
		entry "TRAILER!!!" 0 0' - \
		"$BATS_TEST_DIRNAME/kernels/machine.bash" \
		"$BATS_TEST_TMPDIR/file" >"$BATS_TEST_TMPDIR/archive"
	run -0 python3 -c '
import sys
data, at, name = sys.stdin.buffer.read(), 0, ""
up = lambda n: (n + 3) // 4 * 4
while name != "TRAILER!!!":
    assert data[at:at + 6] == b"070701", at
    f = [int(data[at + 6 + 8 * i:at + 14 + 8 * i], 16) for i in range(13)]
    name = data[at + 110:at + 110 + f[11] - 1].decode()
    start = up(at + 110 + f[11])
    print(name, oct(f[1]), data[start:start + f[6]].decode().strip())
    at = up(start + f[6])
' <"$BATS_TEST_TMPDIR/archive"
	[ "${lines[0]}" = 'init 0o100755 text' ]
	[ "${lines[1]}" = 'modules 0o40755 ' ]
	[ "${lines[2]}" = 'modules/a.ko 0o100755 text' ]
	[ "${#lines[@]}" -eq 4 ]
}

# sample TEXT - a file of tests, which are %test here so that they are not
# ours, and what load finds beside it
sample() {
	cp -R "$BATS_TEST_DIRNAME/lib" "$BATS_TEST_TMPDIR/"
	sample=$BATS_TEST_TMPDIR/10-sample.bats
	sed 's/^%test/@test/' >"$sample"
}

# told COMMAND... - the lines of TAP for the sample, and what it printed last,
# with the words of t/run; the inner bats must not find the parts of the outer
told() {
	local path status=0 bats_options
	# shellcheck source=/dev/null
	. <(grep '^bats_options=' "$BATS_TEST_DIRNAME/lib/runner.bash")
	path=$(tr : '\n' <<<"$PATH" | grep -v libexec/bats | grep -v lib/bats |
		paste -s -d :)
	env -i PATH="$path" TMPDIR="$BATS_TEST_TMPDIR" "$@" \
		"${bats_options[@]}" "$sample" \
		>"$BATS_TEST_TMPDIR/tap" 2>&1 || status=$?
	echo "status $status"
	grep -E '^(1\.\.|ok|not ok|# Last|# seen)' "$BATS_TEST_TMPDIR/tap"
}

@test "says of tests what bats says" {
	sample <<-'SAMPLE'
		load lib/chock
		setup_file() { echo once >>made; export WORDS=$'a b\n"c"'; }
		setup() { touch set-up || return; mkdir "$BATS_TEST_TMPDIR/mine"; }
		teardown() {
			[ -d "$BATS_TEST_TMPDIR/mine" ]
		}
		fails() { false; }
		%test "runs" {
			run -3 sh -c 'echo a; echo; echo b >&2; exit 3'
			[ "$output" = $'a\n\nb' ]
			[ "${lines[1]}" = b ]
		}
		%test "keeps them apart" {
			run -0 --separate-stderr sh -c 'echo a; echo b >&2; echo c >&2'
			[ "$output" = a ]
			[ "${stderr_lines[1]}" = c ]
		}
		%test "takes any status without one" {
			run -- fails
			[ "$status" -eq 1 ]
			run ! fails
		}
		%test "wants the status that it names" {
			run -0 fails
		}
		%test "wants a failure" {
			run ! true
		}
		%test "ends at the first error" {
			false
			true
		}
		%test "ends at an error in a function" {
			fails
			true
		}
		%test "is ended by a test in brackets" {
			[[ a == b ]]
			true
		}
		%test "ends nothing where it is asked" {
			fails || [ "$?" -eq 1 ]
			if fails; then return 1; fi
		}
		%test "skips" {
			skip "for \"a\" reason"
			false
		}
		%test "skips what is missing" {
			can_fly() { false; }
			require fly
		}
		%test "fails in its teardown" {
			rmdir "$BATS_TEST_TMPDIR/mine"
		}
		%test "leaves early" {
			exit 4
		}
		%test "shows what was printed last" {
			run --separate-stderr sh -c 'echo seen; echo seen aside >&2'
			[ -z "$output" ]
		}
		%test "sees nothing of another" {
			[ -z "${output-}" ]
			[ "$BATS_TEST_NUMBER" -eq 15 ]
			[ "$(basename "$BATS_TEST_FILENAME")" = 10-sample.bats ]
		}
		%test "sees what was made for all tests" {
			[ "$WORDS" = $'a b\n"c"' ]
			[ "$(cat made)" = once ]
		}
	SAMPLE
	cd "$BATS_TEST_TMPDIR"
	told bats >bats
	rm made
	told "$BATS_TEST_DIRNAME/kernels/tests" >tests
	diff bats tests
	[ "$(grep -c '^not ok' tests)" -eq 8 ]
	[ "$(grep -c '^# seen' tests)" -eq 2 ]
}

@test "runs nothing where what is to be made for all tests fails" {
	sample <<-'SAMPLE'
		setup_file() {
			echo why
			false
			true
		}
		%test "is well" {
			true
		}
	SAMPLE
	run -1 "$BATS_TEST_DIRNAME/kernels/tests" "$sample"
	[ "$output" = $'1..1\nnot ok 1 setup_file\n# why' ]
}

@test "has no function of its own that a file of tests has as well" {
	local name own=' setup setup_file teardown load run skip '
	for name in $(grep -oE '^[a-z_]+\(\)' "$BATS_TEST_DIRNAME/kernels/tests"); do
		name=${name%()}
		[[ $own != *" $name "* ]] || continue
		run -1 grep -lE "^$name\(\)" "$BATS_TEST_DIRNAME"/*.bats \
			"$BATS_TEST_DIRNAME/lib/chock.bash" "$BATS_TEST_DIRNAME/lib/project.bash"
	done
}

@test "ends a test that takes too long, with its name and its place" {
	sample <<-'SAMPLE'
		%test "is well" {
			true
		}
		%test "hangs" {
			read -r _ <"$PIPE"
		}
		%test "waits for what hangs" {
			cat "$PIPE"
		}
	SAMPLE
	mkfifo "$BATS_TEST_TMPDIR/pipe"
	run -1 env PIPE="$BATS_TEST_TMPDIR/pipe" BATS_TEST_TIMEOUT=1 timeout 100 \
		"$BATS_TEST_DIRNAME/kernels/tests" "$sample"
	[ "${lines[1]}" = 'ok 1 is well' ]
	[ "${lines[2]}" = 'not ok 2 hangs' ]
	[[ $output == *$'\nnot ok 3 waits for what hangs\n'*'line 8: cat "$PIPE"'* ]]
	[ "$(grep -c '# it takes more than 1 seconds' <<<"$output")" -eq 2 ]
}
