#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# chock-log-seal, and what chock-log-verify makes of a seal.

load lib/chock

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export HOME=$BATS_TEST_TMPDIR XDG_DATA_HOME=$BATS_TEST_TMPDIR/data
	unset SSH_AUTH_SOCK
	seal=$CHOCK_BUILD/libexec/chock/chock-log-seal
	seq 1 8 | sed 's/.*/{"id":"&","tool":"ls"}/' >calls
	chock-log-append -f s.jsonl <calls >answers
}

# make_key NAME [OPTION...] - a key without a passphrase
make_key() {
	ssh-keygen -q -N '' -C test -f "$@"
}

# list_signer FILE KEY - FILE lists who has KEY as a signer
list_signer() {
	printf 'anna@example.org namespaces="chock-log" %s\n' "$(cat "$2.pub")" >"$1"
}

# verdict OPTION... LOG - what chock-log-verify says and the status it leaves with
verdict() {
	run chock-log-verify --json "$@"
	[ -n "$output" ]
	printf '%s %s' "$(json .verdict <<<"${lines[0]}")" "$status"
}

# append LOG - the session goes on
append() {
	chock-log-append -f "$1" <calls >answers
}

# ---- sealing ------------------------------------------------------------

@test "seals a log that is whole, by a key of its own that it makes" {
	run -0 --separate-stderr "$seal" s.jsonl
	[ "$(json '"\(.log) \(.session) \(.count)"' <<<"$output")" = 's.jsonl s 8' ]
	# shellcheck disable=SC2154
	[[ $stderr == *"made the key '$XDG_DATA_HOME/chock/keys/log'"* ]]
	[ "$(stat -c %a data/chock/keys data/chock/keys/log | xargs)" = '700 600' ]
	key=$(json .key <<<"$output")
	[[ $key == 'ED25519 SHA256:'* ]]
	run -0 chock-log-verify s.jsonl
	[[ $output == "sealed: 8 lines, head "*": s.jsonl: sealed 20"*"Z by $key" ]]
	run -0 --separate-stderr "$seal" s.jsonl
	[ -z "$stderr" ]
	[ "$(json .key <<<"$output")" = "$key" ]
}

@test "is checked by who has ssh-keygen and nothing else" {
	"$seal" s.jsonl
	list_signer signers data/chock/keys/log
	run -0 ssh-keygen -Y verify -n chock-log -f signers -I anna@example.org \
		-s s.seal.sig <s.seal
	[ "$(json '"\(.session) \(.count) \(.head)"' <s.seal)" = \
		"s 8 $(tail -n 1 s.jsonl | tr -d '\n' | sha256sum | cut -d ' ' -f 1)" ]
}

@test "signs by the key that it is told, also one of RSA and of ECDSA" {
	for type in ed25519 ecdsa rsa; do
		make_key "a $type" -t "$type"
		run -0 --separate-stderr "$seal" --key "a $type" s.jsonl
		[ -z "$stderr" ]
		[[ $(json .key <<<"$output") == "${type^^} SHA256:"* ]]
		[ "$(verdict s.jsonl)" = 'sealed 0' ]
	done
	[ ! -e data ]
}

@test "signs by the key that an agent has" {
	make_key k -t ed25519
	eval "$(ssh-agent -s)"
	ssh-add -q k
	rm k
	run "$seal" --key k.pub s.jsonl
	kill "$SSH_AGENT_PID"
	[ "$status" -eq 0 ]
	[ "$(verdict s.jsonl)" = 'sealed 0' ]
}

@test "seals no session that runs" {
	exec 9<>s.jsonl
	chock-log-append --log-fd 9 --session s <calls >answers
	run -1 --separate-stderr "$seal" s.jsonl
	[ "$stderr" = "chock-log-seal: cannot seal 's.jsonl': its session runs" ]
	[ ! -e s.seal ]
	exec 9>&-
	"$seal" s.jsonl
}

@test "seals nothing that is not whole, and says what it is" {
	"$seal" s.jsonl
	rm s.seal s.seal.sig
	cp s.head head
	sed -i 8d s.jsonl
	run -1 --separate-stderr "$seal" s.jsonl
	[ "$stderr" = "chock-log-seal: cannot seal 's.jsonl': it is cut: it had 8 lines, as its anchor says" ]
	rm s.head
	run -1 --separate-stderr "$seal" s.jsonl
	[[ $stderr == *": it is unanchored: it has no whole anchor" ]]
	sed -i 3d s.jsonl
	run -1 --separate-stderr "$seal" s.jsonl
	[[ $stderr == *": it is broken: "* ]]
	[ ! -e s.seal ]
	[ ! -e s.seal.sig ]
}

