"""Who takes part in bench_rewrite.py. A contender loads a model, makes a fresh copy of it, rewrites that, and shows what
has become of it. Only the rewriting is timed: from the library's own graph in memory to the rewritten one."""

from __future__ import annotations

import collections
import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx

EPSILON = 1e-5


class CannotDo(Exception):
    """Why a contender does not take part in a case."""


def onnx_run(model: onnx.ModelProto, array: np.ndarray) -> np.ndarray:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": array})[0]


def decomposed(t: Any) -> Any:
    import clika_runtime as crt

    return t[0] / crt.sqrt(crt.reduce_mean(crt.pow(t[0], 2.0), [-1], True) + EPSILON) * t[1]


PDL_FUSION = """
pdl.pattern @fuse_rms_norm : benefit(1) {
  %t = type
  %m = type
  %s = type
  %w = type
  %x = operand
  %scale = operand : %w
  %two_value = attribute = dense<2.0> : tensor<f32>
  %two_op = operation "clika.constant" {"value" = %two_value} -> (%s : !pdl.type)
  %two = result 0 of %two_op
  %square_op = operation "clika.pow"(%x, %two : !pdl.value, !pdl.value) -> (%t : !pdl.type)
  %square = result 0 of %square_op
  %axes = attribute = array<i64: -1>
  %keepdims = attribute = true
  %mean_op = operation "clika.reduce_mean"(%square : !pdl.value) {"axes" = %axes, "keepdims" = %keepdims} -> (%m : !pdl.type)
  %mean = result 0 of %mean_op
  %epsilon_value = attribute = dense<9.99999974E-6> : tensor<f32>
  %epsilon_op = operation "clika.constant" {"value" = %epsilon_value} -> (%s : !pdl.type)
  %epsilon = result 0 of %epsilon_op
  %sum_op = operation "clika.add"(%mean, %epsilon : !pdl.value, !pdl.value) -> (%m : !pdl.type)
  %sum = result 0 of %sum_op
  %root_op = operation "clika.sqrt"(%sum : !pdl.value) -> (%m : !pdl.type)
  %root = result 0 of %root_op
  %quotient_op = operation "clika.div"(%x, %root : !pdl.value, !pdl.value) -> (%t : !pdl.type)
  %quotient = result 0 of %quotient_op
  %product = operation "clika.mul"(%quotient, %scale : !pdl.value, !pdl.value) -> (%t : !pdl.type)
  rewrite %product {
    %setting = attribute = 1.0e-5 : f64
    %norm = operation "clika.rms_norm"(%x, %scale : !pdl.value, !pdl.value) {"epsilon" = %setting}
    replace %product with %norm
  }
}"""

PDL_IDENTITY = """
pdl.pattern @remove_identity : benefit(1) {
  %type = type
  %x = operand : %type
  %identity = operation "clika.identity"(%x : !pdl.value) -> (%type : !pdl.type)
  rewrite %identity {
    replace %identity with (%x : !pdl.value)
  }
}"""

PDL_TIMES_ONE = """
pdl.pattern @remove_times_one : benefit(1) {
  %type = type
  %s = type
  %x = operand : %type
  %one_value = attribute = dense<1.0> : tensor<f32>
  %one_op = operation "clika.constant" {"value" = %one_value} -> (%s : !pdl.type)
  %one = result 0 of %one_op
  %product = operation "clika.mul"(%x, %one : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  rewrite %product {
    replace %product with (%x : !pdl.value)
  }
}"""

PDL_TRANSPOSE = """
pdl.pattern @remove_transpose : benefit(1) {
  %type = type
  %x = operand : %type
  %perm = attribute = array<i64: 0, 1>
  %transpose = operation "clika.transpose"(%x : !pdl.value) {"perm" = %perm} -> (%type : !pdl.type)
  rewrite %transpose {
    replace %transpose with (%x : !pdl.value)
  }
}"""

