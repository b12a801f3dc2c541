import assert from 'node:assert/strict'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint, memoryStore, tool } from 'holdpoint'
import { z } from 'zod'

// #region tool
const takePhoto = tool({
  name: 'camera.photo',
  description: 'Take a photo with the phone of the user',
  executor: 'client',
  timeout: '10 minutes', // for a client that is connected
  grace: '1 s', // while no client is connected
  input: z.object({}),
})
// #endregion

const photo = { calls: [{ name: 'camera.photo', input: {} }] }
const model = scriptedModel([photo, 'Open the app, and ask me again.', photo, 'A nice one.'])
const store = memoryStore()
const hp = await holdpoint({ store, agents: [agent({ name: 'album', model, tools: [takePhoto] })] })
const over = async (turn: number): Promise<void> => {
  for await (const item of hp.subscribe('album-1'))
    if (item.type === 'model.replied' && item.step === 2 && --turn === 0) return
}

// #region absent
await hp.send('album-1', 'Take a photo') // held; after a second it fails, and the model continues
await over(1)
console.log(JSON.stringify((await hp.view('album-1'))?.turns[0]?.steps[0]?.calls[0]?.outcome))
// #endregion

// #region present
const leave = await hp.attend('album-1', ['camera.photo']) // a client that has this tool is connected; a gateway does this for its clients
const { holds } = await hp.send('album-1', 'Now?')
await hp.answer('album-1', holds[0]?.callId ?? '', 'photo-1.jpg')
await over(2)
console.log(JSON.stringify((await hp.view('album-1'))?.turns[1]?.steps[0]?.calls[0]?.outcome))
await leave()
// #endregion

assert.equal((await hp.view('album-1'))?.turns.length, 2)
await hp.close()
