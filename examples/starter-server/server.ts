/** `node --conditions=@holdpoint/source examples/starter-server/server.ts examples/starter-assistant-ui/dist` */
import { randomBytes } from 'node:crypto'
import { serve } from '@hono/node-server'
import { starterServer } from './app.ts'

const [pages = 'examples/starter-assistant-ui/dist'] = process.argv.slice(2)
const consoleKey = `hp_${randomBytes(24).toString('hex')}`
const { app } = await starterServer({
  pages,
  console: 'packages/gateway/console', // built by npm start
  consoleKey,
  store: process.env['STORE'] ?? 'starter.db',
})
serve({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 4051), hostname: '127.0.0.1' }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}/login/ada\nconsole: http://127.0.0.1:${port}/#key=${consoleKey}`),
)
