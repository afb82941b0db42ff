#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# The shipped policies in a sandbox: programs of this machine run, and of what
# only lies nearby nothing is there.

load lib/chock

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# inside POLICY WORD... - the command WORD... in a sandbox by POLICY
inside() {
	chock-spawn --policy "$1" -- "${@:2}"
}

# A page that can be written and executed at once; exits 13 where it is refused
# with EPERM.
wx='import mmap, sys
try:
    mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
except PermissionError:
    sys.exit(13)'

@test "grants in base nothing that holds keys, nor anything above it" {
	granted=$(awk '$1 == "read" || $1 == "write" { print $2 }' \
		"$BATS_TEST_DIRNAME/../policies/base.policy")
	[ "$(wc -l <<<"$granted")" -gt 50 ]
	for secret in /etc/shadow /etc/gshadow /etc/sudoers /etc/sudoers.d /etc/ssh/x \
		/etc/ssl/private/x /etc/pki/tls/private/x /etc/environment /root/.ssh \
		/home/x /var/lib/x /run/user/x /srv/x /boot/x; do
		while IFS= read -r path; do
			[[ $secret/ != "$path"/* ]]
		done <<<"$granted"
	done
}

@test "lets every path of base be missing" {
	run -1 grep -nE '^(read|write)' <(grep -v 'optional$' \
		"$BATS_TEST_DIRNAME/../policies/base.policy")
}

@test "lets the programs of this machine run by base" {
	require userns landlock
	mkdir project
	cd project
	printf 'int main(void) { return 0; }\n' >a.c
	run -0 chock-spawn --policy base --write "$PWD" --chdir "$PWD" -- \
		sh -c 'gcc a.c -o a && ./a && git init -q r && perl -MPOSIX -e 1 &&
			printf "all:\n\ttrue\n" >Makefile && make -s && date +%Z && locale -a'
	[ "$output" = "$(date +%Z && locale -a)" ]
}

@test "shows by base nothing that lies nearby" {
	require userns landlock
	printf 'secret\n' >"$HOME/key"
	run -0 cat "$HOME/key"
	run -1 inside base cat "$HOME/key"
	[[ $output == *'No such file or directory'* ]]
	run -0 inside base cat /etc/passwd
	[ -e /etc/shadow ]
	run -1 inside base cat /etc/shadow
	[[ $output == *'No such file or directory'* ]]
}

@test "keeps pages that are written and executed from base, and not from jit" {
	require userns landlock
	python=/usr/bin/python3
	run -0 "$python" -c "$wx"
	run -13 inside base "$python" -c "$wx"
	run -0 inside jit "$python" -c "$wx"
	run -0 inside base "$python" -c 'import mmap; mmap.mmap(-1, 4096)'
}

@test "lets a ceiling keep such pages from jit too" {
	require userns landlock
	mkdir -p "$HOME/.config/chock"
	printf 'ask sandbox.jit\n' >"$HOME/.config/chock/ceiling"
	run -13 inside jit /usr/bin/python3 -c "$wx"
}
