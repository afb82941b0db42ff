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

#include "confine/layer.h"
#include "probe/trial.h"

struct layer_trial {
	const char *means; /* what it holds */
	trial_fn *fn;
};

/* layer_trials - one for each layer */
extern const struct layer_trial layer_trials[LAYER_COUNT];

#endif /* CHOCK_PROBE_LAYERS_H */
