import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import type { connect } from '@holdpoint/client'

/** Bundles and minifies everything that a page may import: all but the worker, which is for programs. */
async function bundled(): Promise<{
  readonly code: string
  readonly modules: readonly string[]
  readonly imports: readonly string[]
}> {
  const entry = fileURLToPath(new URL('../src/index.ts', import.meta.url))
  const page = 'page.ts'
  const bundle = await rolldown({
    input: page,
    plugins: [
      {
        name: 'a page',
        resolveId: (id) => (id === page ? id : undefined),
        load: (id) =>
          id === page
            ? `export { connect, holdsOf, messagesOf, turnsOf, HoldpointHttpError } from ${JSON.stringify(entry)}`
            : undefined,
      },
    ],
    platform: 'browser',
    resolve: { conditionNames: ['@holdpoint/source', 'import'] },
  })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  const [{ code, moduleIds, imports }] = output
  return { code, modules: moduleIds, imports }
}

test('a page loads under 18 KB, without code for Node and without the turn machine', async () => {
  const { code, modules, imports } = await bundled()
  const gz = gzipSync(code, { level: 9 }).length
  console.log(`client for the browser: ${code.length} bytes, ${gz} gzipped`)
  expect(imports).toEqual([])
  expect(code).not.toMatch(/["']node:|\brequire\(|\bprocess\.|\bBuffer\b/)
  const packages = modules
    .filter((id) => id !== 'page.ts')
    .map((id) => /packages\/([^/]+)\/src\/(.*)$/.exec(id)?.slice(1) ?? [id])
  expect(packages.filter(([name]) => !['client', 'protocol', 'core', 'spaces'].includes(name ?? ''))).toEqual([])
  const allowed: Record<string, RegExp> = {
    core: /^(?:live|principal|audit\/admin-entry\.ts$|json\.ts$|sha256\.ts$|utf8\.ts$|turn\/(?:hold|erased)\.ts$|log\/(?:message|space-event|space-frame)|model\/reply)/,
    spaces: /^(?:view\.ts$|space\/space-(?:view|writing))/,
  }
  expect(packages.filter(([name = '', file = '']) => allowed[name]?.test(file) === false)).toEqual([])
  expect(gz).toBeLessThan(18 * 1024)
})

test('the bundle runs with only the globals of a browser', async () => {
  const { code } = await bundled()
  const made = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { connect: typeof connect }
  const client = made.connect({
    url: 'https://holdpoint.acme.test',
    key: 'hp_test',
    fetch: async () => new Response(JSON.stringify({ items: [] })),
  })
  expect(await client.holds.list()).toEqual({ items: [] })
})
