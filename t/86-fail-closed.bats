#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# Nothing fails open: a layer that cannot be set up is an error that names it,
# and the command never runs; nor does it where any other call fails that the
# sandbox is built by.
#
# helpers/confine stands for a kernel or a container that refuses one call of
# who builds the sandbox.

load lib/chock

# Looking for leaks takes ptrace and /proc, which is what is refused here.
export ASAN_OPTIONS=detect_leaks=0

EPERM=1 ENOSYS=38 EOPNOTSUPP=95

setup() {
	require userns landlock
	there=$BATS_TEST_TMPDIR/there
	mkdir -p "$there"
	cd "$there" || return
}

# without WORD... -- OPTION... - chock-spawn where confine answers WORDS; without
# a cgroup, into which clone3(2) bears: no filter sees what that is told
without() {
	local words=()
	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	shift
	rm -f "$there/ran"
	timeout 60 "$helpers/confine" "${words[@]}" -- chock-spawn -p base \
		--cgroup none --write "$there" --report-fd 3 --status-fd 4 "$@" -- \
		touch "$there/ran" 3>"$BATS_TEST_TMPDIR/report" \
		4>"$BATS_TEST_TMPDIR/line" </dev/null
}

# refused LAYER WORD... - the command does not run, and LAYER is named
refused() {
	local layer=$1
	shift
	run -125 --separate-stderr without "$@" --
	[[ $stderr == "chock-spawn: layer '$layer': "* ]]
	[ "$(json .layer <"$BATS_TEST_TMPDIR/line")" = "$layer" ]
	[ ! -e "$there/ran" ]
}

# waived LAYER WORD... - it runs if LAYER is waived by name, and that is said
waived() {
	local layer=$1
	shift
	run -0 without "$@" -- --allow-degraded "$layer"
	[ -e "$there/ran" ]
	[ "$(head -n 1 "$BATS_TEST_TMPDIR/report" |
		json ".layers[\"$layer\"].state")" = waived ]
}

# never LAYER WORD... - nobody can waive it
never() {
	local layer=$1
	shift
	run -100 --separate-stderr without "$@" -- --allow-degraded "$layer"
	[[ $stderr == *"never goes without '$layer'" ]]
	[ ! -e "$there/ran" ]
}

@test "runs the command where nothing is refused" {
	run -0 without none --
	[ -e "$there/ran" ]
}

@test "needs the user, pid and mount namespaces" {
	refused userns answer clone "$EPERM" $((0x10000000))
	never userns answer clone "$EPERM" $((0x10000000))
	refused pidns answer clone "$EPERM" $((0x20000000))
	never pidns answer clone "$EPERM" $((0x20000000))
	refused mountns answer clone "$EPERM" $((0x00020000))
	never mountns answer clone "$EPERM" $((0x00020000))
}

@test "needs the ipc and network namespaces, unless they are waived" {
	refused ipcns answer clone "$EPERM" $((0x08000000))
	waived ipcns answer clone "$EPERM" $((0x08000000))
	refused netns answer unshare "$EPERM" $((0x40000000))
	# Landlock holds TCP from ABI 4 on; before that only the namespace does.
	if [ "$("$helpers/act" landlock-abi)" -ge 4 ]; then
		waived netns answer unshare "$EPERM" $((0x40000000))
	else
		run -125 --separate-stderr without answer unshare "$EPERM" \
			$((0x40000000)) -- --allow-degraded netns
		[[ $stderr == "chock-spawn: layer 'landlock.tcp': "* ]]
		[ ! -e "$there/ran" ]
	fi
	refused netns answer ioctl "$EPERM" 1=$((0x8914))
	refused netns answer ioctl "$EPERM" 1=$((0x894c))
	refused netns answer setns "$EPERM" 1=$((0x40000000))
	refused netns kill unshare $((0x40000000))
}

# With CLOSE_RANGE_CLOEXEC, by what is to become the command: it says nothing.
@test "says so where what becomes the command is killed before it does" {
	run -125 --separate-stderr without kill close_range 2=4 --
	[ "$stderr" = 'chock-spawn: what was to become the command was killed while it gave up its rights' ]
	[ ! -e "$there/ran" ]
	run -0 without kill close_range 2=64 --
	[ -e "$there/ran" ]
}

# The flags of procfs alone: MOUNT_ATTR_NOSUID, _NODEV and _NOEXEC.
@test "needs a procfs of its own, unless it is waived" {
	refused proc answer mount "$EPERM" 3=14
	waived proc answer mount "$EPERM" 3=14
}

# With open_tree(2) and the like, or on older kernels with mount(2).
@test "needs the calls that make a mount tree" {
	local call
	for call in fsopen open_tree move_mount mount_setattr pivot_root umount2; do
		refused mountns answer "$call" "$EPERM"
	done
}

@test "needs Landlock, and each step of it" {
	refused landlock answer landlock_create_ruleset "$ENOSYS"
	waived landlock answer landlock_create_ruleset "$ENOSYS"
	refused landlock answer landlock_create_ruleset "$EOPNOTSUPP"
	refused landlock answer landlock_create_ruleset "$EPERM" 1=$((16 + 8))
	refused landlock answer landlock_restrict_self "$EPERM"
	run -125 --separate-stderr without answer landlock_add_rule "$EPERM" --
	[[ $stderr == *"Landlock"* ]]
	[ ! -e "$there/ran" ]
}

