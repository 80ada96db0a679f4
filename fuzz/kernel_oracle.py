# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""What a kernel and its derivatives are worth, by an interpreter of the program form.

A thread is a Python generator: it runs until it comes to something that threads do together (a barrier, a
shuffle, a vote), yields, and is sent the outcome when all others that take part have come there. Threads between
two such points run one after the other, which is as good as any other order since nothing is shared
there: `Memory` remembers who touched what, and a program with a race is `Rejected`.

All threads of all blocks write into the one list of operations of oracle.py, so that its walk backwards gives
the derivative of the launch."""

from oracle import *

WARP = 32
READ, WRITE, ADD = range(3)


class Where:
    """The thread that runs now, and how often it has been at barriers: of the block, of its warp."""
    thread = block = threads = blocks = 0
    phase = 0
    warp_phases = []
    shared = {}


NOW = Where()


def where():
    """(thread, block, threads of a block, blocks)"""
    return NOW.thread, NOW.block, NOW.threads, NOW.blocks


class Memory(list):
    """Memory of many threads, which raises Rejected when two of them race."""

    def __init__(self, *args):
        super().__init__(*args)
        self.now = {}     # cell -> (block, phase, ({thread: warp phase} of reads, of writes, of additions))
        self.blocks = {}  # cell -> (blocks that read, that wrote, that added)

    def touch(self, cell, what):
        seen = self.now.get(cell)
        if seen is None or seen[:2] != (NOW.block, NOW.phase):
            seen = self.now[cell] = (NOW.block, NOW.phase, ({}, {}, {}))
        blocks = self.blocks.setdefault(cell, (set(), set(), set()))
        here = NOW.warp_phases[NOW.thread // WARP]
        for other in (READ, WRITE, ADD):
            if other == what and what != WRITE:
                continue
            if blocks[other] and blocks[other] != {NOW.block}:
                raise Rejected("race between blocks")
            for thread, then in seen[2][other].items():
                if thread != NOW.thread and (thread // WARP != NOW.thread // WARP or then == here):
                    raise Rejected("race")
        seen[2][what][NOW.thread] = here
        blocks[what].add(NOW.block)

    def each(self, at):
        return range(*at.indices(len(self))) if isinstance(at, slice) else (at,)

    def __getitem__(self, at):
        for cell in self.each(at):
            self.touch(cell, READ)
        return super().__getitem__(at)

    def __setitem__(self, at, value):
        for cell in self.each(at):
            self.touch(cell, WRITE)
        super().__setitem__(at, value)

    def add_at(self, at, make):
        if at >= len(self):
            raise Rejected("bounds")
        self.touch(at, ADD)
        super().__setitem__(at, make(super().__getitem__(at)))


def shared(name, size):
    """The block's array of that name."""
    if name not in NOW.shared:
        NOW.shared[name] = Memory([None] * size)
    return (NOW.shared[name], 0)


def atomic(ref, n, make):
    n += ref[1]
    if n < 0:
        raise Rejected("bounds")
    ref[0].add_at(n, make)


class KernelTranslator(Translator):
    """Kernels as Python. Whatever waits for other threads stands in a function that is a generator."""

    def __init__(self, program):
        super().__init__(program)
        self.sites = 0

    def site(self):
        self.sites += 1
        return self.sites

    def prologue(self, function):
        return "tick(); t,b,T,B=where()" + ("; 0 and (yield)" if function["sync"] else "")

    def s_shared(self, how, kind, name, size):
        self.line(f"{name}=shared({name!r},{size})")

    def s_stride(self, var, start, step, size, body):
        """for (int var = start; var < size; var += step)"""
        self.line(f"for {var} in range({self.i(start)},{size},{self.i(step)}):")
        self.line("  tick()")
        self.body(body)

    def s_sync(self, how, mask):
        self.line(f"yield (({self.site()},{how!r},{mask},None))")

    def s_vote(self, name, how, mask, cond):
        self.line(f"{name}=yield (({self.site()},{how!r},{mask},{self.c(cond)}))")

    def s_shfl(self, kind, name, how, mask, e, by, width):
        self.line(f"{name}=yield (({self.site()},{how!r},{mask},"
                  f"({self.to(kind, e)},{self.i(by)},{width})))")

    def s_atom(self, kind, ref, index, e):
        value = self.name()
        self.line(f"{value}={self.to(kind, e)}")
        total = self.rounded(kind, f"add(_old,{value})")
        self.line(f"atomic({self.ref(ref)},{self.i(index)},lambda _old: {total})")

    def s_lanes(self, low, high, body):
        self.line(f"if {low}<=t%{WARP}<{high}:")
        self.body(body)

    def s_bcall(self, kind, name, function, args):
        self.line(f"{name}=yield from {self.call(function, args)}")


