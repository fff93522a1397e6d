#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every open, read, write, allocation of ours and library of each command fails in turn (base/fault.h).

Needs `make CONFIG=faults`, as `make hard` does; without it all is skipped. What is tried, and what a right end
is, stands in tests/faults.py.
"""
import os

import faults
import tap

TOOL = os.path.join(os.environ['TOP'], 'build/faults/hugecov')
KINDS = ('alloc', 'read', 'write', 'open', 'lib')


def environment(counts, kind, n):
    return dict(ASAN_OPTIONS='detect_leaks=1:exitcode=99:allocator_may_return_null=1',
                UBSAN_OPTIONS='print_stacktrace=1',
                HUGECOV_FAULT_COUNTS=counts, HUGECOV_FAULT='%s:%d' % (kind, n) if n else '')


def looks(lab):
    """A look at a command that fails is told and left out; when all fail from one on, nobody knows the end."""
    def command(*words):
        return faults.Form('check', 'check', '--require', 'rss_kb >= 0', '--', *words, still=False)

    for kind in ('read', 'open'):
        # What is read before the command is there; the first looks at it come next.
        form, first = command('sh', '-c', 'sleep 0.3; true'), lab.run(command('/not-there'),
                                                                      environment, kind, 0)[1][KINDS.index(kind)]
        ends = [lab.run(form, environment, kind, first + i)[0] for i in range(1, 13)]
        told = [e for e in ends if e.status == 0 and 'looks at the command failed' in e.err]
        tap.say(told and all(e.status == 0 or e.err.startswith('hugecov: ') for e in ends),
                'check of a command: a look whose %s fails is told' % kind, [(e.status, e.err) for e in ends])
        end = lab.run(form, lambda counts, k, i: dict(environment(counts, k, i), HUGECOV_FAULT='%s:%d+' % (k, i)),
                      kind, first + 6)[0]
        tap.say(end.status == 2 and 'could not be read to its end' in end.err,
                'check of a command: every %s fails from some look on' % kind, (end.status, end.err))


if os.access(TOOL, os.X_OK):
    # What was optional may be told and passed over; memory is never optional.
    faults.main(TOOL, lambda numbers: dict(zip(KINDS, numbers)), environment, lambda kind: kind == 'alloc', looks)
else:
    tap.skip('faults', 'make CONFIG=faults was not run')
