/* SPDX-License-Identifier: MIT */
#include "cmd/opts.h"

#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "base/num.h"
#include "base/out.h"

const char *const opt_group_titles[GROUP_COUNT] = {
	[GROUP_COMMAND] = "Options",
	[GROUP_SELECT] = "What to show",
	[GROUP_OUTPUT] = "How to show it",
	[GROUP_READ] = "How to read it",
};

/* Where parsing stands. */
struct reader {
	const struct opt_set *set;
	char **argv;
	int n, at;
	char *target;
	struct err *e;
	char shown[72]; /* the option as the user wrote it, for messages */
};

const struct opt *opt_row(const struct opt_set *set, size_t i)
{
	for (size_t t = 0; t < sizeof(set->tables) / sizeof(set->tables[0]); t++)
		for (size_t r = 0; r < set->tables[t].n; r++) {
			const struct opt *o = &set->tables[t].at[r];

			if (o->commands && !(o->commands & set->command_bit))
				continue;
			if (i-- == 0)
				return o;
		}
	return NULL;
}

static const struct opt *row_named(const struct opt_set *set, struct slice name)
{
	const struct opt *o;

	for (size_t i = 0; (o = opt_row(set, i)); i++)
		if (slice_eq_str(name, o->name))
			return o;
	return NULL;
}

static const struct opt *row_lettered(const struct opt_set *set, char letter)
{
	const struct opt *o;

	for (size_t i = 0; (o = opt_row(set, i)); i++)
		if (o->letter == letter)
			return o;
	return NULL;
}

static void words_add(struct words *w, const char *word)
{
	w->at = mem_grow(w->at, &w->cap, w->n + 1, sizeof(*w->at));
	w->at[w->n++] = word;
}

static void numbers_add(struct numbers *l, uint64_t v)
{
	l->at = mem_grow(l->at, &l->cap, l->n + 1, sizeof(*l->at));
	l->at[l->n++] = v;
}

/* ---- arguments ---- */

/* A decimal number with at most three digits behind the point, in thousandths. */
static bool take_thousandths(struct slice *s, uint64_t *ret)
{
	uint64_t whole, part = 0, scale = 1000;

	if (num_take_u64(s, &whole) != NUM_OK)
		return false;
	if (s->n && *s->p == '.') {
		*s = slice_skip(*s, 1);
		if (!s->n || !is_digit(*s->p))
			return false;
		for (; s->n && is_digit(*s->p) && scale > 1; *s = slice_skip(*s, 1)) {
			scale /= 10;
			part += (uint64_t)(*s->p - '0') * scale;
		}
	}
	return !__builtin_mul_overflow(whole, UINT64_C(1000), ret) &&
	       !__builtin_add_overflow(*ret, part, ret);
}

bool opt_read_duration(struct slice s, uint64_t *ret_ms)
{
	static const struct {
		const char *unit;
		uint64_t ms;
	} units[] = { { "s", 1000 }, { "", 1000 }, { "ms", 1 }, { "m", 60000 }, { "min", 60000 },
		      { "h", 3600000 } };
	uint64_t v;

	if (!take_thousandths(&s, &v))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (slice_eq_str(s, units[i].unit)) {
			if (__builtin_mul_overflow(v, units[i].ms, &v) || v % 1000)
				return false;
			*ret_ms = v / 1000;
			return true;
		}
	return false;
}

static bool opt_read_percent(struct slice s, double *ret)
{
	uint64_t v;

	if (!take_thousandths(&s, &v) || (s.n && !slice_eq_str(s, "%")))
		return false;
	*ret = (double)v / 1000;
	return true;
}

/* "always, madvise or never" */
static void list_choices(const struct opt_choice *c, char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (; c->name && n < size; c++) {
		const char *sep = n == 0 ? "" : c[1].name ? ", " : " or ";
		struct slice parts[] = { slice_str(sep), slice_str(c->name) };

		for (size_t i = 0; i < 2; i++) {
			slice_cstr(parts[i], buf + n, size - n);
			n += strlen(buf + n);
		}
	}
}

static const struct opt_choice *find_choice(const struct opt_choice *c, struct slice name)
{
	for (; c->name; c++)
		if (slice_eq_str(name, c->name))
			return c;
	return NULL;
}

static int bad_choice(struct reader *r, const struct opt *o, struct slice word)
{
	struct nearest near;
	char list[300];

	nearest_start(&near, word);
	for (const struct opt_choice *c = o->choices; c->name; c++)
		nearest_try(&near, c->name);
	list_choices(o->choices, list, sizeof(list));
	err_set(r->e, ERR_USAGE, "%s: %s is %s, not '%.*s'", r->set->command, r->shown, list,
		(int)(word.n < 60 ? word.n : 60), word.p);
	return near.best ? err_hint(r->e, "Did you mean %s?", near.best) : -1;
}

