//===- Decisions.cpp ------------------------------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decisions.h"
#include "Request/EntryPoints.h"
#include "Request/Markers.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/IR/AutoUpgrade.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// The user's own derivative calls and markers are there, without derivatives,
/// and are not run.
void defineEntryPoints(Module &M) {
  for (Function &F : M)
    if (isEntryPoint(F)) {
      new UnreachableInst(M.getContext(),
                          BasicBlock::Create(M.getContext(), "", &F));
      F.setLinkage(GlobalValue::WeakAnyLinkage);
      F.setComdat(nullptr);
    }
  for (GlobalVariable &G : M.globals())
    if (G.isDeclaration() &&
        any_of(markerNames(), [&](const MarkerName &Marker) {
          return G.getName().contains(Marker.Name);
        })) {
      G.setInitializer(Constant::getNullValue(G.getValueType()));
      G.setLinkage(GlobalValue::WeakAnyLinkage);
    }
}

/// Whole: what an integer decides: a comparison, a switch, an index. Its
/// outcome follows from the bits of a number where no operation on numbers
/// decided otherwise before.
enum class Nature {
  Smooth,
  Cast,
  Step,
  Quotient,
  Exponent,
  Class,
  Sign,
  Kink,
  Edge,
  Branch,
  Whole
};

/// CUDA's mathematics are functions of clang's headers: what happens in them,
/// happens where they are called.
bool isMathHeader(StringRef File) {
  StringRef Name = sys::path::filename(File);
  return Name.starts_with("__clang_cuda") || Name == "retrograd_cuda.h";
}

struct NamedNature {
  const char *Name;
  Nature N;
};
/// By the name in C, without the letter of the type.
constexpr NamedNature Named[] = {
    {"floor", Nature::Step},        {"ceil", Nature::Step},
    {"round", Nature::Step},        {"trunc", Nature::Step},
    {"rint", Nature::Step},         {"nearbyint", Nature::Step},
    {"roundeven", Nature::Step},    {"lround", Nature::Step},
    {"lrint", Nature::Step},        {"llround", Nature::Step},
    {"llrint", Nature::Step},       {"modf", Nature::Step},
    {"fptosi.sat", Nature::Cast},   {"fptoui.sat", Nature::Cast},
    {"fmod", Nature::Quotient},     {"remainder", Nature::Quotient},
    {"remquo", Nature::Quotient},   {"drem", Nature::Quotient},
    {"frexp", Nature::Exponent},    {"ilogb", Nature::Exponent},
    {"logb", Nature::Exponent},     {"significand", Nature::Exponent},
    {"copysign", Nature::Sign},     {"fabs", Nature::Kink},
    {"fmax", Nature::Kink},         {"fmin", Nature::Kink},
    {"maxnum", Nature::Kink},       {"minnum", Nature::Kink},
    {"maximum", Nature::Kink},      {"minimum", Nature::Kink},
    {"maximumnum", Nature::Kink},   {"minimumnum", Nature::Kink},
    {"fmaximum", Nature::Kink},     {"fminimum", Nature::Kink},
    {"fmaximum_num", Nature::Kink}, {"fminimum_num", Nature::Kink},
    {"fmaximum_mag", Nature::Kink}, {"fminimum_mag", Nature::Kink},
    {"fdim", Nature::Kink},         {"is.fpclass", Nature::Class},
    {"sqrt", Nature::Edge},         {"cbrt", Nature::Edge},
    {"log", Nature::Edge},          {"log2", Nature::Edge},
    {"log10", Nature::Edge},        {"pow", Nature::Edge},
    {"hypot", Nature::Edge},        {"asin", Nature::Edge},
    {"acos", Nature::Edge},         {"acosh", Nature::Edge},
    {"atanh", Nature::Edge},
};

/// The result, or for what writes its results the operand, that a named
/// operation has is a number.
bool isOfNumber(const CallBase &C) {
  return C.arg_size() && C.getArgOperand(0)->getType()->isFloatingPointTy();
}

