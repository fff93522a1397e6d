/* SPDX-License-Identifier: MIT */
/* The mappings of a report: the part that is read 65,000 times a document. */
#include <string.h>

#include "base/num.h"
#include "model/report_read.h"
#include "parse/json_read.h"
#include "parse/keyval.h"
#include "parse/smaps_table.h"

/* name_hex: the bytes of a name that are not UTF-8. buf has hex.n / 2 bytes. */
static bool unhex(struct slice hex, char *buf)
{
	for (size_t i = 0; i + 1 < hex.n; i += 2) {
		if (!is_hex(hex.p[i]) || !is_hex(hex.p[i + 1]))
			return false;
		buf[i / 2] = hex_byte(hex.p + i);
	}
	return hex.n % 2 == 0;
}

static int read_name(const struct json_doc *d, const struct json_value *x, struct smaps *s,
		     struct names_index *names, uint32_t *ret, struct err *e)
{
	struct slice name = { 0 }, hex = { 0 };
	int got = json_get_str(d, x, "name_hex", &hex, e);

	if (got < 0 || json_get_str(d, x, "name", &name, e) < 0)
		return -1;
	if (!got) {
		*ret = names_intern(names, s, name);
		return 0;
	}
	char *raw = mem_alloc(hex.n / 2 + 1);
	bool ok = unhex(hex, raw);
	if (ok)
		*ret = names_intern(names, s, slice_of(raw, hex.n / 2));
	mem_free(raw);
	return ok ? 0 : json_fault(d, json_find(x, "name_hex"), e, "not bytes in hexadecimal");
}

static int read_device(const struct json_doc *d, const struct json_value *x, struct vma *v,
		       struct err *e)
{
	struct slice dev;
	uint64_t major, minor;
	int got = json_get_str(d, x, "dev", &dev, e);

	if (got <= 0)
		return got;
	if (num_take_hex(&dev, &major) != NUM_OK || dev.n == 0 || *dev.p != ':')
		return json_fault(d, json_find(x, "dev"), e,
				  "not a device, MAJOR:MINOR in hexadecimal");
	dev = slice_skip(dev, 1);
	if (num_take_hex(&dev, &minor) != NUM_OK || dev.n || major > UINT32_MAX ||
	    minor > UINT32_MAX)
		return json_fault(d, json_find(x, "dev"), e,
				  "not a device, MAJOR:MINOR in hexadecimal");
	v->major = (uint32_t)major;
	v->minor = (uint32_t)minor;
	return 0;
}

static int read_fields(const struct json_doc *d, const struct json_value *x, struct smaps *s,
		       struct vma *v, struct err *e)
{
	const struct json_value *fields;
	int got = json_get(d, x, "smaps", JSON_OBJECT, &fields, e);

	if (got <= 0)
		return got;
	for (const struct json_value *m = json_first(fields); m; m = json_next(m)) {
		enum smaps_field f = smaps_field_of(json_key_of(m));
		uint64_t kb;

		if ((got = json_as_u64(d, m, &kb, e)) < 0)
			return -1;
		if (got && kb > SMAPS_KB_MAX)
			return json_fault(d, m, e, "larger than an address space");
		if (got && f < SMAPS_FIELDS && !smaps_fields[f].kb && kb > SMAPS_PLAIN_MAX)
			return json_fault(d, m, e, "no kernel prints so large a number here");
		if (got && f < SMAPS_FIELDS)
			smaps_set(s, v, f, kb);
		else if (got && !keyval_is_key(json_key_of(m)))
			return json_fault_key(d, m, e, "no field has such a name");
		else if (got)
			smaps_set_unknown(s, v, json_key_of(m), kb);
		if (s->wide_kb > SMAPS_SUM_MAX)
			return json_fault(d, m, e, "with those before it larger than any address space");
	}
	return 0;
}

static int read_flags(const struct json_doc *d, const struct json_value *x, struct smaps *s,
		      struct vma *v, struct err *e)
{
	const struct json_value *flags;
	struct slice code;
	int got = json_get(d, x, "flags", JSON_ARRAY, &flags, e);

	if (got <= 0)
		return got;
	v->present |= UINT32_C(1) << PRESENT_VMFLAGS;
	for (const struct json_value *m = json_first(flags); m; m = json_next(m)) {
		if (json_as_str(d, m, &code, e) < 0)
			return -1;
		if (code.n)
			smaps_set_flag(s, v, slice_first(code, 8));
	}
	return 0;
}

static int read_range(const struct json_doc *d, const struct json_value *x, const struct smaps *s,
		      struct vma *v, struct err *e)
{
	struct slice perms;

	if (json_type(x) != JSON_OBJECT)
		return json_fault(d, x, e, "a mapping is an object");
	int start = json_get_addr(d, x, "start", &v->start, e), end = 1, got = 1;
	if (start > 0)
		end = json_get_addr(d, x, "end", &v->end, e);
	if (start > 0 && end > 0)
		got = json_get_str(d, x, "perms", &perms, e);
	if (start < 0 || end < 0 || got < 0)
		return -1;
	if (!start || !end || !got || perms.n != 4 || !smaps_perms(perms.p))
		return json_fault(d, x, e, "a mapping has start, end and perms like rw-p");
	if (v->end <= v->start)
		return json_fault(d, json_find(x, "end"), e, "the end is not above the start");
	if (s->n > 1 && v->start < s->vma[s->n - 2].end)
		return json_fault(d, json_find(x, "start"), e,
				  "mappings overlap or are not in the order of addresses");
	memcpy(v->perms, perms.p, 4);
	return 0;
}

static int read_vma(const struct json_doc *d, const struct json_value *x, struct smaps *s,
		    struct names_index *names, struct err *e)
{
	struct vma *v = smaps_add(s);
	uint32_t name = 0;

	if (read_range(d, x, s, v, e) || read_name(d, x, s, names, &name, e))
		return -1;
	v->name = name;
	if (json_get_addr(d, x, "offset", &v->offset, e) < 0 ||
	    json_get_u64(d, x, "inode", &v->inode, e) < 0 || read_device(d, x, v, e) < 0 ||
	    read_fields(d, x, s, v, e) < 0)
		return -1;
	return read_flags(d, x, s, v, e);
}

int report_read_vmas(const struct json_doc *d, const struct json_value *list, struct smaps *ret,
		     struct err *e)
{
	struct names_index names = { 0 };
	int status = 0;

	for (const struct json_value *x = json_first(list); x && !status; x = json_next(x))
		status = read_vma(d, x, ret, &names, e);
	mem_free(names.slot);
	return status < 0 ? -1 : 0;
}
