/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/* One mapping in JSON: the part of the writer that runs 65,000 times a document. */
#include <string.h>

#include "base/num.h"
#include "base/utf8.h"
#include "report/report_json.h"

/* `,"Rss":` for each field, written once. */
struct key_text {
	char text[32];
	uint8_t n;
};

static const struct key_text *field_keys(void)
{
	static struct key_text keys[SMAPS_FIELDS];

	if (!keys[0].n) {
		for (int i = 0; i < SMAPS_FIELDS; i++) {
			size_t n = strlen(smaps_fields[i].name);

			memcpy(keys[i].text, ",\"", 2);
			memcpy(keys[i].text + 2, smaps_fields[i].name, n);
			memcpy(keys[i].text + 2 + n, "\":", 2);
			keys[i].n = (uint8_t)(n + 4);
		}
	}
	return keys;
}

/* The caller has reserved 20 bytes. */
static inline char *put_u32(char *p, uint32_t v)
{
	char buf[NUM_BUF];

	if (v < 10) {
		*p = (char)('0' + v);
		return p + 1;
	}
	struct slice s = num_put_u64(buf, v);
	memcpy(p, s.p, s.n);
	return p + s.n;
}

static void unknown_fields(struct json *j, const struct smaps *s, size_t i)
{
	size_t n;
	const struct smaps_extra *x = smaps_extras(s, i, &n);

	for (size_t k = 0; k < n; k++) {
		if (x[k].key < EXTRA_KEY)
			continue;
		json_key_slice(j, s->unknown_keys[x[k].key - EXTRA_KEY]);
		json_u64(j, x[k].value);
	}
}

static void json_fields(struct json *j, const struct smaps *s, const struct vma *v)
{
	const struct key_text *keys = field_keys();

	json_key(j, "smaps");
	json_object(j);
	out_reserve(j->o, SMAPS_FIELDS * (sizeof(keys->text) + 20));
	char *start = j->o->buf + j->o->n, *p = start;
	for (int f = 0; f < SMAPS_FIELDS; f++) {
		if (!vma_has(v, (enum smaps_field)f))
			continue;
		/* All 32 bytes of the key: a fixed length is one move. */
		unsigned skip = p == start;
		memcpy(p, keys[f].text + skip, sizeof(keys->text) - 1);
		p += keys[f].n - skip;
		if (v->value[f] == SMAPS_WIDE) {
			char buf[NUM_BUF];
			struct slice wide = num_put_u64(buf, vma_value(s, v, (enum smaps_field)f));

			memcpy(p, wide.p, wide.n);
			p += wide.n;
		} else {
			p = put_u32(p, v->value[f]);
		}
	}
	if (p != start)
		j->comma |= UINT64_C(1) << j->depth;
	j->o->n += (size_t)(p - start);
	if (v->has_extra)
		unknown_fields(j, s, (size_t)(v - s->vma));
	json_object_end(j);
}

static void json_flags(struct json *j, const struct smaps *s, const struct vma *v)
{
	json_key(j, "flags");
	if (!vma_has_flags(v)) {
		json_null(j);
		return;
	}
	json_array(j);
	out_reserve(j->o, VM_FLAGS * 5);
	char *start = j->o->buf + j->o->n, *p = start;
	for (uint64_t left = v->flags; left; left &= left - 1) {
		const char *code = vm_flags[__builtin_ctzll(left)].code;

		if (p != start)
			*p++ = ',';
		*p++ = '"';
		*p++ = code[0];
		*p++ = code[1];
		*p++ = '"';
	}
	if (p != start)
		j->comma |= UINT64_C(1) << j->depth;
	j->o->n += (size_t)(p - start);
	if (v->has_extra) {
		size_t n;
		const struct smaps_extra *x = smaps_extras(s, (size_t)(v - s->vma), &n);

		for (size_t k = 0; k < n; k++)
			if (x[k].key == EXTRA_FLAG)
				json_slice(j, slice_of((const char *)&x[k].value,
						       strnlen((const char *)&x[k].value, 8)));
	}
	json_array_end(j);
}

void json_name(struct json *j, struct slice name)
{
	json_kv_slice(j, "name", name);
	json_key(j, "name_hex");
	if (utf8_valid(name) && !(name.n && memchr(name.p, '\0', name.n))) {
		json_null(j);
		return;
	}
	struct out hex;

	out_memory(&hex);
	for (size_t i = 0; i < name.n; i++)
		out_printf(&hex, "%02x", (unsigned char)name.p[i]);
	json_slice(j, out_slice(&hex));
	out_close(&hex);
}

static void json_thp(struct json *j, const struct model *m, const struct vma *v)
{
	static const char *const keys[6] = {
		"huge_kb", "rss_kb", "subslot_kb", "policy_loss_kb", "alignment_loss_kb", "delivery_loss_kb",
	};
	struct thp t;

	model_thp(m, v, &t);
	json_key(j, "thp");
	json_object(j);
	json_kv_str(j, "eligible", eligible_names[v->eligible]);
	json_kv_u64(j, "slots_ideal", t.slots_ideal);
	json_kv_u64(j, "slots_fit", t.slots_fit);
	json_kv_u64(j, "slots_lost", thp_slots_lost(&t));
	json_kv_u64(j, "head_kb", t.head_kb);
	json_kv_u64(j, "tail_kb", t.tail_kb);
	const uint64_t values[6] = { t.w.huge,	      t.w.rss,		  t.w.subslot,
				     t.w.policy_loss, t.w.alignment_loss, t.w.delivery_loss };
	for (int i = 0; i < 6; i++) {
		if (t.known)
			json_kv_u64(j, keys[i], values[i]);
		else
			json_kv_null(j, keys[i]);
	}
	json_object_end(j);
}

static void kv_addr(struct json *j, const char *key, uint64_t v)
{
	json_key(j, key);
	json_addr(j, v);
}

static void json_device(struct json *j, const struct vma *v)
{
	char text[VMA_DEVICE_BUF];

	json_kv_slice(j, "dev", vma_device(text, v));
}

void json_vma(struct json *j, const struct model *m, const struct vma *v)
{
	json_object(j);
	kv_addr(j, "start", v->start);
	kv_addr(j, "end", v->end);
	json_kv_slice(j, "perms", slice_of(v->perms, 4));
	kv_addr(j, "offset", v->offset);
	json_device(j, v);
	json_kv_u64(j, "inode", v->inode);
	json_name(j, vma_name(m->smaps, v));
	json_kv_str(j, "class", class_names[v->class]);
	json_fields(j, m->smaps, v);
	json_flags(j, m->smaps, v);
	json_thp(j, m, v);
	json_object_end(j);
}
