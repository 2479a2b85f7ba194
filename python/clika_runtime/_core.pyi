from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import IntEnum
from os import PathLike
from types import EllipsisType
from re import Pattern as _Expression
from typing import Any, ClassVar, Literal, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ._op_code import OpCode
from ._stage import Fallback, FinalizeStage
from .graph._pattern_transform import PatternTransform

__version__: str

_Number: TypeAlias = bool | int | float | np.number[Any] | np.bool_
_Operand: TypeAlias = Tensor | _Number | NDArray[Any]
_Data: TypeAlias = _Operand | list[Any] | tuple[Any, ...]
_Key: TypeAlias = SupportsIndex | slice | EllipsisType | None | Tensor | NDArray[Any] | list[int]
_DType: TypeAlias = DataType | str | DTypeLike
_Setting: TypeAlias = _Number | str | Sequence[int] | DataType | None
_AnyTransform: TypeAlias = Transform | PatternTransform
_Choice: TypeAlias = Literal[False] | Device | str | _Expression[str] | Sequence[str | _AnyTransform]
_TraceFunction: TypeAlias = Callable[[list[Tensor]], Tensor | Sequence[Tensor]]

class Status(IntEnum):
    """The kinds of failure: `Error.status`, and the exception class that goes with each.

    `InvalidArgument` (InvalidArgumentError): what was given is not allowed, or the graph is not in a state that serves
    the call. `NotFound` (NotFoundError): a removed node's handle, or an unknown name. `Unsupported` (UnsupportedError):
    something that the runtime does not serve. `OutOfMemory` (OutOfMemoryError). `Io` (IoError): a file could not be
    read or written. `Internal` (InternalError): a fault of the runtime itself.
    """
    InvalidArgument = 0
    NotFound = 1
    Unsupported = 2
    OutOfMemory = 3
    Io = 4
    Internal = 5

default_code_names: dict[Status, str]

def set_error_classes(classes: dict[str, type[Exception]]) -> None:
    """Hands over the exception classes by the names of the statuses, and "ArgumentType". For the package's own use."""

class DataType(IntEnum):
    """The type of a tensor's elements.

    Wherever the package takes a dtype it takes a member, its name in lower case (`"float32"`), or what `numpy.dtype`
    takes. The package has them by their short names too: `clika_runtime.float32` is `DataType.Float32`, and
    `clika_runtime.bool_` is `DataType.Bool`, a byte that holds 0 or 1. `BFloat16` is the upper half of a float32.
    """
    Bool = 0
    Int8 = 1
    Int16 = 2
    Int32 = 3
    Int64 = 4
    UInt8 = 5
    UInt16 = 6
    UInt32 = 7
    UInt64 = 8
    Float16 = 9
    BFloat16 = 10
    Float32 = 11
    Float64 = 12

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
    def numpy(self) -> np.dtype[Any]:
        """The `numpy.dtype` of these elements.

        Raises:
            UnsupportedError: of BFloat16, where the package ml_dtypes is not installed.
        """

def to_data_type(value: _DType, call: str) -> DataType:
    """The member that `value` stands for: a member, its name, or what `numpy.dtype` takes; errors begin with `call`.
    For the package's own use."""

class Device:
    """Where a tensor lives or a graph runs: a kind of device and its number. Graphs run on `Device("cpu")`; transforms
    may be written for any other. Devices of one kind and number are equal."""
    any: ClassVar[Device]
    """No device in particular: of a transform, that it suits every one; of a graph's `target_device`, that none is set.
    """
    def __init__(self, kind: str = "cpu", index: int = 0) -> None:
        """`Device()` is `Device("cpu", 0)`."""
    @property
    def kind(self) -> str:
        """The kind, as in "cpu"."""
    @property
    def index(self) -> int:
        """Which of the devices of that kind, counted from 0."""

class TensorSpec:
    """What a graph input looks like before there is a tensor for it: its name, element type and shape. Specs of equal
    content are equal; they can be hashed, copied and pickled."""
    def __init__(self, name: str, dtype: _DType, shape: Sequence[int | str | None]) -> None:
        """A spec of these.

        Args:
            name: The input's name.
            dtype: A DataType, its name, or what `numpy.dtype` takes.
            shape: A dimension each: a size (0 or more), a name (equal names are equal sizes), or None or -1 (a size
                known only at run time, for which the graph makes up a name). An empty shape is a scalar's.
        Raises:
            InvalidArgumentError: an empty name of a dimension, or a negative size.
        """
    @property
    def name(self) -> str:
        """The input's name."""
    @property
    def dtype(self) -> DataType:
        """The type of its elements."""
    @property
    def shape(self) -> tuple[int | str | None, ...]:
        """A size, a name or None per dimension, outermost first."""

class Tensor:
    """Data, or a value that a trace is recording. `clika_runtime.tensor` makes one from numbers and arrays.

    A *concrete* tensor is a handle of dense row-major data, which does not change; copies of the handle share it. NumPy
    (`numpy()`, `numpy.asarray`), DLPack and the buffer protocol read it without a copy. A *traced* one stands for a
    value of the graph being recorded: shape and dtype are known, and whatever reads its data (`item()`, `numpy()`,
    `bool(t)`) is an InvalidArgumentError that says so.

    Python's operators are the public ops: `+ - * / // % ** @`, comparisons (which give Bool tensors), `& | ^ ~`
    (logical on Bool, else bitwise), unary `-` and `abs()`. The other operand may be a number, which takes the tensor's
    dtype, or a NumPy array. `t[...]` takes ints, slices, `...`, None, and int32 or int64 tensors of indices, and
    `len()` and `iter()` go over the first dimension. Tensors are hashed by identity, since `==` compares elements.
    """
    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes, outermost first; of a traced tensor -1 where the size is not known yet."""
    @property
    def dtype(self) -> DataType:
        """The type of the elements."""
    @property
    def device(self) -> Device:
        """Where the data lives: `Device("cpu")`."""
    @property
    def ndim(self) -> int:
        """The number of dimensions, 0 of a scalar."""
    @property
    def size(self) -> int:
        """The number of elements.

        Raises:
            InvalidArgumentError: of a traced tensor with a size that is not known yet.
        """
    @property
    def is_traced(self) -> bool:
        """Whether it stands for a value that is being recorded, and so has no data."""
    def reshape(self, *shape: SupportsIndex | Sequence[SupportsIndex]) -> Tensor:
        """The same elements under another shape, given as one sequence or as sizes one by one. One size may be -1: it
        takes what the others leave. A concrete tensor's data is shared; of a traced one this records a Reshape.

        Raises:
            InvalidArgumentError: the sizes do not have the tensor's number of elements.
        """
    def item(self) -> Any:
        """The one element as a Python bool, int or float.

        Raises:
            InvalidArgumentError: the tensor is traced, or has another number of elements than one.
        """
    def numpy(self) -> NDArray[Any]:
        """A read-only array over the tensor's own memory, which it keeps alive; nothing is copied.

        Raises:
            InvalidArgumentError: the tensor is traced.
            UnsupportedError: the elements are BFloat16, and the package ml_dtypes is not installed.
        """
    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers; of rank 0 the number itself. BFloat16 needs no other package
        here.

        Raises:
            InvalidArgumentError: the tensor is traced.
        """
    __array_ufunc__: None
    def __array__(self, dtype: DTypeLike | None = None, *, copy: bool | None = None) -> NDArray[Any]: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __getitem__(self, key: _Key | tuple[_Key, ...]) -> Tensor: ...
    def __bool__(self) -> bool: ...
    def __float__(self) -> float: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...
    def __neg__(self) -> Tensor: ...
    def __abs__(self) -> Tensor: ...
    def __invert__(self) -> Tensor: ...
    def __add__(self, other: _Operand) -> Tensor: ...
    def __radd__(self, other: _Operand) -> Tensor: ...
    def __sub__(self, other: _Operand) -> Tensor: ...
    def __rsub__(self, other: _Operand) -> Tensor: ...
    def __mul__(self, other: _Operand) -> Tensor: ...
    def __rmul__(self, other: _Operand) -> Tensor: ...
    def __truediv__(self, other: _Operand) -> Tensor: ...
    def __rtruediv__(self, other: _Operand) -> Tensor: ...
    def __floordiv__(self, other: _Operand) -> Tensor: ...
    def __rfloordiv__(self, other: _Operand) -> Tensor: ...
    def __mod__(self, other: _Operand) -> Tensor: ...
    def __rmod__(self, other: _Operand) -> Tensor: ...
    def __pow__(self, other: _Operand) -> Tensor: ...
    def __rpow__(self, other: _Operand) -> Tensor: ...
    def __matmul__(self, other: _Operand) -> Tensor: ...
    def __rmatmul__(self, other: _Operand) -> Tensor: ...
    def __and__(self, other: _Operand) -> Tensor: ...
    def __rand__(self, other: _Operand) -> Tensor: ...
    def __or__(self, other: _Operand) -> Tensor: ...
    def __ror__(self, other: _Operand) -> Tensor: ...
    def __xor__(self, other: _Operand) -> Tensor: ...
    def __rxor__(self, other: _Operand) -> Tensor: ...
    def __eq__(self, other: _Operand) -> Tensor: ...  # type: ignore[override]
    def __ne__(self, other: _Operand) -> Tensor: ...  # type: ignore[override]
    def __lt__(self, other: _Operand) -> Tensor: ...  # type: ignore[misc]
    def __le__(self, other: _Operand) -> Tensor: ...  # type: ignore[misc]
    def __gt__(self, other: _Operand) -> Tensor: ...  # type: ignore[misc]
    def __ge__(self, other: _Operand) -> Tensor: ...  # type: ignore[misc]
    def __hash__(self) -> int: ...

