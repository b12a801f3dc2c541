/** Drivers that begin what they must not. */
import { patch, type Bug } from './bug.ts'

const DRIVE = 'loop/driver.ts'
const LIVE = 'loop/live-conversation.ts'
const RUN = 'loop/run-call.ts'

export const driveBugs: readonly Bug[] = [
  {
    name: 'runs-a-call-before-its-start-is-written',
    patches: [
      patch(DRIVE, ': [startCall(effect.call)]\n', ': []\n'),
      patch(
        DRIVE,
        '(stop) => this.#with(world, ({ tools }) => admitCall(call, tools.get(call.name), world, stop)),',
        `(stop) =>
            this.#with(world, async ({ tools }) => {
              const admitted = await admitCall(call, tools.get(call.name), world, stop)
              const ran = await runCall(call, tools.get(call.name), world, stop)
              return [...admitted, ...ran]
            }),`,
      ),
    ],
  },
  {
    name: 'runs-again-under-a-new-id',
    patches: [
      patch(
        'loop/world.ts',
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
    patches: [patch('loop/dispatch.ts', 'if (approval.required) return [', 'if (approval.required && next) return [')],
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
        'tool.run?.(toolContext(world, call, checked.value, writes, limited))',
        'tool.run?.(toolContext(world, call, call.proposed, writes, limited))',
      ),
    ],
  },
  {
    name: 'goes-on-when-its-lease-is-over',
    patches: [patch('runtime/engine.ts', 'mayWork: () => this.#lease.valid', 'mayWork: () => true')],
  },
  {
    name: 'begins-what-it-started-before-its-lease-was-over',
    patches: [
      patch(DRIVE, 'return this.#started.get(callId) === this.#world.term()', 'return this.#started.has(callId)'),
    ],
  },
  {
    name: 'begins-new-steps-while-it-closes',
    patches: [patch(DRIVE, 'return !this.draining || (', 'return !this.draining || effect.do !== undefined || (')],
  },
  {
    name: 'runs-every-call-it-finds-running',
    patches: [
      patch(
        DRIVE,
        'const work = this.#justStarted(call) ? runCall : recoverCall',
        'const work = call.attempt > 0 ? runCall : recoverCall',
      ),
    ],
  },
  {
    name: 'asks-again-what-it-asked-about-a-draft',
    patches: [patch('loop/works.ts', 'work.ahead?.land()', 'if (work.ahead) this.drop((each) => each === work)')],
  },
  {
    name: 'goes-on-with-another-driver-than-the-one-that-began',
    patches: [patch(LIVE, 'drive(this.#opening.take() ?? this.#driver(oneStep))', 'drive(this.#driver(oneStep))')],
  },
  {
    name: 'begins-with-what-others-are-at-work-on',
    patches: [patch(LIVE, '!hasWork(draft.before) && !this.log.inDoubt', '!this.log.inDoubt')],
  },
  {
    name: 'gives-up-for-lost-what-it-began-itself',
    patches: [
      patch(
        DRIVE,
        "if (event.type === 'call.started') this",
        "if (event.type === 'call.started' && !this.#opening) this",
      ),
    ],
  },
]
