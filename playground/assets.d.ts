/** What scripts/playground.mjs puts into the script: the network, and the first held-out digits, 784 bytes each. */
declare module 'digits:*' {
  const bytes: Uint8Array<ArrayBuffer>
  export default bytes
}

declare module '*.css?raw' {
  const text: string
  export default text
}
