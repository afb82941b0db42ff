#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# From inside: every way to a file that is hidden, not granted, or granted for
# reading alone.  Each act gets through without the sandbox, is refused in it
# by its errno, and gets through to the neighbour.
#
#	$top/desk         granted to write
#	$top/desk/secret  hidden (by the namespaces; a program, so that it can
#	                  be executed)
#	$top/desk/keys/   hidden
#	$top/desk/mine    the neighbour
#	$top/shown/file   granted to read
#	$top/other/file   not granted

load lib/chock
load lib/escape

# Looking for leaks takes ptrace and /proc, which is what is tested here.
export ASAN_OPTIONS=detect_leaks=0

O_PATH=$((0x200000))
O_DIRECTORY=$((0x10000))
AT_REMOVEDIR=$((0x200))

setup() {
	require userns landlock
	act=$helpers/act
	top=$BATS_TEST_TMPDIR/top
	desk=$top/desk
	driver=namespaces
	seed=$BATS_TEST_TMPDIR/seed
	mkdir -p "$seed"/{desk/keys,desk/dir,shown,other}
	for file in desk/{secret,mine,new,keys/id,dir/id} {shown,other}/file; do
		cp /bin/true "$seed/$file"
	done
	ln -s ../shown/file "$seed/desk/link"
}

plant() {
	rm -rf "$top"
	cp -a "$BATS_TEST_TMPDIR/seed" "$top"
}

outside() {
	(cd "$desk" && "$act" "$@")
}

inside() {
	local hide=()
	[ "$driver" = landlock ] || hide=(--hide "$desk/secret" --hide "$desk/keys")
	chock-spawn --driver "$driver" -p base --read "$helpers" \
		--read "$top/shown" --write "$desk" --chdir "$desk" \
		"${hide[@]}" -- "$act" "$@"
}

# both_ways ANSWER ACT... - refused for `secret`, and works for `mine`
both_ways() {
	local answer=$1 other=()
	shift
	refused "$answer" "$@"
	for word; do
		other+=("${word//secret/mine}")
	done
	works "${other[@]}"
}

@test "gives a hidden file by no call that names it" {
	# By its name, through a directory, to read, to write, to make, to execute.
	both_ways EACCES call open s:secret 0
	both_ways EACCES call openat here s:secret 0
	both_ways EACCES on . $O_PATH openat fd s:secret 0
	both_ways EACCES call openat here s:secret 1
	both_ways EROFS call openat here s:secret $((02 | 01000)) 0
	both_ways EROFS call creat s:secret $((0600))
	both_ways EACCES call execve s:secret 0 0
	both_ways EACCES call execveat here s:secret 0 0 0
	# Of two reasons, kernels name either.
	both_ways 'EACCES|EROFS' call truncate s:secret 0
	enough 9
}

@test "changes nothing about a hidden file" {
	# Mode, owner, times, attributes; in every spelling of the call.
	both_ways EROFS call chmod s:secret $((0700))
	both_ways EROFS call fchmodat here s:secret $((0700))
	both_ways EROFS call fchmodat2 here s:secret $((0700)) 0
	both_ways EROFS call chown s:secret -1 -1
	both_ways EROFS call lchown s:secret -1 -1
	both_ways EROFS call fchownat here s:secret -1 -1 0
	both_ways EROFS call utimensat here s:secret 0 0
	both_ways EROFS call utimes s:secret 0
	both_ways EROFS call utime s:secret 0
	both_ways EROFS call setxattr s:secret s:user.x s:v 1 0
	both_ways EROFS call lsetxattr s:secret s:user.x s:v 1 0
	enough 9
}

