# A trace records a function as a graph, just as it is written; then one of the runtime's transforms rewrites it.
from clika_runtime.graph import transforms
from show import applied, mixer, text

graph = mixer()
print(text(graph))
report = graph.optimize([transforms.remove_double_neg()])
print(text(graph))
print(applied(report), "in", report.iterations, "iterations")
