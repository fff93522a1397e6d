# SPDX-License-Identifier: MIT
"""What a test says: lines of TAP, which tests/run.py counts, and an exit status for whoever runs one by hand."""

import contextlib
import io
import re

_failed = False


def say(ok, name, detail=''):
    """One result. Of a failed one the detail follows, its first 3000 characters, as comments."""
    global _failed
    _failed |= not ok
    print('%s - %s' % ('ok' if ok else 'not ok', name), flush=True)
    if not ok and str(detail):
        print('# ' + str(detail)[:3000].replace('\n', '\n# '), flush=True)


def skip(name, why):
    """What cannot be tried here; `why` may begin with how many results that leaves out."""
    print('ok - %s # SKIP %s' % (name, why), flush=True)


def failed():
    """Whether anything has failed so far: the exit status of the test."""
    return _failed


def undisturbed(run, state):
    """Results of `run`; when some are bad and `state()` has changed meanwhile, of another attempt, up to three."""
    global _failed
    for attempt in range(3):
        before, so_far, out = state(), _failed, io.StringIO()
        try:
            with contextlib.redirect_stdout(out):
                run()
        finally:
            again = attempt < 2 and state() != before and re.search('^not ok', out.getvalue(), re.M)
            if not again:
                print(out.getvalue(), end='', flush=True)
        if not again:
            return
        _failed = so_far