def tensor_from_array(array: NDArray[Any], dtype: DataType) -> Tensor:
    """A tensor with a copy of a C-contiguous array whose elements are of `dtype`, or its bits. For the package's own
    use."""
def tensor_empty(shape: Sequence[int], dtype: _DType) -> Tensor:
    """A tensor without defined content: `clika_runtime.empty`. For the package's own use."""
def to_bfloat16_bits(array: NDArray[np.float64]) -> NDArray[np.uint16]:
    """The bits of bfloat16 that the elements of `array` round to, ties to even. For the package's own use."""
def bits_array(tensor: Tensor) -> NDArray[Any]:
    """A read-only array over the tensor's memory, BFloat16 as its bits in uint16. For the package's own use."""
def from_dlpack(x: Any) -> Tensor:
    """A tensor over the memory of an object with `__dlpack__`: `clika_runtime.from_dlpack`. For the package's own use.
    """
def call_op(code: int, operands: tuple[Any, ...], settings: tuple[Any, ...]) -> list[Tensor]:
    """Calls the op of a code over its operands and settings in the record's order; `clika_runtime.ops` has a function
    for each. For the package's own use."""
def call(callee: str, inputs: Any) -> list[Tensor]:
    """Records a call of a private function: `clika_runtime.call`. For the package's own use."""
def if_(condition: Any, then_fn: Callable[[], Any], else_fn: Callable[[], Any]) -> list[Tensor]:
    """Computes or records a branch: `clika_runtime.if_`. For the package's own use."""
def loop(
    trip_count: Any, condition: Any, carried: Sequence[Tensor], body: Callable[..., Any]
) -> tuple[list[Tensor], list[Tensor]]:
    """Computes or records a loop: `clika_runtime.loop`. For the package's own use."""
def to_tuple(value: Any, call: str, what: str) -> tuple[Any, ...]:
    """The entries of a sequence given to `call` as its argument `what`. For the package's own use."""
def is_operand(value: Any) -> bool:
    """Whether it is a number or a tensor, as Python's operators take them. For the package's own use."""
def set_op_codes(codes: type[OpCode]) -> None:
    """Hands over the class OpCode. For the package's own use."""

class NodeKind(IntEnum):
    """What a node of a graph is: `Input`, one of the graph's inputs, or `Operator`."""
    Input = 0
    Operator = 1

class Value:
    """What an input, a constant or an operator's output stands for in a graph.

    A small handle: it can be copied, compared and hashed, and stays good through every edit that keeps its node,
    through `optimize()` and through the undoing of a failed run. Once its node has gone, `is_valid()` is False and
    anything else asked of it raises NotFoundError.
    """
    def is_valid(self) -> bool:
        """Whether it stands for a value that is in its graph; it never raises."""
    def producer(self) -> Node | None:
        """The node that makes it: an Input node for a graph input, None for a constant."""
    def users(self) -> list[Node]:
        """The nodes that read it, each once, in the graph's order; a graph output is no node and so not among them."""
    @property
    def name(self) -> str:
        """The input's or constant's name, else the node's, with ":i" behind it where the node has several outputs."""
    @property
    def dtype(self) -> DataType:
        """The type of the elements."""
    @property
    def shape(self) -> tuple[int | str, ...]:
        """A size per dimension, outermost first; where a size depends on the inputs, an expression over the names of
        dimensions, as in `'batch * 2'`."""
    @property
    def device(self) -> Device:
        """Where it will live: the device that the graph runs on."""
    def is_graph_input(self) -> bool:
        """Whether it is an input of the graph."""
    def is_graph_output(self) -> bool:
        """Whether it is an output of the graph."""
    def is_constant(self) -> bool:
        """Whether it is a constant."""
    def constant(self) -> Tensor | None:
        """The data of a constant, without a copy; None of another value."""
    def constant_scalar(self) -> bool | int | float | None:
        """The number that every element of a constant equals; None where they differ, there are none, or it is an integer
        above 2**63 - 1, and of another value."""
    def is_constant_scalar(self, number: float, tolerance: float = 0.0) -> bool:
        """Whether it is a constant of which every element is a number, or near it.

        Args:
            number: What each should be; NaN is NaN.
            tolerance: How far off each may be, as a share of the larger of 1 and `abs(number)`; 0 or more.
        """
    def folded_constant(self) -> Tensor | None:
        """What it comes to whatever the inputs: the data of a constant, or what constants and known sizes make of it.
        None where it depends on more, takes over 16 MiB on the way, or cannot be computed here. Computed anew at each
        call; the graph stays as it is."""
    def out_degree(self) -> int:
        """How many ports and graph outputs read it, each counted, reads inside regions too."""
    def is_read_in_region(self) -> bool:
        """Whether an operator inside a region reads it from around that."""

