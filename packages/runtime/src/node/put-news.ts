/**
 * The store's outbox: news of all conversations, for channels and webhooks. The driver of a log writes each news item here
 * after it is in the log, and a reader removes it when it is handled. A process that dies in between leaves the item in the
 * log, or here, so a reader may see an item twice and never misses one.
 */
import type { Json } from '@holdpoint/core/internal/json'
import type { Delivery, News } from '@holdpoint/core/internal/log/notice'
import type { Address, Store } from '@holdpoint/core/internal/log/store'

/** One outbox for all tenants of a store: a reader cannot list tenants. */
const TENANT = ''
const NEWS = 'runtime.news'

export interface NewsItem {
  /** The same for an item that is written twice. */
  readonly id: string
  readonly tenant: string
  readonly conversationId: string
  readonly at: number
  readonly news: News
}

export async function putNews(
  store: Pick<Store, 'put'>,
  { tenant, id: conversationId }: Address,
  { n, at, news }: Extract<Delivery, { readonly news: News }>,
): Promise<void> {
  // By time, so that a page has the oldest. The time is part of the event, so a repeated delivery has the same id.
  const name = `${encodeURIComponent(tenant)}/${encodeURIComponent(conversationId)}`
  const id = `${String(at).padStart(15, '0')}/${name}/${n.padStart(16, '0')}`
  const item: NewsItem = { id, tenant, conversationId, at, news }
  await store.put({ tenant: TENANT, kind: NEWS, id, expected: 0, data: item as unknown as Json })
}

/** The oldest items that were not removed, after the one with the id `after`. */
export async function readNews(
  store: Pick<Store, 'documents'>,
  limit: number,
  after?: string,
): Promise<readonly NewsItem[]> {
  const { items } = await store.documents({ tenant: TENANT, kind: NEWS, limit, ...(after !== undefined && { after }) })
  return items.map(({ data }) => data as unknown as NewsItem)
}

export async function removeNews(store: Pick<Store, 'put'>, { id }: NewsItem): Promise<void> {
  await store.put({ tenant: TENANT, kind: NEWS, id, data: undefined })
}
