//===- ExplainCommand.cpp - the plan beside the source --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles the file with its optimisation record and reads from it what pass
// "retrograd" said (lib/Plan/PlanRemarks.h): per source line what is kept for
// the reverse sweep and why, and what is computed again. As text, or as one
// HTML page that needs nothing but itself.
//
//===----------------------------------------------------------------------===//

#include "ExplainCommand.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Remarks/Remark.h"
#include "llvm/Remarks/RemarkParser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace llvm;
using namespace retrograd;

namespace {

/// One remark, as far as it is told to people.
struct Fact {
  enum Kind { Kept, Loop, Recomputed } K = Kept;
  std::string Text, Advice, Storage;
  uint64_t Bytes = 0; ///< of Kept: per iteration, or per call
  unsigned Per = 0;   ///< line of the loop; 0: per call
};

/// By file and line. Equal remarks (of inlined copies, of several derivatives)
/// are told once.
using Facts = std::map<std::string, std::map<unsigned, std::vector<Fact>>>;

int complain(const Twine &Message) {
  errs() << "retrograd: " << Message << "\n";
  return 2;
}

bool readRecord(StringRef Path, Facts &All, std::string &Problem) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer)
    return Problem = "the compiler wrote no optimisation record", false;
  if ((*Buffer)->getBufferSize() == 0)
    return true;
  auto Parser = remarks::createRemarkParser(remarks::Format::YAML,
                                            (*Buffer)->getBuffer());
  if (!Parser)
    return Problem = toString(Parser.takeError()), false;
  StringSet<> Seen;
  while (true) {
    Expected<std::unique_ptr<remarks::Remark>> Next = (*Parser)->next();
    if (!Next) {
      Error E = Next.takeError();
      if (E.isA<remarks::EndOfFileError>()) {
        consumeError(std::move(E));
        return true;
      }
      return Problem = toString(std::move(E)), false;
    }
    const remarks::Remark &R = **Next;
    if (R.PassName != "retrograd" || !R.Loc)
      continue;
    Fact F;
    F.K = R.RemarkName == "Kept"   ? Fact::Kept
          : R.RemarkName == "Loop" ? Fact::Loop
                                   : Fact::Recomputed;
    F.Text = R.getArgsAsMsg();
    for (const remarks::Argument &A : R.Args) {
      if (A.Key == "Advice")
        F.Advice = A.Val.str();
      else if (A.Key == "Storage")
        F.Storage = A.Val.str();
      else if (A.Key == "Bytes")
        A.Val.getAsInteger(10, F.Bytes);
      else if (A.Key == "Per")
        A.Val.getAsInteger(10, F.Per);
    }
    std::string Key = (R.Loc->SourceFilePath + ":" + Twine(R.Loc->SourceLine) +
                       ":" + Twine(R.Loc->SourceColumn) + F.Text)
                          .str();
    if (Seen.insert(Key).second)
      All[R.Loc->SourceFilePath.str()][R.Loc->SourceLine].push_back(F);
  }
}

/// What helps most: the advice behind most bytes.
std::string bestAdvice(const Facts &All) {
  std::map<std::string, uint64_t> Worth;
  for (auto &[File, Lines] : All)
    for (auto &[Line, Of] : Lines)
      for (const Fact &F : Of)
        if (!F.Advice.empty())
          Worth[F.Advice] += F.K == Fact::Loop ? 8 : F.Bytes;
  auto Most =
      std::max_element(Worth.begin(), Worth.end(),
                       [](auto &A, auto &B) { return A.second < B.second; });
  return Most == Worth.end() ? "" : Most->first;
}

void printText(const Facts &All, raw_ostream &OS) {
  for (auto &[File, Lines] : All) {
    OS << File << "\n";
    for (auto &[Line, Of] : Lines)
      for (const Fact &F : Of)
        OS << "  " << Line << ": " << F.Text << "\n";
  }
  if (std::string Advice = bestAdvice(All); !Advice.empty())
    OS << "what would help most: " << Advice << "\n";
}

void printJson(const Facts &All, StringRef Shown, raw_ostream &OS) {
  json::Array Listed;
  for (auto &[File, Lines] : All)
    for (auto &[Line, Of] : Lines)
      for (const Fact &F : Of) {
        json::Object O{{"file", File},
                       {"line", Line},
                       {"kind", F.K == Fact::Kept   ? "kept"
                                : F.K == Fact::Loop ? "loop"
                                                    : "recomputed"},
                       {"text", F.Text}};
        if (F.K == Fact::Kept) {
          O["bytes"] = F.Bytes;
          O["storage"] = F.Storage;
          if (F.Per)
            O["per_iteration_of_line"] = F.Per;
        }
        if (!F.Advice.empty())
          O["advice"] = F.Advice;
        Listed.push_back(std::move(O));
      }
  json::Object Page{{"file", Shown}, {"facts", std::move(Listed)}};
  if (std::string Advice = bestAdvice(All); !Advice.empty())
    Page["advice"] = Advice;
  OS << formatv("{0:2}\n", json::Value(std::move(Page)));
}

