#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# chock-spawn: a sandbox sees what was granted, each at its own path, and
# nothing else
#
#	$there/project/            granted, writable
#	$there/project/.env        hidden
#	$there/project/keys/       hidden
#	$there/library/            granted, read-only
#	$there/library/own         in it, granted writable
#	$there/secret              not granted

load lib/chock

setup() {
	require userns landlock
	there=$BATS_TEST_TMPDIR/there
	mkdir -p "$there"/project/{keys,src} "$there/library/own"
	echo code >"$there/project/src/a"
	echo token >"$there/project/.env"
	echo key >"$there/project/keys/id"
	echo text >"$there/library/text"
	echo secret >"$there/secret"
	cd "$there/project" || return
}

spawn() {
	chock-spawn -p base --read "$helpers" --write "$there/project" \
		--read "$there/library" --write "$there/library/own" "$@"
}

# act - what helpers/act says inside; refused ERRNO - that it says just that
inside() {
	run spawn "${options[@]}" -- "$helpers/act" "$@"
}

open_to_read() {
	inside call openat -1 "s:$1" 0
}

# 0100 is O_CREAT, 01 is O_WRONLY
open_to_write() {
	inside call openat -1 "s:$1" 65 384
}

@test "reads and writes what is granted, and nothing that is not" {
	# Outside, all of it can be.
	for path in project/src/a library/text library/own secret; do
		"$helpers/act" call openat -1 "s:$there/$path" 0
	done
	open_to_read "$there/project/src/a"
	[ "$output" = ok ]
	open_to_read "$there/library/text"
	[ "$output" = ok ]
	open_to_read "$there/secret"
	[ "$output" = ENOENT ]
	open_to_write "$there/project/new"
	[ "$output" = ok ]
	[ -e "$there/project/new" ]
	open_to_write "$there/library/own/new"
	[ "$output" = ok ]
	[ -e "$there/library/own/new" ]
	open_to_write "$there/library/text"
	[ "$output" = EROFS ]
	open_to_write "$there/library/new"
	[ "$output" = EROFS ]
	open_to_write /new
	[ "$output" = EROFS ]
	open_to_write "$there/beside" # in the tmpfs that base puts at /tmp
	[ ! -e "$there/beside" ]
}

@test "creates, renames and removes in what is granted for writing" {
	spawn -- sh -c 'mkdir d e; echo x >d/f; mv d/f e/f; ln e/f d/g
		mv d ../project/h; rm e/f; mkfifo p; ln -s a l'
	[ "$(cat h/g)" = x ]
	[ -p p ]
	[ ! -e e/f ]
}

@test "leads out by no spelling of a path" {
	ln -s "$there/secret" link
	ln -s ../secret src/link
	for path in "$there/project/../secret" "$there/project/link" \
		"$there/project//src/./link" "/proc/self/cwd/../secret" \
		"/proc/self/root$there/secret" "/proc/1/root$there/secret" \
		"/../../..$there/secret"; do
		"$helpers/act" call openat -1 "s:$there/secret" 0
		open_to_read "$path"
		[[ $output == ENOENT || $output == EACCES ]]
	done
	open_to_read "/proc/self/root$there/library/text"
	[ "$output" = ok ]
}

@test "does not let a file be linked out of what is read-only" {
	run spawn -- ln "$there/library/text" "$there/project/alias"
	[ "$status" -eq 1 ]
	[ ! -e "$there/project/alias" ]
	inside call link "s:$there/library/text" "s:$there/project/alias"
	[ "$output" = EXDEV ]
	inside call link "s:$there/project/src/a" "s:$there/project/alias"
	[ "$output" = ok ]
}

@test "hides a file: it can be neither read, changed, removed nor replaced" {
	options=(--hide "$there/project/.env")
	echo mine >mine
	open_to_read "$there/project/.env"
	[ "$output" = EACCES ]
	open_to_write "$there/project/.env"
	[[ $output == EACCES || $output == EROFS ]]
	inside call unlink "s:$there/project/.env"
	[ "$output" = EBUSY ]
	inside call rename "s:$there/project/mine" "s:$there/project/.env"
	[ "$output" = EBUSY ]
	inside call rename "s:$there/project/.env" "s:$there/project/gone"
	[ "$output" = EBUSY ]
	inside call chmod "s:$there/project/.env" 511
	[ "$output" = EROFS ]
	inside call truncate "s:$there/project/.env" 0
	[[ $output == EACCES || $output == EROFS ]]
	inside call link "s:$there/project/.env" "s:$there/project/alias"
	[ "$output" = EXDEV ]
	open_to_read "$there/project/mine"
	[ "$output" = ok ]
	[ "$(cat .env)" = token ]
}

