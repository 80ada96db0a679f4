//===- ClangLoader.cpp - registration when clang merely loads the file ----===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `-fplugin=R.so` and `-Xclang -load -Xclang R.so` dlopen the file and look for
// clang plugins in clang's registry; nobody calls llvmGetPassPluginInfo(). So a
// static object enters a clang plugin that adds our callback to the code
// generator's list. Clang asks each plugin for its arguments once per
// translation unit, before code generation; that is where we do it. The
// plugin's AST consumer does nothing unless there are rules
// (ClangAttributes.cpp).
//
// opt and ld.lld load the same file and have no clang. Every clang symbol of
// this object is therefore made weak when it is built (lib/CMakeLists.txt) and
// the object is entered only if clang's registry is there.
//
// The same moment, before the first line is read, serves programs made for
// Enzyme: our public headers join the search path (last, so that a directory of
// the user's wins) and ENZYME_VERSION_* are defined. So `#include
// <enzyme/enzyme>` needs no -I.
//
// Not handled: with -fplugin= alone and LLVM IR as input there is no AST, hence
// no call; -fpass-plugin= serves that case, and the drivers pass both. Likewise
// `clang -fplugin= -E` has neither headers nor macros; the drivers give both.
//
//===----------------------------------------------------------------------===//

#include "Entry/ClangAttributes.h"
#include "Pass/ClangIntegers.h"
#include "Pass/ClangMembers.h"
#include "Pass/ClangTags.h"
#include "Pass/Plugin.h"
#include "Primal/Language/CopyTags.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/CodeGenOptions.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <dlfcn.h>
#include <optional>

using namespace clang;

namespace {

/// ../include of the folder that this file was loaded from; symbolic links are
/// followed, as the drivers do.
std::string includeFolder() {
  Dl_info Info;
  if (!dladdr(reinterpret_cast<const void *>(&includeFolder), &Info) ||
      !Info.dli_fname)
    return {};
  llvm::SmallString<256> Path;
  if (llvm::sys::fs::real_path(Info.dli_fname, Path))
    return {};
  llvm::SmallString<256> Folder(
      llvm::sys::path::parent_path(llvm::sys::path::parent_path(Path)));
  llvm::sys::path::append(Folder, "include");
  return std::string(Folder);
}

void offerHeaders(Preprocessor &PP) {
  if (OptionalDirectoryEntryRef Folder =
          PP.getFileManager().getOptionalDirectoryRef(includeFolder()))
    PP.getHeaderSearchInfo().AddSystemSearchPath(
        DirectoryLookup(*Folder, SrcMgr::C_System, /*isFramework=*/false));
  // Guarded: the command line may have defined them.
  std::string Macros = PP.getPredefines();
  for (const char *Line : {"MAJOR 0", "MINOR 0", "PATCH 180"}) {
    std::string Name =
        "ENZYME_VERSION_" + llvm::StringRef(Line).split(' ').first.str();
    Macros +=
        "#ifndef " + Name + "\n#define ENZYME_VERSION_" + Line + "\n#endif\n";
  }
  PP.setPredefines(std::move(Macros));
}

/// While the unit's syntax tree is still there.
class NoteMembers : public llvm::PassInfoMixin<NoteMembers> {
public:
  explicit NoteMembers(const CompilerInstance &CI) : CI(CI) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &) {
    retrograd::noteMovedMembers(CI, M);
    retrograd::noteIntegerMembers(CI, M);
    retrograd::noteTextMembers(CI, M);
    retrograd::notePlainIntegers(CI, M);
    return llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }

private:
  const CompilerInstance &CI;
};

/// Clang tracks source lines for nothing but our messages: a driver's -Rpass=
/// (tools/rg-clang) names a pass that does not exist.
bool linesAreForMessages(const CompilerInstance &CI) {
  const CodeGenOptions &C = CI.getCodeGenOpts();
  const frontend::ActionKind Action = CI.getFrontendOpts().ProgramAction;
  return C.getDebugInfo() == llvm::codegenoptions::LocTrackingOnly &&
         C.OptimizationRemark.Pattern == "^rg-source-locations$" &&
         !C.OptimizationRemarkMissed.hasValidPattern() &&
         !C.OptimizationRemarkAnalysis.hasValidPattern() &&
         C.OptRecordFile.empty() && C.OptRecordPasses.empty() &&
         C.SampleProfileFile.empty() && C.StackUsageOutput.empty() &&
         !retrograd::isForLink(CI) &&
         (Action == frontend::EmitObj || Action == frontend::EmitAssembly);
}

