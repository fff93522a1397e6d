# SPDX-License-Identifier: MIT
"""The tool that is tested, which may run under valgrind: then HUGECOV is a script that starts it so (under_valgrind.py)."""
import os

UNDER = bool(os.environ.get('UNDER'))
ITSELF = os.path.join(os.environ['BUILD'], 'hugecov')  # as it sees itself
SLOW = 10 if UNDER else 1  # times longer what is to last while it looks


def is_itself(process):
    """A process of a report is the tool that made it."""
    return process['comm'].startswith('memcheck-') if UNDER else process['comm'] == 'hugecov'
