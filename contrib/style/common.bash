# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# What the checks share.  Each is called as
#
#	contrib/style/check-NAME [TOP [BUILD]]
#
# and holds the source tree TOP, and what was built of it in BUILD, to one part
# of doc/STYLE.  Without words it holds its own tree and the build/ in it.  It
# prints one line, "file: what is wrong", for each thing that it finds.
#
# Exits with 0 if there was nothing, 1 if there was, 100 or 111 if it could
# not look; a check that could not look has not passed.

set -u
export LC_ALL=C

style=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
top=${1:-$(cd "$style/../.." && pwd -P)}
# shellcheck disable=SC2034
build=${2:-$top/build}
check=$(basename "$0")
found=0

cd "$top" || exit 100
scratch=$(mktemp -d) || exit 111
trap 'rm -rf "$scratch"' EXIT

# complain FILE WHAT - one thing that is wrong
complain() {
	printf '%s: %s\n' "$1" "$2"
	found=$((found + 1))
}

# complain_lines - the same for lines of "FILE: WHAT" on standard input
complain_lines() {
	local line
	while IFS= read -r line; do
		printf '%s\n' "$line"
		found=$((found + 1))
	done
}

# need TOOL... - end here if one is not installed
need() {
	local tool
	for tool; do
		command -v "$tool" >/dev/null && continue
		printf '%s: cannot find %s\n' "$check" "$tool" >&2
		exit 111
	done
}

# no_fewer COUNT WHAT - a check that looked at nothing has not passed
no_fewer() {
	[ "$1" -gt 0 ] && return
	printf '%s: found no %s to look at\n' "$check" "$2" >&2
	exit 100
}

verdict() {
	[ "$found" -eq 0 ]
	exit
}

# in_folders FOLDER... -- FIND-EXPRESSION - files in those folders that exist
in_folders() {
	local folders=()
	while [ "$1" != -- ]; do
		[ -e "$1" ] && folders+=("$1")
		shift
	done
	shift
	[ ${#folders[@]} -eq 0 ] || find "${folders[@]}" -type f "$@" | sort
}

c_files() {
	in_folders lib libexec t contrib -- -name '*.[ch]' -not -path '*/data/*'
}

# Every script, told by its name or by its first line.
scripts() {
	in_folders bootstrap .ci bin lib libexec t contrib policies -- \
		-not -path '*/data/*' |
		while IFS= read -r file; do
			case $file in
			*.bash | *.sh | *.bats) printf '%s\n' "$file" ;;
			*.[ch]) ;;
			*) sed -n '1s/^#!.*\(sh\|bats\)$/&/p;2s/^# shellcheck shell=/&/p' "$file" |
				grep -q . && printf '%s\n' "$file" ;;
			esac
		done
}

# excepted LIST WHAT - whether contrib/style/LIST excuses WHAT, with a reason
excepted() {
	[ -e "contrib/style/$1" ] &&
		awk -v what="$2" '$1 == what && NF > 3 { yes = 1 }
			END { exit !yes }' "contrib/style/$1"
}
