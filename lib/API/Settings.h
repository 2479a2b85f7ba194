// Settings between the public AttrValue and MLIR attributes.
#ifndef CLIKA_API_SETTINGS_H
#define CLIKA_API_SETTINGS_H

#include "Dialect/OpTable.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include <ClikaRT/attribute.h>

#include <string>
#include <string_view>
#include <vector>

namespace clika {

/// The attribute that holds `value`; null where the setting is left at none. An Error that begins with `call` where the
/// value does not suit the setting.
mlir::Attribute settingAttribute(const SettingInfo &setting, const ClikaRT::graph::AttrValue &value,
                                 mlir::MLIRContext *context, std::string_view call);
/// The value of a setting of `op`, its default where it is at that.
ClikaRT::graph::AttrValue settingValue(mlir::Operation *op, const SettingInfo &setting);
/// What `op` keeps beside the settings of its record: the attributes of an operator that was read for inspection, those
/// named as its own settings behind "onnx.". What an AttrValue cannot hold is text: lists of anything but integers as
/// JSON has them, tensors, graphs.
std::vector<ClikaRT::graph::Attr> keptSettings(mlir::Operation *op);
/// The setting of that name, or null.
const SettingInfo *findSetting(const OpInfo &info, std::string_view name);
/// "alpha, activation", or "none".
std::string settingNames(const OpInfo &info);

} // namespace clika

#endif
