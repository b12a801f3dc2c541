/**
 * Reads the imports, the exported names and the test titles of a TypeScript file. It searches the text without comments.
 * oxfmt formats the code, so statements start at the beginning of a line. TypeScript 7 has no compiler API yet.
 */

export interface Import {
  readonly from: string
  /** `import type …` or `export type … from`: gone at run time. */
  readonly typeOnly: boolean
}

const literal = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/
const commentOrLiteral = new RegExp(`${literal.source}|//[^\n]*|/\\*[\\s\\S]*?\\*/`, 'g')

function withoutComments(text: string): string {
  return text.replace(commentOrLiteral, (match) => (match.startsWith('/') ? blank(match) : match))
}

function blank(comment: string): string {
  return comment.replace(/[^\n]/g, ' ')
}

const statements = [
  /^[ \t]*(?:import|export)\s+(?<type>type\s+)?[\w$*\s{},]+?\s*\bfrom\s*(?<from>'[^']+'|"[^"]+")/gm,
  /^[ \t]*import\s*(?<type>(?!))?(?<from>'[^']+'|"[^"]+")/gm,
  /\bimport\s*\(\s*(?<type>(?!))?(?<from>'[^']+'|"[^"]+")/g,
]

export function importsOf(text: string): Import[] {
  const source = withoutComments(text)
  return statements.flatMap((statement) =>
    [...source.matchAll(statement)].map(({ groups }) => ({
      from: (groups?.from ?? '').slice(1, -1),
      typeOnly: groups?.type !== undefined,
    })),
  )
}

export function hasExportStar(text: string): boolean {
  return /^[ \t]*export\s+(?:type\s+)?\*/m.test(withoutComments(text))
}

/** The names a module exports, `type` first where a name is only a type. Does not follow `export *`. */
export function exportsOf(text: string): string[] {
  const source = withoutComments(text)
  const names = new Set<string>()
  for (const [, type, list] of source.matchAll(/^export\s+(type\s+)?\{([^}]*)\}/gm)) {
    for (const item of list?.split(',') ?? []) {
      const [, itemType, name] = /^\s*(type\s+)?(?:[\w$]+\s+as\s+)?([\w$]+)\s*$/.exec(item) ?? []
      if (name !== undefined) names.add(type || itemType ? `type ${name}` : name)
    }
  }
  const declaration =
    /^export\s+(?:declare\s+|abstract\s+|async\s+)*(const|let|function\*?|class|interface|type)\s+([\w$]+)/gm
  for (const [, kind, name] of source.matchAll(declaration)) {
    names.add(kind === 'interface' || kind === 'type' ? `type ${name}` : `${name}`)
  }
  return [...names].toSorted((a, b) => a.replace(/^type /, '').localeCompare(b.replace(/^type /, ''), 'en'))
}

export interface Proof {
  readonly ids: readonly string[]
  readonly title: string
}

/** One id or more, each with its comma, before the title. */
const ids = String.raw`(?:'[^']*'\s*,\s*)+`
const proofCall = new RegExp(String.raw`\bproves\(\s*(${ids})(${literal.source})`, 'g')
const testCall = new RegExp(
  String.raw`(?:\b(?:test|it|describe)(?:\.\w+)*|\))\(\s*(?:proves\(\s*${ids})?(${literal.source})`,
  'g',
)

/** The guarantees a test file cites: `proves('id', 'title')`, or several: `proves('id', 'id', 'title')`. */
export function proofsOf(text: string): Proof[] {
  return [...withoutComments(text).matchAll(proofCall)].map(([, cited = '', title = '']) => ({
    ids: [...cited.matchAll(/'([^']*)'/g)].map(([, id = '']) => id),
    title: unquote(title),
  }))
}

export function testTitlesOf(text: string): string[] {
  return [...withoutComments(text).matchAll(testCall)].map(([, title = '']) => unquote(title))
}

function unquote(text: string): string {
  return text.slice(1, -1).replace(/\\(.)/g, '$1')
}
