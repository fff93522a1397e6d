/* SPDX-License-Identifier: MIT */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "model/filter.h"

#include <pcre2.h>

#include "base/dl.h"

struct filter {
	struct filter_options o;
	pcre2_code *code; /* NULL: no pattern */
	pcre2_match_data *data;
	pcre2_match_context *limits;
};

/*
 * Steps of the matcher for one name, and for all names of a dump together. A
 * path of 200 bytes under `.*a.*b` takes some 20,000; a pattern that explodes
 * passes any number.
 */
enum { STEPS_MIN = 20 * 1000, STEPS_MAX = 1000 * 1000, STEPS_ALL = 400 * 1000 * 1000 };
enum { MATCH_HEAP_KB = 32 * 1024, PATTERN_MAX = 64 * 1024 };

/* ---- the library ---- */

static struct {
	pcre2_code *(*compile)(PCRE2_SPTR, PCRE2_SIZE, uint32_t, int *, PCRE2_SIZE *,
			       pcre2_compile_context *);
	void (*code_free)(pcre2_code *);
	int (*match)(const pcre2_code *, PCRE2_SPTR, PCRE2_SIZE, PCRE2_SIZE, uint32_t,
		     pcre2_match_data *, pcre2_match_context *);
	pcre2_match_data *(*data_new)(uint32_t, pcre2_general_context *);
	void (*data_free)(pcre2_match_data *);
	pcre2_match_context *(*context_new)(pcre2_general_context *);
	void (*context_free)(pcre2_match_context *);
	int (*set_match_limit)(pcre2_match_context *, uint32_t);
	int (*set_heap_limit)(pcre2_match_context *, uint32_t);
	int (*error_text)(int, PCRE2_UCHAR *, PCRE2_SIZE);
} pcre;

static int load(struct err *e)
{
	static const struct dl_symbol symbols[] = {
		{ "pcre2_compile_8", (void **)&pcre.compile },
		{ "pcre2_code_free_8", (void **)&pcre.code_free },
		{ "pcre2_match_8", (void **)&pcre.match },
		{ "pcre2_match_data_create_8", (void **)&pcre.data_new },
		{ "pcre2_match_data_free_8", (void **)&pcre.data_free },
		{ "pcre2_match_context_create_8", (void **)&pcre.context_new },
		{ "pcre2_match_context_free_8", (void **)&pcre.context_free },
		{ "pcre2_set_match_limit_8", (void **)&pcre.set_match_limit },
		{ "pcre2_set_heap_limit_8", (void **)&pcre.set_heap_limit },
		{ "pcre2_get_error_message_8", (void **)&pcre.error_text },
	};

	return dl_load("libpcre2-8.so.0", "libpcre2-8-0", symbols,
		       sizeof(symbols) / sizeof(*symbols), e);
}

/* ---- the pattern ---- */

static int bad_pattern(const struct filter *f, struct slice pattern, int code, size_t offset,
		       struct err *e)
{
	PCRE2_UCHAR text[256];

	if (pcre.error_text(code, text, sizeof(text)) < 0)
		text[0] = '\0';
	if (offset > pattern.n)
		offset = pattern.n;
	err_at(e, 1, pattern, pattern.p + offset, "%s", (const char *)text);
	return err_in(e, f->o.option);
}

static int compile(struct filter *f, struct err *e)
{
	struct slice pattern = slice_str(f->o.match);
	size_t offset = 0;
	int code = 0;

	if (load(e))
		return -1;
	if (pattern.n > PATTERN_MAX)
		return err_set(e, ERR_USAGE, "%s: the pattern is longer than %d bytes", f->o.option,
			       PATTERN_MAX);
	f->code = pcre.compile((PCRE2_SPTR)pattern.p, pattern.n,
			       PCRE2_NEVER_UTF | PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY, &code,
			       &offset, NULL);
	if (!f->code)
		return bad_pattern(f, pattern, code, offset, e);
	f->data = pcre.data_new(1, NULL);
	f->limits = pcre.context_new(NULL);
	if (!f->data || !f->limits)
		return err_set(e, ERR_SYSTEM, "out of memory for the pattern of %s", f->o.option);
	pcre.set_heap_limit(f->limits, MATCH_HEAP_KB);
	return 0;
}

int filter_new(struct filter **ret, const struct filter_options *o, struct err *e)
{
	const unsigned every = (1u << CLASS_COUNT) - 1;
	bool all_classes = o->classes == 0 || (o->classes & every) == every;

	*ret = NULL;
	if (!o->match && all_classes && !o->min_size_kb)
		return 0;
	struct filter *f = mem_zalloc(sizeof(*f));
	f->o = *o;
	f->o.classes = all_classes ? every : o->classes;
	if (o->match && compile(f, e)) {
		filter_free(f);
		return -1;
	}
	*ret = f;
	return 0;
}

void filter_free(struct filter *f)
{
	if (!f)
		return;
	if (f->data)
		pcre.data_free(f->data);
	if (f->limits)
		pcre.context_free(f->limits);
	if (f->code)
		pcre.code_free(f->code);
	mem_free(f);
}

/* ---- the mappings ---- */

enum verdict { NOT_ASKED, MATCHES, DIFFERS };

static int too_slow(const struct filter *f, struct slice name, int code, struct err *e)
{
	PCRE2_UCHAR why[128];
	char shown[120];

	if (pcre.error_text(code, why, sizeof(why)) < 0)
		why[0] = '\0';
	slice_cstr(name, shown, sizeof(shown));
	err_set(e, ERR_LIMIT, "%s: the pattern takes too many steps for the name '%s' (%s)",
		f->o.option, shown, (const char *)why);
	return err_hint(e,
			"Write it without nested repeats, or with possessive ones: (a+)+ as a++");
}

/* MATCHES or DIFFERS, or -1 when the pattern ran into a limit. */
static int ask(const struct filter *f, struct slice name, struct err *e)
{
	if (name.n == 0)
		name = SLICE("[anon]");
	int code = pcre.match(f->code, (PCRE2_SPTR)name.p, name.n, 0, 0, f->data, f->limits);

	if (code == PCRE2_ERROR_NOMATCH)
		return DIFFERS;
	return code < 0 ? too_slow(f, name, code, e) : MATCHES;
}

static void share_steps(const struct filter *f, size_t names)
{
	uint64_t each = STEPS_ALL / (names ? names : 1);

	if (f->code)
		pcre.set_match_limit(f->limits, (uint32_t)(each < STEPS_MIN   ? STEPS_MIN
							   : each > STEPS_MAX ? STEPS_MAX
									      : each));
}

int filter_apply(const struct filter *f, struct model *m, struct err *e)
{
	const struct smaps *s = m->smaps;

	if (!f)
		return 0;
	uint8_t *keep = mem_array(s->n, 1), *verdicts = mem_array(s->names_n, 1);
	size_t kept = 0;
	int status = 0;

	share_steps(f, s->names_n);
	for (size_t i = 0; i < s->n && status >= 0; i++) {
		const struct vma *v = &s->vma[i];

		if (!(f->o.classes >> v->class & 1) || vma_size_kb(v) < f->o.min_size_kb)
			continue;
		if (f->code && verdicts[v->name] == NOT_ASKED) {
			status = ask(f, s->names[v->name], e);
			verdicts[v->name] = (uint8_t)status;
		}
		keep[i] = !f->code || verdicts[v->name] == MATCHES;
		kept += keep[i];
	}
	mem_free(verdicts);
	if (status < 0) {
		mem_free(keep);
		return -1;
	}
	mem_free(m->keep);
	m->keep = keep;
	m->kept = kept;
	return 0;
}
