// A pass that does what PLANTED says, for sanitized-host.test.
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include <climits>
#include <cstdlib>
#include <memory>
#include <string>

namespace {
struct Planted : llvm::PassInfoMixin<Planted> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &) {
    const char *What = std::getenv("PLANTED");
    const std::string Word = What ? What : "";
    if (Word == "use-after-free") {
      auto *Size = new volatile size_t(M.size());
      delete Size;
      if (*Size == 1)
        return llvm::PreservedAnalyses::none();
    }
    if (Word == "overflow") {
      volatile int Most = INT_MAX;
      Most = Most + 1;
    }
    return llvm::PreservedAnalyses::all();
  }
};
} // namespace

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Planted", "1", [](llvm::PassBuilder &PB) {
            PB.registerPipelineStartEPCallback(
                [](llvm::ModulePassManager &MPM, llvm::OptimizationLevel) { MPM.addPass(Planted()); });
          }, nullptr};
}
