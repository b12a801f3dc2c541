import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { openStore } from 'holdpoint'
import { expect, onTestFinished, test } from 'vitest'

/** What opening a PostgreSQL URL says in a process where the package is looked for from here. */
function opening(place: (folder: string) => { readonly from: string } | { readonly file: string }): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const found = place(folder)
  const next =
    'file' in found ? `next(${JSON.stringify(found.file)})` : `next(name, { ...context, parentURL: '${found.from}' })`
  const program = `
    import { registerHooks } from 'node:module'
    const resolve = (name, context, next) => (name === '@holdpoint/store-postgres' ? ${next} : next(name, context))
    registerHooks({ resolve })
    const { agent, holdpoint } = await import('holdpoint')
    const desk = agent({ name: 'desk', model: { id: 'none', stream: async function* () {} } })
    const told = await holdpoint({ store: 'postgres://nowhere', agents: [desk] }).catch((error) => error)
    console.log(told.code, told.message)`
  const args = ['--conditions=@holdpoint/source', '--input-type=module', '--eval', program]
  return execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' })
}

test('a PostgreSQL URL without the package for it: one is told to install it', () => {
  const told = opening((folder) => ({ from: pathToFileURL(join(folder, 'main.mjs')).href }))

  expect(told).toContain('store-unusable For PostgreSQL, install @holdpoint/store-postgres')
})

test('a PostgreSQL package that lacks something it needs is not told to be missing itself', () => {
  const told = opening((folder) => {
    writeFileSync(join(folder, 'store.mjs'), "import 'a-driver-that-is-not-there'")
    return { file: pathToFileURL(join(folder, 'store.mjs')).href }
  })

  expect(told).toContain("ERR_MODULE_NOT_FOUND Cannot find package 'a-driver-that-is-not-there'")
})

test('a direct URL for notifications beside a file is refused, because a file has none', async () => {
  const opening = openStore('desk.db', { listenUrl: 'postgres://db/desk' })
  await expect(opening).rejects.toThrow('listenUrl is for PostgreSQL, and this store is a file: leave it out.')
})
