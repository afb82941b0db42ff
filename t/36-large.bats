#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# A copy of a large project begins from a kept checkout, and neither a session
# nor an accident makes two sessions see each other through it
#
#	low/       what several copies have below them
#	a/, b/     the layers of two
#	project/   in whose place they are shown

load lib/chock
load lib/workspace

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p low/dir a b shown
	printf 'one\n' >low/file
	printf 'two\n' >low/dir/other
	project=$BATS_TEST_TMPDIR/shown
}

# shown LAYERS SCRIPT - run it where low is shown in the project's place
shown() {
	chock-spawn -p base --project "$project" --copy "$PWD/low" \
		--layers "$PWD/$1" --chdir "$project" -- sh -euc "$2"
}

@test "keeps what is written to a copy in layers, and the copy as it is" {
	require overlay
	before low
	run -0 shown a 'echo new >file; rm dir/other; echo x >more; cat file'
	[ "$output" = new ]
	unchanged low
	[ "$(cat a/upper/file)" = new ]
	[ -c a/upper/dir/other ]
	[ ! -e a/work ]
}

@test "goes on with layers that an earlier run left, or was killed over" {
	require overlay
	shown a 'echo new >file; mv dir moved'
	run -0 shown a 'cat file moved/other; ls'
	[ "$output" = $'new\ntwo\nfile\nmoved' ]
	shown a 'echo last >file'
	mkdir -p a/work/work/incompat/volatile
	chmod 0 a/work/work/incompat
	run -0 shown a 'cat file'
	[ "$output" = last ]
}

@test "shows one directory to two copies at once, and each its own changes" {
	require overlay
	mkfifo began end
	chock-spawn -p base --project "$project" --copy "$PWD/low" \
		--layers "$PWD/a" --bind "$PWD/began:/run/began" \
		--bind "$PWD/end:/run/end" -- sh -euc "
			echo first >'$project/file'
			echo >/run/began
			read line </run/end
			cat '$project/file'" >first 3>&- &
	read -r _ <began
	run -0 shown b 'cat file; echo second >file'
	[ "$output" = one ]
	run -125 --separate-stderr shown a 'cat file'
	[ "$stderr" = "chock-spawn: --layers: '$PWD/a' is in use: one run at a time" ]
	echo >end
	wait $!
	[ "$(cat first)" = first ]
	[ "$(cat low/file)" = one ]
}

@test "refuses layers that are of nothing, of two, not there, or without overlay" {
	run -100 --separate-stderr chock-spawn -p base --layers "$PWD/a" -- true
	[ "$stderr" = 'chock-spawn: --layers is of --cow or --copy' ]
	run -100 --separate-stderr chock-spawn -p base --layers "$PWD/a" \
		--copy "$PWD/low" --cow "$PWD/b" -- true
	[[ $stderr == 'chock-spawn: --layers keeps what is written to --cow or to --copy, not to both' ]]
	run -100 --separate-stderr chock-spawn -p base --driver landlock \
		--layers "$PWD/a" --copy "$PWD/low" -- true
	[[ $stderr == *"the driver 'landlock' has no overlay" ]]
	require userns
	run -125 --separate-stderr shown none true
	[ "$stderr" = "chock-spawn: --layers: cannot open '$PWD/none': No such file or directory" ]
}