@test "warns of a hidden file that has another name, by which it is read" {
	ln "$there/project/.env" "$there/project/other"
	run -0 --separate-stderr spawn --read "$there/project" \
		--hide "$there/project/.env" -- cat "$there/project/other"
	[ "$output" = token ]
	[[ $stderr == *"--hide: '$there/project/.env' is hidden, but has 2 names, hard links: by another one it can still be read"* ]]
	rm "$there/project/other"
	run -0 --separate-stderr spawn --read "$there/project" \
		--hide "$there/project/.env" -- true
	[[ $stderr != *names* ]]
}

@test "hides a directory, whatever is granted in it, by either spelling" {
	for hidden in keys 'keys/**' "$there/project/keys"; do
		options=(--hide "$hidden" --write "$there/project/keys/id")
		open_to_read "$there/project/keys/id"
		[ "$output" = EACCES ]
		run -2 spawn "${options[@]}" -- ls keys
		inside call rename "s:$there/project/keys" "s:$there/x"
		[[ $output == EBUSY || $output == EXDEV ]]
		open_to_read "$there/project/src/a"
		[ "$output" = ok ]
	done
}

@test "hides the target of a link, and what a bind shows elsewhere" {
	ln -s "$there/library/text" link
	options=(--hide "$there/project/link")
	open_to_read "$there/library/text"
	[ "$output" = EACCES ]
	options=(--bind "$there:/srv/it" --hide "$there/secret")
	open_to_read /srv/it/secret
	[ "$output" = EACCES ]
	open_to_read /srv/it/library/text
	[ "$output" = ok ]
}

@test "pays nothing for hiding what is not there" {
	spawn --hide "$there/project/none" --hide /none/at/all \
		--hide none/below/it -- true
	[ ! -e none ]
}

@test "starts where a granted directory is a link, and keeps its name" {
	ln -s "$there/library" "$BATS_TEST_TMPDIR/short"
	run -0 chock-spawn -p base --write "$BATS_TEST_TMPDIR/short/own" \
		--chdir "$BATS_TEST_TMPDIR/short/own" -- \
		sh -c "pwd; : >new; readlink $BATS_TEST_TMPDIR/short"
	[ "${lines[0]}" = "$BATS_TEST_TMPDIR/short/own" ]
	[ "${lines[1]}" = "$there/library" ]
	[ -e "$there/library/own/new" ]
}

@test "shows merged and other layouts as the host has them" {
	for dir in bin sbin lib lib64; do
		[ -e "/$dir" ] || continue
		run -0 spawn -- stat -c %N "/$dir"
		[ "$output" = "$(stat -c %N "/$dir")" ]
	done
}

@test "shows one file, and nothing beside it" {
	run -0 chock-spawn -p base --read "$there/library/text" -- \
		sh -c "cat '$there/library/text'; ls '$there/library'"
	[ "$output" = $'text\ntext' ]
}

@test "binds to another path, writable or not" {
	options=(--bind "$there/library/own:/srv/a" --bind "$there/secret:/srv/b:ro")
	open_to_write /srv/a/new
	[ "$output" = ok ]
	open_to_read /srv/b
	[ "$output" = ok ]
	open_to_write /srv/b
	[ "$output" = EROFS ]
	[ -e "$there/library/own/new" ]
}

@test "binds paths with colons and backslashes in them" {
	mkdir "$there/a:b\\c"
	echo x >"$there/a:b\\c/f"
	run -0 spawn --bind "$there/a\\:b\\\\c:/srv/x\\:y:ro" -- cat /srv/x:y/f
	[ "$output" = x ]
}

@test "makes no place for a bind in what is the host's" {
	run -125 --separate-stderr spawn --bind "$there/secret:$there/project/new" \
		-- true
	[[ $stderr == *"cannot find a place for"* ]]
	[ ! -e "$there/project/new" ]
}

