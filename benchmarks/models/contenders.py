"""Who takes part in bench_models.py: each reads an ONNX file, keeps inputs, and runs. Full precision, the settings that
its makers name for speed on CPUs, as many threads as asked for. The imports are part of making one, not of loading."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import time
import zlib
from typing import Any

import numpy as np


class Contender:
    def __init__(self, threads: int, cache: pathlib.Path) -> None:
        """`cache` keeps what takes long to compile."""
        self.threads, self.cache = threads, cache

    def load(self, path: str) -> dict[str, float]:
        """Makes the model ready to run; parts of it that are of interest, in seconds."""
        raise NotImplementedError

    def feed(self, arrays: list[np.ndarray]) -> None:
        """Keeps the inputs where call() reads them without a copy."""
        raise NotImplementedError

    def call(self) -> Any:
        """One run; what outputs() takes."""
        raise NotImplementedError

    def outputs(self, result: Any) -> list[np.ndarray]:
        return [np.asarray(each) for each in result]


class Clika(Contender):
    precision = "full"

    def __init__(self, threads: int, cache: pathlib.Path) -> None:
        super().__init__(threads, cache)
        import clika_runtime

        self.crt = clika_runtime

    def load(self, path: str) -> dict[str, float]:
        times = [time.perf_counter()]
        self.graph = self.crt.graph.ModelGraph.from_onnx(path)
        times.append(time.perf_counter())
        self.graph.optimize()
        times.append(time.perf_counter())
        self.graph.finalize(threads=self.threads, precision=self.precision)
        times.append(time.perf_counter())
        return {name: end - start for name, start, end in zip(("read", "optimize", "finalize"), times, times[1:])}

    def feed(self, arrays: list[np.ndarray]) -> None:
        self.inputs = [self.crt.tensor(array) for array in arrays]

    def call(self) -> Any:
        return self.graph.run(self.inputs)

    def outputs(self, result: Any) -> list[np.ndarray]:
        return [each.numpy() for each in result]

    def save(self, path: str) -> None:
        self.graph.save(path)


class ClikaRelaxed(Clika):
    precision = "relaxed"


class ClikaSaved(Clika):
    """The same from the file that save() wrote."""

    def load(self, path: str) -> dict[str, float]:
        self.graph = self.crt.graph.ModelGraph.load(path)
        return {}


class OnnxRuntime(Contender):
    """Its defaults: every optimization of graphs, threads that spin."""

    optimized = True

    def __init__(self, threads: int, cache: pathlib.Path) -> None:
        super().__init__(threads, cache)
        import onnxruntime

        self.ort = onnxruntime

    def load(self, path: str) -> dict[str, float]:
        options = self.ort.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = self.threads, 1
        options.log_severity_level = 3
        if not self.optimized:
            options.graph_optimization_level = self.ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        self.session = self.ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        return {}

    def feed(self, arrays: list[np.ndarray]) -> None:
        self.inputs = {value.name: array for value, array in zip(self.session.get_inputs(), arrays, strict=True)}

    def call(self) -> Any:
        return self.session.run(None, self.inputs)


class Reference(OnnxRuntime):
    """ONNX Runtime without its rewriting of graphs: the numbers that all are compared with. It is not timed."""

    optimized = False


class OpenVino(Contender):
    """The hint for latency, f32, inputs in place."""

    def __init__(self, threads: int, cache: pathlib.Path) -> None:
        super().__init__(threads, cache)
        import openvino

        self.ov = openvino

    def load(self, path: str) -> dict[str, float]:
        settings = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": self.threads, "NUM_STREAMS": 1,
                    "PERFORMANCE_HINT": "LATENCY"}  # fmt: skip
        self.request = self.ov.Core().compile_model(path, "CPU", settings).create_infer_request()
        return {}

    def feed(self, arrays: list[np.ndarray]) -> None:
        self.inputs = arrays  # which the tensors refer to
        for i, array in enumerate(arrays):
            self.request.set_input_tensor(i, self.ov.Tensor(array, shared_memory=True))

    def call(self) -> Any:
        self.request.infer()

    def outputs(self, result: Any) -> list[np.ndarray]:
        count = len(self.request.model_outputs)
        return [np.array(self.request.get_output_tensor(i).data) for i in range(count)]


class Torch(Contender):
    """torch.compile of the model that onnx2torch reads, its weights frozen, its constant sizes and scalars literal."""

    def __init__(self, threads: int, cache: pathlib.Path) -> None:
        super().__init__(threads, cache)
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(cache / "inductor")
        import literals
        import onnx2torch
        import torch
        import torch._inductor.config

        self.torch, self.read = torch, lambda path: literals.with_literals(onnx2torch.convert(path).eval())
        torch._inductor.config.freezing = True
        torch.set_num_threads(threads)
        torch.set_num_interop_threads(1)
        torch.set_float32_matmul_precision("highest")

    def load(self, path: str) -> dict[str, float]:
        self.model = self.torch.compile(self.read(path))
        return {}

    def feed(self, arrays: list[np.ndarray]) -> None:
        self.inputs = [self.torch.from_numpy(array) for array in arrays]
        self.call()  # compiles

    def call(self) -> Any:
        with self.torch.no_grad():
            return self.model(*self.inputs)

    def outputs(self, result: Any) -> list[np.ndarray]:
        return [each.numpy() for each in (result if isinstance(result, (list, tuple)) else [result])]


class Iree(Contender):
    """Compiled for this CPU, with the options that were found to make convolutions and products fast, among them one that
    lets kernels have more than 32 KiB of stack, without which it refuses models; one thread runs without a pool."""

    options = ("--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3", "--iree-opt-data-tiling", "--iree-llvmcpu-enable-ukernels=all",
               "--iree-global-opt-use-im2col-for-convs", "--iree-llvmcpu-stack-allocation-limit=65536")  # fmt: skip

    def __init__(self, threads: int, cache: pathlib.Path) -> None:
        super().__init__(threads, cache)
        import iree.compiler
        import iree.runtime

        self.compiler, self.runtime = iree.compiler, iree.runtime
        self.runtime.flags.parse_flags(f"--task_topology_max_group_count={threads}")

    def load(self, path: str) -> dict[str, float]:
        program = self.cache / f"{pathlib.Path(path).stem}_{zlib.crc32(repr(self.options).encode()):08x}.vmfb"
        if not program.exists():
            text = program.with_suffix(".mlir")
            imported = subprocess.run([sys.executable, "-m", "iree.compiler.tools.import_onnx", path, "-o", text, "--opset-version", "17"],
                                      capture_output=True, text=True)  # fmt: skip
            if imported.returncode != 0:
                raise RuntimeError(f"import: {imported.stderr.strip().splitlines()[-1]}")
            unfinished = f"{program}.part"
            try:
                self.compiler.compile_file(str(text), output_file=unfinished, target_backends=["llvm-cpu"], extra_args=list(self.options))
            finally:
                text.unlink()
            os.replace(unfinished, program)
        config = self.runtime.Config("local-sync" if self.threads == 1 else "local-task")
        module = self.runtime.VmModule.mmap(config.vm_instance, str(program))
        self.device = config.device
        names = [name for name in module.function_names if not name.startswith("__") and not name.endswith("$async")]
        self.function = self.runtime.load_vm_module(module, config)[names[0]]
        return {}

    def feed(self, arrays: list[np.ndarray]) -> None:
        self.inputs = [self.runtime.asdevicearray(self.device, array) for array in arrays]

    def call(self) -> Any:
        return self.function(*self.inputs)

    def outputs(self, result: Any) -> list[np.ndarray]:
        return [each.to_host() for each in (result if isinstance(result, (list, tuple)) else [result])]


CONTENDERS: dict[str, type[Contender]] = {
    "ClikaRT": Clika,
    "ClikaRT, relaxed": ClikaRelaxed,
    "ClikaRT, saved": ClikaSaved,
    "ONNX Runtime": OnnxRuntime,
    "OpenVINO": OpenVino,
    "torch.compile": Torch,
    "IREE": Iree,
    "reference": Reference,
}
