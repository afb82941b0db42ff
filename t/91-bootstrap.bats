#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# bootstrap and configure: what cannot work here is said, in a line
#
# The clone is an empty one with nothing but bootstrap in it; dpkg-query, id
# and sudo are our own, which say that nothing is installed and that we may
# install nothing.

load lib/chock

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/.." && pwd -P)
	clone=$BATS_TEST_TMPDIR/a\ clone
	fakes=$BATS_TEST_TMPDIR/fakes
	mkdir "$clone" "$fakes"
	cp "$top/bootstrap" "$clone/"
}

# fake NAME SCRIPT - a program that comes before the real one
fake() {
	printf '#!/bin/sh\n%s\n' "$2" >"$fakes/$1"
	chmod +x "$fakes/$1"
}

bootstrap() {
	PATH=$fakes:$PATH "$clone/bootstrap" "$@"
}

@test "prints the one command when it may not install what is missing" {
	fake dpkg-query 'printf not-installed'
	fake id 'echo 1000'
	fake sudo 'exit 1'
	run -1 --separate-stderr bootstrap
	[[ $stderr == $'bootstrap: packages are missing; as root, run\n\n\tapt-get install '* ]]
	[ "$(grep -c apt-get <<<"$stderr")" -eq 1 ]
	for package in autoconf automake gcc make libarchive-dev libjansson-dev libseccomp-dev \
		libssl-dev; do
		[[ "$stderr " == *" $package "* ]]
	done
	[[ $stderr != *shellcheck* ]]
	[ ! -e "$clone/build" ]
}

@test "says how it is called, and builds nothing then" {
	run -0 --separate-stderr bootstrap --help
	[ "$output" = 'usage: ./bootstrap [run [-- CMD...] | check]' ]
	for words in chekc 'check twice'; do
		# shellcheck disable=SC2086
		run -100 --separate-stderr bootstrap $words
		[ "$stderr" = 'usage: ./bootstrap [run [-- CMD...] | check]' ]
	done
	[ ! -e "$clone/build" ]
}

@test "asks for what the tests need only when it is to test" {
	fake dpkg-query 'printf not-installed'
	fake id 'echo 1000'
	fake sudo 'exit 1'
	run -1 --separate-stderr bootstrap check
	for package in autoconf bats bubblewrap shellcheck mandoc; do
		[[ "$stderr " == *" $package "* ]]
	done
}

@test "installs by apt-get what is missing, and only that, when it may" {
	fake id 'echo 0'
	fake dpkg-query 'for p; do :; done
		[ "$p" = automake ] && exit 1
		printf installed'
	fake apt-get 'echo "$@" >>"$(dirname "$0")/log"; exit 100'
	run -1 --separate-stderr bootstrap
	[ "$(cat "$fakes/log")" = '-qq update' ]
	fake apt-get 'echo "$@" >>"$(dirname "$0")/log"
		case $* in *install*) exit 100 ;; esac'
	run -1 --separate-stderr bootstrap
	[ "$(tail -n 1 "$fakes/log")" = \
		'-qq -y --no-install-recommends install automake' ]
	[[ $stderr == *'bootstrap: cannot install what is missing' ]]
}

@test "says that make cannot work in a path with a newline or a quote" {
	fake dpkg-query 'printf installed'
	for name in $'new\nline' "it's" 'a$b' 'a:b'; do
		mkdir "$BATS_TEST_TMPDIR/$name"
		cp "$top/bootstrap" "$BATS_TEST_TMPDIR/$name/"
		clone=$BATS_TEST_TMPDIR/$name
		run -1 --separate-stderr bootstrap
		[[ $stderr == 'bootstrap: make cannot work in a path with '* ]]
		[ ! -e "$clone/build/make.log" ]
	done
}

@test "goes on in a path with a blank" {
	fake dpkg-query 'printf installed'
	fake autoreconf 'echo "reached $PWD"; exit 1'
	run -1 --separate-stderr bootstrap
	[[ $stderr == *"reached $clone"$'\n'* ]]
	[[ $stderr == *'bootstrap: failed: autoreconf -fi' ]]
}

@test "takes warnings for errors where all is checked, and only there" {
	fake dpkg-query 'printf installed'
	fake autoreconf 'printf "#!/bin/sh\necho \"configured: \$*.\"; exit 1\n" >configure
		chmod +x configure'
	unset CHOCK_CHECK
	run -1 --separate-stderr bootstrap check
	[[ ${stderr_lines[-2]} == 'configured: .' ]]
	CHOCK_CHECK=full run -1 --separate-stderr bootstrap check
	[[ ${stderr_lines[-2]} == 'configured: --enable-werror.' ]]
}

@test "configures for Linux and for nothing else" {
	cd "$BATS_TEST_TMPDIR"
	run -1 "$top/configure" --host=x86_64-unknown-freebsd13
	[[ ${lines[-1]} == 'configure: error: '*'only Linux has'*freebsd13* ]]
	[ ! -e Makefile ]
}
