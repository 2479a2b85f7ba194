// Classes of plain fields: read by their names, given as dicts, copied and pickled.
#pragma once

#include "GraphBindings.h"

#include <ClikaRT/rewrite_log.h>
#include <ClikaRT/transform.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace clika {
struct GraphPicture;
}

namespace clika::python {

/// A field as an attribute has it.
template <class T>
py::object fromField(const T &value) {
  return py::cast(value);
}
template <class T>
py::object fromField(const std::vector<T> &values) {
  return toList(values);
}
template <class T>
py::object fromField(const std::optional<T> &value) {
  return orNone(value);
}

/// What a pickle holds of a field, and the field of it.
template <class T>
struct Pickled {
  static py::object of(const T &value) { return fromField(value); }
  static T back(py::handle state) { return py::cast<T>(state); }
};
template <class T>
struct Pickled<std::vector<T>> {
  static py::object of(const std::vector<T> &values) { return toList(values); }
  static std::vector<T> back(py::handle state) {
    std::vector<T> values;
    for (py::handle entry : state)
      values.push_back(py::cast<T>(entry));
    return values;
  }
};
template <class T>
struct Pickled<std::optional<T>> {
  static py::object of(const std::optional<T> &value) { return orNone(value); }
  static std::optional<T> back(py::handle state) {
    return state.is_none() ? std::nullopt : std::optional<T>(py::cast<T>(state));
  }
};
/// One of the runtime's by its name. Another has code that no pickle holds: what comes back bears its name, and says so
/// when it is run.
template <>
struct Pickled<ClikaRT::graph::Transform> {
  static py::object of(const ClikaRT::graph::Transform &transform);
  static ClikaRT::graph::Transform back(py::handle state);
};
template <>
struct Pickled<std::shared_ptr<const GraphPicture>> {
  static py::object of(const std::shared_ptr<const GraphPicture> &picture);
  static std::shared_ptr<const GraphPicture> back(py::handle state);
};

/// A field as plain data: a record's as a dict.
py::object toPlain(py::handle value);

/// (copyreg.__newobj__, (its class,), its state): what __reduce__ returns, for every protocol.
py::tuple reduceByState(const py::object &self);

/// Nothing changes one, so that it is its own copy.
template <class Class>
void defCopies(Class &cls) {
  cls.def("__copy__", [](const py::object &self) { return self; })
      .def("__deepcopy__", [](const py::object &self, py::handle) { return self; });
}

template <class R>
class Record : public py::class_<R> {
public:
  /// `blank` makes one to fill in.
  Record(
      py::module_ &module, const char *name, R (*blank)() = [] { return R(); })
      : py::class_<R>(module, name), fields_(std::make_shared<Fields>()) {
    this->def(py::pickle(
        [fields = fields_](const R &self) {
          py::tuple state(fields->size());
          for (std::size_t i = 0; i < fields->size(); ++i)
            state[i] = (*fields)[i].get(self);
          return state;
        },
        [fields = fields_, blank](const py::tuple &state) {
          R made = blank();
          for (std::size_t i = 0; i < fields->size() && i < state.size(); ++i)
            (*fields)[i].set(made, state[i]);
          return made;
        }));
    this->def("__reduce__", &reduceByState);
    this->def("to_dict", [fields = fields_](const py::object &self) {
      py::dict dict;
      for (const Field &field : *fields)
        if (!field.name.empty())
          dict[py::str(field.name)] = toPlain(self.attr(field.name.c_str()));
      return dict;
    });
    defCopies(*this);
  }

  template <class T>
  Record &field(const char *name, T R::*member) {
    this->def_property_readonly(name, [member](const R &self) { return fromField(self.*member); });
    return keep(name, member);
  }
  /// A field that pickles alone have.
  template <class T>
  Record &hidden(T R::*member) {
    return keep("", member);
  }

private:
  struct Field {
    std::string name;
    std::function<py::object(const R &)> get;
    std::function<void(R &, py::handle)> set;
  };
  using Fields = std::vector<Field>;

  template <class T>
  Record &keep(const char *name, T R::*member) {
    fields_->push_back({name, [member](const R &self) { return Pickled<T>::of(self.*member); },
                        [member](R &self, py::handle state) { self.*member = Pickled<T>::back(state); }});
    return *this;
  }

  std::shared_ptr<Fields> fields_;
};

} // namespace clika::python
