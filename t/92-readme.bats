#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# The README: what it shows is what happens
#
# Its examples are a "$ COMMAND" in a literal block and what that prints.

load lib/chock

setup() {
	readme=$BATS_TEST_DIRNAME/../README
}

# examples FOLDER - each example's command and output, in N.run and N.out
examples() {
	awk -v to="$1" '
		/^\t\$ / {
			n++
			sub(/^\t\$ /, "")
			print >(to "/" n ".run")
			printf "" >(to "/" n ".out")
			inside = 1
			next
		}
		/^\t/ && inside { sub(/^\t/, ""); print >(to "/" n ".out"); next }
		{ inside = 0 }' "$readme"
}

@test "shows examples that print what it says" {
	local count=0 example
	require userns landlock
	mkdir "$BATS_TEST_TMPDIR/shown" "$BATS_TEST_TMPDIR/here"
	examples "$BATS_TEST_TMPDIR/shown"
	cd "$BATS_TEST_TMPDIR/here"
	export HOME=/home/me
	for example in "$BATS_TEST_TMPDIR"/shown/*.run; do
		sh "$example" >out 2>&1 || [ $? -eq 1 ]
		diff -u "${example%.run}.out" out
		count=$((count + 1))
	done
	[ "$count" -ge 3 ]
}

@test "shows a policy that can be read" {
	sed -n '/^\t# my.policy$/,/^$/s/^\t//p' "$readme" \
		>"$BATS_TEST_TMPDIR/my.policy"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/my.policy")" -ge 5 ]
	run -0 chock-policy-eval --policy "$BATS_TEST_TMPDIR/my.policy" --check
	[ -z "$output" ]
}

@test "names two commands that bootstrap has" {
	[ "$(grep -c $'^\t./bootstrap \(run\|check\)$' "$readme")" -eq 2 ]
}
