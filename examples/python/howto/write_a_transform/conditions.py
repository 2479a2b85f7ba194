# A condition sees every occurrence that can be replaced: not one whose nodes went, not one that is not convex.
import clika_runtime as crt
from clika_runtime.graph import OpCode, Pattern, RewriteMatch, transforms
from show import applied, text, vector

# Div(v, c): a quotient by a constant that is one number.
quotient = Pattern()
quotient.add_node(OpCode.Div)
asked: list[float | None] = []


def power_of_two(match: RewriteMatch) -> bool:
    divisor = match.nodes[0].input(1).constant_scalar()
    asked.append(divisor)
    return divisor is not None and abs(divisor) in (0.25, 0.5, 2.0, 4.0)   # its reciprocal is exact


def halves(inputs: list[crt.Tensor]) -> list[crt.Tensor]:
    return [inputs[0] / 2.0 + inputs[0] / 3.0 + inputs[0] / inputs[1]]


def times_reciprocal(match: RewriteMatch, tensors: list[crt.Tensor]) -> crt.Tensor:
    return tensors[0] * (1.0 / match.nodes[0].input(1).constant_scalar())


graph = crt.trace(halves, [vector("x"), vector("y")], output_names=["z"]).graph
exact = transforms.rewrite("div_to_mul", quotient, times_reciprocal, power_of_two)
report = graph.optimize([exact])
print(text(graph))
print(applied(report), "| asked about", sorted(asked, key=str))

# Abs and Mul are not convex here: between them lies an Exp that is no part of the pattern.
around = Pattern()
inner = around.add_node(OpCode.Abs)
outer = around.add_node(OpCode.Mul)
around.add_edge(inner, outer)
calls: list[RewriteMatch] = []


def loop(inputs: list[crt.Tensor]) -> list[crt.Tensor]:
    size = crt.abs(inputs[0])
    return [size * crt.exp(size)]


looped = crt.trace(loop, [vector("x")], output_names=["y"]).graph
never = transforms.rewrite("abs_mul", around, lambda match, tensors: tensors[0], lambda match: bool(calls.append(match)))
row = looped.optimize([never]).transforms[0]
print(text(looped))
print("occurrences", row.occurrences, "skipped", row.skipped, "declined", row.declined, "asked", len(calls))
nodes = [looped.find_nodes(code)[0] for code in (OpCode.Abs, OpCode.Mul)]
print("convex:", looped.is_convex(nodes))
