# SPDX-License-Identifier: ISC
# What the list of sockets says of each family, type and protocol, against
# what helpers/act was answered.  With -v none=ERRNO, what a sandbox says that
# has no network at all.  Prints what is otherwise, and last how many rows.

function expected(f, t, p) {
	if (f == 1)
		return "ours"
	if (f == 40)
		return "killed"
	if (f == 16)
		return (t == 2 || t == 3) && p == 0 ? "ours" : "EPROTONOSUPPORT"
	if (f != 2 && f != 10)
		return "EAFNOSUPPORT"
	if (t == 3)
		return "EPERM"
	if ((t == 1 && (p == 0 || p == 6)) || (t == 2 && (p == 0 || p == 17)))
		return "ours"
	return "EPROTONOSUPPORT"
}

NF == 4 {
	rows++
	wanted = expected($1, $2, $3)
	if (none != "" && (wanted == "killed" || (wanted == "ours" && $1 != 1)))
		wanted = none
	# The kernel's own no, to what the list allows, is none of the list's.
	if (wanted == "ours" ? $4 == "EPERM" || $4 == "killed" : $4 != wanted)
		print $1, $2, $3 ": " $4 ", not " wanted
}

END { print rows + 0 " rows" }
