//===- ExplainCommand.cpp - the plan beside the source --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles the file with its optimisation record and reads from it what pass
// "retrograd" said (lib/Plan/PlanRemarks.h): per source line what is kept for
// the reverse sweep and why, what is computed again, and how threads add to
// derivatives. With -rg-loops, what pass "rg-loops" said, too: what was done
// with each loop nest, or what stood in the way (lib/Loops/LoopNests.cpp). As
// text, or as one HTML page that needs nothing but itself.
//
//===----------------------------------------------------------------------===//

#include "ExplainCommand.h"
#include "CheckProgram.h"
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
  enum Kind { Kept, Loop, Recomputed, Accumulated, Nest } K = Kept;
  std::string Text, Advice, Storage;
  bool Atomic = false; ///< of Accumulated
  uint64_t Bytes = 0;  ///< of Kept: per iteration, or per call
  unsigned Per = 0;    ///< line of the loop; 0: per call
  /// Of Nest: it has another order; it is a derivative's.
  bool Changed = false, OfDerivative = false;
};

/// By file and line. Equal remarks (of inlined copies, of several derivatives)
/// are told once.
using Facts = std::map<std::string, std::map<unsigned, std::vector<Fact>>>;

int complain(const Twine &Message) {
  errs() << "retrograd: " << Message << "\n";
  return 2;
}

/// A nest that has another order is looked at again later, in two versions:
/// that these are left as they are is no news.
void dropOldNests(Facts &All) {
  for (auto &[File, Lines] : All)
    for (auto &[Line, Of] : Lines) {
      auto IsChanged = [&Of = Of](bool InPrimal, bool InDerivative) {
        return any_of(Of, [&](const Fact &F) {
          return F.K == Fact::Nest && F.Changed &&
                 (F.OfDerivative ? InDerivative : InPrimal);
        });
      };
      // Behind inlining, a derivative's nest is the caller's.
      const bool Derivatives = IsChanged(false, true),
                 Any = IsChanged(true, true);
      erase_if(Of, [&](const Fact &F) {
        return F.K == Fact::Nest && !F.Changed &&
               (F.OfDerivative ? Derivatives : Any);
      });
    }
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
        dropOldNests(All);
        return true;
      }
      return Problem = toString(std::move(E)), false;
    }
    const remarks::Remark &R = **Next;
    const bool OfNest = R.PassName == "rg-loops";
    if ((!OfNest && R.PassName != "retrograd") || !R.Loc)
      continue;
    Fact F;
    F.K = OfNest                          ? Fact::Nest
          : R.RemarkName == "Kept"        ? Fact::Kept
          : R.RemarkName == "Loop"        ? Fact::Loop
          : R.RemarkName == "Accumulated" ? Fact::Accumulated
                                          : Fact::Recomputed;
    F.Text = R.getArgsAsMsg();
    if (OfNest) {
      F.Changed = R.RemarkType == remarks::Type::Passed;
      F.OfDerivative = R.FunctionName.starts_with("rg.");
      if (F.OfDerivative)
        F.Text = "derivative: " + F.Text;
    }
    for (const remarks::Argument &A : R.Args) {
      if (A.Key == "Advice")
        F.Advice = A.Val.str();
      else if (A.Key == "Storage")
        F.Storage = A.Val.str();
      else if (A.Key == "How")
        F.Atomic = A.Val == "atomically";
      else if (A.Key == "Bytes")
        A.Val.getAsInteger(10, F.Bytes);
      else if (A.Key == "Per")
        A.Val.getAsInteger(10, F.Per);
    }
    // A nest may begin in several columns of a line.
    std::string Key = (R.Loc->SourceFilePath + ":" + Twine(R.Loc->SourceLine) +
                       ":" + Twine(OfNest ? 0 : R.Loc->SourceColumn) + F.Text)
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
                       {"kind", F.K == Fact::Kept          ? "kept"
                                : F.K == Fact::Loop        ? "loop"
                                : F.K == Fact::Accumulated ? "accumulated"
                                : F.K == Fact::Nest        ? "nest"
                                                           : "recomputed"},
                       {"text", F.Text}};
        if (F.K == Fact::Kept) {
          O["bytes"] = F.Bytes;
          O["storage"] = F.Storage;
          if (F.Per)
            O["per_iteration_of_line"] = F.Per;
        }
        if (F.K == Fact::Accumulated)
          O["atomic"] = F.Atomic;
        if (F.K == Fact::Nest)
          O["changed"] = F.Changed;
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

