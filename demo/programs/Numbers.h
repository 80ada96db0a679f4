//===- Numbers.h - numbers from a file, and numbers from nowhere -*- C++
//-*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PROGRAMS_NUMBERS_H
#define PROGRAMS_NUMBERS_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace programs {

/// Reads numbers separated by white space. A missing file or number ends the
/// program: a demo that quietly ran on something else would prove nothing.
class NumberReader {
public:
  explicit NumberReader(const std::string &Path) : Path(Path), In(Path) {
    if (!In)
      fail("cannot be opened");
  }

  double number() {
    std::string Word;
    if (!(In >> Word))
      fail("ends too early");
    char *End = nullptr;
    // strtod rounds correctly; reading a double with >> need not.
    double Value = std::strtod(Word.c_str(), &End);
    if (*End)
      fail("holds '" + Word + "' where a number should be");
    return Value;
  }
  int integer() { return int(number()); }
  std::vector<double> numbers(size_t Count) {
    std::vector<double> Values(Count);
    for (double &V : Values)
      V = number();
    return Values;
  }

private:
  [[noreturn]] void fail(const std::string &What) {
    std::fprintf(stderr, "%s %s\n", Path.c_str(), What.c_str());
    std::exit(2);
  }

  std::string Path;
  std::ifstream In;
};

/// A 31-bit linear congruential generator. Its numbers are exact in a double,
/// so that the C++ and the Python side of a test have the very same input.
class Random {
public:
  explicit Random(uint32_t Seed) : State(Seed) {}
  /// Uniform in [0, 1).
  double uniform() {
    State = (uint64_t(State) * 1103515245u + 12345u) & 0x7fffffffu;
    return State / 2147483648.0;
  }
  double uniform(double Low, double High) {
    return Low + (High - Low) * uniform();
  }
  std::vector<double> uniforms(size_t Count, double Low, double High) {
    std::vector<double> Values(Count);
    for (double &V : Values)
      V = uniform(Low, High);
    return Values;
  }

private:
  uint32_t State;
};

} // namespace programs

#endif
