# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2154
# The machine that a kernel is booted on: an initramfs, this machine's files by
# virtiofs, a scratch disk and three serial lines.  Sourced by run, which sets
# what is used here and not set.

readonly VIRTIOFSD=/usr/lib/qemu/virtiofsd
readonly MEMORY=2048       # MiB
readonly DISK=6G           # sparse
readonly SOCKET_SECONDS=10 # for virtiofsd to listen
# File systems that are shown to the guest where they are mounted.
readonly SHOWN=ext2,ext3,ext4,xfs,btrfs,overlay,f2fs,erofs,squashfs

# ---- the initramfs, in the format of cpio's "newc" ------------------------

# entry NAME MODE LEN - the head of one member
entry() {
	local name=$1 ino=$((entries++))
	printf '070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X' \
		"$ino" "$2" 0 0 1 0 "$3" 0 0 0 0 $((${#name} + 1)) 0
	printf '%s\0' "$name"
	pad $((110 + ${#name} + 1))
}

# pad LEN - up to the next multiple of four
pad() {
	head -c $(((4 - $1 % 4) % 4)) /dev/zero
}

member_dir() {
	entry "$1" $((8#040755)) 0
}

# member NAME FILE
member() {
	local len
	len=$(stat -Lc %s "$2")
	entry "$1" $((8#100755)) "$len"
	cat "$2"
	pad "$len"
}

# modules - what leads to the host's files, unpacked into $work/modules, in
# the order in which they can be loaded; built-in ones are none
modules() {
	local module file name
	for module in virtio_pci virtio_blk virtiofs overlay ext4; do
		modprobe -d "$kernel" -S "$release" --show-depends "$module" ||
			die "linux $release has no $module"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' \
		>"$work/insmod" || exit
	rm -rf "$work/modules"
	mkdir "$work/modules"
	while IFS= read -r file; do
		name=$(basename "$file")
		name=${name%.[xz]*}
		case $file in
		*.xz) xz -dc "$file" ;;
		*.zst) zstd -qdc "$file" ;;
		*) cat "$file" ;;
		esac >"$work/modules/$name" || die "cannot unpack '$file'"
		printf '%s\n' "$name" >>"$work/modules/order"
	done <"$work/insmod"
	touch "$work/modules/order"
}

# config - what the guest is to do, for it to source; the first line is init's
config() {
	local modules=$kernel/lib/modules/$release
	printf '# %s\n' "$top/t/kernels/guest"
	declare -p top build users sysctls profile release modules seconds \
		command
}

make_initramfs() {
	local file entries=1
	modules
	config >"$work/config"
	{
		member init "$build/t/kernels/init"
		member config "$work/config"
		member_dir modules
		for file in "$work"/modules/*; do
			member "modules/${file##*/}" "$file"
		done
		entry 'TRAILER!!!' 0 0
	} >"$work/initramfs"
}

# ---- the host's files -----------------------------------------------------

# start_virtiofsd - $pids, and a socket in $work
#
# It sees read-only mounts of its own, in a mount namespace of its own, so
# that whoever is root in the guest cannot write here.
start_virtiofsd() {
	local i
	mkdir -p "$work/host"
	# The inner shell expands these.
	# shellcheck disable=SC2016
	unshare --mount --propagation private sh -c '
		root=$1 shown=$2
		shift 2
		mount --bind / "$root" &&
			mount -o remount,bind,ro "$root" || exit
		findmnt -rno TARGET -t "$shown" | while IFS= read -r dir; do
			case $dir in / | "$root"*) continue ;; esac
			mount --bind "$dir" "$root$dir" &&
				mount -o remount,bind,ro "$root$dir"
		done
		exec "$@"' sh "$work/host" "$SHOWN" \
		"$VIRTIOFSD" --socket-path="$work/virtiofs" \
		-o "source=$work/host,cache=always,sandbox=chroot" \
		>"$work/virtiofsd" 2>&1 &
	pids+=($!)
	for ((i = 0; i < SOCKET_SECONDS * 20; i++)); do
		[ ! -S "$work/virtiofs" ] || return 0
		read -rt 0.05 <>"$work/never"
	done
	cat "$work/virtiofsd" >&2
	die 'virtiofsd does not listen'
}

# ---- qemu -----------------------------------------------------------------

# accelerator - kvm where a kernel really runs on it, which /dev/kvm does not
# tell; one without a root panics and restarts, and that ends qemu
accelerator() {
	if [ -w /dev/kvm ] && timeout -k 1 10 qemu-system-x86_64 -accel kvm \
		-cpu host -m 512 -nodefaults -display none -no-reboot \
		-kernel "$kernel/vmlinuz" -append panic=-1 \
		</dev/null >/dev/null 2>&1; then
		echo kvm
	else
		echo tcg
	fi
}

# boot - the guest from its start to its end; $answer is its last word
boot() {
	local accel cpu=max
	accel=$(accelerator)
	[ "$accel" = tcg ] || cpu=host
	rm -f "$work/disk" "$work/virtiofs"
	mke2fs -q -F -t ext4 -O ^has_journal "$work/disk" "$DISK" \
		>"$work/mke2fs" 2>&1 || die 'mke2fs makes no scratch disk'
	start_virtiofsd
	: >"$work/output"
	: >"$work/answer"
	# The guest trusts itself, and what a kernel does against others on the
	# same processor costs several times as much where there is none.
	timeout -k 5 "$seconds" qemu-system-x86_64 -machine pc -accel "$accel" \
		-cpu "$cpu" -smp 1 -m "${MEMORY}M" -nodefaults -no-user-config \
		-object "memory-backend-memfd,id=ram,size=${MEMORY}M,share=on" \
		-numa node,memdev=ram -display none -no-reboot \
		-kernel "$kernel/vmlinuz" -initrd "$work/initramfs" \
		-append "console=ttyS0 panic=-1 quiet mitigations=off $cmdline" \
		-serial "file:$work/console" -serial "file:$work/output" \
		-serial "file:$work/answer" \
		-drive "if=virtio,format=raw,cache=unsafe,file=$work/disk" \
		-chardev "socket,id=host,path=$work/virtiofs" \
		-device vhost-user-fs-pci,chardev=host,tag=host \
		</dev/null >"$work/qemu" 2>&1 &
	pids+=($!)
	tail -n +1 -f --pid=$! "$work/output"
	wait "${pids[1]}"
	status=$?
	answer=$(tail -n 1 "$work/answer")
	stop
	[ -n "$answer" ] || {
		tail -n 20 "$work/console" "$work/qemu" >&2
		[ "$status" -ne 124 ] ||
			answer="broken it takes more than $seconds seconds"
	}
}

# stop - end what boot started beside the guest
stop() {
	[ ${#pids[@]} -eq 0 ] || {
		kill "${pids[@]}"
		wait "${pids[@]}"
	} 2>/dev/null
	pids=()
}