/// The tape as a picture, from top to bottom: all of it, the loops (or the
/// whole call) that keep something, the lines in each, the values of each line.
/// What stands below something is a part of it, and widths are bytes.
class Flame {
public:
  Flame(const Facts &All, raw_ostream &OS) : OS(OS) {
    for (auto &[File, Lines] : All)
      for (auto &[Line, Of] : Lines)
        for (const Fact &F : Of)
          if (F.K == Fact::Kept) {
            Scopes[{File, F.Per}][Line].push_back(&F);
            Total += F.Bytes;
          }
  }

  void draw() {
    if (!Total) {
      OS << "<p>Nothing is kept on the tape.</p>\n";
      return;
    }
    OS << "<svg class=\"tape\" viewBox=\"0 0 " << Full << " " << 4 * Row
       << "\" role=\"img\" aria-label=\"the tape by line\">\n";
    box("", 0, Total, 0, "all",
        Twine(Total) + " bytes, each loop counted for one iteration",
        Twine(Total) + " bytes: one iteration of each loop, and one call");
    uint64_t At = 0;
    for (auto &[Scope, Lines] : Scopes) {
      uint64_t From = At;
      std::string File = sys::path::filename(Scope.first).str();
      for (auto &[Line, Slots] : Lines) {
        uint64_t LineFrom = At;
        std::string Anchor = File + "-" + std::to_string(Line);
        for (const Fact *F : Slots) {
          box(Anchor, At, F->Bytes, 3, "slot", Twine(F->Bytes),
              "line " + Twine(Line) + ": " + F->Text);
          At += F->Bytes;
        }
        box(Anchor, LineFrom, At - LineFrom, 2, "line", "line " + Twine(Line),
            File + ", line " + Twine(Line) + ": " + Twine(At - LineFrom) +
                " bytes");
      }
      std::string Name = Scope.second
                             ? "loop in line " + std::to_string(Scope.second)
                             : "each call";
      box(Scope.second ? File + "-" + std::to_string(Scope.second) : "", From,
          At - From, 1, "loop", Name,
          File + ", " + Name + ": " + Twine(At - From) + " bytes" +
              (Scope.second
                   ? " per iteration, " + Lines.begin()->second.front()->Storage
                   : std::string()));
    }
    OS << "</svg>\n<p class=\"note\">Widths are bytes: per iteration of a "
          "loop, "
          "or per call. Rows from the top: the tape, its loops, their lines, "
          "the values of a line. A click leads to the line.</p>\n";
  }

private:
  static constexpr unsigned Full = 1000, Row = 30;

  void box(const Twine &Anchor, uint64_t From, uint64_t Bytes, unsigned Level,
           StringRef Class, const Twine &Label, const Twine &Title) {
    const unsigned X = From * Full / Total,
                   Width = std::max<uint64_t>(2, Bytes * Full / Total);
    std::string To = Anchor.str(), Text = Label.str();
    if (!To.empty())
      OS << "<a href=\"#" << escaped(To) << "\">";
    OS << "<rect class=\"" << Class << "\" x=\"" << X << "\" y=\""
       << Level * Row << "\" width=\"" << Width << "\" height=\"" << Row - 2
       << "\"><title>" << escaped(Title.str()) << "</title></rect>";
    if (Text.size() * 8 + 8 < Width)
      OS << "<text x=\"" << X + 6 << "\" y=\"" << Level * Row + 19 << "\">"
         << escaped(Text) << "</text>";
    OS << (To.empty() ? "\n" : "</a>\n");
  }

