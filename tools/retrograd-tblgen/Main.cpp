//===- Main.cpp - retrograd-tblgen ----------------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The backends over lib/Catalogue/*.td. All the usual options of a TableGen
// tool
// (-I, -o, -d, --print-records) work too.
//
//===----------------------------------------------------------------------===//

#include "llvm/TableGen/Main.h"
#include "Formulas.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;
using namespace retrograd::tblgen;

namespace {
enum class Action { Catalogue, Reference, Tests };
}

static cl::opt<Action>
    Chosen(cl::desc("what to generate:"),
           cl::values(clEnumValN(Action::Catalogue, "gen-catalogue",
                                 "the tables behind Catalogue.h"),
                      clEnumValN(Action::Reference, "gen-reference",
                                 "the rule reference page, in Markdown"),
                      clEnumValN(Action::Tests, "gen-tests",
                                 "a C program that tests every formula")),
           cl::init(Action::Catalogue));

static bool generate(raw_ostream &OS, const RecordKeeper &Records) {
  const Action What = Chosen;
  switch (What) {
  case Action::Catalogue:
    return emitCatalogue(OS, Records);
  case Action::Reference:
    return emitReference(OS, Records);
  case Action::Tests:
    return emitTests(OS, Records);
  }
  return true;
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "Retrograd's catalogue compiler\n");
  return TableGenMain(argv[0], generate);
}