@test "seals several logs, and says no where one was not" {
	append t.jsonl
	append u.jsonl
	sed -i 8d t.jsonl
	run -1 --separate-stderr "$seal" s.jsonl t.jsonl u.jsonl
	[ "${#lines[@]}" -eq 2 ]
	[ "$(verdict s.jsonl)" = 'sealed 0' ]
	[ "$(verdict u.jsonl)" = 'sealed 0' ]
	[ "$(verdict t.jsonl)" = 'cut 1' ]
}

@test "makes no seal with a key that is none" {
	run -1 --separate-stderr "$seal" --key nowhere s.jsonl
	[[ $stderr == *"chock-log-seal: cannot sign with the key 'nowhere'" ]]
	echo garbage >garbage
	chmod 600 garbage
	run -1 --separate-stderr "$seal" --key garbage s.jsonl
	[ ! -e s.seal ]
	[ ! -e s.seal.sig ]
}

@test "keeps no key where others can write" {
	mkdir -p data/chock/keys
	chmod 777 data/chock/keys
	run -100 --separate-stderr "$seal" s.jsonl
	[[ $stderr == *"cannot keep a key in '$XDG_DATA_HOME/chock/keys': "* ]]
}

@test "with --require-card takes no key of software, and writes nothing" {
	run -1 --separate-stderr "$seal" --require-card s.jsonl
	[[ $stderr == *"' is on no FIDO token: it is ED25519 SHA256:"* ]]
	[ ! -e s.seal ]
	[ ! -e s.seal.sig ]
}

