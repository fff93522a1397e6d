/* SPDX-License-Identifier: MIT */
#include "model/image.h"

static const struct vma *named(const struct smaps *s, uint32_t name)
{
	for (size_t i = s->n; i-- > 0;)
		if (s->vma[i].name == name)
			return &s->vma[i];
	return NULL;
}

bool image_changed(const struct smaps *before, const struct smaps *now)
{
	const struct vma *a = named(before, NAME_VDSO), *b = named(now, NAME_VDSO);

	if (!before->n || !now->n)
		return false;
	if (a && b && a->start != b->start)
		return true;
	a = named(before, NAME_STACK);
	b = named(now, NAME_STACK);
	return a && b && (a->end <= b->start || b->end <= a->start);
}

/* ---- the program ---- */

static bool is_file(const struct smaps *s, const struct vma *v)
{
	return v->inode && slice_starts(vma_name(s, v), SLICE("/"));
}

const struct vma *image_program(const struct smaps *s)
{
	const struct vma *lowest = NULL, *last = NULL;

	for (size_t i = 0; i < s->n; i++) {
		const struct vma *v = &s->vma[i];

		if (v->name == NAME_HEAP && last)
			return last;
		if (!is_file(s, v))
			continue;
		last = v;
		if (!lowest)
			lowest = v;
	}
	return lowest;
}

/* What the kernel adds to the name of a file that was removed or replaced. */
static struct slice kept_name(const struct smaps *s, const struct vma *v)
{
	struct slice name = vma_name(s, v), gone = SLICE(" (deleted)");

	return slice_ends(name, gone) ? slice_first(name, name.n - gone.n) : name;
}

static bool maps_file(const struct smaps *s, struct slice name, const struct vma *of)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct vma *v = &s->vma[i];

		if (!is_file(s, v))
			continue;
		if (slice_eq(kept_name(s, v), name) ||
		    (v->inode == of->inode && v->major == of->major && v->minor == of->minor))
			return true;
	}
	return false;
}

bool image_program_changed(const struct smaps *before, const struct smaps *now)
{
	const struct vma *b = image_program(before), *a = image_program(now);

	return b && a && !maps_file(now, kept_name(before, b), b) && !maps_file(before, kept_name(now, a), a);
}
