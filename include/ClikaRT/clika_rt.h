// All of ClikaRT.
#pragma once

#include <ClikaRT/attribute.h>
#include <ClikaRT/bound.h>
#include <ClikaRT/control.h>
#include <ClikaRT/error.h>
#include <ClikaRT/graph.h>
#include <ClikaRT/op_code.h>
#include <ClikaRT/ops.h>
#include <ClikaRT/pattern.h>
#include <ClikaRT/pattern_transform.h>
#include <ClikaRT/profile.h>
#include <ClikaRT/rewrite_log.h>
#include <ClikaRT/spec.h>
#include <ClikaRT/tensor.h>
#include <ClikaRT/transform.h>
#include <ClikaRT/transforms.h>
#include <ClikaRT/types.h>
