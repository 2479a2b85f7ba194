// RUN: not clika-tblgen -gen-transform-docs -I %clika_src_root/lib/Transforms %s 2>&1 | FileCheck %s

include "TransformBase.td"

class Complete<string name, int place> : Clika_Transform<name, place> {
  let summary = "A thing";
  let before = "";
  let after = "";
}

def : Clika_PatternFamily<1, "Things", ["One"]>;

// CHECK: error: a serves 'Other', which is no standard pattern
def A : Complete<"a", 1> {
  let serves = ["One", "Other"];
}
