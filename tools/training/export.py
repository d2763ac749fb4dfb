"""Writes a trained network as ONNX: batch dimension free, weights kept in half precision, all arithmetic in float32."""

import numpy
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval


def export(model, shape, file):
    """Exports `model` with input 'pixels' (N x C x H x W in [0, 1]) and output 'logits' (N x 10)."""
    fold_normalizations(model.eval())
    model.to(memory_format=torch.contiguous_format)
    torch.onnx.export(
        model, torch.zeros(2, *shape), file, input_names=['pixels'], output_names=['logits'],
        dynamic_axes={'pixels': {0: 'batch'}, 'logits': {0: 'batch'}}, opset_version=17, dynamo=False,
    )
    halved = halve(onnx.load(file))
    onnx.checker.check_model(halved)
    onnx.save(halved, file)


def fold_normalizations(module):
    """Merges each batch normalisation into the convolution before it."""
    for child in module.children():
        fold_normalizations(child)
    if isinstance(module, nn.Sequential):
        names = list(module._modules)
        for first, second in zip(names, names[1:]):
            pair = module._modules[first], module._modules[second]
            if isinstance(pair[0], nn.Conv2d) and isinstance(pair[1], nn.BatchNorm2d):
                module._modules[first] = fuse_conv_bn_eval(*pair)
                module._modules[second] = nn.Identity()


def halve(model):
    """Stores each large float32 weight as float16, followed by a cast that a runtime does once, when it loads the file."""
    graph = model.graph
    casts = []
    for tensor in list(graph.initializer):
        values = numpy_helper.to_array(tensor)
        if tensor.data_type != TensorProto.FLOAT or values.size < 64:
            continue
        stored = f'{tensor.name}.half'
        casts.append(helper.make_node('Cast', [stored], [tensor.name], to=TensorProto.FLOAT))
        graph.initializer.remove(tensor)
        graph.initializer.append(numpy_helper.from_array(values.astype(numpy.float16), stored))
    for node in reversed(casts):
        graph.node.insert(0, node)
    return model
