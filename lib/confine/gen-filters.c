/* SPDX-License-Identifier: ISC */
/*
 * gen-filters - compile the lists of confine/calls.h to BPF, as C
 *
 * Run by the build; prints lib/confine/filters.h.  A filter is a binary tree
 * over ranges of numbers that share an answer, so that no number is forgotten.
 * The kernel walks it once for every call when it is loaded, for it keeps what
 * depends on no argument, and translates it: depth and length cost a start.
 *
 * libseccomp is asked for numbers only.  Its own compiler takes one condition
 * an argument and promises no order among rules that overlap, with which
 * neither "this bit, but not this one value" (personality) nor "these
 * families and no other" (socket) can be said.
 */

#include <linux/audit.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "confine/filter-lists.h"
#include "confine/gen-names.h"
#include "confine/gen-shorten.h"

#define X32 0x40000000U

struct plan {
	const struct call_row *rows[GEN_ROWS_MAX];
	uint32_t actions[GEN_ROWS_MAX]; /* what a list has for a row's */
	size_t count;
	bool closed; /* no other rows are for it */
};

/* From start on to the next range's; answered by plan, else by action. */
struct range {
	uint32_t start;
	const struct plan *plan;
	uint32_t action;
};

struct filter {
	const char *name;
	struct plan plans[GEN_NUMBERS];
	struct range ranges[GEN_RANGES_MAX];
	size_t range_count;
	struct sock_filter code[GEN_CODE_MAX];
	size_t len;
};

static bool is_allowed(const char *name)
{
	size_t i;

	for (i = 0; i < LIST_COUNT(sandbox_calls); i++)
		if (sandbox_calls[i].action == ALLOW &&
		    gen_is_among(sandbox_calls[i].names, name))
			return true;
	return false;
}

/* What strict mode names and the list does not allow would be for nothing. */
static void check_strict(void)
{
	const char *rest;
	char name[GEN_NAME_ROOM];
	size_t i;

	for (i = 0; (rest = gen_strict(i)); i++)
		while ((rest = gen_next_name(rest, name, sizeof(name))))
			if (!is_allowed(name))
				gen_give_up("nothing allows, strict or not,",
					    name);
}

static uint32_t action_of(const struct list *list, const struct call_row *row,
			  const char *name)
{
	if (list->told && row->action == KILL)
		return TELL;
	if (list->strict && row->action == ALLOW && !gen_is_strict(name))
		return FAIL(ENOSYS);
	return row->action;
}

static void add_row(struct filter *filter, const struct list *list,
		    const struct call_row *row)
{
	const char *names = row->names;
	struct plan *plan;
	char name[GEN_NAME_ROOM];
	int number;

	while ((names = gen_next_name(names, name, sizeof(name)))) {
		number = gen_number(name);
		if (number < 0)
			continue;
		plan = &filter->plans[number];
		if (plan->closed)
			continue;
		if (plan->count == GEN_ROWS_MAX)
			gen_give_up("too many rows for", name);
		if (plan->count &&
		    plan->rows[plan->count - 1]->args[0].test == ARG_ABSENT)
			gen_give_up("a row that is never reached for", name);
		plan->actions[plan->count] = action_of(list, row, name);
		plan->rows[plan->count++] = row;
	}
}

static void check_ends(const struct filter *filter)
{
	const struct call_row *last;
	size_t i;

	for (i = 0; i < GEN_NUMBERS; i++) {
		if (!filter->plans[i].count)
			continue;
		last = filter->plans[i].rows[filter->plans[i].count - 1];
		if (last->args[0].test != ARG_ABSENT)
			gen_give_up("no last answer in", last->names);
	}
}

static void add_range(struct filter *filter, uint32_t start,
		      const struct plan *plan, uint32_t action)
{
	const struct range *last = NULL;

	if (filter->range_count)
		last = &filter->ranges[filter->range_count - 1];
	if (plan && plan->count == 1) {
		action = plan->actions[0];
		plan = NULL;
	}
	if (last && !plan && !last->plan && last->action == action)
		return;
	if (filter->range_count == GEN_RANGES_MAX)
		gen_give_up("too many ranges at",
			    plan ? plan->rows[0]->names : "");
	filter->ranges[filter->range_count++] =
		(struct range){ start, plan, action };
}

