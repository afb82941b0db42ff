#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# chock-workspace makes a copy of a git project that is whole, and neither
# writes in the project nor runs anything that it names
#
#	project/   what the person has
#	w/copy/    what the sandbox will see

load lib/chock
load lib/workspace

setup() {
	project=$BATS_TEST_TMPDIR/project
	new_project "$project"
}

# refused WORD [OPTION...] - create says WORD, leaves no workspace and touches
# nothing
refused() {
	before "$project"
	run -100 --separate-stderr "$workspace" create --session s1 \
		--workspace "$BATS_TEST_TMPDIR/w" "${@:2}" "$project"
	[[ $stderr == "chock-workspace: "*"$1"* ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[ ! -e "$BATS_TEST_TMPDIR/w" ]
	unchanged "$project"
}

@test "prints the top of the working tree byte for byte" {
	odd=$BATS_TEST_TMPDIR/$'a b\n\xff:\\'
	new_project "$odd"
	"$workspace" root "$odd/dir" >"$BATS_TEST_TMPDIR/root"
	printf '%s' "$odd" | cmp - "$BATS_TEST_TMPDIR/root"
}

@test "prints a directory without git as its own root, and copies none" {
	mkdir "$BATS_TEST_TMPDIR/plain"
	ln -s plain "$BATS_TEST_TMPDIR/link"
	[ "$("$workspace" root "$BATS_TEST_TMPDIR/link")" = "$BATS_TEST_TMPDIR/plain" ]
	run -100 --separate-stderr "$workspace" create -s x \
		-w "$BATS_TEST_TMPDIR/w" "$BATS_TEST_TMPDIR/plain"
	[[ $stderr == *"it is not in a git project" ]]
	mkdir "$BATS_TEST_TMPDIR/plain/.git"
	run -100 --separate-stderr "$workspace" root "$BATS_TEST_TMPDIR/plain"
	[[ $stderr == *"git does not take that for a repository" ]]
}

@test "refuses what is no working tree of git, each by name" {
	git init -q --bare "$BATS_TEST_TMPDIR/bare"
	run -100 --separate-stderr "$workspace" root "$BATS_TEST_TMPDIR/bare"
	[[ $stderr == *"bare repository, which has no files to work on; 'git clone' or 'git worktree add' makes a project of it" ]]
	run -100 --separate-stderr "$workspace" root "$project/.git"
	[[ $stderr == *": it is inside a .git directory, not in the work tree that this is of" ]]
	run -100 --separate-stderr "$workspace" root "$BATS_TEST_TMPDIR/none"
	[[ $stderr == *"No such file"* ]]
}

@test "says that there is no git" {
	require userns
	run -100 --separate-stderr without_git "$workspace" root "$project"
	[ "$stderr" = "chock-workspace: cannot find git: it is not in /usr/local/bin:/usr/bin:/bin" ]
}

@test "runs the git of the system, and none that PATH or a git before it names" {
	local bin=$BATS_TEST_TMPDIR/bin
	mkdir "$bin"
	cp "$(canary planted)" "$bin/git"
	PATH=$bin:$PATH git --version
	ran
	clear_canary
	PATH=$bin:$PATH begin
	PATH=$bin "$workspace" root "$project"
	work
	PATH=$bin:$PATH ask
	PATH=$bin:$PATH apply
	quiet
}

@test "refuses options that its verb does not take, or lacks" {
	run -100 "$workspace"
	run -100 "$workspace" destroy
	run -100 --separate-stderr "$workspace" create --workspace w
	[[ $stderr == *"create needs --session ID" ]]
	run -100 --separate-stderr "$workspace" clear --workspace w --stat
	[[ $stderr == *"clear takes no --stat" ]]
	run -100 "$workspace" clear --workspace w extra
	run -100 --separate-stderr "$workspace" diff --workspace w --timeout 86401
	[[ $stderr == *--timeout* ]]
	for id in '' . ../x a..b -x x/y 'x y' x.lock x. "$(printf '%0101d' 1)"; do
		run -100 "$workspace" create --session "$id" \
			--workspace "$BATS_TEST_TMPDIR/w" "$project"
		[ ! -e "$BATS_TEST_TMPDIR/w" ]
	done
}

@test "leaves the project as it is, where git status would not" {
	touch -d '2001-01-01' "$project/file"
	printf 'x\n' >"$project/untracked"
	before "$project"
	begin
	unchanged "$project"
	# The control: this is what the manifest has to see.
	git -C "$project" status >/dev/null
	run -1 unchanged "$project"
}

@test "makes a copy that is whole, on the same branch" {
	git -C "$project" branch other HEAD~1
	git -C "$project" tag -a -m note v1
	begin
	[ "$(json .branch <"$BATS_TEST_TMPDIR/created")" = refs/heads/main ]
	[ "$(json .head <"$BATS_TEST_TMPDIR/created")" = \
		"$(git -C "$project" rev-parse HEAD)" ]
	[ "$(stat -c %a "$w")" = 700 ]
	diff -r --exclude=.git "$project" "$copy"
	[ -x "$copy/run" ]
	[ -z "$(copy_git status --porcelain)" ]
	[ "$(copy_git symbolic-ref HEAD)" = refs/heads/main ]
	[ "$(copy_git for-each-ref)" = "$(git -C "$project" for-each-ref)" ]
	copy_git fsck --strict
}

@test "carries settings as values, and none that names a program" {
	git -C "$project" config user.name $'A "quoted\\" name'
	git -C "$project" config core.autocrlf input
	git -C "$project" config user.signingKey x
	git -C "$project" config commit.gpgSign true
	git -C "$project" config core.editor /bin/false
	printf '[core]\n\teol = lf\n\tpager = more\n' >"$HOME/.gitconfig"
	begin
	[ "$(git config -f "$copy/.git/config" user.name)" = \
		$'A "quoted\\" name' ]
	[ "$(git config -f "$copy/.git/config" core.autocrlf)" = input ]
	[ "$(git config -f "$copy/.git/config" core.eol)" = lf ]
	run -1 grep -E -i 'gpg|editor|pager|signing|include|path' \
		"$copy/.git/config"
}

@test "ignores in the copy what the person ignores" {
	printf '*.swp\n' >"$BATS_TEST_TMPDIR/ignore"
	git config --global core.excludesFile "$BATS_TEST_TMPDIR/ignore"
	printf 'local\n' >>"$project/.git/info/exclude"
	begin
	touch "$copy/a.swp" "$copy/local" "$copy/a.o"
	[ -z "$(copy_git status --porcelain)" ]
	touch "$copy/seen"
	[ "$(copy_git status --porcelain)" = '?? seen' ]
}

@test "has in the copy no file that the project's repository leads to" {
	local token=$BATS_TEST_TMPDIR/token info=$project/.git/info
	printf 'AKIASECRET\n' >"$token"
	git -C "$project" config core.excludesFile "$token"
	git -C "$project" config core.attributesFile "$token"
	git -C "$project" check-ignore -q AKIASECRET
	begin
	run -1 grep -r AKIASECRET "$w"
	"$workspace" clear --workspace "$w"
	ln -sf "$token" "$info/exclude"
	ln -s "$token" "$info/attributes"
	begin
	run -1 grep -r AKIASECRET "$w"
	[[ $(json .note <"$BATS_TEST_TMPDIR/created") == "'info/exclude' of the repository is a link, and was not read; 'info/attributes' of "* ]]
	"$workspace" clear --workspace "$w"
	rm "$info/exclude" "$info/attributes"
	mkfifo "$info/exclude"
	begin
	"$workspace" clear --workspace "$w"
	mv "$info" "$BATS_TEST_TMPDIR/info"
	ln -s "$BATS_TEST_TMPDIR/info" "$info"
	ln -sf "$token" "$BATS_TEST_TMPDIR/info/sparse-checkout"
	begin
	run -1 grep -r AKIASECRET "$w"
	git -C "$project" config core.sparseCheckout true
	"$workspace" clear --workspace "$w"
	refused "/info/sparse-checkout': it is no file of the repository's own"
	printf '/*\n' >"$token"
	rm "$info" "$BATS_TEST_TMPDIR/info/exclude"
	mv "$BATS_TEST_TMPDIR/info" "$info"
	rm "$info/sparse-checkout"
	mv "$token" "$info/sparse-checkout"
	begin
	[ "$(cat "$copy/.git/info/sparse-checkout")" = '/*' ]
}

@test "runs no hook, filter or monitor of the project" {
	printf '*.x filter=x diff=x\n' >"$project/.gitattributes"
	printf 'x\n' >"$project/a.x"
	git -C "$project" add .
	git -C "$project" commit -q -m attributes
	plant "$project/.git"
	touch "$project/a.x" "$project/file"
	clear_canary
	begin
	begin_again=$BATS_TEST_TMPDIR/w2
	"$workspace" create --session s2 --workspace "$begin_again" \
		--allow-dirty "$project" >/dev/null
	quiet
	grep -q 'filter (LFS)' "$BATS_TEST_TMPDIR/created"
	# The controls: each kind does run under plain git.
	git -C "$project" diff --stat >/dev/null 2>&1
	grep -q /program "$BATS_TEST_TMPDIR/canary"
	clear_canary
	git -C "$project" worktree add -q "$BATS_TEST_TMPDIR/tree" -b t \
		2>/dev/null
	grep -q /hook "$BATS_TEST_TMPDIR/canary"
}

@test "leaves uncommitted files behind and says how many" {
	printf 'x\n' >>"$project/file"
	git -C "$project" rm -q run
	printf 'u\n' >"$project/$'un\ntracked'"
	touch "$project/ignored.o"
	begin
	left='2 uncommitted changes were left behind; '
	left+='1 untracked file was left behind'
	[ "$(json .note <"$BATS_TEST_TMPDIR/created")" = "$left" ]
	[ "$(cat "$copy/file")" = one ]
	[ -x "$copy/run" ]
	[ -z "$(copy_git status --porcelain)" ]
}

@test "copies uncommitted files of every kind when it is told to" {
	printf 'x\n' >>"$project/file"
	rm "$project/run"
	ln -s /nowhere "$project/run"
	git -C "$project" rm -q -r dir
	printf 'was a directory\n' >"$project/dir"
	mkdir "$project/deep" "$project/deep/er"
	printf 'u\n' >"$project/deep/er/"$'un\ntracked\xff'
	printf 'staged\n' >"$project/staged"
	chmod 750 "$project/staged"
	git -C "$project" add staged
	mkfifo "$project/fifo"
	touch "$project/ignored.o"
	before "$project"
	begin --allow-dirty
	unchanged "$project"
	[ ! -e "$copy/ignored.o" ]
	[ "$(readlink "$copy/run")" = /nowhere ]
	[ "$(stat -c %a "$copy/staged")" = 750 ]
	rm "$project/ignored.o" "$project/fifo"
	diff -r --no-dereference --exclude=.git "$project" "$copy"
}

@test "copies a file that became a directory" {
	rm "$project/file"
	mkdir "$project/file"
	printf 'below\n' >"$project/file/below"
	begin --allow-dirty
	[ "$(cat "$copy/file/below")" = below ]
}

# index_names FROM TO - the project's index names TO for the file FROM, which no
# git would have it do; both are as long, and have the same place among others
index_names() {
	git -C "$project" update-index --add --cacheinfo \
		"100644,$(git -C "$project" rev-parse HEAD:file),$1"
	LC_ALL=C sed -i "s,$1,$2," "$project/.git/index"
	[[ $(git -C "$project" ls-files) == *"$2"* ]]
}

@test "reaches nothing outside of the copy, whatever an index names" {
	local from to
	printf 'precious\n' >"$BATS_TEST_TMPDIR/victim"
	printf 'changed\n' >"$project/file"
	while read -r from to; do
		index_names "$from" "$to"
		refused "names '$to', which git puts into none" --allow-dirty
		refused "names '$to', which git puts into none"
		git -C "$project" reset -q
	done <<-EOF
		--_--_victim ../../victim
		dir/--_file dir/../file
		-_file ./file
		-git_config .git/config
		dir/-GIT_x dir/.GIT/x
	EOF
	[ "$(cat "$BATS_TEST_TMPDIR/victim")" = precious ]
	# Their neighbours only look so.
	mkdir "$project/..." "$project/.gitx"
	printf 'x\n' | tee "$project/.../victim" >"$project/.gitx/config"
	begin --allow-dirty
	[ "$(cat "$copy/.../victim" "$copy/.gitx/config")" = $'x\nx' ]
}

# link_to DIR - the commit has a link to it, in the place of which the person
# has a directory that git is told not to look at
link_to() {
	ln -s "$1" "$project/d"
	git -C "$project" add d
	git -C "$project" commit -q -m link
	git -C "$project" update-index --skip-worktree d
	rm "$project/d"
	mkdir -p "$project/d/sub"
	printf 'pwned\n' | tee "$project/d/f" >"$project/d/sub/g"
	ln -s x "$project/d/l"
}

@test "writes through no link that the commit has, and names the file" {
	mkdir "$BATS_TEST_TMPDIR/victim"
	link_to "$BATS_TEST_TMPDIR/victim"
	refused "cannot copy 'd/f'" --allow-dirty
	[ -z "$(ls -A "$BATS_TEST_TMPDIR/victim")" ]
	begin
	[ "$(readlink "$copy/d")" = "$BATS_TEST_TMPDIR/victim" ]
}

@test "writes through no link into the project" {
	mkdir "$project/real"
	printf 'real\n' >"$project/real/file"
	git -C "$project" add real
	link_to "$project/real"
	refused "cannot copy 'd/f'" --allow-dirty
	[ "$(ls "$project/real")" = file ]
}

@test "works on a detached HEAD" {
	git -C "$project" checkout -q --detach HEAD~1
	begin
	[ "$(json .branch <"$BATS_TEST_TMPDIR/created")" = null ]
	[ "$(copy_git rev-parse HEAD)" = "$(git -C "$project" rev-parse HEAD)" ]
	run -1 copy_git symbolic-ref -q HEAD
	[ -z "$(copy_git status --porcelain)" ]
}

@test "works on a branch that has no commit yet" {
	project=$BATS_TEST_TMPDIR/unborn
	git init -q -b trunk "$project"
	printf 'x\n' >"$project/x"
	before "$project"
	begin
	unchanged "$project"
	[ "$(json .head <"$BATS_TEST_TMPDIR/created")" = '' ]
	[ "$(copy_git symbolic-ref HEAD)" = refs/heads/trunk ]
	[ "$(json .note <"$BATS_TEST_TMPDIR/created")" = \
		'1 untracked file was left behind' ]
}

@test "works in a linked working tree" {
	main=$project
	git -C "$main" worktree add -q -b side "$BATS_TEST_TMPDIR/side" \
		2>/dev/null
	git -C "$main" config extensions.worktreeConfig true
	project=$BATS_TEST_TMPDIR/side
	before "$main" "$project"
	begin
	unchanged "$main" "$project"
	[ "$(json .branch <"$BATS_TEST_TMPDIR/created")" = refs/heads/side ]
	[ -d "$copy/.git" ]
	diff -r --exclude=.git "$project" "$copy"
}

@test "works in a submodule, and leaves those of a project empty" {
	super=$BATS_TEST_TMPDIR/super
	new_super "$super"
	project=$super
	before "$super"
	begin
	unchanged "$super"
	[ "$(json .note <"$BATS_TEST_TMPDIR/created")" = \
		'1 submodule is an empty directory' ]
	[ -z "$(ls -A "$copy/sub")" ]
	"$workspace" clear --workspace "$w" >/dev/null
	project=$super/sub
	begin
	unchanged "$super"
	[ "$("$workspace" root "$super/sub/dir")" = "$super/sub" ]
	diff -r --exclude=.git "$project" "$copy"
}

@test "works in a shallow clone and with SHA-256 objects" {
	git clone -q --depth 1 "file://$project" "$BATS_TEST_TMPDIR/shallow"
	project=$BATS_TEST_TMPDIR/shallow
	before "$project"
	begin
	unchanged "$project"
	[ "$(copy_git rev-list --count HEAD)" -eq 1 ]
	"$workspace" clear --workspace "$w" >/dev/null
	project=$BATS_TEST_TMPDIR/sha256
	git init -q -b main --object-format=sha256 "$project"
	printf 'x\n' >"$project/x"
	git -C "$project" add x
	git -C "$project" commit -q -m x
	begin
	[ "$(copy_git rev-parse --show-object-format)" = sha256 ]
	[ -z "$(copy_git status --porcelain)" ]
}

@test "lends the objects that the project itself borrows" {
	mkdir "$BATS_TEST_TMPDIR/"$'odd:\n"\\'
	git clone -q --shared "$project" "$BATS_TEST_TMPDIR/"$'odd:\n"\\/shared'
	lender=$project
	project=$BATS_TEST_TMPDIR/$'odd:\n"\\/shared'
	begin
	[ "$(json '.objects | length' <"$BATS_TEST_TMPDIR/created")" -eq 2 ]
	[ "$(json '.objects[1]' <"$BATS_TEST_TMPDIR/created")" = \
		"$lender/.git/objects" ]
	bind=$BATS_TEST_TMPDIR/$'odd\\:\n"\\\\/shared/.git/objects'
	bind+=:/run/chock/objects:ro
	[ "$(json '.bind[0]' <"$BATS_TEST_TMPDIR/created")" = "$bind" ]
	[ "$(cat "$copy/.git/objects/info/alternates")" = \
		$'"/run/chock/objects"\n"/run/chock/objects-2"' ]
	diff -r --exclude=.git "$project" "$copy"
}

# outside - the stores that the note says are not the project's own
outside() {
	begin
	json .note <"$BATS_TEST_TMPDIR/created" | tr ';' '\n' |
		sed -n "s/.*outside of the project, in '\(.*\)', can be read$/\1/p"
	"$workspace" clear --workspace "$w" >/dev/null
}

@test "names the objects that lie outside of the project" {
	local other=$BATS_TEST_TMPDIR/other
	new_project "$other"
	[ -z "$(outside)" ]
	printf '%s\n' "$other/.git/objects" >"$project/.git/objects/info/alternates"
	[ "$(outside)" = "$other/.git/objects" ]
	rm "$project/.git/objects/info/alternates"
	mv "$project/.git/objects" "$BATS_TEST_TMPDIR/objects"
	ln -s "$BATS_TEST_TMPDIR/objects" "$project/.git/objects"
	[ "$(outside)" = "$BATS_TEST_TMPDIR/objects" ]
	# A repository of which the project only says that it is its own.
	rm -r "$project/.git"
	printf 'gitdir: %s\n' "$other/.git" >"$project/.git"
	[ "$(outside)" = "$other/.git/objects" ]
	rm "$project/.git"
	mkdir -p "$project/.git/refs"
	printf 'ref: refs/heads/main\n' >"$project/.git/HEAD"
	printf '%s\n' "$other/.git" >"$project/.git/commondir"
	printf '%s\n' "$project/.git" >"$project/.git/gitdir"
	[ "$(outside)" = "$other/.git/objects" ]
	# And those that name it as theirs.
	git -C "$other" worktree add -q -b side "$BATS_TEST_TMPDIR/side" \
		2>/dev/null
	project=$BATS_TEST_TMPDIR/side
	[ -z "$(outside)" ]
	new_super "$BATS_TEST_TMPDIR/super"
	project=$BATS_TEST_TMPDIR/super/sub
	[ -z "$(outside)" ]
}

@test "lends nothing that is no store of git's objects" {
	local keys=$BATS_TEST_TMPDIR/keys
	local list=$project/.git/objects/info/alternates
	mkdir "$keys"
	printf 'SECRETKEY\n' >"$keys/id"
	printf '%s\n' "$keys" >"$list"
	git -C "$project" count-objects -v | grep -q "alternate: $keys"
	refused "'$keys', which is no store of git's: it holds 'id'"
	mkdir "$keys/pack" "$keys/info" "$keys/0f"
	refused "it holds 'id'"
	mv "$keys/id" "$keys/pack"
	refused "it holds 'id'"
	mv "$keys/pack/id" "$keys/pack/pack-id"
	[ "$(outside)" = "$keys" ]
	mv "$keys/pack" "$keys/packs"
	ln -s packs "$keys/pack"
	refused "which is no store of git's"
	rm -r "$list" "$keys/pack" "$keys/info" "$keys/0f"
	mv "$project/.git/objects" "$BATS_TEST_TMPDIR/objects"
	mv "$BATS_TEST_TMPDIR/objects/"* "$keys"
	ln -s "$keys" "$project/.git/objects"
	git -C "$project" log -1
	refused "which is no store of git's: it holds 'packs'"
}

@test "lends no objects of another user" {
	[ "$(id -u)" -eq 0 ] || skip "only root can give files away"
	local other=$BATS_TEST_TMPDIR/other
	new_project "$other"
	chown 65534 "$other/.git/objects"
	printf '%s\n' "$other/.git/objects" >"$project/.git/objects/info/alternates"
	refused "'$other/.git/objects', which is another user's"
	chown 0 "$other/.git/objects"
	[ "$(outside)" = "$other/.git/objects" ]
}

@test "refuses the kinds of project that it cannot copy, by name" {
	git -C "$project" symbolic-ref HEAD refs/chock/x
	refused 'no branch'
	printf '%040d\n' 1 >"$project/.git/HEAD"
	refused 'no commit'
	printf 'ref: refs/heads/main\n' >"$project/.git/HEAD"
	truncate -s $(((16 << 20) + 1)) "$project/.git/info/exclude"
	refused "info/exclude"
}

@test "takes no directory that a repository only names for its working tree" {
	git -C "$project" config core.worktree ../..
	[ "$(git -C "$project" rev-parse --show-toplevel)" = "$BATS_TEST_TMPDIR" ]
	refused 'no .git that leads back to it'
	run -100 --separate-stderr "$workspace" root "$project"
	[[ $stderr == *"its core.worktree is '$BATS_TEST_TMPDIR', which "* ]]
	git init -q "$BATS_TEST_TMPDIR"
	refused 'no .git that leads back to it'
	rm -r "$BATS_TEST_TMPDIR/.git"
	git -C "$project" config core.worktree ..
	begin
	diff -r --exclude=.git "$project" "$copy"
}

@test "asks git whose repositories the caller trusts" {
	[ "$(id -u)" -eq 0 ] || skip "only root can give files away"
	chown -R 65534 "$project"
	refused 'dubious ownership'
	git config --global --add safe.directory "$project"
	git -C "$project" log -1 >/dev/null
	before "$project"
	begin
	unchanged "$project"
	# A project cannot vouch for itself.
	git config --global --unset-all safe.directory
	git config -f "$project/.git/config" safe.directory '*'
	rm -rf "$w"
	refused 'dubious ownership'
}

@test "never makes a workspace in its project, or where something is" {
	before "$project"
	for path in "$project/w" "$project/.git/w" "$project/dir/../w" \
		"$project/dir" "$BATS_TEST_TMPDIR/none/w" \
		"$BATS_TEST_TMPDIR/x/.." "$BATS_TEST_TMPDIR"; do
		status=0
		"$workspace" create --session s1 --workspace "$path" \
			"$project" 2>"$BATS_TEST_TMPDIR/err" || status=$?
		[ "$status" -eq 100 ] || [ "$status" -eq 111 ]
		[ "$(grep -c . "$BATS_TEST_TMPDIR/err")" -eq 1 ]
	done
	ln -s "$project" "$BATS_TEST_TMPDIR/link"
	run -100 "$workspace" create --session s1 \
		--workspace "$BATS_TEST_TMPDIR/link/w" "$project"
	unchanged "$project"
}

@test "leaves nothing behind when it fails half way" {
	blob=$(git -C "$project" rev-parse HEAD:file)
	rm -f "$project/.git/objects/${blob::2}/${blob:2}"
	refused "$blob"
}

@test "clears a workspace, whatever a sandbox left in it" {
	begin
	(
		cd "$copy" || exit
		for ((i = 0; i < 40; i++)); do
			mkdir -p d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d || exit
			mv d "$copy/e" && mkdir -p d/d/d/d/d/d/d/d/d/d &&
				mv "$copy/e" d/d/d/d/d/d/d/d/d/d/d || exit
		done
	)
	mkdir "$copy/closed"
	touch "$copy/closed/file"
	chmod 0 "$copy/closed"
	ln -s "$project" "$copy/link"
	mkfifo "$copy/fifo"
	before "$project"
	"$workspace" clear --workspace "$w"
	[ ! -e "$w" ]
	unchanged "$project"
}

@test "clears nothing but a workspace" {
	begin
	mkdir -m 700 "$BATS_TEST_TMPDIR/mine"
	touch "$BATS_TEST_TMPDIR/mine/file"
	before "$project" "$BATS_TEST_TMPDIR/mine" "$w"
	for path in "$project" "$BATS_TEST_TMPDIR/mine" "$copy" / "$HOME"; do
		run -100 --separate-stderr "$workspace" clear --workspace "$path"
		[[ $stderr == *"is not a workspace of chock" ]]
	done
	run -100 "$workspace" clear --workspace "$BATS_TEST_TMPDIR/none"
	unchanged "$project" "$BATS_TEST_TMPDIR/mine" "$w"
	printf '{"version":1}\n' >"$BATS_TEST_TMPDIR/mine/state"
	run -100 "$workspace" clear --workspace "$BATS_TEST_TMPDIR/mine"
	[ -e "$BATS_TEST_TMPDIR/mine/file" ]
}

@test "does not use a workspace for another project in the same place" {
	begin
	mv "$project" "$project.away"
	new_project "$project"
	mkdir "$BATS_TEST_TMPDIR/sub"
	git init -q --separate-git-dir "$BATS_TEST_TMPDIR/git" "$project"
	run -100 --separate-stderr "$workspace" question --workspace "$w"
	[[ $stderr == *"not the project"* ]]
}