@test "removes, replaces and renames no hidden file" {
	both_ways EBUSY call unlink s:secret
	both_ways EBUSY call unlinkat here s:secret 0
	both_ways EBUSY call rename s:secret s:gone
	both_ways EBUSY call renameat here s:secret here s:gone
	both_ways EBUSY call renameat2 here s:secret here s:gone 0
	both_ways EBUSY call renameat2 here s:secret here s:gone 1
	# One's own file onto it, every way: over it, and in exchange for it.
	both_ways EBUSY call rename s:new s:secret
	both_ways EBUSY call renameat here s:new here s:secret
	both_ways EBUSY call renameat2 here s:new here s:secret 0
	both_ways EBUSY call renameat2 here s:new here s:secret 2
	both_ways EBUSY call renameat2 here s:secret here s:new 2
	# A second name for it, and by a descriptor that stands for its path.
	both_ways EXDEV call link s:secret s:name
	both_ways EXDEV call linkat here s:secret here s:name 0
	both_ways EXDEV on secret $O_PATH linkat here s:/proc/self/fd/3 here s:name $((0x400))
	enough 13
	# What makes a file fails on one that is there, hidden or not.
	for call in "mknod s:secret $((0100600)) 0" "mkdir s:secret $((0700))" \
		"symlink s:mine s:secret" "mknodat here s:secret $((010600)) 0"; do
		# shellcheck disable=SC2086
		run -1 inside call $call
		[ "$output" = EEXIST ]
	done
	cmp "$desk/secret" /bin/true
}

@test "leads into no hidden directory" {
	refused EACCES call openat here s:keys/id 0
	refused EACCES call openat here s:keys $O_DIRECTORY
	refused EACCES call chdir s:keys
	refused EACCES call access s:keys/id 4
	refused EACCES call mkdir s:keys/sub $((0700))
	refused EBUSY call rename s:keys s:away
	refused EBUSY call renameat2 here s:dir here s:keys 2
	refused EACCES call unlink s:keys/id
	refused EACCES call rename s:keys/id s:id
	refused EACCES call rename s:mine s:keys/id
	refused EACCES call link s:keys/id s:id
	refused EROFS call chmod s:keys $((0777))
	enough 12
	run -1 inside call unlinkat here s:keys $AT_REMOVEDIR
	[ "$output" = EBUSY ]
	works call openat here s:dir/id 0
	works call chdir s:dir
	works call mkdir s:dir/sub $((0700))
	works call rename s:dir/id s:id
	works call rename s:dir s:away
}

@test "is found by no other spelling of its path" {
	local path
	for path in ./secret keys/../secret .//./secret "../desk/secret" \
		"$desk/secret" "$desk/../desk//secret" "/proc/self/cwd/secret" \
		"/proc/self/root$desk/secret" "/proc/thread-self/cwd/secret" \
		"/proc/self/task/../cwd/secret"; do
		refused EACCES call openat here "s:$path" 0
	done
	works call openat here "s:/proc/self/root$desk/mine" 0
	works call openat here "s:$desk/../desk//mine" 0
	refused EACCES on . 0 openat here s:/proc/self/fd/3/secret 0
	refused EACCES on . 0 openat here s:/dev/fd/3/secret 0
	works on . 0 openat here s:/dev/fd/3/mine 0
	enough 12
	# Whoever may change a path may not read it again by its descriptor.
	refused EACCES on secret $O_PATH openat here s:/proc/self/fd/3 0
	works on mine $O_PATH openat here s:/proc/self/fd/3 0
}

@test "answers openat2 as a kernel without it, however it resolves" {
	local resolve how
	# RESOLVE_NO_XDEV, NO_MAGICLINKS, NO_SYMLINKS, BENEATH, IN_ROOT, CACHED
	for resolve in 00 01 02 04 08 10 20; do
		# flags, mode, resolve: 64 bits each, the lowest byte first.
		how=x:$(printf '%032d' 0)${resolve}00000000000000
		refused ENOSYS call openat2 here s:secret "$how" 24
		refused ENOSYS call openat2 here s:mine "$how" 24
	done
	enough 12
}

@test "passes data through a FIFO while something is hidden" {
	plant
	run -0 chock-spawn -p base --write "$desk" --chdir "$desk" \
		--hide "$desk/secret" --timeout 20 -- sh -c \
		'mkfifo f && { echo through >f & cat f; wait; }'
	[ "$output" = through ]
}

# only_read ANSWER-OF-NAMESPACES ANSWER-OF-LANDLOCK ACT...
only_read() {
	local answers=("$1" "$2")
	shift 2
	driver=namespaces
	refused "${answers[0]}" "$@"
	can_landlock6 || return 0
	driver=landlock
	refused "${answers[1]}" "$@"
}

