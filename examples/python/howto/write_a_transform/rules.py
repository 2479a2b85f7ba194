# A rule is a pattern and what takes an occurrence's place. A match tells the nodes, and what crosses its border.
import clika_runtime as crt
from clika_runtime.graph import OpCode, Pattern, RewriteMatch, transforms
from show import applied, expression, mixer, text

borders: list[str] = []


@transforms.rule(Pattern.chain([OpCode.Neg, OpCode.Abs]))
def abs_of_neg(match: RewriteMatch, tensors: list[crt.Tensor]) -> crt.Tensor:
    codes = " -> ".join(node.op_code.name for node in match.nodes)
    borders.append(f"{codes} over {expression(match.inputs[0])}, {len(match.outputs)} value read outside")
    return crt.abs(tensors[0])


graph = mixer()
print(text(graph))
report = graph.optimize([abs_of_neg])
print(*borders, sep="\n")
print(text(graph))
print(applied(report), "| rewrites:", report.transforms[0].rewrites)
