# A rule of your own can do what one of the runtime's transforms does; then the two graphs are equal.
import clika_runtime as crt
from clika_runtime.graph import OpCode, Pattern, transforms
from show import applied, mixer, text

own = transforms.rewrite("neg_of_neg", Pattern.chain([OpCode.Neg, OpCode.Neg]), lambda match, tensors: tensors[0])
by_runtime, by_rule = mixer(), mixer()
print(applied(by_runtime.optimize([transforms.remove_double_neg()])))
print(applied(by_rule.optimize([own])))
print(text(by_rule))
print("equal:", text(by_rule) == text(by_runtime))

# The runtime's names are taken.
try:
    transforms.rewrite("remove_double_neg", Pattern.chain([OpCode.Neg, OpCode.Neg]), lambda match, tensors: tensors[0])
except crt.InvalidArgumentError as error:
    print(error.code_name)
