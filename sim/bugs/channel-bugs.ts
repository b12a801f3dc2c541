/** Bugs of the outbox and of channels. */
import { patch, type Bug } from './bug.ts'

const CHANNELS = 'channels/src/channels.ts'
const COPIES = 'channels/src/copies.ts'

export const channelBugs: readonly Bug[] = [
  {
    name: 'marks-a-copy-before-it-is-shown',
    channels: true,
    patches: [
      patch(
        COPIES,
        '    const ref = await channel.show({',
        `    await store.put({ tenant: copy.tenant, kind: COPY, id, data: { ...facts, ref: null, shown: hash } as unknown as Json })
    const ref = await channel.show({`,
      ),
    ],
  },
  {
    name: 'removes-news-before-it-has-tasks',
    channels: true,
    patches: [
      patch(
        CHANNELS,
        '    for (const task of await this.#tasksFor(item)) await this.#tasks.add(task)\n    await removeNews(this.#options.store, item)',
        '    await removeNews(this.#options.store, item)\n    for (const task of await this.#tasksFor(item)) await this.#tasks.add(task)',
      ),
    ],
  },
  {
    name: 'does-not-update-the-copies-of-a-hold-that-is-over',
    channels: true,
    patches: [patch(COPIES, 'for await (const copy of this.#existing(of)) add(copy)', '')],
  },
  {
    name: 'counts-the-press-of-a-person-without-a-mapping',
    channels: true,
    patches: [
      patch(
        CHANNELS,
        'const row = isDevice ? undefined : await this.people.withAddress(tenant, channel, address)',
        'const row = (await this.people.withAddress(tenant, channel, address)) ?? { person: address, addresses: {}, resolver: true }',
      ),
    ],
  },
  {
    name: 'gives-up-a-message-after-one-failure',
    channels: true,
    patches: [patch(COPIES, 'return failures > 300 ?', 'return failures > 0 ?')],
  },
]
