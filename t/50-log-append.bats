#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# chock-log-append: nothing is acknowledged that is not in the log, what is in
# the log shows where it was touched, and one writer at a time holds it.

load lib/chock

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	log=$BATS_TEST_TMPDIR/s.jsonl
	call='{"id":"1","tool":"ls"}'
}

append() {
	chock-log-append -f "$log" "$@"
}

# hash_of LINE - the hash that line LINE of the log has
hash_of() {
	sed -n "$1p" "$log" | tr -d '\n' | sha256sum | cut -d ' ' -f 1
}

# calls COUNT - so many records
calls() {
	seq "$1" | sed 's/.*/{"id":"&","tool":"ls"}/'
}

whole() {
	run -0 chock-log-verify "$@"
}

@test "answers with the number and the hash of the line it wrote" {
	run -0 append <<<"$call"
	[ "$output" = "{\"seq\":1,\"hash\":\"$(hash_of 1)\"}" ]
}

@test "chains each line to the one before it and the first to the session" {
	run -0 append --session abc < <(calls 3)
	[ "$(sed -n 1p "$log" | json .prev)" = \
		"$(printf abc | sha256sum | cut -d ' ' -f 1)" ]
	[ "$(sed -n 2p "$log" | json .prev)" = "$(hash_of 1)" ]
	[ "$(sed -n 3p "$log" | json .prev)" = "$(hash_of 2)" ]
	[ "$(json .seq <"$log" | tr '\n' ' ')" = '1 2 3 ' ]
}

@test "stamps each line with the time in UTC and milliseconds" {
	run -0 append <<<"$call"
	[[ $(json .time <"$log") =~ ^20[0-9-]{8}T[0-9:]{8}\.[0-9]{3}Z$ ]]
}

@test "goes on where the log that it finds ends" {
	run -0 append <<<"$call"
	run -0 append <<<"$call"
	[ "$(json .seq <<<"$output")" -eq 2 ]
	whole "$log"
}

@test "keeps the bytes of a record as they came" {
	record='{"x":1.10,"tool":"\u00e9\/", "big":12345678901234567 , "e":{}}'
	run -0 append <<<"$record"
	[[ $(cat "$log") == *",\"kind\":\"call\",${record#\{}" ]]
}

@test "passes the record on with number and hash put in, with --tee" {
	run -0 append --tee <<<'{"tool":"ls","x":1.10}'
	[ "$output" = \
		"{\"tool\":\"ls\",\"x\":1.10,\"seq\":1,\"hash\":\"$(hash_of 1)\"}" ]
}

@test "passes the record on untouched with --no-receipt" {
	run -0 append --tee --no-receipt <<<' {"tool":"ls","x":1.10} '
	[ "$output" = ' {"tool":"ls","x":1.10} ' ]
	whole "$log"
}

@test "lets one pipe write two logs when the first adds no receipt" {
	append --tee --no-receipt <<<"$call" >between
	run -0 chock-log-append -f two.jsonl <between
	whole "$log" two.jsonl
}

@test "tells a record's kind by its fields" {
	while read -r kind record; do
		rm -f s.*
		run -0 append <<<"$record"
		[ "$(json .kind <"$log")" = "$kind" ]
	done <<-'EOF'
		result {"tool":"t","decision":"allow","result":{}}
		decision {"tool":"t","decision":"allow"}
		call {"tool":"t"}
		ask {"action":"net.connect"}
		restrict {"restrict":{"action":"git.*"}}
		answer {"kind":"answer","tool":"t"}
		error {"error":"x","line":3}
	EOF
}

@test "takes the kind that --kind says where the record says none" {
	run -0 append --kind session.start <<<'{}'
	[ "$(json .kind <"$log")" = session.start ]
	run -0 append --kind session.start <<<'{"kind":"session.start"}'
	[ "$(grep -o '"kind"' <"$log" | wc -l)" -eq 2 ]
}

@test "passes an error line on as it is, and logs it as one" {
	error='{"error":"not a record","line":7}'
	run -0 append --tee --kind decision <<<"$error"
	[ "$output" = "$error" ]
	[ "$(json .kind <"$log")" = error ]
}

