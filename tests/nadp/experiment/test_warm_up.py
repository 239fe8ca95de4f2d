from nadp.experiment.warm_up import warm_up
from nadp.files.kernels import lines, numbers
from nadp.groups.kernels import merge


def test_what_takes_long_to_compile_is_compiled_afterwards():
    warm_up()
    assert all(kernel.compile().overloads for kernel in (lines, numbers, merge))