@test "changes nothing that is granted to read, with either driver" {
	local file=s:../shown/file
	only_read EROFS EACCES call openat here $file 1
	only_read EROFS EACCES call openat here $file $((02 | 01000))
	only_read EROFS EACCES call truncate $file 0
	only_read EROFS EACCES call unlink $file
	only_read EXDEV EACCES call rename $file s:taken
	only_read EXDEV EACCES call rename s:mine $file
	only_read EXDEV EXDEV call link $file s:taken
	only_read EROFS EACCES call mkdir s:../shown/dir $((0700))
	only_read EROFS EACCES call symlink s:x s:../shown/link
	only_read EROFS EACCES call mknod s:../shown/fifo $((010600)) 0
	only_read EXDEV EACCES call rename s:../shown s:away
	# What Landlock has no right for, the filter refuses where it alone holds.
	only_read EROFS EPERM call chmod $file $((0700))
	only_read EROFS EPERM call chown $file -1 -1
	only_read EROFS EPERM call utimensat here $file 0 0
	only_read EROFS EOPNOTSUPP call setxattr $file s:user.x s:v 1 0
	only_read EROFS EPERM on ../shown/file 0 fchmod fd $((0700))
	# By the link in what is granted, the file is still the other one.
	only_read EROFS EACCES call openat here s:link 1
	enough 14
	works call openat here $file 0
	works call openat here s:mine 1
}

@test "sees and reaches nothing that is not granted, with either driver" {
	local file=s:../other/file
	only_read ENOENT EACCES call openat here $file 0
	only_read ENOENT EACCES call openat here $file 1
	only_read ENOENT EACCES call execve $file 0 0
	only_read ENOENT EACCES call openat here s:../other $O_DIRECTORY
	only_read ENOENT EACCES call truncate $file 0
	only_read ENOENT EACCES call unlink $file
	only_read ENOENT EACCES call rename $file s:taken
	only_read ENOENT EACCES call rename s:mine $file
	only_read ENOENT EXDEV call link $file s:taken
	only_read ENOENT EPERM call chmod $file $((0700))
	only_read ENOENT EOPNOTSUPP call setxattr $file s:user.x s:v 1 0
	enough 10
	# In a mount tree of their own, not even that it is there.
	driver=namespaces
	refused ENOENT call access $file 0
	refused ENOENT call chdir s:../other
	works call access s:mine 4
}

@test "gives a file no power, with either driver" {
	local power=EPERM owner=EINVAL
	for driver in namespaces landlock; do
		[ "$driver" = namespaces ] || can_landlock6 || continue
		[ "$driver" = namespaces ] || power=EOPNOTSUPP owner=EPERM
		# A set-uid or set-gid bit, by every call that can make one.
		refused EPERM call chmod s:mine $((04755))
		refused EPERM call fchmodat here s:mine $((02755))
		refused EPERM on mine 0 fchmod fd $((04755))
		refused EPERM call openat here s:made $((0102)) $((04755))
		refused EPERM call creat s:made $((04755))
		refused EPERM call mknod s:made $((0104755)) 0
		# A capability of a file, another owner: root's outside.
		refused "$power" call setxattr s:mine s:security.capability \
			x:0100000200040000000000000000000000000000 20 0
		refused "$owner" call chown s:mine 1234 1234
		works call openat here s:made $((0102)) $((0755))
	done
	enough 6
}

@test "writes to no code and no setting of a process through procfs" {
	refused EROFS write-code /proc/self/mem
	refused EROFS write-code /proc/thread-self/mem
	for file in oom_score_adj coredump_filter comm uid_map setgroups \
		timerslack_ns attr/current clear_refs; do
		refused "EROFS|ENOENT" call openat here "s:/proc/self/$file" 1
	done
	enough 6
	works call openat here s:/proc/self/maps 0
	can_landlock6 || return 0
	driver=landlock
	refused EACCES write-code /proc/self/mem
	refused EACCES call openat here s:/proc/self/oom_score_adj 1
}
