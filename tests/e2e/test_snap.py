#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hugecov snap: what is saved, where, and that nothing half is ever left behind."""
import contextlib
import glob
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time

import mini_schema
from tap import failed, say, skip
from tool import ITSELF

HUGECOV = os.environ['HUGECOV']
SYSTEM = ('proc/meminfo', 'proc/vmstat', 'proc/version', 'proc/sys/kernel/osrelease', 'proc/sys/kernel/random/boot_id')
PROCESS = ('smaps', 'smaps_rollup', 'status', 'stat', 'comm', 'cgroup')


def snap(*args, **more):
    return subprocess.run([HUGECOV, 'snap', *map(str, args)], capture_output=True,
                          text=True, stdin=subprocess.DEVNULL, **more)


def leftovers(folder):
    return glob.glob(os.path.join(folder, '.hugecov-*'))


@contextlib.contextmanager
def sleeper(**more):
    p = subprocess.Popen(['sleep', '1000'], **more)
    while open('/proc/%d/comm' % p.pid).read() != 'sleep\n':
        time.sleep(0.01)
    time.sleep(0.05)
    try:
        yield p
    finally:
        p.kill()
        p.wait()


def tree(folder):
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            found[os.path.relpath(path, folder)] = open(path, 'rb').read()
    return found


def shell_lines():
    page = open(os.path.join(os.environ['TOP'], 'man/hugecov.1')).read()
    return page.split('.Sh SNAPSHOTS')[1].split('.Bd -literal -offset indent\n')[1].split('.Ed')[0].replace('\\e\n', '\\\n')


def steady(text):
    """Without what changes when others map the same libraries, or the kernel ages pages."""
    moving = (b'Pss', b'Shared_', b'Private_', b'Referenced')
    return [line for line in text.split(b'\n') if not line.startswith(moving)]


def unpacked(archive):
    """A tar by any compression: zstd is left to the program, which Python cannot read."""
    if archive.endswith('zst'):
        p = subprocess.run(['zstd', '-dc', archive], capture_output=True, check=True)
        with tempfile.TemporaryFile() as f:
            f.write(p.stdout)
            f.seek(0)
            with tarfile.open(fileobj=f) as t:
                return {m.name: t.extractfile(m).read() for m in t}
    with tarfile.open(archive) as t:
        return {m.name: t.extractfile(m).read() for m in t}


