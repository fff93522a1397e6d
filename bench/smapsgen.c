/* SPDX-License-Identifier: MIT */
// smapsgen - write a synthetic /proc/PID/smaps file, deterministic from a seed.
//
//   smapsgen -n VMAS [-s SEED] [-f SET] [-p] [-d PCT] [-r] > file
//
//   -n  number of VMAs
//   -s  seed (default 1); same arguments always give the same bytes
//   -f  field set, named for a kernel that prints it: 618 (default, all 24),
//       66 (no KSM), 510 (nor Pss_Dirty), 414 (nor FilePmdMapped, THPeligible)
//   -p  add a ProtectionKey line (pkeys machines)
//   -d  mutate: PCT percent of VMAs change a counter, PCT/10 percent vanish and
//       PCT/10 percent appear, for making the second snapshot of a diff pair
//   -r  rebase: every address is moved by one ASLR-like slide (the diff must
//       then match by name and ordinal, not by address)
//
// Invariants kept, so that a checker can use the file too:
//   Rss = Shared_Clean + Shared_Dirty + Private_Clean + Private_Dirty
//   Pss <= Rss, Anonymous <= Rss, Referenced <= Rss, AnonHugePages <= Anonymous
//   addresses ascend and do not overlap; Size = (end - start) / 1024
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef uint64_t u64;

