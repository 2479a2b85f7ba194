// RUN: clika-tblgen -gen-transform-docs -I %clika_src_root/lib/Transforms %s | FileCheck %s

include "TransformBase.td"

class Complete<string name, int place> : Clika_Transform<name, place> {
  let summary = "A thing";
  let before = "";
  let after = "";
}

def : Clika_PatternFamily<2, "Others", ["Three"]>;
def : Clika_PatternFamily<1, "Things", ["One", "Two"]>;
def : Clika_LeftOut<"Three", "there is no third">;
def A : Complete<"a_thing", 1> {
  let serves = ["Two", "One"];
}
def B : Complete<"b_thing", 0> {
  let serves = ["One"];
}

// CHECK: # Another optimizer's patterns
// CHECK: Of the 3 patterns {{.*}} serve 2.
// CHECK: **Things**
// CHECK: | One | [a_thing](#a_thing), [b_thing](#b_thing) |
// CHECK-NEXT: | Two | [a_thing](#a_thing) |
// CHECK: **Others**
// CHECK: | Three | left out: there is no third |