@test "logs what widens by --kind widen alone, once it is lifted" {
	for lifted in '' ',"lifted":1'; do
		for own in '' ',"kind":"widen"'; do
			rm -f s.*
			record='{"id":1,"widen":{"action":"git.*"}'$lifted$own'}'
			run -100 append <<<"$record"
			[ "$(json .error <<<"$output")" = 'what widens is logged by --kind widen alone' ]
			[ ! -s "$log" ]
			run append --kind widen <<<"$record"
			[ "$status" -eq "$([ "$lifted" ] && echo 0 || echo 100)" ]
		done
	done
	[ "$(json .kind <"$log")" = widen ]
	run -100 append --kind widen <<<'{"lifted":1}'
}

@test "gives the id of a record that it refuses back" {
	run -100 append <<<'{"id":"a b","kind":"No Kind"}'
	[ "$(json .id <<<"$output")" = 'a b' ]
	run -100 append <<<'{"id":"a b"'
	[ "$(json 'keys|join(",")' <<<"$output")" = error,line ]
}

@test "refuses a record that cannot be logged, and goes on with the next" {
	while IFS= read -r record; do
		rm -f s.*
		run -100 append <<<"$record"$'\n'"$call"
		[ "$(json 'keys|join(",")' <<<"${lines[0]}")" = error,line ]
		[ "$(json .line <<<"${lines[0]}")" -eq 1 ]
		[ "$(json .seq <<<"${lines[1]}")" -eq 1 ]
		[ "$(wc -l <"$log")" -eq 1 ]
	done <<-'EOF'

		null
		[1]
		{"tool":"x"
		{"tool":"x"} {}
		{"tool":"x","tool":"y"}
		{"tool":"x","seq":1}
		{"tool":"x","time":""}
		{"tool":"x","prev":null}
		{"n":1}
		{}
		{"kind":7}
		{"kind":"Not A Kind"}
		{"kind":"log.recovered"}
		{"kind":"log.anchor","found":"all"}
	EOF
}

@test "refuses a record whose kind is not the one that --kind says" {
	run -100 append --kind answer <<<'{"kind":"widen"}'
	[ ! -s "$log" ]
}

@test "refuses with --tee a record that has a hash already" {
	run -0 append <<<'{"tool":"x","hash":"h"}'
	run -100 append --tee <<<'{"tool":"x","hash":"h"}'
	run -0 append --tee --no-receipt <<<'{"tool":"x","hash":"h"}'
	[ "$(wc -l <"$log")" -eq 2 ]
}

# A record of just LEN bytes.
record_of() {
	printf '{"tool":"%*s"}\n' $(($1 - 11)) ''
}

@test "takes a record of 1048320 bytes and refuses one more" {
	record_of 1048320 >fits.in
	record_of 1048321 >over.in
	[ "$(wc -c <fits.in)" -eq 1048321 ]
	run -0 append <fits.in
	run -100 append <over.in
	[[ $(json .error <<<"$output") == *'1048320 bytes'* ]]
	record_of 1100000 >long
	run -100 append < <(cat long && calls 1)
	[ "$(json .seq <<<"${lines[1]}")" -eq 2 ]
	whole "$log"
}

@test "refuses a line that the input cuts off" {
	run -100 append < <(printf '%s\n{"tool":' "$call")
	[ "$(json .line <<<"${lines[1]}")" -eq 2 ]
	[ "$(wc -l <"$log")" -eq 1 ]
}

@test "makes the log for its owner alone, whatever the umask says" {
	run -0 bash -c 'umask 0; chock-log-append -f s.jsonl' <<<"$call"
	[ "$(stat -c %a s.jsonl s.head | tr '\n' ' ')" = '600 600 ' ]
}

@test "refuses a log that others may write to" {
	run -0 append <<<"$call"
	chmod 620 "$log"
	run -100 append <<<"$call"
	[ "$(wc -l <"$log")" -eq 1 ]
}

@test "follows no symbolic link" {
	: >target
	for link in s.jsonl s.head; do
		ln -s target "$link"
		run -100 append <<<"$call"
		rm -f s.*
	done
	[ ! -s target ]
}

@test "refuses what is not a regular file, without waiting for it" {
	mkfifo s.jsonl
	run -100 --separate-stderr append <<<"$call"
	# shellcheck disable=SC2154
	[[ $stderr == "chock-log-append: "*"is not a regular file" ]]
}

@test "makes no directories" {
	run -100 chock-log-append -f no/s.jsonl <<<"$call"
	[ ! -e no ]
}

@test "keeps a log under a name that is not text" {
	name=$'a \n\xff:.jsonl'
	run -0 chock-log-append -f "$name" <<<"$call"
	whole "$name"
	run -0 chock-log-append -f "$name" <<<"$call"
	[ -e $'a \n\xff:.head' ]
}

# ---- the lock ----

@test "lets one writer at a time hold a log" {
	mkfifo in out
	append <in >out &
	exec 5>in 6<out
	echo "$call" >&5
	read -r _ <&6
	run -111 --separate-stderr append <<<"$call"
	[[ $stderr == *'another writer holds it' ]]
	exec 5>&- 6<&-
	wait $!
	run -0 append <<<"$call"
	[ "$(json .seq <<<"$output")" -eq 2 ]
}

@test "takes the lock again through a descriptor that holds it" {
	exec 9<>"$log"
	for n in 1 2 3; do
		run -0 chock-log-append --log-fd 9 --session s <<<"$call"
		[ "$(json .seq <<<"$output")" -eq "$n" ]
	done
	run -111 append <<<"$call"
	[ "$(stat -c %a "$log")" = 600 ]
	exec 9>&-
	run -0 append <<<"$call"
	whole "$log"
}

@test "lets two writers that share the lock write in turns" {
	exec 9<>"$log"
	calls 300 >in
	chock-log-append --log-fd 9 --session s <in >one &
	chock-log-append --log-fd 9 --session s <in >two
	wait $!
	exec 9>&-
	[ "$(wc -l <"$log")" -eq 600 ]
	[ "$(cat one two | json .seq | sort -n | uniq | wc -l)" -eq 600 ]
	while read -r seq hash; do
		[ "$hash" = "$(hash_of "$seq")" ]
	done < <(sed -n 150,155p one | json '"\(.seq) \(.hash)"')
	whole "$log"
}

@test "wants the session's id with a descriptor" {
	exec 9<>"$log"
	run -100 chock-log-append --log-fd 9 <<<"$call"
	run -100 chock-log-append --log-fd 9 --session s -f "$log" <<<"$call"
	run -100 chock-log-append <<<"$call"
	exec 9>&-
	[ ! -s "$log" ]
}

@test "refuses a descriptor that is no file" {
	mkfifo pipe
	exec 9<>pipe
	run -100 chock-log-append --log-fd 9 --session s <<<"$call"
	exec 9>&-
}

@test "takes an id of 255 bytes and refuses one more" {
	id=$(printf '%255s' '')
	run -0 append --session "$id" <<<"$call"
	whole --session "$id" "$log"
	run -100 append --session "$id " <<<"$call"
	run -100 append --session '' <<<"$call"
}

# ---- durability ----

# What looks for leaks in a build with sanitizers would be a second tracer.
traced() {
	ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 strace "$@"
}

can_strace() {
	traced -o /dev/null chock-log-append --version >/dev/null 2>&1
}

# What it does to the log and its answers: writes, syncs and answers.  It
# goes by descriptors, for what is in the memory of a program that confined
# itself is not shown to who traces it.
acts() {
	local fd
	traced -qq -o trace -e trace=openat,pwrite64,fdatasync,write \
		chock-log-append -f "$log" >/dev/null
	fd=$(sed -n 's/^openat(.*"s.jsonl".* = \([0-9]*\)$/\1/p' trace)
	sed -n -e "s/^pwrite64($fd,.*/w/p" -e "s/^fdatasync($fd).*/s/p" \
		-e 's/^write(1, .*/a/p' trace | tr -d '\n'
}

@test "has a line on the disk before it answers" {
	require strace
	run -0 acts <<<"$call"
	[[ $output == *wsa* ]]
	run -0 acts <<<'{"decision":"deny","rule":"P:1"}'
	[[ $output == *wsa* ]]
	run -0 acts <<<'{"decision":"allow","by":"person","rule":"P:1"}'
	[[ $output == *wsa* ]]
	run -0 acts <<<'{"decision":"allow","by":"session","rule":"P:1"}'
	[[ $output == *wsa* ]]
	run -0 acts <<<'{"decision":"allow"}'
	[[ $output == *wsa* ]]
}

@test "answers a plain allow by a rule first, and syncs before it ends" {
	require strace
	for by in '' ',"by":"rule"'; do
		run -0 acts <<<"{\"decision\":\"allow\",\"rule\":\"P:1\"$by}"
		[[ $output == *was* ]]
	done
}

@test "puts the lines that are at hand on the disk together" {
	require strace
	calls 50 >in
	run -0 acts <in
	[[ $output == *wsa* ]]
	[ "$(tr -dc w <<<"$output")" = w ]
}

@test "answers each line at once where no other is at hand" {
	mkfifo in out
	append <in >out &
	exec 5>in 6<out
	for n in 1 2 3; do
		echo "$call" >&5
		read -r answer <&6
		[ "$(json .seq <<<"$answer")" -eq "$n" ]
		[ "$(wc -l <"$log")" -eq "$n" ]
	done
	exec 5>&- 6<&-
	wait $!
}

# Each answer in FILE is of a line that is in the log.
answered() {
	local seq hash
	while read -r seq hash; do
		[ "$hash" = "$(hash_of "$seq")" ]
	done < <(sed -n '1p;$p' "$1" | json '"\(.seq) \(.hash)"')
	[ "$(wc -l <"$log")" -ge "$(wc -l <"$1")" ]
}

@test "stops where the file may not grow, and keeps what it answered" {
	calls 100 >in
	for n in 1 2 3 4; do
		head -n $((n * 10)) in >some
		run -111 --separate-stderr bash -c \
			'ulimit -f 6; while cat some; do :; done 2>/dev/null |
			chock-log-append -f s.jsonl >out'
		[[ $stderr == 'chock-log-append: cannot write to the log: '* ]]
		answered out
		whole "$log"
		rm -f s.*
	done
}

@test "stops on a full disk, and keeps what it answered" {
	require userns
	calls 2000 >in
	mkdir disk
	run -0 unshare --user --map-root-user --mount bash -c '
		mount -t tmpfs -o size=64k tmpfs disk && cd disk || exit 1
		chock-log-append -f s.jsonl <../in >../out
		[ $? -eq 111 ] || exit 2
		chock-log-verify s.jsonl >../verdict || exit 3
		cp s.jsonl ..'
	answered out
	[[ $(cat verdict) == whole:* ]]
}

@test "keeps what it answered when it is killed" {
	mkfifo out
	for n in 1 200 900; do
		calls 1000 >in
		cat in in in in | append >out &
		exec 6<out
		head -n "$n" <&6 >answers
		kill -KILL $!
		exec 6<&-
		status=0
		wait $! || status=$?
		[ "$status" -eq 137 ]
		head -n "$n" answers >out.first
		answered out.first
		whole "$log"
		run -0 append <<<"$call"
		whole "$log"
		rm -f s.*
	done
}

@test "anchors what it answered when nobody reads its answers" {
	calls 5000 >in
	run -111 bash -c 'set -o pipefail
		chock-log-append -f s.jsonl <in | head -n 1 >/dev/null'
	whole "$log"
}

# ---- a torn tail ----

@test "moves a torn last line aside and says so" {
	run -0 append < <(calls 2)
	size=$(stat -c %s "$log")
	printf '{"seq":3,"ti' >>"$log"
	run -0 append <<<"$call"
	[ "$(json .seq <<<"$output")" -eq 4 ]
	[ "$(cat s.torn)" = '{"seq":3,"ti' ]
	[ "$(sed -n 3p "$log" |
		json '"\(.kind) \(.bytes) \(.offset) \(.to) \(.to_offset)"')" = \
		"log.recovered 12 $size s.torn 0" ]
	whole "$log"
	[ "$(stat -c %a s.torn)" = 600 ]
}

@test "moves a last line aside that has a newline and is not JSON" {
	run -0 append < <(calls 2)
	printf '{"seq":3,"ti\n' >>"$log"
	run -0 append <<<"$call"
	[ "$(sed -n 3p "$log" | json .kind)" = log.recovered ]
	[ "$(cat s.torn)" = '{"seq":3,"ti' ]
	whole "$log"
}

@test "moves a last line aside that is cut behind its chain" {
	run -0 append < <(calls 2)
	sed 's/"tool.*//; s/"seq":1/"seq":3/' <<<"$(sed -n 1p "$log")" |
		sed "s/prev\":\"[0-9a-f]*/prev\":\"$(hash_of 2)/" >cut.in
	cat cut.in >>"$log"
	run -0 append <<<"$call"
	[ "$(sed -n 3p "$log" | json .kind)" = log.recovered ]
	cmp cut.in s.torn
	whole "$log"
}

@test "moves zeros aside, many of them, behind what is there already" {
	run -0 append < <(calls 2)
	for n in 0 1; do
		head -c 3000000 /dev/zero >>"$log"
		run -0 append </dev/null
		[ "$(tail -n 1 "$log" | json .to_offset)" -eq $((n * 3000000)) ]
	done
	[ "$(stat -c %s s.torn)" -eq 6000000 ]
	[ "$(stat -c %s "$log")" -lt 2000 ]
	whole "$log"
}

@test "recovers a log of which nothing but a torn line is there" {
	printf '{"se' >"$log"
	chmod 600 "$log"
	run -0 append <<<"$call"
	[ "$(sed -n 1p "$log" | json .kind)" = log.recovered ]
	whole "$log"
}

# ---- a log that was touched ----

# touched SED - the log of five lines, changed by SED, is refused as it is
touched() {
	rm -f s.*
	append < <(calls 5) >/dev/null
	sed -i "$1" "$log"
	cp "$log" before
	run -100 append <<<"$call"
	cmp "$log" before
	[ ! -e s.torn ]
}

@test "refuses a log that was changed, and leaves it alone" {
	touched '2s/ls/rm/'
	touched '2d'
	touched '2{h;d};3{G}'
	touched '3p'
	touched '5s/ls/rm/'
	touched '5d'
	touched '4,5d'
	touched '1,5d'
	touched '5s/.*/garbage/'
	touched '2s/.*/garbage/'
	touched '3s/"seq":3/"seq":4/'
}

@test "refuses a log of another session" {
	run -0 append <<<"$call"
	run -100 append --session t <<<"$call"
	: >"$log"
	run -100 append --session t <<<"$call"
	[ ! -s "$log" ]
}

@test "says in the log that it found no anchor" {
	run -0 append < <(calls 3)
	rm s.head
	run -0 append <<<"$call"
	[ "$(sed -n 4p "$log" | json '"\(.kind) \(.found)"')" = \
		'log.anchor none' ]
	run -1 chock-log-verify "$log"
	[[ $output == 'unanchored: 5 lines, '* ]]
}

# ---- the anchor ----

anchored() {
	json .count <s.head | sort -n | tail -n 1
}

@test "anchors at the start, every 64 events, and at the end" {
	mkfifo in out
	append <in >out &
	exec 5>in 6<out
	echo "$call" >&5
	read -r _ <&6
	[ "$(anchored)" -eq 0 ]
	for ((n = 2; n <= 64; n++)); do
		echo "$call" >&5
		read -r _ <&6
	done
	[ "$(anchored)" -eq 64 ]
	echo "$call" >&5
	read -r _ <&6
	[ "$(anchored)" -eq 64 ]
	exec 5>&- 6<&-
	wait $!
	[ "$(anchored)" -eq 65 ]
}

@test "anchors before it logs that work is applied" {
	mkfifo in out
	append <in >out &
	exec 5>in 6<out
	for record in "$call" "$call" '{"kind":"workspace.apply"}'; do
		echo "$record" >&5
		read -r _ <&6
	done
	[ "$(anchored)" -eq 2 ]
	exec 5>&- 6<&-
	wait $!
}

# ---- the call ----

@test "refuses a call that is wrong" {
	run -100 append --kind 'Not A Kind' <<<"$call"
	run -100 append --kind log.anchor <<<"$call"
	run -100 append --kind '' <<<"$call"
	run -100 append --no-receipt <<<"$call"
	run -100 append more <<<"$call"
	run -100 append --log-fd 99 --session s <<<"$call"
	[ ! -e "$log" ]
}

@test "shows foreign bytes of a name as question marks" {
	run -100 --separate-stderr chock-log-append -f $'/no/\e]0;owned\a'
	[[ $stderr == *"'/no/?]0;owned?': "* ]]
}
