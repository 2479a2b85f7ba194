"""Ctrl-C while the engine is busy: acted on within about a second, and nothing of the call is left."""

import subprocess
import sys

import pytest

# Each program is interrupted in the middle of a call, and prints how long it took from there, in seconds of work and by the
# clock (which other processes may hold up).
HEAD = """
import os, signal, sys, threading, time
import numpy as np
import clika_runtime as crt
from clika_runtime.graph import OpCode, Transform, transforms

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job starts with it ignored

def interrupted_after(seconds, prepared):
    # `prepared()` gives the call, and a test that nothing changed. A machine may end the call before that time: it is made
    # again then, and interrupted earlier.
    call, unchanged = prepared()
    sent, ended = [], False
    def send():
        sent.extend([time.process_time(), time.monotonic()])
        os.kill(os.getpid(), signal.SIGINT)
    timer = threading.Timer(seconds, send)
    timer.start()
    try:
        call()
        ended = True
        timer.join()
        time.sleep(1)  # until the signal that was sent too late is raised
        print("the signal was lost")
    except KeyboardInterrupt:
        if ended:
            assert seconds > 0.001, "the call is too short to be interrupted"
            return interrupted_after(seconds / 2, prepared)
        print(f"{time.process_time() - sent[0]:.3f} {time.monotonic() - sent[1]:.3f}", flush=True)
    assert unchanged(), "the graph was changed"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler

def chain(n, op=lambda x: crt.relu(crt.neg(crt.add(crt.relu(x), 1.0)))):
    def model(x):
        x = x[0]
        for _ in range(n):
            x = op(x)
        return x
    return crt.trace(model, [crt.TensorSpec("x", crt.float32, ["n", 4])]).graph

def state(graph):
    return graph.to_mlir(), [node.name for node in graph.nodes()], graph.output_names()
"""

PROGRAMS = {
    # One entry over many nodes.
    "one_entry": """
def prepared():
    graph = chain(30000)
    before = state(graph)
    entries = [transforms.share_constants(), transforms.remove_redundant_relu()] * 20
    return lambda: graph.optimize(entries), lambda: state(graph) == before
interrupted_after(0.25, prepared)
""",
    # The default list, beside Python entries, whose run holds the GIL.
    "mixed_list": """
mine = Transform("mine", lambda g: None)
def prepared():
    graph = chain(30000)
    before = state(graph)
    return lambda: graph.optimize([mine, *graph.default_transforms()]), lambda: state(graph) == before
interrupted_after(0.25, prepared)
""",
    # The code that is profiled is made.
    "profile_compiles": """
x = np.ones((3, 4), np.float32)
graph = chain(3000)
graph.finalize(threads=1)
before = graph.run([x])[0].numpy().tolist()
def prepared():
    return lambda: graph.profile([x], runs=100_000), lambda: graph.run([x])[0].numpy().tolist() == before
interrupted_after(0.1, prepared)
""",
    # Its runs.
    "profile_runs": """
x = np.ones((3, 4), np.float32)
graph = chain(3000)
graph.finalize(threads=1)
before = graph.run([x])[0].numpy().tolist()
graph.profile([x], runs=1)
def prepared():
    return lambda: graph.profile([x], runs=100_000), lambda: graph.run([x])[0].numpy().tolist() == before
interrupted_after(0.3, prepared)
""",
    # One operator that takes seconds to fold.
    "fold": """
side = 6000
def prepared():
    global graph
    graph = crt.graph.ModelGraph()
    weights = [graph.add_constant(crt.tensor(np.ones((side, side), np.float32))) for _ in range(2)]
    graph.add_output(graph.add_node(OpCode.Matmul, weights).output(0), "y")
    names = [node.name for node in graph.nodes()]
    return (lambda: graph.optimize([transforms.fold_constants()], fold_limit=1 << 40),
            lambda: [node.name for node in graph.nodes()] == names)
interrupted_after(0.6, prepared)
assert graph.find_nodes(OpCode.Matmul)
os._exit(0)  # rather than wait for what is left behind
""",
    "finalize": """
def prepared():
    global graph
    graph = chain(3000)
    before = state(graph)
    return graph.finalize, lambda: state(graph) == before and not graph.is_finalized()
interrupted_after(0.5, prepared)
graph.find_nodes(OpCode.Relu)[-1].name
graph.rename_node(graph.nodes()[-1], "still_open")
""",
}


def run(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", HEAD + program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("name", PROGRAMS)
def test_ctrl_c(name):
    printed = run(PROGRAMS[name])
    work, clock = map(float, printed.split())
    assert work < 1.0 and clock < 15.0, printed


def test_a_handler_of_the_users_own_is_asked():
    """It raises nothing, so the run goes on to its end."""
    printed = run("""
calls = []
signal.signal(signal.SIGINT, lambda *_: calls.append(1))
graph = chain(20000)
threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
report = graph.optimize()
time.sleep(0.2)
print(calls, report.converged)
""")
    assert printed == "[1] True"


def test_a_caught_ctrl_c_ends_nothing():
    printed = run("""
def swallow(graph):
    try:
        signal.raise_signal(signal.SIGINT)
        time.sleep(1)
    except KeyboardInterrupt:
        pass

graph = chain(100)
report = graph.optimize([Transform("swallow", swallow), *graph.default_transforms()])
stages = []
graph.finalize(progress=lambda stage: stages.append(stage) if stages else swallow(stage) or stages.append(stage))
print(report.converged, graph.is_finalized(), len(stages) > 3)
""")
    assert printed == "True True True"


def test_other_threads_are_left_alone():
    printed = run("""
graph = chain(200)
done = []
thread = threading.Thread(target=lambda: done.append(graph.optimize().converged))
thread.start()
thread.join()
print(done)
""")
    assert printed == "[True]"
