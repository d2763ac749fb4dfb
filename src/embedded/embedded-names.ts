/** The classifiers that ship with the package. */
export const embeddedNames = ['digits', 'cifar10'] as const

/** One of the classifiers that ship with the package. */
export type EmbeddedName = (typeof embeddedNames)[number]
