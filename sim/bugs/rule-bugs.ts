/** Rules that decide more than they say. */
import { patch, type Bug } from './bug.ts'

const STORE = 'runtime/src/rules/rule-store.ts'
const JUDGE = 'core/src/rule/judge-by-rules.ts'
const CALL = 'runtime/src/step/judge-call.ts'

export const ruleBugs: readonly Bug[] = [
  {
    name: 'lets-two-processes-take-the-last-use-of-a-rule',
    patches: [
      patch(STORE, '      expected,\n', ''),
      patch(
        STORE,
        '      const changed = change(before)\n',
        '      const changed = change(before)\n      await this.#store.get(tenant, RULE, id)\n',
      ),
    ],
  },
  {
    name: 'lets-a-call-pass-before-its-use-is-counted',
    patches: [
      patch(
        CALL,
        'else if (await use(decision)) return end(decision, { required: false })',
        'else return end(decision, { required: false })',
      ),
    ],
  },
  {
    name: 'uses-a-rule-that-was-revoked-meanwhile',
    patches: [
      patch(
        STORE,
        'if (rule.version !== version || !isInForce(rule, now, use.callId))',
        'if (rule.version !== version)',
      ),
    ],
  },
  {
    name: 'lets-a-rule-make-any-gate-weaker',
    patches: [patch(CALL, "if (approval.rules !== 'may-relax')", "if (approval.rules === ('never' as string))")],
  },
  {
    name: 'lets-the-mildest-rule-decide',
    patches: [
      patch(
        JUDGE,
        'if (!one || isStricter(other.effect, one.effect)) return other',
        'if (!one || isStricter(one.effect, other.effect)) return other',
      ),
      patch(
        JUDGE,
        'if (isStricter(one.effect, other.effect)) return one',
        'if (isStricter(other.effect, one.effect)) return one',
      ),
    ],
  },
  {
    name: 'forgets-to-ask-the-rules-again-after-a-crash',
    patches: [
      patch(
        'runtime/src/call/admit-call.ts',
        'return allowedByRule(call) ? stillAllowed(call, tool, bound, checked.value, context, stop) : [startCall(call)]',
        'return [startCall(call)]',
      ),
    ],
  },
  {
    name: 'skips-a-deny-of-a-tool-without-a-gate',
    patches: [
      patch(
        'runtime/src/step/dispatch.ts',
        'return tool.gate !== undefined || next !== undefined || rules !== undefined',
        'return tool.gate !== undefined || next !== undefined || (rules !== undefined && tool.visible === false)',
      ),
    ],
  },
  {
    name: 'matches-a-range-without-its-lower-end',
    patches: [patch('core/src/rule/fits-all.ts', 'return value >= min && value <= max', 'return value <= max')],
  },
]
