/**
 * Runs every example. Each example checks its own results, and exits non-zero when they are wrong. The guides show a region
 * named `program` as a complete program, so that region is also copied to a file and run alone.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runExample } from './lib/run.ts'
import { find, read, report, root } from './lib/workspace.ts'
import { excerpt } from './snippets.ts'

const examples = find('examples/*/main.ts')
const problems = examples.flatMap((file) => {
  const started = Date.now()
  const { code, stdout, stderr } = runExample(file)
  if (code !== 0) return [`${file} ended with ${code}\n${stdout}${stderr}`]
  console.log(`  ${file} (${Date.now() - started} ms)`)
  return read(file).includes('// #region program') ? copied(file, stdout) : []
})
report(problems, `examples: ${examples.length} ran to their end`)

/** Runs the copied program in a folder inside the workspace, where Node finds the packages. */
function copied(file: string, expected: string): string[] {
  mkdirSync(join(root, '.cache'), { recursive: true })
  const folder = mkdtempSync(join(root, '.cache', 'program-'))
  try {
    writeFileSync(join(folder, 'main.ts'), excerpt(file, read(file), 'program'))
    const { code, stdout, stderr } = runExample(join(folder, 'main.ts').slice(root.length + 1), folder)
    if (code === 0 && stdout === expected) return []
    return [`the program in ${file}, copied to a file of its own, ended with ${code}\n${stdout}${stderr}`]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
