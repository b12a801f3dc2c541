/** `node --conditions=@holdpoint/source examples/use-chat/server.ts`, then open the address that it prints. */
import { serve } from '@hono/node-server'
import { app } from './app.ts'

serve({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 4050), hostname: '127.0.0.1' }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}/login/ada`),
)
