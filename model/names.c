/* SPDX-License-Identifier: MIT */
/* The words that stand in JSON for the model's enumerations. */
#include "model/model.h"

const char *const class_names[CLASS_COUNT] = { "anon", "shmem", "file", "hugetlb", "special" };
const char *const eligible_names[ELIGIBLE_COUNT] = { "yes", "if-aligned", "sub-pmd", "no", "unknown" };
const char *const policy_names[POLICY_COUNT] = { "unknown", "always", "madvise", "never" };
const char *const policy_source_names[POLICY_SOURCES] = { "none", "option", "sysfs", "inferred" };
const char *const pmd_source_names[PMD_SOURCES] = {
	"option", "sysfs", "mthp-dirs", "page-size", "values", "assumed",
};
const char *const total_names[TOTAL_COUNT] = {
	"size_kb",	"rss_kb",	"pss_kb",      "anonymous_kb", "swap_kb",
	"anon_huge_kb", "shmem_pmd_kb", "file_pmd_kb", "huge_kb",      "hugetlb_kb",
};
const char *const fall_names[FALL_COUNT] = { "anon", "shmem", "file", "all" };
