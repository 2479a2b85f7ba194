#pragma once

namespace doubling {

/// Makes the transforms of this library available to selection, under the names double_to_add and gpu_only.
void register_transforms();

}  // namespace doubling
