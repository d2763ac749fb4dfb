"""Frames on stdin and stdout: a signed 32-bit count, then what it counts. JSON that is said has a negative one, in bytes."""

import json
import os
import struct
import sys

channel = os.dup(1)
os.dup2(2, 1)  # what libraries print must not get between the frames


def read(count):
    parts = []
    while count > 0:
        part = os.read(0, min(count, 1 << 20))
        if not part:
            sys.exit(0)
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def write(data):
    view = memoryview(data)
    while view:
        view = view[os.write(channel, view) :]


def say(message):
    data = json.dumps(message).encode()
    write(struct.pack("<i", -len(data)) + data)


def heard():
    return json.loads(read(struct.unpack("<i", read(4))[0]))