@test "shows a copy in the project's place" {
	mkdir "$there/copy"
	echo copied >"$there/copy/f"
	run -0 chock-spawn -p base --copy "$there/copy" -- \
		sh -c 'pwd; cat f; ls; echo new >g'
	[ "$output" = "$there/project"$'\ncopied\nf' ]
	[ "$(cat "$there/copy/g")" = new ]
	[ ! -e g ]
	run -0 chock-spawn -p base --project "$there/library" \
		--copy "$there/copy" -- cat "$there/library/f"
	[ "$output" = copied ]
}

@test "puts a tmpfs where it is asked to, that is writable and goes away" {
	run -0 spawn --tmpfs "$there/project/src" -- \
		sh -c 'ls src; echo x >src/new; cat src/new'
	[ "$output" = x ]
	[ ! -e src/new ]
	run -0 spawn -- sh -c 'echo x >/tmp/new; cat /tmp/new'
	[ ! -e /tmp/new ]
}

@test "caps what is written to memory" {
	run -1 --separate-stderr spawn --limit scratch=1MiB -- \
		dd if=/dev/zero of=/tmp/f bs=64K count=64
	[[ $stderr == *"No space left on device"* ]]
	run -1 spawn --limit scratch=1MiB -- \
		dd if=/dev/zero of=/dev/shm/f bs=64K count=64
	spawn --limit scratch=1MiB -- dd if=/dev/zero of=/tmp/f bs=64K count=8
}

@test "caps how many files are in memory, also of such that have no byte" {
	fill='i=0; while true >/tmp/$i; do i=$((i + 1)); done 2>/dev/null; echo $i'
	run -0 spawn --limit scratch=1MiB -- sh -c "$fill"
	[ "$output" -gt 8000 ]
	[ "$output" -le $((8192 + 256)) ]
	run -0 spawn --limit scratch=5MiB -- sh -c "$fill"
	[ "$output" -gt 9000 ]
	[ "$output" -le $((8192 + 1280)) ]
}

@test "executes what is granted but for noexec" {
	printf '#!/bin/sh\necho ran\n' >script
	chmod 755 script
	run -0 spawn -- ./script
	[ "$output" = ran ]
	printf 'write @project@ noexec\n' >policy
	run -126 chock-spawn -p base -p ./policy -- ./script
	run -0 chock-spawn -p base -p ./policy -- sh ./script
}

@test "honours no set-uid bit and no device node" {
	[ -u /usr/bin/su ] || skip "nothing measured: no set-uid program"
	run -0 spawn -- sh -c 'awk "\$5 != \"/proc\" && \$6 !~ /nosuid/" \
		/proc/self/mountinfo'
	[ -z "$output" ]
	run -0 spawn -- sh -c 'awk "\$5 !~ \"^/dev/\" && \$6 !~ /nodev/" \
		/proc/self/mountinfo'
	[ -z "$output" ]
	inside call mknod "s:$there/project/null" 8630 259
	[ "$output" = EACCES ]
}

@test "refuses to grant devices, the root, and what it fills itself" {
	while IFS='|' read -r path message; do
		run -125 --separate-stderr chock-spawn -p base --read "$path" -- \
			true
		[ "$stderr" = "chock-spawn: --read: $message" ]
	done <<-'END'
		/|cannot grant '/' as a whole: grant what is in it
		/run|cannot grant '/run' as a whole: grant what is in it
		/proc|cannot grant '/proc', which is '/proc': chock fills it itself
		/dev/null|cannot grant the device '/dev/null' by its path: a policy does, by what it is
	END
}

# What chock believes at its next start must not be in reach of a sandbox.

@test "covers chock's own directories in what is granted" {
	mkdir -p "$HOME"/.config/chock "$HOME"/.local/{state,share}/chock
	echo x >"$HOME/.config/chock/policy"
	for mode in --read --write; do
		run -0 chock-spawn -p base "$mode" "$HOME" -- sh -c "
			! cat '$HOME/.config/chock/policy' &&
			! ls '$HOME/.local/state/chock' &&
			! touch '$HOME/.local/share/chock/x'"
	done
	[ -z "$(ls "$HOME/.local/share/chock")" ]
}

@test "lets nothing above them be moved away" {
	mkdir -p "$HOME"/.config/chock "$HOME"/.local/{state,share}/chock \
		"$HOME"/other/dir
	options=(--write "$HOME")
	inside call rename "s:$HOME/.config" "s:$HOME/x"
	[ "$output" = EBUSY ]
	inside call rename "s:$HOME/.local" "s:$HOME/x"
	[ "$output" = EBUSY ]
	inside call rename "s:$HOME/.local/state" "s:$HOME/x"
	[[ $output == EBUSY || $output == EXDEV ]]
	inside call rename "s:$HOME/other" "s:$HOME/x"
	[ "$output" = ok ]
}

