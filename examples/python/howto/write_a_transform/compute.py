# The default list with a rule at its end, then compiled and run, against NumPy and against the graph left alone.
import clika_runtime as crt
import numpy as np
from clika_runtime.graph import OpCode, Pattern, transforms
from show import mixer, text


@transforms.rule(Pattern.chain([OpCode.Neg, OpCode.Abs]))
def abs_of_neg(match, tensors):
    return crt.abs(tensors[0])


plain, rewritten = mixer(), mixer()
rewritten.optimize(rewritten.default_transforms() + [abs_of_neg])
print(text(rewritten))
for graph in (plain, rewritten):
    graph.finalize()

signal = np.array([-1.5, 0.0, 2.0, -4.0], np.float32)
gain = np.array([2.0, 1.0, 0.5, -1.0], np.float32)
(y,) = rewritten.run([crt.tensor(signal), crt.tensor(gain)])
(same,) = plain.run({"gain": gain, "signal": signal})   # by name, and NumPy arrays serve too
print(y.numpy().tolist())
print("as NumPy:", np.array_equal(y.numpy(), np.abs(signal) * gain + np.abs(signal)))
print("as without transforms:", np.array_equal(y.numpy(), same.numpy()))
try:
    rewritten.optimize()
except crt.InvalidArgumentError as error:
    print(error.code_name, "| a finalized graph takes no edits")
