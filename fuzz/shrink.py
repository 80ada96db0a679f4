# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Cuts a failing program down to a few lines that still fail in the same way.

Works on the program form: statements are removed (in chunks at first), compound ones are replaced by their
bodies, expressions by their parts, constants or simple leaves, functions and parameters are
dropped. A cut that makes no sense (a name that is gone) is noticed by the oracle or by the C
compiler and not taken. Candidates that do not depend on each other are compiled in
one batch, except where the compiler itself crashes.
"""

import copy
import json
import time

import emit
import oracle
from program import COND_NODES, FLOAT_NODES, INT_NODES, STATEMENTS, has_kind


def bodies(program):
    """Paths of all lists of statements."""
    found = []

    def walk(node, path):
        if isinstance(node, list):
            if not node or (isinstance(node[0], list) and node[0] and isinstance(node[0][0], str)
                            and node[0][0] in STATEMENTS):
                found.append(path)
            for i, part in enumerate(node):
                walk(part, path + (i,))

    for k, f in enumerate(program["funcs"]):
        walk(f["body"], ("funcs", k, "body"))
    return found


def expressions(program, family):
    found = []

    def walk(node, path):
        if isinstance(node, list):
            if node and isinstance(node[0], str) and node[0] in family and path[-1] != 0 and node[0] != "fp":
                found.append(path)
            for i, part in enumerate(node):
                walk(part, path + (i,))

    for k, f in enumerate(program["funcs"]):
        walk(f["body"], ("funcs", k, "body"))
    return found


def at(program, path):
    for step in path:
        program = program[step]
    return program


def replaced(program, path, value):
    out = copy.deepcopy(program)
    at(out, path[:-1])[path[-1]] = copy.deepcopy(value)
    return out


def float_children(node):
    out = []
    for part in node[1:]:
        if isinstance(part, list):
            if part and isinstance(part[0], str) and part[0] in FLOAT_NODES and len(part) > 1 \
                    and part[1] in ("f", "d", "l"):
                out.append(part)
            else:
                out += float_children(["", *part])
    return out


def candidates(program):
    """Smaller programs, the boldest cuts first."""
    for k in range(len(program["funcs"]) - 1):
        out = copy.deepcopy(program)
        del out["funcs"][k]
        yield out
    paths = sorted(bodies(program), key=len)
    for path in paths:
        body = at(program, path)
        width = len(body)
        while width >= 1:
            for start in range(0, len(body), width):
                rest = body[:start] + body[start + width:]
                yield replaced(program, path, rest)
            width //= 2
    for path in paths:
        body = at(program, path)
        for i, s in enumerate(body):
            for part in s[1:]:
                if isinstance(part, list) and part and isinstance(part[0], list) and \
                        part[0] and isinstance(part[0][0], str) and part[0][0] in STATEMENTS:
                    yield replaced(program, path, body[:i] + part + body[i + 1:])
            if s[0] == "switch":
                for case in s[2]:
                    yield replaced(program, path, body[:i] + case[1] + body[i + 1:])
    for i, (name, _) in enumerate(program["funcs"][-1]["params"]):
        out = copy.deepcopy(program)
        del out["funcs"][-1]["params"][i]
        out["inputs"].pop(name, None)
        yield out
    for i in range(len(program["globals"])):
        out = copy.deepcopy(program)
        del out["globals"][i]
        yield out
    for name in program["structs"]:
        out = copy.deepcopy(program)
        del out["structs"][name]
        yield out
    for path in expressions(program, FLOAT_NODES):
        node = at(program, path)
        if not (len(node) > 1 and node[1] in ("f", "d", "l")):
            continue
        if len(path) and isinstance(at(program, path[:-1]), list) and \
                at(program, path[:-1])[0] == "set" and path[-1] == 1:
            continue
        if node[0] in ("const", "var"):
            if node[0] == "var":
                yield replaced(program, path, ["const", node[1], 0.5])
            continue
        for child in float_children(node):
            yield replaced(program, path, child)
        yield replaced(program, path, ["const", node[1], 0.5])
    for path in expressions(program, COND_NODES):
        node = at(program, path)
        for part in node[1:]:
            if isinstance(part, list) and part[0] in COND_NODES:
                yield replaced(program, path, part)
        for simple in (["icmp", "<", ["ic", 0], ["ic", 1]], ["icmp", "<", ["ic", 1], ["ic", 0]]):
            if node != simple and node[0] != "icmp" or \
                    node[0] == "icmp" and node[2][0] != "ic":
                yield replaced(program, path, simple)
    for path in expressions(program, INT_NODES):
        node = at(program, path)
        if node[0] != "ic":
            for n in (0, 1, 2):
                yield replaced(program, path, ["ic", n])
            for part in node[1:]:
                if isinstance(part, list) and part[0] in INT_NODES:
                    yield replaced(program, path, part)
        elif node[1] > 1:
            yield replaced(program, path, ["ic", node[1] - 1])
    for k, f in enumerate(program["funcs"]):
        if f["noinline"]:
            out = copy.deepcopy(program)
            out["funcs"][k]["noinline"] = False
            yield out


def weigh(program):
    return len(json.dumps([program["structs"], program["globals"], program["funcs"]]))


def same(verdict, wanted):
    """The same failure: the same kind, and in the same mode or by the same message."""
    if verdict[0] != wanted[0]:
        return False
    if verdict[0] == "wrong":
        return verdict[1][:1] == wanted[1][:1]
    if verdict[0] == "refused":
        return bool(set(verdict[1].split("; ")) & set(wanted[1].split("; ")))
    if verdict[0] == "crash":
        return verdict[1][:30] == wanted[1][:30]
    return True


def shrink(program, harness, config, verdict, say=print, rounds=40, seconds=240):
    """The smallest program found that ends in the same verdict under the config."""
    alone = verdict[0] == "crash"
    width = 1 if alone else 12
    end = time.time() + seconds
    for _ in range(rounds):
        progress = False
        pending, weight, seen = [], weigh(program), set()

        def flush():
            nonlocal program, progress
            if not pending:
                return False
            wants = {n: w for n, (_, w) in enumerate(pending)}
            results = harness.run([(n, p) for n, (p, _) in enumerate(pending)], config, wants)
            good = [p for n, (p, _) in enumerate(pending) if n in results
                    and same(results[n], verdict)]
            pending.clear()
            if good:
                program = min(good, key=weigh)
                progress = True
                return True
            return False

        for candidate in candidates(program):
            if time.time() > end:
                return program
            if weigh(candidate) >= weight and candidate["funcs"] == program["funcs"]:
                continue
            text = json.dumps(candidate["funcs"])
            if text in seen and len(candidate["globals"]) == len(program["globals"]):
                continue
            seen.add(text)
            candidate["float"] = has_kind([candidate["structs"], candidate["globals"],
                                           candidate["funcs"]], "f")
            try:
                emit.batch([(0, candidate)])
                want = oracle.evaluate(candidate)
            except Exception:
                # Whatever is raised, the cut made no sense: a name, a field or a struct that is gone,
                # a program that is no fair question.
                continue
            pending.append((candidate, want))
            if len(pending) >= width and flush():
                break
        else:
            flush()
        if not progress:
            break
        say(f"  shrunk to {weigh(program)}")
    return program
