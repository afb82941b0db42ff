/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_UNIT_FILTER_H
#define CHOCK_UNIT_FILTER_H

/*
 * filter - a filter on system calls, interpreted as the kernel does
 *
 * Only what confine/gen-filters.c makes: anything else ends the test.
 */

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* libseccomp has a function of that name too, which is not wanted here. */
#define seccomp_load libseccomp_load
#include <seccomp.h>
#undef seccomp_load

struct program {
	const struct sock_filter *code;
	size_t len;
};

static inline uint32_t filter_load(const struct seccomp_data *data, uint32_t at)
{
	uint32_t word;

	if (at > sizeof(*data) - sizeof(word) || at % sizeof(word))
		abort();
	memcpy(&word, (const char *)data + at, sizeof(word));
	return word;
}

static inline uint32_t filter_run(const struct program *program,
				  const struct seccomp_data *data, int *steps)
{
	const struct sock_filter *code = program->code;
	const struct sock_filter *end = code + program->len;
	uint32_t a = 0;
	int count = 0;

	for (; code < end; code++) {
		count++;
		if (code->code == (BPF_LD | BPF_W | BPF_ABS))
			a = filter_load(data, code->k);
		else if (code->code == (BPF_ALU | BPF_AND | BPF_K))
			a &= code->k;
		else if (code->code == (BPF_JMP | BPF_JA))
			code += code->k;
		else if (code->code == (BPF_JMP | BPF_JEQ | BPF_K))
			code += a == code->k ? code->jt : code->jf;
		else if (code->code == (BPF_JMP | BPF_JGE | BPF_K))
			code += a >= code->k ? code->jt : code->jf;
		else if (code->code == (BPF_JMP | BPF_JSET | BPF_K))
			code += a & code->k ? code->jt : code->jf;
		else if (code->code == (BPF_RET | BPF_K))
			break;
		else
			abort();
	}
	if (code >= end)
		abort();
	if (steps)
		*steps = count;
	return code->k;
}

static inline uint32_t filter_answer(const struct program *program,
				     uint32_t number, const uint64_t *args)
{
	struct seccomp_data data = { .nr = (int)number,
				     .arch = seccomp_arch_native() };

	if (args)
		memcpy(data.args, args, sizeof(data.args));
	return filter_run(program, &data, NULL);
}

#endif /* CHOCK_UNIT_FILTER_H */
