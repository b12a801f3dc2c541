/**
 * Builds the registry that `npx shadcn add` reads from the source files. Each item contains every file that it imports,
 * so it can be added from any address without a request for another item.
 */
import { posix } from 'node:path'
import { items, type Item } from './items.ts'

/** Returns the text of a file of this package. */
export type ReadFile = (file: string) => string

export interface RegistryItem {
  readonly $schema: string
  readonly name: string
  readonly type: 'registry:component'
  readonly title: string
  readonly description: string
  readonly dependencies: readonly string[]
  readonly files: readonly {
    readonly path: string
    readonly type: 'registry:component'
    readonly target: string
    readonly content: string
  }[]
  readonly cssVars: CssVars
}

type CssVars = Readonly<Record<'theme' | 'light' | 'dark', Readonly<Record<string, string>>>>

const SCHEMA = 'https://ui.shadcn.com/schema/registry-item.json'
const FOLDER = 'components/holdpoint'

export { items, type Item }

export function registryItem(name: string, read: ReadFile): RegistryItem | undefined {
  const item = items.find((each) => each.name === name)
  if (!item) return undefined
  const files = closure(item.files, read)
  return {
    $schema: SCHEMA,
    name,
    type: 'registry:component',
    title: item.title,
    description: item.description,
    dependencies: dependenciesOf([...files.values()], read),
    files: [...files].map(([file, content]) => ({
      path: `${FOLDER}/${file}`,
      type: 'registry:component',
      target: `${FOLDER}/${file}`,
      content: withoutExtensions(content),
    })),
    cssVars: cssVarsOf(read('src/theme.css')),
  }
}

/** The files of the registry, by name: the list of items, and one file for each item. */
export function registryFiles(read: ReadFile): readonly (readonly [name: string, text: string])[] {
  const made = items.flatMap(({ name }) => registryItem(name, read) ?? [])
  const index = {
    $schema: 'https://ui.shadcn.com/schema/registry.json',
    name: 'holdpoint',
    homepage: '/',
    items: made.map(({ files, $schema: _schema, ...item }) => ({
      ...item,
      files: files.map(({ content: _content, ...file }) => file),
    })),
  }
  return [['registry.json', index] as const, ...made.map((item) => [`${item.name}.json`, item] as const)].map(
    ([name, value]) => [name, `${JSON.stringify(value, null, 2)}\n`],
  )
}

const IMPORT = /(from\s+|import\s+)'([^']+)'/g

/** The files, and all files that they import by a relative path. */
function closure(names: readonly string[], read: ReadFile): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  const visit = (name: string): void => {
    if (files.has(name)) return
    const content = read(`src/${name}`)
    files.set(name, content)
    for (const from of importsOf(content)) if (from.startsWith('.')) visit(posix.normalize(from))
  }
  names.forEach(visit)
  return files
}

function importsOf(content: string): string[] {
  return [...content.matchAll(IMPORT)].map(([, , from = '']) => from)
}

/** The npm packages that the files import, with our versions. React is not listed: the project has it. */
function dependenciesOf(contents: readonly string[], read: ReadFile): string[] {
  const { dependencies } = JSON.parse(read('package.json')) as {
    readonly dependencies: Readonly<Record<string, string>>
  }
  const used = new Set(contents.flatMap(importsOf))
  return Object.entries(dependencies)
    .filter(([name]) => used.has(name))
    .map(([name, version]) => `${name}@^${version}`)
}

/** Not every project allows imports with the extension of a TypeScript file. */
function withoutExtensions(content: string): string {
  return content.replace(IMPORT, (whole, keyword: string, from: string) =>
    from.startsWith('.') ? `${keyword}'${from.replace(/\.tsx?$/, '')}'` : whole,
  )
}

/** The colours that shadcn's themes do not have. */
const OURS = /^(?:held|held-muted|ok|ok-muted)$/

function cssVarsOf(css: string): CssVars {
  const block = (selector: string): Record<string, string> => {
    const body = css.split(`${selector} {`)[1]?.split('}')[0] ?? ''
    const all = [...body.matchAll(/--([\w-]+):\s*([^;]+);/g)].map(([, name = '', value = '']) => [name, value] as const)
    return Object.fromEntries(all.filter(([name]) => OURS.test(name.replace(/^color-/, ''))))
  }
  return { theme: block('@theme inline'), light: block(':root'), dark: block('.dark') }
}
