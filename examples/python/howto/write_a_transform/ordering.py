# A transform that needs another one's result says so, and a list that would run them the other way is refused.
import clika_runtime as crt
from clika_runtime.graph import ModelGraph, OpCode, transforms
from show import applied, mixer, text


@transforms.transform("single_abs", runs_after=[transforms.remove_double_neg()])
def keep_one_abs(graph: ModelGraph) -> None:
    """Bypasses an Abs over an Abs."""
    for node in graph.find_nodes(OpCode.Abs):
        below = node.input(0).producer()
        if below is not None and below.op_code == OpCode.Abs:
            graph.bypass_node(node)


graph = mixer()
try:
    graph.optimize([keep_one_abs, transforms.remove_double_neg()])
except crt.InvalidArgumentError as error:
    print(error.code_name)
    print(error)
print("untouched:", text(graph))
print(applied(graph.optimize([transforms.remove_double_neg(), keep_one_abs])))
print(applied(graph.optimize([keep_one_abs])), "(alone, it may stand anywhere)")
