/** Files over HTTP: who reads them, what a browser does with them, and uploads that go wrong. */
import { connect as openSocket } from 'node:net'
import { connect } from '@holdpoint/client'
import { expect, test, vi } from 'vitest'
import { personKit } from './person-kit.ts'

const PNG = Uint8Array.from([137, 80, 78, 71, 13, 10, 26, 10, 0, 255])

async function stage() {
  const here = await personKit({ socket: true, program: { files: { maxBytes: 1000 } } })
  const clientOf = (key: string) => connect({ url: here.url, key, attempts: 1 })
  const admin = clientOf(here.key('acme', 'admin'))
  const tokenOf = async (sub: string) => {
    const ask = await here.person(sub)
    return {
      ask,
      upload: (name: string) => ask('POST', `/api/files?name=${encodeURIComponent(name)}`, { a: name }),
    }
  }
  const raw = (body: Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
    fetch(`${here.url}/api/files`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${here.key('acme', 'admin')}`, ...headers },
    })
  const read = (id: string, headers: Record<string, string> = {}) =>
    fetch(`${here.url}/api/files/${id}`, {
      headers: { authorization: `Bearer ${here.key('acme', 'admin')}`, ...headers },
    })
  return { ...here, admin, clientOf, tokenOf, raw, read }
}

test('a client uploads a file, sends it, and reads it back', async () => {
  const { admin } = await stage()
  const file = await admin.files.upload(new Blob([PNG], { type: 'image/png' }), { name: 'a cat.png' })
  expect(file).toMatchObject({ name: 'a cat.png', mediaType: 'image/png', bytes: 10 })
  expect(await admin.conversations.send('c', [{ type: 'text', text: 'hello' }, file.part], { wait: 10 })).toMatchObject(
    { ok: true },
  )
  const view = await admin.conversations.view('c')
  expect(view?.turns[0]?.items[0]).toMatchObject({ message: { parts: [{ type: 'text' }, file.part] } })
  expect(new Uint8Array(await (await admin.files.read(file.id)).arrayBuffer())).toEqual(PNG)
})

test('people read the files of their conversations and their own uploads; for all others there is no such file', async () => {
  const { tokenOf, ask } = await stage()
  const [ada, ben] = [await tokenOf('ada'), await tokenOf('ben')]
  const { body: file } = await ada.upload('plan.json')
  const path = `/api/files/${file.id}`
  const part = { type: 'file', file: { kind: 'stored', id: file.id } }
  expect((await ada.ask('GET', path)).status).toBe(200)
  for (const nothing of [
    await ben.ask('GET', path),
    await ask('GET', path, { tenant: 'umbrella' }),
    await ada.ask('GET', '/api/files/unknown'),
  ])
    expect(nothing).toMatchObject({ status: 404, body: { code: 'not-found' } })
  expect(await ben.ask('POST', '/api/conversations/b/messages', { content: [part] })).toMatchObject({
    status: 404,
    body: { code: 'file-missing' },
  })
  expect((await ada.ask('POST', '/api/conversations/a/messages?wait=10', { content: [part] })).status).toBe(200)
  expect((await ben.ask('GET', path)).status).toBe(404)
  await ada.ask('POST', '/api/conversations/a/participants', { add: ['ben'] })
  expect((await ben.ask('GET', path)).status).toBe(200)
  await ask('DELETE', '/api/conversations/a')
  for (const person of [ada, ben]) expect((await person.ask('GET', path)).status).toBe(404)
})

test('a browser shows pictures, saves every other file, and runs none', async () => {
  const { admin, read } = await stage()
  const upload = async (mediaType: string, name: string) =>
    read((await admin.files.upload(PNG, { mediaType, name })).id)
  const picture = await upload('image/png', 'a"b\n.png')
  expect(picture.headers.get('content-disposition')).toBe(`inline; filename="a_b.png"; filename*=UTF-8''a%22b.png`)
  for (const type of ['image/svg+xml', 'text/html', 'application/pdf']) {
    const { headers } = await upload(type, '€.html')
    expect(headers.get('content-disposition')).toBe(`attachment; filename="_.html"; filename*=UTF-8''%E2%82%AC.html`)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain('sandbox')
  }
  const { id, sha256 } = await admin.files.upload(PNG, { mediaType: 'image/png' })
  expect((await read(id, { 'if-none-match': `"${sha256}"` })).status).toBe(304)
})

test('an upload that is too large, empty, compressed or without a type is refused, and nothing of it stays', async () => {
  const { raw, store } = await stage()
  const type = { 'content-type': 'image/png' }
  const answers = await Promise.all([
    raw(new Uint8Array(1001), type),
    raw(new Uint8Array(0), type),
    raw(PNG, { ...type, 'content-encoding': 'gzip' }),
    raw(PNG, { 'content-type': 'nonsense' }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([413, 422, 415, 415])
  expect(await store.files?.().usage('acme')).toBe(0)
})

/** Sends a request by hand, and resolves with what was answered until the connection was closed. */
async function byHand(url: string, key: string, headers: string, body: string, half: boolean): Promise<string> {
  const { port, hostname } = new URL(url)
  const socket = openSocket(Number(port), hostname)
  let answer = ''
  socket.on('data', (data) => (answer += String(data)))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => {})
  socket.write(
    `POST /api/files HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${key}\r\nContent-Type: image/png\r\n${headers}\r\n\r\n${body}`,
  )
  if (half) socket.end()
  else await vi.waitFor(() => expect(answer).toContain('\r\n\r\n'), { timeout: 10_000 })
  if (!half) socket.destroy()
  await closed
  return answer
}

test('an upload that says it is too large is refused before its bytes are sent, and a cut one leaves nothing', async () => {
  const { url, key, store } = await stage()
  const admin = key('acme', 'admin')
  expect(await byHand(url, admin, 'Content-Length: 5000', '', false)).toContain('HTTP/1.1 413')
  await byHand(url, admin, 'Content-Length: 500', 'only this much', true)
  await byHand(url, admin, 'Transfer-Encoding: chunked', '5\r\nonly ', true)
  await vi.waitFor(async () => expect((await store.files!().walk({ limit: 9 })).items).toEqual([]), { timeout: 10_000 })
})
