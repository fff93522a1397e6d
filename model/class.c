/* SPDX-License-Identifier: MIT */
/* What kind of memory a mapping is. */
#include "model/model.h"

/* What a name alone says; asked once for each distinct name. */
enum name_says {
	SAYS_NOTHING, /* a path or text: shmem by its device, or file */
	SAYS_NO_NAME,
	SAYS_SPECIAL,
	SAYS_DEV_ZERO, /* anon when private, shmem when shared */
	SAYS_SHMEM,
	SAYS_ANON,
};

struct name_rule {
	const char *text;
	bool prefix;
	enum name_says says;
};

/* First that fits: the rest of /dev stands behind the devices that are memory. */
static const struct name_rule name_rules[] = {
	{ "[vdso]", false, SAYS_SPECIAL },
	{ "[vvar]", false, SAYS_SPECIAL },
	{ "[vvar_vclock]", false, SAYS_SPECIAL }, /* since 6.13 */
	{ "[vsyscall]", false, SAYS_SPECIAL },
	{ "[uprobes]", false, SAYS_SPECIAL },
	{ "[sigpage]", false, SAYS_SPECIAL }, /* arm */
	{ "[vectors]", false, SAYS_SPECIAL }, /* arm */
	{ "anon_inode:", true, SAYS_SPECIAL },
	{ "socket:", true, SAYS_SPECIAL },
	{ "/[aio]", true, SAYS_SPECIAL },
	{ "/dmabuf:", true, SAYS_SPECIAL },
	{ "/dev/zero", false, SAYS_DEV_ZERO },
	{ "/dev/zero (deleted)", false, SAYS_DEV_ZERO },
	{ "/dev/shm/", true, SAYS_SHMEM },
	{ "/dev/ashmem", true, SAYS_SHMEM }, /* Android */
	{ "/dev/", true, SAYS_SPECIAL },
	{ "/memfd:", true, SAYS_SHMEM },
	{ "/SYSV", true, SAYS_SHMEM },
	{ "[anon_shmem:", true, SAYS_SHMEM }, /* since 6.2 */
	{ "[heap]", false, SAYS_ANON },
	{ "[stack]", false, SAYS_ANON },
	{ "[stack:", true, SAYS_ANON }, /* 3.4 to 4.4 */
	{ "[anon:", true, SAYS_ANON },  /* since 5.17, Android before */
};

static enum name_says name_says(struct slice name)
{
	if (name.n == 0)
		return SAYS_NO_NAME;
	if (*name.p != '[' && *name.p != '/' && *name.p != 'a' && *name.p != 's')
		return SAYS_NOTHING;
	for (size_t i = 0; i < sizeof(name_rules) / sizeof(*name_rules); i++) {
		struct slice text = slice_str(name_rules[i].text);

		if (name_rules[i].prefix ? slice_starts(name, text) : slice_eq(name, text))
			return name_rules[i].says;
	}
	return SAYS_NOTHING;
}

bool vma_is_heap(const struct vma *v)
{
	return v->name == NAME_HEAP;
}

bool vma_is_stack(const struct model *m, const struct vma *v)
{
	return v->name == NAME_STACK || (v->name >= NAME_FIRST_FREE &&
					 slice_starts(vma_name(m->smaps, v), SLICE("[stack:")));
}

static enum vma_class class_of(const struct model *m, const struct smaps *other, const struct vma *v)
{
	enum name_says says = m->name_class[v->name];
	uint32_t kernel_page = v->value[SMAPS_KernelPageSize];

	if (vma_flag(v, VM_FLAG_BIT(ht)) || (kernel_page && kernel_page > model_page_kb(m)))
		return CLASS_HUGETLB;
	if (says == SAYS_SPECIAL || vma_flag(v, VM_FLAG_BIT(io) | VM_FLAG_BIT(pf)))
		return CLASS_SPECIAL;
	if (says == SAYS_DEV_ZERO)
		return vma_private(v) ? CLASS_ANON : CLASS_SHMEM;
	if (says == SAYS_SHMEM || smaps_on_tmpfs(&m->smaps->all, v) ||
	    (other && smaps_on_tmpfs(&other->all, v)))
		return CLASS_SHMEM;
	if (says == SAYS_ANON || (vma_private(v) && v->inode == 0))
		return CLASS_ANON;
	return CLASS_FILE;
}

void model_classify(struct model *m, const struct smaps *other)
{
	const struct smaps *s = m->smaps;

	m->name_class = mem_array(s->names_n, 1);
	for (size_t i = 0; i < s->names_n; i++)
		m->name_class[i] = (uint8_t)name_says(s->names[i]);
	m->seen.open = mem_alloc(s->n * sizeof(*m->seen.open));
	for (size_t i = 0; i < s->n; i++) {
		s->vma[i].class = (uint8_t)class_of(m, other, &s->vma[i]);
		model_observe(m, i);
	}
}
