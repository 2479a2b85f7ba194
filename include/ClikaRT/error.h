// Errors of the public API: a status, a code name for programs and a message for people.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace ClikaRT {

enum class Status { InvalidArgument, NotFound, Unsupported, OutOfMemory, Io, Internal };  ///< The kinds of failure.

/// The code name a failure of `status` bears when it gives none of its own, as in "INVALID_ARGUMENT".
std::string_view default_code_name(Status status) noexcept;

/// What every call throws when it fails. The message begins with the call's name.
class Error : public std::runtime_error {
public:
    /// An empty `code_name` stands for the status's default one.
    Error(Status status, const std::string& message, std::string code_name = "");
    ~Error() override;

    Status status() const noexcept { return status_; }                    ///< The kind of failure.
    const std::string& code_name() const noexcept { return code_name_; }  ///< A name for programs.

private:
    Status status_;
    std::string code_name_;
};

/// A value, or the Error that stands in its place.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
    Result(Status status, std::string message, std::string code_name = "")
        : state_(std::in_place_index<1>, Error(status, message, std::move(code_name))) {}

    bool ok() const noexcept { return state_.index() == 0; }  ///< Whether there is a value.
    explicit operator bool() const noexcept { return ok(); }

    /// The value; throws the Error of a failed result.
    const T& value() const& { return check(), std::get<0>(state_); }
    T& value() & { return check(), std::get<0>(state_); }               ///< Likewise.
    T&& value() && { return check(), std::get<0>(std::move(state_)); }  ///< Likewise.

    /// The failure; only of a result that is not ok().
    const Error& error() const { return std::get<1>(state_); }

private:
    void check() const {
        if (!ok()) throw std::get<1>(state_);
    }
    std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}
    Result(Status status, std::string message, std::string code_name = "")
        : error_(Error(status, message, std::move(code_name))) {}

    bool ok() const noexcept { return !error_.has_value(); }  ///< Whether there is no failure.
    explicit operator bool() const noexcept { return ok(); }

    /// Throws the Error of a failed result.
    void value() const {
        if (error_.has_value()) throw *error_;
    }
    /// The failure; only of a result that is not ok().
    const Error& error() const { return error_.value(); }

private:
    std::optional<Error> error_;
};

}  // namespace ClikaRT