class Node:
    """An input of a graph or an operator.

    A small handle: it can be copied, compared and hashed, and stays good through every edit that keeps the node (a new
    name too), through `optimize()` and through the undoing of a failed run. Once the node has gone, `is_valid()` is
    False and anything else asked of it raises NotFoundError.
    """
    def is_valid(self) -> bool:
        """Whether it stands for a node that is in its graph; it never raises."""
    @property
    def kind(self) -> NodeKind:
        """Whether it is an input of the graph or an operator."""
    @property
    def name(self) -> str:
        """Its name, unique in the graph."""
    @property
    def op_code(self) -> OpCode:
        """The operator's code; `OpCode.Input` of an input."""
    @property
    def inputs(self) -> list[Value]:
        """The operands present, in the op's order. `input(i)` goes by port, which differs where an operand was left
        out."""
    @property
    def outputs(self) -> list[Value]:
        """The values it makes."""
    @property
    def attributes(self) -> dict[str, Any]:
        """Every setting by name, those at their defaults included, as plain Python values."""
    # A required operand is there; of an optional one that was left out this is None.
    def input(self, i: int) -> Any:
        """The operand at port `i` of the op's order; None where an optional operand was left out.

        Raises:
            InvalidArgumentError: the op has no such port.
        """
    def output(self, i: int) -> Value:
        """The value it makes at port `i`; 0 is the one of most ops.

        Raises:
            InvalidArgumentError: the op has no such output.
        """
    def attribute(self, name: str) -> Any:
        """One setting by name, as a plain Python value; None where the op has no such setting, or the setting is none.
        """
    def fused_activation(self) -> str:
        """The name of the function that the operator applies to its result, as in `'Relu'`; `'Identity'` where it
        applies none."""
    def in_degree(self) -> int:
        """How many operands are present."""
    def out_degree(self) -> int:
        """How many ports and graph outputs read what it makes, each counted, reads inside regions too: an operator of 0
        can be removed."""
    def position(self) -> int:
        """Its place in the graph's `nodes()`, counted from 0; in a region or a function, its place among their
        operators. Counting costs what stands before it."""
    def region_count(self) -> int:
        """How many regions it has: the two branches of an If (then, else), the body of a Loop, else 0."""
    def region_nodes(self, i: int) -> list[Node]:
        """The operators of region `i`, in a topological order.

        Raises:
            InvalidArgumentError: the node has no such region.
        """
    def region_inputs(self, i: int) -> list[Value]:
        """What region `i` is given: of a loop's body the number of the iteration and the carried values.

        Raises:
            InvalidArgumentError: the node has no such region.
        """
    def region_outputs(self, i: int) -> list[Value]:
        """What region `i` hands out: of a loop's body the condition, where it has one, the next carried values, and
        what is kept.

        Raises:
            InvalidArgumentError: the node has no such region.
        """
    def captures(self) -> list[Value]:
        """The values that its regions read from around them, each once."""
    def owner(self) -> Node | None:
        """The operator in whose region it lies; None for a node of the graph itself."""
    def function(self) -> str | None:
        """The private function in which it lies; None for a node of the graph itself and of its regions."""

class Pattern:
    """Operators, one pattern node each, and the edges between them.

    An occurrence gives each pattern node a graph node of its own. The root is the pattern node that feeds no other;
    with several, the first added gives the order of the search. Rules (`transforms.rule`, `transforms.rewrite`) and
    `find_occurrences` take a pattern; one that has no node or is not connected is refused there.
    """
    def __init__(self, codes: Sequence[OpCode] | None = None) -> None:
        """`Pattern([OpCode.Add, OpCode.Relu])` is a chain; `Pattern()` has no node yet."""
    @staticmethod
    def chain(codes: Sequence[OpCode]) -> Pattern:
        """A straight line: output 0 of each operator feeds input 0 of the next."""
    def add_node(
        self,
        code: OpCode | Sequence[OpCode] | set[OpCode] | frozenset[OpCode] | None,
        *,
        optional: bool = False,
        commutative: bool = False,
        where: Callable[[Node], Any] | None = None,
    ) -> int:
        """Adds a pattern node and returns its number, which `add_edge` takes; numbers count from 0.

        Args:
            code: An OpCode, several of which any will do, or None for any operator.
            optional: The occurrence may lack it: its consumer then reads its producer. It has at most one edge in and
                one out.
            commutative: Its operands may come in any order.
            where: Asked of a graph node before it is taken, which goes on where it is true; it may not edit the graph.
        Raises:
            InvalidArgumentError: the code is Input or Constant, which no operator has.
        """
    def add_edge(self, from_node: int, to_node: int, from_port: int = 0, to_port: int | AnyOperand = 0) -> None:
        """Says that output `from_port` of one pattern node feeds input `to_port` of another.

        Args:
            from_node: The number of the producer.
            to_node: The number of the consumer.
            from_port: Which of the producer's outputs.
            to_port: Which of the consumer's inputs, or `clika_runtime.graph.any_operand`: any that no other edge names.
        Raises:
            InvalidArgumentError: the pattern has no such node, or another edge has the port.
        """
    @staticmethod
    def trace(
        fn: _TraceFunction,
        n_inputs: int,
        *,
        tolerance: float = 1e-5,
        commutative: bool = True,
        specs: Sequence[TensorSpec] | None = None,
    ) -> Pattern:
        """The pattern of what a function computes: the ops that it records are the pattern nodes, in the order of the
        calls.

        The function's inputs stand for any value, the same wherever it is read; settings and constants are as recorded.
        A match lists the values of the inputs first, one per input.

        Args:
            fn: A function over the public ops: a list of traced tensors in, the results out.
            n_inputs: How many tensors it is given.
            tolerance: How far a number may be from the recorded one, relative to that.
            commutative: The operands of ops for which it makes no difference may come in any order.
            specs: What the function is traced over, for ops that ask for it; None: Float32 matrices of one size.
                Occurrences may be of any shape and dtype.
        Raises:
            InvalidArgumentError: the function records no op, or leaves an input unread.
        """

class AnyOperand:
    """The type of `clika_runtime.graph.any_operand`, which stands for a port of `Pattern.add_edge`."""
    def __init__(self) -> None:
        """It equals no port; use `clika_runtime.graph.any_operand`."""

class Declined:
    """What a condition returns in the place of False to say why; reports and `why_not` show it. It is false."""
    def __init__(self, reason: str) -> None:
        """The reason may not be empty."""
    @property
    def reason(self) -> str:
        """Why the occurrence is declined."""
    def __bool__(self) -> Literal[False]: ...

class RewriteMatch:
    """One occurrence of a pattern, as conditions, replacements and `find_occurrences` have it."""
    # None stands only for an optional pattern node that the occurrence lacks.
    @property
    def nodes(self) -> list[Any]:
        """The graph's node of each pattern node, in the order they were added; None where an optional one is lacking.
        """
    @property
    def inputs(self) -> list[Value]:
        """The values it reads from outside, each once: nodes in the pattern's order, their ports ascending, constants
        included."""
    @property
    def outputs(self) -> list[Value]:
        """The values it makes that something outside reads or the graph returns, in the same order: what a replacement
        returns one tensor each for."""

class ExactnessKind(IntEnum):
    """How a transform may change results: `Exact` keeps every bit, `Bounded` stays within bounds that a proof gives,
    `Approximate` within bounds that are accepted."""
    Exact = 0
    Bounded = 1
    Approximate = 2

class Exactness:
    """How far a transform may change what a graph computes; `optimize(check=...)` holds it to this.

    A result a stands for b where |a - b| <= atol + rtol * |b|, with NaN and infinities in the same places. `Exact`
    keeps every bit, all NaNs being one value. In half precision, where one rounding can exceed them, both bounds count
    as at least 4 rounding units: 2^-9 in Float16, 2^-6 in BFloat16.
    """
    def __init__(self, kind: ExactnessKind, rtol: float = 0.0, atol: float = 0.0) -> None:
        """`Exactness.exact()`, `bounded()` and `approximate()` read better."""
    @staticmethod
    def exact() -> Exactness:
        """The same bits, all NaNs being one value."""
    @staticmethod
    def bounded(rtol: float, atol: float) -> Exactness:
        """Within `atol + rtol * |b|`, as is known of the rewrite."""
    @staticmethod
    def approximate(rtol: float, atol: float) -> Exactness:
        """Within `atol + rtol * |b|`, for a rewrite that computes something else on purpose. The default list holds
        none."""
    @property
    def kind(self) -> ExactnessKind:
        """Which of the three it is."""
    @property
    def rtol(self) -> float:
        """The relative bound; 0 for Exact."""
    @property
    def atol(self) -> float:
        """The absolute bound; 0 for Exact."""