/*
 * x32 numbers have one bit more and would name other calls.  -1 has it too,
 * but is what a tracer puts in to skip a call: no call, for any kernel.
 */
static void add_ranges(struct filter *filter, uint32_t otherwise)
{
	uint32_t i;

	for (i = 0; i < GEN_NUMBERS; i++)
		add_range(filter, i,
			  filter->plans[i].count ? &filter->plans[i] : NULL,
			  otherwise);
	add_range(filter, GEN_NUMBERS, NULL, otherwise);
	add_range(filter, X32, NULL, KILL);
	add_range(filter, UINT32_MAX, NULL, otherwise);
}

static void emit(struct filter *filter, unsigned int code, size_t jt, size_t jf,
		 uint32_t k)
{
	if (jt > GEN_JUMP_MAX || jf > GEN_JUMP_MAX)
		gen_give_up("a filter too long for its jumps:", filter->name);
	if (filter->len == GEN_CODE_MAX)
		gen_give_up("a filter too long for the kernel:", filter->name);
	filter->code[filter->len++] = (struct sock_filter){ (uint16_t)code,
							    (uint8_t)jt,
							    (uint8_t)jf, k };
}

static size_t arg_len(const struct call_arg *arg)
{
	if (arg->test == ARG_ABSENT)
		return 0;
	return arg->test == ARG_EQUALS && arg->mask != UINT32_MAX ? 3 : 2;
}

static size_t row_len(const struct call_row *row)
{
	size_t len = 1;
	size_t i;

	for (i = 0; i < CALL_ARGS_MAX; i++)
		len += arg_len(&row->args[i]);
	return len;
}

static size_t leaf_len(const struct range *range)
{
	size_t len = 0;
	size_t i;

	if (!range->plan)
		return 1;
	for (i = 0; i < range->plan->count; i++)
		len += row_len(range->plan->rows[i]);
	return len;
}

/* Where @arg is, or with ARG_UPPER its upper half. */
static uint32_t half(unsigned int arg)
{
	size_t at =
		offsetof(struct seccomp_data, args) + (arg & ~ARG_UPPER) * 8;
	bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	return (uint32_t)(!(arg & ARG_UPPER) == big ? at + 4 : at);
}

static void emit_row(struct filter *filter, const struct call_row *row,
		     uint32_t action)
{
	size_t next = filter->len + row_len(row);
	const struct call_arg *arg;
	size_t i;

	for (i = 0; i < CALL_ARGS_MAX; i++) {
		arg = &row->args[i];
		if (arg->test == ARG_ABSENT)
			break;
		emit(filter, BPF_LD | BPF_W | BPF_ABS, 0, 0, half(arg->index));
		if (arg->test == ARG_ANY_OF) {
			emit(filter, BPF_JMP | BPF_JSET | BPF_K, 0,
			     next - filter->len - 1, arg->mask);
			continue;
		}
		if (arg->mask != UINT32_MAX)
			emit(filter, BPF_ALU | BPF_AND | BPF_K, 0, 0,
			     arg->mask);
		emit(filter, BPF_JMP | BPF_JEQ | BPF_K, 0,
		     next - filter->len - 1, arg->value);
	}
	emit(filter, BPF_RET | BPF_K, 0, 0, action);
}

static void emit_leaf(struct filter *filter, const struct range *range)
{
	size_t i;

	if (!range->plan)
		emit(filter, BPF_RET | BPF_K, 0, 0, range->action);
	else
		for (i = 0; i < range->plan->count; i++)
			emit_row(filter, range->plan->rows[i],
				 range->plan->actions[i]);
}

static size_t tree_len(const struct filter *filter, size_t first, size_t end)
{
	size_t middle = first + (end - first) / 2;
	size_t left;

	if (end - first == 1)
		return leaf_len(&filter->ranges[first]);
	left = tree_len(filter, first, middle);
	return (left > GEN_JUMP_MAX ? 2 : 1) + left +
	       tree_len(filter, middle, end);
}