PDLL_FUSION = """
Pattern FuseRmsNorm with benefit(1) {
  let two = op<clika.constant> {value = attr<"dense<2.0> : tensor<f32>">};
  let epsilon = op<clika.constant> {value = attr<"dense<9.99999974E-6> : tensor<f32>">};
  let square = op<clika.pow>(x: Value, two.0);
  let mean = op<clika.reduce_mean>(square.0) {axes = attr<"array<i64: -1>">, keepdims = attr<"true">};
  let root = op<clika.sqrt>(op<clika.add>(mean.0, epsilon.0).0);
  let product = op<clika.mul>(op<clika.div>(x, root.0).0, scale: Value);
  rewrite product with {
    let norm = op<clika.rms_norm>(x, scale) {epsilon = attr<"1.0e-5 : f64">};
    replace product with norm;
  };
}"""

PDLL_IDENTITY = """
Pattern RemoveIdentity with benefit(1) {
  let identity = op<clika.identity>(x: Value);
  replace identity with x;
}"""

PDLL_TIMES_ONE = """
Pattern RemoveTimesOne with benefit(1) {
  let one = op<clika.constant> {value = attr<"dense<1.0> : tensor<f32>">};
  let product = op<clika.mul>(x: Value, one.0);
  replace product with x;
}"""

PDLL_TRANSPOSE = """
Pattern RemoveTranspose with benefit(1) {
  let transpose = op<clika.transpose>(x: Value) {perm = attr<"array<i64: 0, 1>">};
  replace transpose with x;
}"""


class Clika:
    """ClikaRT with one way to state each rewrite. Timed: optimize(), with its copy for undoing and its report."""

    names = {"RmsNorm": "RMSNormalization"}

    def __init__(self, lists: dict[str, Callable[[], Any]]) -> None:
        self.lists = lists

    def load(self, path: str, case: str) -> None:
        from clika_runtime.graph import ModelGraph

        if case not in self.lists:
            raise CannotDo("is no single rule")
        self.original, self.list = ModelGraph.from_onnx(path), self.lists[case]()

    def copy(self) -> Any:
        return self.original.clone()

    def rewrite(self, graph: Any) -> Any:
        graph.optimize(self.list)
        return graph

    def counts(self, graph: Any) -> collections.Counter[str]:
        names = (node.op_code.name for node in graph.nodes() if node.op_code.name != "Input")
        return collections.Counter(self.names.get(name, name) for name in names)

    def run(self, graph: Any, array: np.ndarray) -> np.ndarray:
        graph.finalize(threads=1)
        return graph.run([array])[0].numpy()


def registered(library: str, case: str) -> Any:
    """The case's transforms in C++, which `library` registers."""
    from clika_runtime.graph import transforms

    if not library:
        raise CannotDo("the library of benchmarks/rewrite is not built: configure with -DCLIKA_BUILD_BENCHMARKS=ON")
    ctypes.CDLL(library)
    return [transforms.get(f"cpp_{name}") for name in RULES[case]]


def python_rules(case: str) -> Any:
    import clika_runtime as crt
    from clika_runtime.graph import OpCode, Pattern, transforms

    handed_on = lambda match, t: t[0]  # noqa: E731
    rules = {
        "fuse_rms_norm": (Pattern.trace(decomposed, 2), lambda match, t: crt.rms_norm(t[0], t[1], epsilon=EPSILON)),
        "remove_identity": (Pattern([OpCode.Identity]), handed_on),
        "remove_times_one": (Pattern.trace(lambda t: t[0] * 1.0, 1), handed_on),
        "remove_transpose": (Pattern.trace(lambda t: crt.transpose(t[0], [0, 1]), 1), handed_on),
    }
    return [transforms.rewrite(f"python_{name}", *rules[name]) for name in RULES[case]]


def text_rules(texts: dict[str, str], case: str) -> Any:
    from clika_runtime.graph import Transform

    return [Transform.from_pdl(f"text_{name}", texts[name]) for name in RULES[case]]


