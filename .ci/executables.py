"""From cargo's JSON messages: a line `kind name path` for each executable of this package."""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message.get("reason") != "compiler-artifact" or not message.get("executable"):
        continue
    target = message["target"]
    kind = target["kind"][0]
    if kind in ("custom-build", "proc-macro"):
        continue
    kind = "unit" if kind in ("lib", "rlib") else kind
    print(kind, target["name"], message["executable"])
