//===- CatalogueBackend.cpp - records to tables ---------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// -gen-catalogue writes what Catalogue.cpp includes: constant arrays, nothing
// that runs at load time.
//
//===----------------------------------------------------------------------===//

#include "Formulas.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/TableGenBackend.h"

using namespace llvm;

namespace retrograd::tblgen {

/// The name of another form: "sin" -> "sinf", "__sin_finite" ->
/// "__sinf_finite".
static std::string formName(StringRef Name, StringRef Suffix) {
  StringRef Stem = Name;
  if (Stem.consume_back("_finite"))
    // lgamma_r and its like carry the suffix before the "_r".
    return (Stem + Suffix + "_finite").str();
  return (Name + Suffix).str();
}

static std::string quoted(StringRef Text) { return "\"" + Text.str() + "\""; }

static StringRef className(const Record *R) {
  for (StringRef Class : {"Formula", "Inactive", "Allocation", "Deallocation",
                          "Expansion", "Handler", "Rule"})
    if (isA(R, Class))
      return Class;
  PrintFatalError(R, "record '" + R->getName() + "' has no rule class");
}

namespace {
class CatalogueWriter {
public:
  CatalogueWriter(raw_ostream &OS, const RecordKeeper &Records)
      : OS(OS), Records(Records), Formulas(Records), All(operations(Records)) {}

  void run() {
    emitNodesAndPartials();
    emitLists();
    emitRecords();
    emitNames();
    emitAssembly();
    emitMessageTypes();
    emitReadingRoutines();
    emitParallelMethods();
    emitGraphedCalls();
    OS << "#endif\n";
  }

private:
  void emitNodesAndPartials();
  void emitLists();
  void emitRecords();
  void emitNames();
  void emitAssembly();
  void emitMessageTypes();
  void emitReadingRoutines();
  void emitParallelMethods();
  void emitGraphedCalls();
  void emitName(const Twine &Name, unsigned Index, StringRef Form) {
    OS << "  {\"" << Name << "\", " << Index << ", NameForm::" << Form
       << "},\n";
  }