def what_is_saved(tmp):
    with sleeper() as p:
        target = os.path.join(tmp, 'dir')
        r = snap(p.pid, '-o', target)
        say(r.returncode == 0 and r.stdout.startswith('Saved 1 process, ') and not r.stderr,
            'a process as a directory', r)
        files = tree(target)
        wanted = set(SYSTEM) | {'proc/%d/%s' % (p.pid, f) for f in PROCESS} | {'manifest.json'}
        say(wanted <= set(files), 'all that the other commands read is there', wanted - set(files))
        for name in ('smaps', 'smaps_rollup', 'stat', 'comm', 'cgroup'):
            path = 'proc/%d/%s' % (p.pid, name)
            say(steady(files[path]) == steady(open('/' + path, 'rb').read()),
                '%s is as the kernel says' % name, (files[path], open('/' + path, 'rb').read()))
        thp = '/sys/kernel/mm/transparent_hugepage'
        settings = {k[1:] for k in glob.glob(thp + '/**', recursive=True) if os.path.isfile(k)}
        say(settings <= set(files), 'all THP settings are there', settings - set(files))
        say(not any('environ' in f or 'cmdline' in f for f in files), 'neither command line nor environment')
        modes = {os.stat(os.path.join(at, n)).st_mode & 0o777 for at, d, f in os.walk(target) for n in f}
        say(modes == {0o600} and os.stat(target).st_mode & 0o777 == 0o700, 'readable by the owner alone', modes)
        m = json.loads(files['manifest.json'])
        faults = list(mini_schema.validate(m,
                                           json.load(open(os.path.join(os.environ['TOP'], 'schemas/hugecov.snapshot-1.json')))))
        say(not faults, 'the manifest fits its schema', faults)
        stat = open('/proc/%d/stat' % p.pid).read().rsplit(')', 1)[1].split()
        say(m['schema'] == 'hugecov.snapshot/1' and m['kernel'] == os.uname().release
            and m['complete'] is True and m['unread'] == []
            and m['boot_id'] == open('/proc/sys/kernel/random/boot_id').read().strip()
            and m['processes'] == [{'pid': p.pid, 'comm': 'sleep', 'state': 'S',
                                    'start_ticks': int(stat[19]), 'complete': True}], 'the manifest', m)
        r = snap(p.pid, '--cmdline', '-o', os.path.join(tmp, 'cmd'))
        say(tree(os.path.join(tmp, 'cmd')).get('proc/%d/cmdline' % p.pid) == b'sleep\x001000\x00',
            '--cmdline saves it', r)
        for end in ('tar', 'tar.gz', 'tgz', 'tar.xz', 'tar.zst'):
            path = os.path.join(tmp, 'a.' + end)
            r = snap(p.pid, '-o', path)
            if end == 'tar.zst' and not shutil.which('zstd'):
                skip('a ' + end, 'zstd is not installed')
                continue
            members = unpacked(path)
            same = steady(members['proc/%d/smaps' % p.pid]) == steady(files['proc/%d/smaps' % p.pid])
            say(r.returncode == 0 and set(members) == set(files) and same, 'a ' + end, r)
            again = os.path.join(tmp, 'again-' + end.replace('.', '-'))
            r = snap('--root', path, p.pid, '-o', again)
            back = tree(again)
            back.pop('manifest.json', None)
            members.pop('manifest.json', None)
            say(r.returncode == 0 and back == members, 'a %s is a --root to read from' % end, r)
        shell = os.path.join(tmp, 'shell')
        r = subprocess.run(['sh', '-c', shell_lines().replace('P=4711 D=snap', 'P=%d D=%s' % (p.pid, shell))],
                           capture_output=True, text=True)
        say(not r.stderr and set(tree(shell)) | {'manifest.json'} == set(files),
            'the lines of the man page save the same files', (r, set(files) ^ set(tree(shell))))
    say(not leftovers(tmp), 'nothing else is left behind', leftovers(tmp))