class Check:
    """What `optimize(check=...)` compares a graph on.

    After each entry that changed the graph, what the graph computes is compared with what it computed before the entry,
    within the entry's exactness. Where it differs, the entry is applied again to find the rewrite that is to blame (its
    callbacks are called again), and the run is undone; the error names the entry, the iteration, the output, the element
    that is furthest off, the rewrite and its nodes. `check=True` is `Check()`, other values are its `inputs`.
    """
    def __init__(
        self,
        inputs: Sequence[_Data] | Mapping[str, _Data] | None = None,
        *,
        seed: int = 0,
        ranges: Mapping[str, Sequence[float]] | None = None,
    ) -> None:
        """Checks on these inputs, or on inputs that are made up.

        Args:
            inputs: One per input of the graph, in its order or by name, as `run` takes them; None: made up. A dimension
                with a name then has a size that differs from the others', and that slices and gathers at literal
                positions reach.
            seed: Of the made-up inputs, 0 or more.
            ranges: By the name of an input, the lowest and the highest number that its made-up elements may be. Without
                one they lie in [-2, 2], or are 0 and 1 where the input holds integers or bools, which suits indices.

        `optimize` raises `InvalidArgumentError` for both inputs and ranges, a range of an input that the graph has not,
        one that the input's dtype has no number of, and made-up inputs of which none gives an output any element to
        compare.
        """
    @property
    def inputs(self) -> Any:
        """As they were given, or None."""
    @property
    def seed(self) -> int:
        """Of the made-up inputs."""
    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """The lowest and the highest number by the name of the input."""

class Traits:
    """What a transform declares of itself; of what is None, what it declares already."""
    def __init__(
        self,
        priority: int | None = None,
        device: Device | str | None = None,
        exactness: Exactness | None = None,
        runs_after: Sequence[_AnyTransform] | None = None,
    ) -> None:
        """Declares what is given.

        Args:
            priority: Its level where `optimize(order=Order.Priority)` runs it, 0 or more; 1 unless declared.
            device: The device it is written for; every one unless declared.
            exactness: How far it may change results; `Exactness.exact()` unless declared.
            runs_after: The transforms that it must follow in any list that holds both.
        """
    @property
    def priority(self) -> int | None:
        """The level of priority, or None."""
    @property
    def device(self) -> Device | None:
        """The device it is written for, or None."""
    @property
    def exactness(self) -> Exactness | None:
        """How far it may change results, or None."""
    @property
    def runs_after(self) -> list[Transform] | None:
        """The transforms it must follow, or None."""

class Transform:
    """A step of `optimize()`: a name, and a function over the graph's edits, a rule, or one of the runtime's
    transforms.

    A small handle. It equals its copies, and the other handles of the same runtime transform. Only the runtime's can be
    pickled. `transforms.transform` and `transforms.rule` make one from a function that they decorate.
    """
    def __init__(
        self, name: str, fn: Callable[[ModelGraph], Any], runs_after: Sequence[_AnyTransform] = ()
    ) -> None:
        """A transform from a function over the graph's edits.

        Args:
            name: Its name in lists and reports; neither empty nor a runtime transform's.
            fn: Called with the graph once per iteration; it may query and edit it. An exception ends the run, which is
                undone.
            runs_after: The transforms that it must follow in any list that holds both.
        """
    @staticmethod
    def from_pass_pipeline(pipeline: str, runs_after: Sequence[Transform] = ()) -> Transform:
        """A transform from an MLIR pass pipeline, as in `"canonicalize,cse"`, which is its name.

        Raises:
            InvalidArgumentError: the text is no pipeline of registered passes.
        """
    @staticmethod
    def from_pdl(name: str, text: str, runs_after: Sequence[Transform] = ()) -> Transform:
        """A transform from rewrites as text: a module of `pdl.pattern` operations or, where the tool mlir-pdll is
        found, PDLL.

        Raises:
            InvalidArgumentError: the text does not parse, with line and column.
        """
    @property
    def name(self) -> str:
        """Its name in lists and reports."""
    @property
    def summary(self) -> str:
        """What it does, in a line; empty for a transform of your own."""
    @property
    def is_runtime(self) -> bool:
        """Whether it is one of the runtime's."""
    @property
    def runs_after(self) -> list[Transform]:
        """The transforms that it must follow in any list that holds both."""
    @property
    def exactness(self) -> Exactness:
        """How far it may change what a graph computes."""
    @property
    def priority(self) -> int:
        """Its level where `optimize(order=Order.Priority)` runs it; 1 unless declared."""
    @property
    def device(self) -> Device:
        """The device it is written for; `Device.any` unless declared."""
    @property
    def traits(self) -> Traits:
        """All that it declares, nothing None."""
    def with_(
        self,
        traits: Traits | None = None,
        *,
        priority: int | None = None,
        device: Device | str | None = None,
        exactness: Exactness | None = None,
        runs_after: Sequence[_AnyTransform] | None = None,
    ) -> Transform:
        """The same transform with other traits, given as a Traits, by name, or both (a name goes before). What is left
        out stays.

        It is another handle, not equal to this one unless nothing differs, and a list that holds both is refused.

        Raises:
            InvalidArgumentError: the exactness of a runtime transform, which it declares itself, or a negative
                priority.
        """

class MatchResult:
    """What `PatternTransform.match` says of a node, as its `result()` and `no_match()` make it. True where it is a
    match."""
    @property
    def nodes(self) -> list[Node | None]:
        """The nodes to replace, each in its role; None in an optional role that is lacking. Empty: no match."""
    @property
    def insert_at(self) -> Node | None:
        """The node ahead of which the new operators stand; None: the first whose value they replace."""
    @property
    def reason(self) -> str:
        """Why there is no match; empty of a match."""
    @property
    def file(self) -> str:
        """The file that gave the reason."""
    @property
    def line(self) -> int:
        """The line that gave the reason, counted from 1."""
    def __bool__(self) -> bool: ...

def set_pattern_class(type: type[Any]) -> None:
    """Hands over the class PatternTransform. For the package's own use."""
def transform_of(pattern: PatternTransform) -> Transform:
    """The transform that an object of a pattern class stands for. For the package's own use."""
def match_result(nodes: Sequence[Node | None], insert_at: Node | None) -> MatchResult:
    """`PatternTransform.result`. For the package's own use."""
def no_match(node: Node, reason: str, file: str, line: int) -> MatchResult:
    """`PatternTransform.no_match`, with the place that calls it. For the package's own use."""
def value(value: Value) -> Tensor:
    """`PatternTransform.value`. For the package's own use."""

class SkipCounts:
    """How many occurrences a rule passed over without asking its condition, by cause."""
    @property
    def removed(self) -> int:
        """An earlier replacement of the iteration removed or changed what the occurrence consists of."""
    @property
    def not_convex(self) -> int:
        """A path leaves the occurrence and comes back, so that no operator could stand for it."""
    @property
    def unread(self) -> int:
        """Nothing outside reads a value it makes."""
    @property
    def kept(self) -> int:
        """It holds a node that `optimize(keep=...)` names."""
    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""

