"""Says for which systems the wheel is: those that its binaries run on, or all when it brings none.

NCCLWHY_WHEEL_TAG is set where the binaries were put into ncclwhy/bin and ncclwhy/lib.
"""

import os

from setuptools import setup
from wheel.bdist_wheel import bdist_wheel


class Wheel(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        if os.environ.get("NCCLWHY_WHEEL_TAG"):
            self.root_is_pure = False

    def get_tag(self):
        platform = os.environ.get("NCCLWHY_WHEEL_TAG")
        return ("py3", "none", platform) if platform else super().get_tag()


setup(cmdclass={"bdist_wheel": Wheel})