def report(*args):
    p = subprocess.run([HUGECOV, 'report', '--format', 'json', *map(str, args)],
                       capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return json.loads(p.stdout) if p.returncode == 0 else p


def unmoving(doc):
    """What a process at rest and its machine keep: no counters, and not how the report came by it."""
    doc = json.loads(json.dumps(doc))
    for key in ('kind', 'path', 'time'):
        del doc['source'][key]
    for key in ('meminfo', 'vmstat', 'nodes'):
        doc['system'][key] = sorted(doc['system'][key]) if isinstance(doc['system'][key], dict) else None
    for size in doc['system']['thp_sizes']:
        size['stats'] = sorted(size['stats'])
    for key in list(doc['system']['thp']):
        if key in ('khugepaged/full_scans', 'khugepaged/pages_collapsed'):
            del doc['system']['thp'][key]
    del doc['totals']['pss_kb']
    for v in doc['vmas']:
        v['smaps'] = {k: n for k, n in v['smaps'].items()
                      if not k.startswith(('Pss', 'SwapPss', 'Shared_', 'Private_', 'Referenced'))}
    return doc


def round_trips(tmp):
    """Live, then saved: the same but for what moves. Saved in one form or the other: the very same."""
    with sleeper() as p:
        live = report(p.pid)
        target = os.path.join(tmp, 'dir')
        before = time.time()
        snap(p.pid, '-o', target)
        saved = report(target)
        say(unmoving(saved) == unmoving(live), 'a snapshot reports like the process', (saved, live))
        taken = json.load(open(os.path.join(target, 'manifest.json')))['time']
        say(taken[:23] == saved['source']['time'][:23] and taken[:4] == time.strftime('%Y', time.gmtime(before)),
            'at the time when it was taken', (taken, saved['source']['time']))
    for end in ('tar', 'tar.gz', 'tar.xz', 'tar.zst'):
        path = os.path.join(tmp, 'a.' + end)
        r = snap('--root', target, p.pid, '-o', path)
        back = report(path)
        back['source']['path'] = target
        say(back == saved, 'a %s of a snapshot reports like it, to the last number and the time' % end,
            (r, back, saved))
        back = report('--root', path, p.pid)
        back['source'].update(kind='snapshot', path=target)
        say(back == saved, 'and as --root', (back, saved))
    folder = os.path.join(tmp, 'support-tool')
    os.mkdir(folder)
    os.rename(target, os.path.join(folder, 'host-2026'))
    os.remove(os.path.join(folder, 'host-2026/manifest.json'))
    subprocess.run(['tar', '-czf', path, 'support-tool/host-2026'], cwd=tmp, check=True)
    back = report(path)
    back['source']['path'] = target
    saved['source']['time'] = None
    say(back == saved, 'a tar with folders around it and without a manifest', (back, saved))
    other = os.path.join(tmp, 'shell')
    with sleeper() as p:
        subprocess.run(['sh', '-c', shell_lines().replace('P=4711 D=snap', 'P=%d D=%s' % (p.pid, other))], check=True)
        r = snap(p.pid, '-o', os.path.join(tmp, 'tool'))
        say(unmoving(report(other)) == unmoving(report(os.path.join(tmp, 'tool'))),
            'a snapshot by the lines of the man page is read alike', r)


def incomplete(tmp):
    """A manifest that says that a process ended while it was read; one that is damaged; one from the future."""
    with sleeper() as p:
        target = os.path.join(tmp, 'dir')
        snap(p.pid, '-o', target)
    manifest = os.path.join(target, 'manifest.json')
    text = open(manifest).read()
    os.chmod(manifest, 0o600)
    open(manifest, 'w').write(text.replace('"complete":true', '"complete":false'))
    say(report(target)['source']['complete'] is False, 'what the manifest says is incomplete is')
    for name, broken in (('damaged', text[:-20]), ('of a later version', text.replace('snapshot/1', 'snapshot/2')),
                         ('empty', '')):
        open(manifest, 'w').write(broken)
        doc = report(target)
        say(doc['source']['complete'] is True and doc['source']['time'] is None,
            'a manifest that is %s says nothing' % name, doc)


def several(tmp):
    with sleeper() as p, sleeper() as q:
        r = snap(p.pid, q.pid, p.pid, '-o', os.path.join(tmp, 'two'))
        m = json.load(open(os.path.join(tmp, 'two/manifest.json')))
        say([x['pid'] for x in m['processes']] == [p.pid, q.pid], 'two processes, each once', r)
        r = snap('--all-pids', '-o', os.path.join(tmp, 'all'))
        m = json.load(open(os.path.join(tmp, 'all/manifest.json')))
        pids = [x['pid'] for x in m['processes']]
        say(r.returncode == 0 and {p.pid, q.pid} <= set(pids) and len(set(pids)) == len(pids), '--all-pids', r)
        # One that is let alone belongs to somebody else: listed, and no error.
        if os.geteuid() == 0:
            ours = os.path.join(tmp, 'ours')
            os.mkdir(ours)
            os.chmod(tmp, 0o755)
            os.chown(ours, 65534, 65534)
            nobody = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', HUGECOV, 'snap']
            r = subprocess.run(nobody + ['--all-pids', '-o', os.path.join(ours, 'all')], capture_output=True, text=True)
            m = json.load(open(os.path.join(ours, 'all/manifest.json')))
            denied = {x['file']: x['why'] for x in m['unread']}
            say(r.returncode == 0 and denied.get('proc/%d/smaps' % p.pid) == 'permission denied'
                and 'more not read' in r.stdout, '--all-pids as nobody lists what it may not read', (r, m))
            r = subprocess.run(nobody + [str(p.pid), '-o', os.path.join(ours, 'one')], capture_output=True, text=True)
            say(r.returncode == 2 and 'permission denied (it belongs to root; you are ' in r.stderr
                and 'Try: sudo ' + ITSELF + ' snap %d -o ' % p.pid in r.stderr
                and sorted(os.listdir(ours)) == ['all'], 'a process of somebody else is refused in words', r)
            r = subprocess.run(nobody + [str(p.pid), '-o', os.path.join(tmp, 'no')], capture_output=True, text=True)
            say(r.returncode == 2 and 'Permission denied' in r.stderr, 'a folder that may not be written', r)
        else:
            skip('--all-pids as nobody', 'only root can become another user')


STORM = '''
import os, time
end = time.monotonic() + 20
while time.monotonic() < end:
    pid = os.fork()
    if pid == 0:
        if os.getpid() % 2:
            os.execvp('true', ['true'])
        os._exit(0)
    if pid % 3:
        os.waitpid(pid, 0)
    time.sleep(0.001)
'''


def storm(tmp):
    """Processes come, exec, go and stay as zombies while they are saved."""
    p = subprocess.Popen([sys.executable, '-c', STORM])
    wrong = []
    try:
        for i in range(4):
            target = os.path.join(tmp, 'storm%d' % i)
            r = snap('--all-pids', '-o', target)
            m = json.load(open(os.path.join(target, 'manifest.json'))) if r.returncode == 0 else None
            if not m or not m['complete'] or any(x['why'] != 'permission denied' for x in m['unread']):
                wrong.append((r, m))
                continue
            for x in m['processes']:
                if not os.path.exists(os.path.join(target, 'proc/%d/stat' % x['pid'])):
                    wrong.append((x, os.listdir(os.path.join(target, 'proc/%d' % x['pid']))))
    finally:
        p.kill()
        p.wait()
    say(not wrong, 'a storm of processes that come and go: 4 snapshots', wrong[:2])


def hidden(tmp):
    """hidepid: somebody else's process is there for kill(2) and not in /proc."""
    if os.geteuid() != 0:
        return skip('hidepid', 'only root can mount')
    os.chmod(tmp, 0o777)
    with sleeper() as p:
        script = ('mount -t proc -o hidepid=invisible proc /proc && '
                  'exec setpriv --reuid 65534 --regid 65534 --clear-groups "$1" snap "$2" -o "$3"')
        r = subprocess.run(['unshare', '-m', 'sh', '-c', script, 'sh', HUGECOV, str(p.pid), os.path.join(tmp, 'x')],
                           capture_output=True, text=True)
        if r.returncode == 32 or 'unshare' in r.stderr or 'mount' in r.stderr.split('hugecov')[0]:
            return skip('hidepid', 'no mounts allowed here')
        say(r.returncode == 2 and 'process %d is hidden from you (/proc is mounted with hidepid)' % p.pid in r.stderr,
            'a process that hidepid hides', r)


def deep(folder, levels):
    """Folders in each other, with a file in each and two in some."""
    fd = os.open(folder, os.O_RDONLY)
    for i in range(levels):
        os.mkdir('d', dir_fd=fd)
        if i % 7 == 0:
            os.mkdir('e', dir_fd=fd)
        os.close(os.open('f', os.O_CREAT, dir_fd=fd))
        below = os.open('d', os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = below
    os.close(fd)


def stays(tmp, pid):
    """What may not be removed is told, and the snapshot is there all the same."""
    if os.geteuid() != 0:
        return skip('what cannot be removed', 'only root can become another user')
    home = os.path.join(tmp, 'theirs')
    os.mkdir(home)
    os.chmod(tmp, 0o755)
    subprocess.run([HUGECOV, 'snap', str(pid), '-o', os.path.join(home, 'old')], stdout=subprocess.DEVNULL, check=True)
    for path, _, files in os.walk(home):
        for name in [path] + [os.path.join(path, f) for f in files]:
            os.chown(name, 65534, 65534)
    os.chown(os.path.join(home, 'old/proc', str(pid)), 0, 0)
    r = subprocess.run(['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', HUGECOV, 'snap', 'self',
                        '-o', os.path.join(home, 'old'), '--force'], capture_output=True, text=True)
    left = leftovers(home)
    say(r.returncode == 0 and len(left) == 1 and left[0] + ': could not be removed altogether: ' in r.stderr,
        'what cannot be removed is told', (r, left))


def refusals(tmp):
    with sleeper() as p:
        r = snap(p.pid)
        say(r.returncode == 2 and '-o' in r.stderr, 'no target', r)
        r = snap('-o', os.path.join(tmp, 'x'))
        say(r.returncode == 2 and 'PID' in r.stderr, 'no process', r)
        for word in ('x', '0', '-1', '99999999999999999999', '1 2', ''):
            r = snap('-o', os.path.join(tmp, 'x'), '--', word)
            say(r.returncode == 2, 'no PID: %r' % word, r)
        for name in ('a.zip', 'a.gz', 'a.7z', '.', '..', '/', '', 'no/such/folder', 'y' * 300):
            r = snap(p.pid, '-o', name if name in ('.', '..', '/', '') else os.path.join(tmp, name))
            say(r.returncode == 2 and r.stderr.startswith('hugecov: ') and not r.stdout, 'no target: %.20r' % name, r)
        victim = os.path.join(tmp, 'victim')
        open(victim, 'w').write('precious\n')
        for end in ('link', 'link.tar'):
            link = os.path.join(tmp, end)
            os.symlink(victim, link)
            for force in ([], ['--force']):
                r = snap(p.pid, '-o', link, *force)
                say(r.returncode == 2 and open(victim).read() == 'precious\n' and os.path.islink(link),
                    'a planted link is not followed: %s %s' % (end, force), r)
        file = os.path.join(tmp, 'a.tar')
        open(file, 'w').write('old\n')
        r = snap(p.pid, '-o', file)
        say(r.returncode == 2 and 'File exists' in r.stderr and '--force' in r.stderr and open(file).read() == 'old\n',
            'an existing file is kept', r)
        r = snap(p.pid, '-o', file, '--force')
        say(r.returncode == 0 and 'manifest.json' in unpacked(file), '--force replaces it', r)
        folder = os.path.join(tmp, 'dir')
        say(snap(p.pid, '-o', folder).returncode == 0, 'a directory')
        open(os.path.join(folder, 'proc', 'extra'), 'w').write('x')
        r = snap(p.pid, '-o', folder)
        say(r.returncode == 2 and os.path.exists(os.path.join(folder, 'proc/extra')),
            'an existing directory is kept', r)
        r = snap(p.pid, '-o', folder + '///', '--force')
        say(r.returncode == 0 and not os.path.exists(os.path.join(folder, 'proc/extra')),
            '--force replaces a snapshot', r)
        deep(os.path.join(folder, 'proc'), 3000)
        r = snap(p.pid, '-o', folder, '--force', preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)))
        say(r.returncode == 0 and not r.stderr and sorted(os.listdir(folder)) == ['manifest.json', 'proc', 'sys']
            and not leftovers(tmp), '--force replaces a deep one', r)
        stays(tmp, p.pid)
        open(os.path.join(folder, 'thesis.txt'), 'w').write('x')
        r = snap(p.pid, '-o', folder, '--force')
        say(r.returncode == 2 and os.path.exists(os.path.join(folder, 'thesis.txt')),
            '--force does not replace a directory that holds other things', r)
        os.mkdir(os.path.join(tmp, 'home'))
        open(os.path.join(tmp, 'home', 'proc'), 'w').write('x')
        r = snap(p.pid, '-o', os.path.join(tmp, 'home'), '--force')
        say(r.returncode == 2 and os.path.exists(os.path.join(tmp, 'home/proc')),
            '--force does not replace what is no snapshot', r)
        os.mkdir(os.path.join(tmp, 'empty'))
        r = snap(p.pid, '-o', os.path.join(tmp, 'empty'), '--force')
        say(r.returncode == 0, '--force replaces an empty directory', r)
    r = snap(p.pid, '-o', os.path.join(tmp, 'gone'))
    say(r.returncode == 2 and 'there is no process %d' % p.pid in r.stderr
        and not os.path.exists(os.path.join(tmp, 'gone')), 'a process that has ended', r)
    say(not leftovers(tmp), 'nothing else is left behind', leftovers(tmp))


