#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# The AppArmor profile for systems that give user namespaces by name: it names
# the programs where they are installed, and AppArmor reads it.

load lib/chock

setup() {
	profile=$CHOCK_BUILD/contrib/apparmor/chock
	[ -e "$profile" ] ||
		skip 'nothing measured: an installation has no profile'
}

# parse FILE - what AppArmor makes of it, loading and writing nothing
parse() {
	apparmor_parser --skip-kernel-load --skip-cache --skip-read-cache \
		"$@" >"$BATS_TEST_TMPDIR/parsed" 2>&1
}

@test "names both programs where they are installed, and no other" {
	local bindir
	# The words are for make.  A target that was not phony would be up to
	# date where a file of its name lies in the build or in the sources.
	# shellcheck disable=SC2016
	bindir=$(make -s -C "$CHOCK_BUILD" \
		--eval '.PHONY: where' --eval 'where:;@echo $(bindir)' where)
	[ -n "$bindir" ]
	run -0 grep '^profile' "$profile"
	[ "$output" = "profile chock \"$bindir/chock-{spawn,doctor}\" flags=(unconfined) {" ]
	run ! grep -n '@' "$profile"
	run -0 grep -c '^  userns,$' "$profile"
}

@test "is a profile to AppArmor" {
	command -v apparmor_parser >/dev/null ||
		skip 'nothing measured: there is no apparmor_parser'
	printf 'abi <abi/4.0>,\nprofile some { userns, }\n' \
		>"$BATS_TEST_TMPDIR/some"
	parse "$BATS_TEST_TMPDIR/some" ||
		skip 'nothing measured: this AppArmor knows no user namespaces'
	sed 's/userns/user_namespaces/' "$profile" >"$BATS_TEST_TMPDIR/wrong"
	run ! parse "$BATS_TEST_TMPDIR/wrong"
	run -0 parse "$profile"
}
