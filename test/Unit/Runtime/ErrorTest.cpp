#include <ClikaRT/error.h>

#include <gtest/gtest.h>

#include <string>

using namespace ClikaRT;

TEST(Error, TakesTheStatusesDefaultCodeName) {
  const std::pair<Status, const char *> defaults[] = {{Status::InvalidArgument, "INVALID_ARGUMENT"},
                                                      {Status::NotFound, "NOT_FOUND"},
                                                      {Status::Unsupported, "UNSUPPORTED"},
                                                      {Status::OutOfMemory, "OUT_OF_MEMORY"},
                                                      {Status::Io, "IO"},
                                                      {Status::Internal, "INTERNAL"}};
  for (const auto &[status, name] : defaults) {
    const Error error(status, "call: what");
    EXPECT_EQ(error.status(), status);
    EXPECT_EQ(error.code_name(), name);
    EXPECT_STREQ(error.what(), "call: what");
  }
}

TEST(Error, KeepsACodeNameOfItsOwn) {
  const Error error(Status::InvalidArgument, "finalize: no", "FAILED_PRECONDITION");
  EXPECT_EQ(error.code_name(), "FAILED_PRECONDITION");
  try {
    throw Error(error);
  } catch (const std::runtime_error &copy) {
    EXPECT_EQ(dynamic_cast<const Error &>(copy).code_name(), "FAILED_PRECONDITION");
    EXPECT_STREQ(copy.what(), "finalize: no");
  }
}

TEST(Result, HoldsAValueOrAFailure) {
  Result<std::string> good = std::string("yes");
  EXPECT_TRUE(good.ok());
  EXPECT_EQ(good.value(), "yes");
  EXPECT_EQ(std::move(good).value(), "yes");

  const Result<std::string> bad(Status::Io, "load: no file");
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.error().status(), Status::Io);
  try {
    (void)bad.value();
    FAIL() << "value() of a failure returned";
  } catch (const Error &error) {
    EXPECT_STREQ(error.what(), "load: no file");
    EXPECT_EQ(error.code_name(), "IO");
  }
}

TEST(Result, OfVoidIsGoodByDefault) {
  const Result<void> good = {};
  EXPECT_TRUE(good.ok());
  EXPECT_NO_THROW(good.value());
  const Result<void> bad(Status::Unsupported, "the graph still computes a Neg", "NEG_NOT_SERVED");
  EXPECT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().code_name(), "NEG_NOT_SERVED");
  EXPECT_THROW(bad.value(), Error);
}
