"""What the runtime's transforms look for, and near misses of it, as steps of a random graph: per transform a function
that gives the call and its operands, or None where no value fits. The functions are in a file a family."""

import random_formulas_patterns  # noqa: F401
import random_graph_patterns  # noqa: F401
import random_moves_patterns  # noqa: F401
import random_pointwise_patterns  # noqa: F401
import random_products_patterns  # noqa: F401
import random_selections_patterns  # noqa: F401
from random_pattern_registry import BOUNDED, PATTERNS

__all__ = ["BOUNDED", "PATTERNS"]
