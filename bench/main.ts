/** `npm run bench -- <name>`: runs one benchmark and prints its results as JSON lines. */
import { loop } from './loop.ts'

const benches: Readonly<Record<string, () => Promise<void>>> = { loop }

const [name = ''] = process.argv.slice(2)
const bench = Object.hasOwn(benches, name) ? benches[name] : undefined
if (bench) await bench()
else {
  console.error(`There is no benchmark ${JSON.stringify(name)}. Run one of: ${Object.keys(benches).join(', ')}.`)
  process.exitCode = 1
}
