/** Runs every example. Each is a story that checks itself and exits non-zero when it does not hold. */
import { runExample } from './lib/run.ts'
import { find, report } from './lib/workspace.ts'

const examples = find('examples/*/main.ts')
const problems = examples.flatMap((file) => {
  const started = Date.now()
  const { code, stdout, stderr } = runExample(file)
  if (code === 0) {
    console.log(`  ${file} (${Date.now() - started} ms)`)
    return []
  }
  return [`${file} ended with ${code}\n${stdout}${stderr}`]
})
report(problems, `examples: ${examples.length} ran to their end`)
