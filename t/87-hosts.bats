#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# The places in which chock is started: in each a sandbox works, and holds what
# it holds elsewhere, or it is refused in words that name what is missing, and
# the command never ran.
#
#	a container      a root of its own, no new privileges, root in it
#	a chroot         the kernel makes no user namespace in one
#	an outer chock   which ends who makes a namespace
#	no cgroups, no Landlock, no keyrings, no memory of ids

load lib/chock

EPERM=1 ENOSYS=38 EOPNOTSUPP=95

setup() {
	act=$helpers/act
	confine=$helpers/confine
	ran=$BATS_TEST_TMPDIR/open/ran
	mkdir "$BATS_TEST_TMPDIR/open"
	echo secret >"$BATS_TEST_TMPDIR/closed"
}

# works WRAPPER... - there a sandbox works, with $options, and shows what is
# granted alone
works() {
	local open=$BATS_TEST_TMPDIR/open
	rm -f "$open/file"
	run -0 "$@" cat "$BATS_TEST_TMPDIR/closed"
	run -0 "$@" chock-spawn --policy base "${options[@]}" --write "$open" -- \
		sh -c 'id -u && echo text >"$1"' sh "$open/file"
	[ "$output" = "$("$@" id -u)" ]
	[ "$(cat "$open/file")" = text ]
	run -1 "$@" chock-spawn --policy base "${options[@]}" --write "$open" -- \
		cat "$BATS_TEST_TMPDIR/closed"
	[[ $output == *'No such file or directory' ]]
}

