/* SPDX-License-Identifier: MIT */
#include "base/strmap.h"

#include "base/mem.h"

/* FNV-1a, its upper half folded in. */
uint64_t strmap_hash(struct slice s)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * UINT64_C(0x100000001b3);
	h ^= h >> 32;
	return h ? h : 1;
}

/* The slot of the key, or the free one where it would go. */
static struct strmap_slot *seek(const struct strmap *m, struct slice key, uint64_t hash)
{
	size_t i = (size_t)hash & (m->size - 1);

	while (m->slot[i].hash && !(m->slot[i].hash == hash && slice_eq(m->slot[i].key, key)))
		i = (i + 1) & (m->size - 1);
	return &m->slot[i];
}

/* Never more than half full. */
static void grow(struct strmap *m)
{
	struct strmap old = *m;

	m->size = old.size ? 2 * old.size : 16;
	m->slot = mem_array(m->size, sizeof(*m->slot));
	for (size_t i = 0; i < old.size; i++)
		if (old.slot[i].hash)
			*seek(m, old.slot[i].key, old.slot[i].hash) = old.slot[i];
	mem_free(old.slot);
}

size_t *strmap_at(struct strmap *m, struct slice key, bool *ret_new)
{
	uint64_t hash = strmap_hash(key);

	if (2 * (m->n + 1) > m->size)
		grow(m);
	struct strmap_slot *s = seek(m, key, hash);
	if (ret_new)
		*ret_new = !s->hash;
	if (!s->hash) {
		*s = (struct strmap_slot){ key, hash, 0 };
		m->n++;
	}
	return &s->value;
}

size_t *strmap_find(const struct strmap *m, struct slice key)
{
	if (!m->size)
		return NULL;
	struct strmap_slot *s = seek(m, key, strmap_hash(key));
	return s->hash ? &s->value : NULL;
}

void strmap_free(struct strmap *m)
{
	mem_free(m->slot);
	*m = (struct strmap){ 0 };
}