@test "refuses writing to where they could be made" {
	run -125 --separate-stderr chock-spawn -p base --write "$HOME" -- true
	[[ $stderr == *"chock's own '$HOME/.config/chock' in it is not there"* ]]
	chock-spawn -p base --read "$HOME" -- true
}

@test "makes the one for sessions that run, whoever is first" {
	local pid pids=()
	export XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR/runtime
	mkdir -m 700 "$XDG_RUNTIME_DIR"
	mkdir -p "$HOME"/.config/chock "$HOME"/.local/{state,share}/chock
	# Two grants are above it.
	options=(--write "$BATS_TEST_TMPDIR" --write "$XDG_RUNTIME_DIR")
	run -0 spawn "${options[@]}" -- sh -c \
		'! touch "$1/chock/x" && touch "$1/x"' - "$XDG_RUNTIME_DIR"
	[ -d "$XDG_RUNTIME_DIR/chock" ]
	[ -z "$(ls "$XDG_RUNTIME_DIR/chock")" ]
	for _ in {1..8}; do
		[ ! -e "$XDG_RUNTIME_DIR/chock" ] || rmdir "$XDG_RUNTIME_DIR/chock"
		pids=()
		for _ in {1..4}; do
			spawn --write "$XDG_RUNTIME_DIR" -- true &
			pids+=($!)
		done
		for pid in "${pids[@]}"; do
			wait "$pid"
		done
	done
}

@test "refuses a grant of one of them, but not a bind that names it" {
	mkdir -p "$HOME"/.local/state/chock/s/copy
	run -125 --separate-stderr chock-spawn -p base \
		--read "$HOME/.local/state/chock/s" -- true
	[[ $stderr == *"which is chock's own" ]]
	chock-spawn -p base --bind "$HOME/.local/state/chock/s:/run/chock/s:ro" \
		-- ls /run/chock/s/copy
	chock-spawn -p base --copy "$HOME/.local/state/chock/s/copy" -- true
}

@test "does not touch mounts that were not granted" {
	mkdir "$there/dead"
	run -1 unshare --user --map-root-user --mount sh -c '
		mount -t tmpfs dead "$1/dead" &&
		chock-spawn -p base --write "$2" -- grep dead /proc/self/mountinfo' \
		- "$there" "$there/project"
	run -0 unshare --user --map-root-user --mount sh -c '
		mount -t tmpfs dead "$1/project/src" &&
		chock-spawn -p base --write "$2" -- grep dead /proc/self/mountinfo' \
		- "$there" "$there/project"
}

# /dev, /proc and /sys.

@test "has the usual devices and no other" {
	run -0 spawn -- ls /dev
	[ "$output" = "$(printf '%s\n' fd full null ptmx pts random shm stderr \
		stdin stdout tty urandom zero)" ]
	run -0 spawn -- sh -c 'echo x >/dev/null && head -c 1 /dev/zero | wc -c &&
		head -c 1 /dev/urandom | wc -c'
	[ "$output" = $'1\n1' ]
	open_to_write /dev/new
	[ "$output" = EROFS ]
	open_to_write /dev/shm/new
	[ "$output" = ok ]
}

@test "gives terminals of its own" {
	run -0 spawn -- sh -c 'script -qec "tty" /dev/null </dev/null'
	[[ $output == *"/dev/pts/0"* ]]
}

@test "opens what its standard descriptors stand for, just as far as they go" {
	require landlock3
	echo from >in
	: >out
	chock-spawn -p base -- sh -c 'cat /dev/stdin >/dev/stderr' <in 2>out
	[ "$(cat out)" = from ]
	chock-spawn -p base -- sh -c 'echo a >>/dev/stdout; echo b >>/dev/stdout' \
		>out
	[ "$(cat out)" = $'a\nb' ]
	run -2 chock-spawn -p base -- sh -c 'echo x >/dev/stdin' <in
	[ "$(cat in)" = from ]
	run -1 --separate-stderr bash -c \
		'chock-spawn -p base -- cat /dev/stderr 2>>out'
}

