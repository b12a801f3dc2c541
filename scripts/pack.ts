/**
 * Tests the packages that users install, instead of the sources: packs every package, installs the tarballs into an empty
 * project, type-checks and runs a program there, copies the components into it as their guide says, and checks the
 * tarballs with publint and attw. Build with `tsc -b` and build the console before.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportsOf, importsOf } from './lib/source.ts'
import { pageOptions } from './lib/page-options.ts'
import { captureLater, inParallel } from './lib/run.ts'
import { packageFolders, read, report, root } from './lib/workspace.ts'

interface Packed {
  readonly name: string
  readonly folder: string
  readonly tarball: string
}

/** Files that other builds than `tsc -b` write. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  '@holdpoint/gateway': ['console/index.html', 'console/r/registry.json'],
  '@holdpoint/ui': ['dist/add/main.js', 'src/theme.css'],
}

/** The programs of the README, by their folders in examples/. */
const PROGRAMS = ['readme', 'killed-process'] as const

const scratch = mkdtempSync(join(tmpdir(), 'holdpoint-pack-'))
const project = join(scratch, 'project')
const problems: string[] = []

async function must(what: string, command: readonly string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await captureLater(command, cwd)
  if (code !== 0) throw new Error(`${what} failed (${command.join(' ')})\n${stdout}${stderr}`)
  return stdout
}

async function pack(folder: string): Promise<Packed> {
  const { name, private: secret } = JSON.parse(read(`${folder}/package.json`)) as { name: string; private?: boolean }
  if (secret === true) throw new Error(`${folder} is private and cannot be packed`)
  const args = ['npm', 'pack', '--json', '--loglevel=error', '--pack-destination', scratch]
  const listing: unknown = JSON.parse(await must('npm pack', args, join(root, folder)))
  // npm answers with a list of packages or, from 11.17 on, with an object of them by name.
  const [packed] = Object.values(listing as Record<string, { filename: string; files: { path: string }[] }>)
  if (packed === undefined) throw new Error(`npm pack printed nothing about ${folder}`)
  const files = packed.files.map(({ path }) => path)
  for (const needed of ['dist/index.js', 'dist/index.d.ts', 'LICENSE', ...(ALSO[name] ?? [])]) {
    if (!files.includes(needed)) problems.push(`${name}: the tarball has no ${needed}`)
  }
  const sources = new Set(
    files.filter((file) => file.startsWith('src/')).map((file) => file.slice(4).replace(/\.tsx?$/, '')),
  )
  for (const file of files) {
    const built = /^dist\/(.+)\.js$/.exec(file)?.[1]
    if (built !== undefined && !sources.has(built))
      problems.push(`${name}: ${file} is left from an older build; remove dist`)
    if (/(?:^|\/)test\/|\.test\.|tsbuildinfo/.test(file)) problems.push(`${name}: the tarball contains ${file}`)
  }
  return { name, folder, tarball: join(scratch, packed.filename) }
}

/** Checks that every value in a package's surface exists at run time, and every name for the type checker. */
function writeImports(packages: readonly Packed[]): void {
  const values: string[] = []
  const types: string[] = []
  for (const { name, folder } of packages) {
    const names = exportsOf(read(`${folder}/src/index.ts`))
    const list = names.filter((line) => !line.startsWith('type '))
    values.push(`for (const name of ${JSON.stringify(list)}) {`)
    values.push(`  if (!(name in (await import('${name}')))) throw new Error(\`${name} has no \${name}\`)`, '}')
    const alias = (line: string, at: number): string => `${line.replace(/^type /, '')} as _${values.length}_${at}`
    types.push(`import type { ${names.map(alias).join(', ')} } from '${name}'`)
  }
  writeFileSync(join(project, 'values.mjs'), values.join('\n'))
  writeFileSync(join(project, 'types.ts'), `${types.join('\n')}\nexport {}\n`)
}

/** The programs that the README shows, exactly as a reader would copy them. Returns the packages that they import. */
function writeReadmePrograms(): string[] {
  const names = PROGRAMS.flatMap((program) => {
    const text = read(`examples/${program}/main.ts`)
    writeFileSync(join(project, `${program}.ts`), text)
    return importsOf(text).map(({ from }) =>
      from
        .split('/')
        .slice(0, from.startsWith('@') ? 2 : 1)
        .join('/'),
    )
  })
  return [...new Set(names)]
}

/** These packages with the versions of our development dependencies. */
function pinned(names: readonly string[]): string[] {
  const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> }
  return names.flatMap((name) => (devDependencies[name] === undefined ? [] : [`${name}@${devDependencies[name]}`]))
}

/** Every component, copied by our own command into a project with the options that new projects have. */
async function ownComponents(): Promise<void> {
  const command = [process.execPath, 'node_modules/@holdpoint/ui/dist/add/main.js']
  const listing = await must('listing components', [...command, 'list'], project)
  const names = listing.match(/^[\w-]+/gm) ?? []
  await must('copying components', [...command, 'add', ...names, '--to', 'components'], project)
  const options = { compilerOptions: pageOptions, include: ['components'] }
  writeFileSync(join(project, 'components.tsconfig.json'), JSON.stringify(options))
  await must('type-checking copied components', ['tsc', '-p', 'components.tsconfig.json'], project)
}

async function consume(packages: readonly Packed[]): Promise<void> {
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }))
  const others = pinned([...writeReadmePrograms(), 'react', 'react-dom', '@types/react', '@types/react-dom'])
  writeImports(packages)
  const tarballs = packages.map(({ tarball }) => tarball)
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', '--engine-strict=false']
  await must('installing the tarballs', ['npm', 'install', ...flags, ...tarballs, ...others], project)
  await must('importing every public value', [process.execPath, 'values.mjs'], project)
  // With the strictest options and without Node's types, so that the compiler also checks our declarations.
  for (const resolution of ['nodenext', 'esnext --moduleResolution bundler']) {
    const options = `--noEmit --strict --skipLibCheck false --target es2024 --lib es2024,esnext.disposable,dom --module ${resolution}`
    await must(`type-checking (${resolution})`, ['tsc', ...options.split(' '), 'types.ts'], project)
  }
  for (const program of PROGRAMS)
    await must(`running examples/${program} on the tarballs`, [process.execPath, `${program}.ts`], project)
  await ownComponents()
}

async function judge({ name, tarball }: Packed): Promise<void> {
  const published = await captureLater(['publint', 'run', tarball, '--strict'])
  if (published.code !== 0) problems.push(`${name}: publint\n${published.stdout}${published.stderr}`)
  // A style has no types to check.
  const styles = ['--exclude-entrypoints', 'theme.css']
  const typed = await captureLater(['attw', tarball, '--profile', 'esm-only', '--no-emoji', '--no-color', ...styles])
  if (typed.code !== 0) problems.push(`${name}: attw\n${typed.stdout}${typed.stderr}`)
}

function failed(error: unknown): void {
  problems.push(error instanceof Error ? error.message : String(error))
}

let packages: readonly Packed[] = []
try {
  packages = await inParallel(packageFolders(), pack)
  // The installation waits for the registry most of the time.
  await Promise.all([consume(packages).catch(failed), inParallel(packages, judge)])
} catch (error) {
  failed(error)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
report(problems, `pack: ${packages.map(({ name }) => name).join(', ')} install, import and run from their tarballs`)