class RefusalReport:
    """A reason for which an entry left nodes as they are, and how often."""
    @property
    def reason(self) -> str:
        """The reason."""
    @property
    def file(self) -> str:
        """The file of the code that gave it; empty where that is not known."""
    @property
    def line(self) -> int:
        """The line of the code that gave it, counted from 1; 0 where that is not known."""
    @property
    def count(self) -> int:
        """How often it was given."""
    @property
    def nodes(self) -> list[str]:
        """The names of the first nodes it was given for, 8 at most."""
    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""

class PhaseSeconds:
    """The seconds of a run by what they were spent on. Checking and verifying are none of these."""
    @property
    def match(self) -> float:
        """The searches of rules and pattern classes, and their conditions."""
    @property
    def rewrite(self) -> float:
        """Replacements, functions, and the runtime's transforms but for the following."""
    @property
    def cleanup(self) -> float:
        """remove_unused, remove_identity, remove_duplicates and share_constants."""
    @property
    def fold(self) -> float:
        """fold_constants."""
    @property
    def regions(self) -> float:
        """All of this inside the regions of If and Loop."""
    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""

class RegionReport:
    """A row of the report: what was done in one region of an operator."""
    @property
    def path(self) -> str:
        """Where it lies, by the names of the nodes, as in `if_3.then` or `loop_1.body/if_2.else`; `@f` of the private
        function f, which counts as a region."""
    @property
    def attempts(self) -> int:
        """How many nodes of it entries looked at; part of the entries' rows, too."""
    @property
    def rewrites(self) -> int:
        """How many rewrites entries made there; part of the entries' rows, too."""
    @property
    def seconds(self) -> float:
        """The time spent there."""
    @property
    def nodes_before(self) -> int:
        """How many operators it had, without those of the regions inside; 0 where it was not there."""
    @property
    def nodes_after(self) -> int:
        """How many it has now, counted alike."""
    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""

class TransformReport:
    """A row of the report: what one entry of the list did."""
    @property
    def transform(self) -> Transform:
        """The entry."""
    @property
    def applications(self) -> int:
        """In how many iterations it changed the graph."""
    @property
    def rewrites(self) -> int:
        """How many rewrites it made, where it counts them: rules, pattern classes, and the runtime's."""
    @property
    def seconds(self) -> float:
        """The time spent in it."""
    @property
    def occurrences(self) -> int:
        """For rules: how many occurrences the search found."""
    @property
    def skipped(self) -> int:
        """For rules: how many of these were passed over without asking; `skipped_by` says why."""
    @property
    def declined(self) -> int:
        """For rules: how many of these the condition declined."""
    @property
    def skipped_by(self) -> SkipCounts:
        """The occurrences passed over, by cause."""
    @property
    def attempts(self) -> int:
        """How many nodes were looked at: compared with a node of the pattern, given to match(), or of an operator that a
        rewrite of the runtime's or of PDL may begin at."""
    @property
    def reasons(self) -> list[RefusalReport]:
        """Why nodes were left as they are, where the entry says so; the most frequent first."""
    def to_dict(self) -> dict[str, Any]:
        """The row as plain data, as it stands in the report's `to_dict()`."""

class OptimizeReport:
    """What `optimize()` did, with a row per entry of the list.

    Printed, it is a table, with the time by phase and the most frequent reasons for which entries left nodes alone. It can
    be pickled; a transform that is not the runtime's is then a name, and refuses to run.
    """
    @property
    def iterations(self) -> int:
        """How many passes over the list were made, the last one, which changed nothing, included."""
    @property
    def converged(self) -> bool:
        """Whether the last iteration changed nothing."""
    @property
    def transforms(self) -> list[TransformReport]:
        """A row per entry, in the order of the list."""
    @property
    def nodes_before(self) -> int:
        """How many nodes `nodes()` listed: inputs, and operators without those inside of regions."""
    @property
    def nodes_after(self) -> int:
        """How many it lists now."""
    @property
    def seconds(self) -> float:
        """The time of the whole run."""
    @property
    def log(self) -> RewriteLog | None:
        """What was done, where `record=True` asked for it; else None."""
    @property
    def regions(self) -> list[RegionReport]:
        """A row per region of the graph's If and Loop, those of a region before the one that it lies in, and per private
        function, before those that call it."""
    @property
    def rewrites(self) -> int:
        """The sum of the rows' rewrites."""
    @property
    def phases(self) -> PhaseSeconds:
        """The time by what it was spent on."""
    def print(self) -> None:
        """Writes the table to `sys.stdout`."""
    def to_dict(self) -> dict[str, Any]:
        """Everything in the report as plain data: dicts, lists, numbers and strings. Of the log, which is None where
        there is none, its text and its steps."""
    def to_json(self) -> str:
        """The same as one JSON object."""
    def to_html(self, path: str | PathLike[str]) -> None:
        """Writes one HTML page that needs nothing else: the table, the reasons, the log, and the graph before and
        after as a picture of its first few hundred nodes.

        Raises:
            IoError: the file cannot be written.
        """

class ProfileRow:
    """One kernel of the code: a place of it that works for some nodes, or all the rest."""
    @property
    def kernel(self) -> str:
        """`clika_kernel_0` and so on: rows of one name run the same machine code. `copy` is a copy, or a loop of copies
        as a gather makes them; `fill` and `loops` are work that no kernel was made for. `other` is what no row has:
        memory for results, the checks of sizes, the steps of loops, and what measuring costs."""
    @property
    def nodes(self) -> list[str]:
        """The nodes that it computes, whole or in part, those that are read by others of them first. Nodes whose
        results are views of others' are in no row; of nodes that compute the same one is named."""
    @property
    def time_us(self) -> float:
        """Microseconds of the caller in all of its calls of one run: the median of the runs."""
    @property
    def calls(self) -> int:
        """In one run; more than 1 in a loop."""
    @property
    def flops(self) -> int:
        """Operations on elements in one run: a multiply-add is two, each other arithmetic operation, comparison and
        elementary function is one; conversions, selections and computing indices are none, and so are loops that are no
        kernel (`loops` without bytes)."""
    @property
    def bytes(self) -> int:
        """In one run, for each call: the distinct bytes it reads, and the distinct bytes it writes. Of what it reads at
        computed places, as in a gather, one element for each read, at most all."""
    @property
    def roofline(self) -> float:
        """The least time that this CPU needs for that many operations and bytes, as a share of `time_us`: the larger of
        flops / peak_gflops and bytes / the bandwidth of memory of that size."""
    @property
    def gflops(self) -> float:
        """`flops` a second, in units of 1e9."""
    @property
    def gigabytes(self) -> float:
        """`bytes` a second, in units of 1e9."""
    @property
    def label(self) -> str:
        """The nodes, as in `conv_1 + relu_2`; without any, the kernel."""
    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""

class ProfileEvent:
    """One call of a kernel in the run whose time is the median."""
    @property
    def row(self) -> int:
        """Its row, counted from 0."""
    @property
    def start_us(self) -> float:
        """Microseconds since the run began."""
    @property
    def time_us(self) -> float:
        """How many it took."""
    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""

class MemoryBandwidth:
    """How fast memory of a size is read again and again."""
    @property
    def bytes(self) -> int:
        """The size."""
    @property
    def gigabytes(self) -> float:
        """A second, in units of 1e9."""
    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""