@test "has a fresh procfs, read-only, that shows its own processes" {
	run -0 spawn -- sh -c 'ls -d /proc/[0-9]*'
	[ "$(wc -l <<<"$output")" -le 3 ]
	run -0 spawn -- sh -c 'readlink /proc/self/exe; cat /proc/self/comm
		head -n 1 /proc/self/maps >/dev/null'
	[[ ${lines[1]} == cat ]]
	open_to_write /proc/self/comm
	[ "$output" = EROFS ]
	open_to_read /proc/sys/kernel/osrelease
	[ "$output" = ok ]
}

@test "masks what procfs tells about the machine" {
	masked=0
	for name in cmdline config.gz interrupts iomem ioports kallsyms kcore \
		key-users keys kmsg latency_stats modules mtrr pagetypeinfo \
		sched_debug schedstat slabinfo sysrq-trigger timer_list \
		timer_stats version vmallocinfo; do
		[ -e "/proc/$name" ] || continue
		run -0 spawn -- cat "/proc/$name"
		[ -z "$output" ]
		masked=$((masked + 1))
	done
	[ "$masked" -gt 5 ]
	for name in acpi bus driver fs irq scsi sys/dev sys/user sys/debug; do
		[ -d "/proc/$name" ] || continue
		run -0 spawn -- ls -A "/proc/$name"
		[ -z "$output" ]
	done
	run -0 spawn -- sh -c 'cat /proc/meminfo /proc/cpuinfo | wc -l'
	[ "$output" -gt 10 ]
}

@test "has nothing of sysfs but the processors" {
	run -0 spawn -- find /sys -maxdepth 3
	[ "$output" = $'/sys\n/sys/devices\n/sys/devices/system\n/sys/devices/system/cpu' ]
	run -0 spawn -- nproc
	[ "$output" = "$(nproc)" ]
}

@test "has nothing else at its root" {
	echo 'read /usr optional' >"$BATS_TEST_TMPDIR/usr"
	run -0 chock-spawn -p base -p "$BATS_TEST_TMPDIR/usr" -- ls -A /
	for name in $output; do
		[[ $name == @(bin|dev|etc|gnu|lib*|nix|opt|proc|run|sbin|sys|tmp|usr|var) ]]
	done
	run -0 spawn -- ls -A /run
	[ "$output" = chock ]
	run -0 spawn -- ls -A /run/chock
	[ "$output" = $'home\ntmp' ]
}

@test "shows a file that is being replaced while it starts" {
	file=$BATS_TEST_TMPDIR/replaced
	echo 0 >"$file"
	(
		while [ ! -e "$BATS_TEST_TMPDIR/enough" ]; do
			echo 1 >"$file.new"
			mv "$file.new" "$file"
		done
	) 3>&- &
	for _ in {1..20}; do
		run -0 spawn --read "$file" -- cat "$file"
		[[ $output == [01] ]]
	done
	touch "$BATS_TEST_TMPDIR/enough"
	wait
}

@test "lets nobody change the host's device nodes" {
	run spawn -- "$helpers/act" call chmod s:/dev/null 438
	[ "$output" = EROFS ]
	run -0 spawn -- sh -c 'echo x >/dev/null && head -c 3 /dev/zero | wc -c'
	[ "$output" = 3 ]
}

@test "covers a file system of the kernel's below a grant, and refuses it as one" {
	mkdir "$there/project/proc"
	other() {
		unshare --user --map-root-user --mount --pid --fork sh -c \
			'mount -t proc none proc && exec "$@"' - "$@"
	}
	run -0 other cat proc/version
	run -1 other chock-spawn -p base --write . -- cat proc/version
	[[ $output == *'Permission denied'* ]]
	run -0 other chock-spawn -p base --write . -- cat src/a
	run -125 other chock-spawn -p base --bind "$there/project/proc/sys:/x" -- true
	[[ $output == *"file system of the kernel's"* ]]
}

@test "covers chock's own directories and what is hidden under every name that they have" {
	mkdir -p "$there/project/home/.config/chock" "$there/other"
	echo policy >"$there/project/home/.config/chock/policy"
	other() {
		unshare --user --map-root-user --mount sh -c \
			'mount --bind home "$1" && shift && exec "$@"' \
			- "$there/other" env HOME="$there/other" "$@"
	}
	run -0 other cat home/.config/chock/policy
	run -1 other chock-spawn -p base --read . -- cat home/.config/chock/policy
	[[ $output == *'Permission denied'* ]]
	echo token >home/token
	run -1 other chock-spawn -p base --read . --hide "$there/other/token" -- cat home/token
	[[ $output == *'Permission denied'* ]]
	run -0 other chock-spawn -p base --read . -- cat home/token
}

