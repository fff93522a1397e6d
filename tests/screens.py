# SPDX-License-Identifier: MIT
"""A terminal for tests: tmux on a socket of its own, without anybody's settings."""
import os
import shutil
import subprocess
import tempfile
import time


class Screen:
    """A shell in a terminal of tmux. Waits are for what must appear, never for a time."""

    def __init__(self, cols=80, rows=24, **env):
        self.folder = tempfile.mkdtemp(prefix='hugecov-tmux-')
        self.socket = os.path.join(self.folder, 'socket')
        self.env = dict(os.environ, LC_ALL='C.UTF-8', HOME=self.folder, **env)
        # curses keeps its tables until the program ends, and says so in its manual.
        with open(os.path.join(self.folder, 'leaks'), 'w') as f:
            f.write('leak:libtinfo.so\nleak:libncursesw.so\n')
        self.env['LSAN_OPTIONS'] = 'print_suppressions=0:suppressions=' + f.name
        for name in ('TMUX', 'NO_COLOR', 'COLUMNS', 'LINES'):
            if name not in env:
                self.env.pop(name, None)
        self.tmux('new-session', '-d', '-c', self.folder, '-x', str(cols), '-y', str(rows), 'bash --norc --noprofile')
        self.type("PS1='she''ll> '; clear")
        self.wait('shell>')

    def tmux(self, *args):
        return subprocess.run(['tmux', '-S', self.socket, '-f', '/dev/null', *args],
                              capture_output=True, text=True, env=self.env, timeout=60)

    def keys(self, *keys):
        self.tmux('send-keys', *keys)

    def type(self, line):
        self.tmux('send-keys', '-l', line)
        self.keys('Enter')

    def text(self, escapes=False):
        return self.tmux('capture-pane', '-p', *(['-e'] if escapes else [])).stdout

    def wait(self, what, seconds=40):
        """The screen once `what` (a word, or a function of the text) is there; None: it never was."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            text = self.text()
            if what(text) if callable(what) else what in text:
                return text
            time.sleep(0.05)
        return None

    def resize(self, cols, rows):
        self.tmux('resize-window', '-x', str(cols), '-y', str(rows))

    def close(self):
        self.tmux('kill-server')
        shutil.rmtree(self.folder, ignore_errors=True)


def have_tmux():
    return shutil.which('tmux') is not None
