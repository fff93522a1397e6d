# SPDX-License-Identifier: MIT
"""The tool that is tested, which may run under valgrind: then HUGECOV is a script that starts it so (under_valgrind.py)."""
import os

UNDER = bool(os.environ.get('UNDER'))
ITSELF = os.path.join(os.environ['BUILD'], 'hugecov')  # as it sees itself
SLOW = 10 if UNDER else 1  # times longer what is to last while it looks


def is_itself(process):
    """A process of a report is the tool that made it."""
    return process['comm'].startswith('memcheck-') if UNDER else process['comm'] == 'hugecov'


def refused(p, *words):
    """It ended with status 2 and nothing but an error that has these words. Its output may be text or bytes."""
    out, err = (x.decode('utf-8', 'replace') if isinstance(x, bytes) else x for x in (p.stdout, p.stderr))
    return p.returncode == 2 and not out and err.startswith('hugecov: ') and all(w in err for w in words)
