# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2154
# The machine that a kernel is booted on: an initramfs, two disks and three
# serial lines.  Sourced by run, which sets what is used here and not set.
#
# The disks are copies: whoever is root in the guest has nothing of the host's,
# and reading a file costs no more than on a machine of flesh.

readonly MEMORY=2048     # MiB
readonly SYSTEM_SIZE=12G # sparse
readonly TREE_SLACK=64   # MiB
# Big, and run by no test of a sandbox.  What is in /usr/local is unknown.
LEFT_OUT=(/usr/local /usr/lib/{google-cloud-sdk,jvm,chromium,debug}
	/usr/lib/{llvm-*,go-*,postgresql} /usr/share/go-*
	/usr/share/{doc,man,locale,icons,fonts,fpcsrc,vim,package-lists})

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

# modules - what leads to the disks, unpacked into $work/modules, in
# the order in which they can be loaded; built-in ones are none
modules() {
	local module file name
	for module in virtio_pci virtio_blk ext4 overlay; do
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
	printf '# /run/tree%s\n' "$top/t/kernels/guest"
	declare -p top build users sysctls profile environment command
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

# ---- the disks ------------------------------------------------------------

# make_disk FILE SIZE FOLDER
make_disk() {
	rm -f "$1"
	mke2fs -q -F -t ext4 -O ^has_journal -m 0 -d "$3" "$1" "$2" \
		>"$work/mke2fs" 2>&1 && return
	cat "$work/mke2fs" >&2
	rm -f "$1"
	die "mke2fs makes no disk '$1'"
}

# make_system FILE - this machine's programs and settings, and no data; what
# is left out is covered in a mount namespace of its own
make_system() {
	local left_out=()
	read -ra left_out < <(printf '%s ' "${LEFT_OUT[@]}")
	mkdir -p "$work/system"
	export -f make_disk die
	export work
	# The inner shell expands these.
	# shellcheck disable=SC2016
	unshare --mount --propagation private "$BASH" -c '
		root=$1 file=$2 size=$3
		shift 3
		mount -t tmpfs -o mode=755 none "$root" && cd "$root" || exit
		mkdir -p usr etc dev proc sys run home mnt opt srv media \
			var/{lib,cache,log} || exit
		install -d -m 700 root
		install -d -m 1777 tmp var/tmp
		ln -s /run var/run
		find / -maxdepth 1 -type l -lname "usr/*" -exec cp -P {} . \;
		mount --bind /usr usr && mount --bind /etc etc || exit
		for dir; do
			[ ! -d "$dir" ] || mount -t tmpfs -o mode=755 \
				none "$root$dir" || exit
		done
		make_disk "$file" "$size" "$root"' sh "$work/system" "$1" \
		"$SYSTEM_SIZE" "${left_out[@]}" ||
		die "cannot copy this machine's programs"
}

# find_system - $system, the disk in the cache, made anew where packages or the
# list above have changed since
find_system() {
	local key
	system=$cache/system
	key=$(cat /var/lib/dpkg/status - <<<"$SYSTEM_SIZE ${LEFT_OUT[*]}" |
		sha256sum)
	[ "$(cat "$system.key" 2>/dev/null)" != "$key" ] || return 0
	printf "kernels: copying this machine's programs\n" >&2
	rm -f "$system.key"
	make_system "$system.new"
	{
		mv "$system.new" "$system" && printf '%s\n' "$key" >"$system.key"
	} || die "cannot write '$system'"
}

# make_tree - the project, what is built of it, and the kernel's modules
make_tree() {
	local size
	rm -rf "$work/tree"
	mkdir -p "$work/tree/lib/modules"
	tar -C / -c --exclude-vcs --exclude='*.o' --exclude='*.a' \
		"${top#/}" "${build#/}" | tar -C "$work/tree" -x &&
		cp -a "$kernel/lib/modules/$release" "$work/tree/lib/modules/" ||
		die "cannot copy '$top' and '$build'"
	size=$(du -sm "$work/tree")
	make_disk "$work/tree.disk" $((${size%%[!0-9]*} * 5 / 4 + TREE_SLACK))M \
		"$work/tree"
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

# disk FILE - as qemu is told; what the guest writes goes to a file that
# nobody can open
disk() {
	printf 'if=virtio,format=raw,cache=unsafe,snapshot=on,file=%s' "$1"
}

# boot - the guest from its start to its end; $answer is its last word
boot() {
	local accel cpu=qemu64
	accel=$(accelerator)
	[ "$accel" = tcg ] || cpu=host
	: >"$output"
	: >"$work/answer"
	# The guest trusts itself, and what a kernel does against others on the
	# same processor costs several times as much where there is none.  So do
	# the instructions that make a processor fast: without them, which is
	# what qemu64 is, a third less is emulated than with all that qemu has.
	TMPDIR=$work timeout -k 5 "$seconds" qemu-system-x86_64 -machine pc \
		-accel "$accel" -cpu "$cpu" -smp 1 -m "${MEMORY}M" \
		-nodefaults -no-user-config -display none -no-reboot \
		-kernel "$kernel/vmlinuz" -initrd "$work/initramfs" \
		-append "console=ttyS0 panic=-1 quiet mitigations=off $cmdline" \
		-serial "file:$work/console" -serial "file:$output" \
		-serial "file:$work/answer" \
		-drive "$(disk "$system")" -drive "$(disk "$work/tree.disk")" \
		</dev/null >"$work/qemu" 2>&1 &
	qemu=$!
	tail -n +1 -s 0.2 -f --pid=$qemu "$output" &
	wait $qemu # and no other, so that a signal to us is not kept waiting
	status=$?
	qemu=
	wait $!
	answer=$(tail -n 1 "$work/answer")
	[ -n "$answer" ] || {
		tail -n 20 "$work/console" "$work/qemu" >&2
		[ "$status" -ne 124 ] ||
			answer="broken it takes more than $seconds seconds"
	}
}

# stop - end what boot started
stop() {
	[ -z "$qemu" ] || {
		kill "$qemu"
		wait "$qemu"
	} 2>/dev/null
	qemu=
}
