//===- Main.cpp - rg-cuda-link: the halves of CUDA objects ----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   rg-cuda-link [--register] [--library=BITCODE] DIRECTORY objects and
//   archives...
//
// Objects of -fgpu-rdc carry both halves of their source as the front end made
// them (docs/HostDevice.md). This links all device halves to
// DIRECTORY/device.bc and all host halves to DIRECTORY/host.bc, and writes the
// words that the first object was compiled with to DIRECTORY/words. With
// --register the host half hands the linked device code, which has the symbol
// rg_cuda_image, to CUDA's runtime. Of the device's library the device half
// gets what it calls.
//
//===----------------------------------------------------------------------===//

#include "Support/Kernels.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace {

[[noreturn]] void fail(const Twine &Message) {
  errs() << "rg-clang: error: " << Message << '\n';
  std::exit(1);
}

template <class T> T take(Expected<T> Result, StringRef Where) {
  if (!Result)
    fail(Where + ": " + toString(Result.takeError()));
  return std::move(*Result);
}

struct Halves {
  StringRef Host, Device, Words;
};

/// Empty where Object has none.
Halves halvesOf(const object::ObjectFile &Object, StringRef Name) {
  Halves Found;
  for (const object::SectionRef &Section : Object.sections()) {
    StringRef Title = take(Section.getName(), Name);
    StringRef *Part = Title == ".rg.cuda.host"     ? &Found.Host
                      : Title == ".rg.cuda.device" ? &Found.Device
                      : Title == ".rg.cuda.words"  ? &Found.Words
                                                   : nullptr;
    if (Part)
      *Part = take(Section.getContents(), Name);
  }
  return Found;
}

/// What clang puts behind the name of what is static in its file and known to
/// the host. "" if there is nothing.
StringRef suffixOf(StringRef Name) {
  for (StringRef Mark : {"__static__", "__intern__"})
    if (size_t At = Name.rfind(Mark); At != StringRef::npos && At)
      return Name.substr(At);
  return "";
}

/// The host's stub of a kernel that is static.
Function *stubOf(Module &Host, StringRef Kernel) {
  for (Function &F : Host)
    if (F.hasLocalLinkage() && retrograd::kernelOfStub(F.getName()) == Kernel)
      return &F;
  return nullptr;
}

/// What is static on the host has the name there that it has on the device, so
/// that what is static in several files is not mixed up. clang names such a
/// thing both ways on the device where a use stands in front of what tells that
/// the host knows it.
void nameAlike(Module &Host, Module &Device) {
  SmallVector<GlobalValue *, 8> Marked;
  for (GlobalValue &V : Device.global_values())
    if (!V.isDeclaration() && !suffixOf(V.getName()).empty())
      Marked.push_back(&V);
  for (GlobalValue *V : Marked) {
    StringRef Suffix = suffixOf(V->getName());
    std::string Own = V->getName().drop_back(Suffix.size()).str();
    if (GlobalValue *Use = Device.getNamedValue(Own);
        Use && Use->isDeclaration() && Use->getType() == V->getType()) {
      Use->replaceAllUsesWith(V);
      Use->eraseFromParent();
    }
    if (isa<Function>(V)) {
      if (Function *Stub = stubOf(Host, Own))
        Stub->setName(Stub->getName() + Suffix);
    } else if (GlobalVariable *G = Host.getNamedGlobal(Own);
               G && G->hasLocalLinkage()) {
      G->setName(V->getName());
    }
  }
}

/// clang's list of what the host names, which is for device linkers.
void dropList(Module &Device) {
  GlobalVariable *List = Device.getNamedGlobal("__clang_gpu_used_external");
  if (!List)
    return;
  removeFromUsedLists(
      Device, [&](Constant *C) { return C->stripPointerCasts() == List; });
  if (List->use_empty())
    List->eraseFromParent();
}

/// The constructor in which clang hands a file's device code to CUDA's runtime,
/// where a device linker will have made one of all files. Returns what tells
/// the runtime of the file's kernels and variables.
Function *dropRegistration(Module &Host) {
  Function *Constructor = Host.getFunction("__cuda_module_ctor");
  Function *Names = Host.getFunction("__cuda_register_globals");
  if (!Constructor)
    return nullptr;
  if (GlobalVariable *List = Host.getNamedGlobal("llvm.global_ctors")) {
    SmallVector<std::pair<Constant *, unsigned>, 8> Kept;
    if (auto *Array = dyn_cast<ConstantArray>(List->getInitializer()))
      for (Value *Element : Array->operands()) {
        auto *Entry = cast<ConstantStruct>(Element);
        if (Entry->getOperand(1) != Constructor)
          Kept.push_back(
              {Entry->getOperand(1),
               unsigned(
                   cast<ConstantInt>(Entry->getOperand(0))->getZExtValue())});
      }
    List->eraseFromParent();
    for (auto [F, Priority] : Kept)
      appendToGlobalCtors(Host, cast<Function>(F), Priority);
  }
  Constructor->eraseFromParent();
  SmallVector<GlobalAlias *, 1> Aliases;
  for (GlobalAlias &A : Host.aliases())
    if (A.getName().starts_with("__fatbinwrap"))
      Aliases.push_back(&A);
  for (GlobalAlias *A : Aliases)
    if (A->use_empty())
      A->eraseFromParent();
  if (GlobalVariable *Wrapper = Host.getNamedGlobal("__cuda_fatbin_wrapper")) {
    Wrapper->removeDeadConstantUsers();
    if (Wrapper->use_empty())
      Wrapper->eraseFromParent();
  }
  return Names;
}

