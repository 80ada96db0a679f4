#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Fuzzes Retrograd with random programs; see README.md.

    fuzz/run.py --seed 1 --seconds 60          what `make fuzz` runs
    fuzz/run.py --seed 1 --first 0 --count 200 a fixed set
    fuzz/run.py --seed 1 --show 17             the text of one program
    fuzz/run.py --seed 1 --only 17             one program under every configuration
    fuzz/run.py --replay case.json             one that was kept

Exit code 0: no number was wrong and nothing crashed. Refusals are counted by id, and
are no failures."""

import argparse
import collections
import json
import os
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import emit
import generate
import kernel_emit  # Kernels are a language of programs once these three are there.
import kernel_generate
import kernel_oracle
import oracle
import shrink
from harness import Config, Harness

LEVELS = ["O0", "O1", "O2", "O3", "Os", "O2 -ffast-math"]
PLANS = ["naive", "mincut"]
ALL = [Config(level, plan) for level in LEVELS for plan in PLANS]


class Campaign:
    def __init__(self, options):
        self.options = options
        self.folder = tempfile.mkdtemp(prefix="rg-fuzz-")
        self.harness = Harness(options.build, self.folder, options.modes, gpu=options.gpu, orders=options.orders)
        self.counts = collections.Counter()
        self.refusals = collections.Counter()
        self.failures = []
        self.programs = self.numbers = 0
        self.started = self.said = time.time()

    def batch(self, numbers, configs, lang=""):
        made = {n: generate.make(self.options.seed, n, self.options.size, lang) for n in numbers}
        self.programs += len(made)
        # A refusal compiles its batch again, and what is refused most is derivatives of
        # derivatives of code with exceptions: such programs have a batch of their own.
        parts = collections.defaultdict(list)
        for n, (program, _) in made.items():
            parts[program["lang"], '["try",' in json.dumps(program)].append((n, program))
        for config in configs:
            for part in parts.values():
                self.check(part, config, {n: w for n, (_, w) in made.items()})

    def check(self, part, config, wants):
        results = self.harness.run(part, config, wants)
        for number, program in part:
            verdict = results.get(number, ("crash", "no result"))
            self.counts[verdict[0]] += 1
            if verdict[0] == "ok":
                self.numbers += len(wants[number])
            elif verdict[0] == "refused":
                for word in verdict[1].split("; "):
                    self.refusals[word] += 1
                if self.options.refusals:
                    self.failed(number, program, config, verdict)
            else:
                self.failed(number, program, config, verdict)

        if time.time() > self.said + 60:
            self.said = time.time()
            print(self.summary(), flush=True)

    def failed(self, number, program, config, verdict):
        self.failures.append((number, str(config), verdict))
        kernels = " --kernels 1" if program["lang"] == "cu" else ""
        kernels += " --orders" if kernels and self.options.orders else ""
        size = f" --size {self.options.size}" if self.options.size else ""
        how = ",".join([config.level, config.plan, *config.extra])
        print(f"seed {self.options.seed} program {number} {config}: {verdict[0]}: {verdict[1]}\n"
              f"  repeat: python3 fuzz/run.py --seed {self.options.seed}{kernels}{size} --only {number}"
              f" --config '{how}'", flush=True)
        if not self.options.keep or len(self.failures) > self.options.most:
            return
        os.makedirs(self.options.keep, exist_ok=True)
        small = program
        if not self.options.no_shrink:
            # A number that is wrong in one mode needs no other.
            modes = verdict[1][0] if verdict[0] in ("wrong", "died") and verdict[1][0] in \
                self.options.modes else self.options.modes
            alone = Harness(self.options.build, self.folder, modes, gpu=self.options.gpu, orders=self.options.orders)
            small = shrink.shrink(program, alone, config, verdict, say=lambda text: None,
                                  seconds=self.options.shrink_seconds)
        name = os.path.join(self.options.keep, f"{verdict[0]}-{self.options.seed}-{number}")
        with open(name + ".json", "w") as file:
            json.dump(small, file)
        with open(f"{name}.{program['lang']}", "w") as file:
            file.write(f"// {config}: {verdict[0]}: {verdict[1]}\n")
            file.write(emit.batch([(number, small)], self.options.modes))
        print(f"  kept as {name}.*", flush=True)

    def summary(self):
        seconds = time.time() - self.started
        words = ", ".join(f"{self.counts[w]} {w}" for w in
                          ("ok", "refused", "wrong", "crash", "died", "invalid") if self.counts[w])
        return (f"{self.programs} programs, {sum(self.counts.values())} compiled with derivatives:"
                f" {words}; {self.numbers} numbers agree; {seconds:.0f} s")

    def report(self):
        print(self.summary())
        if self.refusals:
            print("refusals: " + ", ".join(f"{n} {w}" for w, n in self.refusals.most_common()))
        return 1 if any(self.counts[w] for w in ("wrong", "crash", "died", "invalid")) else 0


def side_by_side(jobs):
    """This command once per job, each with every jobs-th batch; the sum of their reports."""
    words, skip = [], False
    for word in sys.argv[1:]:
        if not skip and word != "--jobs":
            words.append(word)
        skip = word == "--jobs"
    batch = int(words[words.index("--batch") + 1]) if "--batch" in words else 24
    first = int(words[words.index("--first") + 1]) if "--first" in words else 0
    children = [subprocess.Popen([sys.executable, __file__, *words, "--stride", str(jobs),
                                  "--first", str(first + k * batch)])
                for k in range(jobs)]
    return max(child.wait() for child in children)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--seconds", type=float, help="run for so long")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, help="run so many programs")
    parser.add_argument("--batch", type=int, default=24, help="programs per translation unit")
    parser.add_argument("--configs", type=int, default=2,
                        help="configurations (level, plan) of each program")
    parser.add_argument("--jobs", type=int, default=1, help="processes, each with programs of"
                        " its own")
    parser.add_argument("--stride", type=int, default=1, help=argparse.SUPPRESS)
    parser.add_argument("--size", type=int, help="statements of the entry function, about")
    parser.add_argument("--modes", default=emit.MODES, help="of prfh: primal, reverse, forward,"
                        " forward over reverse")
    parser.add_argument("--keep", help="folder for failing programs, shrunk")
    parser.add_argument("--most", type=int, default=20, help="failures to shrink")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--shrink-seconds", type=float, default=240, help="for each failure")
    parser.add_argument("--refusals", action="store_true", help="keep what was refused, too")
    parser.add_argument("--kernels", type=float, default=0, metavar="SHARE",
                        help="so many of the batches are GPU kernels, run on the CPU; 1: all")
    parser.add_argument("--gpu", action="store_true", help="run kernels on this machine's GPU")
    parser.add_argument("--orders", action="store_true", help="run kernels with threads in several orders")
    parser.add_argument("--show", type=int)
    parser.add_argument("--only", type=int)
    parser.add_argument("--replay")
    parser.add_argument("--text", help="with --only or --replay: judge the text of this file (by --show, then"
                        " changed) instead of the program's own; needs --no-shrink")
    parser.add_argument("--config", help="for all, like O2,mincut or"
                        " 'O3 -ffast-math,naive' or O0,mincut,-mllvm,-rg-disable=contract")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)

    if options.show is not None:
        program, _ = generate.make(options.seed, options.show, options.size,
                                   "cu" if options.kernels else "")
        print(emit.batch([(options.show, program)], options.modes))
        return 0
    if options.jobs > 1:
        return side_by_side(options.jobs)
    campaign = Campaign(options)
    if options.text:
        with open(options.text) as file:
            campaign.harness.text = file.read()
    fixed = None
    if options.config:
        level, plan, *extra = options.config.split(",")
        fixed = [Config(level, plan, extra)]
    if options.only is not None:
        campaign.batch([options.only], fixed or ALL, "cu" if options.kernels else "")
    elif options.replay:
        with open(options.replay) as file:
            program = json.load(file)
        want = oracle.evaluate(program)
        for config in fixed or ALL:
            campaign.check([(0, program)], config, {0: want})
        campaign.programs = 1
    else:
        first, end = options.first, time.time() + (options.seconds or 1e9)
        last = first + options.count if options.count else 1 << 60
        while first < last and time.time() < end:
            numbers = range(first, min(last, first + options.batch))
            kernels = random.Random(f"{options.seed}/{first}/kernels").random() < options.kernels
            if fixed:
                configs = fixed
            else:
                pick = random.Random(f"{options.seed}/{first}")
                both = [Config(pick.choice(LEVELS), PLANS[(first // options.batch) % 2]),
                        Config(pick.choice(LEVELS), PLANS[(first // options.batch + 1) % 2])]
                configs = both[:options.configs] if options.configs <= 2 else ALL
            campaign.batch(numbers, configs, "cu" if kernels else "")
            first += options.batch * options.stride
    return campaign.report()


if __name__ == "__main__":
    sys.exit(main())
