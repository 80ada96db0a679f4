#!/usr/bin/env python3
#===- reference.py - independent references for the demo's programs ----------===#
#
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# Writes demo/data: the inputs that the repository carries, and the references
# that the demo compares with. Pure Python, written from the definitions and not
# from the C++ programs. Derivatives are taken by the complex step
#
#     f'(x) = Im f(x + i h) / h,     h = 1e-40
#
# which has no cancellation: it is exact to rounding for analytic f.
#
#   reference.py           write demo/data
#   reference.py --check D compare this file's objectives with ADBench's
#                          references in folder D (the small inputs)
#
# The C++ side makes the inputs of the other programs with the generator below,
# whose numbers are exact in a double.
#
#===------------------------------------------------------------------------===#

import cmath
import math
import os
import sys

H = 1e-40
HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "data")


class Random:
    def __init__(self, seed):
        self.state = seed

    def uniform(self, low=0.0, high=1.0):
        self.state = (self.state * 1103515245 + 12345) & 0x7FFFFFFF
        return low + (high - low) * (self.state / 2147483648.0)

    def uniforms(self, count, low, high):
        return [self.uniform(low, high) for _ in range(count)]


def complex_step(f, x, index):
    """f(x + i h e_index): a number or a list, still complex."""
    shifted = [complex(v) for v in x]
    shifted[index] += 1j * H
    return f(shifted)


def gradient(f, x):
    return [complex_step(f, x, i).imag / H for i in range(len(x))]


def value(f, x):
    return f([complex(v) for v in x]).real


# The programs -----------------------------------------------------------------


def log_sum_exp(v):
    top = max(a.real for a in v)
    return top + cmath.log(sum(cmath.exp(a - top) for a in v))


def gmm(d, k, n, x, gamma, m):
    size = d * (d + 1) // 2

    def objective(p):
        alpha, mu, icf = p[:k], p[k:k + k * d], p[k + k * d:]
        total = -0.5 * n * d * math.log(2 * math.pi)
        factors = []
        for c in range(k):
            q = icf[c * size:(c + 1) * size]
            factor = [[0] * d for _ in range(d)]
            for j in range(d):
                factor[j][j] = cmath.exp(q[j])
                for i in range(j):
                    factor[j][i] = q[d + i * d - i * (i + 1) // 2 + j - i - 1]
            factors.append(factor)
        for i in range(n):
            terms = []
            for c in range(k):
                y = [x[i * d + j] - mu[c * d + j] for j in range(d)]
                norm = 0
                for row in range(d):
                    s = sum(factors[c][row][col] * y[col] for col in range(row + 1))
                    norm += s * s
                terms.append(alpha[c] + sum(icf[c * size:c * size + d]) - norm / 2)
            total += log_sum_exp(terms)
        total -= n * log_sum_exp(alpha)
        for c in range(k):
            q = icf[c * size:(c + 1) * size]
            total += gamma * gamma / 2 * (sum(cmath.exp(v) ** 2 for v in q[:d]) +
                                          sum(v * v for v in q[d:])) - m * sum(q[:d])
        freedom = d + m + 1
        multi = d * (d - 1) / 4 * math.log(math.pi) + sum(
            math.lgamma(freedom / 2 + (1 - j) / 2) for j in range(1, d + 1))
        total -= k * (freedom * d * (math.log(gamma) - math.log(2) / 2) - multi)
        return total

    return objective


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(u * v for u, v in zip(a, b))


def ba_observation(feature):
    """camera, point, weight -> r0, r1, weight error"""

    def outputs(p):
        r, centre, f, k1, k2 = p[0:3], p[3:6], p[6], p[9], p[10]
        y = [p[11 + i] - centre[i] for i in range(3)]
        w = p[14]
        t2 = dot(r, r)
        if any(v.real != 0 for v in r):
            theta = cmath.sqrt(t2)
            e = [v / theta for v in r]
            c, s, a, b = cmath.cos(theta), cmath.sin(theta), cross(e, y), dot(e, y)
            z = [y[i] * c + a[i] * s + e[i] * b * (1 - c) for i in range(3)]
        else:
            a = cross(r, y)
            z = [y[i] + a[i] for i in range(3)]
        g, h = z[0] / z[2], z[1] / z[2]
        s = g * g + h * h
        l = 1 + k1 * s + k2 * s * s
        return [w * (f * l * g + p[7] - feature[0]),
                w * (f * l * h + p[8] - feature[1]), 1 - w * w]

    return outputs


def matrix_product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)]
            for i in range(4)]


