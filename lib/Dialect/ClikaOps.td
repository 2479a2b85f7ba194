// Every family: what the generators that list all ops read.
#ifndef CLIKA_OPS_TD
#define CLIKA_OPS_TD

include "CoreOps.td"
include "PointwiseOps.td"

#endif
