/** An agent that uses an MCP server, to be killed. It calls the given tool, and resolves holds with answers from stdin. */
import { openStore } from 'holdpoint'
import { calling, startAgent } from '../kit.ts'
import { withKey } from '../test-server.ts'

const [, , file = '', url = '', tool] = process.argv
const scripts = tool === undefined ? ['Done.'] : calling(tool, { what: 'the site', amount: 5 })
const { runtime } = await startAgent(scripts, {
  store: await openStore(file),
  servers: [{ ...withKey(url), onLost: 'retry' }],
})
if (tool !== undefined) await runtime.send('c', 'Go')
process.stdout.write('ready\n')
process.stdin.on('data', (line) => {
  const { callId, value } = JSON.parse(String(line)) as { callId: string; value: unknown }
  void runtime.answer('c', callId, value).then(({ verdict }) => process.stdout.write(`${verdict}\n`))
})
