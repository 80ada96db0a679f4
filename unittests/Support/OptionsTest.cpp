//===- OptionsTest.cpp - the command line becomes a struct ----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/Options.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace retrograd;

namespace {

/// The options that a process started with these arguments would have.
Options parse(std::initializer_list<const char *> Arguments) {
  llvm::cl::ResetAllOptionOccurrences();
  std::vector<const char *> Argv = {"test"};
  Argv.insert(Argv.end(), Arguments);
  EXPECT_TRUE(llvm::cl::ParseCommandLineOptions(Argv.size(), Argv.data(), "",
                                                &llvm::nulls()));
  return Options::fromCommandLine();
}

TEST(Options, DefaultsAreThoseOfTheStruct) {
  const Options Parsed = parse({}), Default;
  EXPECT_EQ(Parsed.Plan, Default.Plan);
  EXPECT_EQ(Parsed.CleanUp, Default.CleanUp);
  EXPECT_EQ(Parsed.VerifyEach, Default.VerifyEach);
  EXPECT_EQ(Parsed.RunEarly, Default.RunEarly);
  EXPECT_FALSE(Parsed.PrintPrimal || Parsed.PrintTypes ||
               Parsed.PrintActivity || Parsed.PrintOverwrite ||
               Parsed.PrintLoops || Parsed.PrintPlan || Parsed.PrintDerivative);
}

TEST(Options, EachOptionSetsItsOwnField) {
  EXPECT_EQ(parse({"-rg-plan=naive"}).Plan, PlanKind::Naive);
  EXPECT_EQ(parse({"-rg-plan=mincut"}).Plan, PlanKind::MinCut);
  EXPECT_TRUE(parse({"-rg-print-primal"}).PrintPrimal);
  EXPECT_TRUE(parse({"-rg-print-types"}).PrintTypes);
  EXPECT_TRUE(parse({"-rg-print-activity"}).PrintActivity);
  EXPECT_TRUE(parse({"-rg-print-overwrite"}).PrintOverwrite);
  EXPECT_TRUE(parse({"-rg-print-loops"}).PrintLoops);
  EXPECT_TRUE(parse({"-rg-print-plan"}).PrintPlan);
  EXPECT_TRUE(parse({"-rg-print-derivative"}).PrintDerivative);
  EXPECT_FALSE(parse({"-rg-disable=cleanup"}).CleanUp);
  const Options Two =
      parse({"-rg-disable=defer-loops,peel-first", "-rg-disable=gpu-red"});
  EXPECT_FALSE(Two.DeferLoops || Two.ReductionsOnDevice);
  EXPECT_TRUE(Two.DeferNests);
  EXPECT_EQ(Two.DisabledSteps, std::vector<std::string>{"peel-first"});
  EXPECT_EQ(Two.disabled(), "peel-first,defer-loops,gpu-red");
  EXPECT_TRUE(parse({"-rg-verify-each"}).VerifyEach);
  EXPECT_TRUE(parse({"-rg-run-early"}).RunEarly);
  EXPECT_FALSE(parse({"-rg-print-plan"}).PrintLoops);
}

} // namespace
