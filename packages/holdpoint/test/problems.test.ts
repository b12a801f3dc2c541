/** Where the application listens to no problems, the process warns of them, with what they came from. */
import { scriptedModel } from '@holdpoint/testing'
import { agent, chat, holdpoint, memoryStore, ModelError } from 'holdpoint'
import { expect, onTestFinished, test } from 'vitest'

const refused = new Error('connect ECONNREFUSED 10.0.0.7:443')
const failure = new ModelError('The request failed', { retryable: false, status: 502, cause: refused })

function warnings(): readonly Error[] {
  const heard: Error[] = []
  const listen = (warning: Error): void => void heard.push(warning)
  process.on('warning', listen)
  onTestFinished(() => void process.off('warning', listen))
  return heard
}
const desk = () => agent({ name: 'desk', model: scriptedModel([failure]) })
const said = 'The model scripted failed (502): The request failed Caused by: connect ECONNREFUSED 10.0.0.7:443'

test.each([
  [
    'a runtime',
    async () => {
      const hp = await holdpoint({ store: memoryStore(), agents: [desk()] })
      const result = await hp.send('c1', 'Hi')
      await hp.close()
      return result
    },
    `${said} (conversation "c1")`,
  ],
  ['a chat', () => chat(desk(), 'Hi'), said],
] as const)('%s without onProblem warns why a model failed, and the user is not told', async (_what, run, message) => {
  const heard = warnings()
  const { status, message: told } = await run()
  await new Promise((resolve) => setImmediate(resolve)) // when Node tells of warnings
  expect(heard.map(({ name, message: text }) => [name, text])).toEqual([['HoldpointWarning', message]])
  expect([status, told]).toEqual(['failed', 'The model could not answer. The operator was told why.'])
})
