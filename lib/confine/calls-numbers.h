/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CONFINE_CALLS_NUMBERS_H
#define CHOCK_CONFINE_CALLS_NUMBERS_H

/*
 * calls-numbers - system calls that are newer than a libseccomp may be
 *
 * From 424 on a call has the same number on every machine; see
 * arch/x86/entry/syscalls/syscall_64.tbl and scripts/syscall.tbl of Linux.
 * Only confine/gen-names.c includes this.
 */

/* -2: not on this machine. */
#ifdef __x86_64__
#define X86_ONLY(number) (number)
#else
#define X86_ONLY(number) (-2)
#endif

static const struct call_number {
	const char *name;
	int number;
} newer_calls[] = {
	{ "uretprobe", X86_ONLY(335) },
	{ "uprobe", X86_ONLY(336) },
	{ "process_madvise", 440 },
	{ "epoll_pwait2", 441 },
	{ "mount_setattr", 442 },
	{ "quotactl_fd", 443 },
	{ "landlock_create_ruleset", 444 },
	{ "landlock_add_rule", 445 },
	{ "landlock_restrict_self", 446 },
	{ "memfd_secret", 447 },
	{ "process_mrelease", 448 },
	{ "futex_waitv", 449 },
	{ "set_mempolicy_home_node", 450 },
	{ "cachestat", 451 },
	{ "fchmodat2", 452 },
	{ "map_shadow_stack", 453 },
	{ "futex_wake", 454 },
	{ "futex_wait", 455 },
	{ "futex_requeue", 456 },
	{ "statmount", 457 },
	{ "listmount", 458 },
	{ "lsm_get_self_attr", 459 },
	{ "lsm_set_self_attr", 460 },
	{ "lsm_list_modules", 461 },
	{ "mseal", 462 },
	{ "setxattrat", 463 },
	{ "getxattrat", 464 },
	{ "listxattrat", 465 },
	{ "removexattrat", 466 },
	{ "open_tree_attr", 467 },
	{ "file_getattr", 468 },
	{ "file_setattr", 469 },
	{ "listns", 470 },
	{ "rseq_slice_yield", 471 },
	{ "fchroot", 472 },
};

#endif /* CHOCK_CONFINE_CALLS_NUMBERS_H */
