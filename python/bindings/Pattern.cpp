// pattern.h: Pattern and RewriteMatch.
#include "Callbacks.h"
#include "GraphBindings.h"

namespace clika::python {
namespace {

using ClikaRT::graph::Declined;
using ClikaRT::graph::Node;
using ClikaRT::graph::OpCode;
using ClikaRT::graph::Pattern;
using ClikaRT::graph::PatternNodeOptions;
using ClikaRT::graph::RewriteMatch;

Pattern::NodeId addNode(Pattern &pattern, py::handle code, py::handle optional, py::handle commutative,
                        py::handle where) {
  PatternNodeOptions options;
  options.optional = toFlag(optional, "add_node", "optional");
  options.commutative = toFlag(commutative, "add_node", "commutative");
  if (!where.is_none()) {
    const HeldObject function = toCallable(where, "add_node", "where");
    options.where = [function](const Node &node) {
      return withPython([&] { return py::cast<bool>(py::bool_(function.get()(py::cast(node)))); });
    };
  }
  if (code.is_none())
    return pattern.add_node(ClikaRT::graph::any_op, std::move(options));
  if (PyAnySet_Check(code.ptr()) || (py::isinstance<py::sequence>(code) && !py::isinstance<py::str>(code)))
    return pattern.add_node(toOpCodes(code, "add_node"), std::move(options));
  return pattern.add_node(toOpCode(code, "add_node"), std::move(options));
}

/// Stands for any_operand.
struct AnyOperand {};

std::size_t toInputPort(py::handle port) {
  return py::isinstance<AnyOperand>(port) ? ClikaRT::graph::any_operand : toCount(port, "add_edge", "to_port");
}

Declined makeDeclined(const Text &reason) {
  if (reason.empty())
    refuse("Declined", "the reason is empty; say why, or return False");
  return {reason};
}

void bindDeclined(py::module_ &module) {
  py::class_<Declined>(module, "Declined")
      .def(py::init(&makeDeclined), py::arg("reason"))
      .def_readonly("reason", &Declined::reason)
      .def("__bool__", [](const Declined &) { return false; })
      .def("__repr__", [](const Declined &self) {
        return "Declined(" + py::cast<std::string>(py::repr(py::str(self.reason))) + ")";
      });
}

Pattern traced(py::handle fn, py::handle inputs, double tolerance, py::handle commutative, py::handle specs) {
  ClikaRT::graph::PatternTraceOptions options;
  options.tolerance = tolerance;
  options.commutative = toFlag(commutative, "trace", "commutative");
  if (!specs.is_none())
    options.inputs = toSpecs(specs, "trace");
  const auto function = toTraceFunction(fn, "trace");
  const std::size_t count = toCount(inputs, "trace", "n_inputs");
  return withoutGil([&] { return Pattern::trace(function, count, options); });
}

py::list nodesOf(const RewriteMatch &match) {
  py::list nodes;
  for (const std::optional<Node> &node : match.nodes)
    nodes.append(orNone(node));
  return nodes;
}

} // namespace

std::vector<OpCode> toOpCodes(py::handle value, std::string_view call) {
  std::vector<OpCode> codes;
  if (PyAnySet_Check(value.ptr())) {
    for (py::handle entry : value)
      codes.push_back(toOpCode(entry, call));
    return codes;
  }
  for (py::handle entry : toSequence(value, call, "the codes"))
    codes.push_back(toOpCode(entry, call));
  return codes;
}

void bindPattern(py::module_ &module) {
  py::class_<AnyOperand>(module, "AnyOperand").def(py::init<>()).def("__repr__", [](const AnyOperand &) {
    return "any_operand";
  });
  bindDeclined(module);
  py::class_<Pattern>(module, "Pattern")
      .def(py::init([](py::handle codes) {
             return codes.is_none() ? Pattern() : Pattern::chain(toOpCodes(codes, "Pattern"));
           }),
           py::arg("codes") = py::none())
      .def_static(
          "chain", [](py::handle codes) { return Pattern::chain(toOpCodes(codes, "chain")); }, py::arg("codes"))
      .def_static("trace", &traced, py::arg("fn"), py::arg("n_inputs"), py::kw_only(), py::arg("tolerance") = 1e-5,
                  py::arg("commutative") = true, py::arg("specs") = py::none())
      .def("add_node", &addNode, py::arg("code"), py::kw_only(), py::arg("optional") = false,
           py::arg("commutative") = false, py::arg("where") = py::none())
      .def(
          "add_edge",
          [](Pattern &self, py::handle from, py::handle to, py::handle fromPort, py::handle toPort) {
            self.add_edge(toCount(from, "add_edge", "from_node"), toCount(to, "add_edge", "to_node"),
                          toCount(fromPort, "add_edge", "from_port"), toInputPort(toPort));
          },
          py::arg("from_node"), py::arg("to_node"), py::arg("from_port") = 0, py::arg("to_port") = 0)
      .def("__repr__", [](const Pattern &self) {
        return "<Pattern of " + std::to_string(self.nodes().size()) + " nodes and " +
               std::to_string(self.edges().size()) + " edges>";
      });
  py::class_<RewriteMatch>(module, "RewriteMatch")
      .def_property_readonly("nodes", &nodesOf)
      .def_property_readonly("inputs", [](const RewriteMatch &self) { return toList(self.inputs); })
      .def_property_readonly("outputs", [](const RewriteMatch &self) { return toList(self.outputs); });
}

} // namespace clika::python