def zombie(tmp):
    p = subprocess.Popen(['true'])
    while 'Z (zombie)' not in open('/proc/%d/status' % p.pid).read():
        time.sleep(0.01)
    r = snap(p.pid, '-o', os.path.join(tmp, 'zombie'))
    say(r.returncode == 0 and os.path.getsize(os.path.join(tmp, 'zombie/proc/%d/smaps' % p.pid)) == 0,
        'a zombie has no mappings', r)
    p.wait()


def big_root(tmp):
    """A saved tree whose smaps takes long to compress."""
    root = os.path.join(tmp, 'root')
    os.makedirs(os.path.join(root, 'proc/7'))
    open(os.path.join(root, 'proc/meminfo'), 'w').write('MemTotal: 1 kB\n')
    with open(os.path.join(root, 'proc/7/smaps'), 'wb') as f:
        f.write(random.Random(1).randbytes(8 << 20))
    return root


def bad_ends(tmp):
    root = big_root(tmp)
    out = os.path.join(tmp, 'out')
    os.mkdir(out)
    for name in ('full.tar', 'full.tar.gz', 'full'):
        r = snap('--root', root, 7, '-o', os.path.join(out, name),
                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)))
        say(r.returncode == 2 and 'writing failed: File too large' in r.stderr and not os.listdir(out),
            'a limit on the size of files: %s' % name, r)
    if os.geteuid() == 0:
        script = 'mount -t tmpfs -o size=4m none "$1" && "$2" snap --root "$3" 7 -o "$1/$4"; echo "exit $?"; ls -A "$1"'
        for name in ('full.tar', 'full'):
            r = subprocess.run(['unshare', '-m', 'sh', '-c', script, 'sh', out, HUGECOV, root, name],
                               capture_output=True, text=True)
            if 'mount' in r.stderr or 'unshare' in r.stderr:
                skip('a full disk: ' + name, 'no mounts allowed here')
            else:
                say(r.stdout == 'exit 2\n' and 'No space left on device' in r.stderr, 'a full disk: ' + name, r)
    else:
        skip('a full disk', 'only root can mount one')
    for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        p = subprocess.Popen([HUGECOV, 'snap', '--root', root, '7', '-o', os.path.join(out, 'x.tar.xz')],
                             stdout=subprocess.DEVNULL)
        while p.poll() is None and not leftovers(out):
            time.sleep(0.002)
        p.send_signal(sig)
        say(p.wait() == -sig and not os.listdir(out), 'nothing half is left after %s' % sig.name,
            (p.returncode, os.listdir(out)))
    p = subprocess.Popen(['nohup', HUGECOV, 'snap', '--root', root, '7', '-o', os.path.join(out, 'x.tar.gz')],
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    while p.poll() is None and not leftovers(out):
        time.sleep(0.002)
    p.send_signal(signal.SIGHUP)
    say(p.wait() == 0 and os.listdir(out) == ['x.tar.gz'], 'under nohup it goes on', (p.returncode, os.listdir(out)))


def hostile_root(tmp):
    root = os.path.join(tmp, 'root')
    os.makedirs(os.path.join(root, 'proc/7'))
    os.makedirs(os.path.join(root, 'sys/kernel/mm/transparent_hugepage/deep/' + 'd/' * 30))
    open(os.path.join(root, 'proc/7/smaps'), 'w').write('')
    os.symlink('/etc/passwd', os.path.join(root, 'proc/meminfo'))
    os.symlink('../../../../../../../etc', os.path.join(root, 'sys/kernel/mm/transparent_hugepage/up'))
    os.symlink('.', os.path.join(root, 'sys/kernel/mm/transparent_hugepage/loop'))
    os.mkfifo(os.path.join(root, 'proc/vmstat'))
    target = os.path.join(tmp, 'out')
    r = snap('--root', root, 7, '-o', target, timeout=60)
    files = tree(target)
    unread = {x['file']: x['why'] for x in json.loads(files['manifest.json'])['unread']}
    say(r.returncode == 0 and 'leads out of the tree' in unread['proc/meminfo']
        and 'not a regular file' in unread['proc/vmstat']
        and not any(b'root:' in text for text in files.values()),
        'nothing leads out of a root from strangers, nothing blocks', (r, unread))


def main():
    for part in (what_is_saved, round_trips, incomplete, storm, hidden, several,
                 refusals, zombie, bad_ends, hostile_root):
        with tempfile.TemporaryDirectory(prefix='hugecov-snap.') as tmp:
            part(tmp)
    sys.exit(failed())


main()
