# add_node makes one operator by its code: here a product with a reciprocal becomes a quotient.
import clika_runtime as crt
from clika_runtime.graph import ModelGraph, OpCode, transforms
from show import applied, text, vector


@transforms.transform
def reciprocal_to_div(graph: ModelGraph) -> None:
    for product in graph.find_nodes(OpCode.Mul):
        inverse = product.input(1).producer()
        if inverse is None or inverse.op_code != OpCode.Reciprocal:
            continue
        quotient = graph.add_node(OpCode.Div, [product.input(0), inverse.input(0)])
        graph.replace_all_uses_with(product.output(0), quotient.output(0))
        graph.remove_node(product)
        if inverse.out_degree() == 0:
            graph.remove_node(inverse)


graph = crt.trace(lambda inputs: [inputs[0] * crt.reciprocal(inputs[1])], [vector("a"), vector("b")],
                  output_names=["y"]).graph
print(text(graph))
print(applied(graph.optimize([reciprocal_to_div])))
print(text(graph))

# The op's own checks apply, settings have the names a node reports, and nothing is added where one fails.
a = graph.inputs()[0]
low = graph.add_node(OpCode.Clamp, [a], {"min": 0, "max": 1.5})
print(low.attributes)
for code, settings in ((OpCode.Clamp, {"floor": 0}), (OpCode.Topk, {})):
    try:
        graph.add_node(code, [a], settings)
    except crt.Error as error:
        print(error.code_name)
print(len(graph.find_nodes(OpCode.Clamp)), "Clamp")