class Profile:
    """Where the time of runs of a finalized graph goes; printed, it is a table. The rows' times add up to `total_us`."""
    @property
    def rows(self) -> list[ProfileRow]:
        """The slowest first, `other` last."""
    @property
    def total_us(self) -> float:
        """The sum of the rows' times."""
    @property
    def runs(self) -> int:
        """How many were measured."""
    @property
    def threads(self) -> int:
        """How many a run may use."""
    @property
    def peak_gflops(self) -> float:
        """What that many threads reach in fused multiply-adds of float32, each two operations: measured once in a
        process."""
    @property
    def bandwidths(self) -> list[MemoryBandwidth]:
        """Likewise, ascending by size: the bandwidth of a size is that of the last that is not larger, or the first."""
    @property
    def events(self) -> list[ProfileEvent]:
        """The calls of kernels in the run whose time is the median, in the order they happened."""
    @property
    def run_us(self) -> float:
        """How long the run of the events took."""
    def to_dict(self) -> dict[str, Any]:
        """Everything in it as plain data."""
    def to_json(self) -> str:
        """Everything in it, as one JSON object; rows have `gflops` and `gigabytes`, too."""
    def to_chrome_trace(self, path: str | PathLike[str]) -> None:
        """Writes a file for chrome://tracing or Perfetto: an event for the run, and one for each of `events`.

        Raises:
            IoError: the file cannot be written.
        """
    def print(self) -> None:
        """Writes the table to standard output."""

class Order(IntEnum):
    """In which order an iteration of `optimize()` runs its list: `List`, from front to back, or `Priority`, by levels
    of priority, ascending: an iteration runs the entries up to a level, and the next level is entered when one changes
    nothing."""
    List = 0
    Priority = 1

class RewriteStep:
    """What one entry of the list did to the graph in one iteration; nodes and constants by their names."""
    @property
    def iteration(self) -> int:
        """The iteration, counted from 1."""
    @property
    def transform(self) -> str:
        """The entry's name."""
    @property
    def added(self) -> list[str]:
        """The nodes and constants it added."""
    @property
    def changed(self) -> list[str]:
        """What it changed, renamed (the new names) or moved."""
    @property
    def removed(self) -> list[str]:
        """What it removed."""
    @property
    def functions(self) -> list[str]:
        """The private functions that it changed inside, or added; their nodes are not among the others."""
    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""

class RewriteLog:
    """What a run of `optimize(record=True)` did, as a text to be kept and done again by `ModelGraph.replay`.

    It is bound by a digest to the graph it was recorded on (names, order and the content of constants included), and to
    what that became. `len(log)` counts its steps; printed, it is a line per step.
    """
    @staticmethod
    def from_text(text: str) -> RewriteLog:
        """Reads a log from its text.

        Raises:
            InvalidArgumentError: the text is no log, lacks steps, holds one twice or in another order, or is of a
                version that this release does not read.
        """
    @staticmethod
    def load(path: str | PathLike[str]) -> RewriteLog:
        """Reads a log from a file.

        Raises:
            InvalidArgumentError: as for `from_text`.
            IoError: the file cannot be read.
        """
    def save(self, path: str | PathLike[str]) -> None:
        """Writes the text to a file, which appears whole or not at all.

        Raises:
            IoError: the file cannot be written.
        """
    @property
    def text(self) -> str:
        """The log as text, as `from_text` reads it."""
    @property
    def steps(self) -> list[RewriteStep]:
        """What was done, a step per entry and iteration that changed the graph."""
    def to_dict(self) -> dict[str, Any]:
        """The text, and the steps as dicts."""
    def __len__(self) -> int: ...