# string HEX - with its length in front, as ssh has it
string() {
	printf '%08x%s' $((${#1} / 2)) "$1"
}

# text TEXT - its bytes in hexadecimal digits
text() {
	printf '%s' "$1" | xxd -p | tr -d '\n'
}

hash() {
	xxd -r -p | sha256sum | cut -d ' ' -f 1
}

# token_sign FILE - what a FIDO token with the Ed25519 key in k.pem makes of FILE
# (PROTOCOL.sshsig and PROTOCOL.u2f of OpenSSH)
token_sign() {
	local type head application=ssh: flags=01 counter=00000007
	type=$(string "$(text sk-ssh-ed25519@openssh.com)")
	head=$(string "$(text chock-log)")$(string '')$(string "$(text sha256)")
	{
		text "$application" | hash
		printf '%s%s' "$flags" "$counter"
		printf '%s%s%s' "$(text SSHSIG)" "$head" \
			"$(string "$(sha256sum <"$1" | cut -d ' ' -f 1)")" | hash
	} | xxd -r -p >to-sign
	openssl pkeyutl -sign -rawin -inkey k.pem -in to-sign -out signed
	{
		printf -- '-----BEGIN SSH SIGNATURE-----\n'
		printf '%s00000001%s%s%s' "$(text SSHSIG)" \
			"$(string "$type$(string "$(openssl pkey -in k.pem \
				-pubout -outform DER | tail -c 32 | xxd -p |
				tr -d '\n')")$(string "$(text "$application")")")" \
			"$head" "$(string "$type$(string "$(xxd -p signed |
				tr -d '\n')")$flags$counter")" |
			xxd -r -p | base64 -w 70
		printf -- '-----END SSH SIGNATURE-----\n'
	} >"$1.sig"
}

@test "takes the seal of a FIDO token where a card is wanted" {
	"$seal" s.jsonl
	openssl genpkey -algorithm ed25519 -out k.pem
	token_sign s.seal
	run -0 chock-log-verify --require-seal --require-card s.jsonl
	[[ $output == *' by ED25519-SK SHA256:'* ]]
	sed -i 's/"count":8/"count":7/' s.seal
	[ "$(verdict s.jsonl)" = 'unsealed 1' ]
}

@test "seals a log under a name that is not text, and another id" {
	name=$'a \n\xff.jsonl'
	chock-log-append -f "$name" --session other <calls >answers
	run -1 "$seal" "$name"
	run -0 --separate-stderr "$seal" --session other "$name"
	[ "$(verdict --session other "$name")" = 'sealed 0' ]
}

@test "runs no ssh-keygen that was put first in PATH" {
	mkdir bin
	printf '#!/bin/sh\n: >%q\n' "$PWD/ran" >bin/ssh-keygen
	chmod +x bin/ssh-keygen
	PATH=$PWD/bin:$PATH "$seal" s.jsonl
	PATH=$PWD/bin:$PATH chock-log-verify s.jsonl
	[ ! -e ran ]
}

@test "refuses a call that is wrong" {
	run -100 "$seal"
	run -100 --separate-stderr "$seal" no.jsonl
	[[ $stderr == *"cannot open 'no.jsonl': No such file or directory" ]]
	run -100 chock-log-verify --require-card s.jsonl
}

# ---- what is made of a seal ---------------------------------------------

@test "finds a log that went on behind its seal whole, and tells how far it goes" {
	"$seal" s.jsonl
	append s.jsonl
	run -0 chock-log-verify s.jsonl
	[[ $output == "whole: 16 lines, "*": sealed to line 8 20"*" by ED25519 "* ]]
	[ "$(verdict --require-seal s.jsonl)" = 'unsealed 1' ]
	run chock-log-verify --require-seal s.jsonl
	[[ $output == *": its seal is of 8 lines only" ]]
	"$seal" s.jsonl
	[ "$(verdict --require-seal s.jsonl)" = 'sealed 0' ]
}

@test "finds a sealed log that was rewritten, anchor and all, broken or cut" {
	"$seal" s.jsonl
	cp s.seal seal
	cp s.seal.sig sig
	rm s.*
	sed 's/ls/rm/' calls | chock-log-append -f s.jsonl >answers
	[ "$(verdict s.jsonl)" = 'whole 0' ]
	cp seal s.seal
	cp sig s.seal.sig
	run -1 chock-log-verify s.jsonl
	[[ $output == 'broken at line 8: '*': not the line that the seal names' ]]
	rm s.jsonl s.head
	head -n 5 calls | chock-log-append -f s.jsonl >answers
	run -1 chock-log-verify s.jsonl
	[[ $output == 'cut: 5 lines, '*': it had 8 lines, as its seal says' ]]
}

@test "says no to a seal that nobody signed, or that was changed" {
	"$seal" s.jsonl
	cp s.seal seal
	sed -i 's/"count":8/"count":7/' s.seal
	[ "$(verdict s.jsonl)" = 'unsealed 1' ]
	cp seal s.seal
	echo >>s.seal
	[ "$(verdict s.jsonl)" = 'unsealed 1' ]
	: >s.seal
	[ "$(verdict s.jsonl)" = 'unsealed 1' ]
	head -c 100000 /dev/zero >s.seal
	[ "$(verdict s.jsonl)" = 'unsealed 1' ]
	cp seal s.seal
	mv s.seal.sig sig
	[ "$(verdict s.jsonl)" = 'unsealed 1' ]
	head -c 100000 /dev/urandom >s.seal.sig
	[ "$(verdict s.jsonl)" = 'unsealed 1' ]
	cp sig s.seal.sig
	[ "$(verdict s.jsonl)" = 'sealed 0' ]
}

@test "says no to what was signed for another purpose, or is no seal" {
	make_key k -t ed25519
	"$seal" --key k s.jsonl
	ssh-keygen -q -Y sign -n git -f k <s.seal >s.seal.sig
	[ "$(verdict s.jsonl)" = 'unsealed 1' ]
	sed -i 's/"count":8/"count": 8/' s.seal
	ssh-keygen -q -Y sign -n chock-log -f k <s.seal >s.seal.sig
	run -1 chock-log-verify s.jsonl
	[[ $output == unsealed:*': its seal is none' ]]
}

@test "says no to the seal of another session" {
	append t.jsonl
	"$seal" s.jsonl t.jsonl
	cp t.seal s.seal
	cp t.seal.sig s.seal.sig
	run -1 chock-log-verify s.jsonl
	[[ $output == unsealed:*": its seal is another session's" ]]
}

@test "says no to a seal that was taken away, where one is wanted" {
	"$seal" s.jsonl
	rm s.seal
	[ "$(verdict s.jsonl)" = 'whole 0' ]
	run -1 chock-log-verify --require-seal s.jsonl
	[[ $output == unsealed:*': it has no seal' ]]
}

@test "says no to a sealed log without its anchor" {
	"$seal" s.jsonl
	rm s.head
	[ "$(verdict s.jsonl)" = 'unanchored 1' ]
}

@test "says no to a key of software where a card is wanted" {
	"$seal" s.jsonl
	run -1 chock-log-verify --require-seal --require-card s.jsonl
	[[ $output == unsealed:*': its seal is by a key that is on no FIDO token' ]]
}

@test "takes with --signers only the seals of who is listed, and names them" {
	make_key k -t ed25519
	make_key other -t ed25519
	list_signer signers k
	"$seal" --key k s.jsonl
	run -0 chock-log-verify --signers signers s.jsonl
	[[ $output == *' by anna@example.org, ED25519 SHA256:'* ]]
	run -0 chock-log-verify --json --signers signers s.jsonl
	[ "$(json '"\(.seal.signer) \(.seal.count)"' <<<"$output")" = 'anna@example.org 8' ]
	"$seal" --key other s.jsonl
	run -1 chock-log-verify --signers signers s.jsonl
	[[ $output == unsealed:*": its seal is by nobody whom 'signers' lists" ]]
	"$seal" --key k s.jsonl
	sed -i 's/chock-log/git/' signers
	[ "$(verdict --signers signers s.jsonl)" = 'unsealed 1' ]
	run -100 --separate-stderr chock-log-verify --signers nowhere s.jsonl
	[[ $stderr == *"cannot open 'nowhere': No such file or directory" ]]
}