@test "lets nobody rename the directory of what is hidden away" {
	mkdir sub
	echo token >sub/.env
	touch sub/other
	run -1 spawn --hide "$there/project/sub/.env" -- mv sub away
	[[ $output == *'resource busy'* ]]
	run -0 spawn --hide "$there/project/sub/.env" -- mv sub/other sub/renamed
	run -0 spawn -- mv sub away
	mkdir -p a/b
	echo token >a/b/c
	run -1 spawn --hide a/b/c -- mv a z
	run -0 spawn -- mv a z
}

# -- kernels, and filters of containers, without the newer mount calls

# missing CALL... - the command in $without does without these calls
missing() {
	local call
	without=()
	for call; do
		without+=("$helpers/confine" answer "$call" 38 --) # ENOSYS
	done
}

mounts_inside() {
	"$@" chock-spawn -p base --write "$there" --read "$there/library" \
		--hide "$there/secret" --tmpfs "$there/project/src" \
		--bind "$there/library/text:/srv/x:ro" -- \
		sh -c 'awk "{ print \$5, \$6 }" /proc/self/mountinfo | sort'
}

new_calls=(fsopen open_tree move_mount mount_setattr)

@test "builds the same tree by old mount calls, and leaves the host's alone" {
	before=$(cat /proc/self/mountinfo)
	run -0 mounts_inside env
	tree=$output
	[[ $tree == *"$there/library ro,nosuid,nodev"* ]]
	for calls in mount_setattr "${new_calls[*]}"; do
		read -ra calls <<<"$calls"
		missing "${calls[@]}"
		run -0 mounts_inside "${without[@]}"
		[ "$output" = "$tree" ]
	done
	[ "$(cat /proc/self/mountinfo)" = "$before" ]
}

@test "restricts by old mount calls what is mounted below a grant as well" {
	mkdir "$there/project/src/on" "$there/project/src/on/with blank"
	below() {
		unshare --user --map-root-user --mount sh -c '
			mount -t tmpfs below "$0/on" && mkdir "$0/on/with blank" &&
			mount -t tmpfs -o noexec deep "$0/on/with blank" &&
			exec "$@"' "$there/project/src" "$@"
	}
	# EROFS needs no layer but the mount: outside, all of it can be written.
	below touch "$there/project/src/on/with blank/x"
	for calls in mount_setattr "${new_calls[*]}"; do
		read -ra calls <<<"$calls"
		missing "${calls[@]}"
		for dir in src src/on 'src/on/with blank'; do
			run -1 below "${without[@]}" chock-spawn -p base \
				--read "$helpers" --read "$there/project" -- \
				"$helpers/act" call mkdir "s:$there/project/$dir/x" 448
			[ "$output" = EROFS ]
		done
		run -0 below "${without[@]}" chock-spawn -p base \
			--write "$there/project" -- sh -c 'touch src/on/x; awk \
			"/with/ { print \$6 }" /proc/self/mountinfo'
		[[ $output == rw,nosuid,nodev,noexec* ]]
	done
}

@test "hides and shows by old mount calls" {
	ln -s ../library/text link
	for calls in mount_setattr "${new_calls[*]}"; do
		read -ra calls <<<"$calls"
		missing "${calls[@]}"
		run -1 "${without[@]}" chock-spawn -p base --write . \
			--hide .env --hide link --read "$there/library" -- \
			sh -c 'cat link src/a; ! rm link; cat .env'
		[[ $output == *code*'.env: Permission denied'* ]]
		[ -L link ]
	done
}

# Linux 5.11 was the first to mark a range of descriptors at once.
@test "passes no descriptor on where a range cannot be marked" {
	for errnum in 22 38; do # EINVAL, ENOSYS
		run -0 "$helpers/confine" answer close_range "$errnum" 3 -- \
			bash -c 'exec 9</etc/passwd 77</; exec "$@"' - \
			chock-spawn -p base -- sh -c 'echo /proc/self/fd/*'
		[[ $output == */fd/2* && $output != */9* && $output != */77* ]]
	done
}
