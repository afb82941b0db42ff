/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_HELPERS_ACT_H
#define CHOCK_HELPERS_ACT_H

/*
 * act - what the sources of helpers/act share; see helpers/act.c
 *
 * An act takes its words, ended by NULL, and returns whether it got through,
 * with errno set if it did not.  What it cannot even begin, for a reason that
 * is not the one under test, it gives up with unmeasured().
 */

#include <stdbool.h>
#include <stdint.h>

/* act_number - @word, which is a number or -1 */
uint64_t act_number(const char *word);

/* act_call_number - of the call @name, which may be a number itself */
long act_call_number(const char *name);

/* unmeasured - end here with the status that is neither answer, and errno */
void unmeasured(const char *what) __attribute__((noreturn));

bool act_call(char **words);
bool act_on(char **words);
bool act_on_socket(char **words);

bool act_connect(char **words);
bool act_bind(char **words);
bool act_serve(char **words);
bool act_sockets(char **words);
bool act_send(char **words);
bool act_link_down(char **words);
bool act_interface(char **words);

bool act_exec_memfd(char **words);
bool act_foreign(char **words);
bool act_forks(char **words);
bool act_sigio(char **words);
bool act_write_code(char **words);
bool act_filtered(char **words);
bool act_listen(char **words);
bool act_ruled(char **words);
bool act_keyed(char **words);
bool act_find_key(char **words);
bool act_securebits(char **words);

#endif /* CHOCK_HELPERS_ACT_H */
