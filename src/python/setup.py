"""Says for which systems the wheel is: those that its binaries run on, or all when it brings none.

NCCLWHY_WHEEL_TAG is set by build_wheel.sh, which puts the binaries into ncclwhy/bin and ncclwhy/lib.
"""

import os

from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel

PLATFORM = os.environ.get("NCCLWHY_WHEEL_TAG")


class Binaries(Distribution):
    def has_ext_modules(self):
        return bool(PLATFORM)


class Wheel(bdist_wheel):
    def get_tag(self):
        # No extension module: any Python 3 of that platform will do.
        return ("py3", "none", PLATFORM) if PLATFORM else super().get_tag()


setup(cmdclass={"bdist_wheel": Wheel}, distclass=Binaries)