/// Behind our last message. The code generator analyses where variables are in
/// each function that has a DISubprogram, though there is no variable and
/// nothing of it is written.
class DropLines : public llvm::PassInfoMixin<DropLines> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &) {
    llvm::StripDebugInfo(M);
    return llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

class RetrogradLoader final : public PluginASTAction {
public:
  ActionType getActionType() override { return AddBeforeMainAction; }

  bool ParseArgs(const CompilerInstance &CI,
                 const std::vector<std::string> &Args) override {
    // Clang hands plugins a const view of an instance that is not const; the
    // list exists for embedders and has no other door.
    auto &CodeGen = const_cast<CodeGenOptions &>(CI.getCodeGenOpts());
    if (retrograd::wantsCopyTags(CI))
      CodeGen.PassBuilderCallbacks.push_back([&CI](llvm::PassBuilder &PB) {
        retrograd::forgetCopyTags(CI);
        PB.registerPipelineStartEPCallback(
            [](llvm::ModulePassManager &MPM, llvm::OptimizationLevel) {
              MPM.addPass(retrograd::KeepCopyTagsPass());
            });
      });
    CodeGen.PassBuilderCallbacks.push_back([&CI](llvm::PassBuilder &PB) {
      PB.registerPipelineStartEPCallback(
          [&CI](llvm::ModulePassManager &MPM, llvm::OptimizationLevel) {
            MPM.addPass(NoteMembers(CI));
          });
    });
    if (retrograd::wantsFreeTags(CI)) {
      retrograd::beginFreeTags(CI);
      CodeGen.PassBuilderCallbacks.push_back([&CI](llvm::PassBuilder &PB) {
        PB.registerPipelineStartEPCallback(
            [&CI](llvm::ModulePassManager &MPM, llvm::OptimizationLevel) {
              MPM.addPass(retrograd::FreeTagsPass(retrograd::isForLink(CI)));
            });
      });
    }
    CodeGen.PassBuilderCallbacks.push_back(retrograd::registerPasses);
    if (linesAreForMessages(CI))
      CodeGen.PassBuilderCallbacks.push_back([](llvm::PassBuilder &PB) {
        PB.registerOptimizerLastEPCallback(
            [](llvm::ModulePassManager &MPM, llvm::OptimizationLevel,
               llvm::ThinOrFullLTOPhase) { MPM.addPass(DropLines()); });
      });
    retrograd::leaveToClangPlugin();
    // The device libraries that clang links into kernels.
    std::vector<std::string> Libraries;
    Libraries.reserve(CodeGen.LinkBitcodeFiles.size());
    for (const CodeGenOptions::BitcodeFileToLink &File :
         CodeGen.LinkBitcodeFiles)
      Libraries.push_back(File.Filename);
    if (!Libraries.empty())
      CodeGen.PassBuilderCallbacks.push_back(
          [Libraries](llvm::PassBuilder &PB) {
            retrograd::registerLibraries(PB, Libraries);
          });
    offerHeaders(CI.getPreprocessor());
    return true;
  }

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
                                                 llvm::StringRef) override {
    std::vector<std::unique_ptr<ASTConsumer>> Consumers;
    if (retrograd::wantsCopyTags(CI))
      Consumers.push_back(retrograd::beginCopyTags(CI));
    Consumers.push_back(retrograd::keepRules());
    return std::make_unique<MultiplexConsumer>(std::move(Consumers));
  }
};

/// What has to happen behind clang's own consumer.
class RetrogradEnd final : public PluginASTAction {
public:
  ActionType getActionType() override { return AddAfterMainAction; }

  bool ParseArgs(const CompilerInstance &,
                 const std::vector<std::string> &) override {
    return true;
  }

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
                                                 llvm::StringRef) override {
    if (retrograd::wantsCopyTags(CI))
      return retrograd::endCopyTags(CI);
    return std::make_unique<ASTConsumer>();
  }
};

struct EnterRegistry {
  std::optional<FrontendPluginRegistry::Add<RetrogradLoader>> Entry;
  std::optional<FrontendPluginRegistry::Add<RetrogradEnd>> End;
  EnterRegistry() {
    // FrontendPluginRegistry::add_node, by its mangled name: comparing its
    // address with null would be folded away.
    const char *AddNode = "_ZN4llvm8RegistryIN5clang" // layering: clang's own
                          "15PluginASTActionEE8add_nodeEPNS3_4nodeE";
    if (!dlsym(RTLD_DEFAULT, AddNode))
      return;
    Entry.emplace("retrograd", "differentiates __enzyme_autodiff calls");
    End.emplace("retrograd-end", "the part behind clang's code generation");
  }
};

EnterRegistry Enter;

} // namespace
