//===- Main.cpp - the retrograd command -----------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   retrograd check FILE --function f     is the derivative of f right?
//   retrograd grad FILE --function f      what does the derivative look like?
//
// Both put a small program around the user's file and give it to the driver
// that lies beside this tool, so that what is checked is what a user's own
// compilation would make. Exit status: 0 agreement, 1 disagreement, 2 no
// answer.
//
//===----------------------------------------------------------------------===//

#include "CheckCommand.h"
#include "ExplainCommand.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace retrograd;

namespace {

cl::SubCommand
    Check("check",
          "Compare reverse mode, forward mode and differences of a function");
cl::SubCommand Grad("grad", "Print the IR of a function's reverse derivative");
cl::SubCommand
    Explain("explain",
            "Tell per source line what a file's derivatives keep, and why");

cl::opt<std::string> File(cl::Positional, cl::desc("FILE.c|.cpp"),
                          cl::sub(Check), cl::sub(Grad), cl::sub(Explain));
cl::opt<std::string> Html(
    "html",
    cl::desc(
        "Write one HTML page instead: source, facts, a picture of the tape"),
    cl::value_desc("page.html"), cl::sub(Explain));
cl::opt<std::string> Function("function",
                              cl::desc("The function, qualified if need be"),
                              cl::value_desc("name"), cl::sub(Check),
                              cl::sub(Grad));
cl::list<std::string>
    Integers("int", cl::desc("Value of an integer parameter (default 4)"),
             cl::value_desc("n=5"), cl::sub(Check));
cl::list<std::string>
    Lengths("len",
            cl::desc("Elements behind a pointer or in a vector (default: "
                     "the next integer parameter)"),
            cl::value_desc("x=10"), cl::sub(Check));
cl::list<std::string>
    Constants("const", cl::desc("Do not differentiate with respect to it"),
              cl::value_desc("x"), cl::sub(Check));
cl::list<std::string>
    Ranges("range",
           cl::desc("Range of random inputs, of all or of one parameter "
                    "(default 0.25:1.75)"),
           cl::value_desc("[x=]low:high"), cl::sub(Check));
cl::opt<unsigned> Grid(
    "grid",
    cl::desc("CUDA: blocks in which a device function is called (default 1)"),
    cl::init(1), cl::sub(Check));
cl::opt<unsigned> Block("block",
                        cl::desc("CUDA: threads of a block (default 4)"),
                        cl::init(4), cl::sub(Check));
cl::opt<std::string>
    Where("target",
          cl::desc("CUDA: cpu (default) or gpu, to run on this machine's GPU"),
          cl::init("cpu"), cl::sub(Check));
cl::opt<unsigned> Points("points", cl::desc("Number of random points"),
                         cl::init(3), cl::sub(Check));
cl::opt<uint64_t> Seed("seed", cl::desc("Seed of the random numbers"),
                       cl::init(1), cl::sub(Check));
cl::opt<bool> All("all", cl::desc("Print every derivative, however many"),
                  cl::sub(Check));
cl::opt<bool> NoDoctor("no-doctor",
                       cl::desc("Do not look for the origin of what is wrong"),
                       cl::sub(Check));
cl::opt<bool> Twice("twice",
                    cl::desc("Check a sum of two calls with different weights"),
                    cl::sub(Check));
cl::opt<bool> FindingsLine("findings",
                           cl::desc("End with a line for other programs"),
                           cl::Hidden, cl::sub(Check));
cl::opt<bool> Keep("keep",
                   cl::desc("Keep the generated program and say where it is"),
                   cl::sub(Check));

const char *Usage =
    "retrograd: checks and shows derivatives of C and C++ functions\n\n"
    "  retrograd check FILE --function f [options] [-- compiler flags]\n"
    "      compares reverse mode, forward mode and differences at random "
    "points\n"
    "  retrograd grad FILE --function f [-- compiler flags]\n"
    "      prints the IR of the reverse derivative\n"
    "  retrograd explain FILE [--html=PAGE] [-- compiler flags]\n"
    "      tells per source line what the derivatives in the file keep, and "
    "why\n"
    "  retrograd check --help, retrograd grad --help, retrograd explain "
    "--help\n"
    "      options of a command\n"
    "  retrograd --version\n";

[[noreturn]] void die(const Twine &Message) {
  errs() << "retrograd: " << Message << "\n";
  std::exit(2);
}

/// "x=5" -> {"x", "5"}
std::pair<std::string, std::string> assignment(StringRef Option,
                                               StringRef Text) {
  auto [Name, Value] = Text.split('=');
  if (Name.empty() || Value.empty())
    die("--" + Option + " wants name=value and got '" + Text + "'");
  return {Name.str(), Value.str()};
}

int64_t integer(StringRef Option, StringRef Text, int64_t Least) {
  int64_t Value;
  if (Text.getAsInteger(0, Value) || Value < Least)
    die("--" + Option + " wants a whole number of at least " + Twine(Least) +
        " and got '" + Text + "'");
  return Value;
}

CheckSettings settings() {
  CheckSettings S;
  S.Points = std::max(1u, unsigned(Points));
  S.Seed = Seed;
  S.Grid = std::max(1u, unsigned(Grid));
  S.Block = std::max(1u, unsigned(Block));
  S.Twice = Twice;
  for (const std::string &Text : Integers) {
    auto [Name, Value] = assignment("int", Text);
    S.Integers[Name] = integer("int", Value, INT32_MIN);
  }
  for (const std::string &Text : Lengths) {
    auto [Name, Value] = assignment("len", Text);
    S.Lengths[Name] = uint64_t(integer("len", Value, 1));
  }
  for (const std::string &Text : Constants)
    S.Constants.insert(Text);
  for (const std::string &Text : Ranges) {
    StringRef Rest = Text, Name;
    if (Rest.contains('='))
      std::tie(Name, Rest) = Rest.split('=');
    auto [Low, High] = Rest.split(':');
    double L, H;
    if (Low.getAsDouble(L) || High.getAsDouble(H) || !(L < H))
      die("--range wants low:high or name=low:high and got '" + Text + "'");
    if (Name.empty())
      S.Low = L, S.High = H;
    else
      S.Ranges[Name.str()] = {L, H};
  }
  return S;
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM Init(argc, argv);
  // What follows `--` belongs to the compiler.
  std::vector<std::string> Flags;
  int Own = argc;
  for (int I = 1; I < argc; ++I)
    if (StringRef(argv[I]) == "--") {
      Own = I;
      Flags.assign(argv + I + 1, argv + argc);
      break;
    }
  cl::SetVersionPrinter([](raw_ostream &OS) {
    OS << "retrograd " RETROGRAD_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
  });
  // libLLVM brings some thousand options of its own; at the top level, where
  // its help would list them, ours is printed instead.
  StringRef First = Own > 1 ? argv[1] : "";
  if (First.empty() || First == "--help" || First == "-help" || First == "-h" ||
      First == "help") {
    (First.empty() ? errs() : outs()) << Usage;
    return First.empty() ? 2 : 0;
  }
  if (First != "check" && First != "grad" && First != "explain" &&
      !First.starts_with("-"))
    die("there is no command '" + First +
        "'; commands are check, grad and explain (--help)");
  cl::ParseCommandLineOptions(Own, argv, Usage);

  // The drivers lie beside this tool.
  std::string Self =
      sys::fs::getMainExecutable(argv[0], reinterpret_cast<void *>(&main));
  SmallString<256> Directory = sys::path::parent_path(Self);
  if (!Check && !Grad && !Explain)
    die("the command comes first: retrograd check FILE --function f");
  if (Explain) {
    if (File.empty())
      die("'explain' wants a file: retrograd explain FILE");
    SmallString<256> Path = StringRef(File);
    sys::fs::make_absolute(Path);
    if (!sys::fs::exists(Path))
      die("there is no file '" + File + "'");
    return explainCommand({Directory.str().str(), Path.str().str(), File, Html,
                           std::move(Flags)});
  }
  if (File.empty() || Function.empty())
    die("'" + First + "' wants a file and a function: retrograd " + First +
        " FILE --function f");
  SmallString<256> Absolute = StringRef(File);
  sys::fs::make_absolute(Absolute);
  if (!sys::fs::exists(Absolute))
    die("there is no file '" + File + "'");
  if (!StringSwitch<bool>(sys::path::extension(Absolute))
           .Cases({".c", ".cpp", ".cc", ".cxx"}, true)
           .Case(".cu", bool(Check))
           .Default(false))
    die(StringRef(File).ends_with_insensitive(".f90") ||
                StringRef(File).ends_with(".rs")
            ? "'" + File +
                  "': check reads C, C++ and CUDA; for a function of another "
                  "language that C can call, compile this file "
                  "to an object with -flto, write a C file with a function "
                  "that calls it, and give the object behind '--': "
                  "retrograd check caller.c --function f -- -flto object.o"
            : "'" + File +
                  "' is neither .c nor .cpp nor .cu; check reads C, C++ and "
                  "CUDA, grad C and C++");
  if (Where != "cpu" && Where != "gpu")
    die("--target is cpu or gpu and not '" + Where + "'");

  Invocation I;
  I.BinDirectory = Directory.str().str();
  I.File = Absolute.str().str();
  I.Shown = File;
  I.Function = Function;
  I.Flags = std::move(Flags);
  I.PrintAll = All;
  I.Keep = Keep;
  I.Findings = FindingsLine;
  I.Doctor = !NoDoctor;
  I.OnGpu = Where == "gpu";
  if (Grad)
    return gradCommand(I);
  return checkCommand(I, settings());
}