def by_rules(rules: Callable[[str], Any]) -> Clika:
    """A user's rules; what no rule can say, as that two nodes are the same, is left to the runtime's own."""
    lists = {case: lambda case=case: rules(case) for case in RULES}
    lists["cleanup"] = lambda: [*rules("cleanup"), *runtime("remove_duplicates", "remove_unused")]
    return Clika(lists)


def runtime(*names: str) -> Any:
    from clika_runtime.graph import transforms

    return [transforms.get(name) for name in names]


def tidying() -> Any:
    from clika_runtime.graph import transforms

    return transforms.cleanup()


class Onnxscript:
    """onnxscript on its ir.Model. Timed: rewriter.rewrite() with the case's rules, and for cleanup two passes after it."""

    def load(self, path: str, case: str) -> None:
        import onnx_ir
        from onnxscript import rewriter

        self.ir, self.proto = onnx_ir, onnx.load(path)
        self.rules = self.rules_of(case)
        passes = onnx_ir.passes.common
        after = [passes.CommonSubexpressionEliminationPass(), passes.RemoveUnusedNodesPass()] if case == "cleanup" else []

        def call(model: Any) -> None:
            rewriter.rewrite(model, self.rules)
            for each in after:
                each(model)

        self.call = call

    @staticmethod
    def rules_of(case: str) -> Any:
        from onnxscript.rewriter import pattern

        def norm(op: Any, x: Any, scale: Any) -> Any:
            root = op.Sqrt(op.Add(op.ReduceMean(op.Pow(x, 2.0), [-1], keepdims=1), EPSILON))
            return op.Mul(op.Div(x, root), scale)

        def fused(op: Any, x: Any, scale: Any) -> Any:
            return op.RMSNormalization(x, scale, axis=-1, epsilon=EPSILON)

        if case == "fusion":
            return [pattern.RewriteRule(norm, fused)]
        rules = [pattern.RewriteRule(lambda op, x: op.Identity(x), lambda op, x: x)]
        if case == "cleanup":
            rules += [pattern.RewriteRule(lambda op, x: op.Mul(x, 1.0), lambda op, x: x),
                      pattern.RewriteRule(lambda op, x: op.Transpose(x, perm=[0, 1]), lambda op, x: x)]  # fmt: skip
        return rules

    def copy(self) -> Any:
        return self.ir.from_proto(self.proto)

    def rewrite(self, model: Any) -> Any:
        self.call(model)
        return model

    def counts(self, model: Any) -> collections.Counter[str]:
        return collections.Counter(node.op_type for node in model.graph)

    def run(self, model: Any, array: np.ndarray) -> np.ndarray:
        return onnx_run(self.ir.to_proto(model), array)


class OnnxscriptOptimizer(Onnxscript):
    """Timed: optimizer.optimize() with its own list of rules and passes."""

    def load(self, path: str, case: str) -> None:
        from onnxscript import optimizer

        if case != "cleanup":
            raise CannotDo("is no single rule")
        super().load(path, case)
        self.call = optimizer.optimize


class OnProto:
    """A library that turns a ModelProto in memory into another one."""

    def load(self, path: str, case: str) -> None:
        self.proto, self.call = onnx.load(path), self.prepared(case)

    def prepared(self, case: str) -> Callable[[onnx.ModelProto], onnx.ModelProto]:
        raise NotImplementedError

    def copy(self) -> onnx.ModelProto:
        fresh = onnx.ModelProto()
        fresh.CopyFrom(self.proto)
        return fresh

    def rewrite(self, model: onnx.ModelProto) -> onnx.ModelProto:
        return self.call(model)

    def counts(self, model: onnx.ModelProto) -> collections.Counter[str]:
        return collections.Counter(node.op_type for node in model.graph.node)

    def run(self, model: onnx.ModelProto, array: np.ndarray) -> np.ndarray:
        return onnx_run(model, array)