/* Where the left half is too long to be jumped over, a longer jump helps. */
static void emit_tree(struct filter *filter, size_t first, size_t end)
{
	size_t middle = first + (end - first) / 2;
	size_t left;

	if (end - first == 1) {
		emit_leaf(filter, &filter->ranges[first]);
		return;
	}
	left = tree_len(filter, first, middle);
	if (left > GEN_JUMP_MAX) {
		emit(filter, BPF_JMP | BPF_JGE | BPF_K, 0, 1,
		     filter->ranges[middle].start);
		emit(filter, BPF_JMP | BPF_JA, 0, 0, (uint32_t)left);
	} else {
		emit(filter, BPF_JMP | BPF_JGE | BPF_K, left, 0,
		     filter->ranges[middle].start);
	}
	emit_tree(filter, first, middle);
	emit_tree(filter, middle, end);
}

/* Numbers mean something on one architecture only, so that comes first. */
static void compile(struct filter *filter, const struct list *list)
{
	size_t i;

	memset(filter, 0, sizeof(*filter));
	filter->name = list->name;
	for (i = 0; list->clerk && i < LIST_COUNT(clerk_calls); i++)
		add_row(filter, list, &clerk_calls[i]);
	for (i = 0; i < GEN_NUMBERS; i++)
		filter->plans[i].closed = filter->plans[i].count != 0;
	for (i = 0; i < list->count; i++)
		if (!list->jit || !list->rows[i].not_jit)
			add_row(filter, list, &list->rows[i]);
	check_ends(filter);
	add_ranges(filter, list->otherwise);
	emit(filter, BPF_LD | BPF_W | BPF_ABS, 0, 0,
	     offsetof(struct seccomp_data, arch));
	emit(filter, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, seccomp_arch_native());
	emit(filter, BPF_RET | BPF_K, 0, 0, KILL);
	emit(filter, BPF_LD | BPF_W | BPF_ABS, 0, 0,
	     offsetof(struct seccomp_data, nr));
	i = filter->len;
	emit_tree(filter, 0, filter->range_count);
	filter->len = i + shorten(filter->code + i, filter->len - i);
}

static void print_code(const struct filter *filter)
{
	size_t i;

	(void)printf("static const struct sock_filter %s[] = {\n",
		     filter->name);
	for (i = 0; i < filter->len; i++)
		(void)printf("\t{ 0x%02x, %u, %u, 0x%08xU },\n",
			     filter->code[i].code, filter->code[i].jt,
			     filter->code[i].jf, filter->code[i].k);
	(void)printf("};\n\n");
}

static void print_names(void)
{
	static const char *by_number[GEN_NUMBERS];
	static char names[GEN_NUMBERS][GEN_NAME_ROOM];
	const char *rest;
	char name[GEN_NAME_ROOM];
	size_t i;
	int number;

	for (i = 0; i < LIST_COUNT(sandbox_calls); i++) {
		rest = sandbox_calls[i].names;
		while ((rest = gen_next_name(rest, name, sizeof(name)))) {
			number = gen_number(name);
			if (number < 0)
				continue;
			memcpy(names[number], name, sizeof(name));
			by_number[number] = names[number];
		}
	}
	(void)printf("static const char *const call_names[] = {\n");
	for (i = 0; i < GEN_NUMBERS; i++)
		if (by_number[i])
			(void)printf("\t[%zu] = \"%s\",\n", i, by_number[i]);
	(void)printf("};\n");
}

int main(void)
{
	static struct filter filter;
	size_t i;

	check_strict();
	(void)printf("/* Made by gen-filters out of confine/calls.h. */\n"
		     "#include <linux/filter.h>\n\n");
	for (i = 0; i < LIST_COUNT(lists); i++) {
		compile(&filter, &lists[i]);
		print_code(&filter);
	}
	print_names();
	return fflush(stdout) == 0 ? 0 : 1;
}
