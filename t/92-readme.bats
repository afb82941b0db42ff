#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# The README and manuals: what they show is what happens
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
		# 1 and 3 are answers; what is more is a wrong call.
		sh "$example" >out 2>&1 || [[ $? == [13] ]]
		diff -u "${example%.run}.out" out
		count=$((count + 1))
	done
	[ "$count" -ge 6 ]
}

@test "shows a policy that can be read" {
	sed -n '/^\t# my.policy$/,/^$/s/^\t//p' "$readme" \
		>"$BATS_TEST_TMPDIR/my.policy"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/my.policy")" -ge 5 ]
	run -0 chock-policy-eval --policy "$BATS_TEST_TMPDIR/my.policy" --check
	[ -z "$output" ]
}

@test "keeps its policy out of the project, where it would be in the way" {
	grep -qF 'chock run --policy ~/.config/chock/my.policy --' "$readme"
	run -1 grep -F -- '--policy ./my.policy' "$readme"
	require userns landlock
	load lib/project
	make_project "$BATS_TEST_TMPDIR/project"
	mkdir -p "$HOME/.config/chock"
	sed -n '/^\t# my.policy$/,/^$/s/^\t//p' "$readme" >"$HOME/.config/chock/my.policy"
	cd "$BATS_TEST_TMPDIR/project"
	run -0 --separate-stderr setsid -w chock run --yes \
		--policy ~/.config/chock/my.policy -- sh -c \
		'echo x >x; git add x; git commit -qm landed' </dev/null
	[ "$(git log --format=%s -1)" = landed ]
}

@test "names the statuses that say that nothing ran" {
	[[ $(<"$readme") == *'Where nothing ran it is 100 for a policy'*'125 for a sandbox'* ]]
	run -100 chock-spawn --policy ./none -- true
	run -100 chock-spawn --no-such-option -- true
	run -125 chock-spawn --read /no/such -- true
}

@test "names two commands that bootstrap has" {
	[ "$(grep -c $'^\t./bootstrap \(run\|check\)$' "$readme")" -eq 2 ]
}

# manual PAGE - the commands that its EXAMPLES show, as one script; what they
# print goes to the file "shown"
manual() {
	: >shown
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "$BATS_TEST_DIRNAME/../doc/man/$1" |
		awk '
			{ gsub(/\\e/, "\\") }
			/^\.Bd/ { inside = 1; next }
			/^\.Ed/ { inside = 0 }
			!inside { next }
			/^\$ / { sub(/^\$ /, "answered; "); print; n++; next }
			/^> / { sub(/^> /, ""); print; next }
			{ print >"shown" }
			END { print "answered"; exit !n }'
}

@test "shows examples in manuals that can be run" {
	local page line
	mkdir "$BATS_TEST_TMPDIR/here" "$BATS_TEST_TMPDIR/bin"
	cd "$BATS_TEST_TMPDIR/here"
	printf 'allow exec.path.make\n' | tee chock.policy >project.policy
	printf 'exec.path.make -> allow\n' >project.cases
	printf '{"tool":"run_command","args":{"argv":["ls"]}}\n' |
		tee calls one >two
	printf '{"dir":"a\\n"}\n' >record
	printf '#!/bin/sh\necho made\n' >"$BATS_TEST_TMPDIR/bin/make"
	chmod +x "$BATS_TEST_TMPDIR/bin/make"
	PATH=$BATS_TEST_TMPDIR/bin:$libexec:$PATH
	for page in chock-exit.7 chock-policy-eval.1 chock-record.1 chock-log-append.1; do
		{
			# 1 and 3 are answers; what is more is a wrong call.
			echo 'answered() { [ $? -le 3 ] || exit 99; }'
			manual "$page"
		} >script
		printf '%s\n' "$page"
		run -0 sh script
		while IFS= read -r line; do
			grep -qxF -e "$line" <<<"$output"
		done <shown
		if [ "$page" = chock-exit.7 ]; then
			grep -qx made <<<"$output"
		fi
	done
}
