# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2154,SC2034
# What the tests of chock-workspace share: projects, copies, and a way to see
# that nothing was touched.

workspace=$libexec/chock-workspace

# Outside, in the project's repository, in the workspace.
canaries=("$BATS_TEST_TMPDIR/canary" "$BATS_TEST_TMPDIR/project/.git/canary"
	"$BATS_TEST_TMPDIR/w/canary")

# new_project DIR - a small project on branch main, with two commits
new_project() {
	git init -q -b main "$1"
	printf 'one\n' >"$1/file"
	mkdir "$1/dir"
	printf 'two\n' >"$1/dir/other"
	printf '#!/bin/sh\n' >"$1/run"
	chmod +x "$1/run"
	printf '*.o\n' >"$1/.gitignore"
	git -C "$1" add .
	git -C "$1" commit -q -m first
	printf 'more\n' >>"$1/dir/other"
	git -C "$1" commit -q -a -m second
}

# in_project - setup() of most: a small project, at $project
in_project() {
	require userns
	project=$BATS_TEST_TMPDIR/project
	new_project "$project"
}

# here ARGUMENT... - git in the project, as the person
here() {
	git -C "$project" "$@"
}

# new_super DIR - another project, with $project as its submodule sub
new_super() {
	new_project "$1"
	git -C "$1" -c protocol.file.allow=always submodule --quiet add \
		"$project" sub
	git -C "$1" commit -q -m sub
}

# manifest DIR - all that can be seen of it, but for access times
manifest() {
	find "$1" -printf '%P %y %m %U:%G %T@ %C@ %l\0' | sort -z
	find "$1" -type f -print0 | sort -z | xargs -0 sha256sum -z
}

# before DIR..., unchanged DIR... - that between the two calls nothing changed
before() {
	local dir
	for dir; do
		manifest "$dir"
	done >"$BATS_TEST_TMPDIR/before"
}

unchanged() {
	local dir
	for dir; do
		manifest "$dir"
	done >"$BATS_TEST_TMPDIR/after"
	diff <(tr "\0" "\n" <"$BATS_TEST_TMPDIR/before") <(tr "\0" "\n" <"$BATS_TEST_TMPDIR/after")
}

# copy_git ARGUMENT... - git in the copy, from outside: the test plays the
# sandboxed program, and lends it the objects that it would see there
copy_git() {
	GIT_ALTERNATE_OBJECT_DIRECTORIES=$(git -C "$project" rev-parse \
		--path-format=absolute --git-path objects) \
		git -C "${copy:?}" "$@" 2>"$BATS_TEST_TMPDIR/copy-git"
}

# begin [ARGUMENT...] - a workspace of $project at $w, its copy at $copy
begin() {
	w=$BATS_TEST_TMPDIR/w
	copy=$w/copy
	"$workspace" create --session s1 --workspace "$w" "$@" "$project" \
		>"$BATS_TEST_TMPDIR/created"
}

# work - one commit in the copy that adds, changes and removes a file
work() {
	printf 'new\n' >"$copy/new"
	printf 'changed\n' >"$copy/file"
	rm "$copy/run"
	copy_git add -A
	copy_git commit -q -m 'the work'
}

# ask [ARGUMENT...] - put the questions; the records are in $questions, the last
# of them, about the apply, in $question
ask() {
	questions=$("$workspace" question --workspace "$w" "$@")
	question=$(tail -n 1 <<<"$questions")
}

# asked_apart ACTION - the files of each question of ACTION, and why
# they are in it
asked_apart() {
	jq -r --arg action "$1" 'select(.action == $action) | .effect.files[] |
		"\(.status) \(.path): \(.why)"' <<<"$questions"
}

# field FIELD - of the question or of its effect
field() {
	json "(.effect + .).$1" <<<"$question"
}

# apply [ARGUMENT...] - after a yes; the answer is in $applied
apply() {
	applied=$("$workspace" apply --workspace "$w" --to "$(field to)" \
		--tree "$(field tree)" --onto "$(field onto)" \
		--landing "$(field landing)" --apply "$(field way)" "$@")
}

# canary NAME - a program that leaves a file behind when it runs, in each place
# where it can: what asks and applies has its programs write in few
canary() {
	{
		printf '#!/bin/sh\nfor file in'
		printf ' %q' "${canaries[@]}"
		printf '; do\n\tprintf "%%s\\n" "$0" >>"$file"\n'
		printf 'done 2>/dev/null\ncat\n'
	} >"$BATS_TEST_TMPDIR/$1"
	chmod +x "$BATS_TEST_TMPDIR/$1"
	printf '%s\n' "$BATS_TEST_TMPDIR/$1"
}

# hooks DIR - every hook that git might run while it copies or lands
hooks() {
	local hook name
	hook=$(canary hook)
	mkdir -p "$1"
	for name in post-checkout post-merge pre-commit post-commit \
		post-index-change reference-transaction post-rewrite \
		pre-auto-gc post-update update push-to-checkout \
		prepare-commit-msg pre-push fsmonitor-watchman; do
		cp "$hook" "$1/$name"
	done
}

# ran, quiet - whether a canary ran since the last clear_canary
ran() {
	cat "${canaries[@]}" 2>/dev/null | grep -q .
}

quiet() {
	! ran || {
		cat "${canaries[@]}"
		return 1
	}
}

clear_canary() {
	rm -f "${canaries[@]}"
}

# plant GIT_DIR - configuration in which everything names the canary
plant() {
	local program
	program=$(canary program)
	hooks "$1/hooks"
	git config -f "$1/planted" core.sshCommand "$program"
	git config -f "$1/planted" core.pager "$program"
	git config -f "$1/planted" core.editor "$program"
	git config -f "$1/planted" core.alternateRefsCommand "$program"
	git config -f "$1/planted" diff.external "$program"
	git config -f "$1/planted" diff.x.textconv "$program"
	git config -f "$1/planted" filter.x.clean "$program"
	git config -f "$1/planted" filter.x.smudge "$program"
	git config -f "$1/planted" gpg.program "$program"
	git config -f "$1/planted" credential.helper "!$program"
	git config -f "$1/planted" alias.status "!$program"
	git config -f "$1/planted" uploadpack.packObjectsHook "$program"
	git config -f "$1/config" include.path planted
	git config -f "$1/config" core.fsmonitor "$program"
	mkdir -p "$1/info"
	printf '*.x filter=x diff=x\n' >>"$1/info/attributes"
}
