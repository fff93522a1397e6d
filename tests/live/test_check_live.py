#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hugecov check on real programs: built good and bad, run as commands, signalled, and every recipe of docs/ci.md."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from tap import failed, say, skip
from thp import policy
from tool import SLOW

HUGECOV, TOP, BUILD = os.environ['HUGECOV'], os.environ['TOP'], os.environ['BUILD']
BLOCKS = os.path.join(BUILD, 'tests/helpers/blocks')


def check(*args, **more):
    return subprocess.run([HUGECOV, 'check', *args], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=120, **more)


def rules(*texts):
    return [w for t in texts for w in ('--require', t)]


# ---- built good and bad ----

LAYOUT = ('needs-advice == 0', 'opted-out == 0', 'odd-length == 0', 'policy_loss_kb == 0')


def builds():
    """(name, arguments of the program, verdicts of LAYOUT) by the policy of this host."""
    needs = policy() == 'madvise'
    good, bad = 'pass', 'fail'
    yield 'advised, multiples of 2 MiB', ('huge', 8192, 2), (good, good, good, good)
    yield 'advised, no multiples', ('huge', 3072 + 1024 * 2, 2), (good, good, bad, good)
    yield 'not advised, multiples', ('none', 8192, 2), (bad if needs else good, good, good, bad if needs else good)
    yield 'not advised, no multiples', ('none', 5120, 2), (bad if needs else good,
                                                           good, good if needs else bad, bad if needs else good)
    yield 'forbidden', ('never', 8192, 2), (good, bad, good, bad)
    yield 'a page above a multiple', ('huge', 8196, 2), (good, good, good, good)


def verdicts(p):
    doc = json.loads(p.stdout)
    return tuple(r['verdict'] for r in doc['rules']), {r['nature'] for r in doc['rules']}


def test_layout():
    for name, args, want in builds():
        seen = []
        for _ in range(10):
            p = subprocess.Popen([BLOCKS, *map(str, args), '0'], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, text=True)
            p.stdout.readline()
            c = check('--format', 'json', *rules(*LAYOUT), str(p.pid))
            p.communicate()
            seen.append(verdicts(c) + (c.returncode,))
        right = (want, {'layout'}, 1 if 'fail' in want else 0)
        say(seen == [right] * 10, '%s: the right verdict ten times of ten' % name,
            [s for s in seen if s != right] + [right])


def test_layout_of_commands():
    for name, args, want in builds():
        seen = []
        for _ in range(2):
            c = check('--format', 'json', *rules(*LAYOUT), '--', BLOCKS, *map(str, args), '300')
            seen.append(verdicts(c)[0] + (c.returncode,))
        right = want + (1 if 'fail' in want else 0,)
        say(seen == [right] * 2, '%s, as a command: the right verdict' % name, seen)


# ---- commands ----

def command(*args, options=(), **more):
    p = check('--format', 'json', *options, '--', *map(str, args), **more)
    return p, json.loads(p.stdout)


