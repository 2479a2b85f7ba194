#include "clika-run/Inputs.h"

#include "ClikaRT/error.h"
#include "clika-run/Npy.h"

#include <algorithm>
#include <random>

using ClikaRT::DataType;
using ClikaRT::Shape;
using ClikaRT::Tensor;
using ClikaRT::graph::Value;

namespace clika::run {
namespace {

using Sizes = std::map<std::string, int64_t>;

void refuseUnknown(const std::string &option, const std::string &name, const std::vector<std::string> &known) {
  if (std::ranges::find(known, name) != known.end())
    return;
  std::string list;
  for (const std::string &one : known)
    list += (list.empty() ? "" : ", ") + one;
  throw ClikaRT::Error(ClikaRT::Status::NotFound,
                       option + " names '" + name + "', and the graph has " + (list.empty() ? "none" : list));
}

std::vector<std::string> dimensionNames(const std::vector<Value> &inputs) {
  std::vector<std::string> names;
  for (const Value &input : inputs)
    for (const ClikaRT::spec::Dim &dim : input.shape())
      if (dim.is_named())
        names.push_back(dim.name());
  return names;
}

/// The sizes that a file's shape tells of the input's named dimensions; those known already stay.
void learnSizes(const Value &input, const Shape &shape, Sizes &sizes) {
  std::vector<ClikaRT::spec::Dim> dims = input.shape();
  for (size_t i = 0; i < std::min(dims.size(), shape.size()); ++i)
    if (dims[i].is_named())
      sizes.emplace(dims[i].name(), shape[i]);
}

template <class T, class Draw>
Tensor filled(const Shape &shape, DataType dtype, Draw &&draw) {
  std::vector<T> data(static_cast<size_t>(ClikaRT::element_count(shape, "clika-run")));
  std::generate(data.begin(), data.end(), [&] { return static_cast<T>(draw()); });
  return Tensor::from_data(data.data(), shape, dtype);
}

Tensor randomTensor(const Shape &shape, DataType dtype, std::mt19937_64 &random) {
  auto real = [&] { return std::uniform_real_distribution<double>(-1.0, 1.0)(random); };
  auto bit = [&] { return random() & 1; };
  switch (dtype) {
  case DataType::Float16:
    return filled<ClikaRT::Float16>(shape, dtype, real);
  case DataType::BFloat16:
    return filled<ClikaRT::BFloat16>(shape, dtype, real);
  case DataType::Float32:
    return filled<float>(shape, dtype, real);
  case DataType::Float64:
    return filled<double>(shape, dtype, real);
  default:
    break;
  }
  switch (ClikaRT::item_size(dtype)) {
  case 1:
    return filled<uint8_t>(shape, dtype, bit);
  case 2:
    return filled<uint16_t>(shape, dtype, bit);
  case 4:
    return filled<uint32_t>(shape, dtype, bit);
  default:
    return filled<uint64_t>(shape, dtype, bit);
  }
}

} // namespace

std::vector<Input> makeInputs(const ClikaRT::graph::ModelGraph &graph, const Options &options) {
  std::vector<Value> values = graph.inputs();
  std::vector<std::string> names = graph.input_names();
  for (const auto &[name, file] : options.inputs)
    refuseUnknown("--input", name, names);
  for (const auto &[name, size] : options.sizes)
    refuseUnknown("--dim", name, dimensionNames(values));

  Sizes sizes = options.sizes;
  std::vector<Input> inputs(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    inputs[i].name = names[i];
    auto file = options.inputs.find(names[i]);
    if (file == options.inputs.end())
      continue;
    inputs[i].tensor = readNpy(file->second);
    inputs[i].source = "from " + file->second;
    learnSizes(values[i], inputs[i].tensor.shape(), sizes);
  }
  std::mt19937_64 random(options.seed);
  for (size_t i = 0; i < values.size(); ++i) {
    if (inputs[i].tensor.is_defined())
      continue;
    Shape shape;
    for (const ClikaRT::spec::Dim &dim : values[i].shape())
      shape.push_back(dim.is_static() ? dim.size() : sizes.emplace(dim.name(), 1).first->second);
    try {
      inputs[i].tensor = randomTensor(shape, values[i].dtype(), random);
    } catch (const std::exception &) {
      // A vector too long is as little to be had as one that finds no memory.
      throw ClikaRT::Error(ClikaRT::Status::OutOfMemory,
                           "no memory for the input '" + names[i] + "' of shape " + ClikaRT::shape_string(shape));
    }
    inputs[i].source = "random (seed " + std::to_string(options.seed) + ")";
  }
  return inputs;
}

} // namespace clika::run
