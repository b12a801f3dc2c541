/**
 * Runs every example. Each example checks its own results, and exits non-zero when they are wrong. The guides show a region
 * named `program` as a complete program, so that region is also copied to a file and run alone. Parts of paths select examples.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keepOutputs } from './lib/example-outputs.ts'
import { inParallel, runExample } from './lib/run.ts'
import { find, read, report, root } from './lib/workspace.ts'
import { excerpt } from './snippets.ts'

const only = process.argv.slice(2)
const examples = find('examples/*/main.ts').filter(
  (file) => only.length === 0 || only.some((name) => file.includes(name)),
)
const outputs: Record<string, string> = {}
keepOutputs()
const problems = await inParallel(examples, async (file) => {
  const started = Date.now()
  const { code, stdout, stderr } = await runExample(file)
  if (code !== 0) return [`${file} ended with ${code}\n${stdout}${stderr}`]
  console.log(`  ${file} (${Date.now() - started} ms)`)
  outputs[file] = stdout
  return read(file).includes('// #region program') ? copied(file, stdout) : []
})
if (only.length === 0) keepOutputs(outputs)
report(problems.flat(), `examples: ${examples.length} ran to their end`)

/** Runs the copied program in a folder inside the workspace, where Node finds the packages. */
async function copied(file: string, expected: string): Promise<string[]> {
  mkdirSync(join(root, '.cache'), { recursive: true })
  const folder = mkdtempSync(join(root, '.cache', 'program-'))
  try {
    writeFileSync(join(folder, 'main.ts'), excerpt(file, read(file), 'program'))
    const { code, stdout, stderr } = await runExample(join(folder, 'main.ts').slice(root.length + 1), folder)
    if (code === 0 && stdout === expected) return []
    return [`the program in ${file}, copied to a file of its own, ended with ${code}\n${stdout}${stderr}`]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
