// The runtime's transforms: their table, their public functions and their reference page, from
// lib/Transforms/Passes.td.
#include "OpRecord.h"
#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"

using namespace llvm;

namespace clika::tblgen {
namespace {

struct TransformRecord {
  StringRef recordName, name, summary, description, before, after, exactness, rtol, atol;
  int64_t place;
  std::vector<StringRef> serves;
};

/// The pattern families' names in order, and who serves each pattern or why none does.
struct PatternFamily {
  StringRef title;
  std::vector<StringRef> names;
};
struct PatternTable {
  std::vector<PatternFamily> families;
  StringMap<std::vector<StringRef>> servedBy;
  StringMap<StringRef> leftOut;
};

StringRef required(const Record &def, StringRef field) {
  const RecordVal *value = def.getValue(field);
  if (!value || isa<UnsetInit>(value->getValue()))
    PrintFatalError(def.getLoc(), "the transform has no '" + field + "'");
  return def.getValueAsString(field);
}

/// Those of the default list in its order, then the others by name.
std::vector<TransformRecord> readTransforms(const RecordKeeper &records) {
  std::vector<TransformRecord> transforms;
  for (const Record *def : records.getAllDerivedDefinitions("Clika_Transform")) {
    const Record *exactness = def->getValueAsDef("exactness");
    transforms.push_back({def->getName(), required(*def, "name"), required(*def, "summary"),
                          def->getValueAsString("description"), required(*def, "before"), required(*def, "after"),
                          exactness->getValueAsString("kind"), exactness->getValueAsString("rtol"),
                          exactness->getValueAsString("atol"), def->getValueAsInt("place"),
                          def->getValueAsListOfStrings("serves")});
    if (transforms.back().exactness == "Approximate" && transforms.back().place != 0)
      PrintFatalError(def->getLoc(), "the default list holds no Approximate transform");
  }
  sort(transforms, [](const TransformRecord &a, const TransformRecord &b) {
    return std::tuple(a.place == 0, a.place, a.name) < std::tuple(b.place == 0, b.place, b.name);
  });
  for (size_t i = 1; i < transforms.size(); ++i)
    if (transforms[i].place != 0 && transforms[i].place == transforms[i - 1].place)
      PrintFatalError(transforms[i].name + " and " + transforms[i - 1].name + " have one place in the default list");
  return transforms;
}

std::vector<PatternFamily> readFamilies(const RecordKeeper &records) {
  std::vector<std::pair<int64_t, PatternFamily>> placed;
  for (const Record *def : records.getAllDerivedDefinitions("Clika_PatternFamily"))
    placed.push_back(
        {def->getValueAsInt("place"), {def->getValueAsString("title"), def->getValueAsListOfStrings("names")}});
  sort(placed, less_first());
  std::vector<PatternFamily> families;
  for (auto &[place, family] : placed)
    families.push_back(std::move(family));
  return families;
}

/// Stops the build at a pattern that is neither served nor left out, or both, and at a name that is none.
PatternTable readPatterns(const RecordKeeper &records) {
  PatternTable table{readFamilies(records), {}, {}};
  StringSet<> known;
  for (const PatternFamily &family : table.families)
    known.insert_range(family.names);
  for (const TransformRecord &t : readTransforms(records))
    for (StringRef name : t.serves) {
      if (!known.contains(name))
        PrintFatalError(t.name + " serves '" + name + "', which is no standard pattern");
      table.servedBy[name].push_back(t.name);
    }
  for (const Record *def : records.getAllDerivedDefinitions("Clika_LeftOut")) {
    StringRef name = def->getValueAsString("pattern");
    if (!known.contains(name) || table.servedBy.contains(name))
      PrintFatalError(def->getLoc(),
                      "'" + name + "' is left out, but " + (known.contains(name) ? "served" : "no standard pattern"));
    table.leftOut[name] = def->getValueAsString("why");
  }
  for (const PatternFamily &family : table.families)
    for (StringRef name : family.names)
      if (!table.servedBy.contains(name) && !table.leftOut.contains(name))
        PrintFatalError("the standard pattern '" + name + "' is neither served nor left out");
  return table;
}

bool emitRuns(const RecordKeeper &records, raw_ostream &os) {
  for (const TransformRecord &t : readTransforms(records))
    os << "CLIKA_TRANSFORM_RUN(" << t.recordName << ")\n";
  return false;
}

bool emitTable(const RecordKeeper &records, raw_ostream &os) {
  for (const TransformRecord &t : readTransforms(records))
    os << "{" << quoted(t.name) << ", " << quoted(t.summary) << ", ExactnessKind::" << t.exactness << ", " << t.rtol
       << ", " << t.atol << ", " << (t.place ? "true" : "false") << ", run" << t.recordName << "},\n";
  return false;
}

bool emitDefinitions(const RecordKeeper &records, raw_ostream &os) {
  os << "// Generated by clika-tblgen from lib/Transforms/Passes.td; do not edit.\n"
        "// CLIKA_TRANSFORM(name) for each of the runtime's transforms.\n";
  for (const TransformRecord &t : readTransforms(records))
    os << "/// " << t.summary << ".\nCLIKA_TRANSFORM(" << t.name << ")\n";
  return false;
}

std::string exactnessText(const TransformRecord &t) {
  if (t.exactness == "Exact")
    return "Exact: the same bits, all NaNs being one value.";
  return (t.exactness + ": |a - b| <= " + t.atol + " + " + t.rtol + " * |b|.").str();
}

std::string dashed(StringRef name) {
  std::string text = name.str();
  llvm::replace(text, '_', '-');
  return text;
}

void emitBody(raw_ostream &os, StringRef title, StringRef body) {
  os << "\n" << title << ":\n\n```mlir\n";
  SmallVector<StringRef> lines;
  body.split(lines, '\n');
  for (StringRef line : lines)
    if (!line.trim().empty())
      os << line.trim() << "\n";
  os << "```\n";
}

void emitPatterns(raw_ostream &os, const PatternTable &table) {
  size_t total = 0;
  for (const PatternFamily &family : table.families)
    total += family.names.size();
  os << "\n# Another optimizer's patterns\n\nOf the " << total << " patterns that an ONNX optimizer of this kind "
     << "ships, under its names, these transforms serve " << table.servedBy.size()
     << ". The others are left out, for the reason given.\n";
  for (const PatternFamily &family : table.families) {
    os << "\n**" << family.title << "**\n\n| pattern | here |\n|---|---|\n";
    for (StringRef name : family.names) {
      auto served = table.servedBy.find(name);
      os << "| " << name << " | ";
      if (served == table.servedBy.end())
        os << "left out: " << table.leftOut.lookup(name);
      else
        interleaveComma(served->second, os, [&](StringRef ours) { os << "[" << ours << "](#" << ours << ")"; });
      os << " |\n";
    }
  }
}

bool emitDocs(const RecordKeeper &records, raw_ostream &os) {
  os << "<!-- Generated by clika-tblgen from lib/Transforms/Passes.td; do not edit. -->\n# The runtime's transforms\n\n"
        "Each is `graph::transforms::NAME()` in C++, `transforms.NAME()` in Python and a pass of `clika-opt`. The "
        "default list "
        "runs those that have a place in it, in the order of this page.\n\n"
        "`clika-opt --NAME=remarks` says at each operator that NAME considered and left alone why. The bounds are "
        "those of "
        "float32 and float64; in half precision, where one rounding can exceed them, both numbers count as at least "
        "four "
        "rounding units: 2^-9 in float16, 2^-6 in bfloat16.\n";
  for (const TransformRecord &t : readTransforms(records)) {
    os << "\n## " << t.name << "\n\n"
       << t.summary << ". `clika-opt --" << dashed(t.name) << "`; "
       << (t.place ? "in the default list.\n" : "not in the default list.\n");
    if (!t.description.trim().empty())
      os << "\n" << t.description.trim() << "\n";
    os << "\n" << exactnessText(t) << "\n";
    emitBody(os, "Before", t.before);
    emitBody(os, "After", t.after);
  }
  emitPatterns(os, readPatterns(records));
  return false;
}

mlir::GenRegistration runs("gen-transform-runs", "Declarations of the transforms' functions", emitRuns);
mlir::GenRegistration table("gen-transform-table", "The table of the runtime's transforms", emitTable);
mlir::GenRegistration definitions("gen-transform-defs", "The public list of transforms", emitDefinitions);
mlir::GenRegistration docs("gen-transform-docs", "The reference page docs/transforms.md", emitDocs);

} // namespace
} // namespace clika::tblgen