/// Hands rg_cuda_image to CUDA's runtime before main.
void registerImage(Module &Host, ArrayRef<std::string> Names) {
  LLVMContext &Ctx = Host.getContext();
  IRBuilder<> B(Ctx);
  Type *Ptr = B.getPtrTy(), *I32 = B.getInt32Ty(), *Void = B.getVoidTy();
  auto *Image = new GlobalVariable(Host, B.getInt8Ty(), /*isConstant=*/true,
                                   GlobalValue::ExternalLinkage, nullptr,
                                   "rg_cuda_image");
  Image->setVisibility(GlobalValue::HiddenVisibility);
  constexpr unsigned Magic = 0x466243b1; // of CUDA's fatbinaries
  Constant *Members[] = {B.getInt32(Magic), B.getInt32(1), Image,
                         ConstantPointerNull::get(B.getPtrTy())};
  StructType *Form = StructType::get(Ctx, {I32, I32, Ptr, Ptr});
  auto *Wrapper = new GlobalVariable(
      Host, Form, true, GlobalValue::InternalLinkage,
      ConstantStruct::get(Form, Members), "rg.fatbin.wrapper");
  Wrapper->setSection(".nvFatBinSegment");
  Wrapper->setAlignment(Align(8));
  auto *Handle =
      new GlobalVariable(Host, Ptr, false, GlobalValue::InternalLinkage,
                         Constant::getNullValue(Ptr), "rg.fatbin.handle");
  auto Begin = [&](StringRef Name) {
    auto *F = Function::Create(FunctionType::get(Void, false),
                               GlobalValue::InternalLinkage, Name, Host);
    B.SetInsertPoint(BasicBlock::Create(Ctx, "", F));
    return F;
  };
  Function *End = Begin("rg.fatbin.end");
  B.CreateCall(Host.getOrInsertFunction("__cudaUnregisterFatBinary", Void, Ptr),
               {B.CreateLoad(Ptr, Handle)});
  B.CreateRetVoid();
  Function *Start = Begin("rg.fatbin.start");
  Value *Given = B.CreateCall(
      Host.getOrInsertFunction("__cudaRegisterFatBinary", Ptr, Ptr), {Wrapper});
  B.CreateStore(Given, Handle);
  for (const std::string &Name : Names)
    B.CreateCall(Host.getFunction(Name), {Given});
  B.CreateCall(
      Host.getOrInsertFunction("__cudaRegisterFatBinaryEnd", Void, Ptr),
      {Given});
  B.CreateCall(Host.getOrInsertFunction("atexit", I32, Ptr), {End});
  B.CreateRetVoid();
  appendToGlobalCtors(Host, Start, 101);
}

class HalfLinker {
public:
  HalfLinker() : Host("", Ctx), Device("", Ctx) {
    Ctx.setDiagnosticHandlerCallBack([](const DiagnosticInfo *Info, void *) {
      if (Info->getSeverity() != DS_Error)
        return;
      std::string Text;
      raw_string_ostream OS(Text);
      DiagnosticPrinterRawOStream Printer(OS);
      Info->print(Printer);
      fail(Text);
    });
  }

  void addFile(StringRef Path) {
    auto Buffer = MemoryBuffer::getFile(Path);
    if (!Buffer)
      fail(Path + ": " + Buffer.getError().message());
    Buffers.push_back(std::move(*Buffer));
    std::unique_ptr<object::Binary> File =
        take(object::createBinary(Buffers.back()->getMemBufferRef()), Path);
    if (auto *Archive = dyn_cast<object::Archive>(File.get())) {
      Error Bad = Error::success();
      for (const object::Archive::Child &Member : Archive->children(Bad)) {
        Expected<std::unique_ptr<object::Binary>> Part = Member.getAsBinary();
        if (!Part) {
          consumeError(Part.takeError());
          continue;
        }
        if (auto *Object = dyn_cast<object::ObjectFile>(Part->get()))
          add(halvesOf(*Object, Path),
              (Path + "(" + take(Member.getName(), Path) + ")").str());
      }
      if (Bad)
        fail(Path + ": " + toString(std::move(Bad)));
    } else if (auto *Object = dyn_cast<object::ObjectFile>(File.get())) {
      add(halvesOf(*Object, Path), Path.str());
    }
  }

  /// The device's library, of which clang brings routines into each file.
  void useLibrary(StringRef Path) {
    SMDiagnostic Bad;
    Library = parseIRFile(Path, Bad, Ctx);
    if (!Library)
      fail(Path + ": " + Bad.getMessage());
  }

