// Settings that window operators (convolutions, pools) share.
#ifndef CLIKA_WINDOW_SETTINGS_TD
#define CLIKA_WINDOW_SETTINGS_TD

include "ClikaBase.td"

def Clika_AutoPadAttr
    : Clika_EnumAttr<"AutoPad", ["Explicit", "SameUpper", "SameLower", "Valid"],
                     "how the edges of a window operator's input are padded">;
def Clika_AutoPad
    : Arg<Clika_Enum<Clika_AutoPadAttr, "Explicit">,
          "Explicit: as pads says; SameUpper and SameLower: so that a result has ceil(size / stride) elements, an odd "
          "element at the end or at the beginning; Valid: none">;
def Clika_Strides : Arg<Clika_Ints<"{}">, "the window's step, one per spatial dimension; {}: 1 each">;
def Clika_Dilations : Arg<Clika_Ints<"{}">, "the distance of the window's elements, one per spatial dimension; {}: 1 each">;

#endif
