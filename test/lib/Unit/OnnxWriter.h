// Writes small ONNX files for the tests, field by field.
#pragma once
#include <cstdint>
#include <functional>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <utility>
#include <vector>

namespace onnx_writer {

using Fill = std::function<void(protozero::pbf_writer &)>;

inline std::string message(const Fill &fill) {
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  fill(writer);
  return bytes;
}

inline std::string tensor(const std::string &name, int type, const std::vector<int64_t> &dims, const Fill &data) {
  return message([&](auto &w) {
    for (int64_t dim : dims)
      w.add_int64(1, dim);
    w.add_int32(2, type);
    w.add_string(8, name);
    data(w);
  });
}

template <class T>
Fill raw(const std::vector<T> &values) {
  return
      [values](auto &w) { w.add_bytes(9, reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T)); };
}

inline Fill external(const std::vector<std::pair<std::string, std::string>> &entries) {
  return [entries](auto &w) {
    for (const auto &[key, value] : entries)
      w.add_message(13, message([&, &key = key, &value = value](auto &e) {
                      e.add_string(1, key);
                      e.add_string(2, value);
                    }));
    w.add_enum(14, 1);
  };
}

/// A value of `type`; a negative dimension becomes a name.
inline std::string valueInfo(const std::string &name, int type, const std::vector<int64_t> &dims) {
  return message([&](auto &w) {
    w.add_string(1, name);
    w.add_message(2, message([&](auto &t) {
                    t.add_message(1, message([&](auto &tensorType) {
                                    tensorType.add_int32(1, type);
                                    tensorType.add_message(2, message([&](auto &shape) {
                                                             for (int64_t dim : dims)
                                                               shape.add_message(1, message([&](auto &d) {
                                                                                   if (dim >= 0)
                                                                                     d.add_int64(1, dim);
                                                                                   else
                                                                                     d.add_string(2, "batch");
                                                                                 }));
                                                           }));
                                  }));
                  }));
  });
}

inline std::string attribute(const std::string &name, int type, const Fill &value) {
  return message([&](auto &w) {
    w.add_string(1, name);
    value(w);
    w.add_enum(20, type);
  });
}

inline std::string node(const std::string &op, const std::vector<std::string> &inputs,
                        const std::vector<std::string> &outputs, const std::string &name = "",
                        const std::vector<std::string> &attributes = {}, const std::string &domain = "") {
  return message([&](auto &w) {
    for (const auto &input : inputs)
      w.add_string(1, input);
    for (const auto &output : outputs)
      w.add_string(2, output);
    w.add_string(3, name);
    w.add_string(4, op);
    for (const auto &encoded : attributes)
      w.add_message(5, encoded);
    if (!domain.empty())
      w.add_string(7, domain);
  });
}

struct GraphParts {
  std::vector<std::string> nodes, initializers, inputs, outputs, functions;
};

inline std::string graph(const GraphParts &parts) {
  return message([&](auto &w) {
    w.add_string(2, "g");
    for (const auto &encoded : parts.nodes)
      w.add_message(1, encoded);
    for (const auto &encoded : parts.initializers)
      w.add_message(5, encoded);
    for (const auto &encoded : parts.inputs)
      w.add_message(11, encoded);
    for (const auto &encoded : parts.outputs)
      w.add_message(12, encoded);
  });
}

inline std::string opset(int64_t version, const std::string &domain = "") {
  return message([&](auto &w) {
    if (!domain.empty())
      w.add_string(1, domain);
    w.add_int64(2, version);
  });
}

inline std::string model(const GraphParts &parts, int64_t opsetVersion = 17) {
  return message([&](auto &w) {
    w.add_int64(1, 8);
    w.add_message(8, opset(opsetVersion));
    w.add_message(7, graph(parts));
    for (const auto &encoded : parts.functions)
      w.add_message(25, encoded);
  });
}

} // namespace onnx_writer
