// The stages of the CPU compiler, in the order in which `compile` runs them.
#ifndef CLIKA_PIPELINES_PASSES
#define CLIKA_PIPELINES_PASSES
include "mlir/Pass/PassBase.td"

def PropagateLayout : Pass<"clika-propagate-layout", "::mlir::ModuleOp"> {
  let summary = "Move element-wise work, pads and joins before the transpositions of what they read";
  let description = [{
    A convolution works with its channels last, and so its lowering transposes on both sides. Ops between two of them
    work in either order of dimensions, and transpositions that meet cancel: they stay at the edges alone.

    ```mlir
    %t = linalg.transpose ins(%x : tensor<1x8x8x3xf32>) outs(%e : tensor<1x3x8x8xf32>) permutation = [0, 3, 1, 2]
    %p = tensor.pad %t low[0, 0, 1, 1] high[0, 0, 1, 1] ... : tensor<1x3x8x8xf32> to tensor<1x3x10x10xf32>
    // becomes
    %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] ... : tensor<1x8x8x3xf32> to tensor<1x10x10x3xf32>
    %t = linalg.transpose ins(%p : tensor<1x10x10x3xf32>) outs(%e : tensor<1x3x10x10xf32>) permutation = [0, 3, 1, 2]
    ```

    An op that also reads whole tensors which are not transposed alike stays where it is.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def ByteProducts : Pass<"clika-byte-products", "::mlir::ModuleOp"> {
  let summary = "Multiply bytes where an int32 product or convolution is of widened ones";
  let description = [{
    Where both inputs are bytes less a zero point, each result is the sum of the bytes' products, corrected by the sums
    of either's bytes: Σ(a - p)(b - q) = Σab - p·Σb - q·(Σa - n·p). The left bytes are read as unsigned ones and the
    right as signed ones, which moves their zero points by 128. The weight lies in panels as wide as a register tile, in
    groups of four along the summed axis, with zeros for what is missing.

    ```mlir
    %a = linalg.generic ... { arith.extui %in : i8 to i32 } : tensor<8x64xi32>
    %b = linalg.generic ... { arith.extsi %in : i8 to i32 } : tensor<64x32xi32>
    %c = linalg.matmul ins(%a, %b : tensor<8x64xi32>, tensor<64x32xi32>) outs(%zeros : tensor<8x32xi32>)
    // becomes
    %x = tensor.expand_shape %bytesOfA ... : tensor<8x64xi8> into tensor<8x16x4xi8>
    %c = linalg.generic ins(%x, %panels : tensor<8x16x4xi8>, tensor<1x16x32x4xi8>) outs(%zeros : tensor<8x1x32xi32>)
         attrs = {clika.byte_product, clika.contraction} { the sum of unsigned bytes times signed bytes }
    ```

    Where the runtime compiles a graph, the panels of a constant weight and its sums are made once. A convolution of each
    channel's own, which has no groups, reads bytes that are moved and padded as bytes, and widens them in its body.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def PrepareTensors : Pass<"clika-prepare-tensors", "::mlir::ModuleOp"> {
  let summary = "Inline, simplify and fuse element-wise work in linalg on tensors";
  let description = [{
    Leaves one function `main`. Scalar ops on tensors become `linalg.generic`, a concatenation becomes insertions,
    and an element-wise op goes into its only reader unless that would repeat its work:

    ```mlir
    %0 = math.absf %x : tensor<4xf32>
    %1 = arith.addf %0, %y : tensor<4xf32>
    // becomes one linalg.generic with both ops in its body
    ```
  }];
}

def BufferizeMain : Pass<"clika-bufferize", "::mlir::ModuleOp"> {
  let summary = "Turn tensors into buffers; inputs of `main` are never written";
}

def TileAndVectorize : Pass<"clika-tile-and-vectorize", "::mlir::ModuleOp"> {
  let summary = "Emit linalg ops on buffers as loops around vectorized register tiles";
  let description = [{
    A reduction keeps its tile of results in registers through all of its reduction loops; the fill before it and the
    element-wise op after it become the tile's start and end. Rows are summed in 32 partial sums by index mod 32 and a
    halving tree; all other sums are in ascending order. An op with a body that has no vector form is left to plain loops,
    and bears the reason as the text `clika.fallback`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def PlanBuffers : Pass<"clika-plan-buffers", "::mlir::ModuleOp"> {
  let summary = "Give every buffer its memory and turn `main` into the program's entry";
  let description = [{
    A buffer that is returned is allocated by the caller's sink; buffers of static size share one block by lifetime, the
    rest comes from the runtime's arena. `main` becomes `clika_entry(inputs, sizes, planned, result_sizes)`, and the
    attribute `clika.planned_bytes` of the module holds the size of the block.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def MarkRest : Pass<"clika-mark-rest", "::mlir::ModuleOp"> {
  let summary = "In a module to be profiled, mark what the entry does itself: copies, and loops without kernels";
  let description = [{
    The stage tile-and-vectorize marks the kernels. Does nothing where the module lacks the attribute `clika.profile`.

    ```mlir
    linalg.copy ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
    // becomes, with a row ["copy"] in the module's attribute `clika.profile_rows`
    llvm.call @clika_rt_profile_begin(%row, %flops, %bytes) : (i64, i64, i64) -> ()
    linalg.copy ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
    llvm.call @clika_rt_profile_end(%row) : (i64) -> ()
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect"];
}

def LaunchParallel : Pass<"clika-launch-parallel", "::mlir::ModuleOp"> {
  let summary = "Turn calls of kernels over all of their range into calls of the runtime, which shares it among threads";
  let description = [{
    The arguments go through a record in memory, which a function made for each kernel reads:

    ```mlir
    func.call @clika_kernel_0_range(%x, %c0, %blocks, %cost) {clika.parallel = 0 : i64} : ...
    // becomes
    llvm.call @clika_rt_parallel(%function, %record, %blocks, %cost) : (!llvm.ptr, !llvm.ptr, i64, i64) -> ()
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect"];
}

def ExpandConversions : Pass<"clika-expand-conversions", "::mlir::ModuleOp"> {
  let summary = "Write half-precision conversions as integer arithmetic where the CPU has none that rounds right";
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandMath : Pass<"clika-expand-math", "::mlir::ModuleOp"> {
  let summary = "Write elementary functions of f32 as arithmetic, and call the C library element by element for the rest";
  let description = [{
    Works on scalars and on vectors of any shape, with one formula for both:

    ```mlir
    %0 = math.exp %x : vector<16xf32>
    // becomes multiplications, additions and integer arithmetic on vector<16xf32>
    ```

    Where an element of a sine or cosine is huge, a branch makes the exact reduction; run the pass after vectorization.
  }];
  let options = [
    Option<"fma", "fma", "bool", "false", "Whether the target has a fused multiply-add, as `clika.fused_multiply_add` on the module says too">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def LowerToLLVM : Pass<"clika-lower-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lower buffers, loops, vectors and scalars to the LLVM dialect";
  let description = [{
    A linalg op that is still there becomes a plain loop nest. A failed `cf.assert` ends the invocation with its message.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect", "::mlir::math::MathDialect",
                           "::mlir::cf::ControlFlowDialect", "::mlir::affine::AffineDialect"];
}
#endif
