//===- Main.cpp - the retrograd command -----------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   retrograd check FILE --function f     is the derivative of f right?
//   retrograd doctor FILE --function f    whose fault is a wrong one?
//   retrograd grad FILE --function f      what does the derivative look like?
//   retrograd explain FILE                what do derivatives keep, and why?
//   retrograd export FILE --function f    a library for other languages
//   retrograd new FOLDER                  a small project to start from
//
// Both put a small program around the user's file and give it to the driver
// that lies beside this tool, so that what is checked is what a user's own
// compilation would make. Exit status: 0 agreement, 1 disagreement, 2 no
// answer.
//
//===----------------------------------------------------------------------===//

#include "CheckCommand.h"
#include "ExplainCommand.h"
#include "ExportCommand.h"
#include "NewCommand.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

using namespace llvm;
using namespace retrograd;

namespace {

cl::SubCommand
    Check("check",
          "Compare reverse mode, forward mode and differences of a function");
cl::SubCommand
    Doctor("doctor",
           "Name the function and the line at fault of a wrong derivative");
cl::SubCommand Grad("grad", "Print the IR of a function's reverse derivative");
cl::SubCommand
    Explain("explain",
            "Tell per source line what a file's derivatives keep, and why");

cl::SubCommand
    Export("export",
           "Make a library of functions and derivatives for other languages");
cl::SubCommand New("new", "Write a small project to start from");

cl::opt<std::string> File(cl::Positional, cl::desc("FILE"), cl::sub(Check),
                          cl::sub(Doctor), cl::sub(Grad), cl::sub(Explain),
                          cl::sub(Export));
cl::list<std::string> Named(cl::Positional, cl::desc("[FUNCTION]"),
                            cl::sub(Check), cl::sub(Doctor), cl::sub(Grad),
                            cl::sub(Explain), cl::sub(Export));
cl::opt<std::string> Target(cl::Positional, cl::desc("FOLDER"), cl::sub(New));
cl::opt<std::string> Language("language",
                              cl::desc("c++ (default), c, fortran or cuda"),
                              cl::init("c++"), cl::sub(New));
cl::opt<std::string> Output("o", cl::desc("The library to make"),
                            cl::value_desc("libmodel.so"), cl::sub(Export));
cl::list<std::string>
    Derive("derive",
           cl::desc("Derivatives: rev, fwd, and steps from one to the next, as "
                    "rev.fwd (default: rev,fwd,rev.fwd)"),
           cl::value_desc("steps"), cl::CommaSeparated, cl::sub(Export));
cl::opt<std::string>
    Dependencies("deps",
                 cl::desc("Write the names of included files, for make"),
                 cl::value_desc("file"), cl::sub(Export));
cl::opt<std::string> Html(
    "html",
    cl::desc(
        "Write one HTML page instead: source, facts, a picture of the tape"),
    cl::value_desc("page.html"), cl::sub(Explain));
cl::opt<bool> Json("json", cl::desc("Print one JSON document instead of text"),
                   cl::sub(Check), cl::sub(Doctor), cl::sub(Explain));
cl::list<std::string> Function("function",
                               cl::desc("The function, qualified if need be"),
                               cl::value_desc("name"), cl::sub(Check),
                               cl::sub(Doctor), cl::sub(Grad), cl::sub(Explain),
                               cl::sub(Export));
cl::list<std::string>
    Integers("int", cl::desc("Value of an integer parameter (default 4)"),
             cl::value_desc("n=5"), cl::sub(Check), cl::sub(Doctor));
cl::list<std::string>
    Lengths("len",
            cl::desc("Elements behind a pointer or in a vector (default: "
                     "the next integer parameter)"),
            cl::value_desc("x=10"), cl::sub(Check), cl::sub(Doctor));
cl::list<std::string>
    Constants("const", cl::desc("Do not differentiate with respect to it"),
              cl::value_desc("x"), cl::sub(Check), cl::sub(Doctor),
              cl::sub(Export));
cl::list<std::string>
    Ranges("range",
           cl::desc("Range of random inputs, of all or of one parameter "
                    "(default 0.25:1.75)"),
           cl::value_desc("[x=]low:high"), cl::sub(Check), cl::sub(Doctor));
cl::opt<unsigned> Grid(
    "grid",
    cl::desc("CUDA: blocks in which a device function is called (default 1)"),
    cl::init(1), cl::sub(Check), cl::sub(Doctor));
cl::opt<unsigned> Block("block",
                        cl::desc("CUDA: threads of a block (default 4)"),
                        cl::init(4), cl::sub(Check), cl::sub(Doctor));
cl::list<std::string>
    Threads("threads",
            cl::desc("Check with so many threads of OpenMP each (-fopenmp)"),
            cl::value_desc("1,2,8"), cl::CommaSeparated, cl::sub(Check),
            cl::sub(Doctor));
cl::opt<std::string>
    Where("target",
          cl::desc("CUDA: cpu (default) or gpu, to run on this machine's GPU"),
          cl::init("cpu"), cl::sub(Check), cl::sub(Doctor), cl::sub(Export));
cl::opt<unsigned> Points("points", cl::desc("Number of random points"),
                         cl::init(3), cl::sub(Check), cl::sub(Doctor));
cl::opt<uint64_t> Seed("seed", cl::desc("Seed of the random numbers"),
                       cl::init(1), cl::sub(Check), cl::sub(Doctor));
cl::opt<bool> All("all", cl::desc("Print every derivative, however many"),
                  cl::sub(Check), cl::sub(Doctor));
cl::opt<bool> NoDoctor("no-doctor",
                       cl::desc("Do not look for the origin of what is wrong"),
                       cl::sub(Check));
cl::opt<bool> Twice("twice",
                    cl::desc("Check a sum of two calls with different weights"),
                    cl::sub(Check), cl::sub(Doctor));
cl::opt<bool> FindingsLine("findings",
                           cl::desc("End with a line for other programs"),
                           cl::Hidden, cl::sub(Check), cl::sub(Doctor));
cl::opt<bool> Keep("keep",
                   cl::desc("Keep the generated program and say where it is"),
                   cl::sub(Check), cl::sub(Doctor), cl::sub(Export));

const char *Usage =
    "retrograd: checks, shows and exports derivatives of functions\n\n"
    "  retrograd check FILE FUNCTION [options] [-- compiler flags]\n"
    "      compares reverse mode, forward mode and differences at random "
    "points\n"
    "  retrograd doctor FILE FUNCTION [options] [-- compiler flags]\n"
    "      names the function and the line at fault of a wrong derivative\n"
    "  retrograd grad FILE FUNCTION [-- compiler flags]\n"
    "      prints the IR of the reverse derivative\n"
    "  retrograd explain FILE [FUNCTION] [--html=PAGE] [-- compiler flags]\n"
    "      tells per source line what the derivatives in the file keep, and "
    "why;\n"
    "      with FUNCTION, what its gradient keeps\n"
    "  retrograd export FILE FUNCTION... [-o LIBRARY] [-- compiler flags]\n"
    "      makes a library of functions and derivatives, for Python and other "
    "languages;\n"
    "      without -o it prints the signatures as JSON\n"
    "  retrograd new FOLDER [--language=c++|c|fortran|cuda]\n"
    "      writes a small project to start from\n"
    "  retrograd COMMAND --help\n"
    "      options and examples of a command\n"
    "  retrograd --version\n\n"
    "Exit status: 0 all is well, 1 a derivative is wrong, 2 no answer.\n";

/// Printed below the options of a command.
const std::pair<const char *, const char *> Examples[] = {
    {"doctor", "  retrograd doctor model.c energy\n"
               "  retrograd doctor model.c energy --range x=0:1 -- -Iinclude\n"
               "Exit status: 0 nothing is wrong, 1 a derivative is wrong, 2 no "
               "answer.\n"},
    {"check", "  retrograd check model.c energy\n"
              "  retrograd check model.c energy --int n=100 --range x=0:1\n"
              "  retrograd check model.cpp 'ns::f(double)' --len x=7 -- -O3 "
              "-Iinclude\n"
              "  retrograd check kernel.cu smooth --grid 2 --block 64\n"
              "  retrograd check sums.c total --threads=1,2,8 -- -fopenmp\n"
              "  retrograd check model.c energy --json | jq '.runs[0].rows'\n"
              "Exit status: 0 all agree, 1 something is wrong, 2 no answer.\n"},
    {"grad", "  retrograd grad model.c energy\n"
             "  retrograd grad model.cpp ns::f -- -O3\n"},
    {"explain", "  retrograd explain model.cpp\n"
                "  retrograd explain model.cpp energy\n"
                "  retrograd explain model.cpp --html=page.html -- -O3\n"
                "  retrograd explain model.cpp --json | jq .advice\n"},
    {"export", "  retrograd export model.cpp energy -o libmodel.so\n"
               "  retrograd export model.c energy force --derive=rev,fwd -o "
               "libmodel.so\n"
               "  retrograd export energy.f90 energy -o libenergy.so\n"
               "  retrograd export model.cpp energy          the signature, as "
               "JSON\n"},
    {"new", "  retrograd new hello && cd hello && make && ./program\n"
            "  retrograd new fit --language=fortran\n"}};

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

unsigned positive(const cl::opt<unsigned> &Option) {
  if (!Option)
    die("--" + Option.ArgStr + " wants a whole number of at least 1 and got 0");
  return Option;
}

/// The command line is read here, because LLVM's own reading ends the program
/// with the status 1, which says that a derivative is wrong.
void readOptions(int Count, char **Words, StringRef Overview) {
  std::string Text;
  raw_string_ostream OS(Text);
  if (cl::ParseCommandLineOptions(Count, Words, Overview, &OS))
    return;
  StringRef What = StringRef(Text).ltrim().split('\n').first;
  What = What.split(".  Try").first;
  What.consume_front(sys::path::filename(Words[0]));
  What.consume_front(": ");
  errs() << "retrograd: " << What << "\n"
         << "retrograd: options: retrograd " << Words[1]
         << " --help; flags for the compiler go after '--'\n";
  std::exit(2);
}

CheckSettings settings() {
  CheckSettings S;
  S.Points = positive(Points);
  S.Seed = Seed;
  S.Grid = positive(Grid);
  S.Block = positive(Block);
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

/// One check after the other, with as many threads of OpenMP as --threads says;
/// the first answer that is not `all agree` counts.
int checkByThreads(function_ref<int(StringRef)> Check) {
  int Status = 0;
  for (const std::string &Text : Threads) {
    std::string N = std::to_string(integer("threads", Text, 1));
    setenv("OMP_NUM_THREADS", N.c_str(), /*overwrite=*/1);
    if (int Answer = Check(N))
      Status = Status ? std::min(Status, Answer) : Answer;
  }
  return Status;
}

/// What a check writes to stdout and stderr goes through a file into the
/// document, so that the document has all that a person would read.
int capture(function_ref<int()> Run, json::Array &Lines) {
  SmallString<128> Path;
  int File;
  if (sys::fs::createTemporaryFile("retrograd-report", "txt", File, Path))
    die("no temporary file can be made");
  FileRemover Remove(Path);
  int Out = dup(1), Err = dup(2);
  dup2(File, 1);
  dup2(File, 2);
  int Status = Run();
  outs().flush();
  errs().flush();
  dup2(Out, 1);
  dup2(Err, 2);
  for (int Descriptor : {File, Out, Err})
    close(Descriptor);
  if (auto Text = MemoryBuffer::getFile(Path)) {
    SmallVector<StringRef, 0> Split;
    (*Text)->getBuffer().rtrim('\n').split(Split, '\n');
    for (StringRef Line : Split)
      Lines.push_back(json::fixUTF8(Line));
  }
  return Status;
}

int checkAsJson(Invocation I) {
  json::Array Runs;
  auto Once = [&](StringRef N) {
    json::Object Run{{"file", I.Shown}, {"function", I.Function}};
    if (!N.empty())
      Run["threads"] = std::stoi(N.str());
    I.Json = &Run;
    json::Array Lines;
    int Status = capture([&] { return checkCommand(I, settings()); }, Lines);
    Run["status"] = Status;
    Run["report"] = std::move(Lines);
    Runs.push_back(std::move(Run));
    return Status;
  };
  int Status = Threads.empty() ? Once("") : checkByThreads(Once);
  outs() << formatv(
      "{0:2}\n",
      json::Value(json::Object{{"status", Status}, {"runs", std::move(Runs)}}));
  return Status;
}

/// What follows `--` belongs to the compiler; Own becomes the number of words
/// in front of it.
std::vector<std::string> takeFlags(char **Words, int &Own) {
  for (int I = 1; I < Own; ++I)
    if (StringRef(Words[I]) == "--") {
      std::vector<std::string> Flags(Words + I + 1, Words + Own);
      Own = I;
      return Flags;
    }
  return {};
}

/// Reads the command First and its options. Its help shows its line of our
/// usage, and examples.
void readCommand(StringRef First, int Own, char **Words) {
  if (none_of(Examples, [&](auto &E) { return First == E.first; }) &&
      !First.starts_with("--version"))
    die("there is no command '" + First +
        "'; commands are check, doctor, grad, explain, export and new "
        "(--help)");
  std::string Shown, Overview;
  std::optional<cl::extrahelp> More;
  for (auto [Command, Text] : Examples)
    if (First == Command) {
      More.emplace(Shown = ("\nEXAMPLES:\n" + StringRef(Text)).str());
      StringRef All = Usage;
      All = All.substr(All.find(("  retrograd " + First + " ").str()));
      size_t End = All.find("\n  retrograd ", 1);
      Overview = (All.take_front(End).ltrim() + "\n").str();
    }
  readOptions(Own, Words, Overview);
  if (!Check && !Doctor && !Grad && !Explain && !Export && !New)
    die("the command comes first: retrograd check FILE FUNCTION");
}

/// The functions that the command First is about, and the file's path.
std::pair<std::vector<std::string>, std::string> readSubject(StringRef First) {
  std::vector<std::string> Functions(Named.begin(), Named.end());
  Functions.insert(Functions.end(), Function.begin(), Function.end());
  if (Explain && File.empty())
    die("'explain' wants a file: retrograd explain FILE");
  if (File.empty() || (Functions.empty() && !Explain))
    die("'" + First + "' wants a file and a function: retrograd " + First +
        " FILE FUNCTION");
  if (Functions.size() > 1 && !Export)
    die("'" + First + "' wants one function and got '" + Functions[0] +
        "' and '" + Functions[1] + "'; flags for the compiler go after '--'");
  SmallString<256> Absolute = StringRef(File);
  if (sys::fs::make_absolute(Absolute) || !sys::fs::exists(Absolute))
    die("there is no file '" + File + "'");
  return {std::move(Functions), Absolute.str().str()};
}

int explain(StringRef Directory, StringRef Absolute,
            ArrayRef<std::string> Functions, std::vector<std::string> Flags) {
  if (Json && !Html.empty())
    die("use --json or --html, not both");
  if (!Functions.empty() && !StringSwitch<bool>(sys::path::extension(Absolute))
                                 .Cases({".c", ".cpp", ".cc", ".cxx"}, true)
                                 .Default(false))
    die("'explain' with a function reads C and C++; '" + File +
        "' is explained by the derivative calls in it: retrograd explain " +
        File);
  return explainCommand({Directory.str(), Absolute.str(), File,
                         Functions.empty() ? "" : Functions.front(), Html, Json,
                         std::move(Flags)});
}

/// Ends with a message where the command cannot read the file, or is given an
/// option that the file has no use for.
void checkFile(StringRef Absolute, ArrayRef<std::string> Flags) {
  if (!StringSwitch<bool>(sys::path::extension(Absolute))
           .Cases({".c", ".cpp", ".cc", ".cxx"}, true)
           .Case(".cu", Check || Doctor || Export)
           .Cases({".f90", ".f95", ".f03", ".f08", ".f", ".F90"}, bool(Export))
           .Default(false))
    die(StringRef(File).ends_with_insensitive(".f90") ||
                StringRef(File).ends_with(".rs")
            ? "'" + File +
                  "': check reads C, C++ and CUDA; for a function of another "
                  "language that C can call, compile this file to an object "
                  "with -flto, write a C file with a function that calls it, "
                  "and give the object behind '--': retrograd check caller.c "
                  "f -- -flto object.o"
            : "'" + File +
                  "' is neither .c nor .cpp nor .cu; check reads C, C++ and "
                  "CUDA, grad C and C++, export these and Fortran");
  if (Where != "cpu" && Where != "gpu")
    die("--target is cpu or gpu and not '" + Where + "'");
  if (sys::path::extension(Absolute) != ".cu")
    for (const cl::Option *Option :
         std::initializer_list<const cl::Option *>{&Grid, &Block, &Where})
      if (Option->getNumOccurrences())
        die("--" + Option->ArgStr + " is for CUDA, and '" + File +
            "' is no .cu file");
  if (!Threads.empty() && !is_contained(Flags, "-fopenmp"))
    die("--threads wants a program with OpenMP: add -- -fopenmp");
}

int exportFunctions(const Invocation &I, std::vector<std::string> Functions) {
  ExportSettings S;
  S.Output = Output;
  S.Functions = std::move(Functions);
  S.Derivatives.assign(Derive.begin(), Derive.end());
  if (S.Derivatives.empty())
    S.Derivatives = {"rev", "fwd", "rev.fwd"};
  S.Constants.insert(Constants.begin(), Constants.end());
  S.Dependencies = Dependencies;
  return exportCommand(I, S);
}

int check(const Invocation &I) {
  if (Json)
    return checkAsJson(I);
  if (Threads.empty())
    return checkCommand(I, settings());
  return checkByThreads([&](StringRef N) {
    outs() << "with " << N << (N == "1" ? " thread:\n" : " threads:\n");
    outs().flush();
    return checkCommand(I, settings());
  });
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM Init(argc, argv);
  int Own = argc;
  std::vector<std::string> Flags = takeFlags(argv, Own);
  cl::SetVersionPrinter([](raw_ostream &OS) {
    OS << "retrograd " RETROGRAD_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
  });
  StringRef First = Own > 1 ? argv[1] : "";
  static char Help[] = "--help";
  if (First == "help" && Own > 2) { // help COMMAND
    argv[1] = argv[2];
    argv[2] = Help;
    First = argv[1];
    Own = 3;
  }
  // libLLVM brings some thousand options of its own; at the top level, where
  // its help would list them, ours is printed instead.
  if (First.empty() || First == "--help" || First == "-help" || First == "-h" ||
      First == "help") {
    (First.empty() ? errs() : outs()) << Usage;
    return First.empty() ? 2 : 0;
  }
  readCommand(First, Own, argv);

  // The drivers lie beside this tool.
  std::string Self =
      sys::fs::getMainExecutable(argv[0], reinterpret_cast<void *>(&main));
  std::string Directory = sys::path::parent_path(Self).str();
  if (New)
    return newCommand({Directory, Target, Language});
  auto [Functions, Absolute] = readSubject(First);
  if (Explain)
    return explain(Directory, Absolute, Functions, std::move(Flags));
  checkFile(Absolute, Flags);

  Invocation I;
  I.BinDirectory = Directory;
  I.File = Absolute;
  I.Shown = File;
  I.Function = Functions.front();
  I.Flags = std::move(Flags);
  I.PrintAll = All;
  I.Keep = Keep;
  I.Findings = FindingsLine;
  I.Doctor = !NoDoctor;
  I.Brief = bool(Doctor);
  I.OnGpu = Where == "gpu";
  if (Export)
    return exportFunctions(I, std::move(Functions));
  return Grad ? gradCommand(I) : check(I);
}