static int read_choice(struct reader *r, const struct opt *o, const char *text)
{
	const struct opt_choice *c = find_choice(o->choices, slice_str(text));

	if (!c)
		return bad_choice(r, o, slice_str(text));
	memcpy(r->target + o->offset, &c->value, sizeof(c->value));
	return 0;
}

static int read_choices(struct reader *r, const struct opt *o, const char *text)
{
	unsigned mask = 0;

	for (struct cut c = { .tail = slice_str(text), .ok = true }; c.ok;) {
		c = slice_cut(c.tail, ',');
		const struct opt_choice *choice = find_choice(o->choices, slice_trim(c.head));

		if (!choice)
			return bad_choice(r, o, slice_trim(c.head));
		mask |= (unsigned)choice->value;
	}
	memcpy(r->target + o->offset, &mask, sizeof(mask));
	return 0;
}

/* How a limit of this option is written. */
static void show_limit(const struct opt *o, uint64_t v, char *buf, size_t size)
{
	struct out m;

	out_memory(&m);
	if (o->kind == OPT_DURATION && v % 1000 == 0)
		out_printf(&m, "%llus", (unsigned long long)(v / 1000));
	else
		out_printf(&m, "%llu%s", (unsigned long long)v,
			   o->kind == OPT_DURATION ? "ms" : o->kind == OPT_SIZE ? "kB" :
			   o->kind == OPT_PERCENT ? "%" : "");
	slice_cstr(out_slice(&m), buf, size);
	out_close(&m);
}

static const char *const number_words[OPT_KINDS] = {
	[OPT_NUMBER] = "a whole number",
	[OPT_NUMBERS] = "a whole number",
	[OPT_SIZE] = "a size, as 2048, 512kB or 2MiB,",
	[OPT_DURATION] = "a time, as 500ms, 1s or 2m,",
	[OPT_PERCENT] = "a percentage, as 2 or 2.5%,",
};

static int bad_number(struct reader *r, const struct opt *o, const char *text)
{
	char min[32], max[32];

	if (!o->max)
		return err_set(r->e, ERR_USAGE, "%s: %s needs %s not '%.60s'", r->set->command,
			       r->shown, number_words[o->kind], text);
	show_limit(o, o->min, min, sizeof(min));
	show_limit(o, o->max, max, sizeof(max));
	return err_set(r->e, ERR_USAGE, "%s: %s needs %s %sfrom %s to %s, not '%.60s'",
		       r->set->command, r->shown, number_words[o->kind],
		       o->power_of_two ? "a power of two " : "", min, max, text);
}

static bool in_range(const struct opt *o, uint64_t v)
{
	if (o->power_of_two && (v & (v - 1)))
		return false;
	return !o->max || (v >= o->min && v <= o->max);
}

static int read_number(struct reader *r, const struct opt *o, const char *text)
{
	struct slice s = slice_str(text);
	uint64_t v;
	bool ok = o->kind == OPT_SIZE	  ? num_size_kb(s, &v) :
		  o->kind == OPT_DURATION ? opt_read_duration(s, &v) :
					    num_u64(s, &v);

	if (!ok || !in_range(o, v))
		return bad_number(r, o, text);
	if (o->kind == OPT_NUMBERS)
		numbers_add((struct numbers *)(void *)(r->target + o->offset), v);
	else
		memcpy(r->target + o->offset, &v, sizeof(v));
	return 0;
}

static int read_percent(struct reader *r, const struct opt *o, const char *text)
{
	double v;

	if (!opt_read_percent(slice_str(text), &v) ||
	    (o->max && (v < (double)o->min || v > (double)o->max)))
		return bad_number(r, o, text);
	memcpy(r->target + o->offset, &v, sizeof(v));
	return 0;
}

static int read_string(struct reader *r, const struct opt *o, const char *text)
{
	if (!*text)
		return err_set(r->e, ERR_USAGE, "%s: the %s of %s is empty", r->set->command,
			       o->metavar, r->shown);
	memcpy(r->target + o->offset, &text, sizeof(text));
	return 0;
}

static int read_strings(struct reader *r, const struct opt *o, const char *text)
{
	words_add((struct words *)(void *)(r->target + o->offset), text);
	return 0;
}

static int read_list(struct reader *r, const struct opt *o, const char *text)
{
	read_strings(r, o, text);
	for (; r->at < r->n; r->at++) {
		const char *next = r->argv[r->at];

		if (next[0] == '-' && next[1])
			break;
		read_strings(r, o, next);
	}
	return 0;
}

static int (*const readers[OPT_KINDS])(struct reader *, const struct opt *, const char *) = {
	[OPT_STRING] = read_string,   [OPT_STRINGS] = read_strings, [OPT_LIST] = read_list,
	[OPT_NUMBER] = read_number,   [OPT_NUMBERS] = read_number,  [OPT_SIZE] = read_number,
	[OPT_DURATION] = read_number, [OPT_PERCENT] = read_percent, [OPT_CHOICE] = read_choice,
	[OPT_CHOICES] = read_choices,
};

