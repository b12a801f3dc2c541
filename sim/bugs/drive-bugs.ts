/** Drivers that start work they must not start. */
import { patch, type Bug } from './bug.ts'

const DRIVE = 'runtime/src/drive/driver.ts'
const PERFORM = 'runtime/src/conversation/conversation-performer.ts'
const RUN = 'runtime/src/call/run-call.ts'

export const driveBugs: readonly Bug[] = [
  {
    name: 'runs-a-call-before-its-start-is-written',
    patches: [
      patch(PERFORM, 'return [startCall(effect.call)]\n', 'return []\n'),
      patch(
        PERFORM,
        'this.#with(context, ({ tools }) => admitCall(call, tools.get(call.name), context, stop))',
        `this.#with(context, async ({ tools }) => {
            const admitted = await admitCall(call, tools.get(call.name), context, stop)
            const ran = await runCall(call, tools.get(call.name), context, stop)
            return [...admitted, ...ran]
          })`,
      ),
    ],
  },
  {
    name: 'reruns-a-call-under-a-new-id',
    patches: [
      patch(
        'runtime/src/call/tool-context.ts',
        '      id: call.callId,',
        '      id: call.attempt > 1 ? `${call.callId}-${call.attempt}` : call.callId,',
      ),
    ],
  },
  {
    name: 'reruns-a-call-that-must-not-run-twice',
    patches: [patch(RUN, "switch (tool?.onLost ?? 'ask') {", "switch ('retry' as NonNullable<Tool['onLost']>) {")],
  },
  {
    name: 'does-not-call-the-gate',
    patches: [patch('runtime/src/step/dispatch.ts', 'if (approval.required)\n', 'if (approval.required && next)\n')],
  },
  {
    name: 'runs-a-tool-that-changed-after-approval',
    patches: [
      patch(
        'runtime/src/call/admit-call.ts',
        'if (tool.fingerprint !== call.approved.fingerprint)',
        'if (tool.fingerprint === undefined)',
      ),
    ],
  },
  {
    name: 'runs-the-proposed-input-instead-of-the-edited-one',
    patches: [
      patch(
        RUN,
        'tool.run?.(toolContext(context, call, checked.value, writes, limited))',
        'tool.run?.(toolContext(context, call, call.proposed, writes, limited))',
      ),
    ],
  },
  {
    name: 'continues-without-a-valid-lease',
    patches: [patch('runtime/src/node/engine.ts', 'return this.#lease.valid', 'return true')],
  },
  {
    name: 'begins-a-call-after-its-lease-expired',
    patches: [
      patch(PERFORM, 'return this.#started.get(callId) === this.#context.term()', 'return this.#started.has(callId)'),
    ],
  },
  {
    name: 'begins-new-steps-while-it-closes',
    patches: [
      patch(DRIVE, "return this.#mode !== 'draining' || ", "return this.#mode !== 'draining' || effect.key !== '' || "),
    ],
  },
  {
    name: 'reruns-running-calls-of-other-nodes',
    patches: [
      patch(
        PERFORM,
        'const run = this.#startedHere(call) ? runCall : recoverCall',
        'const run = call.attempt > 0 ? runCall : recoverCall',
      ),
    ],
  },
  {
    name: 'treats-its-own-running-calls-as-lost',
    patches: [
      patch(
        PERFORM,
        "if (event.type === 'call.started') this",
        "if (event.type === 'call.started' && events.length === 1) this",
      ),
    ],
  },
  {
    name: 'calls-the-model-again-after-other-writes',
    patches: [
      patch(
        DRIVE,
        'return same === undefined || !this.#performer.isSame(same, effect)',
        "return same === undefined || effect.key.startsWith('model:') || !this.#performer.isSame(same, effect)",
      ),
    ],
  },
  {
    name: 'continues-work-with-a-new-driver-object',
    patches: [
      patch('runtime/src/log/active-log.ts', 'if (current?.wake(', "if (steps === 'one-step' && current?.wake("),
      patch('runtime/src/log/active-log.ts', '|| this.#background || !due', '|| !due'),
    ],
  },
  {
    name: 'begins-work-that-another-node-does',
    patches: [
      patch(
        'runtime/src/log/active-log.ts',
        'node !== undefined && this.log.drivable && this.log.hasWork',
        'node !== undefined && this.log.hasWork',
      ),
      patch(DRIVE, 'return this.#tenure.mayWork() && this.#log.drivable', 'return this.#tenure.mayWork()'),
    ],
  },
]
