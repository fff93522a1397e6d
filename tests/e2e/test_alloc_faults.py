#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every allocation of the whole process fails in turn: also those of libc, of the loader and of libraries.

tests/preload/alloc.c makes them fail. What is tried, and what a right end is, stands in tests/faults.py.
"""
import os

import faults
import tap

PRELOAD = os.path.join(os.environ['BUILD'], 'tests/preload/alloc.so')


def environment(counts, kind, n):
    return dict(LD_PRELOAD=PRELOAD, ALLOC_COUNTS=counts, ALLOC_FAIL=str(n))


if os.environ['BUILD'].endswith('release'):
    faults.main(os.environ['HUGECOV'], lambda numbers: {'malloc': numbers[0]}, environment, lambda kind: False)
else:
    tap.skip('allocations', 'a sanitizer brings its own malloc')
