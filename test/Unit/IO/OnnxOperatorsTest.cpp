#include "IO/Onnx/Operators.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <fstream>
#include <sstream>

namespace {

std::string listed() {
  std::string list;
  for (const std::string &name : clika::onnx::Operators().names())
    list += (list.empty() ? "`" : ", `") + name + "`";
  return list + ".";
}

// The guide's list, as it should stand in the page, is in the message of a failure.
TEST(OnnxOperators, TheGuideListsThem) {
  std::ifstream file(CLIKA_ONNX_PAGE);
  std::stringstream page;
  page << file.rdbuf();
  std::string text = page.str(), wanted = listed();
  std::ranges::replace(text, '\n', ' ');
  EXPECT_NE(text.find(wanted), std::string::npos) << wanted;
}

} // namespace
