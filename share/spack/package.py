# A recipe for Spack: copy the folder into a repository of recipes as packages/bmf, then `spack install bmf`.
# Not built in the tests of bmf, which only look at its syntax. URLs are those of whoever publishes the sources.
from spack.package import *


class Bmf(CMakePackage):
    """Bird-Meertens skeletons over MPI and OpenMP: programs that are run, predicted for other machines, and traced."""

    homepage = "https://example.org/bmf"
    git = "https://example.org/bmf.git"

    license("LGPL-3.0-or-later AND GPL-3.0-or-later")

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")

    variant("hdf5", default=True, description="read and write HDF5 data sets")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpich@4:", when="^[virtuals=mpi] mpich")
    depends_on("mpi")
    depends_on("libconfig")
    depends_on("jansson")
    depends_on("otf2@3:")
    depends_on("zlib-api")
    depends_on("hdf5~mpi", when="+hdf5")

    def cmake_args(self):
        return [
            self.define("BMF_MPI", "openmpi" if self.spec.satisfies("^[virtuals=mpi] openmpi") else "mpich"),
            self.define("BMF_HDF5", "ON" if self.spec.satisfies("+hdf5") else "OFF"),
            self.define("BMF_TESTS", False),
            self.define("BMF_PEERS", False),
        ]
