"""The exception classes. Each one is also the built-in exception that fits it best."""

from . import _core

Status = _core.Status


class Error(Exception):
    """A call of the runtime failed. `str(error)` is the message, which begins with the call's name; `status` is the kind of
    failure, and `code_name` its name for programs, as in "INVALID_ARGUMENT" or, more closely, "FAILED_PRECONDITION"."""

    status: Status = Status.Internal
    code_name: str

    def __init__(self, message: str = "", *, code_name: str | None = None) -> None:
        """Without a code name it bears its status's, as in "INVALID_ARGUMENT"."""
        super().__init__(message)
        self.code_name = code_name or _core.default_code_names[self.status]

    def __str__(self) -> str:  # KeyError would show the message's repr
        return str(self.args[0]) if self.args else ""

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), self.args, {"code_name": self.code_name}


class InvalidArgumentError(Error, ValueError):
    """What was given is not allowed, or the graph is not in a state that serves the call."""

    status = Status.InvalidArgument


class ArgumentTypeError(InvalidArgumentError, TypeError):
    """An argument's type is none that the call takes, or the call has too few arguments, or too many."""


class NotFoundError(Error, KeyError):
    """A removed node's handle, or an unknown name."""

    status = Status.NotFound


class UnsupportedError(Error, NotImplementedError):
    """Something that the runtime does not serve."""

    status = Status.Unsupported


class OutOfMemoryError(Error, MemoryError):
    """There is not enough memory."""

    status = Status.OutOfMemory


class IoError(Error, OSError):
    """A file could not be read or written."""

    status = Status.Io


class InternalError(Error, RuntimeError):
    """A fault of the runtime itself."""

    status = Status.Internal


_core.set_error_classes({
    "ArgumentType": ArgumentTypeError,
    "InvalidArgument": InvalidArgumentError,
    "NotFound": NotFoundError,
    "Unsupported": UnsupportedError,
    "OutOfMemory": OutOfMemoryError,
    "Io": IoError,
    "Internal": InternalError,
})
