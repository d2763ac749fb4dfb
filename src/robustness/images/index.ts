export { className, classNumber, parseClassNames } from './class-names.ts'
export type { Dataset, Image, Picture } from './dataset.ts'
export { type IndexRange, imagesOfClass, subset } from './dataset.ts'
export { type FolderOptions, folderDataset, folderOptions } from './folder.ts'
export {
  type CifarOptions,
  cifarDataset,
  cifarOptions,
  type IdxOptions,
  idxDataset,
  idxOptions,
} from './idx-and-cifar.ts'
export type { ImageOptions } from './image-file.ts'
export { encodePng, imageLibrary, readImage, writePng } from './image-file.ts'
export { fromBytes, magnified, type PerturbationPicture, perturbationPicture, quantized, toBytes } from './pixels.ts'
