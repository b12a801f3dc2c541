/**
 * Footprint: installs tarballs for SQLite, as npm would publish them, into an empty project. Measures packages, megabytes,
 * and the time of the first import in a fresh process.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { capture } from '../scripts/lib/run.ts'
import { find, read, root } from '../scripts/lib/workspace.ts'
import { progress, type Report } from './storage/report.ts'
import { median } from './storage/statistics.ts'

const PACKAGE = 'holdpoint'

export async function footprint({ rounds = 15 }: { readonly rounds?: number }): Promise<Report> {
  const scratch = mkdtempSync(join(tmpdir(), 'holdpoint-footprint-'))
  const project = join(scratch, 'project')
  try {
    progress('building and packing')
    must(['tsc', '-b', folderOf(PACKAGE) ?? ''], root)
    const tarballs = [...needed(PACKAGE)].map((folder) => pack(folder, scratch))
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }))
    progress(`installing ${tarballs.length} tarballs and what they need`)
    must(
      ['npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', '--engine-strict=false', ...tarballs],
      project,
    )
    const installed = packagesIn(project)
    const megabytes = bytesIn(join(project, 'node_modules')) / 1e6
    const imports = importMs(project, rounds)
    return {
      bench: 'footprint',
      limits: [
        { what: 'packages', value: installed.length, most: 12 },
        { what: 'megabytes', value: megabytes, most: 8 },
      ],
      figures: {
        packages: installed.length,
        megabytes,
        importMs: imports.import,
        processMs: imports.process,
        emptyProcessMs: imports.empty,
        names: installed,
      },
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** The folders of one of our packages and of our packages that it depends on. */
function needed(name: string, found = new Set<string>()): ReadonlySet<string> {
  const folder = folderOf(name)
  if (folder === undefined || found.has(folder)) return found
  found.add(folder)
  const { dependencies = {} } = manifestOf(folder)
  for (const each of Object.keys(dependencies)) needed(each, found)
  return found
}

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(read(`${folder}/package.json`)) as Manifest
}

function folderOf(name: string): string | undefined {
  return find('packages/*/package.json')
    .map((file) => dirname(file))
    .find((folder) => manifestOf(folder).name === name)
}

function pack(folder: string, to: string): string {
  const said = must(['npm', 'pack', '--json', '--loglevel=error', '--pack-destination', to], join(root, folder))
  // npm answers with a list of packages or, from 11.17 on, with an object of them by name.
  const [packed] = Object.values(JSON.parse(said) as Record<string, { readonly filename: string }>)
  if (!packed) throw new Error(`npm pack printed nothing about ${folder}.`)
  return join(to, packed.filename)
}

/** All packages that npm installed, at any depth. */
function packagesIn(project: string): readonly string[] {
  const text = readFileSync(join(project, 'node_modules/.package-lock.json'), 'utf8')
  const { packages } = JSON.parse(text) as { readonly packages: Readonly<Record<string, unknown>> }
  return Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, ''))
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

/** The medians of the import itself, of the process that does it, and of an empty process. The three alternate. */
function importMs(project: string, rounds: number): Readonly<Record<'import' | 'process' | 'empty', number>> {
  writeFileSync(join(project, 'empty.mjs'), '')
  writeFileSync(
    join(project, 'import.mjs'),
    `const start = performance.now(); await import('${PACKAGE}'); console.log(performance.now() - start)`,
  )
  const took = { import: [] as number[], process: [] as number[], empty: [] as number[] }
  const run = (file: string): { readonly said: string; readonly ms: number } => {
    const start = performance.now()
    const said = must([process.execPath, file], project)
    return { said, ms: performance.now() - start }
  }
  run('import.mjs') // loads the files into the system's cache
  for (let nth = 0; nth < rounds; nth++) {
    took.empty.push(run('empty.mjs').ms)
    const { said, ms } = run('import.mjs')
    took.process.push(ms)
    took.import.push(Number(said))
  }
  return { import: median(took.import), process: median(took.process), empty: median(took.empty) }
}

function must(command: readonly string[], cwd: string): string {
  const { code, stdout, stderr } = capture(command, cwd)
  if (code !== 0) throw new Error(`${command.slice(0, 3).join(' ')} failed:\n${stdout}${stderr}`)
  return stdout
}
