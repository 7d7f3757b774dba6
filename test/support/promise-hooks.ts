import type { AsyncLocalStorage } from 'node:async_hooks';

/** Whether this Node runs a hook for every promise while an `AsyncLocalStorage` is on. Since version 24 it has no such hooks. */
export const HAS_PROMISE_HOOKS = Number(process.versions.node.split('.')[0]) < 24;

/** Whether Node runs its hooks for this storage now. */
export function runsPromiseHooks(storage: AsyncLocalStorage<unknown>): boolean {
  return HAS_PROMISE_HOOKS && (storage as { readonly enabled?: boolean }).enabled === true;
}