Nature natureOf(const Instruction &I) {
  if (isa<FPToSIInst, FPToUIInst>(I))
    return Nature::Cast;
  if (isa<FCmpInst>(I))
    return Nature::Branch;
  if (isa<ICmpInst, SwitchInst>(I))
    return Nature::Whole;
  if (const auto *G = dyn_cast<GetElementPtrInst>(&I))
    return G->hasAllConstantIndices() ? Nature::Smooth : Nature::Whole;
  const auto *C = dyn_cast<CallBase>(&I);
  const Function *Callee = C ? C->getCalledFunction() : nullptr;
  if (!Callee || !isOfNumber(*C))
    return Nature::Smooth;
  StringRef Name = Callee->getName();
  if (const DISubprogram *SP = Callee->getSubprogram();
      SP && isMathHeader(SP->getFilename()))
    Name = SP->getName();
  else if (SP && !Callee->isDeclaration())
    return Nature::Smooth; // the user's own function of such a name; what it
                           // does is recorded in it
  Name.consume_front("__nv_"); // of CUDA's library
  if (Name.consume_front("llvm."))
    Name = Name.starts_with("fptosi.sat") || Name.starts_with("fptoui.sat") ||
                   Name.starts_with("is.fpclass")
               ? Name.take_front(10)
               : Name.take_until([](char Ch) { return Ch == '.'; });
  for (const NamedNature &Known : Named) {
    StringRef Plain = Known.Name;
    if (Name == Plain ||
        (Name.starts_with(Plain) && Name.size() == Plain.size() + 1 &&
         (Name.back() == 'f' || Name.back() == 'l')))
      return Known.N;
  }
  return Nature::Smooth;
}

const char *describe(Nature N) {
  switch (N) {
  case Nature::Cast:
    return "a number becomes an integer here: the derivative by it is zero";
  case Nature::Step:
    return "a step function: the derivative is zero between its steps";
  case Nature::Quotient:
    return "a remainder: it jumps where the quotient does";
  case Nature::Exponent:
    return "an exponent is taken here: it jumps at powers of two";
  case Nature::Class:
    return "it asks here what kind of number this is";
  case Nature::Sign:
    return "a sign is copied here: the result jumps where the sign changes";
  case Nature::Kink:
    return "a kink: the derivative jumps here";
  case Nature::Edge:
    return "the edge of where this function has a derivative";
  case Nature::Branch:
    return "it branches on a number here";
  case Nature::Whole:
    return "an integer made of the bits of a number decides here: a "
           "comparison, a switch or an index";
  case Nature::Smooth:
    break;
  }
  return nullptr;
}

/// The bits of V, if it is one integer or number.
Value *bitsOf(IRBuilder<> &B, Value *V) {
  if (V->getType()->isFloatingPointTy())
    V = B.CreateBitCast(B.CreateFPCast(V, B.getDoubleTy()), B.getInt64Ty());
  if (V->getType()->isPointerTy())
    return B.CreatePtrToInt(V, B.getInt64Ty());
  return V->getType()->isIntegerTy() ? B.CreateZExtOrTrunc(V, B.getInt64Ty())
                                     : nullptr;
}

