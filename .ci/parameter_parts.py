"""From cargo's metadata: the files that make up Zcash's `spend` or `output` parameters, in order."""

import glob
import json
import os
import sys

PREFIX = "wagyu-zcash-parameters-"
circuit = sys.argv[1]
folders = {
    package["name"]: os.path.dirname(package["manifest_path"])
    for package in json.load(sys.stdin)["packages"]
    if package["name"].startswith(PREFIX)
}
for name in sorted(folders):
    for part in sorted(glob.glob(f"{folders[name]}/src/sapling-{circuit}*.params")):
        print(part)
