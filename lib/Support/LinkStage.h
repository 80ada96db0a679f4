//===- LinkStage.h - where in the life of a program ----------- -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_SUPPORT_LINKSTAGE_H
#define RETROGRAD_SUPPORT_LINKSTAGE_H

#include <cstdint>
#include <memory>

namespace retrograd {

/// Where in the life of a program the pass runs.
enum class LinkStage : uint8_t {
  Whole,      ///< no link-time optimisation follows: everything has to be here
  BeforeLink, ///< compiling to bitcode for a linker
  FullLink,   ///< in the linker, all units in one module
  ThinLink,   ///< in the linker, one unit with what was imported into it
  ByName,     ///< where `-passes=retrograd` put it: everything is tried
};

/// The stage of a pipeline, for the passes at its start: LLVM tells it later,
/// but before any of them runs. Null: not known, taken for Whole.
using PipelineStage = std::shared_ptr<const LinkStage>;

inline bool isBeforeLink(const PipelineStage &Stage) {
  return Stage && *Stage == LinkStage::BeforeLink;
}

} // namespace retrograd

#endif
