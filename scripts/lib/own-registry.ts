/** An npm registry on this machine that serves our tarballs as if they were published. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { root } from './workspace.ts'

export interface OwnRegistry {
  readonly url: string
  close(): void
}

/** `tarballs`: by the folder of their package. */
export async function ownRegistry(tarballs: ReadonlyMap<string, string>): Promise<OwnRegistry> {
  let url = ''
  const packages = new Map(
    [...tarballs].map(([folder, file]) => {
      const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
        readonly name: string
        readonly version: string
      }
      return [manifest.name, { manifest, tarball: readFileSync(file) }] as const
    }),
  )
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1)
    const found = packages.get(path.replace(/\.tgz$/, ''))
    if (!found) return void response.writeHead(404).end('{}')
    if (path.endsWith('.tgz')) return void response.end(found.tarball)
    const { manifest, tarball } = found
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
    const dist = { integrity, tarball: `${url}/${manifest.name}.tgz` }
    const versions = { [manifest.version]: { ...manifest, dist } }
    const listing = { name: manifest.name, 'dist-tags': { latest: manifest.version }, versions }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(listing))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, close: () => server.close() }
}
