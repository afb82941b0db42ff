#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# The policies that people start from: a real program does its work under each,
# and what each promises to keep away is there without it and not with it.

load lib/chock

setup() {
	policies=$BATS_TEST_DIRNAME/../policies
	mkdir "$BATS_TEST_TMPDIR/project"
	cd "$BATS_TEST_TMPDIR/project" || return
}

# by POLICY WORD... - the command WORD... in a sandbox by POLICY, in the project
by() {
	chock-spawn --policy "$1" -- "${@:2}"
}

@test "puts the home and the project into a variable" {
	require userns landlock
	printf '%s\n' 'include base' 'env A=~/x:/y:@project@' 'env B=-I~/x' >../p
	run -0 by ../p /usr/bin/printenv A B
	[ "${lines[0]}" = "$HOME/x:/y:$PWD" ]
	[ "${lines[1]}" = '-I~/x' ]
	run -100 env -u HOME chock-spawn --policy ../p -- true
	[[ $output == *"../p:2:1: there is no home directory here" ]]
	printf 'env A=~/../x\n' >../p
	run -100 by ../p true
	[[ $output == *"'A=~/../x' is a path with '.' or '..' in it"* ]]
}

@test "has in the one PATH of all languages that of the sandbox, last" {
	require userns landlock
	run -0 by base /usr/bin/printenv PATH
	usual=$output
	run -0 chock-spawn --policy base --policy userpath -- /usr/bin/printenv PATH
	[[ $output == "$HOME/"*":$usual" ]]
}