/// What I decided, as an i64: equal for equal decisions. B stands behind I, but
/// in front of a switch.
Value *outcome(IRBuilder<> &B, Instruction &I, Nature N) {
  auto IsNegative = [&](Value *X) {
    return B.CreateZExt(B.CreateICmpSLT(bitsOf(B, X), B.getInt64(0)),
                        B.getInt64Ty());
  };
  auto Operand = [&](unsigned K) { return I.getOperand(K); };
  switch (N) {
  case Nature::Kink: {
    // That a number is 0 to both sides of which it has a sign is a decision,
    // too.
    Value *X = Operand(0);
    Value *Y = cast<CallBase>(I).arg_size() > 1
                   ? Operand(1)
                   : ConstantFP::get(X->getType(), 0);
    return B.CreateAdd(
        B.CreateZExt(B.CreateFCmpULT(X, Y), B.getInt64Ty()),
        B.CreateShl(B.CreateZExt(B.CreateFCmpOEQ(X, Y), B.getInt64Ty()), 1));
  }
  case Nature::Edge: {
    // Where the first argument is 0, or 1, which are the edges.
    Value *X = B.CreateFPCast(Operand(0), B.getDoubleTy()),
          *All = B.getInt64(0);
    for (double Edge : {-1.0, 0.0, 1.0})
      All = B.CreateAdd(
          B.CreateShl(All, 1),
          B.CreateZExt(B.CreateFCmpOEQ(X, ConstantFP::get(X->getType(), Edge)),
                       B.getInt64Ty()));
    return All;
  }
  case Nature::Sign: // of where it is copied from, and where it goes
    return B.CreateAdd(IsNegative(Operand(1)),
                       B.CreateShl(IsNegative(Operand(0)), 1));
  case Nature::Quotient: {
    Value *Quotient = B.CreateFDiv(Operand(0), Operand(1));
    StringRef Name = cast<CallBase>(I).getCalledFunction()->getName();
    return bitsOf(B, B.CreateUnaryIntrinsic(Name.contains("fmod")
                                                ? Intrinsic::trunc
                                                : Intrinsic::rint,
                                            Quotient));
  }
  case Nature::Exponent:
    return B.CreateLShr(B.CreateShl(bitsOf(B, Operand(0)), 1), 53);
  case Nature::Step:
    // modf returns two numbers, or one and writes the other.
    if (I.getType()->isStructTy() || cast<CallBase>(I).arg_size() > 1)
      return bitsOf(B, B.CreateUnaryIntrinsic(Intrinsic::trunc, Operand(0)));
    return bitsOf(B, &I);
  case Nature::Whole:
    if (auto *S = dyn_cast<SwitchInst>(&I))
      return bitsOf(B, S->getCondition());
    if (auto *G = dyn_cast<GetElementPtrInst>(&I)) {
      Value *All = B.getInt64(0);
      for (Value *Index : G->indices())
        if (Value *Bits = isa<Constant>(Index) ? nullptr : bitsOf(B, Index))
          All = B.CreateAdd(B.CreateMul(All, B.getInt64(1000003)), Bits);
      return All;
    }
    // Addresses are others in every run.
    return I.getOperand(0)->getType()->isPtrOrPtrVectorTy() ? nullptr
                                                            : bitsOf(B, &I);
  default:
    return bitsOf(B, &I);
  }
}

bool succeeds(StringRef Program, ArrayRef<std::string> Words) {
  std::vector<StringRef> All{Program};
  All.insert(All.end(), Words.begin(), Words.end());
  // What the user's program prints is not ours to show.
  return sys::ExecuteAndWait(Program, All, std::nullopt,
                             {std::nullopt, StringRef(""), StringRef("")}) == 0;
}

} // namespace

std::vector<std::string> retrograd::linkBitcode(Module &M,
                                                ArrayRef<std::string> Flags) {
  std::vector<std::string> Others;
  for (const std::string &Flag : Flags) {
    file_magic Magic;
    std::unique_ptr<Module> Object;
    SMDiagnostic Problem;
    if (!StringRef(Flag).starts_with("-") && !identify_magic(Flag, Magic) &&
        Magic == file_magic::bitcode)
      Object = parseIRFile(Flag, Problem, M.getContext());
    if (Object)
      UpgradeDebugInfo(*Object);
    if (!Object || Linker::linkModules(M, std::move(Object)))
      Others.push_back(Flag);
  }
  return Others;
}

std::string retrograd::qualifiedName(const DISubprogram &SP) {
  std::string Name = SP.getName().str();
  if (const auto *C = dyn_cast_or_null<DICompositeType>(SP.getScope());
      C && C->getName().empty() && Name == "operator()")
    return "the lambda in line " + std::to_string(SP.getLine());
  for (const DIScope *S = SP.getScope(); S; S = S->getScope())
    if (isa<DINamespace, DICompositeType>(S) && !S->getName().empty())
      Name = S->getName().str() + "::" + Name;
  return Name;
}

const char *retrograd::notDifferentiable(const Instruction &I) {
  Nature N = natureOf(I);
  return N == Nature::Branch || N == Nature::Edge || N == Nature::Whole
             ? nullptr
             : describe(N);
}