/* ---- words ---- */

static int unknown(struct reader *r, struct slice name)
{
	struct nearest near;
	const struct opt *o;

	nearest_start(&near, name);
	for (size_t i = 0; (o = opt_row(r->set, i)); i++)
		nearest_try(&near, o->name);
	nearest_try(&near, "help");
	if (near.best)
		return err_set(r->e, ERR_USAGE, "%s: unknown option '%s' (did you mean --%s?)",
			       r->set->command, r->shown, near.best);
	err_set(r->e, ERR_USAGE, "%s: unknown option '%s'", r->set->command, r->shown);
	return err_hint(r->e, "hugecov %s --help lists them", r->set->command);
}

/* The next word as the argument of option o. A word that looks like a long option is a slip. */
static int next_argument(struct reader *r, const struct opt *o, const char **ret)
{
	const char *next = r->at < r->n ? r->argv[r->at] : NULL;

	if (next && !(next[0] == '-' && next[1] == '-')) {
		r->at++;
		*ret = next;
		return 0;
	}
	err_set(r->e, ERR_USAGE, "%s: %s needs its %s", r->set->command, r->shown, o->metavar);
	if (next && next[2])
		err_hint(r->e, "If '%.60s' is meant: --%s=%.60s", next, o->name, next);
	return -1;
}

static int apply(struct reader *r, const struct opt *o, const char *argument)
{
	bool yes = true;

	if (o->kind == OPT_FLAG && argument)
		return err_set(r->e, ERR_USAGE, "%s: %s takes no argument", r->set->command,
			       r->shown);
	if (o->kind == OPT_FLAG) {
		memcpy(r->target + o->offset, &yes, sizeof(yes));
		return 0;
	}
	if (!argument && next_argument(r, o, &argument))
		return -1;
	return readers[o->kind](r, o, argument);
}

static int long_option(struct reader *r, const char *word)
{
	struct cut c = slice_cut(slice_str(word + 2), '=');
	const struct opt *o = row_named(r->set, c.head);

	slice_cstr(slice_of(word, c.head.n + 2), r->shown, sizeof(r->shown));
	if (!o)
		return unknown(r, c.head);
	return apply(r, o, c.ok ? c.tail.p : NULL);
}

/* One dash: letters, of which the last may take the rest of the word as its argument. */
static int letters(struct reader *r, const char *word)
{
	struct slice name = slice_cut(slice_str(word + 1), '=').head;

	slice_cstr(slice_str(word), r->shown, sizeof(r->shown));
	if (row_named(r->set, name)) /* -format: a dash was forgotten */
		return unknown(r, name);
	for (const char *p = word + 1; *p; p++) {
		const struct opt *o = row_lettered(r->set, *p);

		if (!o)
			return unknown(r, name);
		memcpy(r->shown, (char[]){ '-', *p, '\0' }, 3);
		if (o->kind != OPT_FLAG)
			return apply(r, o, p[1] ? p + 1 : NULL);
		if (apply(r, o, NULL))
			return -1;
	}
	return 0;
}

/* Everything behind "--". */
static void take_rest(struct reader *r, struct opt_result *ret)
{
	if (r->set->rest_is_command) {
		ret->rest = r->argv + r->at;
		ret->rest_n = (size_t)(r->n - r->at);
		return;
	}
	while (r->at < r->n)
		words_add(&ret->words, r->argv[r->at++]);
}

int opt_parse(const struct opt_set *set, int n, char **argv, void *target,
	      struct opt_result *ret, struct err *e)
{
	struct reader r = { .set = set, .argv = argv, .n = n, .target = target, .e = e };

	*ret = (struct opt_result){ 0 };
	while (r.at < n) {
		const char *word = argv[r.at++];
		int status = 0;

		if (word[0] != '-' || !word[1]) {
			words_add(&ret->words, word);
		} else if (!strcmp(word, "--")) {
			take_rest(&r, ret);
			break;
		} else if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
			ret->help = true;
			break;
		} else {
			status = word[1] == '-' ? long_option(&r, word) : letters(&r, word);
		}
		if (status)
			return -1;
	}
	return 0;
}

void opt_free(const struct opt_set *set, void *target, struct opt_result *r)
{
	const struct opt *o;

	for (size_t i = 0; (o = opt_row(set, i)); i++) {
		void *at = (char *)target + o->offset;

		if (o->kind == OPT_STRINGS || o->kind == OPT_LIST) {
			mem_free(((struct words *)at)->at);
			*(struct words *)at = (struct words){ 0 };
		} else if (o->kind == OPT_NUMBERS) {
			mem_free(((struct numbers *)at)->at);
			*(struct numbers *)at = (struct numbers){ 0 };
		}
	}
	mem_free(r->words.at);
	*r = (struct opt_result){ 0 };
}
