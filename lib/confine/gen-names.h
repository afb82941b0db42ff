/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CONFINE_GEN_NAMES_H
#define CHOCK_CONFINE_GEN_NAMES_H

/*
 * gen-names - names, numbers and room of calls, for confine/gen-filters.c
 *
 * Part of a program of the build: what is wrong with a list ends it.
 */

#include <linux/bpf_common.h>
#include <stdbool.h>
#include <stddef.h>

#define GEN_NUMBERS 1024 /* more than any machine has calls */
#define GEN_ROWS_MAX 32  /* of one call */
#define GEN_RANGES_MAX GEN_NUMBERS
#ifndef GEN_CODE_MAX /* a test has less */
#define GEN_CODE_MAX BPF_MAXINSNS
#endif
#ifndef GEN_JUMP_MAX
#define GEN_JUMP_MAX 255 /* a conditional jump's offset has 8 bits */
#endif
#define GEN_NAME_ROOM 64

/* gen_give_up - say what is wrong with @name, and fail the build */
void gen_give_up(const char *what, const char *name) __attribute__((noreturn));

/* gen_number - of the call @name; -2 where this machine does not have it */
int gen_number(const char *name);

/*
 * gen_next_name - put the next of @names, between blanks, into @name
 *
 * Returns what follows it, NULL at the end.
 */
const char *gen_next_name(const char *names, char *name, size_t room);

/* gen_is_among - whether @name is one of @names */
bool gen_is_among(const char *names, const char *name);

/* gen_strict - the names in row @i of confine/calls-strict.h, NULL behind it */
const char *gen_strict(size_t i);

/* gen_is_strict - whether @name is one of those */
bool gen_is_strict(const char *name);

#endif /* CHOCK_CONFINE_GEN_NAMES_H */
