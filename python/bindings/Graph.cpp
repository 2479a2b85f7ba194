// graph.h: Node and Value. ModelGraph is in ModelGraph.cpp.
#include "Callbacks.h"
#include "GraphBindings.h"

#include <ClikaRT/ops.h>

namespace clika::python {
namespace {

using ClikaRT::graph::Attr;
using ClikaRT::graph::Node;
using ClikaRT::graph::NodeKind;
using ClikaRT::graph::Value;

py::handle nodeKinds[2];

void bindNodeKind(py::module_ &module) {
  const auto *kinds = new IntEnumTable(
      module, "NodeKind",
      {{"Input", static_cast<long>(NodeKind::Input)}, {"Operator", static_cast<long>(NodeKind::Operator)}});
  for (const NodeKind kind : {NodeKind::Input, NodeKind::Operator})
    nodeKinds[static_cast<std::size_t>(kind)] = kinds->member(static_cast<long>(kind)).release();
}

py::object fromKind(NodeKind kind) {
  return py::reinterpret_borrow<py::object>(nodeKinds[static_cast<std::size_t>(kind)]);
}

py::tuple shapeOf(const Value &value) {
  const std::vector<ClikaRT::spec::Dim> dims = value.shape();
  py::tuple shape(dims.size());
  for (std::size_t i = 0; i < dims.size(); ++i)
    shape[i] = dims[i].is_static() ? py::object(py::int_(dims[i].size())) : py::object(py::str(dims[i].to_string()));
  return shape;
}

py::object attributeOf(const Node &node, const Text &name) {
  const std::optional<Attr> attr = node.attribute(name);
  return attr ? fromAttrValue(attr->value) : py::object(py::none());
}

template <class Handle>
std::string represent(const char *kind, const Handle &handle) {
  return handle.is_valid() ? handle.to_string() : std::string(kind) + "(removed)";
}

/// Equality, order and hash by identity in the graph.
template <class Handle, class Class>
void addComparisons(Class &cls) {
  cls.def("__eq__",
          [](const Handle &self, py::handle other) {
            return py::isinstance<Handle>(other) && self == py::cast<const Handle &>(other);
          })
      .def("__hash__", &Handle::hash)
      .def("__copy__", [](const Handle &self) { return self; })
      .def("__deepcopy__", [](const Handle &self, py::handle) { return self; });
}

void bindValue(py::module_ &module) {
  py::class_<Value> cls(module, "Value");
  addComparisons<Value>(cls);
  cls.def("is_valid", &Value::is_valid)
      .def("producer", [](const Value &self) { return orNone(self.producer()); })
      .def("users", [](const Value &self) { return toList(self.users()); })
      .def_property_readonly("name", &Value::name)
      .def_property_readonly("dtype", [](const Value &self) { return fromDataType(self.dtype()); })
      .def_property_readonly("shape", &shapeOf)
      .def_property_readonly("device", &Value::device)
      .def("is_graph_input", &Value::is_graph_input)
      .def("is_graph_output", &Value::is_graph_output)
      .def("is_constant", &Value::is_constant)
      .def("constant", [](const Value &self) { return orNone(self.constant()); })
      .def("constant_scalar",
           [](const Value &self) {
             const std::optional<ClikaRT::Scalar> scalar = self.constant_scalar();
             return scalar ? fromScalar(*scalar) : py::object(py::none());
           })
      .def(
          "is_constant_scalar",
          [](const Value &self, py::handle number, py::handle tolerance) {
            return self.is_constant_scalar(toReal(number, "is_constant_scalar", "number"),
                                           toReal(tolerance, "is_constant_scalar", "tolerance"));
          },
          py::arg("number"), py::arg("tolerance") = 0.0)
      .def("folded_constant",
           [](const Value &self) { return orNone(withoutGil([&] { return self.folded_constant(); })); })
      .def("out_degree", &Value::out_degree)
      .def("is_read_in_region", &Value::is_read_in_region)
      .def("__repr__", [](const Value &self) { return represent("Value", self); });
}

void bindNode(py::module_ &module) {
  py::class_<Node> cls(module, "Node");
  addComparisons<Node>(cls);
  cls.def("is_valid", &Node::is_valid)
      .def_property_readonly("kind", [](const Node &self) { return fromKind(self.kind()); })
      .def_property_readonly("name", &Node::name)
      .def_property_readonly("op_code", [](const Node &self) { return fromOpCode(self.op_code()); })
      .def_property_readonly("inputs", [](const Node &self) { return toList(self.inputs()); })
      .def_property_readonly("outputs", [](const Node &self) { return toList(self.outputs()); })
      .def_property_readonly("attributes", [](const Node &self) { return fromAttrs(self.attributes()); })
      .def(
          "input", [](const Node &self, py::handle i) { return orNone(self.input(toCount(i, "input", "the port"))); },
          py::arg("i"))
      .def(
          "output",
          [](const Node &self, py::handle i) { return orNone(self.output(toCount(i, "output", "the port"))); },
          py::arg("i"))
      .def("attribute", &attributeOf, py::arg("name"))
      .def("fused_activation",
           [](const Node &self) { return std::string(ClikaRT::ops::to_string(self.fused_activation())); })
      .def("in_degree", &Node::in_degree)
      .def("out_degree", &Node::out_degree)
      .def("position", &Node::position)
      .def("region_count", &Node::region_count)
      .def(
          "region_nodes",
          [](const Node &self, py::handle i) {
            return toList(self.region_nodes(toCount(i, "region_nodes", "the region")));
          },
          py::arg("i"))
      .def(
          "region_inputs",
          [](const Node &self, py::handle i) {
            return toList(self.region_inputs(toCount(i, "region_inputs", "the region")));
          },
          py::arg("i"))
      .def(
          "region_outputs",
          [](const Node &self, py::handle i) {
            return toList(self.region_outputs(toCount(i, "region_outputs", "the region")));
          },
          py::arg("i"))
      .def("captures", [](const Node &self) { return toList(self.captures()); })
      .def("owner", [](const Node &self) { return orNone(self.owner()); })
      .def("function", [](const Node &self) { return orNone(self.function()); })
      .def("__repr__", [](const Node &self) { return represent("Node", self); });
}

} // namespace

const Node &toNode(py::handle value, std::string_view call) {
  if (!py::isinstance<Node>(value))
    refuseType(call, "a Node was expected, not " + typeName(value));
  return py::cast<const Node &>(value);
}

const Value &toValue(py::handle value, std::string_view call) {
  if (py::isinstance<Value>(value))
    return py::cast<const Value &>(value);
  const char *hint = py::isinstance<Node>(value) ? "; take one of the node's outputs, as in node.output(0)" : "";
  refuseType(call, "a Value was expected, not " + typeName(value) + hint);
}

std::vector<Value> toValues(py::handle value, std::string_view call, const char *what) {
  std::vector<Value> values;
  for (py::handle entry : toSequence(value, call, what))
    values.push_back(toValue(entry, call));
  return values;
}

void bindGraph(py::module_ &module) {
  bindNodeKind(module);
  bindValue(module);
  bindNode(module);
}

} // namespace clika::python
