#!/usr/bin/env python3
"""A container image from scratch: one layer with the static program, nothing else. An OCI archive, the same bytes each time.

    image.py PROGRAM OUT.tar        docker load, podman load, buildah pull oci-archive:OUT.tar, skopeo copy oci-archive:…

Written here instead of with buildah, so that a release needs neither root nor user name spaces.
"""

import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile

USER = "65532:65532"  # nobody in particular: logs are mounted, and need to be readable for others
TITLES = {
    "title": "ncclwhy",
    "description": "Reads NCCL debug logs and says what broke first, where, why and what fixes it",
    "licenses": "Apache-2.0",
}
ARCHITECTURES = {0x3E: "amd64", 0xB7: "arm64"}  # e_machine of the ELF header


def entry(name, content=None, mode=0o755):
    info = tarfile.TarInfo(name)
    info.mode = mode
    if content is None:
        info.type = tarfile.DIRTYPE
    else:
        info.size = len(content)
    return info, content


def archive(entries):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for info, content in entries:
            tar.addfile(info, None if content is None else io.BytesIO(content))
    return out.getvalue()


def image(program, version, date):
    """The bytes of the OCI archive."""
    architecture = ARCHITECTURES[int.from_bytes(program[18:20], "little")]
    layer = archive([entry("logs"), entry("tmp", mode=0o1777), entry("ncclwhy", program)])
    packed = gzip.compress(layer, mtime=0)
    labels = {"org.opencontainers.image." + name: text for name, text in TITLES.items()}
    labels["org.opencontainers.image.version"] = version
    blobs = {}

    def blob(content, kind):
        digest = hashlib.sha256(content).hexdigest()
        blobs["blobs/sha256/" + digest] = content
        return {"mediaType": "application/vnd.oci.image." + kind, "digest": "sha256:" + digest, "size": len(content)}

    def text(value):
        return json.dumps(value, sort_keys=True).encode()

    config = blob(text({
        "created": date + "T00:00:00Z",
        "architecture": architecture,
        "os": "linux",
        "config": {"User": USER, "Entrypoint": ["/ncclwhy"], "Cmd": ["/logs"], "WorkingDir": "/logs", "Labels": labels,
                   "ExposedPorts": {"8471/tcp": {}}},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
        "history": [{"created": date + "T00:00:00Z", "created_by": "src/packaging/image.py"}],
    }), "config.v1+json")
    manifest = blob(text({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": config,
        "layers": [blob(packed, "layer.v1.tar+gzip")],
        "annotations": labels,
    }), "manifest.v1+json")
    manifest["annotations"] = {"org.opencontainers.image.ref.name": version}
    index = text({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [manifest]})
    files = {"oci-layout": text({"imageLayoutVersion": "1.0.0"}), "index.json": index, **blobs}
    return archive([entry("blobs"), entry("blobs/sha256")] + [entry(name, files[name], 0o644) for name in sorted(files)])


def main():
    program, out = sys.argv[1:]
    # ncclwhy 0.1.0 (commit, date)
    said = os.environ.get("NCCLWHY_SAYS") or subprocess.run([program, "--version"], stdout=subprocess.PIPE, check=True).stdout.decode()
    words = said.split()
    with open(program, "rb") as file:
        content = file.read()
    with open(out, "wb") as file:
        file.write(image(content, words[1], words[3].rstrip(")") if len(words) > 3 else "1970-01-01"))


if __name__ == "__main__":
    main()
