# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# Projects for tests: small ones made here, real ones from the package archive.

# manifest DIR - every name below DIR with mode, owner, times and contents
#
# Two equal manifests mean that nothing was written, not even the same bytes
# again.  Access times are left out: reading is allowed.
manifest() {
	(
		cd "$1" || exit
		find . -printf '%P\0%y %m %U:%G %T@ %C@ %s %l\0' | sort -z
		find . -type f -print0 | sort -z | xargs -0 -r sha256sum -z
	) | tr '\0' '\n'
}

# make_project DIR - a git project with one commit on main
make_project() {
	mkdir -p "$1"
	git -C "$1" init -q -b main
	git -C "$1" config user.name Tester
	git -C "$1" config user.email tester@example.org
	printf 'one\n' >"$1/a"
	printf '#!/bin/sh\necho built\n' >"$1/build.sh"
	chmod +x "$1/build.sh"
	git -C "$1" add -A
	git -C "$1" commit -qm first
}

# fetch_source PACKAGE DIR - the upstream source of a Debian package, unpacked
#
# Through a private apt configuration made from the machine's own list of
# sources: the machine's is not touched.  Fails where there is none.
fetch_source() {
	local package=$1 dir=$2 apt
	apt=$BATS_FILE_TMPDIR/apt
	command -v apt-get >/dev/null || return 1
	if [ ! -d "$apt" ]; then
		mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/cache"
		cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
			2>/dev/null | sed -n 's/^deb /deb-src /p' \
			>"$apt/parts/one-line.list"
		cat /etc/apt/sources.list.d/*.sources 2>/dev/null |
			sed 's/^Types:.*/Types: deb-src/' \
				>"$apt/parts/blocks.sources"
		cat >"$apt/conf" <<-EOF
			Dir::Etc::sourcelist "/dev/null";
			Dir::Etc::sourceparts "$apt/parts";
			Dir::State::lists "$apt/lists";
			Dir::Cache "$apt/cache";
			APT::Sandbox::User "";
		EOF
		APT_CONFIG=$apt/conf timeout 120 apt-get -qq update || return 1
	fi
	mkdir -p "$dir" "$BATS_FILE_TMPDIR/download"
	(
		cd "$BATS_FILE_TMPDIR/download" || exit
		APT_CONFIG=$apt/conf timeout 120 apt-get -qq source \
			--download-only "$package" || exit
		tar -C "$dir" --strip-components=1 -xf "$package"_*.orig.tar.*[z2]
	)
}

# commit_all DIR - put what is there under git
commit_all() {
	git -C "$1" init -q -b main
	git -C "$1" config user.name Tester
	git -C "$1" config user.email tester@example.org
	git -C "$1" add -A -f
	git -C "$1" commit -qm 'as released'
}
