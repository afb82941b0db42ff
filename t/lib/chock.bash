# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# What every bats file loads: where chock is, a home that is not the person's,
# and what this machine can do.
#
# $CHOCK_BUILD is the build tree, or an installation of it; t/run sets it.

bats_require_minimum_version 1.5.0

: "${CHOCK_BUILD:=$(cd "$BATS_TEST_DIRNAME/.." && pwd)/build}"
PATH=$CHOCK_BUILD/bin:$PATH
libexec=$CHOCK_BUILD/libexec/chock
helpers=$CHOCK_BUILD/t/helpers
# shellcheck disable=SC2034
data=$BATS_TEST_DIRNAME/data

# A test never sees the home, the configuration or the sessions of the person
# who runs it, and git reads nobody's settings.
HOME=$BATS_TEST_TMPDIR/home
mkdir -p "$HOME"
unset XDG_CONFIG_HOME XDG_STATE_HOME XDG_DATA_HOME XDG_RUNTIME_DIR XDG_CACHE_HOME
unset "${!GIT_@}"
export HOME LC_ALL=C.UTF-8 GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=Tester GIT_AUTHOR_EMAIL=tester@example.org
export GIT_COMMITTER_NAME=Tester GIT_COMMITTER_EMAIL=tester@example.org
export PATH libexec helpers

# require WHAT... - skip unless this machine can do all of WHAT
#
# Under CHOCK_REQUIRE=all a missing ability is a failure, so that the machine
# that is meant to test sandboxes cannot quietly stop doing it.  Being root is
# no ability of the machine: every test runs as root and as a user.  Nor is a
# cgroup that was delegated: t/kernels/ gives one to whom it runs these for.
#
# What it could do once in a file of tests, it can.
require() {
	local what
	for what; do
		[ ! -e "${BATS_FILE_TMPDIR-/nowhere}/can-$what" ] || continue
		case $what in landlock*) built || return ;; esac
		"can_$what" && {
			[ -z "${BATS_FILE_TMPDIR-}" ] ||
				: >"$BATS_FILE_TMPDIR/can-$what"
			continue
		}
		case ${CHOCK_REQUIRE-}:$what in
		all:root | all:cgroup) ;;
		all:*)
			printf 'this machine cannot do %s\n' "$what" >&2
			return 1
			;;
		esac
		skip "nothing measured: this machine cannot do $what"
	done
}

can_userns() {
	unshare --user --map-current-user --mount --pid --fork true 2>/dev/null
}

can_landlock() {
	"$helpers/act" landlock-abi >/dev/null 2>&1
}

# A helper that nobody built says nothing of the machine.
built() {
	[ -x "$helpers/act" ] && return
	printf 'the tests are not built: make -C %s check-programs\n' \
		"$CHOCK_BUILD" >&2
	return 1
}

# Truncation is a right of its own from ABI 3 on, scopes from ABI 6 on.
can_landlock3() {
	[ "$("$helpers/act" landlock-abi)" -ge 3 ] 2>/dev/null
}

can_landlock6() {
	[ "$("$helpers/act" landlock-abi)" -ge 6 ] 2>/dev/null
}

# Who has no CAP_SYS_PTRACE follows no process at all from 2 on.
can_trace() {
	"$helpers/kill-at" 9999 -- true 2>/dev/null || [ $? -eq 251 ]
}

# An overlay of an ordinary user's own, on the file system that tests are on.
can_overlay() {
	mkdir -p "$BATS_TEST_TMPDIR/can/w"
	chock-spawn -p base --cow "$BATS_TEST_TMPDIR/can" --discard -- true \
		2>/dev/null
}

can_root() {
	[ "$(id -u)" -eq 0 ]
}

# weak COMMAND... - becomes COMMAND, without a capability: from who has none the
# kernel itself keeps those of root's processes that have some, to be scheduled
# or looked into (security/commoncap.c), so that they show nothing of a sandbox
weak() {
	! can_root || exec setpriv --bounding-set=-all --inh-caps=-all "$@"
	exec "$@"
}

# sanitized - whether these are the programs of --enable-sanitizers
sanitized() {
	[ -n "$(ASAN_OPTIONS=help=1 chock-spawn --version 2>&1 >/dev/null)" ]
}

# without_git COMMAND... - run it where nothing that is named git can be run
without_git() {
	unshare --user --map-root-user --mount sh -c '
		for dir in /usr/local/bin /usr/bin /bin; do
			[ ! -e "$dir/git" ] || mount --bind /dev/null "$dir/git"
		done
		exec "$@"' sh "$@"
}

# jq 1.6 reads its own library at each start, which takes 44 ms, more than most
# of what a test does; gojq has it built in, and takes 4.
if command -v gojq >/dev/null; then
	jq() {
		gojq "$@"
	}
fi

# json FIELD - one value out of the JSON on standard input
json() {
	jq -r "$1"
}
