# Whatever goes wrong inside optimize(), the graph is afterwards as it was before.
import threading

import clika_runtime as crt
from clika_runtime.graph import ModelGraph, OpCode, Transform, transforms
from show import mixer, text

graph = mixer()
before = text(graph)


class NoRoom(Exception):
    pass


@transforms.transform
def bypass_everything(g: ModelGraph) -> None:
    for node in g.find_nodes(OpCode.Neg):
        g.bypass_node(node)


@transforms.transform
def gives_up(g: ModelGraph) -> None:
    raise NoRoom(f"{len(g.nodes())} nodes are too many")


try:
    graph.optimize([bypass_everything, gives_up])
except NoRoom as error:   # the very object that was raised
    print("NoRoom:", error)
print("as before:", text(graph) == before)

# On its own graph a transform may edit and ask, but not start over.
for call in ("optimize", "finalize"):
    try:
        graph.optimize([Transform(f"calls_{call}", lambda g: getattr(g, call)() and None)])
    except crt.InvalidArgumentError as error:
        print(error.code_name, "|", error)


# Nor may another thread edit the graph meanwhile.
@transforms.transform
def edits_from_a_thread(g: ModelGraph) -> None:
    def edit() -> None:
        try:
            g.rename_input("gain", "volume")
        except crt.InvalidArgumentError as error:
            print(error.code_name, "| from another thread")

    thread = threading.Thread(target=edit)
    thread.start()
    thread.join()


graph.optimize([edits_from_a_thread])
print("as before:", text(graph) == before)
