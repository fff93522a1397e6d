/* SPDX-License-Identifier: MIT */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

extern const char hugecov_version[]; /* of the file VERSION */

#endif