class Onnxoptimizer(OnProto):
    """Timed: optimize() with the passes that the case is about."""

    def prepared(self, case: str) -> Callable[[onnx.ModelProto], onnx.ModelProto]:
        import onnxoptimizer

        if case == "fusion":
            raise CannotDo("its passes are fixed: it takes no rule of a user's")
        passes = ["eliminate_identity"]
        if case == "cleanup":
            passes += ["eliminate_nop_transpose", "eliminate_nop_with_unit", "eliminate_common_subexpression", "eliminate_deadend",
                       "eliminate_unused_initializer"]  # fmt: skip
        return lambda model: onnxoptimizer.optimize(model, passes)


class Onnxsim(OnProto):
    """Timed: simplify(), for the single rewrites without what else it does as far as that can be turned off."""

    def prepared(self, case: str) -> Callable[[onnx.ModelProto], onnx.ModelProto]:
        import onnxsim

        if case == "cleanup":
            return lambda model: onnxsim.simplify(model)[0]
        off: dict[str, Any] = {"skip_constant_folding": True, "skip_shape_inference": True}
        if case == "fusion":
            off |= {"perform_optimization": False, "function_rewrite_rules": [self.fusion()]}
        return lambda model: onnxsim.simplify(model, **off)[0]

    @staticmethod
    def function(name: str, inputs: list[str], text: str) -> onnx.FunctionProto:
        source = f'<domain: "benchmark", opset_import: ["" : 23]>\n{name} ({", ".join(inputs)}) => (y) {{\n{text}\n}}'
        return onnx.parser.parse_function(source)

    def fusion(self) -> tuple[onnx.FunctionProto, onnx.FunctionProto]:
        norm = self.function("norm", ["x", "two", "axes", "epsilon", "scale"], """
            square = Pow(x, two)
            mean = ReduceMean<keepdims = 1>(square, axes)
            sum = Add(mean, epsilon)
            root = Sqrt(sum)
            quotient = Div(x, root)
            y = Mul(quotient, scale)""")  # fmt: skip
        return norm, self.function("fused", ["x", "two", "axes", "epsilon", "scale"],
                                   f"y = RMSNormalization<axis = -1, epsilon = {EPSILON:f}>(x, scale)")  # fmt: skip


RULES = {"fusion": ["fuse_rms_norm"], "identity": ["remove_identity"],
         "cleanup": ["remove_identity", "remove_times_one", "remove_transpose"]}  # fmt: skip
PDL = {"fuse_rms_norm": PDL_FUSION, "remove_identity": PDL_IDENTITY, "remove_times_one": PDL_TIMES_ONE,
       "remove_transpose": PDL_TRANSPOSE}  # fmt: skip
PDLL = {"fuse_rms_norm": PDLL_FUSION, "remove_identity": PDLL_IDENTITY, "remove_times_one": PDLL_TIMES_ONE,
        "remove_transpose": PDLL_TRANSPOSE}  # fmt: skip

CONTENDERS: dict[str, Callable[[str], Any]] = {
    "ClikaRT, C++ rule": lambda library: by_rules(lambda case: registered(library, case)),
    "ClikaRT, Python rule": lambda library: by_rules(python_rules),
    "ClikaRT, PDL rule": lambda library: by_rules(lambda case: text_rules(PDL, case)),
    "ClikaRT, PDLL rule": lambda library: by_rules(lambda case: text_rules(PDLL, case)),
    "ClikaRT, its own transforms": lambda library: Clika({"fusion": lambda: runtime("decomposed_rms_norm"),
                                                         "identity": lambda: runtime("remove_identity"), "cleanup": tidying}),
    "onnxscript": lambda library: Onnxscript(),
    "onnxscript, optimize()": lambda library: OnnxscriptOptimizer(),
    "onnxoptimizer": lambda library: Onnxoptimizer(),
    "onnxsim": lambda library: Onnxsim(),
}  # fmt: skip
