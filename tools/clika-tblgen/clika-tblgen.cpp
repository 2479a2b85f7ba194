// Generates from the op records everything that lists ops. Generators register themselves in the *Gen.cpp files.
#include "mlir/Tools/mlir-tblgen/MlirTblgenMain.h"

int main(int argc, char **argv) { return mlir::MlirTblgenMain(argc, argv); }
