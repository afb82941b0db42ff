# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2154,SC2034
# What tests of chock run share.

# read_id - set id to the session that $stderr names
read_id() {
	id=${stderr#*chock-run: session }
	id=${id%%$'\n'*}
}

# alone STATUS COMMAND... - with nobody there to answer
alone() {
	local status=$1
	shift
	run "-$status" --separate-stderr setsid -w "$@" </dev/null
	read_id
}
