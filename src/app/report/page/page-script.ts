// Declared only: scripts/page-script.mjs makes this file of src/app/report/overlay/script.ts and of the styles beside it when the
// package is built and when tests run.

/** The script of a report: values under the pointer, zoom, and large pictures. */
export declare const pageScript: string

/** Its hash, as a content security policy names it. */
export declare const pageScriptHash: string

/** The style of a page and of its charts, without the palette. */
export declare const pageStyle: string