std::string escaped(StringRef Text) {
  std::string Out;
  raw_string_ostream OS(Out);
  printHTMLEscaped(Text, OS);
  return Out;
}

/// The tape as a picture: a bar per loop (or call), a box per slot.
void drawTape(const Facts &All, raw_ostream &OS) {
  std::map<std::pair<std::string, unsigned>,
           std::vector<std::pair<unsigned, const Fact *>>>
      Scopes;
  uint64_t Widest = 1;
  for (auto &[File, Lines] : All)
    for (auto &[Line, Of] : Lines)
      for (const Fact &F : Of)
        if (F.K == Fact::Kept)
          Scopes[{File, F.Per}].push_back({Line, &F});
  for (auto &[Scope, Slots] : Scopes) {
    uint64_t Bytes = 0;
    for (auto &[Line, F] : Slots)
      Bytes += F->Bytes;
    Widest = std::max(Widest, Bytes);
  }
  if (Scopes.empty()) {
    OS << "<p>Nothing is kept on the tape.</p>\n";
    return;
  }
  constexpr unsigned Full = 900, Row = 46;
  OS << "<svg class=\"tape\" width=\"960\" height=\"" << Row * Scopes.size() + 4
     << "\">\n";
  unsigned Y = 0;
  for (auto &[Scope, Slots] : Scopes) {
    uint64_t Bytes = 0;
    for (auto &[Line, F] : Slots)
      Bytes += F->Bytes;
    OS << "<text x=\"0\" y=\"" << Y + 13 << "\">"
       << escaped(sys::path::filename(Scope.first)) << ", ";
    if (Scope.second)
      OS << "each iteration of the loop in line " << Scope.second << " ("
         << Slots.front().second->Storage << ")";
    else
      OS << "each call";
    OS << ": " << Bytes << " bytes</text>\n";
    unsigned X = 0;
    for (auto &[Line, F] : Slots) {
      const unsigned Width = std::max<uint64_t>(3, Full * F->Bytes / Widest);
      OS << "<a href=\"#" << escaped(sys::path::filename(Scope.first)) << "-"
         << Line << "\"><rect x=\"" << X << "\" y=\"" << Y + 18 << "\" width=\""
         << Width << "\" height=\"20\"><title>line " << Line << ": "
         << escaped(F->Text) << "</title></rect>";
      if (Width > 26)
        OS << "<text class=\"slot\" x=\"" << X + 4 << "\" y=\"" << Y + 32
           << "\">" << Line << "</text>";
      OS << "</a>\n";
      X += Width;
    }
    Y += Row;
  }
  OS << "</svg>\n";
}

/// The compiler writes paths without the folder that they share with its own;
/// that is one of those around the file that was compiled.
ErrorOr<std::unique_ptr<MemoryBuffer>> openSource(StringRef Path,
                                                  StringRef Compiled) {
  auto Buffer = MemoryBuffer::getFile(Path);
  for (StringRef Folder = sys::path::parent_path(Compiled);
       !Buffer && !Folder.empty(); Folder = sys::path::parent_path(Folder)) {
    SmallString<256> Full(Folder);
    sys::path::append(Full, Path);
    Buffer = MemoryBuffer::getFile(Full);
  }
  return Buffer;
}

