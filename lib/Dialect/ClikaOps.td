// Every family: what the generators that list all ops read.
#ifndef CLIKA_OPS_TD
#define CLIKA_OPS_TD

include "CoreOps.td"
include "ControlOps.td"
include "PointwiseOps.td"
include "LinearOps.td"
include "PoolOps.td"
include "NormOps.td"
include "AttentionOps.td"
include "RecurrentOps.td"
include "ReduceOps.td"
include "ShapeOps.td"
include "IndexOps.td"
include "ResizeOps.td"
include "QuantizeOps.td"

#endif
