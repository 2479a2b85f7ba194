// The classes of the records in Passes.td and the files it includes.
#ifndef CLIKA_TRANSFORMS_TRANSFORM_BASE_TD
#define CLIKA_TRANSFORMS_TRANSFORM_BASE_TD

class Clika_Exactness<string kind_, string rtol_ = "0.0", string atol_ = "0.0"> {
  string kind = kind_;
  string rtol = rtol_;
  string atol = atol_;
}
// The same bits, all NaNs being one value.
def Exact : Clika_Exactness<"Exact">;
// |a - b| <= atol + rtol * |b|, with NaN and infinities in the same places.
class Bounded<string rtol, string atol> : Clika_Exactness<"Bounded", rtol, atol>;
class Approximate<string rtol, string atol> : Clika_Exactness<"Approximate", rtol, atol>;

// `place`: its place in the default list, ascending; 0: not in it.
class Clika_Transform<string name_, int place_, Clika_Exactness exactness_ = Exact> {
  string name = name_;
  int place = place_;
  Clika_Exactness exactness = exactness_;
  string summary = ?;
  string description = "";
  // The patterns of StandardPatterns.td whose rewrites it makes.
  list<string> serves = [];
  // A function before and after, in the dialect's text; a test runs the pass on the one and compares with the other.
  string before = ?;
  string after = ?;
}

// A family of patterns that another optimizer ships; each is served by transforms or left out, or the build stops.
class Clika_PatternFamily<int place_, string title_, list<string> names_> {
  int place = place_;
  string title = title_;
  list<string> names = names_;
}
class Clika_LeftOut<string pattern_, string why_> {
  string pattern = pattern_;
  string why = why_;
}

#endif