# Of an older Landlock nothing is missed that another layer holds; with the
# host's network and no namespace for it, nothing holds the scopes.
@test "needs each part of Landlock that nothing else holds" {
	local abi
	[ "$("$helpers/act" landlock-abi)" -ge 6 ] || skip "nothing measured: no newer one"
	for abi in 2 5; do
		run -125 --separate-stderr "$helpers/old-landlock" "$abi" \
			chock-spawn -p base --write "$there" --net host -- \
			touch "$there/ran" </dev/null
		[[ $stderr == "chock-spawn: layer 'landlock.scope': "* ]]
		[ ! -e "$there/ran" ]
	done
	run -125 --separate-stderr "$helpers/confine" answer unshare "$EPERM" \
		$((0x40000000)) -- "$helpers/old-landlock" 3 chock-spawn -p base \
		--cgroup none --write "$there" --allow-degraded netns -- touch "$there/ran" </dev/null
	[[ $stderr == "chock-spawn: layer 'landlock.tcp': "* ]]
	[ ! -e "$there/ran" ]
	run -125 --separate-stderr "$helpers/old-landlock" 1 chock-spawn -p base \
		--write "$there" -- touch "$there/ran" <"$BATS_TEST_FILENAME"
	[[ $stderr == "chock-spawn: layer 'landlock.truncate': "* ]]
	[ ! -e "$there/ran" ]
}

@test "needs the filter on system calls, and the list of sockets in it" {
	refused seccomp answer seccomp "$ENOSYS" 0=2
	refused seccomp answer seccomp "$EPERM"
	run -125 --separate-stderr without answer seccomp "$ENOSYS" 0=2 -- \
		--allow-degraded seccomp
	[[ $stderr == "chock-spawn: layer 'sockets': "* ]]
	[ ! -e "$there/ran" ]
	run -0 without answer seccomp "$ENOSYS" 0=2 -- \
		--allow-degraded seccomp --allow-degraded sockets
	[ -e "$there/ran" ]
	# One of two calls is left to load it with, and then none of them.
	run -0 without answer seccomp "$EPERM" 0=1 --
	[[ $(tail -n 1 "$BATS_TEST_TMPDIR/report" |
		json .layers.seccomp.reason) == "kills have no names: "* ]]
	rm "$there/ran"
	run -125 --separate-stderr "$helpers/confine" answer seccomp "$EPERM" 0=1 -- \
		"$helpers/confine" answer prctl "$EPERM" 0=22 -- \
		chock-spawn -p base --write "$there" -- touch "$there/ran" </dev/null
	[[ $stderr == "chock-spawn: layer 'seccomp': "* ]]
	[ ! -e "$there/ran" ]
}

@test "needs limits" {
	! sanitized || skip 'nothing measured: a sanitizer asks for limits first'
	refused rlimits answer prlimit64 "$EPERM" 0=0
	never rlimits answer prlimit64 "$EPERM" 0=0
}

@test "needs a keyring of its own, unless the kernel has none or it is waived" {
	refused keyring answer keyctl "$EPERM"
	waived keyring answer keyctl "$EPERM"
	run -0 without answer keyctl "$ENOSYS" --
	[ "$(head -n 1 "$BATS_TEST_TMPDIR/report" |
		json .layers.keyring.state)" = absent ]
}

@test "says where no memfd is kept from being executed" {
	run -0 without none --
	case $(head -n 1 "$BATS_TEST_TMPDIR/report" | json .layers.memfd.state) in
	on) ;;
	absent)
		[[ $(head -n 1 "$BATS_TEST_TMPDIR/report" |
			json .layers.memfd.reason) == *vm.memfd_noexec ]]
		;;
	*) false ;;
	esac
}

@test "takes no first capability that is refused for the end of the list" {
	run -125 --separate-stderr without answer prctl 22 0=24 --
	[ "$stderr" = "chock-spawn: cannot give up capabilities: Invalid argument" ]
	[ ! -e "$there/ran" ]
}

# Options of prctl(2): PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NAME,
# PR_CAPBSET_DROP, PR_SET_SECUREBITS, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT.
@test "does not run it where any other call fails that builds the sandbox" {
	local call words
	for call in setsid capset close_range pipe2 rt_sigprocmask signalfd4 \
		mkdirat symlinkat fsconfig fsmount chdir fchdir \
		"prctl 0=1" "prctl 0=4" "prctl 0=15" "prctl 0=24" "prctl 0=28" \
		"prctl 0=38" "prctl 0=47" "mmap 3=$((0x21))"; do
		read -r call words <<<"$call"
		# shellcheck disable=SC2086
		run --separate-stderr without answer "$call" "$EPERM" $words --
		echo "$call $words: $status $stderr"
		if [ "$status" -eq 0 ]; then
			# A start that does without the call has lost nothing.
			[ "$(head -n 1 "$BATS_TEST_TMPDIR/report" | json \
				'[.layers[] | select(.state == "waived")] | length')" = 0 ]
			[ -z "$stderr" ]
			unused+=("$call $words")
			continue
		fi
		[ "$status" -eq 125 ]
		[ ! -e "$there/ran" ]
		[[ $stderr == "chock-spawn: "*": Operation not permitted" ]]
	done
	echo "not used: ${unused[*]}"
}