# refused LAYER WRAPPER... - there none can be made, for want of that layer;
# the rest of the message is left in $reason
refused() {
	local layer=$1
	shift
	run -0 "$@" touch "$ran"
	rm -f "$ran"
	run -125 --separate-stderr "$@" chock-spawn --policy base \
		--write "$BATS_TEST_TMPDIR/open" -- touch "$ran"
	[[ $stderr == "chock-spawn: layer '$layer': "* ]]
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	[ ! -e "$ran" ]
	reason=${stderr#*"': "}
	run -2 --separate-stderr "$@" chock-doctor --json
	[ "$(jq -r --arg name "$layer" '.rows[] |
		select(.name == $name) | .state' <<<"$output")" != on ]
}

# container WORD... - as an engine leaves a process: another root, pid 1, root
# in it, and no new privileges
container() {
	# The inner shell expands these.
	# shellcheck disable=SC2016
	unshare --user --map-root-user --mount --pid --fork --mount-proc \
		sh -c '
			root=$1
			shift
			mount --rbind / "$root" && cd "$root" &&
				pivot_root . . && umount -l . && cd / &&
				exec setpriv --no-new-privs "$@"' \
		sh "$(mktemp -d "$BATS_TEST_TMPDIR/root.XXXXXX")" "$@"
}

# in_chroot WORD... - with another root, and no pivot
in_chroot() {
	# shellcheck disable=SC2016
	unshare --user --map-root-user --mount sh -c '
		root=$1
		shift
		mount --rbind / "$root" && exec chroot "$root" "$@"' \
		sh "$(mktemp -d "$BATS_TEST_TMPDIR/root.XXXXXX")" "$@"
}

without_cgroups() {
	# shellcheck disable=SC2016
	unshare --user --map-current-user --mount --keep-caps sh -c '
		mount -t tmpfs none /sys/fs/cgroup && exec "$@"' sh "$@"
}

@test "works as who calls it" {
	require userns landlock
	works env
	run -0 chock-doctor
}

@test "works as root in a container, without new privileges" {
	require userns landlock
	works container
	run -0 container grep -c '^NoNewPrivs:.*1$' /proc/self/status
	run -0 container chock-doctor
}

@test "is refused by name in a chroot, and the doctor says why" {
	require userns landlock
	refused userns in_chroot
	[ "$reason" = "cannot make a user namespace: Operation not permitted; 'chock doctor' says what withholds it" ]
	run -2 in_chroot chock-doctor
	[[ $output == *'cause: '*' in a chroot, '*'mend:  start it outside of the chroot'* ]]
}

@test "is refused by name where no user namespace can be made" {
	require userns
	# shellcheck disable=SC2016
	refused userns unshare --user --map-root-user sh -c \
		'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"' sh
}

# Not in a pretended place, but where there is none to be had, or one that is
# worth nothing.
@test "is refused by name where the machine itself makes no user namespace" {
	built
	! can_userns || skip 'nothing measured: this machine makes them'
	refused userns env
	jq -e '.rows[] | select(.name == "userns") | .cause' <<<"$output"
	can_landlock6 || return 0
	run -0 chock-spawn --driver auto --policy base --report-fd 3 -- true \
		3>"$BATS_TEST_TMPDIR/report"
	[ "$(head -n 1 "$BATS_TEST_TMPDIR/report" | json .driver)" = landlock ]
}

# without_landlock WORD... - that works where all of it is waived by name
without_landlock() {
	local layer words=()
	for layer in landlock landlock.{refer,truncate,tcp,ioctl,scope}; do
		words+=(--allow-degraded "$layer")
	done
	run -0 "$@" --policy base "${words[@]}" -- true
}

@test "is refused by name without Landlock, whatever it is that is missing" {
	require userns landlock
	refused landlock "$confine" answer landlock_create_ruleset "$ENOSYS" --
	refused landlock "$confine" answer landlock_create_ruleset \
		"$EOPNOTSUPP" --
	without_landlock "$confine" answer landlock_create_ruleset "$ENOSYS" \
		-- chock-spawn
}

# Not in a pretended place, but on a kernel of 5.12 or older, or one that does
# not start it.
@test "is refused by name where the kernel itself has no Landlock" {
	require userns
	built
	! can_landlock || skip 'nothing measured: this kernel has it'
	refused landlock env
	run -125 --separate-stderr chock-spawn --driver landlock --policy base \
		-- touch "$ran"
	[[ $stderr == "chock-spawn: layer 'landlock': "* ]]
	[ ! -e "$ran" ]
	run -125 chock-spawn --driver auto --policy base -- touch "$ran"
	[ ! -e "$ran" ]
	without_landlock chock-spawn
}

@test "works where there are no cgroups" {
	require userns landlock
	[ -d /sys/fs/cgroup ] || skip 'nothing measured: there are none at all'
	run -0 without_cgroups ls -A /sys/fs/cgroup
	[ -z "$output" ]
	works without_cgroups
}

@test "works where clone3 is refused, and where there are no keyrings" {
	require userns landlock
	# Nothing else bears into a cgroup: see 26.
	options=(--cgroup none)
	works "$confine" answer clone3 "$EPERM" --
	works "$confine" answer clone3 "$ENOSYS" --
	works "$confine" answer keyctl "$ENOSYS" --
}

@test "works where what the kernel says of ids cannot be read" {
	require userns landlock
	# shellcheck disable=SC2016
	run -0 unshare --user --map-root-user --mount sh -c '
		mount -t tmpfs none /proc/sys/kernel && exec "$@"' sh \
		chock-spawn --policy base --allow-degraded proc -- id -u
	[ "$output" = 0 ]
}

@test "says in a sandbox of chock's own that it cannot be in one" {
	require userns landlock
	local outer=(chock-spawn --policy base --read "$CHOCK_BUILD"
		--read "$(realpath "$CHOCK_BUILD/share/chock/policies")"
		--write "$BATS_TEST_TMPDIR/open" --env "PATH=$PATH" --)
	refused userns "${outer[@]}"
	[[ $reason == 'the sandbox that we are in ends who makes a namespace'* ]]
	run -0 "${outer[@]}" "$act" landlock-abi
}

@test "hands the exit status through in every place" {
	require userns landlock
	run -37 container chock-spawn --policy base -- sh -c 'exit 37'
	run -37 without_cgroups chock-spawn --policy base -- sh -c 'exit 37'
	run -127 container chock-spawn --policy base -- no-such-program
}
