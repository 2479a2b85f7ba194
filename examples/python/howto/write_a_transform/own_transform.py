# A transform is a function over the graph's edits. This one knows that |-v| is |v|; beside it runs one that only looks.
from collections import Counter

from clika_runtime.graph import ModelGraph, OpCode, Transform, transforms
from show import applied, mixer, text

seen: list[int] = []


@transforms.transform
def count_negs(graph: ModelGraph) -> None:
    seen.append(Counter(node.op_code for node in graph.nodes())[OpCode.Neg])


def drop_negs_under_abs(graph: ModelGraph) -> None:
    for neg in graph.find_nodes(OpCode.Neg):
        if all(user.op_code == OpCode.Abs for user in neg.output(0).users()):
            graph.bypass_node(neg)   # the Abs reads what the Neg read


graph = mixer()
unsigned = Transform("drop_negs_under_abs", drop_negs_under_abs)
report = graph.optimize([count_negs, unsigned])
print(text(graph))
print(applied(report))
print("Negs at the start of each iteration:", seen)
print("the report holds the handle given:", report.transforms[1].transform == unsigned)
