/**
 * What the server is made with. The published package holds this file with all that it imports, so that the packages behind
 * it need not be installed: see tsdown.plotting.config.ts.
 */
export { createAdaptorServer, type HttpBindings } from '@hono/node-server'
export { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
export { type Context, Hono } from 'hono'
