/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_PROBE_LAYERS_H
#define CHOCK_PROBE_LAYERS_H

/*
 * layers - each layer of a sandbox, tried on this machine
 *
 * The trials are what a run does, by the functions that a run uses, but for
 * what would leave something behind; and where a layer refuses an act, the
 * trial commits that act and wants to see it refused.
 */

#include "probe/trial.h"

struct layer_trial {
	const char *name;  /* as in the report of chock-spawn(1) */
	const char *means; /* what it holds */
	trial_fn *fn;      /* NULL: not used by this version */
	int abi;           /* of Landlock, that it takes; 0: none */
};

/* layer_trials - all of them; a row without a name ends the table */
extern const struct layer_trial layer_trials[];

#endif /* CHOCK_PROBE_LAYERS_H */