class ModelGraph:
    """A graph of public ops to query, edit, optimize, compile and run.

    `clika_runtime.trace` records one from a function; `from_onnx`, `from_mlir` and `load` read one; `ModelGraph()` is
    empty, to be built by edits. Queries change nothing, and any thread may ask them at any time. Each edit is checked
    before anything changes: that its values and nodes are of this graph and still there, that types and shapes agree,
    that names are free, that no cycle comes about; one that is refused raises InvalidArgumentError (NotFoundError for a
    handle whose node has gone) and leaves the graph as it was. A finalized graph refuses edits, with the code name
    FAILED_PRECONDITION. `copy.deepcopy` does what `clone()` does.
    """
    def __init__(self, name: str = "graph") -> None:
        """An empty graph of that name."""
    @property
    def name(self) -> str:
        """The graph's name."""
    def nodes(self) -> list[Node]:
        """A node per input, then one per operator, each after what it reads; the order does not change between calls.
        Operators inside regions are not among them (`Node.region_nodes`)."""
    def inputs(self) -> list[Value]:
        """The values of the inputs, in order."""
    def outputs(self) -> list[Value]:
        """The values of the outputs, in order."""
    def input_names(self) -> list[str]:
        """The names of the inputs, in order."""
    def output_names(self) -> list[str]:
        """The names of the outputs, in order. A name is the output's own; the node behind it has another."""
    def find_nodes(self, what: OpCode | Callable[[Node], Any]) -> list[Node]:
        """Of the nodes that `nodes()` lists, those of an op code, or those of which a predicate is true, in its order.

        Raises:
            InvalidArgumentError: the code is Input or Constant, which no operator has.
        """
    def find_node(self, name: str) -> Node | None:
        """The node of that name, inside regions too; None where there is none."""
    def find_occurrences(self, pattern: Pattern) -> list[RewriteMatch]:
        """What a rule of this pattern would ask its condition about, on the graph as it is."""
    def why_not(self, rule: _AnyTransform | str, node: Node) -> str | None:
        """Why a rule does not replace an occurrence that `node` is part of, as the graph is: the first thing that is
        not as its pattern asks, or its condition's own reason. None where it would replace one. A str names an available
        transform."""
    def is_convex(self, nodes: Sequence[Node]) -> bool:
        """Whether no path leaves these nodes and comes back, so that one operator could stand in their place."""
    def verify(self) -> None:
        """Checks every invariant of the graph.

        Raises:
            InternalError: with what is broken.
        """
    def is_finalized(self) -> bool:
        """Whether `finalize()` has compiled it: it runs, and refuses edits."""
    def to_string(self) -> str:
        """The graph's MLIR, large constants cut short; `str(graph)` gives the same."""
    def to_mlir(self) -> str:
        """The graph's MLIR whole, weights included, as `from_mlir` reads it."""
    def to_dot(self) -> str:
        """A picture of the graph, as text for Graphviz."""
    def add_node(
        self,
        code: OpCode,
        inputs: Sequence[Value | None],
        attributes: Mapping[str, _Setting] | None = None,
        *,
        name: str = "",
    ) -> Node:
        """Adds one operator, built the way its public op builds it; nothing reads its outputs yet.

        Args:
            code: The operator's code. Of one with several results `insert` builds it.
            inputs: A value per port, in the op's order; None where an optional operand is left out. Trailing ones may
                be absent.
            attributes: Settings by name; those left out take their defaults.
            name: A name that is free; without it the graph makes one.
        Returns:
            The new node.
        Raises:
            UnsupportedError: no single public op call builds this code.
        """
    def insert(self, fn: _TraceFunction, inputs: Sequence[Value]) -> list[Value]:
        """Adds the operators that a function over the public ops records; nothing reads them yet.

        Args:
            fn: Called once with a list of traced tensors, one per entry of `inputs`. It returns a tensor or several:
                traced ones, or concrete ones, which become constants. Where it raises, nothing of what it recorded
                stays.
            inputs: Values of this graph.
        Returns:
            The values that it returned.
        """
    def replace(self, old_outputs: Sequence[Value], fn: _TraceFunction, inputs: Sequence[Value]) -> list[Value]:
        """Inserts what a function records, and lets it take the place of values: every read of `old_outputs[i]` becomes
        a read of new value i, and the operators that only the old ones needed go.

        The new operators themselves still read the old values, so a value can be wrapped by a function of itself.

        Args:
            old_outputs: The values to replace.
            fn: As for `insert`; it returns a tensor per old value, of equal dtype and shape.
            inputs: Values of this graph.
        Returns:
            The new values.
        """
    def replace_all_uses_with(self, old_value: Value, new_value: Value) -> None:
        """Makes every reader of one value, graph outputs and regions included, read another of equal dtype and shape.
        """
    def set_input(self, node: Node, port: int, value: Value | None) -> None:
        """Makes a node read `value` at a port, counted from 0; None leaves the operand out, where the op allows that.
        """
    def set_attribute(self, node: Node, name: str, value: _Setting) -> None:
        """Sets one setting of a node; None is allowed where the setting may be none. The result's dtype and shape stay.
        """
    def remove_node(self, node: Node) -> None:
        """Removes an operator that nothing reads."""
    def bypass_node(self, node: Node) -> None:
        """Lets the readers of a node read what it reads, and removes it. Its result and its data input have one dtype
        and shape."""
    def rename_node(self, node: Node, name: str) -> None:
        """Gives an operator a name that is free; handles stay good. Inputs have `rename_input`."""
    def add_constant(self, data: _Data, name: str = "") -> Value:
        """Adds a constant: a tensor, an array, or numbers as `clika_runtime.tensor` takes them.

        Args:
            data: What it holds. A tensor is shared, not copied.
            name: A name that is free; without it the graph makes one.
        Returns:
            The new value, which nothing reads yet.
        """
    def add_input(self, spec: TensorSpec) -> Value:
        """Adds an input at the end of the inputs, and returns its value."""
    def add_output(self, value: Value, name: str) -> None:
        """Makes a value an output of the graph, at the end of the outputs. One value may be several outputs."""
    def remove_input(self, name: str) -> None:
        """Removes an input that nothing reads."""
    def remove_output(self, name: str) -> None:
        """Removes an output; the value behind it stays."""
    def rename_input(self, old_name: str, new_name: str) -> None:
        """Gives an input a name that is free."""
    def rename_output(self, old_name: str, new_name: str) -> None:
        """Gives an output a name that no other output has."""
    def add_function(self, name: str, fn: _TraceFunction, specs: Sequence[TensorSpec]) -> None:
        """Records a function over the public ops as a private function of the graph, which `clika_runtime.call` calls.

        It may call other functions of the graph. The names that it gives to dimensions are its own, and stand for the
        sizes that each call gives.

        Args:
            name: The function's name; no other function may have it.
            fn: Called once with a list of traced tensors, one per entry of `specs`; returns a tensor or several.
            specs: What it takes.
        """
    def remove_function(self, name: str) -> None:
        """Removes a private function that nothing calls."""
    def function_names(self) -> list[str]:
        """The private functions, those that a function calls before it."""
    def function_nodes(self, name: str) -> list[Node]:
        """The operators of a private function, in a topological order."""
    def function_inputs(self, name: str) -> list[Value]:
        """What a private function is given."""
    def function_outputs(self, name: str) -> list[Value]:
        """What a private function returns."""
    def inline_functions(self) -> None:
        """Puts in the place of every call what its function holds, and removes the functions."""
    def optimize(
        self,
        transforms: _Choice | None = None,
        *,
        max_iterations: int | None = None,
        check: bool | Check | Sequence[_Data] | Mapping[str, _Data] | None = None,
        fold_limit: int | None = None,
        fold_excluded: Sequence[OpCode] = (),
        record: bool = False,
        full_search: bool = False,
        order: Order | None = None,
        keep: Sequence[Node | str] | None = None,
        verify: bool | None = None,
        explain: bool = False,
        target_device: Device | str | None = None,
    ) -> OptimizeReport:
        """Rewrites the graph: runs a list of transforms over and over until a pass over it changes nothing.

        All or nothing: where anything fails, or Ctrl-C comes, the graph is left exactly as it was. An exception that a
        transform written in Python raised comes back as it is; an error of the runtime's names the entry.

        Args:
            transforms: A list of transforms, pattern classes' objects and names; None: `default_transforms()`; an empty
                list: nothing; False: `transforms.cleanup()`. A regular expression (a str, or a compiled one) chooses by
                name, a Device those that suit it, and it becomes the graph's target device.
            max_iterations: A budget of passes over the list, 0 or more; None: until nothing changes, with a safety
                limit.
            check: True, a `Check`, or inputs as `run` takes them: after each entry that changed the graph it is run
                and compared with what it computed before the entry, within the entry's declared exactness.
            fold_limit: `fold_constants` makes no constant of more bytes than this, unless it takes no more room than
                the constants that go with it; None: 16 MiB.
            fold_excluded: Operators that `fold_constants` leaves, whatever they read.
            record: Notes what each entry does to the graph, as `OptimizeReport.log`.
            full_search: Rules search the whole graph in every iteration and not only what edits have touched; the
                result is the same.
            order: Whether priorities count; None: `Order.List`.
            keep: Nodes, or names of nodes, that no rule and no runtime transform may consume.
            verify: Verifies the graph after every entry; None: in debug builds of the library.
            explain: Collects, too, why the runtime's transforms left nodes as they are, which takes time.
            target_device: Becomes the graph's target device; None: it stays, or is the Device that `transforms` is.
        Returns:
            What was done, with a row per entry.
        Raises:
            InvalidArgumentError: a list that cannot run (an order that a transform forbids, two transforms of one
                name), before anything runs; NOT_CONVERGED where the safety limit is reached.
            NotFoundError: a name that no transform has.
            InternalError: CHECK_FAILED where `check` refutes an entry.
        """
    def replay(self, log: RewriteLog) -> None:
        """Does to the graph what a recorded run did, without matching: its text becomes that of the recorded graph,
        byte for byte.

        Raises:
            InvalidArgumentError: it is not the graph that the log was recorded on; it stays as it was.
        """
    target_device: Device
    """The device that transforms are chosen for, apart from where the graph runs; `Device.any` unless it was set. None
    unsets it, and a str is a kind."""
    def register_transform(self, transform: _AnyTransform) -> None:
        """Makes a transform one of those that selection on this graph chooses from, ahead of a global one of its name;
        replaces one that was registered here under its name. A clone has it too; a saved file does not."""
    def unregister_transform(self, name: str) -> bool:
        """Takes back `register_transform`. Returns whether there was one of that name."""
    def registered_names(self) -> list[str]:
        """The names of what is registered on this graph, in order."""
    def default_transforms(self) -> list[Transform]:
        """The runtime's transforms that `optimize()` runs without a list, in a sound order. None is Approximate."""
    def finalize(
        self,
        *,
        threads: int | None = None,
        target_cpu: str | None = None,
        precision: Literal["full", "relaxed"] = "full",
        cache_dir: str | None = None,
        progress: Callable[[FinalizeStage], Any] | None = None,
        fallback: Callable[[Fallback], Any] | None = None,
    ) -> None:
        """Drops what nothing reads, compiles the graph for a CPU, and refuses edits from then on. One that fails, or
        that Ctrl-C ends, leaves the graph as it was.

        Args:
            threads: How many threads one run may use, 1 to 256; None: one per CPU that the process may use. Results do
                not depend on it.
            target_cpu: LLVM's name of a CPU, as in `"x86-64-v3"`, whose features this machine must have; None or
                `"host"`: this machine's.
            precision: `"full"`, or `"relaxed"`: 3x3 convolutions use Winograd's F(4x4, 3x3), which is faster and rounds
                differently.
            cache_dir: A folder where compiled code is kept between processes; None: nowhere.
            progress: Called with each FinalizeStage before it runs; an exception it raises ends `finalize`.
            fallback: Called, once the code is made, with each Fallback: work that was left to loops over single
                elements, and why. An exception it raises ends `finalize`.
        Raises:
            InvalidArgumentError: FAILED_PRECONDITION where the graph is finalized already; an option that is not
                served.
            UnsupportedError: the graph holds an operator that cannot be compiled.
            IoError: the cache folder cannot be written.
        """
    def run(
        self, inputs: Sequence[_Data] | Mapping[str, _Data]
    ) -> list[Tensor]:
        """Runs a finalized graph. Many threads may at a time; the GIL is released.

        Args:
            inputs: One entry per input in order, or a mapping from the inputs' names: tensors, arrays, or numbers and
                lists of them, which take the input's dtype. Arrays are read in place.
        Returns:
            A tensor per output, in order.
        Raises:
            InvalidArgumentError: the graph is not finalized, or an input's number, dtype or shape does not fit; equal
                dimension names are equal sizes. Nothing was run.
        """
    def run_into(self, inputs: Sequence[_Data], outputs: Sequence[Tensor]) -> None:
        """Runs a finalized graph into tensors that `clika_runtime.empty` made, one per output in order; of a graph of
        fixed shapes it allocates nothing.

        Raises:
            InvalidArgumentError: as for `run`, and where an output's dtype or shape does not fit.
        """
    def profile(
        self, inputs: Sequence[_Data] | Mapping[str, _Data], *, runs: int = 10, warmup: int = 3
    ) -> Profile:
        """Runs a finalized graph some times and measures its kernels, each with the nodes that it computes. The first
        call compiles code that reads the clock around them; `run` stays as it is.

        Args:
            inputs: As `run` takes them.
            runs: How many runs are measured, 1 to 100,000.
            warmup: How many come before them, 0 to 100,000.
        Returns:
            A row per kernel, and one for the rest.
        Raises:
            InvalidArgumentError: as for `run`.
        """
    def to(self, device: Device | str) -> None:
        """Says where the graph runs from here on: `"cpu"` or a Device of that kind.

        Raises:
            UnsupportedError: of another device.
        """
    def clone(self) -> ModelGraph:
        """A second graph of equal nodes, names and settings that shares the weights; as editable as this one was before
        it was finalized."""
    def save(self, path: str | PathLike[str]) -> None:
        """Writes the graph and its weights into one file, which appears whole or not at all. A finalized graph is written
        with its compiled code.

        Raises:
            IoError: the file cannot be written.
        """
    def emit_object(
        self,
        path: str | PathLike[str],
        *,
        name: str | None = None,
        target_triple: str | None = None,
        target_cpu: str | None = None,
        precision: Literal["full", "relaxed"] = "full",
    ) -> None:
        """Compiles the graph for one thread and writes an ELF object with its weights, and beside it a C header that says
        how to call it and what to link: ClikaRT's static runtime and libm. The graph stays as it is, finalized or not.

        Args:
            path: Where the object goes; it ends in `".o"`, and the header's ends in `".h"`.
            name: The C function's name; None: the file's, with `_` for what a C name cannot hold.
            target_triple: Where the object runs, `"x86_64-linux-gnu"` or `"aarch64-linux-gnu"`; None: this machine's kind.
            target_cpu: LLVM's name of a CPU, which need not be this machine's; None: this machine's, or with another kind
                of machine its plainest. The function refuses to run on a CPU that lacks what this one has.
            precision: As of `finalize`.
        Raises:
            InvalidArgumentError: an option that is not served.
            UnsupportedError: an input or output has no fixed shape, or the graph holds an operator that cannot be compiled.
            IoError: a file cannot be written.
        """
    @staticmethod
    def load(path: str | PathLike[str]) -> ModelGraph:
        """Reads what `save` wrote. Checksums are verified before anything is parsed; the weights are memory-mapped, not
        copied, so the file must not be shortened while the graph is in use. A graph that was finalized is so again, and
        runs at once; where this machine or release cannot run the code in the file, it is compiled anew with the same
        options. The code in the file is trusted: load what you would run. `clone()` gives a graph that can be edited.

        Raises:
            IoError: the file cannot be read, is none that `save` wrote, is damaged, or of a version that this release does
                not read.
        """
    @staticmethod
    def from_mlir(text: str) -> ModelGraph:
        """Reads what `to_mlir` writes: a module with one function of clika operators.

        Raises:
            InvalidArgumentError: the text does not parse, with line and column, or is no such module.
        """
    @staticmethod
    def from_onnx(path: str | PathLike[str], *, allow_unknown: bool = False) -> ModelGraph:
        """Reads a model in ONNX's format, its external data included; weights are memory-mapped, not copied.

        Args:
            path: The `.onnx` file.
            allow_unknown: Reads an operator that is not covered as an Opaque node to look at, which `finalize` refuses.
        Raises:
            UnsupportedError: operators that are not covered, each with its nodes, unless `allow_unknown` is given.
            IoError: the file cannot be read or is damaged; what and where.
        """

