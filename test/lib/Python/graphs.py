"""Small graphs that several tests use."""

import numpy as np

import clika_runtime as crt


def traced(fn, *shapes, outputs=None, dtype=crt.float32):
    """The graph of `fn` over inputs x0, x1 … of the given shapes."""
    specs = [crt.TensorSpec(f"x{i}", dtype, shape) for i, shape in enumerate(shapes or [[2, 3]])]
    return crt.trace(fn, specs, output_names=outputs).graph


def relu_chain(length):
    def fn(inputs):
        value = inputs[0]
        for _ in range(length):
            value = crt.relu(value)
        return value

    return traced(fn)


def formula(value):
    producer = value.producer()
    if producer is None:
        return "c"
    if producer.kind == crt.graph.NodeKind.Input:
        return producer.name
    return f"{producer.op_code.name}({', '.join(formula(read) for read in producer.inputs)})"


def formulas(graph):
    return [formula(value) for value in graph.outputs()]


def both(fn, *arrays):
    """What `fn` computes eagerly, checked to equal what it computes in a graph."""
    eager = fn(*map(crt.tensor, arrays)).numpy()
    specs = [crt.TensorSpec(f"x{i}", array.dtype, array.shape) for i, array in enumerate(arrays)]
    graph = crt.trace(lambda inputs: fn(*inputs), specs).graph
    graph.finalize()
    (compiled,) = graph.run(list(arrays))
    assert compiled.numpy().dtype == eager.dtype and np.array_equal(compiled.numpy(), eager, equal_nan=True)
    return eager
