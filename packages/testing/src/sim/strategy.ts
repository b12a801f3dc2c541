/**
 * Chooses the next task. A uniform choice rarely finds deep orderings, so seeds alternate between a uniform choice, strict
 * priorities that change at a few moments (PCT), and processes suspended one by one and resumed in another order (swizzle).
 */
import type { Random } from './random.ts'
import type { Process, Task } from './scheduler.ts'

export interface Strategy {
  readonly name: string
  /** Adds a process. */
  meet(process: Process): void
  /** Before each choice. */
  stepping(steps: number, processes: readonly Process[], random: Random): void
  choose(tasks: readonly Task[], random: Random): Task
}

const even: Strategy = {
  name: 'even',
  meet: () => {},
  stepping: () => {},
  choose: (tasks, random) => random.pick(tasks),
}

/** The number of steps within which priorities change. */
const SPAN = 400

function priorities(random: Random): Strategy {
  const changes = Array.from({ length: random.between(1, 3) }, () => random.below(SPAN))
  let lowest = 0
  return {
    name: 'priorities',
    meet: (process) => {
      process.priority = random.next()
    },
    stepping: (steps, processes) => {
      if (!changes.includes(steps)) return
      const highest = processes.reduce((a, b) => (b.priority > a.priority ? b : a))
      highest.priority = --lowest
    },
    choose: (tasks, chance) => {
      const highest = Math.max(...tasks.map(({ owner }) => owner.priority))
      return chance.pick(tasks.filter(({ owner }) => owner.priority === highest))
    },
  }
}

function swizzle(random: Random): Strategy {
  const every = random.between(5, 20)
  const round = random.between(60, 150)
  let plan: { readonly at: number; readonly process: Process; readonly frozen: boolean }[] = []
  return {
    name: 'swizzle',
    meet: () => {},
    stepping: (steps, processes) => {
      if (steps % round === round - 1 && plan.length === 0) {
        const some = random.shuffled(processes).slice(0, random.between(1, Math.max(1, processes.length - 1)))
        const start = steps + 1
        const thaw = start + some.length * every
        plan = [
          ...some.map((process, n) => ({ at: start + n * every, process, frozen: true })),
          ...random.shuffled(some).map((process, n) => ({ at: thaw + n * every, process, frozen: false })),
        ]
      }
      for (; plan[0] && plan[0].at <= steps; plan.shift()) plan[0].process.frozen = plan[0].frozen
    },
    choose: even.choose,
  }
}

export function strategyFor(random: Random): Strategy {
  return random.pick([() => even, () => even, () => priorities(random), () => swizzle(random)])()
}
