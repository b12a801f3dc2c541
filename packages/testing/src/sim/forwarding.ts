/** A store whose requests go to another one, which may be replaced at any time. */
import type { Store } from '@holdpoint/core'

export function forwarding(current: () => Store): Store {
  return {
    append: (write) => current().append(write),
    confirm: async (of) => current().confirm?.(of),
    load: (from) => current().load(from),
    follow: (from, head) => current().follow(from, head),
    batches: (from, after, limit) => current().batches(from, after, limit),
    read: (from, after, limit) => current().read(from, after, limit),
    readBack: (from, before, limit) => current().readBack(from, before, limit),
    readCall: (from, callId) => current().readCall(from, callId),
    findCall: (tenant, callId) => current().findCall(tenant, callId),
    findKey: (from, key) => current().findKey(from, key),
    heads: (of) => current().heads(of),
    note: (to, note) => current().note(to, note),
    notes: (from, query) => current().notes(from, query),
    put: (put) => current().put(put),
    get: (tenant, kind, id) => current().get(tenant, kind, id),
    documents: (query) => current().documents(query),
    sweep: (limit) => current().sweep(limit),
    pending: (query) => current().pending(query),
    list: (query) => current().list(query),
    usage: (tenant) => current().usage(tenant),
    walk: (query) => current().walk(query),
    beat: (node, ttlMs) => current().beat(node, ttlMs),
    leave: (node) => current().leave(node),
    due: (query) => current().due(query),
    takeOver: (what, node) => current().takeOver(what, node),
    listen: (changed) => current().listen(changed),
    inspect: () => current().inspect(),
    close: async () => {},
  }
}