  void write(StringRef Directory, bool Register) {
    if (Library)
      addLibrary();
    if (Register)
      registerImage(Host, Registrations);
    for (auto [M, Name] :
         {std::pair(&Host, "/host.bc"), std::pair(&Device, "/device.bc")})
      writeFile(Directory + Name,
                [M = M](raw_ostream &OS) { WriteBitcodeToFile(*M, OS); });
    writeFile(Directory + "/words", [this](raw_ostream &OS) { OS << Words; });
  }

private:
  LLVMContext Ctx;
  Module Host, Device;
  std::vector<std::unique_ptr<MemoryBuffer>> Buffers;
  std::string Words;
  std::vector<std::string> Registrations;
  bool First = true;
  std::unique_ptr<Module> Library;

  /// Derivatives know routines of the library by their names, which copies in
  /// several files would lose.
  void leaveToLibrary(Module &D) {
    for (const Function &L : *Library)
      if (Function *F =
              L.isDeclaration() ? nullptr : D.getFunction(L.getName());
          F && !F->isDeclaration()) {
        F->deleteBody();
        F->setComdat(nullptr);
      }
  }

  /// What is called of the library becomes the device half's own, compiled for
  /// its processor.
  void addLibrary() {
    const Function *Model = nullptr;
    for (const Function &F : Device)
      if (!F.isDeclaration() && F.hasFnAttribute("target-cpu"))
        Model = &F;
    Library->setTargetTriple(Device.getTargetTriple());
    Library->setDataLayout(Device.getDataLayout());
    auto Keep = [&](Module &M, const StringSet<> &New) {
      for (StringRef Name : New.keys()) {
        GlobalValue *V = M.getNamedValue(Name);
        if (!V || V->isDeclaration())
          continue;
        V->setLinkage(GlobalValue::InternalLinkage);
        if (auto *F = dyn_cast<Function>(V); F && Model)
          for (const char *Kind : {"target-cpu", "target-features"})
            F->addFnAttr(Model->getFnAttribute(Kind));
      }
    };
    if (Linker::linkModules(Device, std::move(Library), Linker::LinkOnlyNeeded,
                            Keep))
      fail("the device's library does not link with the program");
  }

  std::unique_ptr<Module> read(StringRef Bitcode, const std::string &Name) {
    SMDiagnostic Error;
    std::unique_ptr<Module> M =
        parseIR(MemoryBufferRef(Bitcode, Name), Error, Ctx);
    if (!M)
      fail(Name + ": " + Error.getMessage());
    return M;
  }

  void add(const Halves &Parts, const std::string &Name) {
    if (Parts.Host.empty() || Parts.Device.empty())
      return;
    std::unique_ptr<Module> H = read(Parts.Host, Name);
    std::unique_ptr<Module> D = read(Parts.Device, Name);
    nameAlike(*H, *D);
    dropList(*D);
    if (Library)
      leaveToLibrary(*D);
    if (Function *Names = dropRegistration(*H)) {
      Names->setName("rg.register." + Twine(Registrations.size()));
      Names->setLinkage(GlobalValue::ExternalLinkage);
      Names->setVisibility(GlobalValue::HiddenVisibility);
      Registrations.push_back(Names->getName().str());
    }
    // The last word is the place that the code is for.
    auto PlaceOf = [](StringRef Words) {
      return Words.rtrim().rsplit('\n').second;
    };
    if (First)
      Words = Parts.Words.str();
    else if (PlaceOf(Words) != PlaceOf(Parts.Words))
      fail(Name + " was compiled for " + PlaceOf(Parts.Words) +
           ", and others for " + PlaceOf(Words));
    for (auto [Into, From] : {std::pair(&Host, &H), std::pair(&Device, &D)}) {
      if (First) {
        Into->setTargetTriple((*From)->getTargetTriple());
        Into->setDataLayout((*From)->getDataLayout());
      }
      if (Linker::linkModules(*Into, std::move(*From)))
        fail(Name + ": its code does not link with that of the other files");
    }
    First = false;
  }

  static void writeFile(const Twine &Path,
                        function_ref<void(raw_ostream &)> Write) {
    std::error_code Error;
    std::string Text = Path.str();
    ToolOutputFile File(Text, Error, sys::fs::OF_None);
    if (Error)
      fail(Text + ": " + Error.message());
    Write(File.os());
    File.keep();
  }
};

} // namespace

int main(int Count, char **Arguments) {
  ArrayRef<char *> Left(Arguments + 1, Count - 1);
  bool Register = false;
  StringRef Library;
  for (; !Left.empty() && StringRef(Left.front()).starts_with("--");
       Left = Left.drop_front()) {
    Register |= StringRef(Left.front()) == "--register";
    if (StringRef Value = Left.front(); Value.consume_front("--library="))
      Library = Value;
  }
  if (Left.size() < 2)
    fail("rg-cuda-link [--register] [--library=BITCODE] DIRECTORY objects and "
         "archives...");
  HalfLinker Linker;
  if (!Library.empty())
    Linker.useLibrary(Library);
  for (const char *Path : Left.drop_front())
    Linker.addFile(Path);
  Linker.write(Left.front(), Register);
}