  raw_ostream &OS;
  std::map<std::pair<std::string, unsigned>,
           std::map<unsigned, std::vector<const Fact *>>>
      Scopes;
  uint64_t Total = 0;
};

/// The figures at the head of the page.
void printSummary(const Facts &All, raw_ostream &OS) {
  unsigned Kept = 0, Again = 0, Atomic = 0, Plain = 0, Ordered = 0,
           AsTheyAre = 0;
  for (auto &[File, Lines] : All)
    for (auto &[Line, Of] : Lines)
      for (const Fact &F : Of)
        ++(F.K == Fact::Nest          ? F.Changed ? Ordered : AsTheyAre
           : F.K == Fact::Accumulated ? F.Atomic ? Atomic : Plain
           : F.K == Fact::Recomputed  ? Again
                                      : Kept);
  auto Figure = [&](unsigned N, StringRef What) {
    OS << "<div><b>" << N << "</b>" << What << "</div>\n";
  };
  OS << "<div class=\"sum\">\n";
  Figure(Kept, "kept on the tape");
  Figure(Again, "computed again");
  if (Atomic || Plain) {
    Figure(Atomic, "atomic additions");
    Figure(Plain, "plain additions in a team of threads");
  }
  if (Ordered || AsTheyAre) {
    Figure(Ordered, "loop nests in another order");
    Figure(AsTheyAre, "loop nests as they are");
  }
  OS << "</div>\n";
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
        ":root{--text:#222;--dim:#6b6f76;--back:#fff;--side:#f8f9fb;--edge:#"
        "e3e5e8;--link:#0a4bff;--kept:#fdf1dc;--again:#eef5ea;--all:#d5dbe5;"
        "--loop:#f6cf8f;--line:#f3b963;--slot:#eca23c;--ink:#3a2400}\n"
        "@media(prefers-color-scheme:dark){:root{--text:#cfd0d0;--dim:#81868d;"
        "--back:#131416;--side:#1a1c1e;--edge:#303335;--link:#3d94ff;--kept:#"
        "3a2d14;--again:#1d2f1b;--all:#48505c;--loop:#8a6223;--line:#a8752a;"
        "--slot:#c98c34;--ink:#fff}}\n"
        "body{font:16px/1.5 -apple-system,BlinkMacSystemFont,\"Segoe UI\","
        "Helvetica,Arial,sans-serif;margin:0 auto;padding:24px;max-width:78em;"
        "color:var(--text);background:var(--back)}\n"
        "h1{font-size:2em}h2{font-size:1.4em;margin:1.4em 0 .4em}\n"
        "table{border-collapse:collapse;width:100%;border:1px solid "
        "var(--edge)}\n"
        "td{vertical-align:top;padding:0 8px}\n"
        "td.n{text-align:right;font-size:13px;color:var(--dim);user-select:"
        "none}\n"
        "td.c{font:13px/1.5 SFMono-Regular,Menlo,Consolas,monospace;"
        "white-space:pre-wrap}\n"
        "td.f{font-size:13px;width:46%}\n"
        "tr.k{background:var(--kept)}tr.r{background:var(--again)}\n"
        "tr:target{outline:2px solid var(--link)}\n"
        ".b{display:inline-block;min-width:5em;font-weight:bold}\n"
        ".a{padding:8px 16px;border-left:4px solid var(--link);background:"
        "var(--side)}\n"
        ".sum{display:flex;gap:16px;flex-wrap:wrap}.sum div{padding:8px 16px;"
        "background:var(--side);border:1px solid var(--edge);border-radius:4px;"
        "color:var(--dim)}.sum "
        "b{color:var(--text);font-size:1.5em;margin-right:"
        ".4em}\n"
        ".note{color:var(--dim);font-size:13px}\n"
        "svg.tape{width:100%}svg.tape rect{stroke:var(--back)}\n"
        "svg.tape .all{fill:var(--all)}svg.tape .loop{fill:var(--loop)}"
        "svg.tape .line{fill:var(--line)}svg.tape .slot{fill:var(--slot)}\n"
        "svg.tape text{font:13px sans-serif;fill:var(--ink);pointer-events:"
        "none}svg.tape a:hover rect{stroke:var(--link);stroke-width:2}\n"
        "</style></head><body>\n<h1>"
     << escaped(Shown) << "</h1>\n";
  printSummary(All, OS);
  if (std::string Advice = bestAdvice(All); !Advice.empty())
    OS << "<p class=\"a\"><b>What would help most:</b> " << escaped(Advice)
       << ".</p>\n";
  OS << "<h2>The tape, by line</h2>\n";
  Flame(All, OS).draw();
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
      bool Keeps = false, OnlyNests = true;
      if (It != Lines.end())
        for (const Fact &F : It->second) {
          Keeps |= F.K == Fact::Kept || F.K == Fact::Loop;
          OnlyNests &= F.K == Fact::Nest;
        }
      OS << "<tr id=\"" << escaped(sys::path::filename(File)) << "-" << Line
         << "\""
         << (OnlyNests ? ""
             : Keeps   ? " class=\"k\""
                       : " class=\"r\"")
         << "><td class=\"n\">" << Line << "</td><td class=\"c\">"
         << escaped(Text[Line - 1]) << "</td><td class=\"f\">";
      if (It != Lines.end())
        for (const Fact &F : It->second) {
          OS << "<div>";
          if (F.K == Fact::Kept)
            OS << "<span class=\"b\">" << F.Bytes << " bytes</span>";
          if (F.K == Fact::Accumulated && F.Atomic)
            OS << "<span class=\"b\">atomic</span>";
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
  std::string Source = S.File;
  if (!S.Function.empty()) {
    // As `retrograd grad` does: the file, and one derivative call behind it.
    SmallString<256> Include(sys::path::parent_path(S.BinDirectory));
    sys::path::append(Include, "include");
    std::vector<std::string> Reading{"-isystem", Include.str().str()};
    Reading.insert(Reading.end(), S.Flags.begin(), S.Flags.end());
    Expected<Signature> F = readSignature(S.File, S.Function, Reading);
    if (!F) {
      (void)sys::fs::remove_directories(Folder);
      return complain(toString(F.takeError()));
    }
    SmallString<256> Path = Folder;
    sys::path::append(Path, IsC ? "gradient.c" : "gradient.cpp");
    Source = Path.str().str();
    std::error_code EC;
    raw_fd_ostream OS(Source, EC);
    OS << gradientProgram(S.File, *F);
  }
  std::string RecordFlag = ("-foptimization-record-file=" + Record).str(),
              Problem;
  std::vector<std::string> Arguments{
      "-O2",
      "-gline-tables-only",
      "-fsave-optimization-record",
      "-foptimization-record-passes=^(retrograd|rg-loops)$",
      RecordFlag,
      "-c",
      Source,
      "-o",
      Object.str().str()};
  if (!S.Function.empty())
    Arguments.push_back("-w"); // the file's main is not called main there
  Arguments.insert(Arguments.end(), S.Flags.begin(), S.Flags.end());
  std::vector<StringRef> Words{Driver};
  Words.insert(Words.end(), Arguments.begin(), Arguments.end());
  int Status =
      sys::ExecuteAndWait(Driver, Words, std::nullopt, {}, 0, 0, &Problem);
  Facts All;
  bool Read = Status == 0 && readRecord(Record, All, Problem);
  (void)sys::fs::remove_directories(Folder);
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
      outs() << "the derivatives in this file keep nothing and compute nothing "
                "again"
             << (S.Function.empty()
                     ? "; for the gradient of a function without a call of it: "
                       "retrograd explain FILE FUNCTION\n"
                     : "\n");
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