namespace {

/// Makes the program with all decisions of the given kind (Whole, or all
/// others) written down, and runs it.
Measured measureKind(StringRef Driver, StringRef Source, StringRef Base,
                     ArrayRef<std::string> Flags, StringRef Text, bool Whole) {
  std::string Changed = (Base + ".decisions.ll").str(),
              Program = (Base + ".run").str(), Output = (Base + ".txt").str();
  LLVMContext Context;
  SMDiagnostic Problem;
  std::unique_ptr<Module> M = parseIRFile(Text, Problem, Context);
  Function *Decide = M ? M->getFunction("rg_decide") : nullptr;
  if (!Decide)
    return {};
  std::vector<std::string> Others = linkBitcode(*M, Flags);
  defineEntryPoints(*M);
  std::vector<std::pair<const DILocation *, Nature>> Sites;
  for (Function &F : *M) {
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      Nature N = natureOf(I);
      const DILocation *At = I.getDebugLoc();
      while (At && At->getInlinedAt() && isMathHeader(At->getFilename()))
        At = At->getInlinedAt();
      if (N == Nature::Smooth || (N == Nature::Whole) != Whole || !At ||
          I.getType()->isVectorTy() ||
          (I.isTerminator() && !isa<SwitchInst>(I)) ||
          // What the check itself is made of. (A kernel of its holds the user's
          // function inlined.)
          sys::path::filename(At->getFilename()) ==
              sys::path::filename(Source) ||
          isMathHeader(At->getFilename()))
        continue;
      IRBuilder<> B(I.isTerminator() ? &I : I.getNextNode());
      B.SetCurrentDebugLocation(I.getDebugLoc());
      if (Value *V = outcome(B, I, N)) {
        B.CreateCall(Decide, {B.getInt32(unsigned(Sites.size())), V});
        Sites.push_back({At, N});
      }
    }
  }
  std::error_code EC;
  {
    raw_fd_ostream OS(Changed, EC);
    M->print(OS, nullptr);
  }
  std::vector<std::string> Words{
      "-w",    "-Wno-everything", Changed,           "-o",
      Program, "-mllvm",          "-enzyme-enable=0"};
  append_range(Words, Others);
  append_range(Words, ArrayRef<StringRef>{"-O0", "-lm"});
  Measured Result;
  if (EC || !succeeds(Driver, Words) || !succeeds(Program, {Output}))
    return Result;
  ErrorOr<std::unique_ptr<MemoryBuffer>> Said = MemoryBuffer::getFile(Output);
  if (!Said)
    return Result;
  Result.Ran = true;
  SmallVector<StringRef, 4> Parts;
  (*Said)
      ->getBuffer()
      .take_until([](char C) { return C == '\n'; })
      .split(Parts, ' ');
  unsigned Site;
  Decision D;
  if (Parts.size() != 4 || Parts[0] != "decision" ||
      Parts[1].getAsInteger(10, Site) || Site >= Sites.size() ||
      Parts[2].getAsInteger(10, D.Time))
    return Result;
  const DILocation *At = Sites[Site].first;
  D.File = At->getFilename().str();
  D.Function = qualifiedName(*At->getScope()->getSubprogram());
  D.Line = At->getLine();
  D.What = describe(Sites[Site].second);
  D.Number = Parts[3].str();
  Result.Changed = std::move(D);
  return Result;
}

} // namespace

Measured retrograd::measureDecisions(StringRef Driver, StringRef Source,
                                     StringRef Base,
                                     ArrayRef<std::string> Flags) {
  std::string Text = (Base + ".ll").str();
  std::vector<std::string> Words{"-w",         Source.str(), "-S",
                                 "-emit-llvm", "-o",         Text};
  // Kernels have to be whole, so the derivatives in them stay; none of them is
  // run.
  bool Cuda = Source.ends_with(".cu");
  if (!Cuda)
    append_range(Words, ArrayRef<StringRef>{"-mllvm", "-enzyme-enable=0"});
  else // Blocks one after the other: decisions have an order.
    setenv("OMP_NUM_THREADS", "1", 1);
  append_range(Words, Flags);
  append_range(Words, ArrayRef<StringRef>{"-O0", "-g"});
  if (!succeeds(Driver, Words))
    return {};
  Measured Result = measureKind(Driver, Source, Base, Flags, Text, false);
  if (Result.Ran && !Result.Changed)
    Result = measureKind(Driver, Source, Base, Flags, Text, true);
  return Result;
}

