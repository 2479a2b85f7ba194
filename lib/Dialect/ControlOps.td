// Operators that hold part of the graph: their regions read what lies outside by its name.
#ifndef CLIKA_CONTROL_OPS_TD
#define CLIKA_CONTROL_OPS_TD

include "ClikaBase.td"
include "mlir/IR/SymbolInterfaces.td"

// The public function takes functions that record the regions, and is written by hand (ClikaRT/control.h).
class Clika_ControlOp<string mnemonic, int number, list<Trait> traits = []>
    : Clika_Op<mnemonic, number, !listconcat([SingleBlock], traits),
               [RecursiveMemoryEffects, RecursivelySpeculatable]> {
  let group = "control";
  let needsInsert = 1;
  let isHandWritten = 1;
  let hasRegionVerifier = 1;
}

def Clika_YieldOp : Op<Clika_Dialect, "yield", [AttrSizedOperandSegments, Pure, Terminator,
                                                ParentOneOf<["IfOp", "LoopOp"]>]> {
  let summary = "What a region of `if` or `loop` hands out, and whether a loop goes on";
  let arguments = (ins Optional<Clika_BoolTensor>:$condition, Variadic<Clika_AnyTensor>:$values);
  let assemblyFormat = [{
    (`while` `(` $condition^ `:` type($condition) `)`)? ($values^ `:` type($values))? attr-dict
  }];
  let hasVerifier = 1;
  // What the parser puts at the end of a region that has none.
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::Value(), ::mlir::ValueRange()); }]>];
}

def Clika_IfOp : Clika_ControlOp<"if", 10> {
  let summary = "One of two computations, chosen by a condition";
  let formula = "results = then_fn() if condition else else_fn()";
  let publicName = "if_";
  let description = [{
    Only the branch that is taken is computed. A branch is a function without parameters: it reads the tensors around it, and
    returns as many as the other, of equal dtypes and ranks. A dimension in which they differ is dynamic in the result. Where
    the condition is no traced tensor, the branch is taken at once and nothing is recorded of the choice.
  }];
  let arguments = (ins Arg<Clika_BoolTensor, "chooses then_fn where it is true; one element">:$condition,
                       Clika_NodeProp:$node);
  let results = (outs Res<Variadic<Clika_AnyTensor>, "what the branch taken returns">:$results);
  let regions = (region SizedRegion<1>:$thenRegion, SizedRegion<1>:$elseRegion);
  let parameterText = "condition: Tensor, then_fn: () -> list[Tensor], else_fn: () -> list[Tensor]";
  let example = [{
x = crt.tensor([3.0, -1.0])
crt.if_(crt.reduce_sum(x) > 0, lambda: [x * 2], lambda: [-x])[0]  # -> [6.0, -2.0]
  }];
  let assemblyFormat = [{
    $condition `:` type($condition) (`->` `(` type($results)^ `)`)? `` custom<NodeName>($node) $thenRegion `else`
    $elseRegion attr-dict
  }];
}

def Clika_LoopOp : Clika_ControlOp<"loop", 11, [AttrSizedOperandSegments]> {
  let summary = "A computation repeated over carried values";
  let formula = "i = 0; while i < trip_count and condition: condition, carried, s = body(i, carried); scans.append(s); i += 1";
  let description = [{
    ONNX's Loop. The body gets the number of the iteration, an int64 of rank 0, and the carried values, and returns whether to
    go on (none: it does), the next carried values, and values to keep of every iteration, which the results stack along a new
    axis 0. It reads the tensors around it. A carried value keeps its dtype and rank; a dimension that the body changes is
    dynamic. Kept values have one shape in every iteration, else the run fails. Without iterations the carried values are the
    first ones, and sizes of kept values that only the body tells are 0. `trip_count` or a condition is given.
  }];
  let arguments = (ins Arg<Optional<Clika_Index64Tensor>, "the most iterations; one element">:$trip_count,
                       Arg<Optional<Clika_BoolTensor>, "whether to begin; one element">:$condition,
                       Arg<Variadic<Clika_AnyTensor>, "the carried values before the first iteration">:$carried,
                       Clika_NodeProp:$node);
  let results = (outs Res<Variadic<Clika_AnyTensor>, "the carried values after the last iteration, then the stacked ones">:$results);
  let regions = (region SizedRegion<1>:$body);
  let parameterText = "trip_count: Tensor | int | None, condition: Tensor | bool | None, carried: list[Tensor], "
                      "body: (Tensor, *carried) -> (condition, carried, scans)";
  let example = [{
x = crt.tensor([1.0, 2.0])
carried, scans = crt.loop(3, None, [x], lambda i, x: (None, [x * 2], [x]))
scans[0]  # -> [[1.0, 2.0], [2.0, 4.0], [4.0, 8.0]]
  }];
  let assemblyFormat = [{
    (`trips` `(` $trip_count^ `:` type($trip_count) `)`)? (`while` `(` $condition^ `:` type($condition) `)`)?
    (`carry` `(` $carried^ `:` type($carried) `)`)? (`->` `(` type($results)^ `)`)? `` custom<NodeName>($node)
    $body attr-dict
  }];
  let extraClassDeclaration = clikaDecls # [{
    /// Names the body's arguments for the printer.
    void getAsmBlockArgumentNames(::mlir::Region &region, ::mlir::OpAsmSetValueNameFn setName);
    ::clika::YieldOp getYield();
    /// The values of an iteration that the results stack.
    ::mlir::ValueRange getScans();
  }];
}

// Its effects are those of what the function holds, which one look at a call does not tell.
def Clika_CallOp : Clika_Op<"call", 12, [DeclareOpInterfaceMethods<SymbolUserOpInterface>],
                            [MemoryEffects<[MemRead, MemWrite]>]> {
  let group = "control";
  let needsInsert = 1;
  let isHandWritten = 1;
  let summary = "A private function of the graph, called";
  let formula = "results = function(*inputs)";
  let description = [{
    `ModelGraph.add_function` gives a graph a private function. An input has the dtype and the rank that the function states, and its
    sizes where it states them; a name that the function gives to a dimension stands for the size that this call has there. Functions
    may call others, but none may come to call itself. `finalize` compiles what a function holds in the place of each call.
  }];
  let arguments = (ins Arg<FlatSymbolRefAttr, "the function's name">:$callee,
                       Arg<Variadic<Clika_AnyTensor>, "what the function takes">:$inputs, Clika_NodeProp:$node);
  let results = (outs Res<Variadic<Clika_AnyTensor>, "what the function returns">:$results);
  let parameterText = "callee: str, inputs: list[Tensor]";
  let example = [{
graph = crt.graph.ModelGraph("twice")
x = crt.TensorSpec("x", crt.float32, [2])
graph.add_function("double", lambda t: [t[0] + t[0]], [x])
y = graph.insert(lambda t: crt.call("double", crt.call("double", t)), [graph.add_input(x)])
graph.add_output(y[0], "y")
graph.finalize()
graph.run([np.array([1.0, 3.0], np.float32)])[0]  # -> [4.0, 12.0]
  }];
  let assemblyFormat = [{
    $callee `(` $inputs `)` `` custom<NodeName>($node) attr-dict `:` functional-type($inputs, $results)
  }];
}

#endif
