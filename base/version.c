/* SPDX-License-Identifier: MIT */
#include "base/version.h"

const char hugecov_version[] = HUGECOV_VERSION;
