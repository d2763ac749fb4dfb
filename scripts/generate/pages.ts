/** The pages whose tables follow from the parts, by path. */
export function pageFiles(_read: (path: string) => string): Map<string, string> {
  return new Map()
}