BLOCK = {"threads", "count", "and", "or"}


def together(what, parts, lanes):
    """The outcome of an operation for each thread that takes part: what it is, {thread: operand}, which lane each is."""
    if what in ("threads", "warp"):
        return {k: None for k in parts}
    if what in ("count", "ballot"):
        return {k: sum(map(bool, parts.values())) for k in parts}
    if what in ("and", "all"):
        return {k: int(all(parts.values())) for k in parts}
    if what in ("or", "any"):
        return {k: int(any(parts.values())) for k in parts}
    out = {}
    for k, (value, by, width) in parts.items():
        lane = lanes[k]
        first = lane // width * width
        source = {"xor": lane ^ by, "down": lane + by, "up": lane - by, "idx": first + by % width}[what]
        if what == "xor" and source >= first + width or what == "down" and source >= first + width or \
                what == "up" and source < first:
            source = lane
        other = k - lane + source
        # Of a lane that is not there: no number; that it is used is found out where it is used.
        out[k] = same(parts[other][0]) if other in parts else None
    return out


def run_block(threads):
    """Runs the threads of a block, {number: generator}, to their ends."""
    waiting, send = {}, {k: None for k in threads}
    while True:
        for k, value in sorted(send.items()):
            NOW.thread = k
            try:
                waiting[k] = threads[k].send(value)
            except StopIteration:
                del threads[k]
        if not waiting:
            return
        send = {}
        for warp in {k // WARP for k in waiting}:
            here = {k: w for k, w in waiting.items() if k // WARP == warp and w[1] not in BLOCK}
            for site, what, mask, _ in set((w[0], w[1], w[2], None) for w in here.values()):
                named = {k for k in threads if k // WARP == warp and mask >> k % WARP & 1}
                there = {k for k, w in here.items() if w[:3] == (site, what, mask)}
                if there != named:
                    continue  # Some lanes have yet to come.
                if what == "warp":
                    NOW.warp_phases[warp] += 1
                lanes = {k: k % WARP for k in there}
                send.update(together(what, {k: here[k][3] for k in sorted(there)}, lanes))
        if not send:
            sites = {w[:3] for w in waiting.values()}
            if len(waiting) != len(threads) or len(sites) != 1 or \
                    next(iter(sites))[1] not in BLOCK:
                raise Rejected("threads wait for each other")
            NOW.phase += 1
            what = next(iter(sites))[1]
            send = together(what, {k: w[3] for k, w in sorted(waiting.items())}, None)
        for k in send:
            del waiting[k]


def launch(program, entry, args):
    grid, threads, _ = program["launch"]
    NOW.threads, NOW.blocks, NOW.phase = threads[0] * threads[1], grid[0], 0
    for NOW.block in range(NOW.blocks):
        NOW.shared = {}
        NOW.phase += 1
        NOW.warp_phases = [0] * (NOW.threads // WARP + 1)
        try:
            run_block({k: entry(*args) for k in range(NOW.threads)})
        except (TypeError, AttributeError) as e:
            raise Rejected(f"not a number: {e}")
    for ref in args:
        if isinstance(ref, tuple) and isinstance(ref[0], Memory):
            ref[0].__class__ = Settled


class Settled(Memory):
    """Memory after the launch, where whoever looks at it is none of the threads."""

    def touch(self, cell, what):
        pass


LANGUAGES["cu"] = Language(KernelTranslator, Memory, 150000, launch)