/// "file:line" of a frame "#1 0x... in f file:line:column".
static StringRef placeOfFrame(StringRef Line) {
  return Line.rsplit(' ').second.rsplit(':').first;
}

/// What the sanitizers complained of, in the user's words; nothing if Lines
/// hold no complaint.
static std::optional<std::string> complaintIn(ArrayRef<StringRef> Lines,
                                              StringRef Source) {
  StringRef Origin;
  for (size_t K = 0; K < Lines.size(); ++K) {
    StringRef Line = Lines[K];
    // "file:line:column: runtime error: what"
    if (auto [Place, What] = Line.split(": runtime error: ");
        !What.empty() && !Place.contains(Source))
      return (Place.rsplit(':').first +
              ": undefined behaviour, which has no derivative: " + What)
          .str();
    // The first frame below the allocator is where the memory comes from.
    if (Line.contains("Uninitialized value was created"))
      for (StringRef Frame : Lines.drop_front(K + 1).take_front(4))
        if (Frame.contains(" in ") && Frame.contains(":") &&
            !Frame.contains(" in malloc") && !Frame.contains("operator new") &&
            Origin.empty() && !Frame.contains(Source))
          Origin = placeOfFrame(Frame);
    // "SUMMARY: tool: kind file:line:column in function"
    if (!Line.consume_front("SUMMARY: "))
      continue;
    auto [Kind, Rest] = Line.split(": ").second.split(' ');
    auto [Place, Function] = Rest.split(" in ");
    std::string What =
        ": undefined behaviour, which has no derivative: " + Kind.str();
    if (!Origin.empty())
      return Origin.str() + What +
             ": this memory is read before it is written" +
             (Place.contains(Source)
                  ? ""
                  : ", as " + Place.rsplit(':').first.str() + " shows");
    if (!Place.contains(Source))
      return Place.rsplit(':').first.str() + What;
  }
  return std::nullopt;
}

std::optional<std::string>
retrograd::findUndefined(StringRef Driver, StringRef Source, StringRef Base,
                         ArrayRef<std::string> Flags) {
  std::string Program = (Base + ".san").str(), Output = (Base + ".txt").str(),
              Complaint = (Base + ".err").str();
  setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
  for (StringRef Tool : {"-fsanitize=address,undefined", "-fsanitize=memory"}) {
    std::string Text = (Base + ".san.ll").str();
    std::vector<std::string> Words{
        "-w", Source.str(), "-S",     "-emit-llvm",
        "-o", Text,         "-mllvm", "-enzyme-enable=0"};
    append_range(Words, Flags);
    append_range(Words,
                 ArrayRef<StringRef>{"-O1", "-Xclang", "-disable-llvm-passes",
                                     "-g", Tool});
    LLVMContext Context;
    SMDiagnostic Problem;
    std::unique_ptr<Module> M;
    if (succeeds(Driver, Words))
      M = parseIRFile(Text, Problem, Context);
    if (!M)
      continue;
    defineEntryPoints(*M);
    std::error_code EC;
    {
      raw_fd_ostream OS(Text, EC);
      M->print(OS, nullptr);
    }
    Words = {"-w",     "-Wno-everything", Text, "-o", Program,
             "-mllvm", "-enzyme-enable=0"};
    append_range(Words, Flags);
    append_range(Words, ArrayRef<StringRef>{"-O0", "-g", Tool, "-lm"});
    if (Tool.ends_with("memory"))
      Words.push_back("-fsanitize-memory-track-origins");
    if (EC || !succeeds(Driver, Words))
      continue;
    sys::ExecuteAndWait(Program, {Program, Output}, std::nullopt,
                        {StringRef(""), StringRef(""), StringRef(Complaint)},
                        60);
    ErrorOr<std::unique_ptr<MemoryBuffer>> Said =
        MemoryBuffer::getFile(Complaint);
    if (!Said)
      continue;
    SmallVector<StringRef, 16> Lines;
    (*Said)->getBuffer().split(Lines, '\n');
    if (std::optional<std::string> Found = complaintIn(Lines, Source))
      return Found;
  }
  return std::nullopt;
}
