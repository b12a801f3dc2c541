/** After a server's list-changed notification, its tools are listed again before the next step. */
import { serve } from '@hono/node-server'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { expect, test } from 'vitest'
import { call, eventually, startAgent } from './kit.ts'

test('new tools appear and removed ones disappear as soon as the server announces the change', async () => {
  let names = ['first']
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'changing', version: '1' }, { capabilities: { tools: { listChanged: true } } })
    for (const name of names)
      server.registerTool(name, { description: `It is ${name}` }, () => ({ content: [{ type: 'text', text: name }] }))
    return server
  })
  const http = serve({ fetch: (request) => handler.fetch(request), port: 0, hostname: '127.0.0.1' }) as Server
  await once(http, 'listening')
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/`
  const scripts = [call('s.first'), 'Done.', ...Array.from({ length: 50 }, () => 'Nothing.')]
  const here = await startAgent(scripts, { servers: [{ name: 's', url }] })
  await here.runtime.send('c', 'Go')
  expect(here.model.requests[0]?.tools.map(({ name }) => name)).toEqual(['s__first'])

  names = ['second', 'third']
  let n = 0
  await eventually(async () => {
    handler.notify.toolsChanged()
    await here.runtime.send(`c${n++}`, 'And now?')
    const shown = here.model.requests.at(-1)?.tools.map(({ name }) => name)
    return shown?.join() === 's__second,s__third' ? true : undefined
  })
  await here.close()
  await handler.close()
  http.close()
})