def test_commands(folder):
    p, doc = command(BLOCKS, 'huge', 8192, 2, 300 * SLOW,
                     options=rules('rss_kb >= 16MiB', 'counters[vmstat.pgfault].delta > 8'))
    r = doc['rules']
    say(p.returncode == 0 and doc['command']['exit_status'] == 0 and doc['command']['looks'] > 1,
        'a command that ends well', p)
    say(r[0]['moments'] == [] and r[0]['value'] >= 16384, 'its peak lasts to the end: one moment', r[0])
    say(r[1]['value'] > 8 and r[1]['moments'] == [], 'counters of the interval', r[1])
    for ms in (600, 2400, 9600):  # on a busy machine a look costs much, and so there are few
        p, doc = command(BLOCKS, 'free', 16384, 2, ms,
                         options=rules('rss_kb <= 16MiB', 'rss_kb >= 16MiB', 'rss_kb >= 1'))
        if doc['rules'][0]['moments']:
            break
    say(all([m['moment'] for m in r['moments']] == ['peak', 'end'] for r in doc['rules']),
        'it gives memory back: judged at its peak and its end', doc['rules'])
    say([r['verdict'] for r in doc['rules']] == ['fail', 'fail', 'pass']
        and doc['rules'][0]['moments'][0]['value'] > 32768 > 16384 > doc['rules'][0]['moments'][1]['value'],
        'peak and end differ, and each counts', doc['rules'])
    p, doc = command(BLOCKS, 'huge', 8192, 1, 200, 7, options=rules('rss_kb >= 1'))
    say(p.returncode == 2 and doc['command']['exit_status'] == 7 and doc['verdict'] == 'could-not'
        and 'exit status 7' in p.stderr, 'the command\'s own failure', p)
    p, doc = command('sh', '-c', 'sleep 0.2; exit 7', options=rules('rss_kb >= 1'),
                     preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    say(p.returncode == 2 and doc['command']['exit_status'] == 7, 'the same where the caller ignores SIGCHLD', p)
    p, doc = command('sh', '-c', 'kill -9 $$', options=rules('rss_kb >= 1'))
    say(p.returncode == 2 and doc['command']['signal'] == 9 and 'signal 9' in p.stderr,
        'the command ends by a signal', p)
    p, doc = command(os.path.join(folder, 'nosuch'), options=rules('rss_kb >= 1'))
    say(p.returncode == 2 and not doc['command']['ran'] and 'cannot run' in p.stderr, 'a command that is not there', p)
    p, doc = command(folder, options=rules('rss_kb >= 1'))
    say(p.returncode == 2 and not doc['command']['ran'] and 'cannot run' in p.stderr, 'a command that is none', p)
    p, doc = command('sh', '-c', '%s huge 8192 2 300; :' % BLOCKS,
                     options=rules('rss_kb >= 16MiB', 'totals.processes == 2'))
    say([r['verdict'] for r in doc['rules']][0] == 'pass' or doc['rules'][0]['moments'][0]['value'] >= 16384,
        'children are looked at', doc['rules'])
    p, doc = command('printf', '%s', 'a b;c $HOME', options=rules('rss_kb >= 1'))
    say('a b;c $HOME' in p.stderr, 'arguments reach it as they are, without a shell', p.stderr)
    p = check(*rules('rss_kb >= 1'), '--', BLOCKS, 'huge', '2048', '1', '200')
    say('ready' not in p.stdout and 'ready' in p.stderr, 'what it prints does not stand among the results', p)
    out = os.path.join(folder, 'out.txt')
    p = check('--output', out, *rules('rss_kb >= 1'), '--', BLOCKS, 'huge', '2048', '1', '200')
    say(p.stdout == 'ready\n' and 'ready' not in open(out).read(), 'with --output it prints where it would', p)
    p, doc = command(BLOCKS, 'huge', 2048, 1, 200, options=['--samples', '3', *rules('rss_kb >= 1')])
    say(p.returncode == 0 and doc['rules'][0]['samples']['n'] == 3 and p.stderr.count('ready') == 3,
        '--samples runs it so often', p)
    base = os.path.join(folder, 'base.json')
    q = subprocess.Popen([BLOCKS, 'huge', '8192', '2', '0'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    q.stdout.readline()
    subprocess.run([HUGECOV, 'report', '--format', 'json', '--output', base, str(q.pid)], check=True)
    q.communicate()
    for advice, want in (('huge', 0), ('none', 1 if policy() == 'madvise' else 0)):
        p, doc = command(BLOCKS, advice, 8192, 2, 300, options=['--baseline', base, *rules('thp-loss == 0')])
        say(p.returncode == want, 'against a baseline: advice %s' % advice, doc['rules'])


def test_signals():
    for sig, how in ((signal.SIGTERM, 'signal 15'), (signal.SIGUSR1, 'signal 10'), (signal.SIGINT, 'signal 2')):
        p = subprocess.Popen([HUGECOV, 'check', *rules('rss_kb >= 1'), '--', BLOCKS, 'huge', '2048', '1', '20000'],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while 'ready' not in p.stderr.readline():
            pass
        p.send_signal(sig)
        out, err = p.communicate(timeout=30)
        say(p.returncode == 2 and how in err, '%s is passed on, and its end told' % sig.name, (p.returncode, out, err))
    p = subprocess.Popen([HUGECOV, 'check', *rules('rss_kb >= 1'), '--', 'sh',
                          '-c', 'trap "echo got; exit 0" TERM; echo ready; while :; do sleep 0.05; done'],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while 'ready' not in p.stderr.readline():
        pass
    time.sleep(0.3)
    p.send_signal(signal.SIGTERM)
    out, err = p.communicate(timeout=30)
    say(p.returncode == 0 and 'got' in err, 'a command that ends well at a signal is judged', (p.returncode, out, err))


# ---- every recipe ----

def recipes():
    """(line, status, text) of each shell block and each line of a pipeline in docs/ci.md."""
    text = open(os.path.join(TOP, 'docs/ci.md'), encoding='utf-8').read()
    for m in re.finditer(r'^```(\w+)(?: status=(\d))?\n(.*?)^```', text, re.M | re.S):
        line = text[:m.start()].count('\n') + 2
        if m.group(1) == 'sh':
            yield line, int(m.group(2) or 0), m.group(3)
        elif m.group(1) == 'yaml':
            steps = re.findall(r'^ *- run: (.*)$|^    - (hugecov .*)$', m.group(3), re.M)
            yield line, 0, '\n'.join(a or b for a, b in steps)


def script(path, text):
    with open(path, 'w') as f:
        f.write('#!/bin/sh\n' + text)
    os.chmod(path, 0o755)


def run_recipe(text, **more):
    """The output and status of a few lines of shell; whatever they started ends with them."""
    p = subprocess.Popen(['bash', '-e', '-c', text], stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL, start_new_session=True, **more)
    status = p.wait(timeout=120)
    try:
        os.killpg(p.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return status, p.stdout.read()


def test_recipes(folder):
    text = open(os.path.join(TOP, 'docs/ci.md'), encoding='utf-8').read()
    with open(os.path.join(folder, 'hugecov.json'), 'w') as f:
        f.write(re.search(r'```json\n(.*?)```', text, re.S).group(1))
    shutil.copy(os.path.join(TOP, 'tests/fixtures/lkp/radixsort.txt'), folder)
    for name, ms in (('server', 60000), ('bench', 300 * SLOW)):
        program = '%s/%s.bin' % (folder, name)
        shutil.copy(BLOCKS, program)
        script(os.path.join(folder, name), 'exec %s huge 65536 1 %d\n' % (program, ms))
    # Only what this test has started is found.
    script(os.path.join(folder, 'pidof'),
           'for p in /proc/[0-9]*; do [ "$(readlink $p/exe)" = "%s/$1.bin" ] && echo ${p#/proc/}; done; :\n' % folder)
    env = dict(os.environ, PATH='%s:%s:%s' % (folder, os.path.dirname(HUGECOV), os.environ['PATH']),
               GITHUB_STEP_SUMMARY=os.path.join(folder, 'step-summary'))
    n = 0
    for line, want, lines in recipes():
        status, out = run_recipe(lines, cwd=folder, env=env)
        say(status == want, 'docs/ci.md:%d' % line, '%s\nstatus %d\n%s' % (lines, status, out))
        n += 1
    say(n >= 12 and os.path.getsize(env['GITHUB_STEP_SUMMARY']) > 0
        and os.path.exists(os.path.join(folder, 'hugecov.xml')), '%d recipes' % n)


def main():
    if policy() not in ('always', 'madvise'):
        skip('real programs', 'THP is %s here' % policy())
        return False
    test_layout()
    test_layout_of_commands()
    with tempfile.TemporaryDirectory() as folder:
        test_commands(folder)
    test_signals()
    with tempfile.TemporaryDirectory() as folder:
        test_recipes(folder)
    return failed()


if __name__ == '__main__':
    sys.exit(main())
