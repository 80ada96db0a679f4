# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Native functions as layers of PyTorch.

    layer = rg.torch.module(f, weights=torch.randn(3, 4))
    layer(x, n=4)                 # weights is a parameter of the layer
"""

import torch as _torch


def module(function, **parameters):
    """A torch.nn.Module that calls `function`. Each keyword names a parameter of the function and gives its first
    value; it becomes a torch.nn.Parameter of the module. The other arguments are given at each call, by place or
    by name."""
    names = [p.name for p in function.parameters]
    for name in parameters:
        if name not in names:
            raise TypeError(f"{function.name}() has no parameter '{name}'; it is {function.__doc__}")
        if name not in function.active:
            raise TypeError(f"'{name}' of {function.name}() is not differentiated; active are "
                            f"{', '.join(function.active)}")

    class Native(_torch.nn.Module):
        def __init__(self):
            super().__init__()
            for name, value in parameters.items():
                kind = next(p.dtype for p in function.parameters if p.name == name).name
                value = _torch.as_tensor(value, dtype=getattr(_torch, kind)).detach().clone()
                self.register_parameter(name, _torch.nn.Parameter(value))

        def forward(self, *args, **named):
            rest = iter(args)
            given = []
            for name in names:
                if name in parameters:
                    given.append(getattr(self, name))
                elif name in named:
                    given.append(named.pop(name))
                else:
                    given.append(next(rest, None))
                    if given[-1] is None:
                        raise TypeError(f"{function.name}(): '{name}' is missing; it is {function.__doc__}")
            if named or next(rest, None) is not None:
                raise TypeError(f"{function.name}(): too many arguments; it is {function.__doc__}, of which "
                                f"{', '.join(parameters)} belong to the layer")
            return function.torch(*given)

        def extra_repr(self):
            return function.__doc__

    return Native()
