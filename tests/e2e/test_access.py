#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whose processes may be read, and as which numbers: other users, setuid, hidepid, pid namespaces, a directory of all."""
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

from tap import failed, say, skip
from tool import SLOW, is_itself, refused

HUGECOV, TOP, BUILD = os.environ['HUGECOV'], os.environ['TOP'], os.environ['BUILD']
HELPER = os.path.join(BUILD, 'tests/helpers/moments')
SET = os.path.join(TOP, 'tests/fixtures/set')
NOBODY = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups']


def run(*args, before=(), **more):
    return subprocess.run([*before, HUGECOV, *map(str, args)],
                          **{'capture_output': True, 'text': True, 'stdin': subprocess.DEVNULL, 'timeout': 60, **more})


@contextlib.contextmanager
def target(*words, before=()):
    p = subprocess.Popen([*before, HELPER, *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield int(p.stdout.readline().split()[1])
    finally:
        p.kill()
        p.wait()
        p.stdin.close()
        p.stdout.close()


def commands(pid, tmp):
    """What reads a process, in every command."""
    yield 'report', pid
    yield 'report', '--rollup', pid
    yield 'report', '--format', 'json', pid
    yield 'diff', pid, pid
    yield 'check', '--require', 'rss_kb >= 0', pid
    yield 'watch', '--batch', '--iterations', '1', pid
    yield 'snap', '--force', '-o', os.path.join(tmp, 'x.tar'), pid


def changes_user(tmp):
    """A process that became another user may not be dumped: neither by that user, though it is theirs; root reads it."""
    with target('user', 65534) as pid:
        if os.stat('/proc/%d/smaps' % pid).st_uid != 0:
            return skip('a process that changed its user', 'fs.suid_dumpable lets it be dumped here')
        for args in commands(pid, tmp):
            p = run(*args)
            say(p.returncode == 0 and not p.stderr, 'root reads a process that changed its user: %s' % args[0], p)
            p = run(*args, before=NOBODY)
            say(refused(p, 'it is yours, but it has changed its user', 'Try: sudo ')
                and p.stderr.count('hugecov: ') == 1,
                'that user does not: %s' % args[0], p)
            say(not os.path.exists(os.path.join(tmp, 'x.tar')) or args[0] == 'snap'
                and os.remove(os.path.join(tmp, 'x.tar')) is None, 'nothing is left of it', os.listdir(tmp))
    p = run('report', pid, before=NOBODY)
    say(refused(p, 'there is no process %d' % pid), 'once it has ended that is said', p)


def denied_while_watched():
    """A process that gains privileges under a watch: its last state stays, and the end is said."""
    target = subprocess.Popen([*NOBODY, HELPER, 'hide'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    pid = int(target.stdout.readline().split()[1])
    watch = subprocess.Popen([*NOBODY, HUGECOV, 'watch', '--batch', '-i', '50ms', str(pid)],
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    first = [watch.stdout.readline() for _ in range(3)]
    target.stdin.write('x')
    target.stdin.flush()
    _, err = watch.communicate(timeout=60)
    say(all(first) and watch.returncode in (2, 3) and ('permission denied' in err or 'may not be read any more' in err)
        and err.count('hugecov: ') == 1, 'a process that may not be read any more ends the watch',
        (watch.returncode, err))
    target.kill()
    target.wait()
    target.stdin.close()
    target.stdout.close()


def commands_of_others(tmp):
    """A command that may not be read, or starts such a one, is not measured."""
    theirs = os.path.join(tmp, 'sleep')
    shutil.copy(shutil.which('sleep'), theirs)
    os.chmod(theirs, 0o4755)
    if os.statvfs(tmp).f_flag & os.ST_NOSUID:
        return skip('a command of another user', 'nothing is setuid in %s' % tmp)
    rule = ('--require', 'rss_kb >= 0', '--')
    alone = theirs, str(0.3 * SLOW)
    child = 'sh', '-c', '%s %g & sleep %g' % (theirs, 0.9 * SLOW, 0.4 * SLOW)
    p = run('check', *rule, *alone, before=NOBODY)
    say(refused(p, 'permission denied'), 'a command that becomes root', p)
    p = run('check', *rule, *child, before=NOBODY)
    say(refused(p, 'permission denied', 'The command started it'), 'one that starts such a one', p)
    p = run('check', '--allow-partial', *rule, *child, before=NOBODY)
    say(p.returncode == 0 and 'not complete' in p.stdout, 'with --allow-partial the others are judged, and it says so',
        p)
    p = run('check', *rule, 'sh', '-c', '%s %g; sleep %g; :' % (theirs, 0.2 * SLOW, 0.4 * SLOW), before=NOBODY)
    say(p.returncode == 0, 'one that had ended before does not matter', p)
    p = run('check', '--format', 'json', *rule, *child)
    say(p.returncode == 0, 'root may', p)


def outputs(tmp):
    """Where one may not write: an error, and nothing is left."""
    there = os.path.join(tmp, 'there')
    os.mkdir(there, 0o755)
    smaps = os.path.join(TOP, 'tests/fixtures/malloc128/before.txt')
    with open(smaps, 'rb') as f:
        data = f.read()
    mine = os.path.join(tmp, 'smaps')
    with open(mine, 'wb') as f:
        f.write(data)
    for name, args in (('--output', ('report', '--output', there + '/x', mine)),
                       ('--update-budget', ('check', '--update-budget', there + '/x', mine)),
                       ('snap -o', ('snap', '-o', there + '/x', 'self')),
                       ('snap to a tar', ('snap', '-o', there + '/x.tar.gz', 'self')),
                       ('--record', ('watch', '--batch', '--iterations', '1', '--record', there + '/x', 'self'))):
        p = run(*args, before=NOBODY)
        say(p.returncode == 2 and p.stderr.startswith('hugecov: ') and 'Permission denied' in p.stderr
            and not os.listdir(there), 'EACCES: %s' % name, p)


def hidden(tmp):
    """Under hidepid others' processes are not seen, or only their number is."""
    probe = subprocess.run(['unshare', '-mpf', 'sh', '-c', 'mount -t proc -o hidepid=2 proc /proc'],
                           capture_output=True, text=True)
    if probe.returncode:
        return skip('hidepid', 'no mount namespace can be made here')
    text = r'''
        mount -t proc -o hidepid=$3 proc /proc && sleep 60 & theirs=$!
        shift 3
        for i in 1 2 3 4 5 6 7 8 9; do [ "$(cat /proc/$theirs/comm)" = sleep ] && break; sleep 0.1; done
        [ "$8" != diff ] || set -- "$@" $theirs
        "$@" $theirs; status=$?
        kill $theirs; exit $status'''
    for level, words in ((1, ('permission denied',)), (2, ('is hidden from you (/proc is mounted with hidepid)',))):
        for args in commands('', tmp):
            p = subprocess.run(['unshare', '-mpf', 'sh', '-c', text, 'sh', '-', '-', str(level), *NOBODY,
                                HUGECOV, *(a for a in args if a != '')], capture_output=True, text=True, timeout=60)
            say(refused(p, *words, 'hugecov %s ' % args[0]), 'hidepid=%d: %s' % (level, args[0]), p)
    inside = 'mount -t proc -o hidepid=2 proc /proc && exec "$@"'
    for args in (('report', 'self'), ('report', '/'), ('check', '--require', 'rss_kb >= 1', '--', 'sleep', '0.2'),
                 ('watch', '--batch', '--iterations', '1', 'self')):
        p = subprocess.run(['unshare', '-mpf', 'sh', '-c', inside, 'sh', *NOBODY, HUGECOV, *args],
                           capture_output=True, text=True, timeout=60)
        say(p.returncode == 0 and not p.stderr, "one's own are seen: %s" % ' '.join(args[:2]), p)


def namespaces(tmp):
    """Numbers are those of the /proc that is read. self and a command are found where these are not one's own."""
    if subprocess.run(['unshare', '-pf', 'true'], capture_output=True).returncode:
        return skip('pid namespaces', 'none can be made here')
    with target('many', 10, before=['unshare', '-pf', '--kill-child']) as inner:
        outer = int(subprocess.run(['pgrep', '-nx', 'moments'], capture_output=True,
                                   text=True).stdout) if shutil.which('pgrep') else None
        say(inner == 1, 'it is number 1 where it lives', inner)
        if outer:
            p = run('report', '--format', 'json', outer)
            say(p.returncode == 0 and json.loads(p.stdout)['process']
                and json.loads(p.stdout)['process']['pid'] == outer,
                'a process of another pid namespace, by the number it has here', p)
    child = ['unshare', '-pf']
    docs = {}
    for how in (child, [*child, '--mount-proc']):
        p = run('report', '--format', 'json', 'self', before=how)
        docs[len(how)] = p.returncode == 0 and json.loads(p.stdout)['process']
        say(docs[len(how)] and is_itself(docs[len(how)]), 'self: %s' % ' '.join(how), p)
        p = run('watch', '--batch', '--iterations', '1', '--format', 'json', 'self', before=how)
        say(p.returncode == 0 and is_itself(json.loads(p.stdout)['process']),
            'watch self: %s' % ' '.join(how), p)
        p = run('check', '--format', 'json', '--require', 'rss_kb >= 16MiB',
                '--', os.path.join(BUILD, 'tests/helpers/blocks'), 'huge', 8192, 2, 300 * SLOW, before=how)
        say(p.returncode == 0 and json.loads(p.stdout)['command']['looks'] > 1, 'a command: %s' % ' '.join(how), p)
        p = run('snap', '--force', '-o', os.path.join(tmp, 'self.tar'), 'self', before=how)
        q = run('report', '--format', 'json', os.path.join(tmp, 'self.tar'))
        say(p.returncode == 0 and q.returncode == 0 and is_itself(json.loads(q.stdout)['process']),
            'snap self: %s' % ' '.join(how), (p, q))
    say(docs[2]['pid'] > 1 and docs[3]['pid'] == 1, 'each by the number that /proc has for it', docs)
    text = '"$0" report $$; exit'
    p = subprocess.run(['unshare', '-pf', 'sh', '-c', text, HUGECOV], capture_output=True, text=True)
    say('another pid namespace' in p.stdout + p.stderr or (refused(p, '/proc/1/smaps')),
        "a number of one's own is not taken for that of /proc in silence", p)
    if 'asan' in BUILD or 'faults' in BUILD:
        return skip('without /proc', 'a sanitizer reads it itself')
    text = '"$0" report self; "$0" check --require "rss_kb >= 0" -- sleep 0.1'
    p = subprocess.run(['unshare', '-mpf', 'sh', '-c', 'mount -t tmpfs none /proc && ' + text, HUGECOV],
                       capture_output=True, text=True)
    say(p.returncode == 2 and not p.stdout and p.stderr.count('hugecov: ') == 2, 'without /proc', p)


def directories(tmp):
    """Of all processes of a directory those that may not be read are left out, and counted."""
    tree = os.path.join(tmp, 'tree')
    shutil.copytree(SET, tree)
    os.chmod(tmp, 0o755)
    for folder, _, files in os.walk(tree):
        os.chmod(folder, 0o755)
        for f in files:
            os.chmod(os.path.join(folder, f), 0o644)
    pids = sorted(p for p in os.listdir(os.path.join(tree, 'proc')) if p.isdigit())
    whole = json.loads(run('report', '--format', 'json', tree).stdout)
    say(whole['totals']['left_out'] == 0 and whole['totals']['processes'] == len(pids) == 3,
        'all may be read: none is left out', whole['totals'])
    os.chmod(os.path.join(tree, 'proc', pids[0], 'smaps'), 0)
    p = run('report', '--format', 'json', tree, before=NOBODY)
    doc = json.loads(p.stdout) if p.returncode == 0 else {'totals': None}
    say(doc['totals'] and doc['totals']['left_out'] == 1
        and [x['process']['pid'] for x in doc['processes']] == [int(x) for x in pids[1:]], 'one may not', p)
    rest = json.loads(run('report', '--format', 'json', '--pid', pids[1], '--pid', pids[2], tree).stdout)
    say(doc['totals'] and doc['totals']['rss_kb'] == rest['totals']['rss_kb'], 'it is in no total', doc['totals'])
    p = run('report', tree, before=NOBODY)
    say(p.returncode == 0 and '1 of the 3 processes may not be read: left out' in ' '.join(p.stdout.split()),
        'and that is said', p)
    for args in (('report', '--strict', tree), ('report', '--pid', pids[0], tree),
                 ('check', '--require', 'rss_kb >= 0', tree), ('diff', tree, tree),
                 ('diff', '--before', tree, tree, '--after', tree, tree)):
        p = run(*args, before=NOBODY)
        say(refused(p, 'permission denied') or refused(p, 'may not be read'),
            'where all count it is an error: %s' % ' '.join(args[:2]), p)
    p = run('check', '--allow-partial', '--require', 'rss_kb >= 0', tree, before=NOBODY)
    say(p.returncode == 0 and '1 of the 3 processes may not be read' in p.stdout,
        'unless --allow-partial says otherwise', p)
    p = run('diff', '--allow-partial', tree, tree, before=NOBODY)
    say(p.returncode == 0 and '2 and 2 processes' in p.stdout, 'a diff too', p)
    for pid in pids[1:]:
        os.chmod(os.path.join(tree, 'proc', pid, 'smaps'), 0)
    p = run('report', tree, before=NOBODY)
    say(refused(p, 'permission denied', 'None of its 3 processes may be read'), 'none may be read', p)


def kernel_threads():
    for d in os.listdir('/proc'):
        with contextlib.suppress(OSError):
            if d.isdigit() and int(open('/proc/%s/stat' % d).read().rsplit(')', 1)[1].split()[6]) & 0x200000:
                yield int(d)


def live_directory():
    with target('many', 10) as root, target('many', 10, before=NOBODY) as nobody:
        for who, more, sees in (('root', [], {root, nobody}), ('nobody', NOBODY, {nobody})):
            p = run('report', '--format', 'json', '/', before=more)
            doc = json.loads(p.stdout) if p.returncode == 0 else {'processes': [], 'totals': p}
            pids = {x['process']['pid'] for x in doc['processes']}
            say(pids & {root, nobody} == sees, 'report / as %s' % who, (pids, doc['totals']))
            say(pids and not pids & set(kernel_threads()), 'kernel threads have no memory of their own, as %s' % who,
                pids & set(kernel_threads()))
            say(pids and (who == 'root' or doc['totals']['left_out'] > 0),
                'what may not be read is counted, as %s' % who, doc['totals'])
            p = run('report', '/', before=more)
            say(p.returncode == 0 and ' processes in /' in p.stdout
                and (who == 'root' or 'may not be read: left out' in ' '.join(p.stdout.split())),
                'as text, as %s' % who, p)


def main():
    if os.geteuid() != 0:
        return skip('other users', 'only root can become another user')
    for part in (changes_user, commands_of_others, outputs, hidden, namespaces, directories):
        with tempfile.TemporaryDirectory(prefix='hugecov-access.') as tmp:
            os.chmod(tmp, 0o777)
            part(tmp)
    denied_while_watched()
    live_directory()
    sys.exit(failed())


main()
