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
    name: 'runs-again-under-a-new-id',
    patches: [
      patch(
        'runtime/src/call/tool-context.ts',
        '      id: call.callId,',
        '      id: call.attempt > 1 ? `${call.callId}-${call.attempt}` : call.callId,',
      ),
    ],
  },
  {
    name: 'runs-again-what-must-not-run-twice',
    patches: [patch(RUN, "switch (tool?.onLost ?? 'ask') {", "switch ('retry' as NonNullable<Tool['onLost']>) {")],
  },
  {
    name: 'does-not-ask-the-gate',
    patches: [patch('runtime/src/step/dispatch.ts', 'if (approval.required)\n', 'if (approval.required && next)\n')],
  },
  {
    name: 'runs-a-tool-that-was-changed-after-the-yes',
    patches: [patch(RUN, 'if (tool.fingerprint !== call.approved.fingerprint)', 'if (tool.fingerprint === undefined)')],
  },
  {
    name: 'runs-what-was-proposed-although-it-was-edited',
    patches: [
      patch(
        RUN,
        'tool.run?.(toolContext(context, call, checked.value, writes, limited))',
        'tool.run?.(toolContext(context, call, call.proposed, writes, limited))',
      ),
    ],
  },
  {
    name: 'goes-on-when-its-lease-is-over',
    patches: [patch('runtime/src/node/engine.ts', 'return this.#lease.valid', 'return true')],
  },
  {
    name: 'begins-what-it-started-before-its-lease-was-over',
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
    name: 'runs-every-call-it-finds-running',
    patches: [
      patch(
        PERFORM,
        'const run = this.#startedHere(call) ? runCall : recoverCall',
        'const run = call.attempt > 0 ? runCall : recoverCall',
      ),
    ],
  },
  {
    name: 'gives-up-for-lost-what-it-began-itself',
    patches: [
      patch(
        PERFORM,
        "if (event.type === 'call.started') this",
        "if (event.type === 'call.started' && events.length === 1) this",
      ),
    ],
  },
  {
    name: 'asks-the-model-again-when-others-write',
    patches: [
      patch(
        DRIVE,
        'return same === undefined || !this.#performer.isSame(same, effect)',
        "return same === undefined || effect.key.startsWith('model:') || !this.#performer.isSame(same, effect)",
      ),
    ],
  },
  {
    name: 'goes-on-with-another-driver-than-the-one-that-began',
    patches: [
      patch('runtime/src/log/active-log.ts', 'if (current?.wake(', "if (steps === 'one-step' && current?.wake("),
      patch('runtime/src/log/active-log.ts', '|| this.#background || !due', '|| !due'),
    ],
  },
  {
    name: 'begins-with-what-others-are-at-work-on',
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
