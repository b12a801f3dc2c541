/** Run by close.test.ts: uses every part of a store, closes it, and must then exit. */
import { postgresStore } from '../src/index.ts'
import { draft } from './draft.ts'

const [, , url = '', schema = ''] = process.argv
const store = await postgresStore(`${url}?application_name=${schema}`, { schema })
let looks = 0
store.listen((_, __, look) => void (look && looks++))
await store.beat('n', 1000)
await Promise.all(Array.from({ length: 10 }, (_, n) => store.append(draft(`c${n}`, 0))))
// Wait until its jobs run in this process too.
for (let seq = 0; looks === 0; seq++) {
  await store.append(draft('late', seq, { status: 'held', wakeAt: seq + 1 }))
  await new Promise((resolve) => setTimeout(resolve, 50))
}
await store.append(draft('held', 0, { status: 'held', wakeAt: Date.now() + 1_800_000 }))
await store.close()
process.stdout.write('closed\n')