void printPage(const Facts &All, StringRef Shown, StringRef Compiled,
               raw_ostream &OS) {
  OS << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta "
        "charset=\"utf-8\"><title>"
     << escaped(Shown)
     << "</title>\n<style>\n"
        "body{font:14px/1.4 "
        "sans-serif;margin:24px;color:#222;background:#fff}\n"
        "table{border-collapse:collapse;width:100%}\n"
        "td{vertical-align:top;padding:0 8px}\n"
        "td.n{text-align:right;color:#888;user-select:none}\n"
        "td.c{font:13px/1.4 monospace;white-space:pre}\n"
        "td.f{font-size:12px;width:46%}\n"
        "tr.k{background:#fdf1dc}tr.r{background:#eef5ea}\n"
        ".b{display:inline-block;min-width:5em;font-weight:bold;color:#8a4b00}"
        "\n"
        ".a{color:#06539c}\n"
        "svg.tape rect{fill:#f0b35a;stroke:#fff}svg.tape text{font:12px "
        "sans-serif}"
        "svg.tape text.slot{fill:#402000}\n"
        "</style></head><body>\n<h1>"
     << escaped(Shown) << "</h1>\n";
  if (std::string Advice = bestAdvice(All); !Advice.empty())
    OS << "<p class=\"a\">What would help most: " << escaped(Advice)
       << ".</p>\n";
  OS << "<h2>The tape, by slot</h2>\n";
  drawTape(All, OS);
  for (auto &[File, Lines] : All) {
    OS << "<h2>" << escaped(File) << "</h2>\n";
    ErrorOr<std::unique_ptr<MemoryBuffer>> Source = openSource(File, Compiled);
    if (!Source) {
      OS << "<p>(the file cannot be read)</p>\n";
      continue;
    }
    SmallVector<StringRef, 0> Text;
    (*Source)->getBuffer().split(Text, '\n');
    OS << "<table>\n";
    // Only the lines around facts of a large file.
    auto Near = [&, &Lines = Lines](unsigned Line) {
      auto It = Lines.lower_bound(Line > 12 ? Line - 12 : 0);
      return Text.size() < 400 || (It != Lines.end() && It->first <= Line + 12);
    };
    for (unsigned Line = 1; Line <= Text.size(); ++Line) {
      if (!Near(Line))
        continue;
      auto It = Lines.find(Line);
      bool Keeps = It != Lines.end() && any_of(It->second, [](const Fact &F) {
                     return F.K != Fact::Recomputed;
                   });
      OS << "<tr id=\"" << escaped(sys::path::filename(File)) << "-" << Line
         << "\""
         << (It == Lines.end() ? ""
             : Keeps           ? " class=\"k\""
                               : " class=\"r\"")
         << "><td class=\"n\">" << Line << "</td><td class=\"c\">"
         << escaped(Text[Line - 1]) << "</td><td class=\"f\">";
      if (It != Lines.end())
        for (const Fact &F : It->second) {
          OS << "<div>";
          if (F.K == Fact::Kept)
            OS << "<span class=\"b\">" << F.Bytes << " bytes</span>";
          OS << escaped(F.Text) << "</div>";
        }
      OS << "</td></tr>\n";
    }
    OS << "</table>\n";
  }
  OS << "</body></html>\n";
}

} // namespace

int retrograd::explainCommand(const ExplainSettings &S) {
  SmallString<256> Driver(S.BinDirectory);
  bool IsC = StringRef(S.File).ends_with(".c");
  sys::path::append(Driver, IsC ? "rg-clang"
                            : StringRef(S.File).ends_with(".f90")
                                ? "rg-flang"
                                : "rg-clang++");
  SmallString<256> Folder;
  if (sys::fs::createUniqueDirectory("retrograd-explain", Folder))
    return complain("no temporary folder can be made");
  SmallString<256> Record = Folder, Object = Folder;
  sys::path::append(Record, "record.yaml");
  sys::path::append(Object, "object.o");
  std::string RecordFlag = ("-foptimization-record-file=" + Record).str(),
              Problem;
  std::vector<std::string> Arguments{"-O2",
                                     "-gline-tables-only",
                                     "-fsave-optimization-record",
                                     "-foptimization-record-passes=retrograd",
                                     RecordFlag,
                                     "-c",
                                     S.File,
                                     "-o",
                                     Object.str().str()};
  Arguments.insert(Arguments.end(), S.Flags.begin(), S.Flags.end());
  std::vector<StringRef> Words{Driver};
  Words.insert(Words.end(), Arguments.begin(), Arguments.end());
  int Status =
      sys::ExecuteAndWait(Driver, Words, std::nullopt, {}, 0, 0, &Problem);
  Facts All;
  bool Read = Status == 0 && readRecord(Record, All, Problem);
  sys::fs::remove_directories(Folder);
  if (Status)
    return complain("compiling '" + S.Shown + "' failed" +
                    (Status < 0 ? ": " + Problem : std::string()));
  if (!Read)
    return complain(Problem);
  if (S.Json) {
    printJson(All, S.Shown, outs());
    return 0;
  }
  if (S.Page.empty()) {
    if (All.empty())
      outs() << "no reverse derivative keeps or computes anything again\n";
    printText(All, outs());
    return 0;
  }
  std::error_code EC;
  raw_fd_ostream OS(S.Page, EC);
  if (EC)
    return complain("'" + S.Page + "' cannot be written: " + EC.message());
  printPage(All, S.Shown, S.File, OS);
  return 0;
}
