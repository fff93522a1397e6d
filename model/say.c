/* SPDX-License-Identifier: MIT */
#include "model/say.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/num.h"

void say_begin(struct say *s, struct readings *to, struct arena *a, const char *id)
{
	*s = (struct say){ .to = to, .a = a, .id = id };
	out_memory(&s->text);
	out_memory(&s->evidence);
	json_start(&s->json, &s->evidence);
	json_object(&s->json);
}

void say_end(struct say *s)
{
	json_object_end(&s->json);
	if (!s->lost)
		readings_add(s->to, s->id, arena_copy(s->a, out_slice(&s->text)),
			     arena_copy(s->a, out_slice(&s->evidence)));
	out_close(&s->text);
	out_close(&s->evidence);
}

void say_need(struct say *s, double v)
{
	s->lost |= !isfinite(v);
}

void say_f(struct say *s, const char *fmt, ...)
{
	char buf[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	out_str(&s->text, buf);
}

void say_slice(struct say *s, struct slice v)
{
	out_put(&s->text, v);
}

void say_count(struct say *s, double v)
{
	char buf[NUM_BUF];
	int n;

	say_need(s, v);
	if (!(fabs(v) < 1e15)) {
		say_f(s, "%.4g", v);
		return;
	}
	if (fabs(v) >= 1000 || v == rint(v)) {
		say_slice(s, num_put_commas(buf, (int64_t)rint(v)));
		return;
	}
	n = snprintf(buf, sizeof(buf), "%.2f", v);
	while (buf[n - 1] == '0')
		n--;
	say_slice(s, slice_of(buf, (size_t)n - (buf[n - 1] == '.')));
}

void say_percent(struct say *s, double v)
{
	say_need(s, v);
	say_f(s, "%+.1f %%", v == 0 ? 0 : v);
}

void say_number(struct say *s, const char *key, double v)
{
	char buf[NUM_BUF];

	json_key(&s->json, key);
	if (isfinite(v))
		json_raw(&s->json, slice_of(buf, (size_t)snprintf(buf, sizeof(buf), "%.15g", v)));
	else
		json_null(&s->json);
}
