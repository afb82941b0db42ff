# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2154
# Kernels from the distribution's archive: which there are, and how they come
# into the cache.  Sourced by run, with $cache set.
#
# apt does the work, and checks what it gets, with settings, lists and a state
# of its own below the cache: those of this machine are only read.

# Where Debian keeps kernels of several series at once, with small lists.
readonly SECURITY_SUITES='bullseye-security bookworm-security trixie-security'
readonly OTHER_SUITES='bookworm-backports trixie-backports'
readonly FLAVOUR=cloud-amd64
readonly LISTS_KEPT=1440 # minutes

# archive_of SUITE - from where this machine's apt has it
archive_of() {
	apt-get indextargets --format "\$(RELEASE) \$(REPO_URI)" \
		'Created-By: Packages' |
		awk -v suite="$1" '$1 == suite { print $2; exit }'
}

# sources URI SUITE... - the lines of a sources.list
sources() {
	local uri=$1 suite
	shift
	[ -n "$uri" ] || return 0
	for suite; do
		printf 'deb [signed-by=%s] %s %s main\n' \
			/usr/share/keyrings/debian-archive-keyring.gpg \
			"$uri" "$suite"
	done
}

# open_archive - from here on apt is one of our own, with lists not too old
open_archive() {
	local apt=$cache/apt codename
	codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
	mkdir -p "$apt/lists/partial" "$apt/archives/partial"
	# The words after sources are lists.
	# shellcheck disable=SC2086
	[ -s "$apt/sources.list" ] || {
		sources "$(archive_of "$codename-security")" $SECURITY_SUITES
		sources "$(archive_of "$codename")" $OTHER_SUITES
	} >"$apt/sources.list"
	[ -s "$apt/sources.list" ] ||
		die "apt knows no archive of Debian $codename"
	touch "$apt/status"
	cat >"$apt/apt.conf" <<-CONF
		Dir::Etc::sourcelist "$apt/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		Dir::State "$apt";
		Dir::State::status "$apt/status";
		Dir::Cache "$apt";
		APT::Sandbox::User "root";
		Acquire::Languages "none";
	CONF
	export APT_CONFIG=$apt/apt.conf
	[ -n "$(find "$apt/read" -mmin "-$LISTS_KEPT" 2>/dev/null)" ] &&
		return
	apt-get -qq update >&2 || die 'apt cannot read the lists of the archive'
	touch "$apt/read"
}

# releases - what the archive has, oldest first
#
# From 6.19 on an image comes in parts, of which old ones may be missing.
releases() {
	apt-cache pkgnames linux- | awk -v flavour="-$FLAVOUR" '
		match($0, /^linux-(image|binary|modules)-[0-9]/) {
			part = $0
			sub(/^linux-/, "", part)
			sub(/-.*/, "", part)
			release = substr($0, RSTART + RLENGTH - 1)
			if (release !~ flavour "$" ||
				release ~ /-(rt|unsigned|dbg)/)
				next
			if (release !~ /^[0-9]+\.[0-9]+\.[0-9]/)
				next
			has[part, release] = 1
		}
		END {
			for (key in has) {
				split(key, words, SUBSEP)
				release = words[2]
				if (words[1] == "image" &&
					!((("binary", release) in has) &&
					!(("modules", release) in has)))
					print release
			}
		}' | sort -V
}

# newest SERIES - of the releases on standard input
newest() {
	local release found=''
	while IFS= read -r release; do
		case $release in "$1"[.+-]*) found=$release ;; esac
	done
	printf '%s' "$found"
}

# unpack RELEASE FOLDER - the packages in FOLDER become a kernel of the cache
unpack() {
	local deb image new=$2/new
	for deb in "$2"/*.deb; do
		dpkg-deb -x "$deb" "$2/tree" || die "cannot unpack '$deb'"
	done
	image=$(find "$2/tree" -name 'vmlinuz*' -type f | head -n 1)
	mkdir -p "$new/lib/modules"
	mv "$image" "$new/vmlinuz" &&
		mv "$(find "$2/tree" -path "*/lib/modules/$1" -type d)" \
			"$new/lib/modules/" &&
		depmod -b "$new" "$1" &&
		mv "$new" "$cache/kernels/$1" ||
		die "the packages of linux $1 are not what they were"
}

# fetch RELEASE - into the cache
fetch() {
	local release=$1 folder=$work/fetch package
	mkdir -p "$folder" "$cache/kernels"
	printf 'kernels: fetching linux %s\n' "$release" >&2
	for package in $(apt-cache pkgnames linux- |
		grep -xE "linux-(image|base|binary|modules)-${release//[.+]/.}"); do
		(cd "$folder" && apt-get -qq download "$package" >&2) ||
			die "cannot fetch $package"
	done
	unpack "$release" "$folder"
	rm -rf "$folder"
}

# find_kernel SERIES - $release and $kernel, fetched unless the cache has one
find_kernel() {
	mkdir -p "$cache/kernels"
	release=$(find "$cache/kernels" -mindepth 1 -maxdepth 1 -printf '%f\n' |
		sort -V | newest "$1")
	if [ -z "$release" ]; then
		open_archive
		release=$(releases | newest "$1")
		[ -n "$release" ] || die "the archive has no kernel $1"
		fetch "$release"
	fi
	# machine.bash boots it.
	# shellcheck disable=SC2034
	kernel=$cache/kernels/$release
}