static u64 sm_state;
static u64 rnd(void)
{
    u64 z = (sm_state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}
static u64 below(u64 n) { return n ? rnd() % n : 0; }

static char *out, *op, *oend;
static void flush_out(void)
{
    char *p = out;
    while (p < op) {
        ssize_t k = write(1, p, (size_t)(op - p));
        if (k < 0) { if (errno == EINTR) continue; perror("write"); exit(1); }
        p += k;
    }
    op = out;
}
static inline void put(const char *s, size_t n) { memcpy(op, s, n); op += n; }
static inline void puts_(const char *s) { put(s, strlen(s)); }
static void pad_dec(u64 v, int width)
{
    char b[24]; int n = 0;
    do { b[n++] = (char)('0' + v % 10); v /= 10; } while (v);
    for (int i = n; i < width; i++) *op++ = ' ';
    while (n) *op++ = b[--n];
}
static void pad_hex(u64 v, int width)
{
    char b[20]; int n = 0;
    do { b[n++] = "0123456789abcdef"[v & 15]; v >>= 4; } while (v);
    for (int i = n; i < width; i++) *op++ = '0';
    while (n) *op++ = b[--n];
}
// "Key:" padded so that the number ends at column 24, as the kernel prints it
static void kb(const char *key, u64 v)
{
    char *s = op;
    puts_(key);
    *op++ = ':';
    while (op - s < 16) *op++ = ' ';
    pad_dec(v, 8);
    put(" kB\n", 4);
}

static const char *const libs[] = {
    "/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libm.so.6",
    "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.33",
    "/usr/lib/x86_64-linux-gnu/libssl.so.3", "/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
    "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2",
    "/opt/app/bin/server", "/usr/lib/jvm/java-21/lib/server/libjvm.so",
    "/usr/lib/jvm/java-21/lib/modules", "/usr/lib/locale/locale-archive",
    "/opt/app/lib/libengine.so.4.2", "/var/lib/app/index/segment one.idx",
    "/tmp/upload\\012name.bin", "/usr/share/icu/icudt72l.dat",
};
static const char *const anon_names[] = {
    "[anon:glibc: malloc arena]", "[anon:jemalloc]", "[anon:v8]", "[anon:scudo:primary]",
    "[anon:Go: heap]", "[anon:dalvik-main space]",
};

struct opt { u64 n, seed; int set; bool pkey, rebase; double mut; };

int main(int argc, char **argv)
{
    struct opt o = { .n = 1000, .seed = 1, .set = 618 };
    for (int c; (c = getopt(argc, argv, "n:s:f:pd:r")) != -1;) switch (c) {
    case 'n': o.n = strtoull(optarg, 0, 0); break;
    case 's': o.seed = strtoull(optarg, 0, 0); break;
    case 'f': o.set = atoi(optarg); break;
    case 'p': o.pkey = true; break;
    case 'd': o.mut = atof(optarg) / 100; break;
    case 'r': o.rebase = true; break;
    default: fprintf(stderr, "usage: smapsgen -n N [-s SEED] [-f SET] [-p] [-d PCT] [-r]\n"); return 2;
    }
    const size_t cap = 1 << 20;
    out = malloc(cap + 65536); op = out; oend = out + cap;
    if (!out) return 1;
    sm_state = o.seed * UINT64_C(0x2545f4914f6cdd1d) + 7;
    u64 mstate = o.seed * 31 + 99;            // separate stream for mutations
    u64 slide = o.rebase ? UINT64_C(0x137000000) : 0;
    u64 addr = UINT64_C(0x555500000000) + (below(1 << 20) << 12);
    unsigned run = 0; const char *name = 0; u64 ino = 0, off = 0; unsigned seg = 0;

    for (u64 i = 0; i < o.n; i++) {
        // ---- shape of this VMA
        char perm[5] = "rw-p"; bool file = false, shm = false, stack = false, heap = false;
        unsigned kind = (unsigned)below(100);
        const char *nm = "";
        u64 pages, dev_major = 0, dev_minor = 0, inode = 0, pgoff = 0;
        bool hg = false;
        if (run) {                            // continue a library's segments
            run--; seg++;
            file = true; nm = name; inode = ino;
            static const char *const sp[5] = { "r--p", "r-xp", "r--p", "r--p", "rw-p" };
            memcpy(perm, sp[seg % 5], 5);
            pages = 1 + below(seg == 1 ? 600 : 60);
            pgoff = off; off += pages << 12;
            dev_major = 0xfe; dev_minor = 0;
        } else if (i == 0) {
            heap = true; nm = "[heap]"; pages = 33 + below(40000);
        } else if (i + 3 == o.n) {
            stack = true; nm = "[stack]"; pages = 34;
        } else if (i + 2 == o.n) {
            nm = "[vvar]"; pages = 4; memcpy(perm, "r--p", 5);
        } else if (i + 1 == o.n) {
            nm = "[vdso]"; pages = 2; memcpy(perm, "r-xp", 5);
        } else if (kind < 25) {
            name = libs[below(sizeof libs / sizeof *libs)];
            ino = 200000 + below(900000); off = 0; seg = 0; run = 4;
            file = true; nm = name; inode = ino; memcpy(perm, "r--p", 5);
            pages = 1 + below(60); off = pages << 12;
            dev_major = 0xfe;
        } else if (kind < 30) {
            shm = true; nm = (kind & 1) ? "/dev/shm/PostgreSQL.1804289383" : "/memfd:doublemapper (deleted)";
            memcpy(perm, "rw-s", 5); pages = 512 * (1 + below(8)); inode = 1000 + below(5000);
            dev_minor = 0x17;
        } else if (kind < 45) {
            nm = anon_names[below(sizeof anon_names / sizeof *anon_names)];
            pages = 16 + below(4096);
        } else if (kind < 60) {
            pages = 512 * (1 + below(32)); hg = true;
        } else if (kind < 72) {
            memcpy(perm, "---p", 5); pages = 1 + below(512);
        } else pages = 1 + below(2048);
        if (hg) addr = (addr + 0x1fffff) & ~UINT64_C(0x1fffff);

        // ---- its counters
        bool none = perm[0] == '-' || below(100) < 8;
        u64 rss = none ? 0 : below(100) < 40 ? pages : 1 + below(pages);
        u64 thp = 0, anon = 0, sc = 0, sd = 0, pc = 0, pd = 0;
        if (file) { sc = below(100) < 70 ? rss : below(rss + 1); pc = rss - sc;
                    if (perm[1] == 'w') { pd = pc + sc; sc = pc = 0; anon = pd; } }
        else if (shm) { sd = below(rss + 1); pd = rss - sd; }
        else { pd = rss; anon = rss; if (hg) { thp = (rss / 512) * 512; } }
        u64 pss = pd + pc + (sc + sd) / (2 + below(7));
        u64 ref = rss - below(rss / 8 + 1);
        u64 shpmd = shm && below(10) < 3 ? (rss / 512) * 512 : 0;
        u64 swap = !file && below(100) < 3 ? below(pages - rss + 1) : 0;
        u64 ksm = anon && below(200) == 0 ? below(anon) : 0;
        u64 start = addr, end = addr + (pages << 12);
        addr = end + (below(3) ? 0 : (1 + below(64)) << 12);

        bool drop = false, extra = false;
        if (o.mut > 0) {
            u64 keep = sm_state; sm_state = mstate;
            double x = (double)(rnd() >> 11) * 0x1p-53;
            if (x < o.mut) { u64 f = rss ? below(rss) : 0; // shrink Rss a little
                if (!file && !shm && f) { u64 k = f / 16; rss -= k; pd -= k; anon -= k; pss = rss;
                    if (thp > anon) thp = anon / 512 * 512;
                    if (ref > rss) ref = rss;
                    if (ksm > anon) ksm = 0; } }
            else if (x < o.mut * 1.1) drop = true;
            else if (x < o.mut * 1.2) extra = end < addr;
            mstate = sm_state; sm_state = keep;
        }
        if (drop) continue;

        for (int rep = 0; rep <= (extra ? 1 : 0); rep++) {
            if (rep) { start = end; end = addr; pages = (end - start) >> 12; nm = ""; memcpy(perm, "rw-p", 5);
                file = shm = stack = heap = hg = false; dev_major = dev_minor = inode = pgoff = 0;
                rss = pss = ref = anon = thp = sc = sd = pc = pd = shpmd = swap = ksm = 0; }
            char *h = op;
            pad_hex(start + slide, 8); *op++ = '-'; pad_hex(end + slide, 8); *op++ = ' ';
            put(perm, 4); *op++ = ' '; pad_hex(pgoff, 8); *op++ = ' ';
            pad_hex(dev_major, 2); *op++ = ':'; pad_hex(dev_minor, 2); *op++ = ' ';
            pad_dec(inode, 0); *op++ = ' ';
            if (*nm) { while (op - h < 73) *op++ = ' '; puts_(nm); }
            *op++ = '\n';
            kb("Size", pages * 4); kb("KernelPageSize", 4); kb("MMUPageSize", 4);
            kb("Rss", rss * 4); kb("Pss", pss * 4);
            if (o.set == 618 || o.set == 66) kb("Pss_Dirty", (pd + sd / 2) * 4);
            kb("Shared_Clean", sc * 4); kb("Shared_Dirty", sd * 4);
            kb("Private_Clean", pc * 4); kb("Private_Dirty", pd * 4);
            kb("Referenced", ref * 4); kb("Anonymous", anon * 4);
            if (o.set == 618) kb("KSM", ksm * 4);
            kb("LazyFree", 0); kb("AnonHugePages", thp * 4); kb("ShmemPmdMapped", shpmd * 4);
            if (o.set != 414) kb("FilePmdMapped", 0);
            kb("Shared_Hugetlb", 0);
            kb("Private_Hugetlb", 0);
            kb("Swap", swap * 4); kb("SwapPss", swap * 4); kb("Locked", 0);
            if (o.set != 414) { puts_("THPeligible:    "); pad_dec(hg, 8); *op++ = '\n'; }
            if (o.pkey) { puts_("ProtectionKey:  "); pad_dec(0, 8); *op++ = '\n'; }
            puts_("VmFlags: ");
            if (perm[0] == 'r') puts_("rd ");
            if (perm[1] == 'w') puts_("wr ");
            if (perm[2] == 'x') puts_("ex ");
            if (perm[3] == 's') puts_("sh ");
            puts_("mr mw me ");
            if (stack) puts_("gd ");
            if (perm[1] == 'w' && !shm) puts_("ac ");
            if (hg) puts_("hg ");
            (void)heap;
            *op++ = '\n';
            if (op > oend) flush_out();
        }
    }
    flush_out();
    return 0;
}
