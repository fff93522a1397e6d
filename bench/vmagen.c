/* SPDX-License-Identifier: MIT */
// vmagen - make a process with a chosen number of VMAs, then sleep.
//
//   vmagen [-n VMAS] [-t PAGES] [-e EVERY] [-H N] [-M MiB] [-T MiB] [-f] [-q]
//          [-c KIND] [-i MS] [-D SEC]
//
//   -n  VMAs to add (default 1000), each PAGES long, kept apart by a one-page hole
//   -t  pages in each VMA (default 4)
//   -e  touch the pages of one VMA in EVERY (default 2; 0 touches none, 1 all)
//   -H  of the VMAs, N are 2 MiB, aligned, MADV_HUGEPAGE and touched (default 0)
//   -M  one more mapping of so many MiB in 4 KiB pages (MADV_NOHUGEPAGE), touched
//   -T  one more mapping of so many MiB with MADV_HUGEPAGE, touched
//   -f  every fifth VMA maps a page of an unlinked temporary file, named as such
//   -c  after set-up run a load in this process and print its rate and latency
//       every second: mmap (map, touch one page, unmap), fault (touch pages of a
//       region, MADV_DONTNEED, again), idle (sleep 100 us), spin (no kernel)
//   -i  with -c: print every MS milliseconds (default 1000)
//   -D  leave after so many seconds (default 600), whatever happens
//
// Prints "PID VMAS" on one line when ready. Holes keep the kernel from merging.
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec; }
static void die(const char *m) { perror(m); exit(1); }
static void touch(char *p, size_t n) { for (size_t i = 0; i < n; i += 4096) p[i] = 1; }

static int cmp_u32(const void *a, const void *b) { uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b; return (x > y) - (x < y); }
static uint32_t lat[1 << 24];

static void load(const char *kind, double every, double until)
{
    const size_t page = 4096, flen = 256 * page;
    char *reg = mmap(0, flen, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (reg == MAP_FAILED) die("mmap");
    madvise(reg, flen, MADV_NOHUGEPAGE);
    size_t at = 0; volatile uint64_t sink = 0;
    for (double t0 = now(), end; t0 < until; t0 = end) {
        size_t n = 0; end = t0 + every; double a = now();
        while (a < end) {
            if (*kind == 'm') {
                char *p = mmap(0, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                if (p == MAP_FAILED) die("mmap");
                *p = 1; munmap(p, page);
            } else if (*kind == 'f') {
                reg[at] = 1; at += page;
                if (at == flen) { madvise(reg, flen, MADV_DONTNEED); at = 0; }
            } else if (*kind == 's') {
                for (int i = 0; i < 200; i++) sink += (uint64_t)i;
            } else usleep(100);
            double b = now();
            if (n < sizeof lat / sizeof *lat) lat[n] = (uint32_t)((b - a) * 1e9 > 4e9 ? 4e9 : (b - a) * 1e9);
            n++; a = b;
        }
        size_t m = n < sizeof lat / sizeof *lat ? n : sizeof lat / sizeof *lat;
        qsort(lat, m, sizeof *lat, cmp_u32);
        printf("%s ops/s %.0f p50 %.2f us p99 %.2f p99.9 %.2f p99.99 %.2f max %.1f us\n", kind, (double)n / (a - t0),
               lat[m / 2] / 1e3, lat[m - m / 100 - 1] / 1e3, lat[m - m / 1000 - 1] / 1e3, lat[m - m / 10000 - 1] / 1e3, lat[m - 1] / 1e3);
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    size_t n = 1000, pages = 4, huge = 0, every = 2, mib4k = 0, mibthp = 0; bool file = false, quiet = false;
    const char *kind = 0; double iv = 1, dur = 600;
    for (int c; (c = getopt(argc, argv, "n:t:e:H:M:T:fqc:i:D:")) != -1;) switch (c) {
    case 'n': n = strtoul(optarg, 0, 0); break;
    case 't': pages = strtoul(optarg, 0, 0); break;
    case 'e': every = strtoul(optarg, 0, 0); break;
    case 'H': huge = strtoul(optarg, 0, 0); break;
    case 'M': mib4k = strtoul(optarg, 0, 0); break;
    case 'T': mibthp = strtoul(optarg, 0, 0); break;
    case 'f': file = true; break;
    case 'q': quiet = true; break;
    case 'c': kind = optarg; break;
    case 'i': iv = atof(optarg) / 1000; break;
    case 'D': dur = atof(optarg); break;
    default: return 2;
    }
    double t0 = now();
    alarm((unsigned)dur + 5);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    int fd = -1;
    if (file) {
        char path[] = "/tmp/vmagen-data.XXXXXX";
        fd = mkstemp(path);
        if (fd < 0 || ftruncate(fd, 1 << 24)) die("temp file");
        unlink(path);
    }
    uintptr_t a = UINT64_C(0x200000000000);
    const size_t two = 2 << 20, len = pages * 4096;
    for (size_t i = 0; i < n; i++) {
        if (huge && i < huge * (n / huge) && i % (n / huge) == 0) {
            a = (a + two - 1) & ~(two - 1);
            char *p = mmap((void *)a, two, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
            if (p == MAP_FAILED) die("mmap 2M");
            madvise(p, two, MADV_HUGEPAGE); touch(p, two);
            a += two + 4096;
            continue;
        }
        bool f = file && i % 5 == 4;
        char *p = mmap((void *)a, len, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_FIXED_NOREPLACE | (f ? 0 : MAP_ANONYMOUS), f ? fd : -1, f ? (off_t)((i % 4000) * 4096) : 0);
        if (p == MAP_FAILED) die("mmap");
        if (every && i % every == 0) { if (f) { volatile char c = p[0]; (void)c; } else touch(p, len); }
        a += len + 4096;
    }
    for (int k = 0; k < 2; k++) {
        size_t m = (k ? mibthp : mib4k) << 20;
        if (!m) continue;
        a = (a + two - 1) & ~(two - 1);
        char *p = mmap((void *)a, m, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (p == MAP_FAILED) die("mmap big");
        madvise(p, m, k ? MADV_HUGEPAGE : MADV_NOHUGEPAGE); touch(p, m);
        a += m + two;
    }
    if (!quiet) { printf("%d %zu\n", (int)getpid(), n); fflush(stdout); }
    if (kind) load(kind, iv, t0 + dur);
    else while (now() < t0 + dur) usleep(200000);
    return 0;
}
