#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# A file system does no more for a sandbox than what its grants say, though
# some do a great deal for whoever has one of their directories open.
#
# Each is made in a file, and mounted where only this test sees it.

load lib/chock

setup() {
	require root userns landlock
	act=$helpers/act
	image=$BATS_TEST_TMPDIR/image
	at=$BATS_TEST_TMPDIR/at
	mkdir "$at"
	export act at image helpers
}

# made FILE_SYSTEM OPTION... - anew, in $image; or there is nothing to measure
made() {
	local kind=$1
	shift
	command -v "mkfs.$kind" >/dev/null ||
		skip "nothing measured: no mkfs.$kind"
	rm -f "$image"
	truncate -s 128M "$image"
	"mkfs.$kind" -q "$@" "$image"
	run mounted true
	[ "$status" -ne 77 ] || skip "nothing measured: $kind cannot be mounted"
	[ "$status" -eq 0 ]
}

# mounted COMMAND... - where $image is mounted, with the functions below
mounted() {
	export -f ask snapshot hidden inside landlocked key
	unshare --mount bash -c 'mount -o loop "$image" "$at" || exit 77
		cd "$at" && "$@"' bash "$@"
}

# named TEXT - struct btrfs_ioctl_vol_args: a descriptor, 0, and a name
named() {
	printf 'x:%016d%s' 0 "$(printf %s "$1" | od -An -v -tx1 | tr -d ' \n')"
}

# ask REQUEST ARGUMENT [COMMAND...] - of this directory, as COMMAND runs it
ask() {
	local request=$1 argument=$2
	shift 2
	"$@" sh -c '"$1" call ioctl 0 "$2" "$3" <.' sh \
		"$act" "$((request))" "$argument"
}

inside() {
	chock-spawn -p base --read "$helpers" --write . "$@"
}

landlocked() {
	chock-spawn --driver landlock -p base --read "$helpers" --write . "$@"
}

# hidden - a subvolume in which there is something to hide, and into it
# BTRFS_IOC_SUBVOL_CREATE
hidden() {
	ask 0x5000940e "$sub" && cd sub && echo secret >hidden && echo plain >file
}

# snapshot [COMMAND...] - with what is hidden in it, made as COMMAND
# BTRFS_IOC_SNAP_CREATE
snapshot() {
	hidden && ask 0x50009401 "$snap" "$@" && cat snap/hidden
}

@test "makes no snapshot, in which nothing is hidden" {
	local sub snap
	sub=$(named sub)
	snap=$(named snap)
	export sub snap
	made btrfs
	run -0 mounted snapshot
	[ "$output" = $'ok\nok\nsecret' ]
	for how in "inside --hide hidden" "inside --hide hidden --syscalls strict" \
		"landlocked" "landlocked --syscalls strict"; do
		made btrfs
		# shellcheck disable=SC2086
		run -1 mounted snapshot $how --
		[ "$output" = $'ok\nENOTTY' ]
	done
}

# FS_IOC_ADD_ENCRYPTION_KEY: struct fscrypt_add_key_arg, with a key of 64 bytes
# that is named by what it is
key() {
	local argument
	printf -v argument 'x:02%078d40%070d%064d%064d' 0 0 1 2
	ask 0xc0506617 "$argument" "$@"
}

@test "adds no key to a file system, and takes none away" {
	made ext4 -O encrypt
	run -0 mounted key
	[ "$output" = ok ]
	for how in inside "inside --syscalls strict" landlocked; do
		# shellcheck disable=SC2086
		run -1 mounted key $how --
		[ "$output" = ENOTTY ]
	done
}

clone() {
	echo plain >file
	# FICLONE: the third argument is the descriptor that it is copied from
	"$@" sh -c '"$1" call ioctl 3 "$2" 0 <file 3>clone' sh \
		"$act" $((0x40049409)) && cat clone
}

@test "copies a file by reference all the same" {
	made btrfs
	export -f clone
	for how in "" inside landlocked "inside --syscalls strict"; do
		# shellcheck disable=SC2086
		run -0 mounted clone ${how:+$how --}
		[ "$output" = $'ok\nplain' ]
	done
}