def hand(model, complicated, correspondences, measured):
    """theta, us -> residuals"""
    parents, base, inverse, positions, weights, triangles = model

    def outputs(p):
        theta, us = p[:26], p[26:]
        tx, tz = [0j] * len(parents), [0j] * len(parents)
        for k in range(5):
            tx[4 * k + 2], tz[4 * k + 2] = theta[6 + 4 * k], theta[7 + 4 * k]
            tx[4 * k + 3], tx[4 * k + 4] = theta[8 + 4 * k], theta[9 + 4 * k]
        world, transforms = [], []
        for b in range(len(parents)):
            cx, sx = cmath.cos(tx[b]), cmath.sin(tx[b])
            cz, sz = cmath.cos(tz[b]), cmath.sin(tz[b])
            rz = [[cz, -sz, 0, 0], [sz, cz, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
            rx = [[1, 0, 0, 0], [0, cx, -sx, 0], [0, sx, cx, 0], [0, 0, 0, 1]]
            m = matrix_product(base[b], matrix_product(rz, rx))
            if parents[b] >= 0:
                m = matrix_product(world[parents[b]], m)
            world.append(m)
            transforms.append(matrix_product(m, inverse[b]))
        w = theta[:3]
        phi = cmath.sqrt(dot(w, w))
        rotation = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
        if phi.real >= 0.0001:
            a = [v / phi for v in w]
            skew = [[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]]
            c, s = cmath.cos(phi), cmath.sin(phi)
            rotation = [[(c if i == j else 0) + s * skew[i][j] + (1 - c) * a[i] * a[j]
                         for j in range(3)] for i in range(3)]

        def posed(v):
            q = positions[v] + [1]
            s = [sum(weight * dot(transforms[bone][i], q) for bone, weight in weights[v])
                 for i in range(3)]
            return [dot(rotation[i], s) + theta[3 + i] for i in range(3)]

        result = []
        for c, which in enumerate(correspondences):
            if complicated:
                corners = [posed(v) for v in triangles[which]]
                u = [us[2 * c], us[2 * c + 1], 1 - us[2 * c] - us[2 * c + 1]]
                at = [sum(u[k] * corners[k][j] for k in range(3)) for j in range(3)]
            else:
                at = posed(which)
            result += [measured[3 * c + j] - at[j] for j in range(3)]
        return result

    return outputs


def sigmoid(x):
    return 1 / (1 + cmath.exp(-x))


def lstm(layers, characters, bits, state, text):
    def objective(p):
        main, extra = p[:8 * layers * bits], p[8 * layers * bits:]
        s, total, b = [complex(v) for v in state], 0, bits
        for t in range(characters - 1):
            z = [text[t * b + j] * extra[j] for j in range(b)]
            for k in range(layers):
                weight = lambda gate, j: main[8 * k * b + gate * b + j]
                bias = lambda gate, j: main[(8 * k + 4) * b + gate * b + j]
                h, c = 2 * k * b, (2 * k + 1) * b
                new = []
                for j in range(b):
                    f = sigmoid(z[j] * weight(0, j) + bias(0, j))
                    i = sigmoid(s[h + j] * weight(1, j) + bias(1, j))
                    o = sigmoid(z[j] * weight(2, j) + bias(2, j))
                    g = cmath.tanh(s[h + j] * weight(3, j) + bias(3, j))
                    s[c + j] = s[c + j] * f + i * g
                    new.append(o * cmath.tanh(s[c + j]))
                s[h:h + b] = new
                z = new
            y = [z[j] * extra[b + j] + extra[2 * b + j] for j in range(b)]
            lse = cmath.log(2 + sum(cmath.exp(v) for v in y))
            total += sum(text[(t + 1) * b + j] * (y[j] - lse) for j in range(b))
        return -total / (b * (characters - 1))

    return objective


def integrate(rate, stepper, x, step, steps, observe=lambda x: None):
    axpy = lambda s, k: [a + s * b for a, b in zip(x, k)]
    observe(x)
    for _ in range(steps):
        k1 = rate(x)
        if stepper == "euler":
            x = axpy(step, k1)
        else:
            k2 = rate(axpy(step / 2, k1))
            k3 = rate(axpy(step / 2, k2))
            k4 = rate(axpy(step, k3))
            x = [a + step / 6 * (p + 2 * q + 2 * r + s)
                 for a, p, q, r, s in zip(x, k1, k2, k3, k4)]
        observe(x)
    return x


def lorenz(stepper, step, steps):
    def objective(p):
        sigma, rho, beta = p[:3]
        rate = lambda x: [sigma * (x[1] - x[0]), rho * x[0] - x[1] - x[0] * x[2],
                          x[0] * x[1] - beta * x[2]]
        x = integrate(rate, stepper, p[3:], step, steps)
        return dot(x, x) / 2

    return objective


def lotka_volterra(stepper, step, steps):
    def objective(p):
        a, b, c, d = p[:4]
        rate = lambda x: [a * x[0] - b * x[0] * x[1], d * x[0] * x[1] - c * x[1]]
        squares = []
        x = integrate(rate, stepper, p[4:], step, steps,
                      lambda x: squares.append(x[0] * x[0]))
        return sum(squares) / (steps + 1) + x[1]

    return objective


def fft(x):
    """Transform of a list of (re, im) pairs whose parts are themselves complex."""
    if len(x) == 1:
        return x
    even, odd = fft(x[0::2]), fft(x[1::2])
    out, half = [None] * len(x), len(x) // 2
    for k in range(half):
        c, s = math.cos(2 * math.pi * k / len(x)), -math.sin(2 * math.pi * k / len(x))
        re, im = odd[k][0] * c - odd[k][1] * s, odd[k][0] * s + odd[k][1] * c
        out[k] = (even[k][0] + re, even[k][1] + im)
        out[k + half] = (even[k][0] - re, even[k][1] - im)
    return out


def spectrum(weights):
    def objective(p):
        transform = fft([(p[2 * k], p[2 * k + 1]) for k in range(len(p) // 2)])
        return sum(w * cmath.log(1 + re * re + im * im)
                   for w, (re, im) in zip(weights, transform))

    return objective


def brusselator(n, steps, step):
    def objective(p):
        a, b, diffusion = p[0], p[1], p[2] * n * n

        def rate(state):
            u, v = state[:n * n], state[n * n:]
            du, dv = [], []
            for i in range(n):
                for j in range(n):
                    near = [((i + di) % n) * n + (j + dj) % n
                            for di, dj in ((1, 0), (-1, 0), (0, 1), (0, -1))]
                    uc, vc = u[i * n + j], v[i * n + j]
                    reaction = uc * uc * vc
                    du.append(b + reaction - (a + 1) * uc +
                              diffusion * (sum(u[q] for q in near) - 4 * uc))
                    dv.append(a * uc - reaction +
                              diffusion * (sum(v[q] for q in near) - 4 * vc))
            return du + dv

        x = integrate(rate, "rk4", p[3:], step, steps)
        return sum(x[i] * x[i] + x[i] * x[n * n + i] for i in range(n * n)) / (n * n)

    return objective


# Reading and writing ----------------------------------------------------------


def write_numbers(path, *lines):
    with open(os.path.join(DATA, path), "w") as out:
        for line in lines:
            out.write(" ".join(repr(v) for v in line) + "\n")


def write_reference(path, *sections):
    with open(os.path.join(DATA, path), "w") as out:
        out.write("# made by demo/reference.py: complex step, pure Python\n")
        for name, columns, numbers in sections:
            out.write("%s %d %d\n" % (name, len(numbers) // columns, columns))
            for row in range(0, len(numbers), columns):
                out.write(" ".join("%.17g" % v for v in numbers[row:row + columns]) + "\n")


def rows(numbers, width):
    return [numbers[i:i + width] for i in range(0, len(numbers), width)]


def words(path):
    with open(path) as file:
        return iter([float(word) for word in file.read().split()])


def take(stream, count):
    return [next(stream) for _ in range(count)]


def read_gmm(path):
    s = words(path)
    d, k, n = (int(v) for v in take(s, 3))
    p = take(s, k * (d + 1) * (d + 2) // 2)
    x = take(s, n * d)
    gamma, m = take(s, 2)
    return gmm(d, k, n, x, gamma, int(m)), p, (d, k, n)


def read_ba(path):
    s = words(path)
    n, m, p = (int(v) for v in take(s, 3))
    camera, point, weight = take(s, 11), take(s, 3), take(s, 1)
    return ba_observation(take(s, 2)), camera + point + weight, (n, m, p)


def read_lstm(path):
    s = words(path)
    layers, characters, bits = (int(v) for v in take(s, 3))
    p = take(s, (8 * layers + 3) * bits)
    state = take(s, 2 * layers * bits)
    return lstm(layers, characters, bits, state, take(s, characters * bits)), p, (
        layers, characters, bits)


def read_model(folder):
    records = lambda name: [line.strip().split(":")
                            for line in open(os.path.join(folder, name)) if ":" in line]
    parents, base, inverse, positions, weights = [], [], [], [], []
    for f in records("bones.txt"):
        parents.append(int(f[1]))
        base.append(rows([float(v) for v in f[2:18]], 4))
        inverse.append(rows([float(v) for v in f[18:34]], 4))
    for f in records("vertices.txt"):
        positions.append([float(v) for v in f[:3]])
        weights.append([(int(f[9 + 2 * i]), float(f[10 + 2 * i]))
                        for i in range(int(f[8]))])
    triangles = [[int(v) for v in f] for f in records("triangles.txt")]
    return parents, base, inverse, positions, weights, triangles


def read_hand(path, folder, complicated):
    s = words(path)
    n, _ = (int(v) for v in take(s, 2))
    correspondences, measured = [], []
    for _ in range(n):
        correspondences.append(int(next(s)))
        measured += take(s, 3)
    us = take(s, 2 * n if complicated else 0)
    theta = take(s, 26)
    return (hand(read_model(folder), complicated, correspondences, measured),
            theta + us, n)


def hand_jacobian(f, p, n, complicated):
    columns = []
    if complicated:
        for own in range(2):
            shifted = [complex(v) for v in p]
            for c in range(n):
                shifted[26 + 2 * c + own] += 1j * H
            columns.append([v.imag / H for v in f(shifted)])
    for j in range(26):
        columns.append([v.imag / H for v in complex_step(f, p, j)])
    return [column[row] for row in range(3 * n) for column in columns]


# The inputs that the repository carries ------------------------------------------


def make_gmm():
    r, d, k, n = Random(1), 3, 4, 20
    write_numbers("gmm.txt", (d, k, n), *[[v] for v in r.uniforms(k, -1, 1)],
                  *rows(r.uniforms(k * d, -1, 1), d),
                  *rows(r.uniforms(k * d * (d + 1) // 2, -1, 1), d * (d + 1) // 2),
                  *rows(r.uniforms(n * d, -2, 2), d), (1.3, 2))
    f, p, _ = read_gmm(os.path.join(DATA, "gmm.txt"))
    g = gradient(f, p)
    write_reference("gmm.ref.txt", ("objective", 1, [value(f, p)]),
                    ("d_alphas", 1, g[:k]), ("d_means", d, g[k:k + k * d]),
                    ("d_icf", d * (d + 1) // 2, g[k + k * d:]))


def make_ba(name, rotation):
    n, m, p = 3, 7, 17
    write_numbers(name + ".txt", (n, m, p),
                  rotation + [-1.1, 0.4, -6.5, 620.0, 250.0, 180.0, 0.03, -0.004],
                  [0.6, -0.9, 1.2], [0.84], [240.0, 170.0])
    f, x, _ = read_ba(os.path.join(DATA, name + ".txt"))
    out = [v.real for v in f([complex(v) for v in x])]
    jacobian = [[complex_step(f, x, j)[row].imag / H for j in range(15)]
                for row in range(3)]
    # All observations are alike, so a camera's share is its count times one.
    share = [sum(out[row] * jacobian[row][j] for row in range(3)) for j in range(15)]
    count = lambda which, of: sum(1 for i in range(p) if i % of == which)
    entries = []
    for i in range(p):
        for row in range(2):
            for j in range(15):
                column = (11 * (i % n) + j if j < 11 else
                          11 * n + 3 * (i % m) + j - 11 if j < 14 else
                          11 * n + 3 * m + i)
                entries.append((abs(jacobian[row][j]), 2 * i + row, column))
        entries.append((abs(jacobian[2][14]), 2 * p + i, 11 * n + 3 * m + i))
    write_reference(
        name + ".ref.txt", ("reproj_err_first", 2, out[:2]), ("w_err_first", 1, out[2:]),
        ("J_reproj_first", 15, jacobian[0] + jacobian[1]),
        ("J_w_err_first", 1, [jacobian[2][14]]),
        ("sparse_sum_abs", 1, [sum(a for a, _, _ in entries)]),
        ("sparse_sum_abs_times_row", 1, [sum(a * row for a, row, _ in entries)]),
        ("sparse_sum_abs_times_col", 1, [sum(a * col for a, _, col in entries)]),
        ("half_sum_squares", 1, [p * dot(out, out) / 2]),
        ("half_sum_squares_d_cam_first", 11, [count(0, n) * v for v in share[:11]]),
        ("half_sum_squares_d_cam_last", 11, [count(n - 1, n) * v for v in share[:11]]),
        ("half_sum_squares_d_point_first", 3, [count(0, m) * v for v in share[11:14]]),
        ("half_sum_squares_d_point_last", 3, [count(m - 1, m) * v for v in share[11:14]]),
        ("half_sum_squares_d_w_first", 1, [share[14]]))


def make_hand():
    """22 bones in the right tree, and a tube of skin around each."""
    r = Random(5)
    os.makedirs(os.path.join(DATA, "hand_model"), exist_ok=True)
    parents = [-1] + [b - 1 if b % 4 != 1 else 0 for b in range(1, 21)] + [0]

    def rigid():
        """A rotation by a small random vector and a translation, and its inverse."""
        w, t = r.uniforms(3, -0.6, 0.6), r.uniforms(3, -1, 1)
        phi = math.sqrt(dot(w, w))
        a = [v / phi for v in w]
        skew = [[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]]
        rot = [[(math.cos(phi) if i == j else 0) + math.sin(phi) * skew[i][j] +
                (1 - math.cos(phi)) * a[i] * a[j] for j in range(3)] for i in range(3)]
        return [rot[i] + [t[i]] for i in range(3)] + [[0.0, 0.0, 0.0, 1.0]]

    def inverted(m):
        turned = [[m[j][i] for j in range(3)] for i in range(3)]
        return [turned[i] + [-dot(turned[i], [m[j][3] for j in range(3)])]
                for i in range(3)] + [[0.0, 0.0, 0.0, 1.0]]

    world, lines = [], []
    for b, parent in enumerate(parents):
        base = rigid()
        world.append(base if parent < 0 else matrix_product(world[parent], base))
        numbers = sum(base, []) + sum(inverted(world[b]), [])
        lines.append(":".join(["bone%d" % b, str(parent)] + [repr(v) for v in numbers]))
    open(os.path.join(DATA, "hand_model/bones.txt"), "w").write("\n".join(lines) + "\n")

    lines, count, around = [], 0, 6
    for b, parent in enumerate(parents):
        for _ in range(around):
            offset = r.uniforms(3, -0.3, 0.3)
            place = [world[b][i][3] + offset[i] for i in range(3)]
            moved = [(b, 1.0)]
            if parent >= 0:
                share = r.uniform(0.2, 0.8)
                moved = [(b, share), (parent, 1 - share)]
            lines.append(":".join([repr(v) for v in place] + ["0"] * 5 + [str(len(moved))] +
                                  ["%d:%r" % pair for pair in moved]))
            count += 1
    open(os.path.join(DATA, "hand_model/vertices.txt"), "w").write("\n".join(lines) + "\n")
    triangles = [[v, (v + 1) % count, (v + around) % count] for v in range(count)]
    open(os.path.join(DATA, "hand_model/triangles.txt"), "w").write(
        "\n".join(":".join(map(str, t)) for t in triangles) + "\n")

    n = 20
    for mode, complicated in (("simple", False), ("complicated", True)):
        lines = [(n, 26)]
        for _ in range(n):
            lines.append([int(r.uniform() * count)] + r.uniforms(3, -3, 3))
        if complicated:
            lines += [r.uniforms(2, 0, 0.5) for _ in range(n)]
        lines += [[v] for v in r.uniforms(26, -0.5, 0.5)]
        write_numbers("hand_%s.txt" % mode, *lines)
        f, p, _ = read_hand(os.path.join(DATA, "hand_%s.txt" % mode),
                            os.path.join(DATA, "hand_model"), complicated)
        write_reference("hand_%s.ref.txt" % mode,
                        ("err", 3, [v.real for v in f([complex(v) for v in p])]),
                        ("jacobian", 28 if complicated else 26,
                         hand_jacobian(f, p, n, complicated)))


def make_lstm():
    r, layers, characters, bits = Random(9), 2, 12, 6
    write_numbers("lstm.txt", (layers, characters, bits),
                  *rows(r.uniforms(8 * layers * bits, -1, 1), 4 * bits),
                  *rows(r.uniforms(3 * bits, -1, 1), bits),
                  *rows(r.uniforms(2 * layers * bits, -1, 1), bits),
                  *rows([int(r.uniform() < 0.4) for _ in range(characters * bits)], bits))
    f, p, _ = read_lstm(os.path.join(DATA, "lstm.txt"))
    g = gradient(f, p)
    write_reference("lstm.ref.txt", ("objective", 1, [value(f, p)]),
                    ("d_main", 4 * bits, g[:8 * layers * bits]),
                    ("d_extra", bits, g[8 * layers * bits:]))


def make_gradient(path, f, p):
    write_reference(path, ("objective", 1, [value(f, p)]), ("gradient", 1, gradient(f, p)))


def make_all():
    os.makedirs(DATA, exist_ok=True)
    make_gmm()
    make_ba("ba", [0.31, -0.12, 0.47])
    make_ba("ba_zero_rotation", [0.0, 0.0, 0.0])
    make_hand()
    make_lstm()
    for stepper in ("euler", "rk4"):
        make_gradient("lorenz_%s.ref.txt" % stepper, lorenz(stepper, 0.001, 2000),
                      [10.0, 28.0, 8.0 / 3, 1.5, 1.2, 20.0])
        make_gradient("lotka_volterra_%s.ref.txt" % stepper,
                      lotka_volterra(stepper, 0.005, 2000), [1.1, 0.4, 0.4, 0.1, 10.0, 5.0])
    r = Random(1965)
    signal = r.uniforms(128, -1, 1)
    make_gradient("fft.ref.txt", spectrum(r.uniforms(64, 0.5, 1.5)), signal)
    n, middle = 6, lambda i: (i + 0.5) / 6
    hump = lambda x: x * (1 - x) * math.sqrt(1 - x)
    make_gradient("brusselator.ref.txt", brusselator(n, 10, 0.005),
                  [3.4, 1.0, 0.02] +
                  [22 * hump(middle(j)) for i in range(n) for j in range(n)] +
                  [27 * hump(middle(i)) for i in range(n) for j in range(n)])


# This file against ADBench ---------------------------------------------------------


def read_reference(path):
    sections, lines = {}, iter(open(path))
    for line in lines:
        if line.startswith("#") or not line.strip():
            continue
        name, count, _ = line.split()
        sections[name] = [float(v) for _ in range(int(count)) for v in next(lines).split()]
    return sections


def error(values, ref):
    floor = 1e-5 * max(abs(v) for v in ref)
    assert len(values) == len(ref)
    return max(abs(v - w) / max(abs(w), floor) if v != w else 0 for v, w in zip(values, ref))


def check(folder):
    worst = 0

    def show(name, what, values, ref):
        nonlocal worst
        e = error(values, ref)
        worst = max(worst, e)
        print("%-22s %-18s %.1e" % (name, what, e))

    for name in ("gmm_d2_K3_n1", "gmm_d2_K5", "gmm_d2_K5_wishart"):
        path = os.path.join(folder, "gmm", name)
        (f, p, _), ref = read_gmm(path + ".txt"), read_reference(path + ".ref.txt")
        show(name, "value", [value(f, p)], ref["objective"])
        show(name, "gradient", gradient(f, p),
             ref["d_alphas"] + ref["d_means"] + ref["d_icf"])
    for name in ("ba_n2_m10_p10", "ba_zero_rotation", "ba1_n49_m7776_p31843"):
        path = os.path.join(folder, "ba", name)
        (f, p, _), ref = read_ba(path + ".txt"), read_reference(path + ".ref.txt")
        show(name, "value", [v.real for v in f([complex(v) for v in p])][:2],
             ref["reproj_err_first"])
        show(name, "Jacobian", [complex_step(f, p, j)[row].imag / H for row in range(2)
                                for j in range(15)], ref["J_reproj_first"])
    for mode in ("simple", "complicated"):
        for size in ("_n2", "_t26_c100"):
            name = "hand_" + mode + size
            path = os.path.join(folder, "hand", name)
            f, p, n = read_hand(path + ".txt", os.path.join(folder, "hand/model"),
                                mode == "complicated")
            ref = read_reference(path + ".ref.txt")
            show(name, "value", [v.real for v in f([complex(v) for v in p])], ref["err"])
            show(name, "Jacobian", hand_jacobian(f, p, n, mode == "complicated"),
                 ref["jacobian"])
    path = os.path.join(folder, "lstm/lstm_l2_c8")
    (f, p, _), ref = read_lstm(path + ".txt"), read_reference(path + ".ref.txt")
    show("lstm_l2_c8", "value", [value(f, p)], ref["objective"])
    show("lstm_l2_c8", "gradient", gradient(f, p), ref["d_main"] + ref["d_extra"])
    return 0 if worst < 1e-9 else 1


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        sys.exit(check(sys.argv[2]))
    make_all()
