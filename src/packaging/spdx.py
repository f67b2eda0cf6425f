#!/usr/bin/env python3
"""What a static program is made of, as SPDX 2.3: each library with the version and licence of its Debian package.

    spdx.py PROGRAM STATIC_LIBRARIES > ncclwhy.spdx.json

STATIC_LIBRARIES is what the build of the preset `static` wrote: a path a line. A library without a licence here is an error.
"""

import hashlib
import json
import os
import re
import subprocess
import sys

# Debian source package: SPDX licence. Headers that are compiled in stand beside the libraries.
LICENCES = {
    "bzip2": "bzip2-1.0.6",
    "cli11": "BSD-3-Clause",
    "cross-toolchain-base": "LGPL-2.1-or-later",  # glibc of the cross compilers
    "fmtlib": "MIT",
    "gcc-12": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "gcc-12-cross": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "glibc": "LGPL-2.1-or-later",
    "libarchive": "BSD-2-Clause",
    "libzstd": "BSD-3-Clause OR GPL-2.0-only",
    "lz4": "BSD-2-Clause",
    "nettle": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "nlohmann-json3": "MIT",
    "re2": "BSD-3-Clause",
    "sqlite3": "blessing",
    "xz-utils": "LicenseRef-public-domain",
    "zlib": "Zlib",
}
HEADERS = ("/usr/include/CLI/CLI.hpp", "/usr/include/nlohmann/json.hpp", "/usr/include/fmt/format-inl.h")
HERE = os.path.dirname(os.path.abspath(__file__))


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout


def debian_source(path):
    """(source package, version) of a file."""
    # A header of two architectures has two owners of one source: "libfmt-dev:amd64, libfmt-dev:arm64: /usr/include/…".
    owner = output("dpkg-query", "--search", os.path.realpath(path)).split(": ")[0].split(", ")[0]
    return tuple(output("dpkg-query", "--show", "--showformat=${source:Package} ${source:Version}", owner).split())


def httplib():
    with open(os.path.join(HERE, "..", "serve", "httplib", "httplib.h"), encoding="utf-8") as file:
        return "cpp-httplib", re.search(r'CPPHTTPLIB_VERSION "([^"]+)"', file.read()).group(1)


def package(name, version, licence, where):
    return {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name),
        "name": name,
        "versionInfo": version,
        "downloadLocation": where,
        "filesAnalyzed": False,
        "licenseConcluded": licence,
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
    }


def document(program, libraries):
    with open(program, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    said = (os.environ.get("NCCLWHY_SAYS") or output(program, "--version")).split()  # ncclwhy 0.1.0 (commit, date)
    version = " ".join(said[1:])
    date = said[3].rstrip(")") if len(said) > 3 else "1970-01-01"
    own = package("ncclwhy", version, "Apache-2.0", "NOASSERTION")
    own["checksums"] = [{"algorithm": "SHA256", "checksumValue": digest}]
    parts = [package("cpp-httplib", httplib()[1], "MIT", "https://github.com/yhirose/cpp-httplib")]
    for source, its_version in sorted({debian_source(path) for path in [*libraries, *HEADERS]}):
        if source not in LICENCES:
            sys.exit("spdx.py: no licence is known for %s" % source)
        parts.append(package(source, its_version, LICENCES[source], "https://tracker.debian.org/pkg/" + source))
    relate = [("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])]
    relate += [(own["SPDXID"], "STATIC_LINK", part["SPDXID"]) for part in parts]
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": "ncclwhy " + version,
        "documentNamespace": "https://spdx.org/spdxdocs/ncclwhy-" + digest,
        "creationInfo": {"created": date + "T00:00:00Z", "creators": ["Tool: ncclwhy src/packaging/spdx.py"]},
        "hasExtractedLicensingInfos": [
            {"licenseId": "LicenseRef-public-domain", "extractedText": "liblzma is in the public domain."}
        ],
        "packages": [own, *parts],
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other} for one, kind, other in relate
        ],
    }


if __name__ == "__main__":
    with open(sys.argv[2], encoding="utf-8") as list_of_libraries:
        named = list_of_libraries.read().split()
    json.dump(document(sys.argv[1], named), sys.stdout, indent=1)
    print()