def trace(
    fn: _TraceFunction,
    specs: Sequence[TensorSpec],
    *,
    name: str = "graph",
    output_names: Sequence[str] | None = None,
) -> ModelGraph:
    """Records a function as a graph: `clika_runtime.trace`. For the package's own use."""
def rewrite(
    name: str,
    pattern: Pattern,
    replacement: Callable[[RewriteMatch, list[Tensor]], Tensor | Sequence[Tensor]],
    condition: Callable[[RewriteMatch], Any] | None = None,
    runs_after: Sequence[_AnyTransform] = (),
) -> Transform:
    """A transform that replaces each occurrence of a pattern.

    Args:
        name: Its name in lists and reports; neither empty nor a runtime transform's.
        pattern: What to look for.
        replacement: Called with an occurrence and a list of traced tensors, one per entry of its `inputs`; returns a
            tensor per entry of its `outputs`, of equal dtype and shape. It may not edit the graph.
        condition: Asked of an occurrence before it is replaced: true, false, or `Declined` with a reason; None: every
            one is replaced. It may not edit the graph.
        runs_after: The transforms that it must follow in any list that holds both.
    """
def runtime_transforms() -> list[Transform]:
    """Every transform of the runtime, those outside the default list included."""
def catalogue() -> list[Transform]:
    """The same as `runtime_transforms()`."""
def cleanup() -> list[Transform]:
    """The runtime's transforms that tidy up and fold: share_constants, fold_constants, remove_identity,
    remove_duplicates and remove_unused."""
def get(name: str) -> Transform:
    """The transform of that name, of the runtime or registered globally.

    Raises:
        NotFoundError: there is none; the message lists the names there are.
    """
def available(graph: ModelGraph) -> list[Transform]:
    """What selection on a graph chooses from: the global registry, and what is registered on the graph, which goes
    before a global one of its name and stands at its place."""
def select(graph: ModelGraph, what: _Choice) -> list[Transform]:
    """The list that `optimize(what)` would run: names and transforms in order, a regular expression over whole names
    (a str without special characters is the name of one), the transforms that suit a Device, or `cleanup()` for False.

    Raises:
        NotFoundError: a name that no transform has.
        InvalidArgumentError: the graph's target is another device.
    """
def register_transform(name: str, factory: Callable[[], _AnyTransform]) -> None:
    """Makes a name one of those that selection chooses from, in every graph; replaces what was registered under it.

    Args:
        name: A name that is none of the runtime's.
        factory: Called at each selection; it returns a transform of that name.
    """
def unregister_transform(name: str) -> bool:
    """Takes back `register_transform`. Returns whether there was one of that name."""
def registered_names() -> list[str]:
    """The names of the global registry: the runtime's first, then in the order they were registered."""
def clear_registered() -> None:
    """Empties the global registry, of the runtime's names too."""
def reset_registered() -> None:
    """Puts the global registry back as it was at first: the runtime's transforms."""
