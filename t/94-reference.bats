#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# The language is what chock-policy(5) says: its examples are answered as it
# says.

load lib/chock

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	page=$BATS_TEST_DIRNAME/../doc/man/chock-policy.5
	[ -e "$page" ] || page=$CHOCK_BUILD/share/man/man5/chock-policy.5
}

# example NAME - the literal block of the page that starts with "# NAME"
example() {
	awk -v first="# $1" '
		/^\.Ed$/ { inside = 0 }
		inside
		/^\.Bd -literal/ { getline; inside = $0 == first; if (inside) print }
	' "$page" | sed 's/\\e/\\/g' >"$1"
	[ "$(wc -l <"$1")" -ge 3 ]
}

@test "answers the examples of the page as the page does" {
	example example.policy
	example example.ceiling
	example example.cases
	run -0 --separate-stderr chock-policy-eval --policy ./example.policy \
		--ceiling ./example.ceiling --cases example.cases
	[ "$output" = '11 asked, 0 wrong' ]
	# Each has its derivation in the page.
	[ "$(sed '1,/^# example.cases$/d' "$page" | grep -c '^\.It$')" -eq 11 ]
}

@test "would see an example that is not so" {
	example example.policy
	example example.ceiling
	example example.cases
	sed -i '/^deny   git.push/s/deny/ask /' example.policy
	run -1 --separate-stderr chock-policy-eval --policy ./example.policy \
		--ceiling ./example.ceiling --cases example.cases
	[ "${lines[0]}" = 'example.cases:2: git.push: the answer is ask ./example.policy:6' ]
}
