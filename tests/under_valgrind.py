# SPDX-License-Identifier: MIT
"""VALGRIND=1 of tests/run.py: everything that the tests start runs under valgrind.

Unit and replay programs are started by `under`, and HUGECOV is a script of the same kind, so that status and output
are those of the program while valgrind writes to a log of its own. A log that says anything is a failed check.
"""
import glob
import os
import re
import shutil
import signal

FLAGS = ('-q', '--leak-check=full', '--errors-for-leak-kinds=definite', '--show-leak-kinds=definite',
         '--trace-children=no', '--vgdb=no',
         # what costs time at each start and finds nothing more
         '--read-inline-info=no', '--vex-guest-chase=no')

# What cannot be: (test program, part of the names of its checks or None for all of it, why). Each is counted as skipped.
SKIPPED = (
    ('e2e/test_faults.py', None, 'it runs a build of its own, with sanitizers'),
    ('e2e/test_alloc_faults.py', None, 'it replaces malloc, and so does valgrind'),
    ('e2e/test_harmless.py', None, 'it looks on by strace, which would see what valgrind does'),
    ('e2e/test_signals.py', None, 'it looks on by strace, and counts on signals that come while the tool is fast'),
    ('e2e/test_archives.py', None,
     'it gives a second for archives that take valgrind minutes; unit/test_archive has the same reader'),
    ('e2e/test_storms.py', None, 'a storm has passed before the tool has begun'),
    ('e2e/test_watch_screen.py', 'Ctrl-Z stops it', 'valgrind does not stop'),
    ('e2e/test_watch_screen.py', 'stopped: the terminal is as it was', 'valgrind does not stop'),
    ('e2e/test_watch_screen.py', 'quit after that', 'valgrind does not stop'),
    ('live/test_watch_live.py', 'a loss is seen by them', 'looks that take long are made rarely'),
    ('live/test_watch_live.py', 'full looks are rationed', 'looks that take long are made rarely'),
    ('live/test_watch_live.py', 'nothing is written to the target',
     'it looks on by strace, which would see what valgrind does'),
    ('e2e/test_access.py', 'a command: unshare -pf', 'how else its number is learned, valgrind does not let it'),
    ('e2e/test_access.py', 'without /proc', 'valgrind itself reads /proc/self/maps'),
    ('e2e/test_watch.py', 'memory is flat', 'valgrind keeps what is freed'),
    ('e2e/test_clocks.py', 'counters fall while it watches', 'they have fallen before it has begun'),
    ('e2e/test_moments.py', 'little memory', 'RLIMIT_AS, of which valgrind takes more than is given'),
    ('unit/test_source', 'nothing_leads_out', 'valgrind has no openat2(), without which fewer links are followed'),
    ('unit/test_rule', 'test_exact_at_the_limit', 'valgrind keeps 64 of the 80 bits of a long double'),
    ('e2e/test_memory.py', None, 'what it measures is memory and processor time, and valgrind takes more of both'),
)

# The long ones, so that they do not come last.
FIRST = ('e2e/test_names.py', 'e2e/test_moments.py', 'e2e/test_check.py', 'unit/test_prefix',
         'unit/test_replay', 'e2e/test_perf.py', 'e2e/test_diff.py')

SCRIPT = '''#!/bin/sh
# The process keeps its number through exec: what runs and what valgrind says of it stand under that.
set -C
n=%(logs)s/$$
while ! true >"$n.cmd"; do n=$n+; done 2>/dev/null
printf '%%s ' %(shown)s "$@" >>"$n.cmd"
exec %(valgrind)s %(flags)s --suppressions=%(top)s/tests/valgrind.supp --log-fd=9 %(program)s "$@" 9>"$n.log"
'''

# Ended from outside: valgrind tells that too, and it is no fault.
OUTSIDE = [int(getattr(signal, name)) for name in ('SIGHUP', 'SIGINT', 'SIGPIPE', 'SIGALRM', 'SIGTERM', 'SIGXFSZ')]


# What valgrind 3.19 says where it does not know a system call (openat2): the program gets ENOSYS, and has another way.
UNHANDLED = re.compile(r'^--\d+-- (WARNING: unhandled \S+ syscall: \d+|You may be able|Read the file README_MISSING|Nevertheless we consider|it at http).*\n?', re.M)


# What it says of itself where it had no memory to begin.
NOT_BEGUN = re.compile(r'^--\d+-- translate: 0 guest insns', re.M)


def is_fault(block):
    m = re.match(r'Process terminating with default action of signal (\d+)', block)
    return bool(block.strip()) and not (m and int(m.group(1)) in OUTSIDE)


class Valgrind:
    def __init__(self, top, build):
        self.top, self.build, self.seen = top, os.path.join(top, build), 0
        self.valgrind = shutil.which('valgrind')
        if not self.valgrind:
            raise SystemExit('valgrind is not installed')
        self.folder = os.path.join(self.build, 'valgrind')
        shutil.rmtree(self.folder, ignore_errors=True)

    def place(self, name):
        return os.path.join(self.folder, name.replace('/', '-'))

    def prepare(self, name):
        """(stand-in for the tool, script that starts the program it is given)"""
        place = self.place(name)
        logs = os.path.join(place, 'logs')
        os.makedirs(logs)
        os.chmod(logs, 0o1777)  # some tests run the tool as another user
        made = []
        for script, program, shown in (('hugecov', os.path.join(self.build, 'hugecov'), 'hugecov'), ('under', '', '')):
            made.append(os.path.join(place, script))
            with open(made[-1], 'w') as f:
                f.write(SCRIPT % dict(logs=logs, shown=shown, valgrind=self.valgrind,
                                      flags=' '.join(FLAGS), top=self.top, program=program))
            os.chmod(made[-1], 0o755)
        return made

    def judge(self, name):
        """Lines of TAP of what valgrind said."""
        wrong, commands = [], glob.glob(os.path.join(self.place(name), 'logs/*.cmd'))
        for path in commands:
            log = path[:-3] + 'log'
            with open(log if os.path.exists(log) else os.devnull, errors='replace') as f:
                text = re.sub(r'^==\d+== ?', '', UNHANDLED.sub('', f.read()), flags=re.M)
            if NOT_BEGUN.search(text):
                text = ''
            blocks = [b for b in re.split(r'\n\s*\n', text) if is_fault(b)]
            if blocks or not os.path.exists(log):
                with open(path, errors='replace') as f:
                    wrong.append('not ok - valgrind: %s\n# '
                                 % ascii(f.read()[:400]) + '\n\n'.join(blocks or ['it left no log'])[:2000].replace('\n', '\n# '))
        self.seen += len(commands)
        if not commands:
            return ''
        return '\n'.join(wrong) or 'ok - valgrind: %d programs' % len(commands)


def skipped(path):
    """Why a whole test program is left out, or None."""
    return next((why for name, part, why in SKIPPED if path.endswith(name) and part is None), None)


def excuse(path, out, code):
    """Output and status of a test program, with the checks that cannot be made as skips."""
    before = out
    for name, part, why in SKIPPED:
        if part and path.endswith(name):
            out = re.sub(r'^(?:not )?ok(?: \d+)? - (.*%s.*)$' % re.escape(part),
                         lambda m: 'ok - %s # SKIP %s' % (m.group(1), why), out, flags=re.M)
    return out, 0 if out != before and not re.search(r'^not ok', out, re.M) else code


def first(paths):
    return sorted(paths, key=lambda p: next((i for i, name in enumerate(FIRST) if p.endswith(name)), len(FIRST)))