  raw_ostream &OS;
  const RecordKeeper &Records;
  FormulaSet Formulas;
  std::vector<const Record *> All;
};
} // namespace

void CatalogueWriter::emitNodesAndPartials() {
  std::string Partials;
  raw_string_ostream POS(Partials);
  for (const Record *R : All)
    if (isA(R, "Formula")) {
      std::vector<FormulaSet::PartialInfo> List = Formulas.partials(R);
      if (List.empty())
        PrintFatalError(R, "a formula without partials is Inactive");
      POS << "static const Partial Partials_" << R->getName() << "[] = {";
      ListSeparator Comma;
      for (const FormulaSet::PartialInfo &P : List)
        POS << Comma << "{" << P.Operand << ", &Node" << P.Root << "}";
      POS << "};\n";
    }
  OS << "#ifdef RG_CATALOGUE_TABLES\n";
  for (const Node &N : Formulas.nodes()) {
    if (!N.Children.empty()) {
      OS << "static const FormulaNode *const Children" << N.Number << "[] = {";
      ListSeparator Comma;
      for (unsigned Child : N.Children)
        OS << Comma << "&Node" << Child;
      OS << "};\n";
    }
    OS << "static const FormulaNode Node" << N.Number
       << "{FormulaNode::" << N.Kind << ", " << N.Index << ", ";
    if (N.Kind == "Const")
      OS << N.Text << ", {}, " << quoted(N.Text);
    else
      OS << "0, " << (N.Kind == "Call" ? quoted(N.Text) : "{}") << ", {}";
    if (N.Children.empty())
      OS << ", {}};\n";
    else
      OS << ", Children" << N.Number << "};\n";
  }
  OS << Partials;
}

void CatalogueWriter::emitLists() {
  for (const Record *R : All)
    if (isA(R, "Formula")) {
      OS << "static const double Samples_" << R->getName() << "[] = {";
      ListSeparator Comma;
      for (StringRef Sample : R->getValueAsListOfStrings("Samples"))
        OS << Comma << Sample.split(':').first << ", "
           << Sample.split(':').second;
      OS << "};\n";
    }
  for (const Record *R : All)
    if (isA(R, "Allocation") && !R->getValueAsListOfInts("SizeArgs").empty()) {
      OS << "static const unsigned SizeArgs_" << R->getName() << "[] = {";
      ListSeparator Comma;
      for (int64_t Arg : R->getValueAsListOfInts("SizeArgs"))
        OS << Comma << Arg;
      OS << "};\n";
    }
}

void CatalogueWriter::emitRecords() {
  OS << "static const OperationRecord Records[] = {\n";
  for (const Record *R : All) {
    StringRef Id = R->getName();
    StringRef Class = className(R);
    uint32_t Args = 0;
    bool Result = false;
    if (Class == "Formula")
      for (const FormulaSet::PartialInfo &P : Formulas.partials(R))
        Formulas.reads(P.Root, Args, Result);
    auto Bit = [](bool B) { return B ? "true" : "false"; };
    OS << "  {.Id = " << quoted(Id) << ", .Class = RuleClass::" << Class;
    if (Class == "Formula")
      OS << ", .Partials = Partials_" << Id << ", .PartialsReadArgs = " << Args
         << ", .PartialsReadResult = " << Bit(Result);
    if (Class == "Handler")
      OS << ", .Handler = HandlerKind::" << R->getValueAsString("Kind")
         << ", .Text = " << quoted(R->getValueAsString("Text"));
    if (Class == "Allocation")
      OS << ", .SizeArgs = "
         << (R->getValueAsListOfInts("SizeArgs").empty()
                 ? "{}"
                 : ("SizeArgs_" + Id).str())
         << ", .ZeroFills = " << Bit(R->getValueAsBit("ZeroFills"))
         << ", .ShadowBehind = " << Bit(R->getValueAsBit("ShadowBehind"))
         << ", .Shadow = " << quoted(R->getValueAsString("Shadow"))
         << ", .Deallocator = " << quoted(R->getValueAsString("Deallocator"));
    if (Class == "Inactive")
      OS << ", .Shadow = " << quoted(R->getValueAsString("Shadow"));
    if (Class == "Deallocation")
      OS << ", .Deallocator = " << quoted(R->getValueAsString("Deallocator"))
         << ", .FreedArg = " << R->getValueAsInt("FreedArg");
    if (Class == "Expansion")
      OS << ", .Expansion = " << quoted(R->getValueAsString("Routine"))
         << ", .Watched = " << Bit(R->getValueAsBit("Watched"));
    if (StringRef Unbox = R->getValueAsString("Unbox"); !Unbox.empty())
      OS << ", .Unbox = " << quoted(Unbox);
    if (StringRef InPool = R->getValueAsString("InPool"); !InPool.empty())
      OS << ", .InPool = " << quoted(InPool);
    if (Class == "Inactive")
      OS << ", .Memory = " << quoted(R->getValueAsString("Memory"));
    if (Class == "Rule") {
      for (StringRef Field :
           {"Text", "Augment", "Reverse", "Forward", "Memory"})
        OS << ", ." << Field << " = " << quoted(R->getValueAsString(Field));
      OS << ", .Communicates = " << Bit(R->getValueAsBit("Communicates"));
    }
    OS << ", .CallsBack = " << Bit(R->getValueAsBit("CallsBack"))
       << ", .OneStep = " << Bit(R->getValueAsBit("OneStep"));
    if (Class == "Inactive")
      OS << ", .StreamArg = " << R->getValueAsInt("StreamArg");
    OS << ", .Pure = " << Bit(R->getValueAsBit("Pure"))
       << ", .Cheap = " << Bit(R->getValueAsBit("Cheap"))
       << ", .Exact = " << Bit(R->getValueAsBit("Exact"))
       << ", .SetsRounding = " << Bit(R->getValueAsBit("SetsRounding"))
       << ", .Prototype = " << quoted(prototypeLetters(R))
       << ", .OnlyType = " << quoted(R->getValueAsString("OnlyType"))
       << ", .OfRuntime = " << Bit(R->getValueAsBit("OfRuntime"))
       << ", .Waits = " << Bit(R->getValueAsBit("Waits"))
       << ", .ReadsByNumber = " << Bit(R->getValueAsBit("ReadsByNumber"))
       << ", .OfCharacters = " << Bit(R->getValueAsBit("OfCharacters"))
       << ", .MovesOwner = " << Bit(R->getValueAsBit("MovesOwner"))
       << ", .ReleasesOthers = " << Bit(R->getValueAsBit("ReleasesOthers"))
       << ", .OfHeap = " << Bit(R->getValueAsBit("OfHeap"))
       << ", .LibraryName = ";
    std::vector<StringRef> Names = R->getValueAsListOfStrings("Names");
    OS << (Names.empty() ? quoted("") : quoted(Names.front()));
    // The one to emit; constrained ones are only recognised.
    std::vector<StringRef> Intrinsics =
        R->getValueAsListOfStrings("Intrinsics");
    llvm::erase_if(Intrinsics, [](StringRef Name) {
      return Name.contains(".constrained.");
    });
    OS << ", .IntrinsicName = "
       << (Intrinsics.empty() ? quoted("") : quoted(Intrinsics.front()));
    if (Class == "Formula")
      OS << ", .Samples = Samples_" << Id;
    OS << "},\n";
  }
  OS << "};\n";
}

void CatalogueWriter::emitNames() {
  OS << "static const NameEntry LibraryNames[] = {\n";
  for (unsigned I = 0; I < All.size(); ++I)
    for (StringRef Name : All[I]->getValueAsListOfStrings("Names")) {
      if (Name.ends_with("*"))
        continue;
      if (!All[I]->getValueAsBit("HasForms")) {
        emitName(Name, I, "Any");
        continue;
      }
      emitName(Name, I, "Double");
      // The same functions in the libraries of GPUs.
      if (!Name.starts_with("_") && !Name.starts_with("rg_")) {
        emitName("__nv_" + Name, I, "Double");
        emitName("__nv_" + Name + "f", I, "Float");
        emitName("__ocml_" + Name + "_f64", I, "Double");
        emitName("__ocml_" + Name + "_f32", I, "Float");
      }
      emitName(formName(Name, "f"), I, "Float");
      emitName(formName(Name, "l"), I, "LongDouble");
    }
  OS << "};\n";
  // One entry even if there is none of a kind: C++ has no empty arrays.
  // The longest prefix says most, and is tried first.
  OS << "static const NameEntry LibraryPrefixes[] = {\n";
  std::vector<std::pair<StringRef, unsigned>> Prefixes;
  for (unsigned I = 0; I < All.size(); ++I)
    for (StringRef Name : All[I]->getValueAsListOfStrings("Names"))
      if (Name.consume_back("*"))
        Prefixes.push_back({Name, I});
  llvm::stable_sort(Prefixes, [](const auto &A, const auto &B) {
    return A.first.size() > B.first.size();
  });
  for (auto [Name, I] : Prefixes)
    emitName(Name, I, "Any");
  OS << "};\nstatic const NameEntry IntrinsicNames[] = {\n";
  for (unsigned I = 0; I < All.size(); ++I)
    for (StringRef Name : All[I]->getValueAsListOfStrings("Intrinsics"))
      emitName(Name, I, "Any");
  OS << "};\nstatic const NameEntry InstructionNames[] = {\n";
  for (unsigned I = 0; I < All.size(); ++I)
    if (StringRef Name = All[I]->getValueAsString("Instruction"); !Name.empty())
      emitName(Name, I, "Any");
  OS << "};\n";
}

void CatalogueWriter::emitAssembly() {
  std::string Table;
  raw_string_ostream TOS(Table);
  unsigned Number = 0;
  for (const Record *R : Records.getAllDerivedDefinitions("AssemblyForm")) {
    OS << "static const unsigned AssemblyOperands" << Number << "[] = {";
    ListSeparator Comma;
    for (int64_t Operand : R->getValueAsListOfInts("Operands"))
      OS << Comma << Operand;
    OS << "};\n";
    for (StringRef Intrinsic : R->getValueAsListOfStrings("Intrinsics"))
      TOS << "  {" << quoted(R->getValueAsString("Text")) << ", "
          << quoted(R->getValueAsString("Constraints")) << ", "
          << quoted(Intrinsic) << ", AssemblyOperands" << Number << "},\n";
    ++Number;
  }
  OS << "static const AssemblyRecord AssemblyRecords[] = {\n"
     << Table << "};\n";
}

void CatalogueWriter::emitMessageTypes() {
  OS << "static const MessageTypeRecord MessageTypes[] = {\n";
  for (const Record *R : Records.getAllDerivedDefinitions("MessageType")) {
    StringRef Letter = R->getValueAsString("Letter");
    for (StringRef Name : R->getValueAsListOfStrings("Globals"))
      OS << "  {'" << Letter << "', " << quoted(Name) << ", 0},\n";
    for (int64_t Number : R->getValueAsListOfInts("Numbers"))
      OS << "  {'" << Letter << "', \"\", " << Number << "},\n";
  }
  OS << "};\n";
}

void CatalogueWriter::emitReadingRoutines() {
  OS << "static const ReadingRoutineRecord ReadingRoutines[] = {\n";
  for (const Record *R : Records.getAllDerivedDefinitions("ReadingRoutine")) {
    StringRef Letter = R->getValueAsString("Letter");
    for (StringRef Name : R->getValueAsListOfStrings("Names"))
      OS << "  {" << quoted(Name)
         << ", ReadingKind::" << R->getValueAsString("Kind") << ", "
         << R->getValueAsInt("At") << ", " << R->getValueAsInt("Size") << ", "
         << quoted(R->getValueAsString("Counter")) << ", '"
         << (Letter.empty() ? "-" : Letter) << "', "
         << quoted(R->getValueAsString("Operation")) << "},\n";
  }
  OS << "};\n";
}

void CatalogueWriter::emitParallelMethods() {
  OS << "static const ParallelMethodRecord ParallelMethods[] = {\n";
  for (const Record *R : Records.getAllDerivedDefinitions("ParallelMethod")) {
    OS << "  {ParallelMethodKind::" << R->getValueAsString("Kind");
    for (StringRef Field :
         {"Scope", "Base", "RunBody", "IsEmpty", "IsDivisible", "Join",
          "Assign", "SplitTag", "AddTag", "WriteTag", "SplitsAll", "Policy",
          "First", "Last", "Init", "Walk", "OneThread"})
      OS << ", " << quoted(R->getValueAsString(Field));
    OS << "},\n";
  }
  OS << "};\n";
}

void CatalogueWriter::emitGraphedCalls() {
  OS << "static const GraphedCall GraphedCalls[] = {\n";
  for (const Record *R : All)
    if (isA(R, "Expansion"))
      if (StringRef Graph = R->getValueAsString("Graph"); !Graph.empty())
        for (StringRef Name : R->getValueAsListOfStrings("Names"))
          OS << "  {" << quoted(Name) << ", " << quoted(Graph) << "},\n";
  OS << "};\n";
}

bool emitCatalogue(raw_ostream &OS, const RecordKeeper &Records) {
  bool Good = true;
  StringMap<StringRef> Owner;
  for (const Record *R : operations(Records)) {
    Good &= checkRecord(R);
    for (StringRef Name : R->getValueAsListOfStrings("Names"))
      if (auto [It, New] = Owner.try_emplace(Name, R->getName()); !New) {
        PrintError(R, "'" + Name + "' is a name of '" + It->second +
                          "' and of '" + R->getName() + "'");
        Good = false;
      }
  }
  if (!Good)
    return true;
  emitSourceFileHeader("The catalogue of operations", OS, Records);
  CatalogueWriter(OS, Records).run();
  return false;
}

} // namespace retrograd::tblgen
