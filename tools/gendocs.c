/* SPDX-License-Identifier: MIT */
/* usage: gendocs NAME [TEMPLATE] -- writes one generated file to standard output. */
#include "tools/gendocs.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "source/source.h"

void gen_quoted(struct out *o, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			out_str(o, "'\\''");
		else
			out_byte(o, *text);
	}
}

static int from_template(struct out *o, const char *path, void (*gen)(struct out *, struct slice))
{
	struct arena a = { 0 };
	struct stream *s;
	struct slice text;
	struct err e;
	int status = stream_open_path(path, &s, &e);

	if (status == 0) {
		status = stream_all(s, SYSTEM_FILE_MAX, &a, &text, &e);
		stream_close(s);
	}
	if (status == 0)
		gen(o, text);
	else
		fprintf(stderr, "gendocs: %s: %s\n", path, e.text);
	arena_free(&a);
	return status;
}

static const struct {
	const char *name;
	void (*plain)(struct out *);
	void (*template)(struct out *, struct slice);
} files[] = {
	{ "hugecov.1", NULL, gen_man },
	{ "README.md", NULL, gen_readme },
	{ "hugecov.bash", gen_bash, NULL },
	{ "_hugecov", gen_zsh, NULL },
	{ "hugecov.fish", gen_fish, NULL },
	{ "fields.md", gen_fields, NULL },
	{ "findings.md", gen_findings, NULL },
	{ "rules.md", gen_rules, NULL },
	{ "readings.md", gen_readings, NULL },
};

int main(int argc, char **argv)
{
	struct out o;
	int status = -1;

	out_fd(&o, 1);
	for (size_t i = 0; argc > 1 && i < sizeof(files) / sizeof(files[0]); i++) {
		if (strcmp(argv[1], files[i].name) != 0)
			continue;
		if (files[i].plain) {
			files[i].plain(&o);
			status = 0;
		} else if (argc > 2) {
			status = from_template(&o, argv[2], files[i].template);
		}
	}
	return out_close(&o) || status ? 2 : 0;
}
