#include "IO/Onnx/Import.h"

#include "IO/MappedFile.h"
#include "IO/Onnx/Importer.h"

namespace clika {

mlir::OwningOpRef<mlir::ModuleOp> importOnnx(const std::string &path, mlir::MLIRContext &context,
                                             const OnnxOptions &options) {
  std::shared_ptr<const MappedFile> file = MappedFile::open(path, "from_onnx");
  try {
    onnx::Model model = onnx::parseModel({path, file->bytes()});
    onnx::WeightReader weights(path, file);
    return onnx::Importer(context, model, weights, options).run();
  } catch (const ClikaRT::Error &error) {
    std::string text = onnx::textOf(error), name = "'" + path + "'";
    if (text.compare(0, name.size(), name) == 0)
      throw;
    throw ClikaRT::Error(error.status(), "from_onnx: " + name + ": " + text);
  }
}

} // namespace clika
