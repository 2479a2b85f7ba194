"""What a call of run() costs from Python beside the graph's work: medians over rounds, in microseconds."""

import statistics
import timeit

import numpy as np

import clika_runtime as crt


def microseconds(call, rounds=15, calls=5000):
    call()
    return statistics.median(timeit.repeat(call, number=calls, repeat=rounds)) / calls * 1e6


def main():
    graph = crt.trace(lambda x: crt.relu(x[0]), [crt.TensorSpec("x", crt.float32, [4])]).graph
    graph.finalize(threads=1)
    array = np.ones(4, np.float32)
    tensor, output = crt.tensor(array), crt.empty([4], crt.float32)
    print(f"run of a tensor       {microseconds(lambda: graph.run([tensor])):6.2f}")
    print(f"run of a NumPy array  {microseconds(lambda: graph.run([array])):6.2f}")
    print(f"run_into              {microseconds(lambda: graph.run_into([tensor], [output])):6.2f}")


if __name__ == "__main__":
    main()
