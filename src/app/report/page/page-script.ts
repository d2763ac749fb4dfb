// Declared only: scripts/page-script.mjs bundles src/app/report/overlay/script.ts into this file when the package is built and
// when tests run.

/** The script of a report: values under the pointer, zoom, and large pictures. */
export declare const pageScript: string

/** Its hash, as a content security policy names it. */
export declare const pageScriptHash: string
