"""The two embedded classifiers: small enough to be asked thousands of times a second on one core."""

import torch
from torch import nn


class Digits(nn.Module):
    """Three convolutions for 28 x 28 grey digits in [0, 1]; about half a million multiplications."""

    shape = (1, 28, 28)
    mean = (0.1307,)
    deviation = (0.3081,)

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            *convolution(1, 12, kernel=5, stride=2), nn.ReLU(),
            *convolution(12, 24, kernel=3, stride=2), nn.ReLU(),
            *convolution(24, 40, kernel=3, stride=1), nn.ReLU(),
        )
        self.head = nn.Linear(40, 10)

    def forward(self, pixels):
        return self.head(self.body(pixels).mean((2, 3)))


class Residual(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = nn.Sequential(*convolution(inputs, outputs, 3, stride))
        self.second = nn.Sequential(*convolution(outputs, outputs, 3, 1))
        same = stride == 1 and inputs == outputs
        self.shortcut = nn.Identity() if same else nn.Sequential(*convolution(inputs, outputs, 1, stride))

    def forward(self, x):
        return torch.relu(self.second(torch.relu(self.first(x))) + self.shortcut(x))


class Colors(nn.Module):
    """A residual network for 32 x 32 colour images in [0, 1] that works at half the resolution from the start."""

    shape = (3, 32, 32)
    mean = (0.4914, 0.4822, 0.4465)
    deviation = (0.2470, 0.2435, 0.2616)

    def __init__(self, widths=(32, 80, 192), blocks=(1, 1, 1)):
        super().__init__()
        layers = [*convolution(3, widths[0], kernel=4, stride=2, padding=1), nn.ReLU()]
        width = widths[0]
        for stage, (outputs, count) in enumerate(zip(widths, blocks)):
            for block in range(count):
                layers.append(Residual(width, outputs, 2 if stage > 0 and block == 0 else 1))
                width = outputs
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(width, 10)

    def forward(self, pixels):
        return self.head(self.body(pixels).mean((2, 3)))


def convolution(inputs, outputs, kernel, stride, padding=None):
    padding = kernel // 2 if padding is None else padding
    return nn.Conv2d(inputs, outputs, kernel, stride, padding, bias=False), nn.BatchNorm2d(outputs)


class Normalized(nn.Module):
    """A network together with the normalisation of its pixels, so that it takes what an image file holds / 255."""

    def __init__(self, network):
        super().__init__()
        self.network = network
        self.register_buffer('mean', torch.tensor(network.mean).view(1, -1, 1, 1))
        self.register_buffer('deviation', torch.tensor(network.deviation).view(1, -1, 1, 1))

    def forward(self, pixels):
        return self.network((pixels - self.mean) / self.deviation)
